//! `--query`: fields of a document by their path.

use serde_json::Value;
use std::str::FromStr;

/// The path of fields: `clips[*].name`, `meshes[0].vertices`, `bytes`.
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
                return Err(format!("{rest} is no [number] and no [*]"));
            }
        }
        Ok(Self { text: text.to_owned(), steps })
    }
}

impl Query {
    /// What the document holds there, one after the other on a line of its own: text as it is, all else as JSON.
    pub(crate) fn lines(&self, document: &Value) -> Result<Vec<String>, String> {
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
                    // What is not there holds nothing.
                    (_, Value::Null) => {}
                    (Step::Key(key), _) => {
                        return Err(self.refused(&format!("what should hold {key} is no object")));
                    }
                    (Step::Item(_) | Step::All, _) => return Err(self.refused("there is no list")),
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
        self.refused(&format!("nothing is called {key}{meant}; there are {}", keys.join(", ")))
    }

    fn refused(&self, why: &str) -> String {
        format!("--query {}: {why}", self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(query: &str) -> Result<Vec<String>, String> {
        let document = json!({ "clips": [{ "name": "walk", "frames": 4 }, { "name": "run", "frames": 2 }], "unit": { "metres": null } });
        query.parse::<Query>()?.lines(&document)
    }

    #[test]
    fn fields_are_found_by_their_path() {
        assert_eq!(of("clips[*].name").unwrap(), ["walk", "run"]);
        assert_eq!(of("clips[1].frames").unwrap(), ["2"]);
        assert_eq!(of("clips[7].frames").unwrap(), [""; 0]);
        assert_eq!(of("unit.metres").unwrap(), ["null"]);
        assert_eq!(of("clips[0]").unwrap(), [r#"{"frames":4,"name":"walk"}"#]);
        assert!(of("clips[*].nam").unwrap_err().contains("nam (is it name?); there are frames, name"));
        for wrong in ["", "a..b", "clips[x]", "clips[0", "clips.name", "unit[0]"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
