//! Reading, in the order of the description.

use crate::codes;
use crate::layout::{
    BONE, CLIP, ClipPlace, HEADER, LOD, Layout, ListPlace, MESH, MeshPlace, RECORDS, StringPlace,
};
use crate::lists::Lists;
use crate::model::{Bmd, Bone, Clip, ClipRate, Lod, Mesh, MeshFlags, QuadCount};
use crate::rules;
use crate::strings::Strings;
use crate::transform::BoneTransform;
use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::layout::Coverage;
use meshwright_core::num::F8A;
use meshwright_core::{
    Budget, Codes, Confidence, Fault, Parsed, Path, ReadError, ReadOptions, Report, Source,
};
use nom::Parser as _;
use nom::error::context;
use nom::number::complete::{le_u8, le_u16, le_u32, le_u64};

type Step<'a, T> = nom::IResult<&'a [u8], T, Fault<'a>>;

/// The first four bytes of a file.
pub(crate) const MAGIC: [u8; 4] = *b"BMD1";

/// Offsets of the header's pairs of table offset and size.
const TABLE_FIELDS: [u64; 4] = [0x10, 0x18, 0x20, 0x28];
const TABLE_NAMES: [&str; 4] = ["meshes", "lods", "bones", "anims"];

impl Bmd {
    /// Reads a file strictly, within the default limits.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::parse_with(bytes, &ReadOptions::default()).map(|p| p.model)
    }

    /// Reads a file.
    ///
    /// A lenient reading passes over, keeps as it is, and reports: a stored primitive count that fits no rule
    /// (the list itself decides), kinds of vertices and primitives that the mesh's flags forbid, reserved bits
    /// of primitives, levels of detail beyond the last mesh, solids that do not exist, keys beyond a clip's
    /// end, and clips without frames. Rewriting such a model is refused, except that a primitive count is
    /// written anew.
    pub fn parse_with(bytes: &[u8], options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        let budget = Budget::new(options.limits);
        const CODES: Codes = Codes {
            short: &meshwright_core::Rule::error(
                codes::TRUNC_HEADER,
                meshwright_core::Kind::Truncated,
                "",
                "",
            ),
            count: &meshwright_core::Rule::error(codes::TABLE_RANGE, meshwright_core::Kind::BadCount, "", ""),
            limit: &meshwright_core::Rule::error(codes::LIMIT, meshwright_core::Kind::Limit, "", ""),
        };
        let codes = CODES;
        let source = Source::file(bytes, codes, &budget);
        let mut forgiven = Report::new();
        let model =
            File { source: &source, lenient: options.is_lenient(), forgiven: &mut forgiven }.read()?;

        let mut first = None;
        rules::check(&model, &mut |code, path, offset, message| {
            let e = source.malformed(code, path, offset.unwrap_or(0), message);
            if options.is_lenient() && codes::FORGIVEN.contains(&code) {
                forgiven.push((&e).into());
                return true;
            }
            first = Some(e);
            false
        });
        match first {
            Some(e) => Err(e),
            None => Ok(Parsed::new(model, forgiven)),
        }
    }

    /// How sure it is that a file is of this format: by its magic, which no other format has.
    pub fn sniff(bytes: &[u8]) -> Confidence {
        if bytes.starts_with(&MAGIC) { Confidence::Certain } else { Confidence::No }
    }
}

struct Header {
    magic: [u8; 4],
    reserved: [u32; 3],
    /// Offset and size of each table.
    tables: [(u32, u32); 4],
}

