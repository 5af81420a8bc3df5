//! Compares the values printed by a lesson's original with those computed here.

use crate::markup::text::escape;
use crate::numerics::real::{Real, widened};
use crate::numerics::shape::shape_text;
use crate::show::shown::Show;
use crate::show::table::TABLE;
use ndarray::{ArrayRef, Dimension};
use notebook::emit;
use std::fmt;

/// Two columns share the page; longer lines are broken, so that both stay in view.
const CELL: &str = "padding:2px 10px;text-align:left;vertical-align:top;width:50%;\
                    white-space:pre-wrap;overflow-wrap:anywhere";

/// A table of values: as printed by an original lesson, and as computed here.
///
/// Made by [`originals`]; leave it as the last expression of a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Originals {
    title: String,
    address: String,
    rows: Vec<Row>,
}

#[derive(Clone, Debug, PartialEq)]
struct Row {
    cell: String,
    value: String,
    printed: String,
    computed: String,
    /// How `printed` and `computed` differ, if they do.
    difference: Option<String>,
}

/// An empty table. `title` is the title of the original, and `address` its web address, which may
/// be empty.
///
/// ```
/// use attention::show::originals;
/// use ndarray::array;
///
/// let computed = array![0.14545013_f32, 0.22783732];
/// let table = originals("Coding Attention Mechanism", "https://example.org")
///     .numbers("28", "divided", &computed, &array![0.1455, 0.2278], 5e-5)
///     .text("20", "word", "journey", "journey");
/// assert_eq!(table.differences(), [""; 0]);
/// ```
pub fn originals(title: &str, address: &str) -> Originals {
    Originals {
        title: title.to_owned(),
        address: address.to_owned(),
        rows: Vec::new(),
    }
}

impl Originals {
    /// Adds numbers of any shape: `computed` here, and `printed` by cell `cell` of the
    /// original. `value` is the expression that computes them. They count as equal if they differ
    /// by at most `within`, usually half a unit of the last printed digit; infinities and NaN must
    /// be at the same indices.
    ///
    /// PyTorch: `torch.allclose(computed, printed, rtol=0, atol=within, equal_nan=True)`
    ///
    /// A different shape counts as a difference.
    #[inline(never)]
    pub fn numbers<A: Real, D: Dimension>(
        mut self,
        cell: &str,
        value: &str,
        computed: &ArrayRef<A, D>,
        printed: &ArrayRef<A, D>,
        within: f64,
    ) -> Originals
    where
        ArrayRef<A, D>: Show,
    {
        let apart = |(index, (&computed, &printed)): (usize, (&f64, &f64))| {
            let same = computed == printed || (computed.is_nan() && printed.is_nan());
            let within = same || (computed - printed).abs() <= within;
            (!within).then(|| format!("value {index} is {computed}, but {printed} was printed"))
        };
        let [ours, theirs] = [computed, printed].map(widened);
        self.rows.push(Row {
            cell: cell.to_owned(),
            value: value.to_owned(),
            printed: printed.show().to_string(),
            computed: computed.show().to_string(),
            difference: match computed.shape() == printed.shape() {
                true => ours.iter().zip(&theirs).enumerate().find_map(apart),
                false => Some(format!(
                    "the shape is {}, but {} was printed",
                    shape_text(computed.shape()),
                    shape_text(printed.shape())
                )),
            },
        });
        self
    }

    /// Adds text: `computed` here, and `printed` by cell `cell` of the original.
    pub fn text(mut self, cell: &str, value: &str, computed: &str, printed: &str) -> Originals {
        let differs = || format!("it is {computed:?}, but {printed:?} was printed");
        self.rows.push(Row {
            cell: cell.to_owned(),
            value: value.to_owned(),
            printed: printed.to_owned(),
            computed: computed.to_owned(),
            difference: (computed != printed).then(differs),
        });
        self
    }

    /// A sentence for each row that differs from what was printed.
    ///
    /// ```
    /// use attention::show::originals;
    /// use ndarray::array;
    ///
    /// let table = originals("A page", "")
    ///     .numbers("3", "x", &array![0.5_f32, 0.25], &array![0.5, 0.375], 5e-4);
    /// assert_eq!(
    ///     table.differences(),
    ///     ["cell 3, `x`: value 1 is 0.25, but 0.375 was printed"],
    /// );
    /// ```
    pub fn differences(&self) -> Vec<String> {
        let sentence = |row: &Row| {
            let difference = row.difference.as_ref()?;
            Some(format!("cell {}, `{}`: {difference}", row.cell, row.value))
        };
        self.rows.iter().filter_map(sentence).collect()
    }

