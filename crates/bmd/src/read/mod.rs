//! Reads a file in the order of the description.

mod lists;
mod strings;

use crate::layout::{ClipPlace, Layout, ListPlace, MeshPlace, StringPlace};
use crate::model::{Bmd, Bone, Clip, ClipRate, Lod, Mesh, MeshFlags, QuadCount};
use crate::record::{MAGIC, Table, anim, bone, header, lod, mesh};
use crate::rules;
use crate::transform::BoneTransform;
use alloc::format;
use alloc::vec::Vec;
use lists::Lists;
use meshwright_core::description::Description;
use meshwright_core::layout::{Coverage, Retained};
use meshwright_core::num::F8A;
use meshwright_core::record::field;
use meshwright_core::text::Escaped;
use meshwright_core::{
    Budget, Codes, Confidence, Fault, FieldPath, FileFormat, Findings, Parsed, ReadError, ReadOptions, Rule,
    Source,
};
use nom::Parser as _;
use nom::number::complete::{le_u8, le_u16, le_u32, le_u64};
use strings::Strings;

type Step<'a, T> = nom::IResult<&'a [u8], T, Fault<'a>>;

const CODES: Codes = Codes { short: rules::TRUNC_HEADER, count: rules::TABLE_RANGE, limit: rules::LIMIT };

impl Bmd {
    /// Reads a file strictly, within the default limits.
    ///
    /// # Errors
    /// When the file breaks a rule of the format, or would take more memory than the default limits allow.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::parse_with(bytes, &ReadOptions::default()).map(|p| p.model)
    }

    /// Reads a file.
    ///
    /// A lenient reading accepts, preserves and reports: a stored primitive count that fits no rule (the list itself
    /// decides), kinds of vertices and primitives that the mesh's flags forbid, reserved bits of primitives, levels
    /// of detail beyond the last mesh, solids that do not exist, keys beyond a clip's end, and clips without frames.
    /// The writer rejects such a model, except that it corrects a primitive count.
    ///
    /// # Errors
    /// If the file breaks any other rule, or would take more memory than the options allow.
    pub fn parse_with(bytes: &[u8], options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        let budget = Budget::new(options.limits);
        let source = Source::file(bytes, CODES, &budget);
        let mut findings = Findings::reading(options);
        let model = File { source: &source, findings: &mut findings }.read()?;
        rules::check(&model, model.layout.get(), &mut findings)?;
        Ok(Parsed::new(model, findings.into_report()))
    }

    /// Returns how certainly a file is of this format, according to its magic.
    pub fn sniff(bytes: &[u8]) -> Confidence {
        if bytes.starts_with(&MAGIC) { Confidence::Certain } else { Confidence::No }
    }
}

impl FileFormat for Bmd {
    const ID: &'static str = "bmd";
    const TITLE: &'static str = "BGBTech BMD";
    const EXTENSIONS: &'static [&'static str] = &["bmd"];
    const RULES: &'static [&'static Rule] = rules::RULES;
    const DESCRIPTION: Description = crate::description::DESCRIPTION;

    type Options = ReadOptions;

    meshwright_core::own_verbs!();
}

struct Header {
    magic: [u8; 4],
    reserved: [u32; 3],
    /// Offset and size of each table.
    tables: [(u32, u32); 4],
}

fn header(i: &[u8]) -> Step<'_, Header> {
    let (i, magic) = field(header::MAGIC, le_u32).parse(i)?;
    let (i, a) = field(header::RESERVED1, le_u32).parse(i)?;
    let (i, b) = field(header::RESERVED2, le_u32).parse(i)?;
    let (i, c) = field(header::RESERVED3, le_u32).parse(i)?;
    let (mut i, mut tables) = (i, [(0, 0); 4]);
    for (slot, table) in tables.iter_mut().zip(Table::ALL) {
        let (at, size) = table.fields();
        (i, *slot) = (field(at, le_u32), field(size, le_u32)).parse(i)?;
    }
    Ok((i, Header { magic: magic.to_le_bytes(), reserved: [a, b, c], tables }))
}

struct MeshDef {
    vertices: u32,
    triangles: u32,
    material: u32,
    vertex_count: u16,
    triangle_count: u16,
    vertex_size: u32,
    triangle_size: u32,
    flags: u32,
    reserved: u32,
}