fn header(i: &[u8]) -> Step<'_, Header> {
    let word = |name| context(name, le_u32);
    let (i, magic) = context("magic", le_u32).parse(i)?; // 00
    let (i, a) = word("resv1").parse(i)?; // 04
    let (i, b) = word("resv2").parse(i)?; // 08
    let (i, c) = word("resv3").parse(i)?; // 0C
    let (i, meshes) = (word("ofs_meshes"), word("sz_meshes")).parse(i)?; // 10
    let (i, lods) = (word("ofs_lods"), word("sz_lods")).parse(i)?; // 18
    let (i, bones) = (word("ofs_bones"), word("sz_bones")).parse(i)?; // 20
    let (i, anims) = (word("ofs_anims"), word("sz_anims")).parse(i)?; // 28
    let header =
        Header { magic: magic.to_le_bytes(), reserved: [a, b, c], tables: [meshes, lods, bones, anims] };
    Ok((i, header))
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
    let (i, vertices) = context("ofs_vtx", le_u32).parse(i)?; // 00
    let (i, triangles) = context("ofs_tris", le_u32).parse(i)?; // 04
    let (i, material) = context("ofs_mat", le_u32).parse(i)?; // 08
    let (i, vertex_count) = context("n_vtx", le_u16).parse(i)?; // 0C
    let (i, triangle_count) = context("n_tris", le_u16).parse(i)?; // 0E
    let (i, vertex_size) = context("sz_vtx", le_u32).parse(i)?; // 10
    let (i, triangle_size) = context("sz_tris", le_u32).parse(i)?; // 14
    let (i, flags) = context("flags", le_u32).parse(i)?; // 18
    let (i, reserved) = context("resv3", le_u32).parse(i)?; // 1C
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
    let (i, first) = context("id_mesh", le_u8).parse(i)?; // 00
    let (i, count) = context("n_mesh", le_u8).parse(i)?; // 01
    let (i, scale) = context("ld_sc", le_u8).parse(i)?; // 02
    let (i, reserved) = context("resv1", le_u8).parse(i)?; // 03
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
    let (i, transform) = context("xform", le_u64).parse(i)?; // 00
    let (i, name) = context("ofs_name", le_u32).parse(i)?; // 08
    let (i, parent) = context("id_parent", le_u8).parse(i)?; // 0C
    let (i, solid) = context("id_solid", le_u8).parse(i)?; // 0D
    let (i, a) = context("resv1", le_u8).parse(i)?; // 0E
    let (i, b) = context("resv2", le_u8).parse(i)?; // 0F
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
    let (i, name) = context("ofs_name", le_u32).parse(i)?; // 00
    let (i, frames) = context("n_frames", le_u8).parse(i)?; // 04
    let (i, rate) = context("fl_hz", le_u8).parse(i)?; // 05
    let (i, a) = context("resv1", le_u8).parse(i)?; // 06
    let (i, b) = context("resv2", le_u8).parse(i)?; // 07
    let (i, stream) = context("ofs_frames", le_u32).parse(i)?; // 08
    let (i, stream_size) = context("sz_frames", le_u32).parse(i)?; // 0C
    Ok((i, AnimDef { name, frames, rate, reserved: [a, b], stream, stream_size }))
}

/// One file being read.
struct File<'s, 'a> {
    source: &'s Source<'a>,
    lenient: bool,
    forgiven: &'s mut Report,
}

impl File<'_, '_> {
    fn read(&mut self) -> Result<Bmd, ReadError> {
        let source = self.source;
        let head = source.start().read(&Path::ROOT.field("header"), header)?;
        if head.magic != MAGIC {
            let message = format!("expected \"BMD1\", found {}", meshwright_core::text::Escaped(&head.magic));
            return Err(source.malformed(
                codes::MAGIC,
                &Path::ROOT.field("header").field("magic"),
                0,
                message,
            ));
        }
        self.check_tables(&head)?;
        let lists = Lists::new(source, &head.tables);
        let mut strings = Strings::new(source);
        let [mesh_table, lod_table, bone_table, anim_table] = head.tables;

        let defs = self.table("meshes", mesh_table, MESH, mesh_def)?;
        let lods = self.table("lods", lod_table, LOD, lod_def)?;
        let bone_defs = self.table("bones", bone_table, BONE, bone_def)?;
        let anim_defs = self.table("anims", anim_table, CLIP, anim_def)?;

        let (meshes, mesh_places) = self.meshes(&defs, mesh_table.0, lists, &mut strings)?;
        let (bones, bone_places) = self.bones(&bone_defs, bone_table.0, &mut strings)?;
        let mut model = Bmd { reserved: head.reserved, meshes, lods, bones, clips: Vec::new(), layout: None };
        let lists = Lists::new(source, &head.tables);
        let normal = model.normal_bones();
        let (clips, clip_places) = self.clips(&anim_defs, anim_table.0, normal, lists, &mut strings)?;
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
        let each = [(layout.meshes.len(), 3), (layout.bones.len(), 1), (layout.clips.len(), 2)];
        let sections = each.iter().fold(5, |n: u64, e| n.saturating_add((e.0 as u64).saturating_mul(e.1)));
        source.charge(&Path::ROOT, 0, "sections", sections, Coverage::SECTION)?;
        let mut coverage = coverage(&layout, &head.tables);
        source.charge(&Path::ROOT, 0, "unused bytes", coverage.gap_memory(layout.len), 1)?;
        layout.gaps = coverage.gaps(source.bytes());
        model.layout = Some(layout);
        Ok(model)
    }

