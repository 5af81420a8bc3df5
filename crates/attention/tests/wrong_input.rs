//! What a caller's mistake says: the function, the shapes, and what had to agree.

use attention::ndarray::Array2;
use attention::{attend, causal_mask, context, heatmap, scores};

fn zeros(rows: usize, columns: usize) -> Array2<f32> {
    Array2::zeros((rows, columns))
}

/// The message of the panic that `call` ends with.
#[track_caller]
fn message(call: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let payload = std::panic::catch_unwind(call).expect_err("the call must panic");
    payload
        .downcast_ref::<String>()
        .expect("a formatted message")
        .clone()
}

#[test]
fn scores_of_queries_and_keys_of_different_width() {
    assert_eq!(
        message(|| drop(scores(&zeros(6, 3), &zeros(6, 2)))),
        "scores: q is (6, 3) but k is (6, 2): the last dimensions must agree"
    );
    assert_eq!(
        message(|| drop(scores(&zeros(6, 3).row(0), &zeros(6, 2)))),
        "scores: q is (3,) but k is (6, 2): the last dimensions must agree"
    );
}

#[test]
fn context_of_more_weights_than_values() {
    assert_eq!(
        message(|| drop(context(&zeros(6, 6), &zeros(5, 3)))),
        "context: weights is (6, 6) but v is (5, 3): the last dimension of weights must be the \
         first of v"
    );
}

#[test]
fn attend_names_the_pair_that_does_not_fit() {
    assert_eq!(
        message(|| drop(attend(&zeros(4, 3), &zeros(6, 2), &zeros(6, 5), None))),
        "attend: q is (4, 3) but k is (6, 2): the last dimensions must agree"
    );
    assert_eq!(
        message(|| drop(attend(&zeros(4, 3), &zeros(6, 3), &zeros(5, 5), None))),
        "attend: k is (6, 3) but v is (5, 5): the first dimensions must agree"
    );
    assert_eq!(
        message(|| drop(attend(
            &zeros(4, 3),
            &zeros(6, 3),
            &zeros(6, 5),
            Some(&causal_mask(4))
        ))),
        "attend: mask is (4, 4) but there are 4 queries and 6 keys: it must be (4, 6)"
    );
}

#[test]
fn a_heatmap_without_cells_or_with_too_few_labels() {
    assert_eq!(
        message(|| drop(heatmap(&zeros(0, 3)))),
        "heatmap: the matrix is (0, 3): there is nothing to draw"
    );
    assert_eq!(
        message(|| drop(heatmap(&zeros(2, 3)).tokens(&["a", "b"]))),
        "heatmap: the matrix is (2, 3), so it has 3 columns, but 2 labels were given"
    );
    assert_eq!(
        message(|| drop(heatmap(&zeros(2, 3)).range(1.0, 0.0))),
        "heatmap: the range 1 to 0 is not a range: give the lower number first"
    );
}
