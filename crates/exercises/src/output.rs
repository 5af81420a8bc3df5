//! The result of a function under test, as numbers, whatever its type.

use attention::ndarray::{Array, Dimension};

/// The result of a function: one array, or one for each element of a tuple.
#[derive(Clone, Debug, PartialEq)]
pub struct Output(pub Vec<Part>);

/// An array; a single number is an array without axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The length of each axis.
    pub shape: Vec<usize>,
    /// The values, row by row.
    pub values: Vec<f64>,
    /// Whether the values are booleans.
    pub is_yes_or_no: bool,
}

/// A type that an exercise's function may return.
pub trait ReturnValue {
    /// The value as numbers.
    fn output(&self) -> Output;
}

/// A type of the elements of arguments and results.
pub trait Scalar: Copy {
    /// Whether the values of this type are booleans.
    const IS_YES_OR_NO: bool = false;
    /// The value as a number; `true` is 1.
    fn number(self) -> f64;
    /// The value that a number stands for.
    fn of(number: f64) -> Self;
}

impl Scalar for f32 {
    fn number(self) -> f64 {
        self.into()
    }

    fn of(number: f64) -> f32 {
        number as f32
    }
}

impl Scalar for f64 {
    fn number(self) -> f64 {
        self
    }

    fn of(number: f64) -> f64 {
        number
    }
}

impl Scalar for usize {
    fn number(self) -> f64 {
        self as f64
    }

    fn of(number: f64) -> usize {
        number as usize
    }
}

impl Scalar for i32 {
    fn number(self) -> f64 {
        self.into()
    }

    fn of(number: f64) -> i32 {
        number as i32
    }
}

impl Scalar for bool {
    const IS_YES_OR_NO: bool = true;
    fn number(self) -> f64 {
        self.into()
    }

    fn of(number: f64) -> bool {
        number == 1.0
    }
}

/// A part with these values, row by row.
pub(crate) fn part<A: Scalar>(shape: &[usize], values: impl Iterator<Item = A>) -> Part {
    Part {
        shape: shape.to_vec(),
        values: values.map(A::number).collect(),
        is_yes_or_no: A::IS_YES_OR_NO,
    }
}

macro_rules! numbers_are_answers {
    ($($number:ty),*) => {
        $(impl ReturnValue for $number {
            fn output(&self) -> Output {
                Output(vec![part(&[], [*self].into_iter())])
            }
        })*
    };
}
numbers_are_answers!(f32, f64, usize, bool);

impl<A: Scalar, D: Dimension> ReturnValue for Array<A, D> {
    fn output(&self) -> Output {
        Output(vec![part(self.shape(), self.iter().copied())])
    }
}

impl<A: Scalar> ReturnValue for Vec<A> {
    fn output(&self) -> Output {
        Output(vec![part(&[self.len()], self.iter().copied())])
    }
}

impl<A: ReturnValue, B: ReturnValue> ReturnValue for (A, B) {
    fn output(&self) -> Output {
        Output([self.0.output().0, self.1.output().0].concat())
    }
}

impl<A: ReturnValue, B: ReturnValue, C: ReturnValue> ReturnValue for (A, B, C) {
    fn output(&self) -> Output {
        Output([self.0.output().0, self.1.output().0, self.2.output().0].concat())
    }
}