    /// Panics if a row differs from what was printed.
    ///
    /// # Panics
    ///
    /// If a row differs; the message is the title and the sentences of [`Originals::differences`].
    #[track_caller]
    pub fn check(&self) {
        let differences = self.differences();
        assert!(
            differences.is_empty(),
            "{}: {}",
            self.title,
            differences.join("\n")
        );
    }

    /// The table as HTML, in the colours of the page.
    pub fn html(&self) -> String {
        let head = |name| format!("<th style=\"{CELL};opacity:0.7\">{name}</th>");
        let heads: String = HEADS.into_iter().map(head).collect();
        let row = |row: &Row| {
            let cells = [&row.printed, &row.computed]
                .map(|text| format!("<td style=\"{CELL}\">{}</td>", escape(text)));
            format!(
                "<tr><th style=\"{CELL}\" colspan=\"2\">Python cell {}, {}: {}</th></tr><tr>{}</tr>",
                escape(&row.cell),
                escape(&row.value),
                row.verdict(),
                cells.concat()
            )
        };
        let rows: String = self.rows.iter().map(row).collect();
        let link = match self.address.as_str() {
            "" => String::new(),
            address => format!(" (<a href=\"{0}\">{0}</a>)", escape(address)),
        };
        format!(
            "<div><b>{}</b>{link}</div><table style=\"{TABLE};{WIDTH}\">\
             <thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>",
            escape(&self.title)
        )
    }

    /// Shows the table under its cell in a notebook.
    pub fn evcxr_display(&self) {
        emit(&[
            ("text/html", &self.html()),
            ("text/plain", &self.to_string()),
        ]);
    }
}

const HEADS: [&str; 2] = ["the original printed", "here"];
/// The table is as wide as the page, up to a limit that keeps its columns close together.
const WIDTH: &str = "width:100%;max-width:1200px;table-layout:fixed";

impl Row {
    fn verdict(&self) -> &'static str {
        match self.difference {
            None => "the same",
            Some(_) => "differs",
        }
    }
}

impl fmt::Display for Originals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} {}", self.title, self.address)?;
        for row in &self.rows {
            writeln!(
                f,
                "Python cell {}, {}: {}",
                row.cell,
                row.value,
                row.verdict()
            )?;
            writeln!(f, "printed:\n{}\nhere:\n{}", row.printed, row.computed)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn differences(computed: f64, printed: f64) -> usize {
        let table = originals("a page", "");
        let table = table.numbers("1", "x", &array![computed], &array![printed], 5e-5);
        table.differences().len()
    }

    #[test]
    fn infinities_and_nan_must_stand_in_the_same_places() {
        assert_eq!(differences(f64::NEG_INFINITY, f64::NEG_INFINITY), 0);
        assert_eq!(differences(f64::NAN, f64::NAN), 0);
        assert_eq!(differences(f64::NEG_INFINITY, 0.0), 1);
        assert_eq!(differences(f64::NAN, 0.0), 1);
        assert_eq!(differences(0.0, f64::NAN), 1);
    }

    #[test]
    fn another_shape_is_a_difference() {
        let (x, printed) = (array![[1.0_f32, 2.0]], array![[1.0], [2.0]]);
        let table = originals("a page", "").numbers("1", "x", &x, &printed, 0.5);
        let sentence = "cell 1, `x`: the shape is (1, 2), but (2, 1) was printed";
        assert_eq!(table.differences(), [sentence]);
    }

    #[test]
    fn numbers_may_be_half_a_unit_of_the_last_digit_apart() {
        assert_eq!(
            [differences(0.49e-4, 0.0), differences(-0.49e-4, 0.0)],
            [0, 0]
        );
        assert_eq!(
            [differences(0.51e-4, 0.0), differences(-0.51e-4, 0.0)],
            [1, 1]
        );
    }

    #[test]
    #[should_panic(expected = "a page: cell 7, `word`: it is \"a\", but \"b\" was printed")]
    fn a_text_that_differs_is_named() {
        originals("a page", "").text("7", "word", "a", "b").check();
    }

    #[test]
    fn what_stands_in_the_table_is_text_and_no_markup() {
        let table = originals("<b>", "https://example.org/?a=\"").text("<i>", "x", "&", "<u>");
        let html = table.html();
        assert!(!html.contains("<b><b>") && !html.contains("<i>") && !html.contains("<u>"));
        assert!(
            html.contains("&lt;i&gt;") && html.contains("differs"),
            "{html}"
        );
        let text = table.to_string();
        assert!(
            text.contains("Python cell <i>, x: differs\nprinted:\n<u>\nhere:\n&\n"),
            "{text}"
        );
    }
}
