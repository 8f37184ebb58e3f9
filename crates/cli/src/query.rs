//! `--query`: fields of a document by their path.

use crate::refusal::Refusal;
use serde_json::Value;
use std::str::FromStr;

/// A path to fields: `clips[*].name`, `meshes[0].vertices`, `bytes`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Query {
    text: String,
    steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    Item(usize),
    All,
}

impl FromStr for Query {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut steps = Vec::new();
        for part in text.split('.') {
            let (key, mut rest) = part.split_at(part.find('[').unwrap_or(part.len()));
            if !key.is_empty() {
                steps.push(Step::Key(key.to_owned()));
            } else if rest.is_empty() {
                return Err("a name is missing, as in clips[*].name".into());
            }
            while let Some((item, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
                let number = || {
                    item.parse().map(Step::Item).map_err(|_| format!("[{item}] is neither a number nor [*]"))
                };
                steps.push(if item == "*" { Step::All } else { number()? });
                rest = after;
            }
            if !rest.is_empty() {
                return Err(format!("{rest} is neither [number] nor [*]"));
            }
        }
        Ok(Self { text: text.to_owned(), steps })
    }
}

impl Query {
    /// Returns the values at the path as lines: text without quotes, anything else as JSON. Each line begins with the name
    /// of the file if one is given.
    pub(crate) fn text(&self, document: &Value, file: Option<String>) -> Result<String, Refusal> {
        let before = file.map(|file| format!("{file}: ")).unwrap_or_default();
        let lines = self.lines(document).map_err(Refusal::Argument)?;
        Ok(lines.iter().map(|line| format!("{before}{line}\n")).collect())
    }

    fn lines(&self, document: &Value) -> Result<Vec<String>, String> {
        let mut found = vec![document];
        for step in &self.steps {
            let mut next = Vec::new();
            for value in &found {
                match (step, value) {
                    (Step::All, Value::Array(items)) => next.extend(items),
                    (Step::All, Value::Object(fields)) => next.extend(fields.values()),
                    (Step::Item(at), Value::Array(items)) => next.extend(items.get(*at)),
                    (Step::Key(key), Value::Object(fields)) => {
                        next.push(fields.get(key).ok_or_else(|| self.unknown(key, fields.keys()))?);
                    }
                    // The members of null are empty, not an error.
                    (_, Value::Null) => {}
                    (Step::Key(key), _) => {
                        return Err(self.error(&format!("the value that should have {key} is not an object")));
                    }
                    (Step::Item(_) | Step::All, _) => return Err(self.error("the value is not a list")),
                }
            }
            found = next;
        }
        let line = |value: &&Value| match value {
            Value::String(text) => crate::render::plain(text),
            other => meshwright::printable_json(&other.to_string()).into_owned(),
        };
        Ok(found.iter().map(line).collect())
    }

    fn unknown<'k>(&self, key: &str, keys: impl Iterator<Item = &'k String>) -> String {
        let keys: Vec<_> = keys.map(String::as_str).collect();
        let near = meshwright::similar(key, keys.iter().copied());
        let meant = if near.is_empty() { String::new() } else { format!(" (is it {}?)", near.join(" or ")) };
        self.error(&format!("no field {key}{meant}; the fields are {}", keys.join(", ")))
    }

    fn error(&self, why: &str) -> String {
        format!("--query {}: {why}", self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn query_lines(query: &str) -> Result<Vec<String>, String> {
        let document = json!({ "clips": [{ "name": "walk", "frames": 4 }, { "name": "run", "frames": 2 }], "unit": { "metres": null } });
        query.parse::<Query>()?.lines(&document)
    }

    #[test]
    fn fields_are_found_by_their_path() {
        assert_eq!(query_lines("clips[*].name").unwrap(), ["walk", "run"]);
        assert_eq!(query_lines("clips[1].frames").unwrap(), ["2"]);
        assert_eq!(query_lines("clips[7].frames").unwrap(), [""; 0]);
        assert_eq!(query_lines("unit.metres").unwrap(), ["null"]);
        assert_eq!(query_lines("clips[0]").unwrap(), [r#"{"frames":4,"name":"walk"}"#]);
        assert!(
            query_lines("clips[*].nam")
                .unwrap_err()
                .contains("nam (is it name?); the fields are frames, name")
        );
        for wrong in ["", "a..b", "clips[x]", "clips[0", "clips.name", "unit[0]"] {
            assert!(query_lines(wrong).is_err(), "{wrong}");
        }
    }
}
