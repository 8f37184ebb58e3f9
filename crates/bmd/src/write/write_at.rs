//! Writes a model at given offsets.

use super::elements::{name_bytes, primitive_bytes, stream_bytes, vertex_bytes};
use crate::layout::{Layout, ListPlace, StringPlace};
use crate::list_facts::Facts;
use crate::model::{Bmd, Mesh, Name, identity};
use crate::record::{MAGIC, Table, anim, bone, header, lod, mesh};
use alloc::vec::Vec;
use meshwright_core::layout::{Placer, emit};
use meshwright_core::{ByteWriter, SortedMap, SortedSet};

/// Returns true if the layout has an offset for every record and name of the model, and no other.
pub(super) fn fits(model: &Bmd, layout: &Layout) -> bool {
    let same = layout.meshes.len() == model.meshes.len()
        && layout.lods == model.lods.len()
        && layout.bones.len() == model.bones.len()
        && layout.clips.len() == model.clips.len();
    same && names(model, layout).all(|(name, place)| match name {
        None => place.at == 0,
        Some(name) => place.at != 0 && name.bytes().len() == place.len as usize,
    })
}

/// Returns the file with every part at its offset. `None` if a list changed its size, if parts that share
/// bytes are no longer equal, or if memory does not suffice.
pub(super) fn emitted(model: &Bmd, layout: &Layout) -> Option<Vec<u8>> {
    let records = records(model, layout)?;
    emit(layout.len, &layout.gaps, |placer| {
        for (at, bytes) in &records {
            write_section(placer, *at, bytes)?;
        }
        let mut lists = Lists { placer, placed: SortedSet::new() };
        for (mesh, place) in model.meshes.iter().zip(&layout.meshes) {
            lists.write_list(place.vertices, identity(&mesh.vertices), || vertex_bytes(&mesh.vertices))?;
            lists.write_list(place.primitives, identity(&mesh.primitives), || {
                primitive_bytes(&mesh.primitives)
            })?;
        }
        for (clip, place) in model.clips.iter().zip(&layout.clips) {
            lists.write_list(place.stream, identity(&clip.stream), || stream_bytes(&clip.stream))?;
        }
        let mut strings: SortedMap<u32, &Name> = SortedMap::new();
        for (name, place) in names(model, layout) {
            let Some(name) = name else { continue };
            // Clones need not be compared byte by byte.
            let differ = |old: &Name| old.identity() != name.identity() && old != name;
            if strings.insert(place.at, name).is_some_and(differ) {
                return None;
            }
        }
        strings.into_iter().try_for_each(|(at, name)| write_section(placer, at, &name_bytes(name)))
    })
}

/// Writes a section. An empty section may have any offset.
fn write_section(placer: &mut Placer, at: u32, bytes: &[u8]) -> Option<()> {
    if bytes.is_empty() { Some(()) } else { placer.write_section(at, bytes) }
}

/// Writes lists. A list that several records share is written once. A different list at the same offset is
/// written too; the writer then detects whether the two agree.
struct Lists<'p> {
    placer: &'p mut Placer,
    placed: SortedSet<(u32, usize)>,
}

impl Lists<'_> {
    fn write_list(
        &mut self,
        place: ListPlace,
        identity: usize,
        bytes: impl FnOnce() -> Vec<u8>,
    ) -> Option<()> {
        if !self.placed.insert((place.at, identity)) {
            return Some(());
        }
        let bytes = bytes();
        (bytes.len() == place.used as usize).then_some(())?;
        write_section(self.placer, place.at, &bytes)
    }
}

/// Returns the names of all records with their locations.
fn names<'m>(model: &'m Bmd, layout: &'m Layout) -> impl Iterator<Item = (Option<&'m Name>, StringPlace)> {
    let meshes = model.meshes.iter().zip(&layout.meshes).map(|(m, p)| (m.material.as_ref(), p.material));
    let bones = model.bones.iter().zip(&layout.bones).map(|(b, p)| (b.name.as_ref(), *p));
    let clips = model.clips.iter().zip(&layout.clips).map(|(c, p)| (c.name.as_ref(), p.name));
    meshes.chain(bones).chain(clips)
}

