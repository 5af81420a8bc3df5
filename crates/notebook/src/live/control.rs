//! What can be moved, and which values it takes.

use std::fmt;

/// A text that a learner types has at most so many bytes.
const LONGEST_TEXT: usize = 10_000;

/// Something that a learner can move, with the name that stands beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    /// The name.
    pub label: String,
    /// What it looks like, and which values it has.
    pub kind: ControlKind,
}

/// See [`Control`].
#[derive(Clone, Debug, PartialEq)]
pub enum ControlKind {
    /// A number on a line.
    Slider {
        /// The smallest number.
        from: f64,
        /// The largest number.
        to: f64,
        /// From one number to the next.
        step: f64,
        /// The number at first.
        first: f64,
    },
    /// A number that goes on by itself, beginning with the smallest.
    Player {
        /// The smallest number.
        from: f64,
        /// The largest number.
        to: f64,
        /// From one number to the next.
        step: f64,
    },
    /// One of several, at first the first.
    Choice {
        /// Their names.
        options: Vec<String>,
    },
    /// Yes or no.
    Toggle {
        /// Which of them at first.
        first: bool,
    },
    /// A line of text.
    Text {
        /// The text at first.
        first: String,
    },
}

/// What a control is set to.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Of a slider or a player.
    Number(f64),
    /// Of a choice: the place among its options, beginning with 0.
    Choice(usize),
    /// Of a toggle.
    Toggle(bool),
    /// Of a text.
    Text(String),
}

use ControlKind::{Choice, Player, Slider, Text, Toggle};

impl Control {
    /// The value before anybody has moved it.
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

    /// The value in a text.
    ///
    /// # Errors
    ///
    /// A sentence, if this control has no such value.
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
                let number = text.parse().ok();
                let number = number.filter(|number| (*from..=*to).contains(number));
                (
                    number.map(Value::Number),
                    format!("goes from {from} to {to}"),
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

    /// The control as texts, for the way to the kernel.
    ///
    /// ```
    /// use notebook::live::{Control, ControlKind};
    ///
    /// let kind = ControlKind::Toggle { first: true };
    /// let control = Control { label: "causal".to_owned(), kind };
    /// assert_eq!(control.to_texts(), ["toggle", "causal", "true"]);
    /// assert_eq!(Control::from_texts(&control.to_texts()), Some(control));
    /// ```
    pub fn to_texts(&self) -> Vec<String> {
        let (kind, values) = match &self.kind {
            Slider {
                from,
                to,
                step,
                first,
            } => ("slider", numbers(&[*from, *to, *step, *first])),
            Player { from, to, step } => ("player", numbers(&[*from, *to, *step])),
            Choice { options } => ("choice", options.clone()),
            Toggle { first } => ("toggle", vec![first.to_string()]),
            Text { first } => ("text", vec![first.clone()]),
        };
        let mut texts = vec![kind.to_owned(), self.label.clone()];
        texts.extend(values);
        texts
    }

    /// The control in texts; `None` if they are none, or its first value is none of its values.
    pub fn from_texts(texts: &[String]) -> Option<Control> {
        let [kind, label, values @ ..] = texts else {
            return None;
        };
        let number = |place: usize| values.get(place)?.parse().ok();
        let kind = match kind.as_str() {
            "slider" => Slider {
                from: number(0)?,
                to: number(1)?,
                step: number(2)?,
                first: number(3)?,
            },
            "player" => Player {
                from: number(0)?,
                to: number(1)?,
                step: number(2)?,
            },
            "choice" => Choice {
                options: values.to_vec(),
            },
            "toggle" => Toggle {
                first: values.first()?.parse().ok()?,
            },
            "text" => Text {
                first: values.first()?.clone(),
            },
            _ => return None,
        };
        let label = label.clone();
        let control = Control { label, kind };
        let is_possible = control.read(&control.first().to_string()).is_ok();
        is_possible.then_some(control)
    }
}

fn numbers(numbers: &[f64]) -> Vec<String> {
    numbers.iter().map(f64::to_string).collect()
}

/// As [`Control::read`] reads it.
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
mod tests {
    use super::*;

    fn control(kind: ControlKind) -> Control {
        let label = "x".to_owned();
        Control { label, kind }
    }

    fn slider(from: f64, to: f64, first: f64) -> Control {
        let step = 0.1;
        control(Slider {
            from,
            to,
            step,
            first,
        })
    }

    #[test]
    fn every_kind_arrives_as_it_was_sent() {
        let options = ["one".to_owned(), String::new()].to_vec();
        for control in [
            slider(-1.5, 1e300, 0.1),
            control(Player {
                from: 0.0,
                to: 5.0,
                step: 1.0,
            }),
            control(Choice { options }),
            control(Toggle { first: false }),
            control(Text {
                first: "größer\n<b>".to_owned(),
            }),
        ] {
            let arrived = Control::from_texts(&control.to_texts());
            assert_eq!(arrived.as_ref(), Some(&control));
            let first = control.first();
            assert_eq!(control.read(&first.to_string()), Ok(first));
        }
    }

    #[test]
    fn impossible_values_are_refused() {
        let slider = slider(0.0, 4.0, 1.0);
        for text in ["NaN", "inf", "-inf", "-0.1", "4.1", "", "1,5", "true"] {
            let refused = slider.read(text).expect_err(text);
            let sentence = format!("`x` is {text:?}, but it goes from 0 to 4");
            assert_eq!(refused, sentence);
        }
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
        for control in [
            slider(0.0, 1.0, 2.0),
            slider(1.0, 0.0, 1.0),
            slider(0.0, f64::NAN, 0.0),
        ] {
            assert_eq!(Control::from_texts(&control.to_texts()), None);
        }
        assert_eq!(Control::from_texts(&["dial".into(), "x".into()]), None);
        assert_eq!(Control::from_texts(&["toggle".into(), "x".into()]), None);
    }
}
