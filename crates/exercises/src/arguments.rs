//! The arguments of a function under test, as numbers, and a way to call it with others.

use crate::output::{Part, ReturnValue, Scalar, part};
use attention::language_model::LanguageModel;
use attention::ndarray::{Array, Array1, Array2, Array3, Array4, Dimension, Ix0, IxDyn};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::vec::IntoIter;

/// Changes arguments; returns `None` if they cannot be changed in this way.
pub(crate) type Change = Rc<dyn Fn(&[Part]) -> Option<Vec<Part>>>;

thread_local! {
    /// The original arguments.
    static SEEN: RefCell<Vec<Part>> = const { RefCell::new(Vec::new()) };
    /// The change.
    static CHANGE: RefCell<Option<Change>> = const { RefCell::new(None) };
}

/// The type of an exercise's answer.
pub(crate) trait Function: Copy + 'static {
    /// A function that calls this one with changed arguments while [`with_change`] or [`seen`]
    /// runs.
    fn changed(self) -> Self;
}

/// The result of `call` when the [`Function::changed`] in it gets changed arguments.
///
/// # Panics
///
/// If the arguments cannot be changed in this way.
pub(crate) fn with_change<T>(change: &Change, call: impl FnOnce() -> T) -> T {
    CHANGE.set(Some(Rc::clone(change)));
    let made = call();
    CHANGE.set(None);
    made
}

/// The arguments that the [`Function::changed`] in `call` got.
pub(crate) fn seen<T>(call: impl FnOnce() -> T) -> Vec<Part> {
    CHANGE.set(None);
    call();
    SEEN.take()
}

/// The arguments to pass to a function in place of the original ones.
fn in_place_of(came: Vec<Part>) -> IntoIter<Part> {
    let given = match CHANGE.with_borrow(Clone::clone) {
        Some(change) => change(&came).expect("arguments that can be changed in this way"),
        None => came.clone(),
    };
    SEEN.set(came);
    given.into_iter()
}

/// A type of argument that an exercise's function may have.
trait Argument: Sized {
    /// The argument as numbers: one part for each of its arrays.
    fn parts(&self) -> Vec<Part>;
    /// The argument made of numbers. Whatever it borrows is leaked: this happens in a forked
    /// process, or once for each probe.
    fn of(parts: &mut IntoIter<Part>) -> Self;
}

fn array<A: Scalar, D: Dimension>(parts: &mut IntoIter<Part>) -> Array<A, D> {
    let part = parts.next().expect("as many arguments as there were");
    let values = part.values.into_iter().map(A::of).collect();
    Array::from_shape_vec(IxDyn(&part.shape), values)
        .expect("as many numbers as the shape says")
        .into_dimensionality()
        .expect("as many axes as there were")
}

impl<A: Scalar + 'static, D: Dimension + 'static> Argument for &Array<A, D> {
    fn parts(&self) -> Vec<Part> {
        self.output().0
    }

    fn of(parts: &mut IntoIter<Part>) -> Self {
        Box::leak(Box::new(array(parts)))
    }
}

impl Argument for &[usize] {
    fn parts(&self) -> Vec<Part> {
        vec![part(&[self.len()], self.iter().copied())]
    }

    fn of(parts: &mut IntoIter<Part>) -> Self {
        array::<usize, attention::ndarray::Ix1>(parts)
            .to_vec()
            .leak()
    }
}

thread_local! {
    /// The model passed in: it is handed on unchanged, because other numbers would not make a model.
    static MODEL: RefCell<Option<LanguageModel>> = const { RefCell::new(None) };
}

/// A part without numbers, which keeps its place among the others.
impl Argument for &LanguageModel {
    fn parts(&self) -> Vec<Part> {
        MODEL.set(Some((*self).clone()));
        vec![part::<f32>(&[0], std::iter::empty())]
    }

    fn of(parts: &mut IntoIter<Part>) -> Self {
        parts.next();
        let model = MODEL.with_borrow(Clone::clone);
        Box::leak(Box::new(model.expect("a model among the arguments")))
    }
}

macro_rules! numbers_are_arguments {
    ($($number:ty),*) => {
        $(impl Argument for $number {
            fn parts(&self) -> Vec<Part> {
                vec![part(&[], [*self].into_iter())]
            }

            fn of(parts: &mut IntoIter<Part>) -> Self {
                array::<$number, Ix0>(parts).into_scalar()
            }
        })*
    };
}
numbers_are_arguments!(f32, usize, i32);

