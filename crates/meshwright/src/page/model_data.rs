//! The data that the page shows about a model, for a program that serves it and for a module in the browser.

use crate::convert::{Target, convert};
use crate::error::Error;
use crate::formats::WriteOptions;
use crate::model::Model;
use meshwright_core::Limits;
use meshwright_core::text::{printable_json, visible};
use meshwright_files::{FilesError, PackBuilder, PackKind};
use meshwright_gltf::{ExportOptions, Influences};
use meshwright_scene::{ConvertError, Converted, OutputFile, OutputFiles, Scene};
use serde_json::{Value, json};
use std::borrow::Cow;

/// The most findings that are shown.
const MOST_FINDINGS: usize = 200;

/// Returns the scene of a model with the textures of its materials.
///
/// # Errors
/// As [`Model::scene`].
pub fn textured_scene(model: &mut Model) -> Result<Converted<Scene>, Error> {
    #[cfg_attr(not(feature = "textures"), expect(unused_mut, reason = "textures are added to it"))]
    let mut scene = model.scene()?;
    #[cfg(feature = "textures")]
    model.add_textures(&mut scene);
    Ok(scene)
}

/// Returns the facts about a model next to its rendering: an object with `name`, `format`, `findings` and their `count`, and
/// `idle`, the number of the clip that shows the model at rest.
pub fn about(asset: &Model, scene: &Scene, name: &str) -> Value {
    let report = asset.check();
    let finding = |f: &meshwright_core::Finding| {
        json!({
            "severity": f.severity.to_string(), "code": f.rule.code, "path": f.path.to_string(), "offset": f.offset,
            "stream": f.stream.to_string(), "message": without_options(&visible(&f.message)),
        })
    };
    let findings: Vec<_> = report.findings().iter().take(MOST_FINDINGS).map(finding).collect();
    let count: u64 = report.totals().map(|(.., n)| n).fold(0, u64::saturating_add);
    let name = if scene.name.is_empty() { name } else { &scene.name };
    json!({ "name": name, "format": asset.format().title(), "findings": findings, "count": count, "idle": scene.idle_clip() })
}

/// Returns the facts about a model that cannot be opened: `error` is a line of text with the code, the field and the
/// offset of its first byte; `code`, `path` and `offset` hold them separately.
pub fn failure_facts(name: &str, code: &str, path: &str, offset: Option<u64>, message: &str) -> Value {
    let field = if path.is_empty() { String::new() } else { format!("{path}: ") };
    let place = offset.map(|offset| format!(" (offset {offset:#x})")).unwrap_or_default();
    let message = without_options(message);
    let text = visible(&format!("{name}: error[{code}] {field}{message}{place}")).to_string();
    json!({ "name": name, "error": text, "code": code, "path": path, "offset": offset })
}

/// Marks the facts about a failure whose reason is a limit, so that the page offers to try again with a larger one.
#[must_use]
pub fn limited(mut facts: Value) -> Value {
    if let Value::Object(facts) = &mut facts {
        facts.insert("limited".into(), true.into());
    }
    facts
}

/// Returns the GLB that the page draws: all influences of a vertex, and closed loops.
///
/// # Errors
/// As [`convert`](crate::convert).
pub fn glb(scene: &Scene, limits: Limits) -> Result<Vec<u8>, ConvertError> {
    let gltf =
        ExportOptions::default().with_influences(Influences::All).with_close_loops(true).with_layers(false);
    let options = WriteOptions::default().with_limits(limits).with_gltf(gltf);
    let files = convert(scene, Target::Glb, &options)?.value;
    Ok(files.into_iter().next().map(|file| file.bytes).unwrap_or_default())
}

