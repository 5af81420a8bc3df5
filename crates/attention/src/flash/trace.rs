//! How tiled attention works, for lessons to show: the running softmax, the tiles, and the memory
//! traffic.

use crate::numerics::shape::shape_text;
use free_memory::assert_fits;
use ndarray::{Array2, ArrayRef1};

/// The state of [`online_softmax`] after some of a query's scores.
#[derive(Clone, Debug, PartialEq)]
pub struct FlashStep {
    /// The scores that this step added.
    pub block: Vec<f32>,
    /// The largest score so far.
    pub max: f32,
    /// The factor applied to the previous sum: `exp(old max - max)`.
    pub factor: f32,
    /// The sum so far of `exp(score - max)`.
    pub sum: f32,
}

/// The softmax of one row, `block` scores at a time: the running maximum and sum after
/// each step.
///
/// `scores` is (S,). After the last step, `exp(scores - max) / sum` are the weights that
/// [`softmax`](crate::dot_product::softmax()) gives, although no step looks at all scores at once.
///
/// `max = max(old max, block)`, `sum = old sum · exp(old max - max) + Σ exp(block - max)`
///
/// Source: Milakov and Gimelshein 2018, arXiv 1805.02867, algorithm 3; Dao et al. 2022,
/// "FlashAttention", arXiv 2205.14135, algorithm 1, lines 10 to 12.
///
/// # Panics
///
/// If `block` is 0.
///
/// ```
/// use attention::flash::online_softmax;
/// use ndarray::array;
///
/// let steps = online_softmax(&array![1.0, 1.0, 3.0, 3.0], 2);
/// assert_eq!((steps[0].max, steps[0].sum), (1.0, 2.0));
/// assert_eq!((steps[1].max, steps[1].factor), (3.0, (-2.0_f32).exp()));
/// assert_eq!(steps[1].sum, 2.0 * (-2.0_f32).exp() + 2.0);
/// ```
#[track_caller]
pub fn online_softmax(scores: &ArrayRef1<f32>, block: usize) -> Vec<FlashStep> {
    assert!(
        block > 0,
        "online_softmax: a block of 0 scores out of {} never ends",
        shape_text(scores.shape()),
    );
    let (mut max, mut sum) = (f32::NEG_INFINITY, 0.0_f32);
    let scores = scores.to_vec();
    let steps = scores.chunks(block).map(|block| {
        let old = max;
        max = block.iter().copied().fold(old, f32::max);
        // Only -inf so far: the exponentials are 0, whereas inf - inf would give NaN.
        let shift = if max == f32::NEG_INFINITY { 0.0 } else { max };
        let factor = (old - shift).exp();
        let new: f32 = block.iter().map(|score| (score - shift).exp()).sum();
        sum = sum * factor + new;
        FlashStep {
            block: block.to_vec(),
            max,
            factor,
            sum,
        }
    });
    steps.collect()
}

/// Which tiles of the scores [`flash_attention`](crate::flash::flash_attention) visits: 1 for a
/// visited tile, 0 for one that lies entirely in the future and is skipped.
///
/// There are `queries` queries and `keys` keys, and a tile is `tile` x `tile`. The result
/// has one row per tile of queries and one column per tile of keys.
///
/// Source: Dao 2023, "FlashAttention-2", arXiv 2307.08691, section 3.1.1, "Causal masking".
///
/// # Panics
///
/// If `tile` is 0, if `causal` and the numbers of queries and keys differ, or if the
/// result does not fit into memory.
///
/// ```
/// use attention::flash::flash_tiles;
/// use ndarray::array;
///
/// assert_eq!(flash_tiles(6, 6, 2, true), array![
///     [1.0, 0.0, 0.0],
///     [1.0, 1.0, 0.0],
///     [1.0, 1.0, 1.0],
/// ]);
/// ```
#[track_caller]
pub fn flash_tiles(queries: usize, keys: usize, tile: usize, causal: bool) -> Array2<f32> {
    check("flash_tiles", queries, keys, tile, causal);
    let shape = (queries.div_ceil(tile), keys.div_ceil(tile));
    assert_fits("flash_tiles", &[shape.0, shape.1], size_of::<f32>());
    Array2::from_shape_fn(shape, |(row, column)| f32::from(!causal || column <= row))
}

