//! `x weightᵀ` for a few rows of x, where reading the weight takes most of the time: it is read
//! once, from the beginning to the end, as it lies in memory.

use crate::numerics::simd::registers;
use pulp::{Simd, WithSimd};

/// Rows of the weight that are read side by side.
const OUTPUTS: usize = 4;

/// Writes `x weightᵀ`, (T, out). `x` is (T, in) and `weight` (out, in), row after row. On the
/// caller's thread.
pub(crate) fn times_transposed(x: &[f32], weight: &[f32], inputs: usize, y: &mut [f32]) {
    let (rows, outputs) = (x.len() / inputs, weight.len() / inputs);
    assert_eq!(y.len(), rows * outputs, "a number for each row and output");
    registers().dispatch(Product {
        x,
        weight,
        inputs,
        outputs,
        y,
    });
}

struct Product<'a> {
    x: &'a [f32],
    weight: &'a [f32],
    inputs: usize,
    outputs: usize,
    y: &'a mut [f32],
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        // So many rows of x that all sums stay in registers, beside four of the weight.
        let most = if S::REGISTER_COUNT >= 32 { 6 } else { 2 };
        let rows = self.x.len() / self.inputs;
        let mut output = 0;
        while output < self.outputs {
            let count = OUTPUTS.min(self.outputs - output);
            let mut row = 0;
            while row < rows {
                // As equal as can be: 13 rows are 5, 4 and 4.
                let blocks = (rows - row).div_ceil(most);
                let height = (rows - row).div_ceil(blocks);
                if count < OUTPUTS {
                    (0..height).for_each(|i| {
                        (0..count).for_each(|j| self.block::<S, 1, 1>(simd, row + i, output + j));
                    });
                } else {
                    match height {
                        6 => self.block::<S, 6, OUTPUTS>(simd, row, output),
                        5 => self.block::<S, 5, OUTPUTS>(simd, row, output),
                        4 => self.block::<S, 4, OUTPUTS>(simd, row, output),
                        3 => self.block::<S, 3, OUTPUTS>(simd, row, output),
                        2 => self.block::<S, 2, OUTPUTS>(simd, row, output),
                        _ => self.block::<S, 1, OUTPUTS>(simd, row, output),
                    }
                }
                row += height;
            }
            output += count;
        }
    }
}

impl Product<'_> {
    /// `R` rows of x with `C` of the weight.
    #[inline(always)]
    fn block<S: Simd, const R: usize, const C: usize>(
        &mut self,
        simd: S,
        row: usize,
        output: usize,
    ) {
        let inputs = self.inputs;
        let x: [_; R] =
            std::array::from_fn(|i| S::as_simd_f32s(&self.x[(row + i) * inputs..][..inputs]));
        let weight: [_; C] = std::array::from_fn(|j| {
            S::as_simd_f32s(&self.weight[(output + j) * inputs..][..inputs])
        });
        let mut sums = [[simd.splat_f32s(0.0); C]; R];
        let registers = inputs / S::F32_LANES;
        let x_registers = x.map(|(registers_of, _)| &registers_of[..registers]);
        let weight_registers = weight.map(|(registers_of, _)| &registers_of[..registers]);
        for p in 0..registers {
            for i in 0..R {
                for j in 0..C {
                    let (x, weight) = (x_registers[i][p], weight_registers[j][p]);
                    sums[i][j] = simd.mul_add_f32s(x, weight, sums[i][j]);
                }
            }
        }
        for i in 0..R {
            for j in 0..C {
                let rest = x[i].1.iter().zip(weight[j].1);
                let rest: f32 = rest.map(|(x, weight)| x * weight).sum();
                self.y[(row + i) * self.outputs + output + j] =
                    simd.reduce_sum_f32s(sums[i][j]) + rest;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_all_small_shapes_are_sums() {
        for rows in 1..=14 {
            for (inputs, outputs) in [(1, 1), (16, 4), (37, 7), (64, 9)] {
                let number = |i: usize| ((i * 7) % 11) as f32 - 5.0;
                let x: Vec<f32> = (0..rows * inputs).map(number).collect();
                let weight: Vec<f32> = (0..outputs * inputs).map(|i| number(i + 3)).collect();
                let mut y = vec![f32::NAN; rows * outputs];
                times_transposed(&x, &weight, inputs, &mut y);
                for (i, y) in y.iter().enumerate() {
                    let (row, output) = (i / outputs, i % outputs);
                    let pairs = x[row * inputs..][..inputs]
                        .iter()
                        .zip(&weight[output * inputs..]);
                    let sum: f32 = pairs.map(|(x, weight)| x * weight).sum();
                    assert_eq!(*y, sum, "{rows} x {inputs} x {outputs}: {row} {output}");
                }
            }
        }
    }
}
