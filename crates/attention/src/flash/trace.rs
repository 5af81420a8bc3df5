//! What a lesson shows of attention in tiles: the running softmax, the tiles, the bytes.

use crate::numerics::shape::shape_text;
use free_memory::assert_fits;
use ndarray::{Array2, ArrayRef1};

/// What is known after some of the scores of a query, as [`online_softmax`] returns it.
#[derive(Clone, Debug, PartialEq)]
pub struct FlashStep {
    /// The scores that were new in this step.
    pub block: Vec<f32>,
    /// The largest score so far.
    pub max: f32,
    /// What the sum before this step was multiplied by: `exp(old max - max)`.
    pub factor: f32,
    /// The sum so far of `exp(score - max)`.
    pub sum: f32,
}

/// The softmax of one row, `block` scores at a time: the running maximum and the running
/// sum after each step.
///
/// `scores` is (S,). After the last step, `exp(scores - max) / sum` are the weights that
/// [`softmax`](crate::softmax) gives, and nobody ever had to look at all scores at once.
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
/// use attention::online_softmax;
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
        // Nothing but -inf so far: the exponentials are 0, not those of inf - inf.
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

/// Which tiles of the scores [`flash_attention`](crate::flash_attention) visits: 1 for a
/// tile that is, 0 for one that lies in the future as a whole and is not.
///
/// There are `queries` queries and `keys` keys, and a tile is `tile` x `tile`. The result
/// has one row for each tile of queries and one column for each tile of keys.
///
/// Source: Dao 2023, "FlashAttention-2", arXiv 2307.08691, section 3.1.1, "Causal masking".
///
/// # Panics
///
/// If the tile is empty, if `causal` and there are not as many queries as keys, or if so
/// many tiles do not fit into memory.
///
/// ```
/// use attention::flash_tiles;
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

/// The bytes that attention as [`attend`](crate::attend) does it reads from memory and
/// writes to it, for one head of `queries` x `keys` scores and `width` channels, in f32.
///
/// The model: nothing stays in a cache. The product `q kᵀ` reads q and k and writes the
/// scores; the softmax reads them and writes the weights (twice more of each if the mask
/// is a step of its own, which is not counted); the product with v reads weights and v and
/// writes the context. So: `4 · (2 T D + 2 S D + 4 T S)` bytes.
///
/// Source: Dao et al. 2022, "FlashAttention", arXiv 2205.14135, algorithm 0 and theorem 2.
///
/// # Panics
///
/// If there are more bytes than a `usize` can count.
///
/// ```
/// use attention::naive_bytes;
///
/// assert_eq!(naive_bytes(2, 3, 5), 4 * (2 * 2 * 5 + 2 * 3 * 5 + 4 * 2 * 3));
/// ```
#[track_caller]
pub fn naive_bytes(queries: usize, keys: usize, width: usize) -> usize {
    let [t, s, d] = [queries, keys, width].map(|length| length as u128);
    let products = [(2, t, d), (2, s, d), (4, t, s)];
    counted("naive_bytes", products, [queries, keys, width])
}

/// `4 · Σ a b c` bytes, if a `usize` can count them.
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

/// The bytes that [`flash_attention`](crate::flash_attention) reads from memory and writes
/// to it with tiles of `tile` x `tile`, for one head, in f32.
///
/// The model: what belongs to one tile of queries stays in a cache, all else does not. So
/// q is read once, the context and one number a query are written once (what rounding takes from
/// that number is not counted), and every visited tile reads its keys and its values. So traffic still grows with T · S: each of a tile's
/// `tile` queries has its share in reading 2 D numbers a key, where [`naive_bytes`] moves 4
/// numbers a score. The ratio of the two is about 2 · tile / D.
///
/// Source: Dao et al. 2022, "FlashAttention", arXiv 2205.14135, theorem 2, for the order
/// of the loops of Dao 2023, arXiv 2307.08691, algorithm 1.
///
/// # Panics
///
/// If the tile is empty, if `causal` and there are not as many queries as keys, or if there
/// are more bytes than a `usize` can count.
///
/// ```
/// use attention::{flash_bytes, naive_bytes};
///
/// let naive = naive_bytes(4096, 4096, 64) as f64;
/// let ratio = |tile| naive / flash_bytes(4096, 4096, 64, tile, false) as f64;
/// assert!((ratio(64) - 2.0).abs() < 0.01); // a low tile saves half only,
/// assert!((ratio(256) - 8.0).abs() < 0.5); // a high one much more
/// ```
#[track_caller]
pub fn flash_bytes(queries: usize, keys: usize, width: usize, tile: usize, causal: bool) -> usize {
    check("flash_bytes", queries, keys, tile, causal);
    let [t, s, d, b] = [queries, keys, width, tile].map(|length| length as u128);
    // With a causal mask, whole tiles of queries read b, 2b, .. keys, and what is left reads all.
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
