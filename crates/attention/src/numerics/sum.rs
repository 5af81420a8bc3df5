//! Sums that match PyTorch to the last digit.

use ndarray::{ArrayRef, ArrayViewD, Axis, Dimension};

/// Lanes in a PyTorch SIMD vector.
const LANES: usize = 8;
/// Accumulators that PyTorch alternates between.
const STREAMS: usize = 4;
/// Levels of partial sums, which keep the rounding error small.
const LEVELS: usize = 4;

/// The sum of all values, added in PyTorch's order and therefore equal to
/// PyTorch's sum to the last digit.
///
/// `values` has any shape. A sum in f32 depends on its order: ndarray's `values.sum()`
/// uses a different one and may differ in the last digit. PyTorch follows the
/// memory layout, not the indices: a transposed matrix has the same sum as the matrix, but the
/// sum of every second column may differ from the sum of a copy of those columns. This function
/// does the same for transposed, permuted, sliced, stepped and broadcast views.
///
/// PyTorch: `values.sum()` (on x86 CPUs and others with 8-lane vectors, for arrays of up to
/// 32768 values, which PyTorch adds in one thread; an axis that runs backwards, which PyTorch
/// does not have, is summed like the copy that `torch.flip` makes)
///
/// Source in PyTorch: `aten/src/ATen/native/cpu/SumKernel.cpp`, and
/// `aten/src/ATen/TensorIterator.cpp` for the order of the axes
///
/// ```
/// use attention::numerics::torch_sum;
/// use ndarray::array;
///
/// assert_eq!(torch_sum(&array![[1.0, 2.0], [3.0, 4.0]]), 10.0);
/// ```
pub fn torch_sum<D: Dimension>(values: &ArrayRef<f32, D>) -> f32 {
    match values.as_slice() {
        Some(values) => sum_of_row(values, Row::InLanes),
        None => sum_of_view(&values.view().into_dyn()),
    }
}

/// An axis of an array, or several adjacent axes merged into one.
#[derive(Clone, Copy)]
struct Dim {
    length: usize,
    stride: isize,
}

/// How the values of one row are added.
#[derive(Clone, Copy, PartialEq)]
enum Row {
    /// Eight lanes with four streams each; rows shorter than a vector have only the
    /// streams.
    InLanes,
    /// Four streams.
    InStreams,
    /// One value after the other.
    Plain,
}

fn sum_of_view(values: &ArrayViewD<'_, f32>) -> f32 {
    let backwards = |axis| values.len_of(Axis(axis)) > 1 && values.stride_of(Axis(axis)) < 0;
    if values.is_empty() || (0..values.ndim()).any(backwards) {
        let copy: Vec<f32> = values.iter().copied().collect();
        return sum_of_row(&copy, Row::InLanes);
    }
    let (axes, dims) = dims_by_stride(values);
    // ndarray's last axis varies fastest; in PyTorch's loop, the first one does.
    let outermost_first: Vec<usize> = axes.iter().rev().copied().collect();
    let sorted = values.view().permuted_axes(outermost_first);
    let in_order: Vec<f32> = sorted.iter().copied().collect();

    let inner = dims[0];
    let outer = dims.get(1).copied().unwrap_or(Dim {
        length: 1,
        stride: 0,
    });
    let mut sum = 0.0;
    for block in in_order.chunks_exact(inner.length * outer.length) {
        for (number, row) in block.chunks_exact(inner.length).enumerate() {
            sum += sum_of_row(row, kind_of_row(inner, outer, number));
        }
    }
    sum
}

