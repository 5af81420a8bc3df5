//! Shared by the tests: golden values, panic messages, and trained models.

pub mod picture;

use attention::ndarray::{Array, Array2, ArrayRef, Axis, Dimension, Ix2, IxDyn};
use serde_json::Value;

/// Part of a golden file.
pub struct Golden(Value);

impl Golden {
    pub fn parse(file: &str) -> Golden {
        Golden(serde_json::from_str(file).expect("the golden file is JSON"))
    }

    /// The part at the end of a path of names, such as `["modules", "123"]`.
    #[track_caller]
    pub fn at(&self, path: &[&str]) -> Golden {
        let mut value = &self.0;
        for name in path {
            value = match name.parse::<usize>() {
                Ok(index) if value.is_array() => &value[index],
                _ => &value[name],
            };
            assert!(!value.is_null(), "the golden file has no {path:?}");
        }
        Golden(value.clone())
    }

    /// The number at the end of a path of names.
    #[track_caller]
    pub fn number(&self, path: &[&str]) -> f64 {
        self.at(path).0.as_f64().expect("a number")
    }

    /// The text at the end of a path of names.
    #[track_caller]
    pub fn text(&self, path: &[&str]) -> String {
        self.at(path).0.as_str().expect("a text").to_owned()
    }

    /// The list of numbers with this name.
    #[track_caller]
    pub fn array_of(&self, name: &str) -> Vec<f64> {
        let list = self.0[name].as_array().expect("a list").iter();
        list.map(|value| value.as_f64().expect("a number"))
            .collect()
    }

    /// The names in this part.
    #[track_caller]
    pub fn names(&self) -> Vec<String> {
        self.0.as_object().expect("names").keys().cloned().collect()
    }

    pub fn len(&self) -> usize {
        self.0.as_array().map_or(0, Vec::len)
    }

    pub fn is_true(&self) -> bool {
        self.0 == true || self.0 == "True"
    }

    /// The numbers exactly as stored.
    #[track_caller]
    pub fn values(&self) -> Vec<f64> {
        let data = self.0["data"].as_array().expect("a list");
        let number = |value: &Value| match value.as_str() {
            Some(infinity) => infinity.parse().expect("an infinity"),
            None => value.as_f64().expect("a number"),
        };
        data.iter().map(number).collect()
    }

    /// The lines exactly as stored.
    #[track_caller]
    pub fn lines(&self) -> Vec<String> {
        let data = self.0["data"].as_array().expect("a list");
        data.iter()
            .map(|line| line.as_str().expect("a text").to_owned())
            .collect()
    }

    /// The values as a matrix of f64.
    #[track_caller]
    pub fn matrix_f64(&self) -> Array2<f64> {
        let shape = &self.0["shape"];
        let length = |axis: usize| shape[axis].as_u64().expect("a length") as usize;
        Array2::from_shape_vec((length(0), length(1)), self.values()).expect("the golden shape")
    }

    /// The value as an array of its stored shape.
    #[track_caller]
    pub fn array(&self) -> Array<f32, IxDyn> {
        let lengths = self.0["shape"].as_array().expect("a list").iter();
        let shape: Vec<usize> = lengths
            .map(|n| n.as_u64().expect("a length") as usize)
            .collect();
        let data = self
            .values()
            .into_iter()
            .map(|value| value as f32)
            .collect();
        Array::from_shape_vec(shape, data).expect("the golden shape")
    }

    #[track_caller]
    pub fn matrix(&self) -> Array2<f32> {
        self.array().into_dimensionality::<Ix2>().expect("two axes")
    }

    /// The matrices of a batch; a single matrix counts as a batch of one.
    #[track_caller]
    pub fn matrices(&self) -> Vec<Array2<f32>> {
        let array = self.array();
        let batch = if array.ndim() == 2 {
            array.insert_axis(Axis(0))
        } else {
            array
        };
        let matrix = |matrix: attention::ndarray::ArrayViewD<f32>| {
            matrix
                .to_owned()
                .into_dimensionality::<Ix2>()
                .expect("two axes")
        };
        batch.outer_iter().map(matrix).collect()
    }
}

/// Fails unless every value is within `tolerance`, relative to the largest
/// expected value.
#[track_caller]
pub fn assert_close<D: Dimension, E: Dimension>(
    name: &str,
    computed: &ArrayRef<f32, D>,
    expected: &ArrayRef<f32, E>,
    tolerance: f32,
) {
    assert_eq!(computed.shape(), expected.shape(), "{name}: shape");
    let largest = expected
        .iter()
        .fold(0.0_f32, |largest, value| largest.max(value.abs()));
    for (index, (computed, expected)) in computed.iter().zip(expected).enumerate() {
        let difference = (computed - expected).abs();
        assert!(
            difference <= tolerance * largest,
            "{name}[{index}]: computed {computed}, PyTorch has {expected}, off by {difference:e}"
        );
    }
}

/// The message of the panic that a call ends with. The call need not be unwind safe, because what
/// it has changed is not used again.
#[track_caller]
pub fn refusal(call: impl FnOnce()) -> String {
    let mut call = Some(call);
    message_of_panic(&mut || call.take().expect("one call")())
}

/// Not generic, because compiling it for each of hundreds of calls would take seconds.
#[track_caller]
fn message_of_panic(call: &mut dyn FnMut()) -> String {
    let call = std::panic::AssertUnwindSafe(call);
    let payload = std::panic::catch_unwind(call).expect_err("the call must panic");
    let literal = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned());
    literal
        .or_else(|| payload.downcast_ref().cloned())
        .expect("a message")
}

/// Returns the trained model. If it could not be loaded, prints that nothing is tested, or fails if
/// `ATTENTION_NOTEBOOKS_MODEL` is set, as in CI.
pub fn trained<M>(loaded: Result<M, attention::Error>) -> Option<M> {
    match loaded {
        Ok(model) => Some(model),
        Err(error) => {
            let required = std::env::var_os("ATTENTION_NOTEBOOKS_MODEL").is_some();
            assert!(!required, "{error}");
            println!("NOT TESTED: {error}");
            None
        }
    }
}
