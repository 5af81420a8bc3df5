//! The types that a live picture can show.

use crate::error::Error;
use crate::figures::bars::Bars;
use crate::figures::figure::Figure;
use crate::figures::graph::Graph;
use crate::figures::grid::Grid;
use crate::figures::heatmap::Heatmap;
use crate::figures::lines::Lines;
use crate::figures::model_view::ModelView;
use crate::figures::neuron_view::NeuronView;
use crate::figures::scene::Scene;
use crate::figures::scene::svg::svg;
use crate::figures::steps::Steps;
use crate::markup::html::preformatted;
use crate::measure::timing::Timing;
use crate::show::attends::Attends;
use crate::show::shown::Shown;

/// A type that the closure of a [`slider`](crate::live::slider) or another control can return: a
/// figure, text, the result of a function such as [`show`](crate::show::show), a pair of these,
/// which are shown one below the other, or a `Result` of any of these, whose error is shown as
/// text.
pub trait Picture {
    #[doc(hidden)]
    fn forms(&self) -> Forms;
}

/// A picture as HTML, as text and, if possible, as a drawing.
#[doc(hidden)]
#[derive(Debug)]
pub struct Forms {
    pub(crate) html: String,
    pub(crate) text: String,
    pub(crate) drawn: Option<Drawn>,
}

/// A drawing, as a scene and as SVG.
#[derive(Debug)]
pub(crate) struct Drawn {
    pub scene: Scene,
    pub svg: String,
}

fn of_figure(figure: &impl Figure) -> Result<Forms, Error> {
    let scene = figure.scene()?;
    let svg = svg(&scene)?;
    Ok(Forms {
        html: figure.html_around(&svg, scene.size)?,
        text: figure.plain_text(),
        drawn: Some(Drawn { scene, svg }),
    })
}

fn of_text(text: &str) -> Forms {
    Forms {
        html: preformatted(text),
        text: text.to_owned(),
        drawn: None,
    }
}

macro_rules! impl_picture {
    ($($figure:ident)*) => {$(
        impl Picture for $figure {
            fn forms(&self) -> Forms {
                of_figure(self).unwrap_or_else(|error| of_text(&error.to_string()))
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
            text: self.to_string(),
            drawn: None,
        }
    }
}

/// An error is shown as text.
impl<P: Picture> Picture for Result<P, Error> {
    fn forms(&self) -> Forms {
        match self {
            Ok(picture) => picture.forms(),
            Err(error) => of_text(&error.to_string()),
        }
    }
}

impl<A: Picture, B: Picture> Picture for (A, B) {
    fn forms(&self) -> Forms {
        let (upper, lower) = (self.0.forms(), self.1.forms());
        Forms {
            html: upper.html + &lower.html,
            text: format!("{}\n{}", upper.text, lower.text),
            drawn: upper.drawn.zip(lower.drawn).and_then(both),
        }
    }
}

/// Two pictures as one, the second below the first.
fn both((upper, lower): (Drawn, Drawn)) -> Option<Drawn> {
    let scene = upper.scene.above(lower.scene);
    let svg = svg(&scene).ok()?; // each half has already been converted on its own
    Some(Drawn { scene, svg })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::bars::bars;
    use crate::figures::heatmap::heatmap;
    use ndarray::array;

    #[test]
    fn two_figures_are_one_drawing_and_a_figure_with_a_text_is_none() {
        let weights = heatmap(&array![[1.0_f32, 0.0], [0.5, 0.5]]);
        let entropy = bars(&array![0.0_f32, 0.69], &["a", "b"]).title("Entropy");
        let [upper, lower] = [weights.forms(), entropy.forms()].map(|forms| {
            let scene = forms.drawn.expect("a figure is drawn").scene;
            scene.size
        });
        let both = (weights.clone(), entropy).forms();
        assert_eq!(both.html.matches("<img ").count(), 2);
        let drawn = both.drawn.expect("both are drawn");
        assert_eq!(drawn.scene.size, (upper.0.max(lower.0), upper.1 + lower.1));
        let svg = roxmltree::Document::parse(&drawn.svg).expect("XML");
        let parts = svg.root_element().children();
        let places: Vec<_> = parts
            .filter(|part| part.has_tag_name("svg"))
            .map(|part| part.attribute("y").unwrap_or("0").to_owned())
            .collect();
        assert_eq!(places, ["0".to_owned(), upper.1.to_string()]);
        assert!(drawn.svg.contains("Entropy"));
        assert!((weights, "words").forms().drawn.is_none());
    }

    #[test]
    fn an_error_is_shown_in_place_of_the_figure() {
        let figure = bars(&array![0.5_f32, 0.5], &["a", "b"]);
        let (shown, expected) = (Ok(figure.clone()).forms(), figure.forms());
        assert_eq!((shown.html, shown.text), (expected.html, expected.text));
        let (piece, pieces) = ("<b>".to_owned(), 2);
        let error = Error::NoSuchPiece { piece, pieces };
        let forms = Err::<Bars, Error>(error.clone()).forms();
        assert_eq!(forms.text, error.to_string());
        assert!(forms.html.contains("&lt;b"), "{}", forms.html);
        assert!(forms.drawn.is_none());
    }
}
