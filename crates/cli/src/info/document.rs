//! The content of files as JSON. docs/schema/info.json describes it.

use crate::args::InfoFormat;
use crate::input::Input;
use meshwright::{Description, ImageInfo, Part, PartState};
use serde_json::{Value, json};

const AXES: [&str; 3] = ["x", "y", "z"];

/// Returns one file as a document.
pub(super) fn json(input: &Input, d: &Description, why: Option<&str>) -> Value {
    let s = &d.summary;
    let meshes = d.meshes.iter().map(|mesh| {
        json!({
            "name": mesh.name,
            "vertices": mesh.vertices,
            "triangles": mesh.triangles,
            "influences": mesh.influences,
            "material": mesh.material,
        })
    });
    let image = |i: &ImageInfo| json!({ "width": i.width, "height": i.height, "format": i.format });
    let materials = d.materials.iter().map(|m| {
        json!({
            "name": m.name,
            "texture": m.texture,
            "found": m.found,
            "image": m.image.as_ref().map(image),
            "state": m.state.name(),
        })
    });
    let clips = d.clips.iter().map(|clip| {
        json!({
            "name": clip.name,
            "name_from": clip.source.name(),
            "frames": clip.frames,
            "rate": exact(clip.rate),
            "seconds": clip.seconds,
            "looping": clip.looping,
        })
    });
    json!({
        "file": input.exact(),
        "format": d.format.id(),
        "dialect": d.dialect,
        "bytes": d.bytes,
        "counts": {
            "meshes": s.meshes,
            "vertices": s.vertices,
            "triangles": s.triangles,
            "bones": s.bones,
            "frames": s.frames,
            "clips": s.clips,
        },
        "notes": s.notes,
        "unit": { "metres": d.metres, "up": AXES.get(d.up) },
        "bounds": d.bounds.map(|b| json!({ "min": b.min.map(exact), "max": b.max.map(exact) })),
        "height": d.height(),
        "height_metres": d.height().and_then(|height| Some(height * d.metres?)),
        "meshes": meshes.collect::<Vec<_>>(),
        "materials": materials.collect::<Vec<_>>(),
        "bones": d.bones.iter().map(|b| json!({ "name": b.name, "parent": b.parent })).collect::<Vec<_>>(),
        "clips": clips.collect::<Vec<_>>(),
        "companions": d.parts.iter().map(part).collect::<Vec<_>>(),
        "memory": {
            "meshes": d.memory.meshes,
            "motion": d.memory.motion,
            "pictures": d.memory.pictures,
            "total": d.memory.total(),
        },
        "gpu_memory": {
            "vertices": d.gpu.vertices,
            "indices": d.gpu.indices,
            "textures": d.gpu.textures,
            "total": d.gpu.total(),
        },
        "not_shown": why,
    })
}

fn part(part: &Part) -> Value {
    let (state, why) = match &part.state {
        PartState::Ignored(why) => ("ignored", Some(why)),
        PartState::Named => ("named", None),
        PartState::Elsewhere => ("elsewhere", None),
        _ => ("found", None),
    };
    json!({ "role": part.role.to_string(), "name": part.name, "state": state, "reason": why })
}

/// Returns a number with the digits of its 32-bit form.
fn exact(number: f32) -> f64 {
    number.to_string().parse().unwrap_or(f64::NAN)
}

/// The names of the [fields] of a line.
const HEADER: [&str; 14] = [
    "file",
    "format",
    "dialect",
    "bytes",
    "meshes",
    "vertices",
    "triangles",
    "bones",
    "frames",
    "clips",
    "height",
    "height_metres",
    "memory",
    "gpu_memory",
];

/// Returns the header lines of a table, if the format has any.
pub(super) fn header(format: InfoFormat) -> String {
    match format {
        InfoFormat::Csv => format!("{}\n", HEADER.join(",")),
        InfoFormat::Md => format!("| {} |\n|{}\n", HEADER.join(" | "), "---|".repeat(HEADER.len())),
        _ => String::new(),
    }
}

/// Returns one file as a line of CSV (RFC 4180, but with the line ends of all other output).
pub(super) fn csv(input: &Input, d: &Description) -> String {
    format!("{}\n", fields(input, d).map(|field| quoted(&field)).join(","))
}

/// Returns one file as a row of a Markdown table.
pub(super) fn markdown(input: &Input, d: &Description) -> String {
    format!("| {} |\n", fields(input, d).map(|field| cell(&field)).join(" | "))
}

fn cell(field: &str) -> String {
    crate::render::plain(field).replace('\\', "\\\\").replace('|', "\\|")
}

/// Returns the fields of one file's line.
fn fields(input: &Input, d: &Description) -> [String; 14] {
    let s = &d.summary;
    let number = |n: usize| n.to_string();
    let real = |n: Option<f64>| n.map_or_else(String::new, |n| n.to_string());
    [
        input.exact(),
        d.format.id().to_owned(),
        d.dialect.clone().unwrap_or_default(),
        number(d.bytes),
        number(s.meshes),
        number(s.vertices),
        number(s.triangles),
        number(s.bones),
        s.frames.map_or_else(String::new, number),
        number(s.clips),
        real(d.height()),
        real(d.height().and_then(|height| Some(height * d.metres?))),
        d.memory.total().to_string(),
        d.gpu.total().to_string(),
    ]
}

fn quoted(field: &str) -> String {
    let mut plain = crate::render::plain(field);
    // Spreadsheets would interpret such a text as a formula. Numbers are unchanged.
    let formula = plain.starts_with(['=', '+', '-', '@']) && plain.parse::<f64>().is_err();
    if formula {
        plain.insert(0, '\'');
    }
    match formula || plain.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", plain.replace('"', "\"\"")),
        false => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        assert_eq!(quoted("a b"), "a b");
        assert_eq!(quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(quoted("a\u{1b}[2J"), "a\\u{1b}[2J");
        for formula in ["=1+1.dpm", "+a", "-a.dpm", "@sum(a)"] {
            assert_eq!(quoted(formula), format!("\"'{formula}\""));
        }
        assert_eq!((quoted("-1.5"), quoted("a=b")), ("-1.5".to_owned(), "a=b".to_owned()));
        assert_eq!(cell("a|b"), "a\\|b");
        assert!((exact(0.1) - 0.1).abs() < f64::EPSILON && exact(f32::INFINITY).is_infinite());
    }
}