fn mesh_def(i: &[u8]) -> Step<'_, MeshDef> {
    let (i, vertices) = field(mesh::OFS_VTX, le_u32).parse(i)?;
    let (i, triangles) = field(mesh::OFS_TRIS, le_u32).parse(i)?;
    let (i, material) = field(mesh::OFS_MAT, le_u32).parse(i)?;
    let (i, vertex_count) = field(mesh::N_VTX, le_u16).parse(i)?;
    let (i, triangle_count) = field(mesh::N_TRIS, le_u16).parse(i)?;
    let (i, vertex_size) = field(mesh::SZ_VTX, le_u32).parse(i)?;
    let (i, triangle_size) = field(mesh::SZ_TRIS, le_u32).parse(i)?;
    let (i, flags) = field(mesh::FLAGS, le_u32).parse(i)?;
    let (i, reserved) = field(mesh::RESERVED, le_u32).parse(i)?;
    let def = MeshDef {
        vertices,
        triangles,
        material,
        vertex_count,
        triangle_count,
        vertex_size,
        triangle_size,
        flags,
        reserved,
    };
    Ok((i, def))
}

fn lod_def(i: &[u8]) -> Step<'_, Lod> {
    let (i, first) = field(lod::ID_MESH, le_u8).parse(i)?;
    let (i, count) = field(lod::N_MESH, le_u8).parse(i)?;
    let (i, scale) = field(lod::LD_SC, le_u8).parse(i)?;
    let (i, reserved) = field(lod::RESERVED, le_u8).parse(i)?;
    Ok((i, Lod { first, count, scale: F8A::from_bits(scale), reserved }))
}

struct BoneDef {
    transform: u64,
    name: u32,
    parent: u8,
    solid: u8,
    reserved: [u8; 2],
}

fn bone_def(i: &[u8]) -> Step<'_, BoneDef> {
    let (i, transform) = field(bone::XFORM, le_u64).parse(i)?;
    let (i, name) = field(bone::OFS_NAME, le_u32).parse(i)?;
    let (i, parent) = field(bone::ID_PARENT, le_u8).parse(i)?;
    let (i, solid) = field(bone::ID_SOLID, le_u8).parse(i)?;
    let (i, a) = field(bone::RESERVED1, le_u8).parse(i)?;
    let (i, b) = field(bone::RESERVED2, le_u8).parse(i)?;
    Ok((i, BoneDef { transform, name, parent, solid, reserved: [a, b] }))
}

struct AnimDef {
    name: u32,
    frames: u8,
    rate: u8,
    reserved: [u8; 2],
    stream: u32,
    stream_size: u32,
}

fn anim_def(i: &[u8]) -> Step<'_, AnimDef> {
    let (i, name) = field(anim::OFS_NAME, le_u32).parse(i)?;
    let (i, frames) = field(anim::N_FRAMES, le_u8).parse(i)?;
    let (i, rate) = field(anim::FL_HZ, le_u8).parse(i)?;
    let (i, a) = field(anim::RESERVED1, le_u8).parse(i)?;
    let (i, b) = field(anim::RESERVED2, le_u8).parse(i)?;
    let (i, stream) = field(anim::OFS_FRAMES, le_u32).parse(i)?;
    let (i, stream_size) = field(anim::SZ_FRAMES, le_u32).parse(i)?;
    Ok((i, AnimDef { name, frames, rate, reserved: [a, b], stream, stream_size }))
}

/// One file being read.
struct File<'s, 'a> {
    source: &'s Source<'a>,
    findings: &'s mut Findings,
}