/// Returns a model as a file of a target; several files become one zip archive. The result is the length of a JSON
/// text as a little-endian 32-bit number, the text (an object with `name` and `losses`), then the file.
///
/// # Errors
/// As [`Model::convert`].
pub fn saved(model: Model, target: Target) -> Result<Vec<u8>, Error> {
    let (limits, stem) = (model.limits(), model.stem());
    let write = WriteOptions::default().with_limits(limits);
    let made = model.into_conversion(target, &write.into())?.finish()?;
    let shown = |loss: &meshwright_scene::Loss| without_options(&visible(&loss.to_string())).into_owned();
    let losses: Vec<String> = made.losses().iter().map(shown).collect();
    let files = made.into_files();
    let file = if files.len() == 1 { files.into_iter().next() } else { Some(packed(&stem, &files, limits)?) };
    let file = file.unwrap_or(OutputFile { name: stem, bytes: Vec::new() });
    let head = json!({ "name": file.name, "losses": losses }).to_string();
    let head = printable_json(&head);
    let length = u32::try_from(head.len()).unwrap_or(u32::MAX);
    // In its place: there may be no memory for it twice.
    let mut frame = file.bytes;
    frame.splice(0..0, [&length.to_le_bytes(), head.as_bytes()].concat());
    Ok(frame)
}

fn packed(stem: &str, files: &OutputFiles, limits: Limits) -> Result<OutputFile, FilesError> {
    let mut pack = PackBuilder::new(PackKind::Zip)?.with_limits(limits);
    for file in files {
        pack.add(file.name.parse()?, Box::new(|| Ok(file.bytes.clone())))?;
    }
    let (mut bytes, name) = (Vec::new(), format!("{stem}.zip"));
    match pack.write(&mut bytes) {
        Ok(_) => Ok(OutputFile { name, bytes }),
        Err(e) => Err(FilesError::Unpackable { path: name, why: e.to_string() }),
    }
}

/// Removes the parts of a message that name an option of the program, because the page has no options: parentheses,
/// the text after a colon, a part between semicolons, or the text after a comma.
pub fn without_options(message: &str) -> Cow<'_, str> {
    const MARK: &str = "--";
    let names_option = |part: &str| {
        part.split([' ', '(', '`', '"'])
            .any(|word| word.strip_prefix(MARK).is_some_and(|name| !name.is_empty()))
    };
    if !names_option(message) {
        return message.into();
    }
    let mut text = message.to_owned();
    while let Some((before, inside)) = text
        .split_once(" (")
        .filter(|(_, inside)| inside.split_once(')').is_some_and(|(inside, _)| names_option(inside)))
    {
        let after = inside.split_once(')').map_or("", |(_, after)| after);
        text = format!("{before}{after}");
    }
    let cut = |part: &str, end: &str| -> Option<String> {
        let option = part.find(MARK)?;
        let kept = part.get(..option)?;
        Some(kept.get(..kept.rfind(end)?)?.to_owned())
    };
    let parts: Vec<String> = text
        .split("; ")
        .filter_map(|part| if names_option(part) { cut(part, ": ") } else { Some(part.to_owned()) })
        .collect();
    if parts.is_empty() { cut(&text, ", ").unwrap_or_default().into() } else { parts.join("; ").into() }
}

#[cfg(test)]
mod tests {
    use super::without_options;

    #[test]
    fn messages_of_the_page_name_no_option_of_the_program() {
        for (message, shown) in [
            ("5 frames outside every clip were dropped", "5 frames outside every clip were dropped"),
            (
                "a skill moves a skeleton, and none is in the tree: --skeleton names one, --root the folder of the game",
                "a skill moves a skeleton, and none is in the tree",
            ),
            (
                "none of the meshes is in the tree; --root names the game's folder",
                "none of the meshes is in the tree",
            ),
            (
                "the suits are not there (--root names their folder), and it holds no skeleton: --skeleton names one",
                "the suits are not there, and it holds no skeleton",
            ),
            ("has more than 5 bytes; raise --max-memory to read it", "has more than 5 bytes"),
            ("a \u{2013} b: pass --x", "a \u{2013} b"),
            (
                "it is called \"figure\"; only adult, child are used without --skeleton",
                "it is called \"figure\"",
            ),
            (
                "vertices that no triangle uses, which importers drop, as --prune does",
                "vertices that no triangle uses, which importers drop",
            ),
            ("5 -- 6 rows", "5 -- 6 rows"),
        ] {
            assert_eq!(without_options(message), shown);
        }
    }
}