/// The axes from the fastest-varying in memory to the slowest, and the dimensions that remain
/// once adjacent ones are merged.
fn dims_by_stride(values: &ArrayViewD<'_, f32>) -> (Vec<usize>, Vec<Dim>) {
    let dim = |&axis: &usize| Dim {
        length: values.len_of(Axis(axis)),
        stride: values.stride_of(Axis(axis)),
    };
    let mut axes: Vec<usize> = (0..values.ndim()).rev().collect();
    // Insertion sort: an axis of stride 0 compares equal to all and does not stop the search.
    for sorted in 1..axes.len() {
        let mut moving = sorted;
        for index in (0..sorted).rev() {
            let (other, this) = (dim(&axes[index]), dim(&axes[moving]));
            if other.stride == 0 || this.stride == 0 {
                continue;
            }
            if other.stride > this.stride {
                axes.swap(index, moving);
                moving = index;
            } else if other.stride < this.stride {
                break;
            }
        }
    }
    let mut dims: Vec<Dim> = Vec::new();
    for next in axes.iter().map(dim) {
        match dims.last_mut() {
            Some(last) if last.length == 1 => *last = next,
            Some(last) if next.length == 1 || last.spans(next.stride) => last.length *= next.length,
            _ => dims.push(next),
        }
    }
    (axes, dims)
}

impl Dim {
    /// Whether an axis with `stride` continues where this one ends.
    fn spans(self, stride: isize) -> bool {
        self.length as isize * self.stride == stride
    }
}

/// How PyTorch adds the values along `inner`, in the `number`-th row along `outer`.
fn kind_of_row(inner: Dim, outer: Dim, number: usize) -> Row {
    let rows_at_once = if inner.stride == 1 && inner.length >= LANES {
        return Row::InLanes;
    } else if outer.stride == 1 && outer.length >= LANES {
        STREAMS * LANES
    } else if inner.stride < outer.stride {
        return Row::InStreams;
    } else {
        STREAMS
    };
    // Neighbouring rows are added this many at a time, and then need no streams of their own.
    if number < outer.length / rows_at_once * rows_at_once {
        Row::Plain
    } else {
        Row::InStreams
    }
}

fn sum_of_row(row: &[f32], kind: Row) -> f32 {
    match kind {
        Row::Plain => cascade(row.as_chunks::<1>().0)[0],
        Row::InLanes if row.len() >= LANES => {
            let (vectors, rest) = row.as_chunks::<LANES>();
            let lanes = in_streams::<LANES, { LANES * STREAMS }>(vectors);
            let rest = rest.iter().fold(0.0, |sum, value| sum + value);
            lanes.iter().fold(rest, |sum, lane| sum + lane)
        }
        _ => in_streams::<1, STREAMS>(row.as_chunks().0)[0],
    }
}

/// Every fourth vector of `N` values goes to the same stream; at the end the streams, `ALL`
/// values in total, are added up.
fn in_streams<const N: usize, const ALL: usize>(vectors: &[[f32; N]]) -> [f32; N] {
    let (rows, _) = vectors.as_flattened().as_chunks::<ALL>();
    let streams = cascade(rows);
    let (streams, _) = streams.as_chunks::<N>();
    let mut sum = streams[0];
    for vector in &vectors[rows.len() * STREAMS..] {
        add(&mut sum, vector);
    }
    for stream in &streams[1..] {
        add(&mut sum, stream);
    }
    sum
}

/// The sum of rows: after a fixed number of them the lowest level is added to the next one and
/// restarts at 0, like the digits of a counter.
fn cascade<const N: usize>(rows: &[[f32; N]]) -> [f32; N] {
    let digits = rows.len().next_power_of_two().trailing_zeros() as usize;
    let bits = (digits / LEVELS).max(4);
    let step = 1 << bits;
    let mut levels = [[0.0; N]; LEVELS];
    let blocks = rows.chunks_exact(step);
    let rest = blocks.remainder();
    for (block, rows) in blocks.enumerate() {
        rows.iter().for_each(|row| add(&mut levels[0], row));
        let counter = (block + 1) << bits;
        for level in 1..LEVELS {
            let lower = std::mem::replace(&mut levels[level - 1], [0.0; N]);
            add(&mut levels[level], &lower);
            if counter & ((step - 1) << (level * bits)) != 0 {
                break;
            }
        }
    }
    rest.iter().for_each(|row| add(&mut levels[0], row));
    let [mut sum, higher @ ..] = levels;
    higher.iter().for_each(|level| add(&mut sum, level));
    sum
}

