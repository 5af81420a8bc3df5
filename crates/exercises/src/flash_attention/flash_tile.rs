//! One tile of flash attention.

use crate::exercise::*;
use crate::flash_attention::LESSON;

type Kept = (Array2<f32>, Array2<f32>, Array2<f32>);
type Tile = fn(&Array2<f32>, &Array2<f32>, (&Array2<f32>, &Array2<f32>, &Array2<f32>)) -> Kept;

/// One tile, with a choice of which of `l` and `o` to correct.
fn tile(
    scores: &Array2<f32>,
    v: &Array2<f32>,
    (m, l, o): (&Array2<f32>, &Array2<f32>, &Array2<f32>),
    (corrects_l, corrects_o): (bool, bool),
) -> Kept {
    let largest = scores.fold_axis(Axis(1), f32::NEG_INFINITY, |a, &b| a.max(b));
    let new_m = Array2::from_shape_fn(m.dim(), |(row, _)| largest[row].max(m[[row, 0]]));
    let factor = (m - &new_m).exp();
    let of = |corrects: bool| {
        if corrects {
            factor.clone()
        } else {
            factor.mapv(|_| 1.0)
        }
    };
    let e = (scores - &new_m).exp();
    let new_l = l * of(corrects_l) + e.sum_axis(Axis(1)).insert_axis(Axis(1));
    let new_o = o * of(corrects_o) + e.dot(v);
    (new_m, new_l, new_o)
}

/// The state `(m, l, o)` after this many keys.
fn before(rows: usize, keys: usize, width: usize) -> Kept {
    let nothing = Array2::from_elem((rows, 1), f32::NEG_INFINITY);
    let (l, o) = (Array2::zeros((rows, 1)), Array2::zeros((rows, width)));
    if keys == 0 {
        return (nothing, l, o);
    }
    let (scores, v) = (matrix(87, rows, keys), matrix(88, keys, width));
    tile(&scores, &v, (&nothing, &l, &o), (true, true))
}

fn probe(f: Tile, keys_before: usize, [rows, keys, width]: [usize; 3]) -> Output {
    let (m, l, o) = before(rows, keys_before, width);
    let (scores, v) = (matrix(89, rows, keys) * 2.0, matrix(90, keys, width));
    f(&scores, &v, (&m, &l, &o)).output()
}