/// The bytes that untiled attention, as in [`attend`](crate::dot_product::attend()), reads from and
/// writes to memory, for one head of `queries` x `keys` scores and `width` channels, in f32.
///
/// Cost model: nothing stays in a cache. The product `q kᵀ` reads q and k and writes the
/// scores; the softmax reads them and writes the weights (a separate masking step, which is not
/// counted, would read and write the scores once more); the product with v reads weights and v and
/// writes the context. In total: `4 · (2 T D + 2 S D + 4 T S)` bytes.
///
/// Source: Dao et al. 2022, "FlashAttention", arXiv 2205.14135, algorithm 0 and theorem 2.
///
/// # Panics
///
/// If the number of bytes does not fit in a `usize`.
///
/// ```
/// use attention::flash::naive_bytes;
///
/// assert_eq!(naive_bytes(2, 3, 5), 4 * (2 * 2 * 5 + 2 * 3 * 5 + 4 * 2 * 3));
/// ```
#[track_caller]
pub fn naive_bytes(queries: usize, keys: usize, width: usize) -> usize {
    let [t, s, d] = [queries, keys, width].map(|length| length as u128);
    let products = [(2, t, d), (2, s, d), (4, t, s)];
    counted("naive_bytes", products, [queries, keys, width])
}

/// Returns `4 · Σ a b c` bytes. Panics if they do not fit in a `usize`.
#[track_caller]
fn counted(function: &str, products: [(u128, u128, u128); 3], lengths: [usize; 3]) -> usize {
    let numbers = products.iter().fold(0_u128, |sum, (a, b, c)| {
        sum.saturating_add(a.saturating_mul(*b).saturating_mul(*c))
    });
    let bytes = numbers.saturating_mul(size_of::<f32>() as u128);
    let [queries, keys, width] = lengths;
    match usize::try_from(bytes) {
        Ok(bytes) => bytes,
        Err(_) => panic!(
            "{function}: {queries} queries, {keys} keys and {width} channels move more bytes than \
             can be counted here: ask for fewer"
        ),
    }
}

/// The bytes that [`flash_attention`](crate::flash::flash_attention) reads from and writes to memory
/// with tiles of `tile` x `tile`, for one head, in f32.
///
/// The model: everything belonging to one tile of queries stays in a cache, and nothing else does.
/// So q is read once, the context and one number per query are written once (the rounding error
/// of that number is not counted), and every visited tile reads its keys and values. Traffic
/// therefore still grows with T · S: reading a key and its value takes 2 D numbers, shared by the
/// tile's `tile` queries, where [`naive_bytes`] moves 4 numbers per score. The ratio of the two is
/// about 2 · tile / D.
///
/// Source: Dao et al. 2022, "FlashAttention", arXiv 2205.14135, theorem 2, for the loop
/// order of Dao 2023, arXiv 2307.08691, algorithm 1.
///
/// # Panics
///
/// If `tile` is 0, if `causal` and the numbers of queries and keys differ, or if the number
/// of bytes does not fit in a `usize`.
///
/// ```
/// use attention::flash::{flash_bytes, naive_bytes};
///
/// let naive = naive_bytes(4096, 4096, 64) as f64;
/// let ratio = |tile| naive / flash_bytes(4096, 4096, 64, tile, false) as f64;
/// assert!((ratio(64) - 2.0).abs() < 0.01); // small tiles save only half,
/// assert!((ratio(256) - 8.0).abs() < 0.5); // large ones much more
/// ```
#[track_caller]
pub fn flash_bytes(queries: usize, keys: usize, width: usize, tile: usize, causal: bool) -> usize {
    check("flash_bytes", queries, keys, tile, causal);
    let [t, s, d, b] = [queries, keys, width, tile].map(|length| length as u128);
    // With a causal mask, whole tiles of queries read b, 2b, .. keys, and the remainder reads all.
    let (whole, rest) = (t / b, t % b);
    let keys_read = if causal {
        (b * whole).saturating_mul(whole + 1) / 2 + if rest > 0 { s } else { 0 }
    } else {
        t.div_ceil(b).saturating_mul(s)
    };
    let products = [(2, t, d), (1, t, 1), (2, keys_read, d)];
    counted("flash_bytes", products, [queries, keys, width])
}

#[track_caller]
fn check(function: &str, queries: usize, keys: usize, tile: usize, causal: bool) {
    assert!(tile > 0, "{function}: a tile of 0 x 0 is empty");
    assert!(
        !causal || queries == keys,
        "{function}: there are {queries} queries but {keys} keys: a causal mask needs as many \
         queries as keys",
    );
}
