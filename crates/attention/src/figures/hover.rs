//! A picture in HTML whose parts show text when the mouse is over them.
//!
//! The picture is an image, because untrusted notebooks strip inline SVG;
//! the parts are empty elements on top of it, which keep their `title`. Their positions are
//! percentages of the picture, so that they follow it when a narrow page shrinks it.
//!
//! JupyterLab keeps only some styles of untrusted output. For grids it drops
//! `grid-area: 1/1`, `repeat(...)` and `fr`, so the fields are placed by `position`, and their
//! columns are sized automatically, which makes them equally wide because all fields are empty.

use crate::figures::scene::Point;
use crate::markup::html::image;
use crate::markup::text::escape;

/// Rows and columns of equal cells on a picture.
pub(crate) struct Fields {
    /// The upper left corner of the first one, in pixels.
    pub left: i32,
    pub top: i32,
    /// Width and height of each.
    pub cell: Point,
    pub columns: usize,
    /// The text of each, row by row.
    pub says: Vec<String>,
}

impl Fields {
    pub fn none() -> Fields {
        Fields {
            left: 0,
            top: 0,
            cell: (0, 0),
            columns: 1,
            says: Vec::new(),
        }
    }

    /// The same fields, for a picture that is placed at `corner` in a larger one.
    pub fn moved(mut self, corner: Point) -> Fields {
        self.left += corner.0;
        self.top += corner.1;
        self
    }

    /// The fields as HTML, on top of a picture of this size.
    fn html(&self, (width, height): Point) -> String {
        if self.says.is_empty() {
            return String::new();
        }
        let field = |says: &String| format!("<i title=\"{}\"></i>", escape(says));
        let row = |says: &[String]| {
            let fields: String = says.iter().map(field).collect();
            format!("<div style=\"display:grid;grid-auto-flow:column\">{fields}</div>")
        };
        let rows: String = self.says.chunks(self.columns).map(row).collect();
        let count = (self.says.len() / self.columns) as i32;
        let share = |part: i32, whole: i32| 100.0 * f64::from(part) / f64::from(whole);
        format!(
            "<div class=\"attention-figure\" style=\"position:absolute;display:grid;\
             overflow:hidden;left:{:.3}%;top:{:.3}%;width:{:.3}%;height:{:.3}%\">{rows}</div>",
            share(self.left, width),
            share(self.top, height),
            share(self.cell.0 * self.columns as i32, width),
            share(self.cell.1 * count, height),
        )
    }
}

/// Marks the row and column under the mouse; only works in a trusted notebook.
const STYLE: &str = "<style>.attention-figure i{position:relative}\
.attention-figure i:hover{outline:2px solid #ff7f00;z-index:1}\
.attention-figure i:hover::before,.attention-figure i:hover::after{content:'';position:absolute;\
border:1px solid #ff7f00;pointer-events:none}\
.attention-figure i:hover::before{left:-1999px;right:-1999px;top:0;bottom:0}\
.attention-figure i:hover::after{top:-1999px;bottom:-1999px;left:0;right:0}</style>";

/// The picture, of this size, as HTML with the fields of each of its matrices.
pub(crate) fn html(svg: &str, size: Point, description: &str, fields: &[Fields]) -> String {
    let image = image(svg, description);
    let fields: String = fields.iter().map(|fields| fields.html(size)).collect();
    if fields.is_empty() {
        return image;
    }
    format!(
        "{STYLE}<div style=\"position:relative;display:inline-block;max-width:100%;\
         vertical-align:top\">{image}{fields}</div>"
    )
}
