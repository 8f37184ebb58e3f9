//! Rules of meshes and levels of detail.

use super::table::*;
use crate::layout::{Layout, ListPlace, MeshPlace};
use crate::list_facts::{Facts, PrimitiveFacts, VertexFacts};
use crate::model::{Bmd, Mesh, Name, QuadCount, identity};
use crate::packed::{PrimitiveKind, VertexKind};
use crate::record::{Table, lod, mesh};
use crate::shade::flat_color;
use crate::write::{primitives_size, vertices_size};
use alloc::format;
use alloc::string::String;
use meshwright_core::num::St14Form;
use meshwright_core::{FieldPath, Findings, ReadError, SortedSet};

/// The maximum number of elements that are examined for remarks, because hostile files share lists between
/// many meshes.
const WALKED: usize = 16_000_000;
/// The maximum length of a material name in the original engine.
const MAX_NAME: usize = 255;

type Checked = Result<(), ReadError>;

pub(super) fn check(model: &Bmd, layout: Option<&Layout>, findings: &mut Findings) -> Checked {
    let mut facts = Facts::default();
    let root = FieldPath::ROOT.field(Table::Meshes.name());
    for (i, mesh) in model.meshes.iter().enumerate() {
        let place = layout.and_then(|l| l.meshes.get(i));
        let (path, vertices) = (root.index(i), facts.vertices(&mesh.vertices));
        check_vertices(model, mesh, &vertices, &path, place, findings)?;
        check_primitives(mesh, &facts.primitives(&mesh.primitives), &path, place, findings)?;
    }
    Ok(())
}

fn check_vertices(
    model: &Bmd,
    mesh: &Mesh,
    facts: &VertexFacts,
    path: &FieldPath<'_>,
    place: Option<&MeshPlace>,
    findings: &mut Findings,
) -> Checked {
    let list = path.field("vtx");
    // An offset is computed only for a finding that is kept.
    let at = |rule, i: usize, findings: &Findings| {
        let before = mesh.vertices.get(..i).filter(|_| findings.keeps(rule))?;
        Some(place?.vertices.element(vertices_size(before)))
    };
    if mesh.vertices.len() > usize::from(u16::MAX) {
        let message = || format!("{} vertices, the format counts to 65535", mesh.vertices.len());
        findings.broken(NVTX, &list, None, message)?;
    }
    if let Some(i) = facts.kinds.foreign(mesh.flags.vertex_kinds()) {
        let kind = || mesh.vertices.get(i).map_or_else(String::new, |v| format!("{:?}", v.kind()));
        let message = || format!("of kind {}, which the flags {:#x} rule out", kind(), mesh.flags.0);
        let offset = at(VTX_SUBTYPE, i, findings);
        findings.broken(VTX_SUBTYPE, &list.index(i), offset, message)?;
    }
    let bones = model.bones.len().max(1);
    // If there are animations but no bones, the bone table is missing, and the vertices are not at fault.
    let lost_table = model.bones.is_empty() && !model.clips.is_empty();
    if usize::from(facts.max_bone) >= bones && !lost_table {
        let i = facts.max_bone_at;
        let message = || format!("bone {} of {}", facts.max_bone, model.bones.len());
        let offset = at(VTX_BONE, i, findings);
        findings.broken(VTX_BONE, &list.index(i).field("bone"), offset, message)?;
    }
    if let Some(i) = facts.not_finite {
        let offset = at(VTX_POS, i, findings);
        findings.broken(VTX_POS, &list.index(i).field("org"), offset, || "a coordinate is not finite")?;
    }
    Ok(())
}

