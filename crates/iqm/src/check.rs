//! The rules of a model: first errors, then warnings.

use crate::check_motion::{check_frames, check_motion, odd_motion};
use crate::check_vertices::{check_vertices, odd_vertices};
use crate::model::{Iqm, TextId};
use crate::plan::Places;
use crate::record::{
    ANIMS, ARRAYS, EXTENSIONS, JOINTS, MESHES, TABLES, TEXT, anim, array, extension, header as h, joint, mesh,
};
use crate::rules::{
    BAD_COUNT, BEHIND_END, EXTENSION_ANIM, EXTENSION_SIZE, EXTENSION_TEXT, FLAGS, MISALIGNED, NAME, NOT_UTF8,
    TEXT_END, TRAILING, TRUNCATED, UNREFERENCED, VERSION,
};
use alloc::format;
use meshwright_core::record::Field;
use meshwright_core::{FieldPath, Findings, ReadError, Report};

type Checked = Result<(), ReadError>;

impl Iqm {
    /// Reports every broken rule, with offsets if the model came from a file.
    ///
    /// Errors are rules that a strict reader enforces. Warnings are values that some loader rejects or reads
    /// differently.
    #[must_use]
    pub fn validate(&self) -> Report {
        let mut findings = Findings::validating();
        // These findings never end the check.
        let _ = check(self, &mut findings).and_then(|()| check_oddities(self, &mut findings));
        findings.into_report()
    }
}

/// Checks that the bytes reach the size in the header, and that the section that ends at `end` is within
/// that size.
pub(crate) fn check_extent((filesize, size): (u32, u64), end: u64, findings: &mut Findings) -> Checked {
    let (path, at) = (h::FILESIZE.path(&FieldPath::ROOT), h::FILESIZE.offset_in(0));
    let stated = u64::from(filesize);
    if stated > size {
        let message = || format!("the header says {stated} bytes, the file has {size}");
        return findings.broken(TRUNCATED, &path, at, message);
    }
    if end > stated {
        let message = || format!("sections end at {end:#x}, after the stored size of {stated} bytes");
        return findings.broken(BEHIND_END, &path, at, message);
    }
    Ok(())
}

/// Checks the rules that a strict reader enforces.
pub(crate) fn check(model: &Iqm, findings: &mut Findings) -> Checked {
    let places = Places::locate(model);
    let root = FieldPath::ROOT;
    if !matches!(model.version, 1 | 2) {
        let message = || format!("version {}, only 1 and 2 are defined", model.version);
        findings.broken(VERSION, &h::VERSION.path(&root), places.header(h::VERSION), message)?;
    }
    if let Some(layout) = places.0 {
        check_extent((layout.filesize, layout.size), layout.end(), findings)?;
    }
    for (name, found, expected) in [
        ("adjacency", model.adjacency.as_ref().map(alloc::vec::Vec::len), model.triangles.len()),
        ("bounds", model.bounds.as_ref().map(alloc::vec::Vec::len), model.frame_count as usize),
    ] {
        if let Some(found) = found.filter(|found| *found != expected) {
            let message = || format!("{found}, {expected} expected");
            findings.broken(BAD_COUNT, &root.field(name), None, message)?;
        }
    }
    check_frames(model, &places, findings)?;
    check_text(model, &places, findings)?;
    check_vertices(model, &places, findings)?;
    check_motion(model, &places, findings)
}

/// Checks that every name is within the text, and that the text has an end.
fn check_text(model: &Iqm, places: &Places<'_>, findings: &mut Findings) -> Checked {
    if model.text.last().is_some_and(|last| *last != 0) {
        let at = places.item(TEXT, model.text.len().saturating_sub(1));
        findings.broken(TEXT_END, &FieldPath::ROOT.field("text"), at, || "the last byte is not zero")?;
    }
    each_name(model, places, &mut |id, path, at| {
        if (id.0 as usize) < model.text.len() {
            return Ok(());
        }
        findings.broken(NAME, path, at, || format!("{:#x}, the text has {} bytes", id.0, model.text.len()))
    })
}

