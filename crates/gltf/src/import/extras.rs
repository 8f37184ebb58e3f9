//! Converts extras of a document to values of a scene.

use crate::document::{Document, JsonType, JsonValue};
use meshwright_core::{FieldPath, ReadError};
use meshwright_scene::Extra;

/// The extras of the items of a table.
pub(super) struct Extras<'d, 'a> {
    document: &'d Document<'a>,
    values: Vec<Option<JsonValue<'d, 'a>>>,
}

impl<'d, 'a> Extras<'d, 'a> {
    pub(super) fn new(document: &'d Document<'a>, table: &'static str) -> Result<Self, ReadError> {
        let items = || document.json().get(table).into_iter().flat_map(JsonValue::items);
        let mut values = document.room(&FieldPath::ROOT.field(table), "extras", items().count())?;
        values.extend(items().map(|item| item.get("extras")));
        Ok(Self { document, values })
    }

    /// Returns the extras of an item as JSON.
    pub(super) fn value(&self, item: usize) -> Option<JsonValue<'d, 'a>> {
        self.values.get(item).copied().flatten()
    }

    /// Returns the extras of an item.
    pub(super) fn get(&self, item: usize) -> Result<Option<Extra>, ReadError> {
        self.value(item).map(|value| read(self.document, value)).transpose().map(Option::flatten)
    }
}

/// Returns the extras of the default scene.
pub(super) fn of_scene(document: &Document<'_>) -> Result<Option<Extra>, ReadError> {
    Extras::new(document, "scenes")?.get(document.default_scene().unwrap_or(0))
}

/// Reads a value and charges it; `None` if it is deeper than a scene may hold.
pub(super) fn read(document: &Document<'_>, value: JsonValue<'_, '_>) -> Result<Option<Extra>, ReadError> {
    if depth(value) > Extra::MAX_DEPTH {
        return Ok(None);
    }
    let path = FieldPath::ROOT.field("extras");
    // A growing list is in memory twice, and the second copy has twice the length.
    let (values, bytes) = count(value);
    document.charge::<(String, Extra)>(&path, "extras", values.saturating_mul(3))?;
    document.charge::<u8>(&path, "extras", bytes)?;
    Ok(extra(value))
}

/// Returns the depth of nested lists and objects, which the JSON reader has limited.
fn depth(value: JsonValue<'_, '_>) -> usize {
    let below = value.items().map(depth).chain(value.entries().map(|(_, v)| depth(v)));
    match value.kind() {
        JsonType::Array | JsonType::Object => below.fold(0, usize::max).saturating_add(1),
        _ => 0,
    }
}

/// Returns the number of values, and of bytes in texts.
fn count(value: JsonValue<'_, '_>) -> (usize, usize) {
    let own = (1, value.as_str().map_or(0, |text| text.len()));
    let fields = value.entries().map(|(k, v)| {
        let (values, bytes) = count(v);
        (values, bytes.saturating_add(k.len()))
    });
    let below = value.items().map(count).chain(fields);
    below.fold(own, |all, one| (all.0.saturating_add(one.0), all.1.saturating_add(one.1)))
}

fn extra(value: JsonValue<'_, '_>) -> Option<Extra> {
    Some(match value.kind() {
        JsonType::Null => return None,
        JsonType::Bool => Extra::Bool(value.as_bool()?),
        JsonType::Number => match value.as_i64() {
            Some(whole) => Extra::Int(whole),
            None => Extra::Float(value.as_f64()?),
        },
        JsonType::String => Extra::Text(value.as_str()?.into_owned()),
        JsonType::Array => Extra::List(value.items().filter_map(extra).collect()),
        JsonType::Object => {
            Extra::Map(value.entries().filter_map(|(k, v)| Some((k.into_owned(), extra(v)?))).collect())
        }
    })
}