impl<A: Argument, const N: usize> Argument for [A; N] {
    fn parts(&self) -> Vec<Part> {
        self.iter().flat_map(A::parts).collect()
    }

    fn of(parts: &mut IntoIter<Part>) -> Self {
        [(); N].map(|()| A::of(parts))
    }
}

impl<A: Argument, B: Argument> Argument for (A, B) {
    fn parts(&self) -> Vec<Part> {
        [self.0.parts(), self.1.parts()].concat()
    }

    fn of(parts: &mut IntoIter<Part>) -> Self {
        (A::of(parts), B::of(parts))
    }
}

impl<A: Argument, B: Argument, C: Argument> Argument for (A, B, C) {
    fn parts(&self) -> Vec<Part> {
        [self.0.parts(), self.1.parts(), self.2.parts()].concat()
    }

    fn of(parts: &mut IntoIter<Part>) -> Self {
        (A::of(parts), B::of(parts), C::of(parts))
    }
}

/// Implements [`Function`] for each type of answer.
macro_rules! functions {
    ($(fn($($name:ident: $argument:ty),*) -> $result:ty;)*) => {
        $(impl Function for fn($($argument),*) -> $result {
            fn changed(self) -> Self {
                thread_local! {
                    static ANSWER: Cell<Option<fn($($argument),*) -> $result>> =
                        const { Cell::new(None) };
                }
                fn with_others($($name: $argument),*) -> $result {
                    let mut parts = in_place_of([$($name.parts()),*].concat());
                    $(let $name = Argument::of(&mut parts);)*
                    ANSWER.get().expect("the function that was changed")($($name),*)
                }
                ANSWER.set(Some(self));
                with_others
            }
        })*
    };
}

type Three<A> = (A, A, A);

functions! {
    fn(a: usize) -> Array2<bool>;
    fn(a: usize) -> Array2<f32>;
    fn(a: usize, b: usize) -> usize;
    fn(a: usize, b: usize) -> Array2<bool>;
    fn(a: (f32, f32), b: f32) -> (f32, f32);
    fn(a: f32, b: f32, c: (f32, f32), d: i32) -> Three<f32>;
    fn(a: &[usize], b: usize) -> Array2<f32>;
    fn(a: &[usize], b: &Array2<f32>, c: &Array2<f32>) -> Array2<f32>;
    fn(a: &[usize], b: usize, c: usize) -> (Vec<usize>, Vec<usize>);
    fn(a: &Array1<f32>) -> Array1<f32>;
    fn(a: &Array1<f32>, b: f32) -> usize;
    fn(a: &Array1<f32>, b: usize) -> Array1<f32>;
    fn(a: &Array1<f32>, b: usize, c: f32) -> Array1<f32>;
    fn(a: &Array1<f32>, b: &Array1<f32>) -> f32;
    fn(a: &Array1<f32>, b: &Array1<f32>, c: &Array1<f32>) -> (Array1<f32>, Array1<f32>);
    fn(a: &Array1<f32>, b: &Array2<f32>) -> Array1<f32>;
    fn(a: &Array1<f32>, b: &Array3<f32>) -> Vec<usize>;
    fn(a: &Array2<bool>) -> Array2<f64>;
    fn(a: &Array2<f32>) -> Array2<f32>;
    fn(a: &Array2<f32>, b: usize) -> Array3<f32>;
    fn(a: &Array2<f32>, b: &[usize]) -> f32;
    fn(a: &Array2<f32>, b: &[usize]) -> Array2<f32>;
    fn(a: &Array2<f32>, b: usize) -> f32;
    fn(a: &Array2<f32>, b: &Array2<f32>, c: &Array2<f32>, d: &Array2<f32>, e: &Array2<f32>) -> Array2<f32>;
    fn(a: &Array2<f32>, b: &Array1<f32>) -> Array2<f32>;
    fn(a: &Array2<f32>, b: &Array2<f32>) -> Array2<f32>;
    fn(a: &Array2<f32>, b: &Array2<bool>) -> Array2<f32>;
    fn(a: &Array2<f32>, b: &Array2<bool>, c: f32) -> Array2<f32>;
    fn(a: &Array2<f32>, b: &Array2<f32>, c: &Array2<f32>, d: usize) -> Array2<f32>;
    fn(a: &Array2<f32>, b: &Array2<f32>, c: (&Array2<f32>, &Array2<f32>, &Array2<f32>)) -> Three<Array2<f32>>;
    fn(a: &Array2<f32>, b: [&Array2<f32>; 3]) -> Three<Array2<f32>>;
    fn(a: &Array2<f32>) -> f32;
    fn(a: &Array2<f32>) -> Array1<f32>;
    fn(a: &Array2<f64>) -> Array1<f64>;
    fn(a: &Array2<f64>, b: usize) -> usize;
    fn(a: &Array2<f64>, b: &Array2<bool>) -> Array2<f64>;
    fn(a: &Array2<f64>, b: &Array2<f64>) -> Array2<f64>;
    fn(a: &Array2<f64>, b: &Array2<f64>, c: &Array2<f64>) -> Array2<f64>;
    fn(a: &Array2<f64>, b: &Array2<f64>, c: &Array2<f64>) -> (Array2<f64>, Array2<f64>);
    fn(a: &Array2<f64>, b: &Array2<f64>, c: [&Array2<f64>; 3]) -> Array2<f64>;
    fn(a: &Array2<f64>, b: &Array2<f64>, c: &Array2<f64>, d: &Array2<f64>) -> Array2<f64>;
    fn(a: &Array2<f32>, b: &Array1<f32>, c: &Array1<f32>) -> Array2<f32>;
    fn(a: &Array2<f32>, b: [&Array2<f32>; 2], c: [&Array1<f32>; 2]) -> Array2<f32>;
    fn(a: &LanguageModel, b: usize, c: &Array2<f32>) -> Array2<f32>;
    fn(a: &LanguageModel, b: &[usize]) -> Array2<f32>;
    fn(a: &LanguageModel, b: &[usize], c: usize) -> Vec<usize>;
    fn(a: &Array3<f32>) -> Array2<f32>;
    fn(a: &Array3<f32>, b: usize) -> Array2<f32>;
    fn(a: &Array4<f32>) -> (usize, usize);
}

