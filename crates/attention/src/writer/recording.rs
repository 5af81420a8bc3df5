//! Records the intermediate results of a forward pass.

use super::cached_attention::Heads;
use free_memory::assert_fits;
use ndarray::{Array2, Array3, Array4, ArrayViewMut3, Axis, s};

/// Arrays that start as zeros and are filled layer by layer. See
/// [`Reading`](super::reading::Reading).
pub(super) struct Recording {
    pub queries: Array4<f32>,
    pub keys: Array4<f32>,
    pub values: Array4<f32>,
    pub weights: Array4<f32>,
    pub hidden: Array3<f32>,
}

impl Recording {
    /// Panics if the weights of all heads do not fit into memory.
    #[track_caller]
    pub fn new(
        function: &str,
        layers: usize,
        heads: Heads,
        tokens: usize,
        width: usize,
    ) -> Recording {
        assert_fits(
            function,
            &[layers, heads.queries, tokens, tokens],
            size_of::<f32>(),
        );
        let of_heads = |count| Array4::zeros((layers, count, tokens, heads.width));
        Recording {
            queries: of_heads(heads.queries),
            keys: of_heads(heads.groups),
            values: of_heads(heads.groups),
            weights: Array4::zeros((layers, heads.queries, tokens, tokens)),
            hidden: Array3::zeros((layers + 1, tokens, width)),
        }
    }

    /// Records the queries, keys and values of a layer, given with all heads side by side.
    pub fn projections(&mut self, layer: usize, heads: Heads, all: [&Array2<f32>; 3]) {
        let to = [&mut self.queries, &mut self.keys, &mut self.values];
        for (to, from) in to.into_iter().zip(all) {
            let mut to = to.index_axis_mut(Axis(0), layer);
            let from = from.axis_chunks_iter(Axis(1), heads.width);
            to.outer_iter_mut()
                .zip(from)
                .for_each(|(mut to, from)| to.assign(&from));
        }
    }

    /// The array for the weights of a layer, (H, T, T).
    pub fn weights_of(&mut self, layer: usize) -> ArrayViewMut3<'_, f32> {
        self.weights.index_axis_mut(Axis(0), layer)
    }

    /// Records the residual stream after this many blocks.
    pub fn residual(&mut self, blocks: usize, x: &Array2<f32>) {
        self.hidden.slice_mut(s![blocks, .., ..]).assign(x);
    }
}
