//! The JSON that front ends see for the controls of live pictures and their values.
//!
//! Whole numbers are sent as strings in both directions, because JavaScript has no exact integers
//! beyond 2^53.

use notebook::live::{Control, ControlKind, Number, Value as Set};
use serde_json::{Value, json};

/// The description from which a front end builds a control.
pub fn description(control: &Control) -> Value {
    let mut described = match &control.kind {
        ControlKind::Slider { from, to, step, .. } => {
            let [from, to, step] = [from, to, step].map(number);
            json!({ "kind": "slider", "from": from, "to": to, "step": step })
        }
        ControlKind::Player { from, to, step } => {
            let [from, to, step] = [from, to, step].map(number);
            json!({ "kind": "player", "from": from, "to": to, "step": step })
        }
        ControlKind::Choice { options } => json!({ "kind": "choice", "options": options }),
        ControlKind::Toggle { .. } => json!({ "kind": "toggle" }),
        ControlKind::Text { .. } => json!({ "kind": "text" }),
    };
    described["label"] = json!(control.label);
    described
}

fn number(number: &Number) -> Value {
    match number {
        Number::Whole(number) => json!(number.to_string()),
        Number::Fraction(number) => json!(number),
    }
}

/// A value in the form a front end uses.
pub fn value(set: &Set) -> Value {
    match set {
        Set::Number(set) => number(set),
        Set::Choice(place) => json!(place),
        Set::Toggle(value) => json!(value),
        Set::Text(text) => json!(text),
    }
}

/// Parses the values sent by a front end and checks that they fit the controls.
pub fn read(controls: &[Control], sent: &Value) -> Result<Vec<Set>, String> {
    let sent = sent.as_array().ok_or("its data has no list of `values`")?;
    if sent.len() != controls.len() {
        let (sent, controls) = (sent.len(), controls.len());
        return Err(format!("{sent} values for {controls} controls"));
    }
    let pairs = controls.iter().zip(sent);
    let read = |(control, value): (&Control, &Value)| match value {
        Value::String(text) => control.read(text),
        value => control.read(&value.to_string()),
    };
    pairs.map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_fit_their_controls_or_are_refused() {
        let control = |label: &str, kind| {
            let label = label.to_owned();
            Control { label, kind }
        };
        let slider = ControlKind::Slider {
            from: Number::Fraction(0.0),
            to: Number::Fraction(4.0),
            step: Number::Fraction(0.5),
            first: Number::Fraction(1.0),
        };
        let first = String::new();
        let controls = [
            control("t", slider),
            control("causal", ControlKind::Toggle { first: true }),
            control("words", ControlKind::Text { first }),
        ];
        let good = read(&controls, &json!([2, false, "a b"]));
        let expected = [
            Set::Number(Number::Fraction(2.0)),
            Set::Toggle(false),
            Set::Text("a b".to_owned()),
        ];
        assert_eq!(good, Ok(expected.to_vec()));
        for (sent, reason) in [
            (json!({}), "its data has no list of `values`"),
            (json!([1]), "1 values for 3 controls"),
            (
                json!([9, true, ""]),
                "`t` is \"9\", but it goes from 0 to 4",
            ),
            (
                json!([null, true, ""]),
                "`t` is \"null\", but it goes from 0 to 4",
            ),
            (
                json!(["NaN", true, ""]),
                "`t` is \"NaN\", but it goes from 0 to 4",
            ),
            (
                json!([1, 0, ""]),
                "`causal` is \"0\", but it is `true` or `false`",
            ),
        ] {
            assert_eq!(read(&controls, &sent), Err(reason.to_owned()), "{sent}");
        }
        let long = "a".repeat(1 << 20);
        let refused = read(&controls, &json!([1, true, long])).expect_err("1 MB");
        assert!(refused.len() < 100, "{refused}");
    }

    #[test]
    fn whole_numbers_beyond_2_to_the_53_are_exact_in_both_directions() {
        let large = 9_007_199_254_740_993;
        let kind = ControlKind::Player {
            from: Number::Whole(large),
            to: Number::Whole(large + 1),
            step: Number::Whole(1),
        };
        let label = "n".to_owned();
        let control = Control { label, kind };
        assert_eq!(description(&control)["from"], "9007199254740993");
        let first = value(&control.first());
        assert_eq!(first, "9007199254740993");
        let controls = [control];
        let values = read(&controls, &json!([first])).expect("the first value");
        assert_eq!(values, [Set::Number(Number::Whole(large))]);
        assert!(read(&controls, &json!([9_007_199_254_740_992.5])).is_err());
    }
}
