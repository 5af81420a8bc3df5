//! Every state of a verdict, as text and as HTML.
#![allow(
    clippy::todo,
    reason = "an answer that is not written yet is one of the states"
)]

use exercises::prelude::*;
use exercises::{AnswerState, Verdict};
use std::time::Instant;

/// A right answer to the exercise `softmax`.
fn my_softmax(scores: &Array1<f32>) -> Array1<f32> {
    let largest = scores.fold(f32::NEG_INFINITY, |a, &b| a.max(b));
    let exponentials = (scores - largest).exp();
    &exponentials / exponentials.sum()
}

/// A verdict as text and as HTML.
fn shown(verdict: &Verdict) -> (String, String) {
    (verdict.to_string(), verdict.html())
}

#[track_caller]
fn assert_says(verdict: &Verdict, words: &[&str]) {
    let (text, html) = shown(verdict);
    for word in words {
        assert!(text.contains(word), "{word} in the text:\n{text}");
        assert!(html.contains(word), "{word} in the HTML:\n{html}");
    }
    assert!(!html.contains("<script"), "no output contains script");
}

#[test]
fn a_function_that_is_not_written_is_not_attempted() {
    let verdicts = [
        check::softmax(|_| todo!()),
        check::softmax(|_| unimplemented!("later")),
    ];
    for verdict in verdicts {
        assert_eq!(verdict.state(), AnswerState::NotAttempted);
        assert_says(&verdict, &["NOT ATTEMPTED", "hint::softmax()"]);
        assert!(!verdict.to_string().contains("wrong"), "{verdict}");
    }
}

#[test]
fn a_right_answer_gets_the_explanation_another_way_and_its_name_elsewhere() {
    let verdict = check::softmax(my_softmax);
    assert!(verdict.is_right());
    assert_says(
        &verdict,
        &[
            "RIGHT",
            "Only differences between scores count",
            "torch.softmax",
        ],
    );
    assert_says(
        &verdict,
        &["fn my_softmax(scores: &amp;Array1&lt;f32&gt;)"].map(|_| "fn my_softmax("),
    );
}

#[test]
fn a_wrong_answer_shows_the_numbers_and_three_pictures() {
    let verdict = check::causal_mask(|t| Array2::from_elem((t, t), true));
    assert_eq!(verdict.state(), AnswerState::Wrong);
    assert_says(
        &verdict,
        &[
            "NOT RIGHT YET",
            "nothing is hidden",
            "solution::causal_mask()",
        ],
    );
    assert!(
        verdict
            .to_string()
            .contains("expected [[true, false], [true, true]]"),
        "{verdict}"
    );
    let html = verdict.html();
    for title in ["expected", "yours", "difference"] {
        assert!(html.contains(title), "{title}");
    }
    assert!(html.contains("<img alt="), "{html}");
}

#[test]
fn of_a_large_array_the_first_difference_is_said() {
    let verdict = check::causal_mask(|t| Array2::from_elem((t, t), true));
    let says = "10 of 25 numbers differ, the first at [0, 1]: expected false, yours true";
    assert_says(&verdict, &[says]);
    let verdict = check::causal_mask(|t| {
        Array2::from_shape_fn((t, t), |(i, j)| j <= i || (t, i, j) == (5, 0, 1))
    });
    let says = "1 of 25 numbers differs, the one at [0, 1]: expected false, yours true";
    assert_says(&verdict, &[says]);
}

#[test]
fn a_wrong_shape_is_shown_without_a_difference() {
    let verdict = check::causal_mask(|t| Array2::from_elem((t, t + 1), true));
    assert_says(
        &verdict,
        &["wrong", "The shape is (1, 2), and should be (1, 1)"],
    );
}

#[test]
fn not_a_number_is_named() {
    let verdict = check::weights(|x| x.mapv(|_| f32::NAN).dot(&x.t()));
    assert_says(&verdict, &["NaN"]);
}

#[test]
fn a_panic_is_a_verdict_with_its_message() {
    let verdict = check::softmax(|scores| {
        assert!(scores.len() < 3, "too <long>");
        my_softmax(scores)
    });
    assert_eq!(verdict.state(), AnswerState::Wrong);
    assert_says(&verdict, &["right", "panicked"]);
    let (text, html) = shown(&verdict);
    assert!(text.contains("it panicked: too <long>"), "{text}");
    assert!(html.contains("it panicked: too &lt;long&gt;"), "{html}");
}

#[test]
fn the_message_of_a_panic_is_not_printed() {
    let program = std::env::current_exe().expect("this program");
    let mut command = std::process::Command::new(program);
    command.args([
        "--exact",
        "verdicts::a_panic_is_a_verdict_with_its_message",
        "--nocapture",
    ]);
    let output = command.output().expect("it runs");
    assert!(output.status.success());
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!printed.contains("too <long>"), "{printed}");
}

#[test]
#[expect(clippy::empty_loop, reason = "a learner's mistake")]
fn an_endless_loop_is_stopped_and_the_others_are_tried() {
    let began = Instant::now();
    let verdict = check::softmax(|scores| match scores.len() {
        3 => loop {},
        _ => my_softmax(scores),
    });
    assert_says(&verdict, &["too slow", "it did not end in time", "right"]);
    println!("judged after {:?}", began.elapsed());
}

