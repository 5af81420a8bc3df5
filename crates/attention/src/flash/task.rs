//! The checked shapes and the tile sizes of one call.

use crate::numerics::attend_shapes::check_attend;
use crate::numerics::shape::shape_text;
use free_memory::assert_fits;

/// How many queries and keys are processed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tiles {
    pub queries: usize,
    pub keys: usize,
}

impl Tiles {
    /// 64 x 128 scores are 32 KB. A product reads one of its matrices over and over, and the others
    /// once; that one and the scores fit into a core's L1 cache.
    pub(crate) const BEST: Tiles = Tiles {
        queries: 64,
        keys: 128,
    };
}

/// The shapes of one call, and how to compute it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    /// The number of heads in all sequences together.
    pub heads: usize,
    /// T
    pub queries: usize,
    /// S
    pub keys: usize,
    /// D
    pub width: usize,
    /// D'
    pub value_width: usize,
    /// The factor for the scores.
    pub scale: f32,
    pub causal: bool,
    pub tiles: Tiles,
}

impl Task {
    /// How many keys are visible to the queries before `end`.
    pub(super) fn visible(&self, end: usize) -> usize {
        if self.causal { end } else { self.keys }
    }
}

/// Returns the task for these shapes. Panics, naming the shapes, unless they match.
#[track_caller]
pub(super) fn task(function: &str, [q, k, v]: [&[usize]; 3], causal: bool) -> Task {
    check_attend(function, q, k, v, None);
    let axes = q.len();
    let (queries, keys) = (q[axes - 2], k[axes - 2]);
    assert!(
        v[axes - 1] > 0,
        "{function}: v is {}: without a channel there is nothing to mix",
        shape_text(v),
    );
    assert!(
        !causal || queries == keys,
        "{function}: q is {} but k is {}: a causal mask needs as many queries as keys",
        shape_text(q),
        shape_text(k),
    );
    let heads = q[..axes - 2].iter().product();
    assert_fits(function, &[heads, queries, v[axes - 1]], size_of::<f32>());
    Task {
        heads,
        queries,
        keys,
        width: q[axes - 1],
        value_width: v[axes - 1],
        scale: 1.0 / (q[axes - 1] as f32).sqrt(),
        causal,
        tiles: Tiles::BEST,
    }
}

#[track_caller]
pub(super) fn with_tiles(function: &str, task: Task, (queries, keys): (usize, usize)) -> Task {
    assert!(
        queries > 0 && keys > 0,
        "{function}: a tile of {queries} queries and {keys} keys is empty"
    );
    Task {
        tiles: Tiles { queries, keys },
        ..task
    }
}