fn check_primitives(
    mesh: &Mesh,
    facts: &PrimitiveFacts,
    path: &FieldPath<'_>,
    place: Option<&MeshPlace>,
    findings: &mut Findings,
) -> Checked {
    let list = path.field("tris");
    let at = |rule, i: usize, findings: &Findings| {
        let before = mesh.primitives.get(..i).filter(|_| findings.keeps(rule))?;
        Some(place?.primitives.element(primitives_size(before)))
    };
    let (v, p) = (mesh.vertices.len(), mesh.primitives.len());
    let stored = Mesh::stored_count(v, p, facts.quads, mesh.quad_count);
    if stored > usize::from(u16::MAX) {
        let message = || format!("{stored} primitives to be stored, the format counts to 65535");
        findings.broken(NTRI, &list, None, message)?;
    }
    if let Some(i) = facts.kinds.foreign(mesh.flags.primitive_kinds()) {
        let kind = || mesh.primitives.get(i).map_or_else(String::new, |p| format!("{:?}", p.kind()));
        let message = || format!("of kind {}, which the flags {:#x} rule out", kind(), mesh.flags.0);
        let offset = at(TRI_SUBTYPE, i, findings);
        findings.broken(TRI_SUBTYPE, &list.index(i), offset, message)?;
    }
    if let Some(i) = facts.tag2 {
        let offset = at(TAG2, i, findings);
        findings.broken(TAG2, &list.index(i), offset, || "reserved bits are set")?;
    }
    let any_index = place.is_some_and(MeshPlace::lies_on_vertices);
    if p > 0 && facts.max_index as usize >= v && !any_index {
        let i = facts.max_index_at;
        let highest = |p: &crate::packed::Primitive| p.indices().iter().position(|v| *v == facts.max_index);
        let corner = mesh.primitives.get(i).and_then(highest).unwrap_or(0);
        let name = ["v0", "v1", "v2", "v3"].get(corner).copied().unwrap_or("v0");
        let message = || format!("index {} of {v} vertices", facts.max_index);
        let offset = at(INDEX, i, findings);
        findings.broken(INDEX, &list.index(i).field(name), offset, message)?;
    }
    Ok(())
}

pub(super) fn check_lods(model: &Bmd, layout: Option<&Layout>, findings: &mut Findings) -> Checked {
    let root = FieldPath::ROOT.field(Table::Lods.name());
    for (i, level) in model.lods.iter().enumerate() {
        let end = usize::from(level.first).saturating_add(usize::from(level.count));
        if end > model.meshes.len() {
            let message = || format!("meshes {}..{end} of {}", level.first, model.meshes.len());
            let offset = layout.map(|l| l.field(Table::Lods, i, lod::ID_MESH));
            findings.broken(LOD_RANGE, &root.index(i), offset, message)?;
        }
    }
    Ok(())
}

pub(super) fn remarks(model: &Bmd, layout: Option<&Layout>, findings: &mut Findings) -> Checked {
    let root = FieldPath::ROOT.field(Table::Meshes.name());
    let (mut vertex_lists, mut primitive_lists) = (SortedSet::new(), SortedSet::new());
    let mut walked = 0_usize;
    let mut legacy = model.st_form() == St14Form::Legacy;
    for (i, mesh) in model.meshes.iter().enumerate() {
        let path = root.index(i);
        let place = layout.and_then(|l| l.meshes.get(i));
        record_remarks(i, mesh, &path, layout, findings)?;
        if let Some(name) = &mesh.material {
            let at = place.map(|p| u64::from(p.material.at));
            material_remarks(name, &mesh::OFS_MAT.path(&path), at, findings)?;
        }
        if vertex_lists.insert(identity(&mesh.vertices)) {
            vertex_remarks(model, mesh, &path, place.map(|p| p.vertices), findings)?;
            // Report it once, because one form holds for all meshes.
            if legacy && mesh.vertices.iter().any(|v| v.kind() == VertexKind::Bits128) {
                legacy = false;
                let message =
                    || "128-bit vertices hold texture coordinates in the old form, two 16-bit numbers";
                let at = place.map(|p| u64::from(p.vertices.at));
                findings.broken(W_ST_LEGACY, &path.field("vtx"), at, message)?;
            }
        }
        if primitive_lists.insert(identity(&mesh.primitives)) {
            degenerate(mesh, &path, place.map(|p| p.primitives), findings)?;
        }
        walked = walked.saturating_add(mesh.vertices.len().saturating_add(mesh.primitives.len()));
        if walked <= WALKED {
            missing_vertices(mesh, &path, place, findings)?;
            list_remarks(mesh, &path, place, findings)?;
        }
    }
    Ok(())
}

