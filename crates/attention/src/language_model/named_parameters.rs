//! Access to a model's parameters by name.

use super::model::LanguageModel;
use super::parameters::Parameter;
use crate::error::Error;
use crate::numerics::shape::{same_shape, shape_text};
use crate::show::shown::Shown;
use ndarray::{Array, Array1, Array2, ArrayD, Dimension};
use std::fmt::Write;

impl LanguageModel {
    /// The parameter with this PyTorch name, in PyTorch's shape.
    ///
    /// PyTorch: `model.state_dict()[name]`
    ///
    /// # Errors
    ///
    /// If the model has no parameter with this name. This is an error rather than a panic because
    /// the model may come from a file, whose content determines the names.
    ///
    /// ```
    /// # use attention::language_model::{Config, LanguageModel, Mixing};
    /// # use attention::rng::torch::Generator;
    /// let config = Config { vocabulary: 5, context: 2, width: 4, mixing: Mixing::None };
    /// let model = LanguageModel::new(config, &mut Generator::manual_seed(1));
    /// assert_eq!(model.parameter("proj.weight")?.shape(), [5, 4]);
    /// # Ok::<(), attention::Error>(())
    /// ```
    pub fn parameter(&self, name: &str) -> Result<ArrayD<f32>, Error> {
        let parameter = self.find(name)?;
        let values = self.parameters[parameter.range.clone()].to_vec();
        Ok(ArrayD::from_shape_vec(parameter.shape.clone(), values)
            .expect("a shape and its numbers"))
    }

    /// The parameter with this PyTorch name as a matrix: (outputs, inputs) of a linear layer.
    ///
    /// PyTorch: `model.state_dict()[name]`
    ///
    /// # Panics
    ///
    /// If the model has no parameter with this name, or if it is not a matrix.
    ///
    /// ```
    /// # use attention::language_model::{Config, LanguageModel, Mixing};
    /// # use attention::rng::torch::Generator;
    /// let config = Config { vocabulary: 5, context: 2, width: 4, mixing: Mixing::None };
    /// let model = LanguageModel::new(config, &mut Generator::manual_seed(1));
    /// assert_eq!(model.matrix("proj.weight").dim(), (5, 4));
    /// ```
    #[track_caller]
    pub fn matrix(&self, name: &str) -> Array2<f32> {
        self.parameter_with_axes("LanguageModel::matrix", name)
    }

    /// The parameter with this PyTorch name as a vector, such as a bias.
    ///
    /// PyTorch: `model.state_dict()[name]`
    ///
    /// # Panics
    ///
    /// If the model has no parameter with this name, or if it is not a vector.
    ///
    /// ```
    /// # use attention::language_model::{Config, LanguageModel, Mixing};
    /// # use attention::rng::torch::Generator;
    /// let config = Config { vocabulary: 5, context: 2, width: 4, mixing: Mixing::None };
    /// let model = LanguageModel::new(config, &mut Generator::manual_seed(1));
    /// assert_eq!(model.vector("proj.bias").len(), 5);
    /// ```
    #[track_caller]
    pub fn vector(&self, name: &str) -> Array1<f32> {
        self.parameter_with_axes("LanguageModel::vector", name)
    }

    #[track_caller]
    fn parameter_with_axes<D: Dimension>(&self, function: &str, name: &str) -> Array<f32, D> {
        let parameter = match self.parameter(name) {
            Ok(parameter) => parameter,
            Err(error) => panic!("{function}: {error}"),
        };
        let shape = shape_text(parameter.shape());
        match parameter.into_dimensionality() {
            Ok(parameter) => parameter,
            Err(_) => panic!(
                "{function}: {name} is {shape}; take `matrix` for two axes and `vector` for one"
            ),
        }
    }

    /// The names of all parameters, in PyTorch's order.
    ///
    /// PyTorch: `model.state_dict().keys()`
    ///
    /// ```
    /// # use attention::language_model::{Config, LanguageModel, Mixing};
    /// # use attention::rng::torch::Generator;
    /// let config = Config { vocabulary: 5, context: 2, width: 4, mixing: Mixing::None };
    /// let model = LanguageModel::new(config, &mut Generator::manual_seed(1));
    /// assert_eq!(model.parameter_names()[2], "proj.bias");
    /// ```
    pub fn parameter_names(&self) -> Vec<String> {
        let parameters = self.layout.parameters.iter();
        parameters.map(|parameter| parameter.name.clone()).collect()
    }

    /// Replaces the parameter with this name.
    ///
    /// PyTorch: `model.state_dict()[name].copy_(values)`
    ///
    /// # Errors
    ///
    /// If the model has no parameter with this name, as for [`LanguageModel::parameter`].
    ///
    /// # Panics
    ///
    /// If the parameter has a different shape.
    ///
    /// ```
    /// # use attention::language_model::{Config, LanguageModel, Mixing};
    /// # use attention::rng::torch::Generator;
    /// let config = Config { vocabulary: 5, context: 2, width: 4, mixing: Mixing::None };
    /// let mut model = LanguageModel::new(config, &mut Generator::manual_seed(1));
    /// let zeros = model.parameter("proj.weight")? * 0.0;
    /// model.set_parameter("proj.weight", &zeros)?;
    /// // With weights of 0, the logits are just the bias.
    /// assert_eq!(model.logits(&[0]), model.logits(&[1]));
    /// # Ok::<(), attention::Error>(())
    /// ```
    #[track_caller]
    pub fn set_parameter(&mut self, name: &str, values: &ArrayD<f32>) -> Result<(), Error> {
        let parameter = self.find(name)?;
        same_shape(
            "LanguageModel::set_parameter",
            (name, &parameter.shape),
            ("values", values.shape()),
        );
        let range = parameter.range.clone();
        for (stored, &value) in self.parameters[range].iter_mut().zip(values) {
            *stored = value;
        }
        Ok(())
    }

    /// The names and shapes of all parameters, and their total number.
    ///
    /// PyTorch: `for name, p in model.named_parameters(): print(name, p.shape)`
    ///
    /// ```
    /// # use attention::language_model::{Config, LanguageModel, Mixing};
    /// # use attention::rng::torch::Generator;
    /// let config = Config { vocabulary: 5, context: 2, width: 4, mixing: Mixing::None };
    /// let model = LanguageModel::new(config, &mut Generator::manual_seed(1));
    /// assert!(model.show_parameters().to_string().ends_with("45 numbers"));
    /// ```
    pub fn show_parameters(&self) -> Shown {
        let parameters = &self.layout.parameters;
        let width = parameters
            .iter()
            .map(|parameter| parameter.name.len())
            .max()
            .unwrap_or(0);
        let mut text = String::new();
        for parameter in parameters {
            let shape = shape_text(&parameter.shape);
            writeln!(text, "{:width$}  {shape}", parameter.name)
                .expect("a String takes everything");
        }
        write!(text, "{} numbers", self.count()).expect("a String takes everything");
        Shown::new(text)
    }

    fn find(&self, name: &str) -> Result<&Parameter, Error> {
        let parameters = &self.layout.parameters;
        let found = parameters.iter().find(|parameter| parameter.name == name);
        found.ok_or_else(|| Error::UnknownParameter {
            name: name.to_owned(),
            names: self.parameter_names(),
        })
    }
}
