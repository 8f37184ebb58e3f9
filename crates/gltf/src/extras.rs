//! Native fields as JSON.

use gltf_json::extras::RawValue;
use meshwright_scene::Extra;

/// `extras` of an object; a value that is no map is wrapped into one, as glTF prefers.
pub(crate) fn of(extra: Option<&Extra>) -> gltf_json::Extras {
    raw(text_of(extra?))
}

/// `extras` of a glTF scene: those of the level and, with the first, of the file.
pub(crate) fn of_scene(file: Option<&Extra>, max_distance: Option<f32>) -> gltf_json::Extras {
    let distance = max_distance.filter(|d| d.is_finite()).map(Extra::from);
    match (file, distance) {
        (None, None) => None,
        (Some(file), None) => of(Some(file)),
        (file, Some(distance)) => {
            let mut fields = match file {
                Some(Extra::Map(fields)) => fields.clone(),
                Some(other) => vec![("value".into(), other.clone())],
                None => Vec::new(),
            };
            fields.push(("max_distance".into(), distance));
            raw(text_of(&Extra::Map(fields)))
        }
    }
}

fn text_of(extra: &Extra) -> String {
    let mut json = String::new();
    match extra {
        Extra::Map(_) => write(&mut json, extra),
        _ => {
            json.push_str("{\"value\":");
            write(&mut json, extra);
            json.push('}');
        }
    }
    json
}

fn raw(json: String) -> gltf_json::Extras {
    // What `write` gives is JSON.
    RawValue::from_string(json).ok()
}

/// Whole numbers up to this survive readers that keep all numbers as doubles.
const EXACT: u64 = (1 << 53) - 1;

fn write(json: &mut String, extra: &Extra) {
    match extra {
        Extra::Bool(b) => json.push_str(if *b { "true" } else { "false" }),
        Extra::Int(i) if i.unsigned_abs() <= EXACT => json.push_str(&i.to_string()),
        // A number here is a double to most readers, which would round this one without a word.
        Extra::Int(i) => text(json, &i.to_string()),
        Extra::Float(f) if f.is_finite() => json.push_str(&serde_json::Value::from(*f).to_string()),
        Extra::Float(f) => text(json, &f.to_string()),
        Extra::Text(t) => text(json, t),
        Extra::List(items) => {
            json.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    json.push(',');
                }
                write(json, item);
            }
            json.push(']');
        }
        Extra::Map(fields) => {
            json.push('{');
            for (i, (name, value)) in last_of_each(fields).into_iter().enumerate() {
                if i > 0 {
                    json.push(',');
                }
                text(json, name);
                json.push(':');
                write(json, value);
            }
            json.push('}');
        }
    }
}

/// A JSON object has each name once: of equal names the last counts, as in JSON readers.
fn last_of_each(fields: &[(String, Extra)]) -> Vec<(&str, &Extra)> {
    let mut seen = std::collections::BTreeSet::new();
    let mut kept: Vec<_> =
        fields.iter().rev().filter(|(n, _)| seen.insert(n)).map(|(n, v)| (n.as_str(), v)).collect();
    kept.reverse();
    kept
}

fn text(json: &mut String, t: &str) {
    json.push_str(&serde_json::Value::from(t).to_string());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(extra: &Extra) -> String {
        of(Some(extra)).unwrap().get().to_owned()
    }

    #[test]
    fn values_become_json() {
        let map = Extra::Map(vec![
            ("z".into(), Extra::Float(f64::NAN)),
            ("a".into(), Extra::List(vec![Extra::Int(i64::MIN), 0.5_f32.into(), true.into()])),
            ("n".into(), Extra::List(vec![Extra::Int(1 << 53), Extra::Int(1 - (1 << 53))])),
            ("q\"\n".into(), "\u{1}é".into()),
        ]);
        let expected = r#"{"z":"NaN","a":["-9223372036854775808",0.5,true],"n":["9007199254740992",-9007199254740991],"q\"\n":"\u0001é"}"#;
        assert_eq!(json(&map), expected);
        assert_eq!(json(&Extra::Int(3)), r#"{"value":3}"#);
    }

    #[test]
    fn of_equal_names_the_last_counts() {
        let twice = Extra::Map(vec![
            ("a".into(), 1_u32.into()),
            ("b".into(), true.into()),
            ("a".into(), 2_u32.into()),
        ]);
        assert_eq!(json(&twice), r#"{"b":true,"a":2}"#);
    }

    #[test]
    fn a_level_adds_its_distance() {
        let file = Extra::Map(vec![("a".into(), 1_u32.into())]);
        assert_eq!(of_scene(Some(&file), Some(2.5)).unwrap().get(), r#"{"a":1,"max_distance":2.5}"#);
        assert!(of_scene(None, Some(f32::INFINITY)).is_none());
    }
}
