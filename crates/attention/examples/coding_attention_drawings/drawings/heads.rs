//! Several heads: how the columns are split, and joined again.

use super::look::{BOLD, NORMAL, SMALL};
use super::sheet::{CONTEXT, Cell, KEY, PLAIN, Pair, QUERY, Sheet, VALUE, WEIGHT};
use attention::dot_product::{attend, causal_mask};
use attention::figures::scene::Role;
use attention::ndarray::{Array2, Axis, concatenate, s};
use attention::rng::torch::Generator;

/// The side of a cell, and the height of six of them.
const SIDE: i32 = 14;
const HEIGHT: i32 = 6 * SIDE;
/// The upper edges of the two heads.
const HEADS: [i32; 2] = [58, 234];

/// From the inputs through two heads to the output.
pub fn split() -> Sheet {
    let mut sheet = Sheet::new(
        (740, 448),
        "Two heads: split the columns, attend twice, join them again",
        "From left to right. The inputs X, six by three, become Q, K and V, six by four each. \
         Their first two columns go to head 0, their last two to head 1. Each head computes \
         weights of its own, six by six with the future hidden, and from them contexts, six by \
         two. Side by side these are six by four again, and an output projection turns them \
         into the result.",
    );
    let rng = &mut Generator::manual_seed(5);
    let inputs = rng.rand((6, 3));
    matrix(&mut sheet, (24, 182), ("X", "6 × 3"), PLAIN, &inputs);
    let mut projected = Vec::new();
    for (index, (name, role)) in [("Q", QUERY), ("K", KEY), ("V", VALUE)]
        .into_iter()
        .enumerate()
    {
        let numbers = inputs.dot(&(rng.randn((3, 4)) * 2.0));
        let y = 62 + 126 * index as i32;
        let middle = y + HEIGHT / 2;
        sheet.arrow(PLAIN, &[(72, 224), (84, 224), (84, middle), (104, middle)]);
        sheet.text((138, y - 11), BOLD, name);
        for (head, x) in [107, 141].into_iter().enumerate() {
            cells(&mut sheet, (x, y), role, &half(&numbers, head));
        }
        sheet.text((138, y + HEIGHT + 11), SMALL.grey(), "6 × (2 + 2)");
        projected.push(numbers);
    }
    let mut contexts = Vec::new();
    for (head, y) in HEADS.into_iter().enumerate() {
        let from = 224 + if head == 0 { -20 } else { 20 };
        let middle = y + 92;
        sheet.arrow(
            PLAIN,
            &[(176, from), (190, from), (190, middle), (206, middle)],
        );
        contexts.push(one_head(&mut sheet, (210, y), head, &projected));
        let end = 196 + SIDE * if head == 0 { 1 } else { 3 };
        sheet.arrow(
            CONTEXT,
            &[(520, middle), (534, middle), (534, end), (548, end)],
        );
    }
    joined(&mut sheet, &contexts, rng);
    let text = "Each head compares and mixes with two columns of its own, so each can look for something else.";
    sheet.text((370, 430), NORMAL, text);
    sheet
}

/// Draws a head's frame and the steps inside it; returns its contexts.
fn one_head(
    sheet: &mut Sheet,
    (x, y): Pair,
    head: usize,
    projected: &[Array2<f32>],
) -> Array2<f32> {
    let [q, k, v] = [0, 1, 2].map(|index| half(&projected[index], head));
    let attention = attend(&q, &k, &v, Some(&causal_mask(6)));
    sheet.frame((x, y), (308, 160), PLAIN);
    sheet.text((x + 10, y + 16), BOLD.starting(), &format!("head {head}"));
    let top = y + 50;
    let part = |name: &str| format!("{name}_{{{head}}}");
    matrix(sheet, (x + 14, top), (&part("Q"), "6 × 2"), QUERY, &q);
    matrix(sheet, (x + 58, top), (&part("K"), "6 × 2"), KEY, &k);
    sheet.arrow(PLAIN, &[(x + 90, top + 42), (x + 108, top + 42)]);
    causal_weights(sheet, (x + 111, top), head, &attention.weights);
    sheet.text((x + 206, top + 42), NORMAL, "×");
    matrix(sheet, (x + 217, top), (&part("V"), "6 × 2"), VALUE, &v);
    sheet.text((x + 256, top + 42), NORMAL, "=");
    matrix(
        sheet,
        (x + 268, top),
        (&part("Z"), "6 × 2"),
        CONTEXT,
        &attention.context,
    );
    attention.context
}

/// The weights of a head, with the future hatched.
fn causal_weights(sheet: &mut Sheet, (x, y): Pair, head: usize, weights: &Array2<f32>) {
    let middle = x + HEIGHT / 2;
    sheet.text((middle, y - 11), BOLD, &format!("weights {head}"));
    sheet.matrix((x, y), (SIDE, SIDE), weights.dim(), |query, key| {
        if key > query {
            Cell::Hidden("")
        } else {
            Cell::Shade(WEIGHT, weights[[query, key]])
        }
    });
    sheet.text((middle, y + HEIGHT + 11), SMALL.grey(), "6 × 6");
}

/// The contexts side by side, and the output projection.
fn joined(sheet: &mut Sheet, contexts: &[Array2<f32>], rng: &mut Generator) {
    let views: Vec<_> = contexts.iter().map(|context| context.view()).collect();
    let joined = concatenate(Axis(1), &views).expect("equally many rows");
    let output = joined.dot(&rng.randn((4, 4)));
    matrix(sheet, (551, 182), ("joined", "6 × 4"), CONTEXT, &joined);
    sheet.arrow(PLAIN, &[(609, 224), (621, 224)]);
    sheet.boxed((623, 208), (36, 32), PLAIN, &["W_{o}"]);
    sheet.arrow(PLAIN, &[(660, 224), (671, 224)]);
    matrix(sheet, (674, 182), ("output", "6 × 4"), PLAIN, &output);
}

/// The columns of a head.
fn half(numbers: &Array2<f32>, head: usize) -> Array2<f32> {
    numbers.slice(s![.., 2 * head..2 * head + 2]).to_owned()
}

/// A matrix drawn in shades of one colour, with its name above and its shape below.
fn matrix(
    sheet: &mut Sheet,
    (x, y): Pair,
    (name, shape): (&str, &str),
    role: Role,
    numbers: &Array2<f32>,
) {
    let middle = x + SIDE * numbers.ncols() as i32 / 2;
    sheet.text((middle, y - 11), BOLD, name);
    cells(sheet, (x, y), role, numbers);
    sheet.text((middle, y + HEIGHT + 11), SMALL.grey(), shape);
}

/// Draws a matrix in shades that span its range, from the lowest to the highest number.
fn cells(sheet: &mut Sheet, place: Pair, role: Role, numbers: &Array2<f32>) {
    let low = numbers.iter().fold(f32::INFINITY, |a, b| a.min(*b));
    let high = numbers.iter().fold(f32::NEG_INFINITY, |a, b| a.max(*b));
    sheet.matrix(place, (SIDE, SIDE), numbers.dim(), |row, column| {
        Cell::Shade(role, (numbers[[row, column]] - low) / (high - low))
    });
}