/// Returns the header and the four tables with their offsets; `None` if a count or size does not fit its
/// field.
fn records(model: &Bmd, layout: &Layout) -> Option<Vec<(u32, Vec<u8>)>> {
    let mut sections = alloc::vec![(0, header_bytes(model, layout)?)];
    for table in Table::ALL {
        let mut w = ByteWriter::new();
        match table {
            Table::Meshes => put_meshes(&mut w, model, layout)?,
            Table::Lods => put_lods(&mut w, model),
            Table::Bones => put_bones(&mut w, model, layout),
            Table::Anims => put_anims(&mut w, model, layout),
        }
        sections.push((layout.table(table), w.into_bytes()));
    }
    Some(sections)
}

fn header_bytes(model: &Bmd, layout: &Layout) -> Option<Vec<u8>> {
    let sizes = Table::ALL.map(|t| u32::try_from(t.size(layout.rows(t))).ok());
    let [Some(_), Some(_), Some(_), Some(_)] = sizes else { return None };
    let mut w = ByteWriter::new();
    w.record(header::SIZE, |r| {
        r.bytes(header::MAGIC, &MAGIC);
        let reserved = [header::RESERVED1, header::RESERVED2, header::RESERVED3];
        reserved.into_iter().zip(model.reserved).for_each(|(field, value)| r.le_u32(field, value));
        for (table, size) in Table::ALL.into_iter().zip(sizes.into_iter().flatten()) {
            let (ofs_field, size_field) = table.fields();
            r.le_u32(ofs_field, layout.table(table));
            r.le_u32(size_field, size);
        }
    });
    Some(w.into_bytes())
}

fn put_meshes(w: &mut ByteWriter, model: &Bmd, layout: &Layout) -> Option<()> {
    let mut facts = Facts::default();
    for (m, place) in model.meshes.iter().zip(&layout.meshes) {
        let quads = facts.primitives(&m.primitives).quads;
        let (vertices, primitives) = (m.vertices.len(), m.primitives.len());
        let n_vtx = u16::try_from(vertices).ok()?;
        let n_tris = u16::try_from(Mesh::stored_count(vertices, primitives, quads, m.quad_count)).ok()?;
        w.record(mesh::SIZE, |r| {
            r.le_u32(mesh::OFS_VTX, place.vertices.at);
            r.le_u32(mesh::OFS_TRIS, place.primitives.at);
            r.le_u32(mesh::OFS_MAT, place.material.at);
            r.le_u16(mesh::N_VTX, n_vtx);
            r.le_u16(mesh::N_TRIS, n_tris);
            r.le_u32(mesh::SZ_VTX, place.vertices.size);
            r.le_u32(mesh::SZ_TRIS, place.primitives.size);
            r.le_u32(mesh::FLAGS, m.flags.0);
            r.le_u32(mesh::RESERVED, m.reserved);
        });
    }
    Some(())
}

fn put_lods(w: &mut ByteWriter, model: &Bmd) {
    for level in &model.lods {
        w.record(lod::SIZE, |r| {
            r.u8(lod::ID_MESH, level.first);
            r.u8(lod::N_MESH, level.count);
            r.u8(lod::LD_SC, level.scale.to_bits());
            r.u8(lod::RESERVED, level.reserved);
        });
    }
}

fn put_bones(w: &mut ByteWriter, model: &Bmd, layout: &Layout) {
    for (b, name) in model.bones.iter().zip(&layout.bones) {
        w.record(bone::SIZE, |r| {
            r.le_u64(bone::XFORM, b.transform.to_bits());
            r.le_u32(bone::OFS_NAME, name.at);
            r.u8(bone::ID_PARENT, b.parent);
            r.u8(bone::ID_SOLID, b.solid);
            r.u8(bone::RESERVED1, b.reserved[0]);
            r.u8(bone::RESERVED2, b.reserved[1]);
        });
    }
}

fn put_anims(w: &mut ByteWriter, model: &Bmd, layout: &Layout) {
    for (clip, place) in model.clips.iter().zip(&layout.clips) {
        w.record(anim::SIZE, |r| {
            r.le_u32(anim::OFS_NAME, place.name.at);
            r.u8(anim::N_FRAMES, clip.frames);
            r.u8(anim::FL_HZ, clip.rate.0);
            r.u8(anim::RESERVED1, clip.reserved[0]);
            r.u8(anim::RESERVED2, clip.reserved[1]);
            r.le_u32(anim::OFS_FRAMES, place.stream.at);
            r.le_u32(anim::SZ_FRAMES, place.stream.size);
        });
    }
}
