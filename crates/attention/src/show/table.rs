//! Arrays as HTML tables: the same values as in the text, in numbered rows and columns.
//!
//! The tables use only inline styles and no colours, so that they look the same in an untrusted
//! notebook and adopt the colours of its theme.

use crate::markup::text::escape;

/// The style of a cell, with much less space between columns than in Jupyter's own tables.
const CELL: &str = "padding:1px 8px;text-align:right;vertical-align:top;white-space:pre";
const LEFT: &str = "padding:1px 8px;text-align:left;vertical-align:top;white-space:pre";
pub(crate) const TABLE: &str = "margin:0;border-collapse:collapse;font-family:monospace";
/// The style of anything that may be wider than the page.
pub(crate) const SCROLLS: &str = "overflow-x:auto";

/// The indices of an axis that are shown; `None` stands for those omitted.
pub(crate) type VisibleIndices = Vec<Option<usize>>;

/// A table for an array with two or three axes, `None` for others; matrices are placed side by
/// side. `texts` are the visible values in row-major order.
pub(crate) fn of_array(
    visible: &[VisibleIndices],
    texts: &[String],
    caption: &str,
) -> Option<String> {
    // Numbers padded with trailing spaces look left-aligned, so the column numbers are left-aligned
    // too.
    let heads = match texts.iter().any(|text| text.ends_with(' ')) {
        true => LEFT,
        false => CELL,
    };
    let mut texts = texts.iter();
    let tables = match visible {
        [rows, columns] => matrix(rows, columns, heads, &mut texts),
        [matrices, rows, columns] => {
            let one = |index: &Option<usize>| match index {
                Some(index) => {
                    let table = matrix(rows, columns, heads, &mut texts);
                    format!("<div>[{index}]{table}</div>")
                }
                None => "<div>...</div>".to_owned(),
            };
            matrices.iter().map(one).collect()
        }
        _ => return None,
    };
    Some(format!(
        "<div style=\"display:flex;flex-wrap:wrap;gap:4px 24px;font-family:monospace;{SCROLLS}\">\
         {tables}</div><div style=\"font-family:monospace;opacity:0.7\">{}</div>",
        escape(caption),
    ))
}

fn matrix<'a>(
    rows: &VisibleIndices,
    columns: &VisibleIndices,
    heads: &str,
    texts: &mut impl Iterator<Item = &'a String>,
) -> String {
    let number = |index: &Option<usize>| index.map_or("...".to_owned(), |index| index.to_string());
    let th = |style, index| format!("<th style=\"{style};opacity:0.6\">{}</th>", number(index));
    let head = |row| th(CELL, row);
    let cell = |text: &str| format!("<td style=\"{CELL}\">{}</td>", escape(text.trim_start()));
    let heads: String = columns.iter().map(|index| th(heads, index)).collect();
    let mut body = String::new();
    for row in rows {
        let mut value = |column: &Option<usize>| match (row, column) {
            (Some(_), Some(_)) => cell(texts.next().map_or("", String::as_str)),
            _ => cell("..."),
        };
        let cells: String = columns.iter().map(&mut value).collect();
        body += &format!("<tr>{}{cells}</tr>", head(row));
    }
    format!(
        "<table style=\"{TABLE}\"><thead><tr><th></th>{heads}</tr></thead><tbody>{body}</tbody></table>"
    )
}

/// A table of the names, shapes and values of parameters; the values are HTML.
pub(crate) fn of_parameters(parameters: &[(String, String, String)]) -> String {
    let head = |name| format!("<th style=\"{LEFT};opacity:0.6\">{name}</th>");
    let heads = ["name", "shape", "values"].map(head).concat();
    let row = |(name, shape, values): &(String, String, String)| {
        let [name, shape] = [name, shape].map(|text| escape(text));
        let cells = [name.as_str(), &shape, values];
        let cells = cells.map(|cell| format!("<td style=\"{LEFT}\">{cell}</td>"));
        format!("<tr>{}</tr>", cells.concat())
    };
    let rows: String = parameters.iter().map(row).collect();
    format!(
        "<div style=\"{SCROLLS}\"><table style=\"{TABLE};width:max-content\"><thead><tr>{heads}</tr></thead>\
         <tbody>{rows}</tbody></table></div>"
    )
}

#[cfg(test)]
mod tests {
    use crate::show::shown::show;
    use ndarray::array;

    #[test]
    fn the_number_of_a_column_stands_where_its_numbers_begin() {
        for (html, side) in [
            (show(&array![[0.5_f64, 0.25]]).html(), "left"),
            (show(&array![[0.25_f64, 0.75]]).html(), "right"),
            (show(&array![[0.5_f32, 12.25]]).html(), "right"),
        ] {
            let head = html.split("<th></th>").nth(1).expect("a head");
            let style = head.split("</th>").next().expect("a style");
            assert!(
                style.contains(&format!("text-align:{side}")),
                "{side}: {html}"
            );
        }
    }
}
