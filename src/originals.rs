//! The values that the lessons' originals printed, and the Rust code that compares them with a
//! lesson's own results.

use anyhow::{Context, Result, bail};
use notebook_session::Call;
use serde::Deserialize;
use std::collections::HashSet;
use std::fs;
use std::path::Path;

/// The folder next to the lessons with one file per original.
const FOLDER: &str = "originals";

/// The original of one lesson, as `notebooks/originals/generate.py` extracted it from its page. It
/// has only the values of that lesson, since two lessons may follow one original.
#[derive(Deserialize)]
pub struct Original {
    title: String,
    address: String,
    values: Vec<Value>,
    /// The name of the crate that makes the table.
    #[serde(skip)]
    crate_name: String,
}

/// One value of a lesson, and what the original printed for it.
#[derive(Deserialize)]
struct Value {
    lesson: String,
    /// The cell of the lesson that computes it.
    after: String,
    /// The cell of the original.
    cell: String,
    /// The Rust expression that gives the lesson's value.
    value: String,
    #[serde(flatten)]
    printed: Printed,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Printed {
    Numbers {
        shape: Vec<usize>,
        /// In row-major order, with the digits that were printed.
        numbers: String,
        within: f64,
    },
    Text {
        text: String,
    },
}

impl Original {
    /// The original of a lesson, from `folder`, for a table of the crate `crate_name`;
    /// `None` if it has none.
    pub fn of(lesson: &str, folder: &Path, crate_name: &str) -> Result<Option<Original>> {
        let folder = folder.join(FOLDER);
        if !folder.is_dir() {
            return Ok(None);
        }
        for entry in folder.read_dir()? {
            let path = entry?.path();
            if path.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            let text = fs::read_to_string(&path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            let mut original: Original = serde_json::from_str(&text)
                .with_context(|| format!("{} is damaged; get it again with git", path.display()))?;
            original.values.retain(|value| value.lesson == lesson);
            if !original.values.is_empty() {
                crate_name.clone_into(&mut original.crate_name);
                return Ok(Some(original));
            }
        }
        Ok(None)
    }

    /// How many numbers and texts it printed.
    pub fn count(&self) -> usize {
        self.values.iter().map(|value| value.printed.count()).sum()
    }

    /// A cell that fails if a value computed by cell `id` of the lesson differs from what was
    /// printed; `None` if there is none to compare.
    pub fn check_after(&self, id: &str) -> Option<String> {
        let values: Vec<&Value> = self.values.iter().filter(|v| v.after == id).collect();
        (!values.is_empty()).then(|| format!("{}.check();", self.table(&values)))
    }

    /// The values that none of these cells computes.
    pub fn not_after(&self, ids: &HashSet<String>) -> Vec<String> {
        let left = self
            .values
            .iter()
            .filter(|value| !ids.contains(&value.after));
        left.map(|value| format!("`{}` (after {})", value.value, value.after))
            .collect()
    }

    /// A cell that shows the printed values next to the current ones, for the variables that are
    /// defined.
    pub fn table_of(&self, defined: &HashSet<&str>) -> Result<String> {
        let is_there = |value: &&Value| variables(&value.value).all(|name| defined.contains(name));
        let values: Vec<&Value> = self.values.iter().filter(is_there).collect();
        if values.is_empty() {
            bail!(
                "there is nothing to compare yet: run the first cells of the lesson, then `:originals` again"
            );
        }
        Ok(self.table(&values))
    }

    fn table(&self, values: &[&Value]) -> String {
        let crate_name = &self.crate_name;
        let rows: String = values.iter().map(|value| value.row(crate_name)).collect();
        let (title, address) = (&self.title, &self.address);
        format!("{crate_name}::show::originals({title:?}, {address:?}){rows}")
    }
}

impl Value {
    /// The method call that adds this value to the table.
    fn row(&self, crate_name: &str) -> String {
        let (cell, value) = (&self.cell, &self.value);
        match &self.printed {
            Printed::Text { text } => {
                format!("\n    .text({cell:?}, {value:?}, &({value}), {text:?})")
            }
            Printed::Numbers {
                shape,
                numbers,
                within,
            } => {
                let mut numbers = numbers.split(' ');
                let printed = literal(shape, &mut numbers);
                let value_as_array = match shape.is_empty() {
                    true => format!("{crate_name}::ndarray::array![{value}]"),
                    false => value.clone(),
                };
                format!(
                    "\n    .numbers({cell:?}, {value:?}, &({value_as_array}), \
                     &{crate_name}::ndarray::array!{printed}, {within:e})"
                )
            }
        }
    }
}

impl Printed {
    fn count(&self) -> usize {
        match self {
            Printed::Numbers { shape, .. } => shape.iter().product(),
            Printed::Text { .. } => 1,
        }
    }
}

/// The cell that `:originals` expands to: the printed values next to the current ones. The call may
/// name a lesson; by default it means the notebook itself.
pub fn cell(call: &Call<'_>, notebooks: &Path, crate_name: &str) -> Result<String, String> {
    const NAME_IT: &str = "name it, as in `:originals 01_coding_attention`";
    let of_notebook = call.notebook.map(lesson);
    let lesson = match (call.arguments, of_notebook) {
        ("", Some(lesson)) => lesson,
        ("", None) => return Err(format!("which lesson? Jupyter did not say: {NAME_IT}")),
        (named, _) => named.to_owned(),
    };
    let original =
        Original::of(&lesson, notebooks, crate_name).map_err(|error| format!("{error:#}"))?;
    let Some(original) = original else {
        return Err(format!(
            "which lesson? There is no original of one called `{lesson}`; {NAME_IT}"
        ));
    };
    let variables = call.variables.iter();
    let defined = variables.map(|(name, _)| name.as_str()).collect();
    original
        .table_of(&defined)
        .map_err(|error| format!("{error:#}"))
}

/// The name of the lesson that a notebook is, or is a copy of.
pub fn lesson(notebook: &Path) -> String {
    let stem = notebook.file_stem().unwrap_or_default().to_string_lossy();
    // For copies made by JupyterLab: `NAME-Copy1`.
    stem.split("-Copy").next().unwrap_or_default().to_owned()
}

/// The array as a Rust literal; a single number becomes an array of length one.
fn literal<'a>(shape: &[usize], numbers: &mut impl Iterator<Item = &'a str>) -> String {
    match shape {
        [] => literal(&[1], numbers),
        [length] => {
            let row: Vec<String> = numbers.take(*length).map(float).collect();
            format!("[{}]", row.join(", "))
        }
        [length, inner @ ..] => {
            let rows: Vec<String> = (0..*length).map(|_| literal(inner, numbers)).collect();
            format!("[{}]", rows.join(", "))
        }
    }
}

/// A printed number as a literal that can be f32 or f64.
fn float(printed: &str) -> String {
    match printed {
        "inf" => "1.0 / 0.0".to_owned(),
        "-inf" => "-1.0 / 0.0".to_owned(),
        number if number.ends_with('.') => format!("{number}0"),
        number if number.contains(['.', 'e']) => number.to_owned(),
        number => format!("{number}.0"),
    }
}

/// The variables in an expression, excluding functions, macros, paths, fields, types
/// and closure parameters.
fn variables(expression: &str) -> impl Iterator<Item = &str> {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    let quoted = |before: &str| before.matches('"').count() % 2 == 1;
    let words = expression.split(move |character| !is_part(character));
    let place = move |word: &str| word.as_ptr() as usize - expression.as_ptr() as usize;
    let closure: Vec<&str> = expression.split('|').skip(1).step_by(2).collect();
    words.filter(move |word| {
        let (before, after) = (
            &expression[..place(word)],
            &expression[place(word) + word.len()..],
        );
        let is_name = word.starts_with(|first: char| first.is_lowercase());
        let is_called = after.starts_with(['(', '!', ':']);
        let is_within = before.ends_with(['.', ':']) && !before.ends_with("..");
        let is_type = ["as", "f32", "f64", "usize"].contains(word);
        let is_taken = closure
            .iter()
            .any(|taken| taken.trim_start_matches('&') == *word);
        is_name && !is_called && !is_within && !is_type && !is_taken && !quoted(before)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = r#"{ "title": "A \"page\"", "address": "", "values": [
        { "lesson": "01_a", "after": "code-1", "cell": "3", "value": "x",
          "shape": [2, 2], "numbers": "1 -inf 0.50 2e-03", "within": 5e-3 },
        { "lesson": "01_a", "after": "code-1", "cell": "4", "value": "x[[0, 1]]",
          "shape": [], "numbers": "3.", "within": 0.51 },
        { "lesson": "01_a", "after": "code-2", "cell": "5", "value": "word", "text": "a\nb" }
    ] }"#;

    fn page() -> Original {
        let page = serde_json::from_str(PAGE).expect("a page");
        Original {
            crate_name: "toy".to_owned(),
            ..page
        }
    }

    #[test]
    fn numbers_become_an_array_of_their_shape() {
        let cell = page().check_after("code-1").expect("two values");
        let expected = r#"toy::show::originals("A \"page\"", "")
    .numbers("3", "x", &(x), &toy::ndarray::array![[1.0, -1.0 / 0.0], [0.50, 2e-03]], 5e-3)
    .numbers("4", "x[[0, 1]]", &(toy::ndarray::array![x[[0, 1]]]), &toy::ndarray::array![3.0], 5.1e-1).check();"#;
        assert_eq!(cell, expected);
        let text = page().check_after("code-2").expect("a text");
        assert!(
            text.contains(r#".text("5", "word", &(word), "a\nb")"#),
            "{text}"
        );
        assert_eq!(page().check_after("code-3"), None);
    }

    #[test]
    fn a_cell_that_is_gone_is_named() {
        let left = page().not_after(&["code-1".to_owned()].into());
        assert_eq!(left, ["`word` (after code-2)"]);
    }

    #[test]
    fn the_table_has_what_is_defined() {
        let table = page().table_of(&["x", "other"].into()).expect("two values");
        assert!(
            table.contains("\"x\"") && !table.contains("\"word\""),
            "{table}"
        );
        assert!(page().table_of(&HashSet::new()).is_err());
    }

    #[test]
    fn the_variables_of_an_expression_are_found() {
        for (expression, expected) in [
            ("toy::corners(&v1).slice(s![1, ..3, ..])", vec!["v1"]),
            ("query_2.dot(&keys.row(1))", vec!["query_2", "keys"]),
            (
                "Array1::from_iter(x.shape().iter().map(|&n| n as f32))",
                vec!["x"],
            ),
            (
                "attends(&w, &english, &e, \"I\", \"win\")?.to_string()",
                vec!["w", "english", "e"],
            ),
            ("v2.query.weight", vec!["v2"]),
            ("-0.03_f64.ln()", vec![]),
        ] {
            assert_eq!(
                variables(expression).collect::<Vec<_>>(),
                expected,
                "{expression}"
            );
        }
    }

    #[test]
    fn the_lesson_is_the_one_that_is_named_or_the_notebook_itself() {
        let inputs = [("inputs".to_owned(), "Array2<f32>".to_owned())];
        let cell = |arguments, variables, notebook: Option<&str>| {
            let notebook = notebook.map(Path::new);
            let call = Call {
                arguments,
                variables,
                notebook,
            };
            super::cell(&call, Path::new("notebooks"), "toy")
        };
        let lesson = "01_coding_attention";
        for (named, notebook, expected) in [
            ("nowhere", None, "no original of one called `nowhere`"),
            (
                "",
                Some("/a/mine.ipynb"),
                "no original of one called `mine`",
            ),
            ("", None, "Jupyter did not say"),
        ] {
            let error = cell(named, &[], notebook).expect_err("no such lesson");
            assert!(error.contains(expected), "{error}");
            assert!(error.contains(":originals 01_coding_attention"), "{error}");
        }
        let early = cell(lesson, &[], None).expect_err("no variables");
        assert!(early.contains("nothing to compare yet"), "{early}");
        let copy = Some("/a/01_coding_attention-Copy1.ipynb");
        for (named, notebook) in [(lesson, None), ("", copy)] {
            let table = cell(named, &inputs, notebook).expect("inputs");
            assert!(table.contains(r#""inputs""#), "{table}");
        }
    }
}