/// Checks the record of a mesh itself.
fn record_remarks(
    i: usize,
    mesh: &Mesh,
    path: &FieldPath<'_>,
    layout: Option<&Layout>,
    findings: &mut Findings,
) -> Checked {
    let at = |field| layout.map(|l| l.field(Table::Meshes, i, field));
    if mesh.reserved != 0 {
        let message = || format!("{:#x}, must be zero", mesh.reserved);
        findings.broken(W_MBZ, &mesh::RESERVED.path(path), at(mesh::RESERVED), message)?;
    }
    if mesh.flags.unknown() != 0 {
        let message = || format!("unknown bits {:#x}", mesh.flags.unknown());
        findings.broken(W_FLAGS, &mesh::FLAGS.path(path), at(mesh::FLAGS), message)?;
    }
    let spare = layout.and_then(|l| l.meshes.get(i)).map_or(0, |p| p.vertices.spare());
    if spare > 0 {
        let message = || format!("{spare} bytes after the last vertex");
        findings.broken(W_VTX_SLACK, &mesh::SZ_VTX.path(path), at(mesh::SZ_VTX), message)?;
    }
    if mesh.quad_count == QuadCount::Other && mesh.vertices.len() != 1024 {
        let message = || "quads are counted by the other rule";
        findings.broken(W_NTRI, &mesh::N_TRIS.path(path), at(mesh::N_TRIS), message)?;
    }
    Ok(())
}

fn material_remarks(name: &Name, path: &FieldPath<'_>, at: Option<u64>, findings: &mut Findings) -> Checked {
    let bytes = name.bytes();
    if bytes.starts_with(b"#") && flat_color(bytes).is_none() {
        let digits = bytes.len().saturating_sub(1);
        let message =
            || format!("{name} is no colour: six hexadecimal digits follow a #, here {digits} characters");
        findings.broken(W_MAT_NAME, path, at, message)?;
    }
    if bytes.len() > MAX_NAME {
        let message = || format!("{} bytes, the engine has room for {MAX_NAME}", bytes.len());
        findings.broken(W_MAT_NAME, path, at, message)?;
    }
    if bytes.len() > 4 && bytes.iter().rev().nth(3) == Some(&b'.') {
        findings.broken(I_MAT_EXT, path, at, || format!("{name} has a file name extension"))?;
    }
    Ok(())
}

fn vertex_remarks(
    model: &Bmd,
    mesh: &Mesh,
    path: &FieldPath<'_>,
    place: Option<ListPlace>,
    findings: &mut Findings,
) -> Checked {
    let list = path.field("vtx");
    let mut at = place.map(|p| u64::from(p.at));
    if model.bones.is_empty() && !model.clips.is_empty() && mesh.bones().any(|b| b > 0) {
        findings.broken(
            W_VTX_BONE,
            &list,
            at,
            || "vertices of bones in a file whose bone table is missing",
        )?;
    }
    for (i, v) in mesh.vertices.iter().enumerate() {
        if matches!(v.tag(), 0xf0..=0xf7) {
            let message = || format!("tag {:#04x} is reserved, read by its low two bits", v.tag());
            findings.broken(W_VTX_TAG, &list.index(i), at, message)?;
        }
        at = at.map(|a| a.saturating_add(v.size() as u64));
    }
    Ok(())
}

fn degenerate(
    mesh: &Mesh,
    path: &FieldPath<'_>,
    place: Option<ListPlace>,
    findings: &mut Findings,
) -> Checked {
    let list = path.field("tris");
    let mut at = place.map(|p| u64::from(p.at));
    for (i, p) in mesh.primitives.iter().enumerate() {
        if p.triangles().any(|[a, b, c]| a == b || b == c || a == c) {
            findings.broken(W_DEGENERATE, &list.index(i), at, || format!("{p:?} names a vertex twice"))?;
        }
        at = at.map(|a| a.saturating_add(p.size() as u64));
    }
    Ok(())
}

