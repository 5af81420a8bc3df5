//! The methods common to all figures: setting a title, showing and saving.

use crate::error::Error;
use crate::figures::scene::{Point, Scene, png::png, svg::svg};
use notebook::emit;

/// A figure in each of the forms in which it can be shown.
pub(crate) trait Figure {
    /// The figure as a scene, which can be written as SVG or PNG.
    fn scene(&self) -> Result<Scene, Error>;

    /// The figure as HTML that contains its SVG, which has this size.
    fn html_around(&self, svg: &str, size: Point) -> Result<String, Error>;

    /// The figure as words and numbers.
    fn plain_text(&self) -> String;
}

/// Shows a figure under its cell in a notebook, in three forms.
pub(crate) fn display(figure: &impl Figure) {
    match html_and_svg(figure) {
        Ok((html, svg)) => emit(&[
            ("text/html", &html),
            ("image/svg+xml", &svg),
            ("text/plain", &figure.plain_text()),
        ]),
        Err(error) => emit(&[("text/plain", &error.to_string())]),
    }
}

/// A figure as HTML, and as the SVG inside it.
pub(crate) fn html_and_svg(figure: &impl Figure) -> Result<(String, String), Error> {
    let scene = figure.scene()?;
    let svg = svg(&scene)?;
    Ok((figure.html_around(&svg, scene.size)?, svg))
}

/// Writes a figure to a file in the format of its extension.
pub(crate) fn save(figure: &impl Figure, path: &str) -> Result<(), Error> {
    let content = match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("svg") => svg(&figure.scene()?)?.into_bytes(),
        Some("png") => png(&figure.scene()?)?,
        Some("html") => html_and_svg(figure)?.0.into_bytes(),
        Some("txt") => figure.plain_text().into_bytes(),
        _ => return Err(Error::unknown_ending(path)),
    };
    atomic_file::write(path.as_ref(), &content).map_err(|error| Error::writing(path, error))
}

/// `body` under a title, if there is one.
pub(crate) fn titled(title: &str, body: &str) -> String {
    match title {
        "" => body.to_owned(),
        _ => format!("{title}\n{body}"),
    }
}

/// The methods that all figures share. The type must implement [`Figure`] and have a field `title`;
/// `$example` is an expression that makes one.
macro_rules! figure_methods {
    ($figure:ident, $example:literal) => {
        impl $figure {
            /// Puts a title above the figure.
            ///
            /// Matplotlib: `fig.suptitle(title)`
            ///
            /// ```
            #[doc = concat!("let figure = attention::figures::", $example, ".title(\"Weights\");")]
            /// assert!(figure.text().contains("Weights"));
            /// ```
            #[must_use]
            pub fn title(mut self, title: &str) -> $figure {
                self.title = $crate::markup::labels::title(title);
                self
            }

            /// The figure as the content of an SVG file.
            ///
            /// # Errors
            ///
            /// If plotters cannot draw it.
            ///
            /// Matplotlib: `fig.savefig("figure.svg")`
            ///
            /// ```
            #[doc = concat!("let figure = attention::figures::", $example, ";")]
            /// assert!(figure.svg()?.starts_with("<svg "));
            /// # Ok::<(), attention::Error>(())
            /// ```
            pub fn svg(&self) -> Result<String, $crate::Error> {
                $crate::figures::scene::svg::svg(&$crate::figures::figure::Figure::scene(self)?)
            }

            /// The figure as HTML that needs neither a network nor JavaScript, and that
            /// even an untrusted notebook shows.
            ///
            /// # Errors
            ///
            /// If plotters cannot draw it.
            ///
            /// Matplotlib: `mpld3.fig_to_html(fig)`
            ///
            /// ```
            #[doc = concat!("let figure = attention::figures::", $example, ";")]
            /// assert!(figure.html()?.contains("<img alt="));
            /// # Ok::<(), attention::Error>(())
            /// ```
            pub fn html(&self) -> Result<String, $crate::Error> {
                $crate::figures::figure::html_and_svg(self).map(|(html, _)| html)
            }

            /// The figure as words and numbers, for a terminal or a screen reader.
            ///
            /// Python: `print(values)`
            ///
            /// ```
            #[doc = concat!("let figure = attention::figures::", $example, ";")]
            /// assert!(!figure.text().is_empty());
            /// ```
            pub fn text(&self) -> String {
                $crate::figures::figure::Figure::plain_text(self)
            }

            /// Writes the figure to a file: SVG, PNG, HTML or text, depending on the file's extension.
            /// A PNG uses the light colours, the system's fonts, and twice the figure's width and
            /// height in pixels.
            ///
            /// # Errors
            ///
            /// If the extension is not one of these, if plotters cannot draw the figure, if there is
            /// no font for a PNG, or if the file cannot be written; an existing file is then left
            /// unchanged.
            ///
            /// Matplotlib: `fig.savefig(path)`
            ///
            /// ```
            #[doc = concat!("let figure = attention::figures::", $example, ";")]
            /// let error = figure.save("figure.bmp").unwrap_err();
            /// assert!(error.to_string().starts_with("figure.bmp"));
            /// ```
            pub fn save(&self, path: &str) -> Result<(), $crate::Error> {
                $crate::figures::figure::save(self, path)
            }

            /// Shows the figure under its cell in a notebook, as HTML, SVG and text.
            pub fn evcxr_display(&self) {
                $crate::figures::figure::display(self);
            }
        }
    };
}
pub(crate) use figure_methods;
