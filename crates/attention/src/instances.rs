//! Instances of generic functions, compiled here once instead of in every cell that calls them.
//!
//! rustc lets a crate reuse an instance of a generic function that one of its dependencies has
//! compiled, provided the function is never inlined. So the generic functions that cells call are
//! marked `#[inline(never)]`, and this list names the types lessons call them with. Other types
//! work too, but then the cell compiles the function itself, which takes longer.
//!
//! Functions from other crates (ndarray's operators, the standard library's maps) cannot be marked
//! this way; the crate `cell-instances` covers those.

use crate::dot_product::attend::{attend, attend_backward, attend_with_scale};
use crate::dot_product::context::context;
use crate::dot_product::entropy::entropy;
use crate::dot_product::mask::{additive_mask, mask_scores, renormalise};
use crate::dot_product::scores::scores;
use crate::dot_product::softmax::{softmax, softmax_backward, softmax_naive};
use crate::figures::bars::bars;
use crate::figures::graph::graph;
use crate::figures::heatmap::input::HeatmapValue;
use crate::figures::heatmap::{Heatmap, heatmap};
use crate::figures::steps::{Steps, attend_steps};
use crate::numerics::difference::largest_difference;
use crate::numerics::real::{Real, Rows};
use crate::numerics::variance::variance;
use crate::show::attends::attends;
use crate::show::originals::Originals;
use crate::show::shown::Show;
use ndarray::{ArrayRef, Dimension, Ix1, Ix2, Ix3};

/// The address of a function; taking it makes rustc compile that instance.
type Address = *const ();

// `#[used]` keeps the function, and everything it refers to, in the compiled crate.
#[used]
static INSTANCES: fn() -> Vec<Address> = instances;

fn instances() -> Vec<Address> {
    let mut instances = Vec::new();
    instances.extend(of_rows::<f32, Ix1>());
    instances.extend(of_rows::<f32, Ix2>());
    instances.extend(of_rows::<f64, Ix1>());
    instances.extend(of_rows::<f64, Ix2>());
    instances.extend(of_matrices::<f32>());
    instances.extend(of_matrices::<f64>());
    instances.extend(of_any_shape::<f32, Ix1>());
    instances.extend(of_any_shape::<f32, Ix2>());
    instances.extend(of_any_shape::<f32, Ix3>());
    instances.extend(of_any_shape::<f64, Ix1>());
    instances.extend(of_any_shape::<f64, Ix2>());
    instances.extend(heatmaps::<f32>());
    instances.extend(heatmaps::<f64>());
    instances.extend(heatmaps::<bool>());
    instances.extend(with_labels::<&str>());
    instances.extend(with_labels::<String>());
    instances.extend(with_values_and_labels::<f32, &str>());
    instances.extend(with_values_and_labels::<f32, String>());
    instances.extend(with_values_and_labels::<f64, &str>());
    instances.extend(with_values_and_labels::<f64, String>());
    instances
}

fn of_rows<A: Real, D: Rows>() -> [Address; 5] {
    [
        scores::<A, D> as Address,
        softmax::<A, D> as Address,
        softmax_naive::<A, D> as Address,
        softmax_backward::<A, D> as Address,
        context::<A, D> as Address,
    ]
}

fn of_matrices<A: Real>() -> [Address; 8] {
    [
        mask_scores::<A> as Address,
        additive_mask::<A> as Address,
        renormalise::<A> as Address,
        attend::<A> as Address,
        attend_with_scale::<A> as Address,
        attend_backward::<A> as Address,
        entropy::<A> as Address,
        attend_steps::<A> as Address,
    ]
}

fn of_any_shape<A: Real, D: Dimension>() -> [Address; 3]
where
    ArrayRef<A, D>: Show,
{
    [
        largest_difference::<A, D> as Address,
        variance::<A, D> as Address,
        Originals::numbers::<A, D> as Address,
    ]
}

fn heatmaps<A: HeatmapValue>() -> [Address; 2] {
    [heatmap::<A, Ix1> as Address, heatmap::<A, Ix2> as Address]
}

fn with_labels<S: AsRef<str>>() -> [Address; 5] {
    [
        Heatmap::tokens::<S> as Address,
        Heatmap::rows::<S> as Address,
        Heatmap::columns::<S> as Address,
        Steps::tokens::<S> as Address,
        Steps::labels::<S, S> as Address,
    ]
}

fn with_values_and_labels<A: Real, S: AsRef<str>>() -> [Address; 3] {
    [
        bars::<A, S> as Address,
        graph::<A, S, S> as Address,
        attends::<A, S, S> as Address,
    ]
}
