//! The content of files as text.

use crate::render::{self, plain, size};
use crate::table::{self, Column, facts, heading, table};
use meshwright::{BoneInfo, Description, GpuMemory, ImageInfo, PartState, TextureState, counted};
use std::fmt::Write as _;

/// Formats one file as one line.
pub(super) fn line(shown: &str, d: &Description) -> String {
    let line = format!("{shown}: {}: {}", d.format.title(), counts(d));
    format!("{}\n", render::cut(&line))
}

/// Returns the numbers of meshes, vertices and other parts of a model.
fn counts(d: &Description) -> String {
    let s = &d.summary;
    let counted = |n: usize, one: &str, many: &str| counted(n as u64, one, many);
    let mut parts = vec![
        counted(s.meshes, "mesh", "meshes"),
        counted(s.vertices, "vertex", "vertices"),
        counted(s.triangles, "triangle", "triangles"),
        counted(s.bones, "bone", "bones"),
    ];
    parts.extend(s.frames.map(|n| counted(n, "frame", "frames")));
    parts.push(counted(s.clips, "clip", "clips"));
    parts.extend(d.dialect.iter().map(|dialect| format!("dialect {dialect}")));
    parts.extend(s.notes.iter().map(|n| plain(n)));
    parts.join(", ")
}

/// Formats all tables of one file. `whole` includes all rows.
pub(super) fn tables(shown: &str, d: &Description, why: Option<&str>, whole: bool) -> String {
    let width = table::columns();
    let mut text = format!("{}\n", heading(&render::cut(&format!("{shown}: {}", d.format.title()))));
    text += &facts(&overview(d, why), width);
    let mut part = |name: &str, columns: &[Column], rows: Vec<Vec<String>>| {
        let most = if whole { usize::MAX } else { ROWS };
        let kept = rows.get(..most).unwrap_or(&rows);
        let table = table(columns, kept, width);
        // A single material without name and texture has no columns.
        if table.is_empty() {
            return;
        }
        let _ = write!(text, "\n{}\n{table}", heading(name));
        if let Some(more) = rows.len().checked_sub(kept.len()).filter(|more| *more > 0) {
            let _ = writeln!(text, "{more} more; --verbose shows them");
        }
    };
    part("Meshes", &MESHES, meshes(d));
    part(
        "Materials",
        &[
            Column::Text("material"),
            Column::Text("texture"),
            Column::Text("found"),
            Column::Text("size"),
            Column::Text("format"),
        ],
        materials(d),
    );
    part("Bones", &[Column::Number("#", "#"), Column::Text("bone")], bones(&d.bones));
    part("Clips", &CLIPS, clips(d));
    text
}

/// The number of rows of a table that are printed without `--verbose`.
const ROWS: usize = 40;

const MESHES: [Column; 6] = [
    Column::Number("#", "#"),
    Column::Text("mesh"),
    Column::Number("vertices", "vtx"),
    Column::Number("triangles", "tri"),
    Column::Number("influences", "infl"),
    Column::Text("material"),
];

const CLIPS: [Column; 7] = [
    Column::Number("#", "#"),
    Column::Text("clip"),
    Column::Number("frames", "n"),
    Column::Number("rate", "fps"),
    Column::Number("seconds", "s"),
    Column::Text("loops"),
    Column::Text("named by"),
];

fn overview(d: &Description, why: Option<&str>) -> Vec<(&'static str, String)> {
    let memory = match d.memory.total() {
        0 => String::new(),
        total => format!(", {} when open", size(total)),
    };
    let corner = |at: [f32; 3]| at.map(|c| number(f64::from(c))).join(" ");
    let extents = d.bounds.map(|b| [0, 1, 2].map(|axis| number(b.extent(axis))).join(" x "));
    let bounds = d.bounds.zip(extents);
    let unit = if d.format.metres() == Some(1.0) { " m" } else { "" };
    let metres = d.height().zip(d.metres).filter(|(_, metres)| *metres != 1.0);
    let mut facts = vec![
        ("size", format!("{}{memory}", size(d.bytes as u64))),
        ("holds", counts(d)),
        (
            "bounds",
            bounds.map_or_else(String::new, |(b, extents)| {
                format!("{} to {} ({extents})", corner(b.min), corner(b.max))
            }),
        ),
        (
            "height",
            d.height().map_or_else(String::new, |height| {
                let metres = metres.map(|(height, metres)| format!(", {} m", number(height * metres)));
                format!("{}{unit}{}", number(height), metres.unwrap_or_default())
            }),
        ),
        ("gpu", gpu_memory(d.gpu)),
    ];
    facts.extend(d.parts.iter().map(|part| {
        let ignored = match &part.state {
            PartState::Elsewhere => ", where the engine does not look".into(),
            PartState::Ignored(why) => format!(", ignored: {}", plain(why)),
            _ => String::new(),
        };
        ("with", format!("{} ({}){ignored}", plain(&part.name), part.role))
    }));
    facts.extend(why.map(|why| ("not shown", plain(why))));
    facts
}

