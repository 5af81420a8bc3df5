#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod reader;

use serde_json::Value;

/// A value exactly as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// A number, a string including its quotation marks and escapes, `true`, `false` or `null`.
    Plain(String),
    /// A list.
    List(Vec<Json>),
    /// The members of an object in order: each name exactly as written, and its value.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Parses a JSON text.
    ///
    /// # Errors
    ///
    /// If it is not JSON, or is nested more than 128 levels deep.
    pub fn read(text: &str) -> Result<Json, serde_json::Error> {
        reader::read(text)
    }

    /// Formats the value, with each member and element on its own line and no final newline.
    pub fn pretty(&self, indent: &str) -> String {
        let mut text = String::new();
        self.write(&mut text, indent, 1);
        text
    }

    /// The value of the member with this name, or of the last one if there are several. `None` if
    /// there is none, or this is not an object.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Json> {
        let Json::Object(members) = self else {
            return None;
        };
        let mut members = members.iter_mut().rev();
        members.find_map(|(written, value)| {
            (read_name(written).as_deref() == Some(name)).then_some(value)
        })
    }

    /// Sets the member with this name, or adds it at the end if it does not exist.
    ///
    /// # Panics
    ///
    /// If this is not an object.
    pub fn set(&mut self, name: &str, value: Json) {
        if let Some(member) = self.get_mut(name) {
            *member = value;
            return;
        }
        let Json::Object(members) = self else {
            panic!("only an object has members");
        };
        members.push((Value::from(name).to_string(), value));
    }

    /// Merges another object into this one, recursively: members that are not objects in both are
    /// replaced, and members that only this one has are kept. If the two values themselves are not
    /// both objects, the other one replaces this one.
    ///
    /// ```
    /// use exact_json::Json;
    ///
    /// let mut json = Json::read(r#"{"a": {"x": 1.50, "y": 0}}"#)?;
    /// json.take_over(&serde_json::json!({"a": {"y": 2}, "b": []}));
    /// assert_eq!(json, Json::read(r#"{"a": {"x": 1.50, "y": 2}, "b": []}"#)?);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn take_over(&mut self, other: &Value) {
        match (&mut *self, other) {
            (Json::Object(_), Value::Object(others)) => {
                for (name, value) in others {
                    match self.get_mut(name) {
                        Some(member) => member.take_over(value),
                        None => self.set(name, value.into()),
                    }
                }
            }
            _ => *self = other.into(),
        }
    }

    /// Removes the members of an object for whose names `keep` returns false. A name with an
    /// unpaired surrogate is kept.
    pub fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        if let Json::Object(members) = self {
            members.retain(|(written, _)| read_name(written).is_none_or(|name| keep(&name)));
        }
    }

    fn write(&self, text: &mut String, indent: &str, depth: usize) {
        let (open, close, count) = match self {
            Json::Plain(written) => return text.push_str(written),
            Json::List(elements) => ('[', ']', elements.len()),
            Json::Object(members) => ('{', '}', members.len()),
        };
        text.push(open);
        for index in 0..count {
            text.push_str(if index > 0 { ",\n" } else { "\n" });
            text.push_str(&indent.repeat(depth));
            let value = match self {
                Json::Object(members) => {
                    text.push_str(&members[index].0);
                    text.push_str(": ");
                    &members[index].1
                }
                Json::List(elements) => &elements[index],
                Json::Plain(_) => continue,
            };
            value.write(text, indent, depth + 1);
        }
        if count > 0 {
            text.push('\n');
            text.push_str(&indent.repeat(depth - 1));
        }
        text.push(close);
    }
}

impl From<&Value> for Json {
    fn from(value: &Value) -> Json {
        match value {
            Value::Array(elements) => Json::List(elements.iter().map(Json::from).collect()),
            Value::Object(members) => {
                let written = |(name, value): (&String, &Value)| {
                    (Value::from(name.as_str()).to_string(), value.into())
                };
                Json::Object(members.iter().map(written).collect())
            }
            plain => Json::Plain(plain.to_string()),
        }
    }
}

/// The name of a member; `None` if it has an unpaired surrogate, and so equals no Rust string.
fn read_name(written: &str) -> Option<String> {
    serde_json::from_str(written).ok()
}