/// The callback for a name, its path and its offset.
type OnName<'f> = dyn FnMut(TextId, &FieldPath<'_>, Option<u64>) -> Checked + 'f;

fn each_name(model: &Iqm, places: &Places<'_>, f: &mut OnName<'_>) -> Checked {
    let root = FieldPath::ROOT;
    let mut one = |table: &'static str, number: usize, i: usize, field: Field, id: TextId| {
        let (list, at) = (root.field(table), places.item(number, i));
        f(id, &field.path(&list.index(i)), at.map(|o| field.offset_in(o)))
    };
    for (i, m) in model.meshes.iter().enumerate() {
        one("meshes", MESHES, i, mesh::NAME, m.name)?;
        one("meshes", MESHES, i, mesh::MATERIAL, m.material)?;
    }
    for (i, a) in model.arrays.iter().enumerate() {
        if let Some(name) = a.kind.custom() {
            one("vertexarrays", ARRAYS, i, array::TYPE, name)?;
        }
    }
    for (i, j) in model.joints.iter().enumerate() {
        one("joints", JOINTS, i, joint::NAME, j.name)?;
    }
    for (i, a) in model.anims.iter().enumerate() {
        one("anims", ANIMS, i, anim::NAME, a.name)?;
    }
    for (i, e) in model.extensions.iter().enumerate() {
        one("extensions", EXTENSIONS, i, extension::NAME, e.name)?;
    }
    Ok(())
}

/// Checks values that most loaders accept.
fn check_oddities(model: &Iqm, findings: &mut Findings) -> Checked {
    let places = Places::locate(model);
    odd_layout(model, &places, findings)?;
    odd_flags(model, &places, findings)?;
    each_name(model, &places, &mut |id, path, at| {
        let name = model.str(id);
        if core::str::from_utf8(name).is_ok() {
            return Ok(());
        }
        findings
            .broken(NOT_UTF8, path, at, || format!("{} is not UTF-8", meshwright_core::text::Escaped(name)))
    })?;
    odd_vertices(model, &places, findings)?;
    odd_motion(model, &places, findings)?;
    odd_extensions(model, &places, findings)
}

fn odd_layout(model: &Iqm, places: &Places<'_>, findings: &mut Findings) -> Checked {
    let Some(layout) = places.0 else { return Ok(()) };
    let (root, stated) = (FieldPath::ROOT, u64::from(layout.filesize));
    if layout.size > stated {
        let extra = layout.size.saturating_sub(stated);
        let message = || format!("{extra} bytes after the stored size of {stated}");
        findings.broken(TRAILING, &h::FILESIZE.path(&root), h::FILESIZE.offset_in(0), message)?;
    }
    for (at, bytes) in layout.gaps.runs().filter(|(at, _)| *at < stated) {
        let message = || format!("{} bytes that no structure refers to", bytes.len());
        findings.broken(UNREFERENCED, &root, at, message)?;
    }
    let mut lies = |field: Field, path: &FieldPath<'_>, record: u64, start: u32, align: u32| {
        if start.is_multiple_of(align.max(1)) {
            return Ok(());
        }
        let message = || format!("{start:#x} is not a multiple of {align}");
        findings.broken(MISALIGNED, &field.path(path), field.offset_in(record), message)
    };
    for (table, section) in TABLES.iter().zip(&layout.tables).filter(|(_, s)| s.len > 0) {
        lies(table.offset, &root, 0, section.start, table.align)?;
    }
    let list = root.field("vertexarrays");
    for (i, (array, section)) in model.arrays.iter().zip(&layout.arrays).enumerate() {
        let align = array.format.width().unwrap_or(1).max(4);
        let record = places.item(ARRAYS, i).unwrap_or(0);
        lies(array::OFFSET, &list.index(i), record, section.start, align)?;
    }
    Ok(())
}

