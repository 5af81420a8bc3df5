#![doc = include_str!("../README.md")]

use ndarray::{Array1, Array2, Array3, Axis, s};
use std::any::Any;
use std::collections::HashMap;

/// The type of the variables in the process that runs cells.
type Variables = HashMap<&'static str, Box<dyn Any>>;

/// Instantiates the generic code that cells use for variables and arrays.
pub fn call_what_cells_call() {
    let mut variables = Variables::new();
    keep::<bool>(&mut variables);
    keep::<f32>(&mut variables);
    keep::<f64>(&mut variables);
    keep::<usize>(&mut variables);
    keep::<String>(&mut variables);
    keep::<&'static str>(&mut variables);
    keep::<Vec<f32>>(&mut variables);
    keep::<Vec<usize>>(&mut variables);
    keep::<Vec<String>>(&mut variables);
    keep::<Vec<&'static str>>(&mut variables);
    keep::<Array1<f32>>(&mut variables);
    keep::<Array2<f32>>(&mut variables);
    keep::<Array3<f32>>(&mut variables);
    keep::<Array1<f64>>(&mut variables);
    keep::<Array2<f64>>(&mut variables);
    keep::<Array2<bool>>(&mut variables);
    compute();
}

/// Stores a variable and takes it out again, as a cell does.
fn keep<T: Any + Default + Clone>(variables: &mut Variables) {
    variables.insert("name", Box::new(T::default()));
    if let Some(stored) = variables.remove("name")
        && let Ok(value) = stored.downcast::<T>()
    {
        drop(T::clone(&value));
        drop::<T>(*value);
    }
}

/// Performs the usual operations on vectors and matrices; the results do not matter.
#[expect(clippy::eq_op, reason = "one vector and one matrix are enough")]
fn compute() -> Option<f32> {
    macro_rules! of_widths {
        ($($width:literal),*) => { [$(Array2::from(vec![[1.0_f32; $width]])),*] };
    }
    let [matrix, ..] = of_widths![1, 2, 3, 4, 5, 6, 7, 8];
    let mut vector = Array1::from(vec![1.0_f32]);
    let mut square: Array2<f32> = Array2::zeros((1, 1));
    square = square + Array2::<f32>::ones((1, 1)) + Array2::<f32>::eye(1);
    vector[0] = 1.0;
    square[[0, 0]] = matrix[[0, 0]];
    square.row_mut(0).assign(&vector);

    let vectors = [
        &vector + &vector,
        &vector - &vector,
        &vector * &vector,
        &vector / &vector,
        &vector * 1.0,
        &vector / 1.0,
        vector.dot(&matrix),
        matrix.dot(&vector),
        matrix.row(0).dot(&matrix),
        matrix.row(0).to_owned(),
        matrix.column(0).to_owned(),
        matrix.sum_axis(Axis(0)),
        matrix.sum_axis(Axis(1)),
        matrix.slice(s![0, ..]).to_owned(),
        matrix.slice(s![.., 0]).to_owned(),
        vector.slice(s![..1]).to_owned(),
        vector.mapv(f32::exp),
    ];
    let matrices = [
        &matrix + &matrix,
        &matrix - &matrix,
        &matrix * &matrix,
        &matrix / &matrix,
        &matrix * 1.0,
        &matrix / 1.0,
        &matrix + &vector,
        &matrix * &vector,
        matrix.dot(&matrix),
        matrix.dot(&matrix.t()),
        matrix.t().dot(&matrix),
        matrix.t().to_owned(),
        matrix.slice(s![..1, ..1]).to_owned(),
        matrix.slice(s![.., ..1]).to_owned(),
        matrix.slice(s![..1, ..]).to_owned(),
        matrix.mapv(f32::exp),
        matrix.sum_axis(Axis(1)).insert_axis(Axis(1)),
    ];
    let numbers = [
        vector.dot(&vector),
        matrix.row(0).dot(&vector),
        matrix.row(0).dot(&matrix.row(0)),
        vector.sum(),
        matrix.sum(),
        matrix.row(0).sum(),
        vector.iter().sum(),
        matrix.iter().copied().fold(0.0, f32::max),
        matrix.outer_iter().map(|row| row.sum()).sum(),
        matrix.rows().into_iter().map(|row| row.sum()).sum(),
    ];
    let same = vector == vectors[0] && matrix == matrices[0] && matrix.dim() == square.dim();
    matrix.mean().filter(|_| same).or(numbers.first().copied())
}