/// The names of a function's arguments, read from its source; patterns contribute each of their
/// names.
pub(crate) fn names(function: &str) -> Vec<String> {
    let begin = function.find('(').map_or(0, |at| at + 1);
    let end = function.find("->").unwrap_or(function.len());
    let (mut names, mut name, mut depth, mut is_type) = (Vec::new(), String::new(), 0, false);
    for c in function[begin..end.max(begin)].chars() {
        match c {
            '(' | '[' | '<' => depth += 1,
            ')' | ']' | '>' => depth -= 1,
            ':' if depth == 0 => is_type = true,
            _ => {}
        }
        if c.is_alphanumeric() || c == '_' {
            name.push(c);
            continue;
        }
        let ended = std::mem::take(&mut name);
        if !ended.is_empty() && (!is_type || c == ':') && ended != "mut" {
            names.push(ended);
        }
        is_type &= !(c == ',' && depth == 0);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use attention::ndarray::array;

    #[test]
    fn arguments_are_seen_and_changed() {
        type Dropout = fn(&Array2<f32>, &Array2<bool>, f32) -> Array2<f32>;
        let dropout: Dropout = |w, keep, p| w * &keep.mapv(f32::from) / (1.0 - p);
        let call = || dropout.changed()(&array![[0.5, 0.25]], &array![[true, false]], 0.5);
        let parts = seen(call);
        assert_eq!(parts[1].values, [1.0, 0.0]);
        assert!(parts[1].is_yes_or_no && parts[2].shape.is_empty());
        let keeps_all: Change = Rc::new(|parts| {
            let mut parts = parts.to_vec();
            parts[1].values.fill(1.0);
            Some(parts)
        });
        assert_eq!(with_change(&keeps_all, call), array![[1.0, 0.5]]);
        assert_eq!(call(), array![[1.0, 0.0]], "only inside of it");
    }

    #[test]
    fn names_are_those_of_the_text() {
        let text = "fn my_f(x: &Array2<f32>, [w_q, w_k]: [&Array2<f32>; 2], (m, mut l): (f32, f32)) -> f32 {";
        assert_eq!(names(text), ["x", "w_q", "w_k", "m", "l"]);
        assert_eq!(names("fn f(tokens: usize) -> Array2<bool> {"), ["tokens"]);
    }
}
