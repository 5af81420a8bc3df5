//! Draws what flash attention holds in fast memory, turn by turn.

use crate::dot_product::mask::{causal_mask, mask_scores};
use crate::dot_product::scores::scores;
use crate::figures::grid::{Grid, grid};
use crate::figures::heatmap::{Heatmap, heatmap};
use crate::figures::matrix_colours::Kind;
use crate::flash::flash_tiles;
use crate::numerics::attend_shapes::check_attend;
use ndarray::{Array2, ArrayRef2, ArrayView2, Axis, s};
use std::ops::Range;

/// A picture of what flash attention with a causal mask holds in fast memory during one turn: a
/// tile of queries, the tiles of keys and values that meet it, their scores, and m, l and o after
/// this turn. Everything else is hatched.
///
/// `q` and `k` are (T, D), `v` is (T, D'), and a tile has `tile` rows. Turns are numbered from 1, in
/// the order of [`flash_tiles`]: row by row, without the tiles that lie entirely in the future.
///
/// The scores are divided by √D. For each query, m is the largest score so far, l the sum so far
/// of `exp(score - m)`, and o the sum so far of the values, weighted by `exp(score - m)`. The
/// colour scale runs from minus to plus the largest absolute value in `q`, `k` and `v`, so that
/// colours mean the same in every turn.
///
/// Source: Dao 2023, "FlashAttention-2", arXiv 2307.08691, algorithm 1.
///
/// # Panics
///
/// For the same reasons as [`attend`](crate::dot_product::attend()) and [`flash_tiles`], or if
/// `turn` is 0 or greater than the number of turns.
///
/// ```
/// use attention::figures::fast_memory;
/// use ndarray::Array2;
///
/// // Scores of 0 and values of 1, so l and o count the keys read so far: 3 and 4 of them.
/// let (zeros, ones) = (Array2::<f32>::zeros((4, 1)), Array2::<f32>::ones((4, 1)));
/// let text = fast_memory(&zeros, &zeros, &ones, 2, 3).text();
/// assert!(text.starts_with("Turn 3: queries 2 and 3, keys 2 and 3"));
/// assert!(text.contains("Heatmap: l\nrows: 2 | 3\n[[3.],\n [4.]]"));
/// ```
#[track_caller]
pub fn fast_memory(
    q: &ArrayRef2<f32>,
    k: &ArrayRef2<f32>,
    v: &ArrayRef2<f32>,
    tile: usize,
    turn: usize,
) -> Grid {
    check_attend("fast_memory", q.shape(), k.shape(), v.shape(), None);
    let tokens = q.nrows();
    let (queries, keys) = tiles_of_turn(flash_tiles(tokens, k.nrows(), tile, true), tile, turn);
    let (queries, keys) = (cut(queries, tokens), cut(keys, tokens));

    let may_look = causal_mask(tokens);
    let scaled = scores(q, k) / (q.ncols() as f32).sqrt();
    let scaled = mask_scores(&scaled, &may_look);
    let so_far = scaled.slice(s![queries.clone(), ..keys.end]);
    let [m, l, o] = kept(so_far, v.slice(s![..keys.end, ..]));

    let limit = largest([q, k, v]);
    let panel = |x: &ArrayRef2<f32>, name: &str| heatmap(x).title(name).range(-limit, limit);
    let held = |x: &ArrayRef2<f32>, rows: &Range<usize>, name: &str, kind| {
        let mut here = Array2::from_elem(x.dim(), false);
        here.slice_mut(s![rows.clone(), ..]).fill(true);
        panel(x, name).mask(&here).kind(kind)
    };
    let labels: Vec<String> = queries.clone().map(|query| query.to_string()).collect();
    let beside = |x, name| panel(x, name).rows(&labels).kind(Kind::Context);
    let mut here = Array2::from_elem(scaled.dim(), false);
    let now = s![queries.clone(), keys.clone()];
    here.slice_mut(now).assign(&may_look.slice(now));
    let panels: [Heatmap; 7] = [
        held(q, &queries, "queries", Kind::Query),
        held(k, &keys, "keys", Kind::Key),
        held(v, &keys, "values", Kind::Value),
        panel(&scaled, "scores").mask(&here).axes("query", "key"),
        beside(&m, "m"),
        beside(&l, "l"),
        beside(&o, "o"),
    ];
    let (queries, keys) = (listed(&queries), listed(&keys));
    grid(&panels).title(&format!("Turn {turn}: queries {queries}, keys {keys}"))
}