fn odd_flags(model: &Iqm, places: &Places<'_>, findings: &mut Findings) -> Checked {
    let root = FieldPath::ROOT;
    let message = |flags: u32| move || format!("{flags:#x} has unknown bits");
    if model.flags != 0 {
        let at = places.header(h::FLAGS);
        findings.broken(FLAGS, &h::FLAGS.path(&root), at, message(model.flags))?;
    }
    let list = root.field("vertexarrays");
    for (i, a) in model.arrays.iter().enumerate().filter(|(_, a)| a.flags != 0) {
        let at = places.item(ARRAYS, i).map(|o| array::FLAGS.offset_in(o));
        findings.broken(FLAGS, &array::FLAGS.path(&list.index(i)), at, message(a.flags))?;
    }
    let list = root.field("anims");
    for (i, a) in model.anims.iter().enumerate().filter(|(_, a)| a.flags.unknown() != 0) {
        let at = places.item(ANIMS, i).map(|o| anim::FLAGS.offset_in(o));
        findings.broken(FLAGS, &anim::FLAGS.path(&list.index(i)), at, message(a.flags.0))?;
    }
    Ok(())
}

/// The size of FTE's description of a mesh in bytes.
const FTE_MESH: usize = 28;
/// The size of an FTE event in bytes.
const FTE_EVENT: usize = 16;

fn odd_extensions(model: &Iqm, places: &Places<'_>, findings: &mut Findings) -> Checked {
    let table = FieldPath::ROOT.field("extensions");
    for (i, e) in model.extensions.iter().enumerate() {
        let (path, node, data) = (table.index(i), places.item(EXTENSIONS, i), places.data(i));
        let name = model.str(e.name);
        let size = extension::NUM_DATA;
        let expected = if name.eq_ignore_ascii_case(b"FTE_MESH") {
            Some(model.meshes.len().saturating_mul(FTE_MESH))
        } else if name.eq_ignore_ascii_case(b"FTE_EVENT") {
            Some(e.data.as_chunks::<FTE_EVENT>().0.as_flattened().len())
        } else if name.eq_ignore_ascii_case(b"FTE_SKINS") {
            skins_size(&e.data, model.meshes.len())
        } else {
            continue;
        };
        if expected != Some(e.data.len()) {
            let message = || match expected {
                Some(expected) => format!("{} bytes, {expected} expected", e.data.len()),
                None => format!("{} bytes are too few", e.data.len()),
            };
            findings.broken(EXTENSION_SIZE, &size.path(&path), node.map(|o| size.offset_in(o)), message)?;
        }
        if name.eq_ignore_ascii_case(b"FTE_EVENT") {
            odd_events(model, &e.data, &path, data, findings)?;
        }
    }
    Ok(())
}

/// Returns the size of FTE's skins in bytes, from the counts at their start.
fn skins_size(data: &[u8], meshes: usize) -> Option<usize> {
    let word = |i: usize| data.as_chunks::<4>().0.get(i).map(|w| u32::from_le_bytes(*w) as usize);
    let (frames, skins) = (word(0)?, word(1)?);
    let head = meshes.checked_add(2)?.checked_mul(4)?;
    head.checked_add(frames.checked_mul(8)?)?.checked_add(skins.checked_mul(12)?)
}

fn odd_events(
    model: &Iqm,
    data: &[u8],
    path: &FieldPath<'_>,
    start: Option<u64>,
    findings: &mut Findings,
) -> Checked {
    for (i, event) in data.as_chunks::<FTE_EVENT>().0.iter().enumerate() {
        let words = event.as_chunks::<4>().0;
        let word = |i: usize| words.get(i).map_or(0, |w| u32::from_le_bytes(*w));
        let at =
            |word: usize| start.map(|o| crate::record::item(crate::record::item(o, i, FTE_EVENT), word, 4));
        if word(0) as usize >= model.anims.len() {
            let message = || format!("anim {} of {}", word(0), model.anims.len());
            findings.broken(EXTENSION_ANIM, &path.index(i), at(0), message)?;
        }
        if word(3) as usize >= model.text.len() {
            let message = || format!("{:#x}, the text has {} bytes", word(3), model.text.len());
            findings.broken(EXTENSION_TEXT, &path.index(i), at(3), message)?;
        }
    }
    Ok(())
}
