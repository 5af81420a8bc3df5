//! Shows layers, with their parameters by name, and the results of attention.

use crate::dot_product::attend::{Attention, AttentionGradients};
use crate::flash::FlashAttention;
use crate::layers::causal_attention::{CausalAttention, MultiHeadWrapper};
use crate::layers::layer_norm::LayerNorm;
use crate::layers::linear::Linear;
use crate::layers::multi_head_attention::MultiHeadAttention;
use crate::layers::self_attention::{SelfAttentionV1, SelfAttentionV2};
use crate::numerics::shape::shape_text;
use crate::show::shown::{Show, Shown};
use crate::show::table;
use ndarray::{Ix2, Ix3};

/// A parameter or an array of a result: its name, its shape, and its formatted values.
struct Parameter {
    name: String,
    shape: Vec<usize>,
    values: Shown,
}

/// A layer or a result whose arrays have names; a layer's are in PyTorch's order.
trait Named {
    fn named(&self) -> Vec<Parameter>;
}

/// Names the arrays of a layer or of a result.
macro_rules! impl_named_arrays {
    ($($layer:ty: $($name:ident)*;)*) => {$(
        impl Named for $layer {
            fn named(&self) -> Vec<Parameter> {
                vec![$(Parameter {
                    name: stringify!($name).to_owned(),
                    shape: self.$name.shape().to_vec(),
                    values: self.$name.show(),
                }),*]
            }
        }
    )*};
}

/// Names the parameters of the layers inside a layer.
macro_rules! impl_named_layers {
    ($($layer:ident: $($name:ident)*;)*) => {$(
        impl Named for $layer {
            fn named(&self) -> Vec<Parameter> {
                [$(inside(stringify!($name), &self.$name)),*].into_iter().flatten().collect()
            }
        }
    )*};
}

impl_named_arrays! {
    LayerNorm: weight bias;
    SelfAttentionV1: w_query w_key w_value;
}

impl_named_layers! {
    SelfAttentionV2: query key value;
    CausalAttention: query key value;
    MultiHeadAttention: query key value projection;
}

impl Named for Linear {
    fn named(&self) -> Vec<Parameter> {
        let parameter = |name: &str, shape: &[usize], values| Parameter {
            name: name.to_owned(),
            shape: shape.to_vec(),
            values,
        };
        let weight = parameter("weight", self.weight.shape(), self.weight.show());
        let bias = |bias: &ndarray::Array1<f32>| parameter("bias", bias.shape(), bias.show());
        [weight]
            .into_iter()
            .chain(self.bias.as_ref().map(bias))
            .collect()
    }
}

macro_rules! impl_named_results {
    ($($result:ty: $($name:ident)*;)*) => {
        impl_named_arrays! { $($result: $($name)*;)* }
        $(
        /// The arrays by name.
        impl Show for $result {
            fn show(&self) -> Shown {
                shown(self)
            }
        }
    )*};
}

impl_named_results! {
    Attention<f32>: scores weights context;
    Attention<f64>: scores weights context;
    AttentionGradients<f32>: d_weights d_scaled_scores d_q d_k d_v;
    AttentionGradients<f64>: d_weights d_scaled_scores d_q d_k d_v;
    FlashAttention<Ix2>: context log_sum_exp;
    FlashAttention<Ix3>: context log_sum_exp;
}

impl Named for MultiHeadWrapper {
    fn named(&self) -> Vec<Parameter> {
        let heads = self.heads.iter().enumerate();
        heads
            .flat_map(|(index, head)| inside(&format!("heads.{index}"), head))
            .collect()
    }
}

/// The parameters of a layer inside another one, prefixed with the inner layer's name.
fn inside(name: &str, layer: &impl Named) -> Vec<Parameter> {
    let mut parameters = layer.named();
    for parameter in &mut parameters {
        parameter.name = format!("{name}.{}", parameter.name);
    }
    parameters
}

fn shown(layer: &impl Named) -> Shown {
    let parameters = layer.named();
    let texts = parameters
        .iter()
        .map(|one| format!("{}:\n{}", one.name, one.values));
    let row = |one: &Parameter| (one.name.clone(), shape_text(&one.shape), one.values.html());
    let rows: Vec<_> = parameters.iter().map(row).collect();
    let text = texts.collect::<Vec<String>>().join("\n");
    Shown::new(text).with_html(table::of_parameters(&rows))
}

macro_rules! impl_show_layer {
    ($($layer:ident)*) => {$(
        /// The parameters by name.
        ///
        /// PyTorch: `for name, parameter in layer.named_parameters(): print(name, parameter)`
        impl Show for $layer {
            fn show(&self) -> Shown {
                shown(self)
            }
        }
    )*};
}

impl_show_layer! {
    Linear LayerNorm SelfAttentionV1 SelfAttentionV2 CausalAttention MultiHeadWrapper
    MultiHeadAttention
}