impl File<'_, '_> {
    fn read(&mut self) -> Result<Bmd, ReadError> {
        let source = self.source;
        let path = FieldPath::ROOT.field("header");
        let head = source.start().read(&path, header)?;
        if head.magic != MAGIC {
            let message = format!("expected \"BMD1\", found {}", Escaped(&head.magic));
            let path = header::MAGIC.path(&path);
            return Err(source.broken(rules::MAGIC, &path, header::MAGIC.offset_in(0), message));
        }
        self.check_tables(&head)?;
        let mut lists = Lists::new(source, &head.tables);
        let mut strings = Strings::new(source);
        let [mesh_table, lod_table, bone_table, anim_table] = head.tables;

        let mesh_defs = self.table(Table::Meshes, mesh_table, mesh_def)?;
        let lods = self.table(Table::Lods, lod_table, lod_def)?;
        let bone_defs = self.table(Table::Bones, bone_table, bone_def)?;
        let anim_defs = self.table(Table::Anims, anim_table, anim_def)?;

        let (meshes, mesh_places) = self.meshes(&mesh_defs, mesh_table.0, &mut lists, &mut strings)?;
        let (bones, bone_places) = self.bones(&bone_defs, bone_table.0, &mut strings)?;
        let mut model = Bmd { reserved: head.reserved, meshes, lods, bones, ..Bmd::default() };
        let normal = model.normal_bones();
        let (clips, clip_places) = self.clips(&anim_defs, anim_table.0, normal, &mut lists, &mut strings)?;
        model.clips = clips;

        let mut layout = Layout {
            len: source.bytes().len() as u64,
            tables: head.tables.map(|t| t.0),
            meshes: mesh_places,
            lods: model.lods.len(),
            bones: bone_places,
            clips: clip_places,
            ..Layout::default()
        };
        source.charge(&FieldPath::ROOT, 0, "sections", layout.section_count(), Coverage::SECTION)?;
        let mut coverage = layout.coverage();
        source.charge(&FieldPath::ROOT, 0, "unused bytes", coverage.gap_memory(layout.len), 1)?;
        layout.gaps = coverage.gaps(source.bytes());
        // The stored offsets give the same file again, whether or not the writer would choose them.
        model.layout = Retained::compared(layout, None);
        Ok(model)
    }

    /// Checks the tables: sizes are whole records, and tables are inside the file, after the header, and do not
    /// overlap.
    fn check_tables(&self, head: &Header) -> Result<(), ReadError> {
        let source = self.source;
        let (first, len) = (header::SIZE as u64, source.bytes().len() as u64);
        let path = FieldPath::ROOT.field("header");
        let mut seen: Vec<(&str, u64, u64)> = Vec::new();
        for (&(at, size), table) in head.tables.iter().zip(Table::ALL) {
            let path = path.field(table.name());
            let (ofs_field, size_field) = table.fields();
            let (at, size, record) = (u64::from(at), u64::from(size), table.row() as u64);
            if size.checked_rem(record) != Some(0) {
                let message = format!("size {size} is not a multiple of {record}");
                return Err(source.broken(rules::TABLE_SIZE, &path, size_field.offset_in(0), message));
            }
            if size == 0 {
                continue;
            }
            let broken = |rule, message| Err(source.broken(rule, &path, ofs_field.offset_in(0), message));
            if at == 0 {
                return broken(rules::TABLE_OFS0, format!("{size} bytes at offset 0"));
            }
            let end = at.saturating_add(size);
            if at < first || end > len {
                let message = format!("{size} bytes at {at:#x} lie outside {first:#x}..{len:#x}");
                return broken(rules::TABLE_RANGE, message);
            }
            if let Some(other) = seen.iter().find(|(_, a, e)| at < *e && *a < end) {
                return broken(rules::OVERLAP, format!("{size} bytes at {at:#x} overlap the {}", other.0));
            }
            seen.push((table.name(), at, end));
        }
        Ok(())
    }

