//! The arguments of a function under test, as numbers, and a way to call it with others.

use crate::output::{Part, ReturnValue, Scalar, part};
use attention::language_model::LanguageModel;
use attention::ndarray::{Array, Dimension, Ix0, IxDyn};
use std::cell::RefCell;
use std::rc::Rc;
use std::vec::IntoIter;

/// A function that changes arguments; returns `None` if they cannot be changed in this way.
pub(crate) type Change = Rc<dyn Fn(&[Part]) -> Option<Vec<Part>>>;

thread_local! {
    /// The arguments of the latest call, before any change.
    static SEEN: RefCell<Vec<Part>> = const { RefCell::new(Vec::new()) };
    static CHANGE: RefCell<Option<Change>> = const { RefCell::new(None) };
}

/// Returns the result of `call`. A function that it calls through `changed_function!` receives the
/// changed arguments.
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

/// The arguments that `call` passes to a function made by `changed_function!`.
pub(crate) fn seen<T>(call: impl FnOnce() -> T) -> Vec<Part> {
    CHANGE.set(None);
    call();
    SEEN.take()
}

/// Records the original arguments, and returns those to pass on: changed, if a change is set.
#[doc(hidden)]
pub fn in_place_of(came: Vec<Part>) -> IntoIter<Part> {
    let given = match CHANGE.with_borrow(Clone::clone) {
        Some(change) => change(&came).expect("arguments that can be changed in this way"),
        None => came.clone(),
    };
    SEEN.set(came);
    given.into_iter()
}

/// A type of argument that an exercise's function may have.
pub trait Argument: Sized {
    /// The argument as numbers: one part for each of its arrays.
    fn parts(&self) -> Vec<Part>;
    /// Makes the argument from numbers. Anything it borrows is leaked, which is acceptable because
    /// this happens only in a forked process or once for each probe.
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
    /// The model passed in. It is passed on unchanged, because other numbers would not make a
    /// model.
    static MODEL: RefCell<Option<LanguageModel>> = const { RefCell::new(None) };
}

/// Represented by a part without numbers, which only keeps the argument's place.
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
numbers_are_arguments!(f32, f64, usize, i32, bool);

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

/// Wraps an answer in a function that calls it with the arguments that `in_place_of` returns.
#[doc(hidden)]
#[macro_export]
macro_rules! changed_function {
    // Gives each argument a name.
    (@ [$($name:ident: $type:ty),*] [$next:ident $($later:ident)*] $first:ty $(, $rest:ty)* => $result:ty) => {
        $crate::changed_function!(@ [$($name: $type,)* $next: $first] [$($later)*] $($rest),* => $result)
    };
    (@ [$($name:ident: $type:ty),*] [$($later:ident)*] => $result:ty) => {
        |answer| {
            thread_local! {
                static ANSWER: ::std::cell::Cell<Option<fn($($type),*) -> $result>> =
                    const { ::std::cell::Cell::new(None) };
            }
            fn with_others($($name: $type),*) -> $result {
                let parts = [$($crate::Argument::parts(&$name)),*].concat();
                let mut parts = $crate::in_place_of(parts);
                $(let $name = $crate::Argument::of(&mut parts);)*
                ANSWER.get().expect("the function that was changed")($($name),*)
            }
            ANSWER.set(Some(answer));
            with_others
        }
    };
    ($($argument:ty),* => $result:ty) => {
        $crate::changed_function!(@ [] [a b c d e f g h] $($argument),* => $result)
    };
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
    use attention::ndarray::{Array2, array};

    #[test]
    fn arguments_are_seen_and_changed() {
        type Dropout = fn(&Array2<f32>, &Array2<bool>, f32) -> Array2<f32>;
        let dropout: Dropout = |w, keep, p| w * &keep.mapv(f32::from) / (1.0 - p);
        let changed: fn(Dropout) -> Dropout =
            crate::changed_function!(&Array2<f32>, &Array2<bool>, f32 => Array2<f32>);
        let call = || changed(dropout)(&array![[0.5, 0.25]], &array![[true, false]], 0.5);
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