    /// Sizes are whole records, tables lie in the file, behind the header, and apart from one another.
    fn check_tables(&self, head: &Header) -> Result<(), ReadError> {
        let source = self.source;
        let len = source.bytes().len() as u64;
        let path = Path::ROOT.field("header");
        let rows = head.tables.iter().zip(TABLE_FIELDS).zip(TABLE_NAMES).zip(RECORDS);
        let mut seen: Vec<(&str, u64, u64)> = Vec::new();
        for (((&(at, size), field), name), record) in rows {
            let path = path.field(name);
            let (at, size) = (u64::from(at), u64::from(size));
            let second = field.saturating_add(4);
            if size.checked_rem(record) != Some(0) {
                let message = format!("size {size} is no multiple of {record}");
                return Err(source.malformed(codes::TABLE_SIZE, &path, second, message));
            }
            if size == 0 {
                continue;
            }
            if at == 0 {
                let message = format!("{size} bytes at offset 0");
                return Err(source.malformed(codes::TABLE_OFS0, &path, field, message));
            }
            let end = at.saturating_add(size);
            if at < HEADER || end > len {
                let message = format!("{size} bytes at {at:#x} lie outside {HEADER:#x}..{len:#x}");
                return Err(source.malformed(codes::TABLE_RANGE, &path, field, message));
            }
            if let Some(other) = seen.iter().find(|(_, a, e)| at < *e && *a < end) {
                let message = format!("{size} bytes at {at:#x} overlap the {}", other.0);
                return Err(source.malformed(codes::OVERLAP, &path, field, message));
            }
            seen.push((name, at, end));
        }
        Ok(())
    }