#[test]
#[expect(
    unconditional_recursion,
    clippy::only_used_in_recursion,
    reason = "a learner's mistake"
)]
fn a_crash_is_a_verdict() {
    fn endless(scores: &Array1<f32>) -> Array1<f32> {
        endless(&(endless(scores) + 1.0))
    }
    assert_says(
        &check::softmax(endless),
        &["crashed", "calls itself without end"],
    );
}

#[test]
fn an_answer_that_ends_its_process_is_told_so() {
    fn leaves(_: &Array1<f32>) -> Array1<f32> {
        std::process::exit(0)
    }
    let verdict = check::softmax(leaves);
    assert_says(&verdict, &["exit(0)", "return the result"]);
    assert!(!verdict.to_string().contains("memory"), "{verdict}");
}

#[test]
fn the_variables_of_the_caller_stay_as_they_are() {
    static CALLS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let verdict = check::softmax(|scores| {
        CALLS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        my_softmax(scores)
    });
    assert!(verdict.is_right());
    assert_eq!(
        CALLS.load(std::sync::atomic::Ordering::Relaxed),
        0,
        "it was called in a copy"
    );
}

#[test]
fn functions_on_all_threads_work_in_a_copy() {
    // Starts the crate's threads in this process; a fork has none of them.
    let x = Array2::<f32>::ones((256, 8));
    assert_eq!(flash_attention(&x, &x, &x, true).context.nrows(), 256);
    let verdict = check::multi_head(|q, k, v, heads| {
        let width = q.ncols() / heads;
        let mut joined = Array2::zeros(v.dim());
        for head in 0..heads {
            let columns = s![.., head * width..(head + 1) * width];
            let [q, k, v] = [q, k, v].map(|x| x.slice(columns).to_owned());
            joined
                .slice_mut(columns)
                .assign(&flash_attention(&q, &k, &v, true).context);
        }
        joined
    });
    assert!(verdict.is_right(), "{verdict}");
}

#[test]
fn what_a_function_prints_is_seen() {
    let program = std::env::current_exe().expect("this program");
    let mut command = std::process::Command::new(program);
    command.args([
        "--exact",
        "verdicts::a_function_that_prints",
        "--ignored",
        "--nocapture",
    ]);
    let output = command.output().expect("it runs");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    // Once per probe, for each of two answers: the calls that diagnose a mistake print nothing.
    assert_eq!(printed.matches("a learner's line").count(), 12, "{printed}");
}

#[test]
#[ignore = "another test runs it"]
fn a_function_that_prints() {
    let verdict = check::softmax(|scores| {
        println!("a learner's line");
        my_softmax(scores)
    });
    assert!(verdict.is_right());
    let wrong = check::softmax(|scores| {
        println!("a learner's line");
        scores.mapv(|score| score.sin() + 2.0)
    });
    assert!(!wrong.is_right());
}

#[test]
fn numbers_that_differ_look_different() {
    let verdicts = [
        check::additive_mask(|mask| mask.mapv(|yes| if yes { 0.00002 } else { f64::NEG_INFINITY })),
        check::masked_weights(|scores, mask| {
            let hidden = Array2::from_shape_fn(scores.dim(), |at| match mask[at] {
                true => scores[at],
                false => f32::NEG_INFINITY,
            });
            softmax(&hidden).mapv(|weight| if weight == 0.0 { 0.00002 } else { weight })
        }),
        check::softmax(|scores| my_softmax(scores) * 1.0002),
        check::split_heads(|x, heads| {
            let shape = (x.nrows(), heads, x.ncols() / heads);
            let split = x.to_shape(shape).unwrap().permuted_axes([1, 0, 2]);
            split.mapv(|one| if one.abs() < 0.2 { one + 0.00004 } else { one })
        }),
    ];
    for verdict in verdicts {
        assert_eq!(verdict.state(), AnswerState::Wrong);
        let text = verdict.to_string();
        for line in text.lines().filter(|line| line.contains("expected ")) {
            let (_, both) = line.split_once("expected ").expect("it was found");
            let (expected, yours) = both.split_once(", yours ").expect("two");
            assert_ne!(expected, yours, "{text}");
        }
        for nothing in ["is 1 times", "large by 0. "] {
            assert!(!text.contains(nothing), "{text}");
        }
    }
}

#[test]
fn a_prediction_has_three_states() {
    let judged = ["?", "step", "journey"].map(predict::attended_most);
    let states = [
        AnswerState::NotAttempted,
        AnswerState::Wrong,
        AnswerState::Right,
    ];
    assert_eq!(judged.each_ref().map(|judged| judged.state()), states);
    for (judged, says) in judged.iter().zip([
        "Not answered yet",
        "Your answer: step. What comes out: journey.",
        "journey",
    ]) {
        assert!(judged.to_string().contains(says), "{judged}");
        assert!(
            judged.html().contains("Which word will have"),
            "{}",
            judged.html()
        );
    }
    let cat = predict::attended_most("cat");
    assert_eq!(cat.state(), AnswerState::NotAttempted);
    let says = cat.to_string();
    assert!(
        says.contains("`cat` is not one of the answers") && says.contains("\"journey\""),
        "{says}"
    );
    assert!(
        predict::kept_weight("many")
            .to_string()
            .contains("`many` is not a number")
    );
    assert!(predict::kept_weight(0.48).is_right());
    assert!(predict::kept_weight("about 0.48").is_right());
    assert!(predict::shifted_scores("stay the same").is_right());
    assert!(predict::kept_weight("0.48").is_right() && predict::kept_weight("48 %").is_right());
}
