//! What every figure can do: be shown, and be saved.

use crate::error::Error;
use crate::figures::drawing::escape;
use crate::figures::painting;
use crate::figures::saving;
use notebook::emit;

/// A figure in the forms in which it can be shown.
pub(crate) trait Drawn {
    /// As the text of an SVG file.
    fn drawn(&self) -> Result<String, Error>;

    /// As HTML, made of its SVG.
    fn html_of(&self, svg: &str) -> String;

    /// In words and numbers.
    fn words(&self) -> String;
}

/// Shows a figure under the cell of a notebook, in three forms.
pub(crate) fn display(figure: &impl Drawn) {
    match figure.drawn() {
        Ok(svg) => emit(&[
            ("text/html", &figure.html_of(&svg)),
            ("image/svg+xml", &svg),
            ("text/plain", &figure.words()),
        ]),
        Err(error) => emit(&[("text/plain", &error.to_string())]),
    }
}

/// Writes a figure to a file, by the ending of its name.
pub(crate) fn save(figure: &impl Drawn, path: &str) -> Result<(), Error> {
    let content = match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("svg") => figure.drawn()?.into_bytes(),
        Some("png") => painting::png(&figure.drawn()?)?,
        Some("html") => figure.html_of(&figure.drawn()?).into_bytes(),
        Some("txt") => figure.words().into_bytes(),
        _ => return Err(Error::unknown_ending(path)),
    };
    saving::write(path, &content)
}

/// `body` under a title, if there is one.
pub(crate) fn titled(title: &str, body: &str) -> String {
    match title {
        "" => body.to_owned(),
        _ => format!("{title}\n{body}"),
    }
}

/// The SVG as an image in HTML, which also a notebook that is not trusted shows.
pub(crate) fn image(svg: &str, description: &str, style: &str) -> String {
    format!(
        "<img alt=\"{}\" style=\"{style}\" src=\"{}\">",
        escape(description),
        data_uri(svg),
    )
}

/// The SVG in an address: shorter than in base64.
fn data_uri(svg: &str) -> String {
    let svg = svg
        .replace('\'', "&apos;")
        .replace('"', "'")
        .replace('%', "%25")
        .replace('#', "%23")
        .replace('<', "%3C")
        .replace('>', "%3E")
        .replace('&', "%26")
        .replace('\n', "");
    format!("data:image/svg+xml,{svg}")
}

/// The methods that all figures have. The type is [`Drawn`]; the example makes one.
macro_rules! figure_methods {
    ($figure:ident, $example:literal) => {
        impl $figure {
            /// The figure as the text of an SVG file.
            ///
            /// # Errors
            ///
            /// If plotters cannot draw it.
            ///
            /// Matplotlib: `fig.savefig("figure.svg")`
            ///
            /// ```
            #[doc = concat!("let figure = attention::", $example, ";")]
            /// assert!(figure.svg()?.starts_with("<svg "));
            /// # Ok::<(), attention::Error>(())
            /// ```
            pub fn svg(&self) -> Result<String, $crate::Error> {
                $crate::figures::figure::Drawn::drawn(self)
            }

            /// The figure as HTML that needs neither a network nor JavaScript, and that
            /// stays visible in a notebook that is not trusted.
            ///
            /// # Errors
            ///
            /// If plotters cannot draw it.
            ///
            /// Matplotlib: `mpld3.fig_to_html(fig)`
            ///
            /// ```
            #[doc = concat!("let figure = attention::", $example, ";")]
            /// assert!(figure.html()?.contains("<img alt="));
            /// # Ok::<(), attention::Error>(())
            /// ```
            pub fn html(&self) -> Result<String, $crate::Error> {
                Ok($crate::figures::figure::Drawn::html_of(self, &self.svg()?))
            }

            /// The figure in words and numbers, for a terminal or a screen reader.
            ///
            /// Python: `print(values)`
            ///
            /// ```
            #[doc = concat!("let figure = attention::", $example, ";")]
            /// assert!(!figure.text().is_empty());
            /// ```
            pub fn text(&self) -> String {
                $crate::figures::figure::Drawn::words(self)
            }

            /// Writes the figure to a file: SVG, PNG, HTML or text, by the ending of its
            /// name. A PNG has the light colours, twice as many pixels along each side, and
            /// the fonts of the system.
            ///
            /// # Errors
            ///
            /// If the ending is another one, if there is no font for a PNG, or if the file
            /// cannot be written; an older file stays as it is.
            ///
            /// Matplotlib: `fig.savefig(path)`
            ///
            /// ```
            #[doc = concat!("let figure = attention::", $example, ";")]
            /// let error = figure.save("figure.bmp").unwrap_err();
            /// assert!(error.to_string().starts_with("figure.bmp"));
            /// ```
            pub fn save(&self, path: &str) -> Result<(), $crate::Error> {
                $crate::figures::figure::save(self, path)
            }

            /// Shows the figure under the cell of a notebook, as HTML, SVG and text.
            pub fn evcxr_display(&self) {
                $crate::figures::figure::display(self);
            }
        }
    };
}
pub(crate) use figure_methods;