/// Reports triangles whose vertices do not exist, in a mesh whose lists overlap. In other meshes they are
/// errors.
fn missing_vertices(
    mesh: &Mesh,
    path: &FieldPath<'_>,
    place: Option<&MeshPlace>,
    findings: &mut Findings,
) -> Checked {
    let Some(place) = place.filter(|p| p.lies_on_vertices()) else { return Ok(()) };
    let n = mesh.vertices.len();
    let lost = mesh.primitives.iter().filter(|p| p.max_index() as usize >= n).count();
    if lost > 0 {
        let message = || format!("{lost} primitives name vertices beyond {n}; the lists overlap");
        findings.broken(W_INDEX, &path.field("tris"), u64::from(place.primitives.at), message)?;
    }
    Ok(())
}

/// Reports remarks that need both lists.
fn list_remarks(
    mesh: &Mesh,
    path: &FieldPath<'_>,
    place: Option<&MeshPlace>,
    findings: &mut Findings,
) -> Checked {
    let n = mesh.vertices.len();
    let mut used = alloc::vec![false; n];
    for primitive in mesh.primitives.iter() {
        for i in primitive.indices() {
            if let Some(u) = used.get_mut(i as usize) {
                *u = true;
            }
        }
    }
    let unused = used.iter().filter(|u| !**u).count();
    if unused > 0 {
        let at = place.map(|p| u64::from(p.vertices.at));
        let message = || format!("{unused} of {n} vertices are not used");
        findings.broken(I_VTX_UNUSED, &path.field("vtx"), at, message)?;
    }
    if n > Mesh::FEW_VERTICES {
        let message = || format!("{n} vertices, the record is described for up to {}", Mesh::FEW_VERTICES);
        let at = place.map(|p| u64::from(p.vertices.at));
        findings.broken(I_VTX_MANY, &path.field("vtx"), at, message)?;
        let narrow = mesh.primitives.iter().filter(|p| p.size() == 4).count();
        if narrow > 0 {
            let all = mesh.primitives.len();
            let message = || format!("{narrow} of {all} primitives take 32 bits over {n} vertices");
            let at = place.map(|p| u64::from(p.primitives.at));
            findings.broken(I_TRI_NARROW, &path.field("tris"), at, message)?;
        }
    }
    let wide = mesh.primitives.iter().filter(|p| p.kind() == PrimitiveKind::Triangle64).count();
    if wide > 0 && n < Mesh::FEW_VERTICES {
        let at = place.map(|p| u64::from(p.primitives.at));
        let message = || format!("{wide} triangles of 64 bits over {n} vertices");
        findings.broken(I_TRI_WIDE, &path.field("tris"), at, message)?;
    }
    Ok(())
}

pub(super) fn lod_remarks(model: &Bmd, layout: Option<&Layout>, findings: &mut Findings) -> Checked {
    let root = FieldPath::ROOT.field(Table::Lods.name());
    // The number of hidden meshes before each mesh.
    let mut hidden = alloc::vec![0_usize];
    for mesh in &model.meshes {
        let before = hidden.last().copied().unwrap_or(0);
        hidden.push(before.saturating_add(usize::from(mesh.material.is_none())));
    }
    for (i, level) in model.lods.iter().enumerate() {
        let path = root.index(i);
        let at = |field| layout.map(|l| l.field(Table::Lods, i, field));
        let (first, count) = (usize::from(level.first), usize::from(level.count));
        if level.reserved != 0 {
            let message = || format!("{:#x}, must be zero", level.reserved);
            findings.broken(W_MBZ, &lod::RESERVED.path(&path), at(lod::RESERVED), message)?;
        }
        if count == 0 {
            let message = || "no meshes; in the only level that is read as all of them";
            findings.broken(W_LOD_EMPTY, &path, at(lod::N_MESH), message)?;
        }
        let before = |n: usize| hidden.get(n).copied().unwrap_or(0);
        if before(first.saturating_add(count)) > before(first) {
            let message = || "a mesh without a material is not drawn";
            findings.broken(W_LOD_HIDDEN, &path, at(lod::ID_MESH), message)?;
        }
    }
    Ok(())
}
