//! Controls and their values.

use crate::live::number::Number;
use crate::live::wire::MOST_TEXTS;
use std::fmt;

/// Maximum length of the text that a learner types, in bytes.
const LONGEST_TEXT: usize = 10_000;
/// Maximum number of options of a choice: a single message contains the options, the kind and the
/// name.
const MOST_OPTIONS: usize = MOST_TEXTS - 2;

/// Something that a learner can change, with the name shown beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    /// The name.
    pub label: String,
    /// Its appearance and its possible values.
    pub kind: ControlKind,
}

/// See [`Control`].
#[derive(Clone, Debug, PartialEq)]
pub enum ControlKind {
    /// A number on a scale. Its numbers are all integers or all fractions.
    Slider {
        /// The smallest number.
        from: Number,
        /// The largest number.
        to: Number,
        /// The distance from one number to the next.
        step: Number,
        /// The initial number.
        first: Number,
    },
    /// A number that advances by itself, starting with the smallest. Its numbers are all integers or
    /// all fractions.
    Player {
        /// The smallest number.
        from: Number,
        /// The largest number.
        to: Number,
        /// The distance from one number to the next.
        step: Number,
    },
    /// One of several options, initially the first.
    Choice {
        /// The names of the options.
        options: Vec<String>,
    },
    /// Yes or no.
    Toggle {
        /// The initial state.
        first: bool,
    },
    /// A line of text.
    Text {
        /// The initial text.
        first: String,
    },
}

/// The current value of a control.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// The value of a slider or a player.
    Number(Number),
    /// The index of the chosen option, counted from 0.
    Choice(usize),
    /// The value of a toggle.
    Toggle(bool),
    /// The content of a text field.
    Text(String),
}

use ControlKind::{Choice, Player, Slider, Text, Toggle};

impl Control {
    /// The initial value.
    ///
    /// ```
    /// use notebook::live::{Control, ControlKind, Value};
    ///
    /// let kind = ControlKind::Toggle { first: true };
    /// let control = Control { label: "causal".to_owned(), kind };
    /// assert_eq!(control.first(), Value::Toggle(true));
    /// ```
    pub fn first(&self) -> Value {
        match &self.kind {
            Slider { first, .. } => Value::Number(*first),
            Player { from, .. } => Value::Number(*from),
            Choice { .. } => Value::Choice(0),
            Toggle { first } => Value::Toggle(*first),
            Text { first } => Value::Text(first.clone()),
        }
    }

    /// Parses a value.
    ///
    /// # Errors
    ///
    /// If the control cannot have this value; the error is a sentence.
    ///
    /// ```
    /// use notebook::live::{Control, ControlKind, Value};
    ///
    /// let options = ["full".to_owned(), "causal".to_owned()].to_vec();
    /// let mask = Control { label: "mask".to_owned(), kind: ControlKind::Choice { options } };
    /// assert_eq!(mask.read("1"), Ok(Value::Choice(1)));
    /// assert_eq!(mask.read("2"), Err("`mask` is \"2\", but it has the options 0 to 1".to_owned()));
    /// ```
    pub fn read(&self, text: &str) -> Result<Value, String> {
        let (value, range) = match &self.kind {
            Slider { from, to, .. } | Player { from, to, .. } => {
                let number = from.read(text);
                let number = number.filter(|number| (*from..=*to).contains(number));
                let steps = if from.is_whole() {
                    " in whole numbers"
                } else {
                    ""
                };
                (
                    number.map(Value::Number),
                    format!("goes from {from} to {to}{steps}"),
                )
            }
            Choice { options } => {
                let place = text.parse().ok().filter(|place| *place < options.len());
                let last = options.len().saturating_sub(1);
                (
                    place.map(Value::Choice),
                    format!("has the options 0 to {last}"),
                )
            }
            Toggle { .. } => {
                let value = text.parse().ok().map(Value::Toggle);
                (value, "is `true` or `false`".to_owned())
            }
            Text { .. } => {
                let is_short = text.len() <= LONGEST_TEXT;
                let value = is_short.then(|| Value::Text(text.to_owned()));
                (value, format!("has at most {LONGEST_TEXT} bytes"))
            }
        };
        value.ok_or_else(|| {
            let begin: String = text.chars().take(40).collect();
            format!("`{}` is {begin:?}, but it {range}", self.label)
        })
    }

