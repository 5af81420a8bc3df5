//! A block of a transformer: two steps, each of which adds something to the residual stream.

use super::look::{NORMAL, SMALL};
use super::sheet::{CONTEXT, Cell, INK, PLAIN, Pair, Sheet, VALUE, WEIGHT};

/// The height at which the residual stream runs, and that of the two branches.
const STREAM: i32 = 208;
const BRANCH: i32 = 108;

/// Four tokens of three numbers each; the larger `strength`, the more has been added to them.
fn vectors(sheet: &mut Sheet, x: i32, name: &str, strength: f32) {
    sheet.text((x + 27, STREAM - 46), SMALL, name);
    sheet.matrix((x, STREAM - 32), (18, 16), (4, 3), |row, column| {
        let shade = ((5 * row + 3 * column) % 7) as f32 / 7.0;
        Cell::Shade(CONTEXT, strength * (0.3 + 0.7 * shade))
    });
}

/// A branch that leaves the stream at `from` and is added back to it at `to`. The box for `step`
/// begins at `left`.
fn branch(sheet: &mut Sheet, (from, to): Pair, left: i32, step: &[&str]) {
    sheet.line(INK, &[(from, STREAM), (from, BRANCH)]);
    sheet.arrow(INK, &[(from, BRANCH), (left - 2, BRANCH)]);
    let role = if step[0] == "attention" {
        WEIGHT
    } else {
        VALUE
    };
    let right = to - 14;
    sheet.boxed((left, BRANCH - 30), (right - left, 60), role, step);
    sheet.arrow(INK, &[(right, BRANCH), (to, BRANCH), (to, STREAM - 14)]);
    sheet.boxed((to - 12, STREAM - 12), (24, 24), PLAIN, &["+"]);
}

fn norm(sheet: &mut Sheet, (x, y): Pair) {
    sheet.boxed((x, y - 20), (64, 40), PLAIN, &["norm"]);
}

/// The texts in the boxes of the two steps of a block.
const ATTENTION: [&str; 3] = ["attention", "tokens look at", "each other"];
const FEED_FORWARD: [&str; 3] = ["feed-forward", "each token", "alone"];

/// Norm, attention, add, norm, feed-forward, add.
pub fn residual_stream() -> Sheet {
    let mut sheet = Sheet::new(
        (744, 300),
        "A whole block: two steps, and each only adds",
        "From left to right: the vectors of four tokens come in and run along a straight line, the \
         residual stream, through two plus signs to the vectors that come out. A branch leaves the \
         line, passes a norm and attention, where tokens look at each other, and joins the line \
         at the first plus. A second branch passes a norm and the feed-forward network, which \
         works on each token alone, and joins at the second plus.",
    );
    vectors(&mut sheet, 20, "x comes in", 0.45);
    sheet.arrow(INK, &[(78, STREAM), (352, STREAM)]);
    branch(&mut sheet, (102, 366), 208, &ATTENTION);
    norm(&mut sheet, (122, BRANCH));
    sheet.arrow(INK, &[(378, STREAM), (632, STREAM)]);
    branch(&mut sheet, (396, 646), 502, &FEED_FORWARD);
    norm(&mut sheet, (416, BRANCH));
    sheet.arrow(INK, &[(658, STREAM), (668, STREAM)]);
    vectors(&mut sheet, 670, "x goes on", 1.0);
    sheet.text((234, STREAM + 20), SMALL.grey(), "the residual stream");
    for (y, text) in [
        (
            254,
            "Nothing is replaced: x + attention(norm(x)), then x + feed-forward(norm(x)).",
        ),
        (
            278,
            "Older models, such as BERT, put the norm after each plus instead.",
        ),
    ] {
        sheet.text((372, y), NORMAL, text);
    }
    sheet
}

/// Attention, add, norm, feed-forward, add, norm: the block of BERT and of Marian.
pub fn norms_on_the_line() -> Sheet {
    let mut sheet = Sheet::new(
        (744, 300),
        "The same block with its norms on the line: add, then norm",
        "From left to right: the vectors of four tokens come in and run along a straight line, \
         through a plus sign, a norm, another plus sign and another norm, to the vectors that \
         come out. A branch leaves the line, passes attention, where tokens look at each other, \
         and joins the line at the first plus. A second branch leaves between the first norm and \
         the second plus, passes the feed-forward network, which works on each token alone, and \
         joins at the second plus.",
    );
    vectors(&mut sheet, 20, "x comes in", 0.45);
    sheet.arrow(INK, &[(78, STREAM), (254, STREAM)]);
    branch(&mut sheet, (98, 268), 120, &ATTENTION);
    sheet.arrow(INK, &[(280, STREAM), (288, STREAM)]);
    norm(&mut sheet, (290, STREAM));
    sheet.arrow(INK, &[(354, STREAM), (532, STREAM)]);
    branch(&mut sheet, (376, 546), 398, &FEED_FORWARD);
    sheet.arrow(INK, &[(558, STREAM), (566, STREAM)]);
    norm(&mut sheet, (568, STREAM));
    sheet.arrow(INK, &[(632, STREAM), (668, STREAM)]);
    vectors(&mut sheet, 670, "x goes on", 0.7);
    for (y, text) in [
        (
            254,
            "norm(x + attention(x)), then norm(x + feed-forward(x)).",
        ),
        (
            278,
            "So what comes in does not pass unchanged: each norm gives every vector a new scale.",
        ),
    ] {
        sheet.text((372, y), NORMAL, text);
    }
    sheet
}