    fn table<T>(
        &self,
        table: Table,
        (at, size): (u32, u32),
        parser: impl for<'b> FnMut(&'b [u8]) -> Step<'b, T>,
    ) -> Result<Vec<T>, ReadError> {
        let path = FieldPath::ROOT.field(table.name());
        let record = table.row() as u64;
        let count = u64::from(size).checked_div(record).unwrap_or(0);
        // An empty table may state any offset.
        let start = if count == 0 { 0 } else { u64::from(at) };
        let mut cursor = self.source.section(&path, start, start, count, record)?;
        cursor.table(&path, start, count, record, parser)
    }

    /// Reserves memory for the rows of a table and their locations.
    fn rows<T, P>(&self, table: Table, at: u32, count: usize) -> Result<(Vec<T>, Vec<P>), ReadError> {
        let path = FieldPath::ROOT.field(table.name());
        let size = size_of::<(T, P)>();
        self.source.charge(&path, u64::from(at), table.name(), count as u64, size)?;
        Ok((Vec::with_capacity(count), Vec::with_capacity(count)))
    }

    fn meshes<'a>(
        &mut self,
        defs: &[MeshDef],
        table: u32,
        lists: &mut Lists<'_, 'a>,
        strings: &mut Strings<'_, 'a>,
    ) -> Result<(Vec<Mesh>, Vec<MeshPlace>), ReadError> {
        let root = FieldPath::ROOT.field(Table::Meshes.name());
        let (mut meshes, mut places) = self.rows(Table::Meshes, table, defs.len())?;
        for (i, def) in defs.iter().enumerate() {
            let (path, record) = (root.index(i), Table::Meshes.row_offset(table, i));
            let place = ListPlace::from_record(def.vertices, def.vertex_size);
            let vertices = lists.vertices(&path, record, place, def.vertex_count)?;
            let place = ListPlace::from_record(def.triangles, def.triangle_size);
            let primitives = lists.primitives(&path, record, place)?;
            let (ofs_mat, at) = (mesh::OFS_MAT.path(&path), mesh::OFS_MAT.offset_in(record));
            let (material, material_place) = strings.get(&ofs_mat, at, def.material)?;
            let stored = usize::from(def.triangle_count);
            let (found, quads) = (primitives.0.len(), primitives.2);
            let counted = |rule| Mesh::stored_count(vertices.0.len(), found, quads, rule);
            let rule = [QuadCount::Described, QuadCount::Other].into_iter().find(|r| counted(*r) == stored);
            if rule.is_none() {
                let (path, at) = (mesh::N_TRIS.path(&path), mesh::N_TRIS.offset_in(record));
                let described = counted(QuadCount::Described);
                let message = || format!("{stored} stored, the list holds {described}");
                self.findings.broken(rules::NTRI, &path, at, message)?;
            }
            meshes.push(Mesh {
                vertices: vertices.0,
                primitives: primitives.0,
                material,
                flags: MeshFlags(def.flags),
                quad_count: rule.unwrap_or_default(),
                reserved: def.reserved,
            });
            places.push(MeshPlace {
                vertices: vertices.1,
                primitives: primitives.1,
                material: material_place,
            });
        }
        Ok((meshes, places))
    }

    fn bones<'a>(
        &self,
        defs: &[BoneDef],
        table: u32,
        strings: &mut Strings<'_, 'a>,
    ) -> Result<(Vec<Bone>, Vec<StringPlace>), ReadError> {
        let root = FieldPath::ROOT.field(Table::Bones.name());
        let (mut bones, mut places) = self.rows(Table::Bones, table, defs.len())?;
        for (i, def) in defs.iter().enumerate() {
            let at = bone::OFS_NAME.offset_in(Table::Bones.row_offset(table, i));
            let (name, place) = strings.get(&bone::OFS_NAME.path(&root.index(i)), at, def.name)?;
            bones.push(Bone {
                transform: BoneTransform::from_bits(def.transform),
                name,
                parent: def.parent,
                solid: def.solid,
                reserved: def.reserved,
            });
            places.push(place);
        }
        Ok((bones, places))
    }

    fn clips<'a>(
        &self,
        defs: &[AnimDef],
        table: u32,
        normal_bones: usize,
        lists: &mut Lists<'_, 'a>,
        strings: &mut Strings<'_, 'a>,
    ) -> Result<(Vec<Clip>, Vec<ClipPlace>), ReadError> {
        let root = FieldPath::ROOT.field(Table::Anims.name());
        let (mut clips, mut places) = self.rows(Table::Anims, table, defs.len())?;
        for (i, def) in defs.iter().enumerate() {
            let (path, record) = (root.index(i), Table::Anims.row_offset(table, i));
            let at = anim::OFS_NAME.offset_in(record);
            let (name, name_place) = strings.get(&anim::OFS_NAME.path(&path), at, def.name)?;
            let place = ListPlace::from_record(def.stream, def.stream_size);
            let (stream, stream_place) = lists.stream(&path, record, place, normal_bones)?;
            clips.push(Clip {
                name,
                frames: def.frames,
                rate: ClipRate(def.rate),
                reserved: def.reserved,
                stream,
            });
            places.push(ClipPlace { name: name_place, stream: stream_place });
        }
        Ok((clips, places))
    }
}
