//! Formats numbers as PyTorch prints f32 and NumPy prints f64.
//!
//! Both choose one format for a whole array: no decimals if all values are integers, otherwise four
//! decimals (PyTorch) or up to eight (NumPy), or scientific notation if the values are very large
//! or small, or span more than three orders of magnitude. Sources: PyTorch, `torch/_tensor_str.py`;
//! NumPy, `numpy/_core/arrayprint.py`.

/// An element type of arrays that can be shown.
pub(crate) trait Element: Copy {
    const NAME: &str;

    /// All values in one common format, not yet padded to a common width.
    fn texts(values: &[Self]) -> Vec<String>;
}

impl Element for f32 {
    const NAME: &str = "f32";

    fn texts(values: &[f32]) -> Vec<String> {
        let values: Vec<f64> = values.iter().map(|&value| f64::from(value)).collect();
        let form = Form::of(&values);
        let text = |value: f64| match form {
            _ if !value.is_finite() => not_finite(value),
            Form::Whole => format!("{value:.0}."),
            Form::Fixed => format!("{value:.4}"),
            Form::Powers => power_of_ten(value, 4),
        };
        values.into_iter().map(text).collect()
    }
}

/// An f32 that is never written in scientific notation.
#[derive(Clone, Copy)]
pub(crate) struct Decimal(pub(crate) f32);

impl Element for Decimal {
    const NAME: &str = f32::NAME;

    fn texts(values: &[Decimal]) -> Vec<String> {
        let text = |value: f32| match value.is_finite() {
            true => format!("{value:.4}"),
            false => not_finite(value.into()),
        };
        values.iter().map(|value| text(value.0)).collect()
    }
}

impl Element for f64 {
    const NAME: &str = "f64";

    fn texts(values: &[f64]) -> Vec<String> {
        let finite = || values.iter().copied().filter(|value| value.is_finite());
        let form = Form::of(values);
        // As many decimals as any of the values needs, up to eight.
        let decimals = finite()
            .map(|value| needed_decimals(value, form))
            .max()
            .unwrap_or(0);
        let text = |value: f64| match form {
            _ if !value.is_finite() => not_finite(value),
            Form::Powers => power_of_ten(value, decimals),
            Form::Whole | Form::Fixed => {
                // Shorter numbers are padded, so that the decimal points align.
                let needed = needed_decimals(value, form);
                let point = if needed == 0 { "." } else { "" };
                format!("{value:.needed$}{point}{:1$}", "", decimals - needed)
            }
        };
        values.iter().map(|&value| text(value)).collect()
    }
}

/// How many of eight decimals remain once trailing zeros are removed.
fn needed_decimals(value: f64, form: Form) -> usize {
    let text = match form {
        Form::Powers => format!("{value:.8e}"),
        Form::Whole | Form::Fixed => format!("{value:.8}"),
    };
    let digits = text.split('e').next().unwrap_or(&text);
    let decimals = digits.split_once('.').map_or("", |(_, decimals)| decimals);
    decimals.trim_end_matches('0').len()
}

/// The format shared by all floats of an array.
#[derive(Clone, Copy)]
enum Form {
    Whole,
    Fixed,
    Powers,
}

impl Form {
    fn of(values: &[f64]) -> Form {
        let sizes = || {
            values
                .iter()
                .map(|v| v.abs())
                .filter(|v| v.is_finite() && *v != 0.0)
        };
        let min = sizes().fold(f64::INFINITY, f64::min);
        let max = sizes().fold(0.0, f64::max);
        let whole = sizes().all(|size| size == size.trunc());
        if max == 0.0 {
            Form::Whole
        } else if max / min > 1000.0 || max > 1e8 || (!whole && min < 1e-4) {
            Form::Powers
        } else if whole {
            Form::Whole
        } else {
            Form::Fixed
        }
    }
}

fn not_finite(value: f64) -> String {
    match value {
        f64::INFINITY => "inf".to_owned(),
        f64::NEG_INFINITY => "-inf".to_owned(),
        _ => "nan".to_owned(),
    }
}

/// `1.0000e-05`: Python writes the exponent with a sign and at least two digits.
fn power_of_ten(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = if decimals == 0 {
        format!("{digits}.")
    } else {
        digits.to_owned()
    };
    match exponent.strip_prefix('-') {
        Some(exponent) => format!("{digits}e-{exponent:0>2}"),
        None => format!("{digits}e+{exponent:0>2}"),
    }
}

macro_rules! impl_exact_element {
    ($($type:ident)*) => {$(
        impl Element for $type {
            const NAME: &str = stringify!($type);

            fn texts(values: &[$type]) -> Vec<String> {
                values.iter().map(ToString::to_string).collect()
            }
        }
    )*};
}

impl_exact_element!(bool i32 i64 u32 u64 usize);