pub(crate) static EXERCISE: Exercise<Tile> = Exercise {
    name: "flash_tile",
    title: "One tile of flash attention",
    lesson: LESSON,
    after: "Tiles",
    task: "A tile of scores, (queries, keys), with the values of its keys arrives. `m` and `l` are \
           columns with one number for each query, `o` has a row for each. Return the three \
           after this tile: find the new maximum of each row, correct the past, add what is new.",
    effort: Effort {
        difficulty: 5,
        minutes: 30,
    },
    without: &[],
    source: include_str!("flash_tile.rs"),
    solution,
    another,
    probes: &[
        Probe {
            what: "the first tile: 1 query, 2 keys, values of one number",
            run: |f| probe(f, 0, [1, 2, 1]),
        },
        Probe {
            what: "the first tile: 3 queries, 5 keys, values of two numbers",
            run: |f| probe(f, 0, [3, 5, 2]),
        },
        Probe {
            what: "a second tile after 4 keys: 1 query, 2 keys",
            run: |f| probe(f, 4, [1, 2, 3]),
        },
        Probe {
            what: "a second tile after 3 keys: 5 queries, 4 keys, values of two numbers",
            run: |f| probe(f, 3, [5, 4, 2]),
        },
    ],
    mutants: &[
        Mutant {
            code: |s, v, kept| tile(s, v, kept, (false, false)),
            says: "The first tile is right, and the second is not: the past was added without a \
                   correction.",
        },
        Mutant {
            code: |s, v, kept| tile(s, v, kept, (true, false)),
            says: "`m` and `l` are right. `o` was not corrected, although it is a sum of the same \
                   terms.",
        },
        Mutant {
            code: |s, v, kept| tile(s, v, kept, (false, true)),
            says: "`m` and `o` are right. `l` was not corrected.",
        },
        Mutant {
            code: |s, v, (m, l, o)| {
                let largest = s.fold(f32::NEG_INFINITY, |a, &b| a.max(b));
                let new_m = m.mapv(|m| m.max(largest));
                let factor = (m - &new_m).exp();
                let e = (s - &new_m).exp();
                let new_l = l * &factor + e.sum_axis(Axis(1)).insert_axis(Axis(1));
                let new_o = o * &factor + e.dot(v);
                (new_m, new_l, new_o)
            },
            says: "All rows have the maximum of the whole tile. That often gives the same end \
                   result; but where a query's scores all lie far below it, every exponential is \
                   0, and 0 / 0 is NaN.",
        },
        Mutant {
            code: |s, v, (_, l, o)| {
                let m = s.fold_axis(Axis(1), f32::NEG_INFINITY, |a, &b| a.max(b));
                let m = m.insert_axis(Axis(1));
                let e = (s - &m).exp();
                (
                    m,
                    l + e.sum_axis(Axis(1)).insert_axis(Axis(1)),
                    o + e.dot(v),
                )
            },
            says: "The maximum is that of this tile alone: what earlier tiles found is forgotten.",
        },
        Mutant {
            code: |s, v, kept| {
                let (m, l, o) = tile(s, v, kept, (true, true));
                let o = &o / &l;
                (m, l, o)
            },
            says: "`m` and `l` are right, but `o` has already been divided. That comes after the \
                   last tile: the next one must still add to the sum.",
        },
        Mutant {
            code: |s, v, (m, l, o)| {
                let largest = s
                    .fold_axis(Axis(1), f32::NEG_INFINITY, |a, &b| a.max(b))
                    .insert_axis(Axis(1));
                let factor = (m - &largest).exp();
                let e = (s - &largest).exp();
                (
                    largest,
                    l * &factor + e.sum_axis(Axis(1)).insert_axis(Axis(1)),
                    o * &factor + e.dot(v),
                )
            },
            says: "The new maximum is that of this tile alone. The sums fit it; but the old \
                   maximum may be larger, and then the exponentials grow.",
        },
        Mutant {
            code: |s, v, (m, l, o)| {
                let (new_m, new_l, new_o) = tile(s, v, (m, l, o), (true, true));
                let _ = new_m;
                (m.clone(), new_l, new_o)
            },
            says: "`l` and `o` are right, but the old maximum was returned.",
        },
        Mutant {
            code: |s, v, (m, l, o)| {
                let largest = s
                    .fold_axis(Axis(1), f32::NEG_INFINITY, |a, &b| a.max(b))
                    .insert_axis(Axis(1));
                let mut new = m.clone();
                new.zip_mut_with(&largest, |a, &b| *a = a.max(b));
                let factor = (&new - m).exp();
                let e = (s - &new).exp();
                (
                    new,
                    l * &factor + e.sum_axis(Axis(1)).insert_axis(Axis(1)),
                    o * &factor + e.dot(v),
                )
            },
            says: "The factor is upside down: the past grows where it should shrink; and in the \
                   first tile 0 times infinity is NaN.",
        },
        Mutant {
            code: |s, v, (m, l, o)| {
                let largest = s
                    .fold_axis(Axis(1), f32::NEG_INFINITY, |a, &b| a.max(b))
                    .insert_axis(Axis(1));
                let mut new = m.clone();
                new.zip_mut_with(&largest, |a, &b| *a = a.max(b));
                let factor = (m - &new).exp();
                let e = s.exp();
                (
                    new,
                    l * &factor + e.sum_axis(Axis(1)).insert_axis(Axis(1)),
                    o * &factor + e.dot(v),
                )
            },
            says: "The past was corrected, but no maximum was subtracted from the scores of this \
                   tile.",
        },
        Mutant {
            code: |s, v, (m, l, o)| {
                let largest = s
                    .fold_axis(Axis(1), f32::NEG_INFINITY, |a, &b| a.max(b))
                    .insert_axis(Axis(1));
                let mut new = m.clone();
                new.zip_mut_with(&largest, |a, &b| *a = a.max(b));
                let _ = (l, o);
                let e = (s - &new).exp();
                (new, e.sum_axis(Axis(1)).insert_axis(Axis(1)), e.dot(v))
            },
            says: "What earlier tiles found is lost: `l` and `o` hold the terms of this tile \
                   alone.",
        },
    ],
    hints: &[
        "It is the same as with one score, a row at a time: maximum, factor, terms.",
        "`attn_scores.fold_axis(Axis(1), f32::NEG_INFINITY, |a, &b| a.max(b))` gives the largest \
         score of each row. The new maximum is the larger of that and the old one.",
        "With `factor = (m - &new_m).exp()` and `e = (attn_scores - &new_m).exp()`: correct `l` \
         and add the sums of the rows of `e`; correct `o` and add `e.dot(values)`.",
    ],
    explanation: "Three small arrays are kept, and the tile of scores is forgotten. That is why the \
                  matrix never has to exist.",
    pytorch: "PyTorch does this inside `F.scaled_dot_product_attention`.",
};

fn solution(
    attn_scores: &Array2<f32>,
    values: &Array2<f32>,
    (m, l, o): (&Array2<f32>, &Array2<f32>, &Array2<f32>),
) -> (Array2<f32>, Array2<f32>, Array2<f32>) {
    let largest = attn_scores.fold_axis(Axis(1), f32::NEG_INFINITY, |a, &b| a.max(b));
    let new_m = Array2::from_shape_fn(m.dim(), |(row, _)| largest[row].max(m[[row, 0]]));
    let factor = (m - &new_m).exp();
    let e = (attn_scores - &new_m).exp();
    let new_l = l * &factor + e.sum_axis(Axis(1)).insert_axis(Axis(1));
    let new_o = o * &factor + e.dot(values);
    (new_m, new_l, new_o)
}

fn another(
    attn_scores: &Array2<f32>,
    values: &Array2<f32>,
    (m, l, o): (&Array2<f32>, &Array2<f32>, &Array2<f32>),
) -> (Array2<f32>, Array2<f32>, Array2<f32>) {
    let (mut m, mut l, mut o) = (m.clone(), l.clone(), o.clone());
    for ((row, key), &score) in attn_scores.indexed_iter() {
        let new_m = m[[row, 0]].max(score);
        let (factor, e) = ((m[[row, 0]] - new_m).exp(), (score - new_m).exp());
        m[[row, 0]] = new_m;
        l[[row, 0]] = l[[row, 0]] * factor + e;
        o.row_mut(row).mapv_inplace(|number| number * factor);
        o.row_mut(row).scaled_add(e, &values.row(key));
    }
    (m, l, o)
}