    fn table<T>(
        &self,
        name: &'static str,
        (at, size): (u32, u32),
        record: u64,
        parser: impl for<'b> FnMut(&'b [u8]) -> Step<'b, T>,
    ) -> Result<Vec<T>, ReadError> {
        let path = Path::ROOT.field(name);
        let count = u64::from(size).checked_div(record).unwrap_or(0);
        // An empty table may claim to lie anywhere.
        let start = if count == 0 { 0 } else { u64::from(at) };
        let mut cursor = self.source.section(&path, start, start, count, record)?;
        cursor.table(&path, start, count, record, parser)
    }

    fn meshes(
        &mut self,
        defs: &[MeshDef],
        table: u32,
        mut lists: Lists<'_, '_>,
        strings: &mut Strings<'_, '_>,
    ) -> Result<(Vec<Mesh>, Vec<MeshPlace>), ReadError> {
        let root = Path::ROOT.field("meshes");
        let count = defs.len() as u64;
        self.source.charge(&root, u64::from(table), "meshes", count, size_of::<(Mesh, MeshPlace)>())?;
        let (mut meshes, mut places) = (Vec::with_capacity(defs.len()), Vec::with_capacity(defs.len()));
        for (i, def) in defs.iter().enumerate() {
            let path = root.index(i);
            let field = |offset: u64| record(table, i, MESH).saturating_add(offset);
            let vertices = lists.vertices(
                &path,
                field(0),
                ListPlace { at: def.vertices, size: def.vertex_size, used: 0 },
                def.vertex_count,
            )?;
            let primitives = lists.primitives(
                &path,
                field(4),
                ListPlace { at: def.triangles, size: def.triangle_size, used: 0 },
            )?;
            let (material, material_place) = strings.get(&path.field("ofs_mat"), field(8), def.material)?;
            let stored = usize::from(def.triangle_count);
            let (found, quads) = (primitives.0.len(), primitives.2);
            let counted = |rule| Mesh::stored_count(vertices.0.len(), found, quads, rule);
            let rule = [QuadCount::Described, QuadCount::Other].into_iter().find(|r| counted(*r) == stored);
            if rule.is_none() {
                let described = counted(QuadCount::Described);
                let message = format!("{stored} stored, the list holds {described}");
                let e = self.source.malformed(codes::NTRI, &path.field("n_tris"), field(0x0e), message);
                self.forgive(e)?;
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

    fn bones(
        &self,
        defs: &[BoneDef],
        table: u32,
        strings: &mut Strings<'_, '_>,
    ) -> Result<(Vec<Bone>, Vec<StringPlace>), ReadError> {
        let root = Path::ROOT.field("bones");
        let count = defs.len() as u64;
        self.source.charge(&root, u64::from(table), "bones", count, size_of::<(Bone, StringPlace)>())?;
        let (mut bones, mut places) = (Vec::with_capacity(defs.len()), Vec::with_capacity(defs.len()));
        for (i, def) in defs.iter().enumerate() {
            let offset = record(table, i, BONE).saturating_add(8);
            let (name, place) = strings.get(&root.index(i).field("ofs_name"), offset, def.name)?;
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

    fn clips(
        &self,
        defs: &[AnimDef],
        table: u32,
        normal_bones: usize,
        mut lists: Lists<'_, '_>,
        strings: &mut Strings<'_, '_>,
    ) -> Result<(Vec<Clip>, Vec<ClipPlace>), ReadError> {
        let root = Path::ROOT.field("anims");
        let count = defs.len() as u64;
        self.source.charge(&root, u64::from(table), "anims", count, size_of::<(Clip, ClipPlace)>())?;
        let (mut clips, mut places) = (Vec::with_capacity(defs.len()), Vec::with_capacity(defs.len()));
        for (i, def) in defs.iter().enumerate() {
            let path = root.index(i);
            let field = |offset: u64| record(table, i, CLIP).saturating_add(offset);
            let (name, name_place) = strings.get(&path.field("ofs_name"), field(0), def.name)?;
            let place = ListPlace { at: def.stream, size: def.stream_size, used: 0 };
            let (stream, stream_place) = lists.stream(&path, field(8), place, normal_bones)?;
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

    fn forgive(&mut self, e: ReadError) -> Result<(), ReadError> {
        if self.lenient && codes::FORGIVEN.contains(&e.code()) {
            self.forgiven.push((&e).into());
            return Ok(());
        }
        Err(e)
    }
}

/// Where record `index` of a table starts.
pub(crate) fn record(table: u32, index: usize, size: u64) -> u64 {
    u64::from(table).saturating_add((index as u64).saturating_mul(size))
}

/// What the structures of a file cover.
fn coverage(layout: &Layout, tables: &[(u32, u32); 4]) -> Coverage {
    let mut coverage = Coverage::new();
    coverage.add(0, HEADER);
    for (at, size) in tables {
        coverage.add(u64::from(*at), u64::from(*size));
    }
    let list = |c: &mut Coverage, l: &ListPlace| c.add(u64::from(l.at), u64::from(l.used));
    let string = |c: &mut Coverage, s: &StringPlace| {
        if s.at != 0 {
            c.add(u64::from(s.at), u64::from(s.len).saturating_add(1));
        }
    };
    for mesh in &layout.meshes {
        list(&mut coverage, &mesh.vertices);
        list(&mut coverage, &mesh.primitives);
        string(&mut coverage, &mesh.material);
    }
    layout.bones.iter().for_each(|s| string(&mut coverage, s));
    for clip in &layout.clips {
        list(&mut coverage, &clip.stream);
        string(&mut coverage, &clip.name);
    }
    coverage
}

/// A message for an error or finding.
pub(crate) type Message = Cow<'static, str>;
