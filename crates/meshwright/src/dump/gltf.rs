//! The dump of glTF documents in addition to the scene: generator, extensions, and the lengths of tables.

use super::item::{Fields, Item, fields};
use crate::formats::Companions;
use crate::formats::dump_part::{Dumped, Own};
use meshwright_gltf::GltfFile;
use meshwright_gltf::document::{Document, JsonValue};

/// The tables of a document.
const TABLES: [&str; 13] = [
    "scenes",
    "nodes",
    "meshes",
    "skins",
    "animations",
    "materials",
    "textures",
    "images",
    "samplers",
    "cameras",
    "accessors",
    "bufferViews",
    "buffers",
];

impl Dumped for GltfFile {
    fn own_part<'m>(&'m self, _: &'m Companions) -> Own<'m> {
        let native = self.tables().map_or_else(|_| Fields::new(), |document| native(&document));
        Own { native, ..Own::default() }
    }
}

fn native<'m>(document: &Document<'_>) -> Fields<'m> {
    let root = document.json();
    let text = |value: Option<JsonValue<'_, '_>>| match value.and_then(JsonValue::as_str) {
        Some(text) => Item::Text(text.into_owned().into()),
        None => Item::Null,
    };
    let names = |list: &str| {
        let items = root.get(list).into_iter().flat_map(JsonValue::items);
        let names: Vec<String> =
            items.filter_map(JsonValue::as_str).map(std::borrow::Cow::into_owned).collect();
        Item::list(move || names.clone().into_iter().map(|name| Item::Text(name.into())))
    };
    let asset = |field| text(root.get("asset").and_then(|asset| asset.get(field)));
    let mut fields = fields! {
        version: asset("version"),
        generator: asset("generator"),
        extensions_used: names("extensionsUsed"),
        extensions_required: names("extensionsRequired"),
    };
    for table in TABLES {
        let count = root.get(table).map_or(0, |table| table.items().count());
        fields.push((table.into(), Item::Uint(count as u64)));
    }
    fields
}
