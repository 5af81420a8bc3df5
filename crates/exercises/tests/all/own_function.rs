//! Answers that call a function that the exercise forbids.

use exercises::prelude::*;
use exercises::{AnswerState, Verdict};

fn borrowed() -> [(&'static str, Verdict); 13] {
    [
        ("scores", check::scores(|q, words| scores(q, words))),
        ("softmax", check::softmax(|s| softmax(s))),
        ("softmax", check::weights(|x| softmax(&x.dot(&x.t())))),
        ("context", check::context(|w, words| context(w, words))),
        ("causal_mask", check::causal_mask(causal_mask)),
        (
            "mask_scores",
            check::masked_weights(|s, mask| softmax(&mask_scores(s, mask))),
        ),
        (
            "renormalise",
            check::renormalised(|w, mask| renormalise(w, mask)),
        ),
        (
            "softmax_backward",
            check::softmax_backward(|d, w| softmax_backward(d, w)),
        ),
        ("additive_mask", check::additive_mask(|m| additive_mask(m))),
        (
            "attend",
            check::attention(|q, k, v, mask| {
                attend(q, k, v, Some(&mask.mapv(|added| added == 0.0))).context
            }),
        ),
        (
            "running_average",
            check::average_by_loop(|x| {
                let batch = x.clone().insert_axis(Axis(0));
                running_average(&batch).remove_axis(Axis(0))
            }),
        ),
        (
            "cross_entropy",
            check::cross_entropy(|logits, targets| cross_entropy(logits, targets)),
        ),
        (
            "softmax",
            check::running_context(|s, values| softmax(s).dot(values)),
        ),
    ]
}

#[test]
fn the_crates_own_function_is_not_the_learners() {
    for (name, verdict) in borrowed() {
        assert_eq!(verdict.state(), AnswerState::Wrong, "{verdict}");
        let says = format!("the work was done by the crate's own `{name}`");
        let text = verdict.to_string();
        assert!(text.starts_with("NOT YOUR OWN YET"), "{text}");
        assert!(text.contains(&says), "{name}: {text}");
        assert!(!text.contains("wrong"), "every number is right: {text}");
        assert!(verdict.html().contains("NOT YOUR OWN YET"));
    }
}

#[test]
fn what_is_allowed_or_wrong_is_judged_as_ever() {
    // This task allows `softmax`.
    let right = check::scaled_weights(|q, k| {
        let attn_scores = q.dot(&k.t());
        softmax(&(attn_scores / (k.ncols() as f32).sqrt()))
    });
    assert!(right.is_right(), "{right}");
    let wrong = check::softmax(|s| softmax(&(s * 2.0)));
    assert!(wrong.to_string().starts_with("NOT RIGHT YET"), "{wrong}");
}

#[test]
fn a_task_names_what_its_answer_is_to_do_without() {
    for exercise in exercises::exercises() {
        let verdicts = borrowed();
        let of_this = verdicts.iter().find(|(name, _)| *name == exercise.name());
        if of_this.is_some() {
            let task = exercise.task();
            let forbids = ["Do not use", "not the crate's", "but not its"];
            assert!(forbids.iter().any(|no| task.contains(no)), "{task}");
        }
    }
}
