//! What a live picture can show.

use crate::figures::bars::Bars;
use crate::figures::figure::{Figure, html_and_svg};
use crate::figures::graph::Graph;
use crate::figures::grid::Grid;
use crate::figures::heatmap::Heatmap;
use crate::figures::lines::Lines;
use crate::figures::model_view::ModelView;
use crate::figures::neuron_view::NeuronView;
use crate::figures::steps::Steps;
use crate::figures::text::escape;
use crate::measure::timing::Timing;
use crate::show::attends::Attends;
use crate::show::shown::Shown;

/// What the closure of a [`slider`](crate::slider) and its like can return: a figure, a text,
/// what [`show`](crate::show) makes of a value, or a pair of these, one below the other.
pub trait Picture {
    #[doc(hidden)]
    fn forms(&self) -> Forms;
}

/// A picture as HTML, for all other front ends as SVG if it is one, and in words.
#[doc(hidden)]
#[derive(Debug)]
pub struct Forms {
    pub(crate) html: String,
    pub(crate) svg: Option<String>,
    pub(crate) text: String,
}

fn of_figure(figure: &impl Figure) -> Forms {
    match html_and_svg(figure) {
        Ok((html, svg)) => Forms {
            html,
            svg: Some(svg),
            text: figure.plain_text(),
        },
        Err(error) => of_text(&error.to_string()),
    }
}

fn of_text(text: &str) -> Forms {
    Forms {
        html: format!("<pre>{}</pre>", escape(text)),
        svg: None,
        text: text.to_owned(),
    }
}

macro_rules! impl_picture {
    ($($figure:ident)*) => {$(
        impl Picture for $figure {
            fn forms(&self) -> Forms {
                of_figure(self)
            }
        }
    )*};
}

impl_picture!(Bars Graph Grid Heatmap Lines ModelView NeuronView Steps);

macro_rules! impl_picture_in_words {
    ($($type:ty)*) => {$(
        impl Picture for $type {
            fn forms(&self) -> Forms {
                of_text(&self.to_string())
            }
        }
    )*};
}

impl_picture_in_words!(&str String Attends Timing);

impl Picture for Shown {
    fn forms(&self) -> Forms {
        Forms {
            html: self.html(),
            svg: None,
            text: self.to_string(),
        }
    }
}

impl<A: Picture, B: Picture> Picture for (A, B) {
    fn forms(&self) -> Forms {
        let (upper, lower) = (self.0.forms(), self.1.forms());
        Forms {
            html: upper.html + &lower.html,
            svg: None,
            text: format!("{}\n{}", upper.text, lower.text),
        }
    }
}