fn add<const N: usize>(sum: &mut [f32; N], values: &[f32; N]) {
    for (sum, value) in sum.iter_mut().zip(values) {
        *sum += value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{ArrayD, IxDyn, Slice, s};
    use serde_json::Value;
    use torch_random::{numpy::RandomState, torch::Generator};

    fn golden() -> Value {
        let golden = include_str!("../../tests/golden/sums.json");
        let mut golden: Value = serde_json::from_str(golden).expect("JSON");
        golden["values"].take()
    }

    fn number(value: &Value) -> f32 {
        value.as_f64().expect("a number") as f32
    }

    fn list<T>(value: &Value, each: impl FnMut(&Value) -> T) -> Vec<T> {
        value.as_array().expect("a list").iter().map(each).collect()
    }

    fn index(value: &Value) -> usize {
        value.as_u64().expect("a length") as usize
    }

    fn drawn(seed: u32, shape: &[usize]) -> ArrayD<f32> {
        RandomState::new(seed)
            .randn(shape.iter().product::<usize>())
            .mapv(|value| value as f32)
            .into_shape_with_order(shape)
            .expect("as many values")
    }

    #[test]
    fn sums_have_the_last_digit_of_pytorch() {
        let golden = golden();
        let sums = golden["sum of randn(n), seed n"]
            .as_object()
            .expect("an object");
        assert_eq!(sums.len(), 24);
        for (length, expected) in sums {
            let length: u32 = length.parse().expect("a length");
            let values = drawn(length, &[length as usize]);
            assert_eq!(torch_sum(&values), number(expected), "{length} values");
        }
    }

    #[test]
    fn the_sum_of_a_transposed_matrix_has_the_last_digit_of_pytorch() {
        let values = Generator::manual_seed(1).randn((17, 33));
        let expected = number(&golden()["torch randn((17, 33)).t(), seed 1"]);
        assert_eq!(torch_sum(&values.t()), expected);
    }

    #[test]
    fn sums_of_views_have_the_last_digit_of_pytorch() {
        let golden = golden();
        let cases = golden["views"].as_array().expect("a list");
        assert!(cases.len() > 250, "{} cases", cases.len());
        for case in cases {
            let values = drawn(index(&case["seed"]) as u32, &list(&case["shape"], index));
            let slices = list(&case["slices"], |slice| list(slice, index));
            let sliced = values.slice_each_axis(|axis| {
                let slice = &slices[axis.axis.index()];
                Slice::new(
                    slice[0] as isize,
                    Some(slice[1] as isize),
                    slice[2] as isize,
                )
            });
            let mut view = sliced.permuted_axes(list(&case["axes"], index));
            let inserted = list(&case["inserted"], |inserted| list(inserted, index));
            let mut shape = view.shape().to_vec();
            for inserted in &inserted {
                view = view.insert_axis(Axis(inserted[0]));
                shape.insert(inserted[0], inserted[1]);
            }
            let view = view.broadcast(IxDyn(&shape)).expect("axes of length 1");
            assert_eq!(torch_sum(&view), number(&case["sum"]), "{case}");
        }
    }

    #[test]
    fn an_axis_that_runs_backwards_is_summed_as_its_copy() {
        let values = drawn(3, &[17, 33]);
        let flipped = values.slice(s![..;-1, ..]);
        assert_eq!(
            torch_sum(&flipped),
            torch_sum(&flipped.as_standard_layout())
        );
    }

    #[test]
    fn an_axis_of_length_1_has_no_direction() {
        let values = drawn(3, &[17, 33]);
        let mut view = values.t().insert_axis(Axis(0));
        let expected = torch_sum(&view);
        assert_ne!(expected, torch_sum(&view.as_standard_layout()));
        view.invert_axis(Axis(0));
        assert_eq!(torch_sum(&view), expected);
    }
}
