//! Documents of a corpus.

use serde_json::Value;
use std::fs;
use std::path::Path;

/// Returns a file's bytes.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// Returns the document in a file.
pub(crate) fn parse(path: &Path) -> Result<Value, String> {
    serde_json::from_slice(&read(path)?).map_err(|e| format!("{}: {e}", path.display()))
}

/// Returns the entries of a list in a file.
pub(crate) fn list(path: &Path) -> Result<Vec<Value>, String> {
    // A list, or a document that holds one.
    let found = match parse(path)? {
        Value::Array(list) => Some(list),
        Value::Object(map) => {
            map.into_iter().find_map(|(_, v)| if let Value::Array(l) = v { Some(l) } else { None })
        }
        _ => None,
    };
    found.ok_or_else(|| format!("{}: holds no list", path.display()))
}

/// Returns a text member, or an empty text without one.
pub(crate) fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Returns a list member, or an empty list without one.
pub(crate) fn array<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