/// The rows of the query tile and of the key tile in a turn.
#[track_caller]
fn tiles_of_turn(tiles: Array2<f32>, tile: usize, turn: usize) -> (Range<usize>, Range<usize>) {
    let visited = tiles.indexed_iter().filter(|(_, visited)| **visited > 0.0);
    let visited: Vec<(usize, usize)> = visited.map(|(place, _)| place).collect();
    assert!(
        (1..=visited.len()).contains(&turn),
        "fast_memory: there is no turn {turn}: with these tiles, turns count from 1 to {}",
        visited.len(),
    );
    let (row, column) = visited[turn - 1];
    let rows = |index: usize| index * tile..(index + 1) * tile;
    (rows(row), rows(column))
}

/// m, l and o for queries with these scores for the keys read so far.
fn kept(scores: ArrayView2<f32>, values: ArrayView2<f32>) -> [Array2<f32>; 3] {
    let m = scores.map_axis(Axis(1), |row| row.fold(f32::NEG_INFINITY, |m, s| m.max(*s)));
    let m = m.insert_axis(Axis(1));
    let exponentials = (&scores - &m).exp();
    let l = exponentials.sum_axis(Axis(1)).insert_axis(Axis(1));
    let o = exponentials.dot(&values);
    [m, l, o]
}

/// The rows of a tile, without those beyond the last token.
fn cut(rows: Range<usize>, tokens: usize) -> Range<usize> {
    rows.start..rows.end.min(tokens)
}

fn largest(arrays: [&ArrayRef2<f32>; 3]) -> f64 {
    let finite = arrays.into_iter().flatten().filter(|x| x.is_finite());
    f64::from(finite.fold(f32::MIN_POSITIVE, |most, x| most.max(x.abs())))
}

fn listed(rows: &Range<usize>) -> String {
    let last = rows.end - 1;
    match rows.len() {
        1 => last.to_string(),
        2 => format!("{} and {last}", rows.start),
        _ => format!("{} to {last}", rows.start),
    }
}

#[cfg(test)]
mod tests {
    use super::{fast_memory, kept};
    use crate::dot_product::softmax;
    use crate::numerics::difference::largest_difference;
    use ndarray::{Array2, array};

    #[test]
    fn o_divided_by_l_is_the_context_of_the_keys_read_so_far() {
        let scores = array![[1.0_f32, 3.0, f32::NEG_INFINITY], [-2.0, 0.5, 90.0]];
        let values = array![[1.0_f32, 2.0], [3.0, -1.0], [5.0, 0.0]];
        let [m, l, o] = kept(scores.view(), values.view());
        assert_eq!(m, array![[3.0], [90.0]]);
        let context = softmax(&scores).dot(&values);
        assert!(largest_difference(&(o / l), &context) < 1e-6);
    }

    #[test]
    fn the_last_tile_is_smaller_if_the_tokens_do_not_fill_it() {
        let x = Array2::<f32>::ones((5, 1));
        let text = |turn| fast_memory(&x, &x, &x, 3, turn).text();
        assert!(text(1).starts_with("Turn 1: queries 0 to 2, keys 0 to 2"));
        assert!(text(2).starts_with("Turn 2: queries 3 and 4, keys 0 to 2"));
        assert!(text(3).starts_with("Turn 3: queries 3 and 4, keys 3 and 4"));
    }

    #[test]
    #[should_panic(expected = "there is no turn 4: with these tiles, turns count from 1 to 3")]
    fn a_turn_that_does_not_exist_is_refused() {
        let x = Array2::<f32>::ones((4, 1));
        fast_memory(&x, &x, &x, 2, 4);
    }
}
