//! The appearance of shapes as attributes, and the definitions that these rely on.

use super::classes::{Class, Classes, TEXT_SIZE, hex};
use crate::figures::scene::paint::{HATCH, LINES_OPACITY};
use crate::figures::scene::{Colour, Paint, Rgb, Role, Stroke, TINT};
use std::collections::BTreeMap;
use std::fmt;

/// The style for a dark theme. It recognises ink and background by their colours, so black on a
/// cell has a trace of blue, and a white rectangle that is not the background is written as a path.
const STYLE: &str = "<style>@media (prefers-color-scheme: dark) \
    { text[fill=\"#000000\"] { fill: #e6e6e6 } rect[fill=\"#FFFFFF\"] { fill: #111111 } \
    [stroke=\"#000000\"] { stroke: #e6e6e6 } [stroke=\"#D2D2D2\"] { stroke: #444444 } }</style>";
const CELL_INK: Rgb = [0, 0, 1];

/// The attributes used so far.
#[derive(Default)]
pub(super) struct Attributes {
    classes: Classes,
    /// The patterns of roles that are used for hatching.
    patterns: BTreeMap<Role, String>,
    /// Whether there are colours other than those of roles.
    has_fixed_colours: bool,
}

impl Attributes {
    /// The attributes of a shape's fill.
    pub fn fill(&mut self, paint: Paint) -> String {
        let (opacity, colour) = match paint {
            Paint::Lines(role) => return self.lines(role),
            Paint::Hatch => {
                self.has_fixed_colours = true;
                return "fill=\"url(#hatch)\"".to_owned();
            }
            Paint::CellInk => (1.0, Colour::Fixed(CELL_INK)),
            Paint::Solid { colour, opacity } => (opacity, colour),
        };
        let opacity = Opacity(opacity);
        match colour {
            Colour::Fixed(colour) => {
                self.has_fixed_colours = true;
                format!("{opacity}fill=\"{}\"", Hexadecimal(colour))
            }
            Colour::Role(role) => {
                let class = self.classes.attribute(&[Class::Fill(role)]);
                format!("{opacity}{class}")
            }
        }
    }

    /// The attributes of a line.
    pub fn outline(&mut self, stroke: &Stroke) -> String {
        let Stroke {
            colour,
            opacity,
            width,
        } = *stroke;
        let opacity = Opacity(opacity);
        match colour {
            Colour::Fixed(colour) => {
                self.has_fixed_colours = true;
                let colour = Hexadecimal(colour);
                format!("{opacity}stroke=\"{colour}\" stroke-width=\"{width}\"")
            }
            Colour::Role(role) => {
                let class = self.classes.attribute(&[Class::Stroke(role)]);
                format!("{opacity}{class}{}", Width(width))
            }
        }
    }

    /// The attributes of a dashed line.
    pub fn dashes(&mut self, role: Role) -> String {
        let classes = [Class::Dashes, Class::Stroke(role)];
        self.classes.attribute(&classes)
    }

    /// The attributes of text.
    pub fn letters(&mut self, size: f64, ink: Paint) -> String {
        let fill = self.fill(ink);
        let has_a_role = matches!(
            ink,
            Paint::Solid {
                colour: Colour::Role(_),
                ..
            }
        );
        match has_a_role && size == TEXT_SIZE {
            true => fill,
            false => format!("font-size=\"{size}\" {fill}"),
        }
    }

    /// The attributes of a frame and its fill.
    pub fn frame(&mut self, role: Role, width: f64, opacity: f64) -> String {
        let (fill, stroke) = (Class::Fill(role), Class::Stroke(role));
        let (classes, opacity): (&[Class], _) = match opacity {
            0.0 => (&[stroke], String::new()),
            TINT => (&[Class::Tint, fill, stroke], String::new()),
            _ => (&[fill, stroke], format!(" fill-opacity=\"{opacity}\"")),
        };
        let classes = self.classes.attribute(classes);
        format!("{classes}{}{opacity}", Width(width))
    }

    /// A fill with the hatching lines of a role.
    fn lines(&mut self, role: Role) -> String {
        let letter = role.letter();
        if !self.patterns.contains_key(&role) {
            let class = self.classes.attribute(&[Class::Stroke(role)]);
            let pattern = format!(
                "<defs><pattern id=\"{letter}l\" width=\"6\" height=\"6\" \
                 patternUnits=\"userSpaceOnUse\"><path opacity=\"{LINES_OPACITY}\" {class} \
                 d=\"M0 6L6 0\"/></pattern></defs>"
            );
            self.patterns.insert(role, pattern);
        }
        format!("fill=\"url(#{letter}l)\"")
    }

    /// Definitions for the whole file: the style, and the patterns for hatching. Those for fixed
    /// colours are omitted if all colours are those of roles.
    pub fn shared(&self) -> String {
        let patterns: String = self.patterns.values().map(String::as_str).collect();
        let roles = self.classes.style() + &patterns;
        match self.has_fixed_colours || roles.is_empty() {
            true => format!("{STYLE}{}{roles}", hatch()),
            false => roles,
        }
    }
}

/// The pattern of a surface hatched in fixed colours.
fn hatch() -> String {
    let [ground, lines] = HATCH.map(hex);
    format!(
        "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">\
         <rect width=\"6\" height=\"6\" fill=\"{ground}\"/><path d=\"M0 6L6 0\" stroke=\"{lines}\"/>\
         </pattern></defs>"
    )
}

/// An opacity, omitted if it is 1, the default.
struct Opacity(f64);

impl fmt::Display for Opacity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1.0 => Ok(()),
            opacity => write!(f, "opacity=\"{opacity}\" "),
        }
    }
}

struct Hexadecimal(Rgb);

impl fmt::Display for Hexadecimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02X}{green:02X}{blue:02X}")
    }
}

/// A width, omitted if it is 1, the default.
struct Width(f64);

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1.0 => Ok(()),
            width => write!(f, " stroke-width=\"{width}\""),
        }
    }
}