    /// Checks that a kernel accepts this control.
    ///
    /// # Errors
    ///
    /// If there are too many options, or its initial value is impossible; the error is a sentence.
    ///
    /// ```
    /// use notebook::live::{Control, ControlKind};
    ///
    /// let options = (0..10_000).map(|n| n.to_string()).collect();
    /// let word = Control { label: "word".to_owned(), kind: ControlKind::Choice { options } };
    /// let refused = word.check().unwrap_err();
    /// assert_eq!(refused, "`word` has 10000 options, and a choice has at most 9998");
    /// ```
    pub fn check(&self) -> Result<(), String> {
        match &self.kind {
            Choice { options } if options.len() > MOST_OPTIONS => Err(format!(
                "`{}` has {} options, and a choice has at most {MOST_OPTIONS}",
                self.label,
                options.len(),
            )),
            _ => self.read(&self.first().to_string()).map(drop),
        }
    }
}

/// In the format that [`Control::read`] parses.
impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => number.fmt(formatter),
            Value::Choice(place) => place.fmt(formatter),
            Value::Toggle(value) => value.fmt(formatter),
            Value::Text(text) => text.fmt(formatter),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use Number::{Fraction, Whole};

    pub fn control(kind: ControlKind) -> Control {
        let label = "x".to_owned();
        Control { label, kind }
    }

    pub fn slider(from: f64, to: f64, first: f64) -> Control {
        control(Slider {
            from: Fraction(from),
            to: Fraction(to),
            step: Fraction(0.1),
            first: Fraction(first),
        })
    }

    pub fn whole_slider(from: i128, to: i128, first: i128) -> Control {
        control(Slider {
            from: Whole(from),
            to: Whole(to),
            step: Whole(1),
            first: Whole(first),
        })
    }

    #[test]
    fn impossible_values_are_refused() {
        let slider = slider(0.0, 4.0, 1.0);
        for text in ["NaN", "inf", "-inf", "-0.1", "4.1", "", "1,5", "true"] {
            let refused = slider.read(text).expect_err(text);
            let sentence = format!("`x` is {text:?}, but it goes from 0 to 4");
            assert_eq!(refused, sentence);
        }
        let whole = whole_slider(0, 5, 2);
        let long = format!("1{}", "0".repeat(400));
        for text in ["4.5", "6", "-1", "NaN", "1e0", &long] {
            let refused = whole.read(text).expect_err(text);
            let reason = ", but it goes from 0 to 5 in whole numbers";
            assert!(refused.ends_with(reason), "{refused}");
        }
        assert_eq!(whole.read("4"), Ok(Value::Number(Whole(4))));
        let toggle = control(Toggle { first: true });
        assert!(toggle.read("1").is_err());
        let text = control(Text {
            first: String::new(),
        });
        assert!(text.read(&"a".repeat(LONGEST_TEXT)).is_ok());
        let refused = text.read(&"a".repeat(LONGEST_TEXT + 1)).expect_err("long");
        assert!(refused.len() < 100, "{refused}");
        let none = control(Choice {
            options: Vec::new(),
        });
        assert!(none.read("0").is_err());
    }

    #[test]
    fn a_control_whose_first_value_is_impossible_is_none() {
        let options = |count: usize| Choice {
            options: vec![String::new(); count],
        };
        assert_eq!(control(options(MOST_OPTIONS)).check(), Ok(()));
        for control in [
            control(options(MOST_OPTIONS + 1)),
            control(Text {
                first: "a".repeat(LONGEST_TEXT + 1),
            }),
            whole_slider(0, 5, 6),
            slider(0.0, 1.0, 2.0),
            slider(1.0, 0.0, 1.0),
            slider(0.0, f64::NAN, 0.0),
        ] {
            assert!(control.check().is_err());
            assert_eq!(Control::from_texts(&control.to_texts()), None);
        }
        assert_eq!(Control::from_texts(&["dial".into(), "x".into()]), None);
        assert_eq!(Control::from_texts(&["toggle".into(), "x".into()]), None);
    }
}