/// Formats the estimated GPU memory: the sum, then its parts.
fn gpu_memory(gpu: GpuMemory) -> String {
    let parts = [("vertices", gpu.vertices), ("indices", gpu.indices), ("textures", gpu.textures)];
    let parts = parts.map(|(name, bytes)| (bytes > 0).then(|| format!("{name} {}", size(bytes))));
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        return String::new();
    }
    format!("about {} of GPU memory ({})", size(gpu.total()), parts.join(", "))
}

fn meshes(d: &Description) -> Vec<Vec<String>> {
    let material = |at: Option<usize>| {
        at.and_then(|at| d.materials.get(at)).map_or_else(String::new, |m| plain(&m.name))
    };
    let row = |(i, mesh): (usize, &meshwright::MeshInfo)| {
        let influences = if mesh.influences == 0 { String::new() } else { mesh.influences.to_string() };
        vec![
            i.to_string(),
            plain(&mesh.name),
            mesh.vertices.to_string(),
            mesh.triangles.to_string(),
            influences,
            material(mesh.material),
        ]
    };
    d.meshes.iter().enumerate().map(row).collect()
}

fn materials(d: &Description) -> Vec<Vec<String>> {
    let row = |m: &meshwright::MaterialInfo| {
        let found = match (m.state, &m.found) {
            (TextureState::NotDrawn, _) => "not drawn by the engine".into(),
            (TextureState::Elsewhere, Some(found)) => {
                format!("{}, where the engine does not look", plain(found))
            }
            (_, Some(found)) => plain(found),
            (TextureState::NotFound, None) => "not found".into(),
            (_, None) => String::new(),
        };
        let texture = m.texture.as_deref().unwrap_or_default();
        let size = |i: &ImageInfo| [format!("{} x {}", i.width, i.height), i.format.to_ascii_uppercase()];
        let [size, format] = m.image.as_ref().map(size).unwrap_or_default();
        vec![plain(&m.name), plain(texture), found, size, format]
    };
    d.materials.iter().map(row).collect()
}

fn clips(d: &Description) -> Vec<Vec<String>> {
    let row = |(i, clip): (usize, &meshwright::ClipInfo)| {
        vec![
            i.to_string(),
            plain(&clip.name),
            clip.frames.to_string(),
            number(f64::from(clip.rate)),
            number(clip.seconds),
            if clip.looping { "yes".into() } else { "no".into() },
            clip.source.to_string(),
        ]
    };
    d.clips.iter().enumerate().map(row).collect()
}

/// Formats bones as a tree: each with its number, below its parent.
fn bones(bones: &[BoneInfo]) -> Vec<Vec<String>> {
    /// The deepest level that is indented.
    const DEEPEST: usize = 24;
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); bones.len()];
    let mut roots = Vec::new();
    for (i, bone) in bones.iter().enumerate() {
        match bone.parent.and_then(|parent| children.get_mut(parent)) {
            Some(siblings) => siblings.push(i),
            None => roots.push(i),
        }
    }
    let mut rows = Vec::new();
    // The next bone of each list of siblings, with its prefix and that of its children.
    let mut open: Vec<(usize, String, String)> =
        roots.iter().rev().map(|root| (*root, String::new(), String::new())).collect();
    while let Some((at, before, below)) = open.pop() {
        let Some(bone) = bones.get(at) else { continue };
        let name = if bone.name.is_empty() { "(no name)".into() } else { plain(&bone.name) };
        rows.push(vec![at.to_string(), format!("{before}{name}")]);
        let deep = below.chars().count() / 3 >= DEEPEST;
        let Some(own) = children.get_mut(at).map(std::mem::take) else { continue };
        for (i, child) in own.iter().rev().enumerate() {
            let (joint, line) = match (i == 0, deep) {
                (_, true) => ("... ", ""),
                (true, _) => ("\u{2514}\u{2500} ", "\u{a0}\u{a0}\u{a0}"),
                (false, _) => ("\u{251c}\u{2500} ", "\u{2502}\u{a0}\u{a0}"),
            };
            open.push((*child, format!("{below}{joint}"), format!("{below}{line}")));
        }
    }
    rows
}

/// Formats a number with few digits.
fn number(n: f64) -> String {
    let digits = if n.abs() >= 1000.0 {
        0
    } else if n.abs() >= 10.0 {
        2
    } else {
        4
    };
    let text = format!("{n:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".into() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (n, text) in [
            (0.0, "0"),
            (-0.00001, "0"),
            (1.5, "1.5"),
            (0.123_456, "0.1235"),
            (12.345_6, "12.35"),
            (12345.6, "12346"),
        ] {
            assert_eq!(number(n), text);
        }
        assert_eq!(
            (size(1), size(1536), size(3 << 20)),
            ("1 byte".into(), "1.5 KiB".into(), "3.0 MiB".into())
        );
    }
}
