//! Converts controls to and from lists of strings, which are sent to the kernel.

use crate::live::control::Control;
use crate::live::control::ControlKind::{Choice, Player, Slider, Text, Toggle};
use crate::live::number::Number;

impl Control {
    /// The control as strings.
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

    /// Parses a control; `None` if the strings do not describe one that a kernel accepts.
    pub fn from_texts(texts: &[String]) -> Option<Control> {
        let [kind, label, values @ ..] = texts else {
            return None;
        };
        let number = |place: usize| Number::from_text(values.get(place)?);
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
        control.check().is_ok().then_some(control)
    }
}

fn numbers(numbers: &[Number]) -> Vec<String> {
    numbers.iter().map(|number| number.to_text()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::control::tests::{control, slider, whole_slider};
    use Number::Whole;

    #[test]
    fn every_kind_arrives_as_it_was_sent() {
        let options = ["one".to_owned(), String::new()].to_vec();
        for control in [
            slider(-1.5, 1e300, 0.1),
            slider(1.0, 3.0, 2.0),
            whole_slider(i64::MIN.into(), u64::MAX.into(), 9_007_199_254_740_993),
            control(Player {
                from: Whole(0),
                to: Whole(5),
                step: Whole(1),
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
}
