//! Splits a long list of tokens into many short examples for next-token prediction.

use free_memory::assert_fits;
use ndarray::{Array2, s};

/// The inputs and targets in a window of `length` tokens that slides over the text in steps of
/// `stride`.
///
/// `tokens` are the ids of the whole text. Both results are (B, T): B windows of
/// T = `length` tokens; the target is the input shifted by one token. The windows end with
/// the last complete target; a text too short for any window gives B = 0.
///
/// PyTorch: the data set `GPTDatasetV1` in chapter 2 of Raschka, "Build a Large
/// Language Model (From Scratch)"
///
/// # Panics
///
/// If `length` or `stride` is 0, or the windows do not fit into memory.
///
/// ```
/// use attention::text::sliding_windows;
/// use ndarray::array;
///
/// let (inputs, targets) = sliding_windows(&[5, 6, 7, 8, 9], 2, 2);
/// assert_eq!(inputs, array![[5, 6], [7, 8]]);
/// assert_eq!(targets, array![[6, 7], [8, 9]]);
/// ```
#[track_caller]
pub fn sliding_windows(
    tokens: &[usize],
    length: usize,
    stride: usize,
) -> (Array2<usize>, Array2<usize>) {
    assert!(
        length > 0 && stride > 0,
        "sliding_windows: length is {length} and stride is {stride}: both must be at least 1"
    );
    let starts: Vec<usize> = (0..tokens.len().saturating_sub(length))
        .step_by(stride)
        .collect();
    let numbers = [starts.len().max(1), length, 4];
    assert_fits("sliding_windows", &numbers, size_of::<usize>());
    // One more column than the inputs: the target of the last token.
    let windows = Array2::from_shape_fn((starts.len(), length + 1), |(window, position)| {
        tokens[starts[window] + position]
    });
    (
        windows.slice(s![.., ..length]).to_owned(),
        windows.slice(s![.., 1..]).to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_too_short_for_a_target_has_no_window() {
        assert_eq!(sliding_windows(&[1, 2], 2, 1).0.dim(), (0, 2));
        assert_eq!(sliding_windows(&[], 2, 1).0.dim(), (0, 2));
    }

    #[test]
    fn windows_overlap_where_the_stride_is_shorter_than_they_are() {
        let (inputs, targets) = sliding_windows(&[1, 2, 3, 4], 2, 1);
        assert_eq!(inputs, ndarray::array![[1, 2], [2, 3]]);
        assert_eq!(targets, ndarray::array![[2, 3], [3, 4]]);
    }

    #[test]
    #[should_panic(expected = "sliding_windows: length is 4 and stride is 0")]
    fn a_window_must_move() {
        sliding_windows(&[1, 2, 3], 4, 0);
    }
}
