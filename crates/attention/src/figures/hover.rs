//! A picture in HTML whose parts say what they are when the mouse is over them.
//!
//! The picture is an image, since notebooks that are not trusted lose inline SVG;
//! the parts are empty elements over it, which keep their `title`.

use crate::figures::html::image;
use crate::figures::scene::Point;
use crate::figures::text::escape;

/// Rows and columns of equal squares on a picture.
pub(crate) struct Fields {
    /// The corner of the first one, in pixels.
    pub left: i32,
    pub top: i32,
    /// The side of each.
    pub side: i32,
    pub columns: usize,
    /// What each says, row by row.
    pub says: Vec<String>,
}

impl Fields {
    /// For a picture whose parts say nothing.
    pub fn none() -> Fields {
        Fields {
            left: 0,
            top: 0,
            side: 0,
            columns: 1,
            says: Vec::new(),
        }
    }

    /// The fields of a picture whose corner is here in a larger one.
    pub fn moved(mut self, corner: Point) -> Fields {
        self.left += corner.0;
        self.top += corner.1;
        self
    }

    fn html(&self) -> String {
        if self.says.is_empty() {
            return String::new();
        }
        let cells: String = self
            .says
            .iter()
            .map(|says| format!("<i title=\"{}\"></i>", escape(says)))
            .collect();
        let rows = self.says.len() / self.columns;
        let side = self.side;
        format!(
            "<div class=\"attention-figure\" style=\"grid-area:1/1;display:grid;overflow:hidden;\
             margin:{}px 0 0 {}px;width:{}px;height:{}px;\
             grid-template-columns:repeat({},{side}px);grid-auto-rows:{side}px\">{cells}</div>",
            self.top,
            self.left,
            side * self.columns as i32,
            side * rows as i32,
            self.columns,
        )
    }
}

/// Lines along row and column; only where the notebook is trusted.
const STYLE: &str = "<style>.attention-figure i{position:relative}\
.attention-figure i:hover{outline:2px solid #ff7f00;z-index:1}\
.attention-figure i:hover::before,.attention-figure i:hover::after{content:'';position:absolute;\
border:1px solid #ff7f00;pointer-events:none}\
.attention-figure i:hover::before{left:-1999px;right:-1999px;top:0;bottom:0}\
.attention-figure i:hover::after{top:-1999px;bottom:-1999px;left:0;right:0}</style>";

/// The picture with its fields, those of one matrix after those of another.
pub(crate) fn html(svg: &str, description: &str, fields: &[Fields]) -> String {
    let image = image(svg, description, "grid-area:1/1;max-width:none;margin:0");
    let fields: String = fields.iter().map(Fields::html).collect();
    if fields.is_empty() {
        return image;
    }
    format!("{STYLE}<div style=\"display:inline-grid;vertical-align:top\">{image}{fields}</div>")
}
