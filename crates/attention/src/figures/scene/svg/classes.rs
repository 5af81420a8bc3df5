//! CSS classes for roles: their colours appear once, in the style.

use crate::figures::scene::{DASHES, DASHES_OPACITY, Rgb, Role, TINT};
use std::collections::BTreeSet;

/// A class and its rule in the style.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    // Before the fills, because the later rule wins.
    Stroke(Role),
    Fill(Role),
    Tint,
    Dashes,
}

/// The size of text that does not specify one.
pub(super) const TEXT_SIZE: f64 = 13.0;

impl Class {
    pub fn name(self) -> String {
        match self {
            Class::Fill(role) => role.letter().to_string(),
            Class::Stroke(role) => format!("{}s", role.letter()),
            Class::Tint => "t".to_owned(),
            Class::Dashes => "d".to_owned(),
        }
    }

    fn declaration(self, dark: bool) -> String {
        let colour = |role: Role| {
            let colours = role.colours();
            hex(if dark { colours.dark } else { colours.light })
        };
        match self {
            Class::Fill(role) => format!("fill:{}", colour(role)),
            Class::Stroke(role) if dark => format!("stroke:{}", colour(role)),
            Class::Stroke(role) => format!("fill:none;stroke:{}", colour(role)),
            Class::Tint => format!("fill-opacity:{TINT}"),
            Class::Dashes => format!(
                "stroke-dasharray:{} {};stroke-opacity:{DASHES_OPACITY}",
                DASHES[0], DASHES[1]
            ),
        }
    }

    fn rule(self, dark: bool) -> String {
        format!(".{}{{{}}}", self.name(), self.declaration(dark))
    }

    fn has_a_colour(self) -> bool {
        matches!(self, Class::Fill(_) | Class::Stroke(_))
    }
}

/// The classes used by a file.
#[derive(Default)]
pub(super) struct Classes(BTreeSet<Class>);

impl Classes {
    /// The `class` attribute for these classes, whose rules are then part of the style.
    pub fn attribute(&mut self, classes: &[Class]) -> String {
        self.0.extend(classes);
        let names: Vec<String> = classes.iter().map(|class| class.name()).collect();
        format!("class=\"{}\"", names.join(" "))
    }

    /// The style with the rules of these classes; empty if there are none.
    pub fn style(&self) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        let rules = self.0.iter();
        let light: String = rules.clone().map(|class| class.rule(false)).collect();
        let coloured = rules.filter(|class| class.has_a_colour());
        let dark: String = coloured.map(|class| class.rule(true)).collect();
        format!(
            "<style>svg{{font-size:{TEXT_SIZE}px}}{light}@media (prefers-color-scheme:dark)\
             {{rect[fill=\"#FFFFFF\"]{{fill:#111111}}{dark}}}</style>"
        )
    }
}

/// A colour as in CSS.
pub(super) fn hex([red, green, blue]: Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
