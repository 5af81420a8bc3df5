//! Diagnoses of wrong results that match no known mistake of the exercise: how they are related to
//! the right result and the arguments, or nothing if that is uncertain.

use exercises::Verdict;
use exercises::prelude::*;

#[track_caller]
fn assert_says(verdict: &Verdict, part: &str) {
    let says = verdict.diagnosis().unwrap_or("nothing");
    assert!(says.contains(part), "{part}:\n{says}\n{verdict}");
}

/// The right answer to `average_by_loop`.
fn averages(x: &Array2<f32>) -> Array2<f32> {
    let ones = Array2::<f32>::ones((x.nrows(), x.nrows()));
    renormalise(&ones, &causal_mask(x.nrows())).dot(x)
}

#[test]
fn what_was_done_to_a_right_result_is_named() {
    let cases = [
        (check::scores(|q, w| -w.dot(q)), "wrong sign"),
        (check::scores(|q, w| w.dot(q) * 3.0), "3 times"),
        (
            check::scores(|q, w| w.dot(q) / w.nrows() as f32),
            "1 divided by `words.nrows()` times",
        ),
        (
            check::scores(|q, w| w.dot(q) * (q.len() as f32).sqrt()),
            "the square root of `query.len()` times",
        ),
        (check::scores(|q, w| w.dot(q) + 1.0), "too large by 1"),
        (
            check::scores(|q, w| w.dot(q).exp()),
            "an exponential is taken",
        ),
        (
            check::scores(|q, w| w.dot(q).slice(s![..;-1]).to_owned()),
            "reverse order",
        ),
        (
            check::scores(|q, w| {
                let scores = w.dot(q);
                Array1::from_shape_fn(scores.len(), |i| scores[(i + 1) % scores.len()])
            }),
            "one place too far left",
        ),
        (
            check::scores(|q, w| {
                let mut scores = w.dot(q);
                scores[w.nrows() - 1] = 0.0;
                scores
            }),
            "right but the last number",
        ),
        (
            check::weights(|x| softmax(&softmax(&softmax(&x.dot(&x.t()))))),
            "a second softmax was taken, of the weights",
        ),
        (
            check::average_by_loop(|x| softmax(&averages(x))),
            "then a softmax is taken of each row",
        ),
        (
            check::projections(|x, [q, k, v]| (x.dot(q), x.dot(v), x.dot(k))),
            "Result 2 of 3: It is what result number 3 should be",
        ),
    ];
    for (verdict, part) in &cases {
        assert_says(verdict, part);
    }
}

#[test]
fn the_right_result_of_other_arguments_is_named() {
    let cases = [
        (
            check::dot_product(|a, b| {
                a.slice(s![..2.min(a.len())])
                    .dot(&b.slice(s![..2.min(a.len())]))
            }),
            "the first two numbers of `a`",
        ),
        (
            check::cross_attention(|x, y, [q, k, _]| {
                attend(&x.dot(q), &y.dot(k), &y.dot(k), None).context
            }),
            "`w_key` in the place of `w_value`",
        ),
        (
            check::attention(|q, k, v, m| {
                softmax(
                    &((q * (k.nrows() as f64).sqrt()).dot(&k.t()) / (k.ncols() as f64).sqrt() + m),
                )
                .dot(v)
            }),
            "`q` times the square root of `k.nrows()`",
        ),
        (
            check::reach(|tokens, window, layers| tokens.min((layers + 1) * (window - 1) + 1)),
            "`layers` larger by 1",
        ),
    ];
    for (verdict, part) in &cases {
        assert!(!verdict.is_right());
        assert_says(verdict, part);
    }
}

#[test]
fn an_argument_alone_or_a_step_on_the_way_is_named() {
    let cases = [
        (
            check::softmax(|s| s.clone()),
            "`attn_scores` comes back unchanged",
        ),
        (
            check::attention(|q, k, _, _| q.dot(&k.t())),
            "the product of `q` and `k` transposed",
        ),
        (
            check::attention(|q, k, _, _| softmax(&q.dot(&k.t()))),
            "the softmax of each row of the product of `q` and `k` transposed",
        ),
        (
            check::popularity(|w| w.row(w.nrows() - 1).to_owned()),
            "the last row of",
        ),
    ];
    for (verdict, part) in &cases {
        assert_says(verdict, part);
    }
}

#[test]
fn what_has_no_influence_is_named() {
    let cases = [
        (
            check::context(|_, words| words.row(0).to_owned() * words.row(0).sum() + 0.5),
            "`weights` has no influence",
        ),
        (
            check::cross_entropy(|logits, _| logits[[0, 0]].sin() + 0.1),
            "`targets` has no influence",
        ),
        (
            check::adamw_step(|_, _, _, _| (0.25, 0.5, 0.75)),
            "whatever the arguments are",
        ),
    ];
    for (verdict, part) in &cases {
        assert_says(verdict, part);
    }
}

#[test]
fn two_mistakes_at_once_are_named() {
    let verdict = check::multi_head(|q, k, v, _| attend(k, q, v, None).context);
    assert_says(&verdict, "Two things at once");
    assert_says(&verdict, "both the heads and the mask are missing");
    assert_says(&verdict, "`q` and `k` exchanged");
}

#[test]
fn a_length_that_is_written_as_a_number_is_named() {
    let fixed_shape = check::causal_mask(|_| Array2::from_shape_fn((2, 2), |(t, s)| s <= t));
    assert_says(&fixed_shape, "(2, 2) whatever the inputs are");
    let fixed_end = check::dot_product(|a, b| (0..3).map(|i| a[i] * b[i]).sum());
    assert_says(&fixed_end, "first three numbers");
    let too_long = check::softmax(|s| {
        assert!(s[1].is_finite());
        let of = |i: usize| s[i] + s[2];
        let _ = of(0);
        softmax(s)
    });
    assert_says(&too_long, "is a length written as a number?");
}

#[test]
fn tiny_factors_that_differ_are_not_one_factor() {
    // Divided by the exponential of a large product, every number is nearly 0.
    let of_three = check::cosine(|a, b| {
        let dot = |a: &Array1<f32>, b: &Array1<f32>| (0..3).map(|i| a[i] * b[i]).sum::<f32>();
        dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
    });
    let says = of_three.diagnosis().unwrap_or_default();
    assert!(!says.contains("exponential"), "{says}");
}

#[test]
fn of_what_is_wrong_in_no_known_way_nothing_certain_is_said() {
    let verdicts = [
        check::scores(|q, w| {
            w.dot(q) + Array1::from_shape_fn(w.nrows(), |i| (i as f32 * 12.9).sin() + 2.0)
        }),
        check::context(|w, words| {
            w.dot(words) + Array1::from_shape_fn(words.ncols(), |i| (i as f32 * 7.1).cos() * w[0])
        }),
        check::average_by_loop(|x| (averages(x) + 0.3).mapv(f32::sin)),
    ];
    for verdict in &verdicts {
        assert_eq!(verdict.diagnosis(), None, "{verdict}");
    }
}

#[test]
fn a_right_answer_gets_no_diagnosis() {
    assert_eq!(check::scores(|q, w| w.dot(q)).diagnosis(), None);
    let mask = check::causal_mask(|t| Array2::from_shape_fn((t, t), |(t, s)| s <= t));
    assert_eq!(mask.diagnosis(), None);
}
