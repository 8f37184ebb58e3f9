//! Reads a file: first the sections, then the rules.

use crate::check::{check, check_extent};
use crate::check_motion::check_pose_count;
use crate::layout::{Layout, Node, Section};
use crate::model::{Iqm, IqmExtension, VertexArray};
use crate::parse::{
    ArrayEntry, Header, LETTERS, anim, array, bounds, extension, header, joint, joint_of_version_1, magic,
    mesh, pose, pose_of_version_1,
};
use crate::plan::sizes;
use crate::record::{
    ADJACENCY, ANIMS, ARRAYS, BOUNDS, COMMENT, EXTENSIONS, FRAMES, JOINTS, MESHES, POSES, TABLES, TEXT,
    TRIANGLES, anim as anim_record, array as array_record, bounds as bounds_record,
    extension as extension_record, header as h, mesh as mesh_record, triangle,
};
use crate::rules::{BAD_CHANNELS, BAD_FORMAT, CODES, COUNT, EXTENSION_LOOP, IN_HEADER, RULES, SHORT_HEADER};
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::layout::{Coverage, Retained};
use meshwright_core::record::Field;
use meshwright_core::{
    Beside, Budget, Companion, Confidence, Cursor, FieldPath, FileFormat, Findings, Parsed, ReadError,
    ReadOptions, Role, Rule, SortedSet, Source,
};

impl Iqm {
    /// Reads a file strictly, with the default limits.
    ///
    /// # Errors
    /// If the file breaks a rule of the format, or would take more memory than the default limits allow.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::parse_with(bytes, &ReadOptions::default()).map(|parsed| parsed.model)
    }

    /// Reads a file.
    ///
    /// A lenient reader accepts and reports: a stored file size that differs from the actual one (`truncated`,
    /// `out-of-file`), names and text without an end (`bad-name`, `bad-text`), and numbers that are not finite
    /// (`non-finite`).
    ///
    /// # Errors
    /// If the file breaks a rule that the options do not accept, or would take more memory than they allow.
    pub fn parse_with(bytes: &[u8], options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        let budget = Budget::new(options.limits);
        let mut findings = Findings::reading(options);
        let model = file(bytes, &budget, &mut findings)?;
        Ok(Parsed::new(model, findings.into_report()))
    }

    /// Checks whether the bytes start with the format's magic.
    #[must_use]
    pub fn sniff(bytes: &[u8]) -> Confidence {
        if bytes.starts_with(LETTERS) { Confidence::Certain } else { Confidence::No }
    }
}

impl TryFrom<&[u8]> for Iqm {
    type Error = ReadError;

    /// Reads a file as [`parse`](Self::parse) does.
    fn try_from(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::parse(bytes)
    }
}

impl FileFormat for Iqm {
    const ID: &'static str = "iqm";
    const TITLE: &'static str = "Inter-Quake Model";
    const EXTENSIONS: &'static [&'static str] = &["iqm", "vvm"];
    const RULES: &'static [&'static Rule] = RULES;
    const DESCRIPTION: meshwright_core::description::Description = crate::description::DESCRIPTION;
    const COMPANIONS: &'static [Companion] = &[
        Companion::one(Role::Clips, "framegroups", &[Beside::Appended("framegroups")]),
        Companion::many(Role::Animation, "iqm", &[]),
    ];

    type Options = ReadOptions;

    meshwright_core::own_verbs!();
}

fn file(bytes: &[u8], budget: &Budget, findings: &mut Findings) -> Result<Iqm, ReadError> {
    let whole = Source::file(bytes, CODES, budget);
    let root = FieldPath::ROOT;
    whole.start().read(&root, magic)?;
    let size = bytes.len() as u64;
    if size < h::SIZE as u64 {
        let message = format!("{size} bytes, the header has {}", h::SIZE);
        return Err(whole.broken(SHORT_HEADER, &root, size, message));
    }
    let header = whole.start().read(&root, header)?;
    let filesize = header.get(h::FILESIZE);
    check_extent((filesize, size), h::SIZE as u64, findings)?;
    // Bytes after the stored size are not part of the file.
    let own = if findings.is_lenient() { None } else { bytes.get(..filesize as usize) };
    let source = Source::file(own.unwrap_or(bytes), CODES, budget);
    let mut reader = Reader {
        source: &source,
        header: &header,
        coverage: Coverage::new(),
        layout: Layout { filesize, size, ..Layout::default() },
    };
    // The memory of this file's layout and of the usual one, in addition to their lists.
    whole.charge(&root, 0, "sections", LAYOUTS, 1)?;
    reader.coverage.add(0, h::SIZE as u64);
    let mut model = reader.model(findings)?;
    let Reader { mut coverage, mut layout, .. } = reader;
    // Memory for all unused bytes, and for those that are not padding.
    whole.charge(&root, 0, "bytes of no section", coverage.gap_memory(size), 3)?;
    layout.gaps = coverage.gaps(bytes).without_padding();
    check_extent((filesize, size), layout.end(), findings)?;
    let canonical = Layout::canonical(&model).ok();
    model.layout = Retained::compared(layout, canonical.as_ref());
    check(&model, findings)?;
    Ok(model)
}

/// The memory for two layouts, and for the coverage of the tables.
const LAYOUTS: u64 = 4096;
/// The memory for an array: its entry in growing lists and in the usual layout, and its coverage.
#[allow(clippy::arithmetic_side_effects, reason = "evaluated at compile time")]
const ARRAY: usize = 2 * Coverage::SECTION + 6 * size_of::<Section>();
/// The memory for an extension: its entry, location, node and data, and the list of visited nodes.
#[allow(clippy::arithmetic_side_effects, reason = "evaluated at compile time")]
const EXTENSION: usize = 3 * size_of::<IqmExtension>() + 4 * size_of::<Node>() + 2 * Coverage::SECTION + 64;

/// Reads sections.
struct Reader<'s, 'a> {
    source: &'s Source<'a>,
    header: &'s Header,
    coverage: Coverage,
    layout: Layout,
}

impl<'s, 'a> Reader<'s, 'a> {
    fn model(&mut self, findings: &mut Findings) -> Result<Iqm, ReadError> {
        let (joint_size, pose_size) = sizes(self.header.version);
        let first = self.header.version == 1;
        let text = self.bytes(TEXT, h::NUM_TEXT)?;
        let meshes = self.table(MESHES, h::NUM_MESHES, mesh_record::SIZE)?.all(mesh)?;
        let arrays = self.arrays()?;
        let triangles = self.triples(TRIANGLES)?;
        let adjacency = self.optional(h::OFS_ADJACENCY).then(|| self.triples(ADJACENCY)).transpose()?;
        let joints = self.table(JOINTS, h::NUM_JOINTS, joint_size)?;
        let joints = if first { joints.all(joint_of_version_1)? } else { joints.all(joint)? };
        let poses = self.table(POSES, h::NUM_POSES, pose_size)?;
        let poses = if first { poses.all(pose_of_version_1)? } else { poses.all(pose)? };
        let anims = self.table(ANIMS, h::NUM_ANIMS, anim_record::SIZE)?.all(anim)?;
        let frames = self.frames()?;
        let bounds = match self.optional(h::OFS_BOUNDS) {
            true => Some(self.table(BOUNDS, h::NUM_FRAMES, bounds_record::SIZE)?.all(bounds)?),
            false => None,
        };
        let comment = self.bytes(COMMENT, h::NUM_COMMENT)?;
        let model = Iqm {
            version: self.header.version,
            flags: self.header.get(h::FLAGS),
            text,
            meshes,
            vertex_count: self.header.get(h::NUM_VERTEXES),
            arrays,
            triangles,
            adjacency,
            joints,
            poses,
            anims,
            frame_count: self.header.get(h::NUM_FRAMES),
            frames,
            bounds,
            comment,
            extensions: self.extensions()?,
            layout: Retained::None,
        };
        let counts = [model.joints.len() as u64, model.poses.len() as u64, model.frame_count.into()];
        check_pose_count(counts, Some(h::NUM_POSES.offset_in(0)), findings)?;
        let (stated, found) = (self.header.get(h::NUM_CHANNELS), model.frame_channels());
        if found as u64 != u64::from(stated) {
            let message = format!("the masks name {found} channels, the header {stated}");
            let path = h::NUM_CHANNELS.path(&FieldPath::ROOT);
            return Err(self.source.broken(BAD_CHANNELS, &path, h::NUM_CHANNELS.offset_in(0), message));
        }
        Ok(model)
    }

    /// Returns whether a section is present: its offset is not 0.
    fn optional(&self, offset: Field) -> bool {
        self.header.get(offset) != 0
    }

    /// Checks that `count` items would fit into the file at some offset. If not, the count is at fault.
    fn fits(&self, (path, at): (&FieldPath<'_>, u64), count: u64, size: u64) -> Result<(), ReadError> {
        let all = self.source.bytes().len() as u64;
        if count.checked_mul(size).is_some_and(|len| len <= all) {
            return Ok(());
        }
        let message = format!("{count} items of {size} bytes exceed the file of {all} bytes");
        Err(self.source.broken(COUNT, path, at, message))
    }

    /// Returns a section, whose offset is `field` of the record at `path`.
    fn section(
        &mut self,
        field: (&FieldPath<'_>, u64),
        start: u32,
        count: u64,
        size: u64,
    ) -> Result<Cursor<'a, 's>, ReadError> {
        let (path, at) = field;
        let cursor = self.source.section(path, at, start.into(), count, size)?;
        let len = cursor.remaining();
        if len > 0 && u64::from(start) < h::SIZE as u64 {
            let message = format!("{start:#x} is within the header");
            return Err(self.source.broken(IN_HEADER, path, at, message));
        }
        self.coverage.add(start.into(), len);
        Ok(cursor)
    }

    /// Reads one section of the header. `field` has the number of its items.
    fn read_section(
        &mut self,
        table: usize,
        field: Field,
        count: u64,
        size: u64,
    ) -> Result<Cursor<'a, 's>, ReadError> {
        self.fits((&field.path(&FieldPath::ROOT), field.offset_in(0)), count, size)?;
        let offset = TABLES.get(table).map_or(h::OFS_TEXT, |t| t.offset);
        let start = self.header.get(offset);
        let cursor =
            self.section((&offset.path(&FieldPath::ROOT), offset.offset_in(0)), start, count, size)?;
        if let Some(own) = self.layout.tables.get_mut(table) {
            *own = Section { start, len: cursor.remaining() };
        }
        Ok(cursor)
    }

    fn table(&mut self, table: usize, count: Field, size: usize) -> Result<Table<'a, 's>, ReadError> {
        let number = self.header.get(count);
        let cursor = self.read_section(table, count, number.into(), size as u64)?;
        let name = TABLES.get(table).map_or("", |t| t.name);
        Ok(Table { cursor, name, count, number, size })
    }

    fn bytes(&mut self, table: usize, count: Field) -> Result<Vec<u8>, ReadError> {
        let cursor = self.read_section(table, count, self.header.get(count).into(), 1)?;
        self.read_own_bytes(&cursor, &count.path(&FieldPath::ROOT), count.offset_in(0))
    }

    /// Copies the rest of a section.
    fn read_own_bytes(
        &self,
        cursor: &Cursor<'a, 's>,
        path: &FieldPath<'_>,
        at: u64,
    ) -> Result<Vec<u8>, ReadError> {
        let mut bytes = cursor.reserve(path, at, cursor.remaining(), 1)?;
        bytes.extend_from_slice(cursor.rest());
        Ok(bytes)
    }

    fn triples(&mut self, table: usize) -> Result<Vec<[u32; 3]>, ReadError> {
        let Table { cursor, name, count, number, size } =
            self.table(table, h::NUM_TRIANGLES, triangle::SIZE)?;
        let mut all =
            cursor.reserve(&FieldPath::ROOT.field(name), count.offset_in(0), number.into(), size as u64)?;
        let (items, _) = cursor.rest().as_chunks::<{ triangle::SIZE }>();
        all.extend(items.iter().map(|item| {
            let (words, _) = item.as_chunks::<4>();
            core::array::from_fn(|i| u32::from_le_bytes(words.get(i).copied().unwrap_or_default()))
        }));
        Ok(all)
    }

    fn frames(&mut self) -> Result<Vec<u16>, ReadError> {
        let [frames, channels] = [h::NUM_FRAMES, h::NUM_CHANNELS].map(|f| u64::from(self.header.get(f)));
        let cursor = self.read_section(FRAMES, h::NUM_FRAMES, frames, channels.saturating_mul(2))?;
        let (path, at) = (FieldPath::ROOT.field("frames"), h::NUM_FRAMES.offset_in(0));
        let mut all = cursor.reserve(&path, at, cursor.remaining() / 2, 2)?;
        meshwright_core::bulk::extend_le_u16(cursor.rest(), &mut all);
        Ok(all)
    }

    fn arrays(&mut self) -> Result<Vec<VertexArray>, ReadError> {
        let table = self.table(ARRAYS, h::NUM_ARRAYS, array_record::SIZE)?;
        let (path, start) = (FieldPath::ROOT.field("vertexarrays"), table.cursor.offset());
        let entries = table.all(array)?;
        self.source.charge(&path, h::NUM_ARRAYS.offset_in(0), "sections", entries.len() as u64, ARRAY)?;
        let mut arrays = Vec::with_capacity(entries.len());
        self.source.charge(
            &path,
            h::NUM_ARRAYS.offset_in(0),
            "arrays",
            entries.len() as u64,
            size_of::<VertexArray>(),
        )?;
        for (i, entry) in entries.iter().enumerate() {
            let own = path.index(i);
            let at = crate::record::item(start, i, array_record::SIZE);
            let cursor = self.array_data(entry, &own, at)?;
            let offset = array_record::OFFSET;
            // Each array gets its own copy of the bytes, so that arrays that share bytes are charged for
            // what is written.
            let data = self.read_own_bytes(&cursor, &offset.path(&own), offset.offset_in(at))?;
            self.layout.arrays.push(Section { start: entry.offset, len: cursor.remaining() });
            let ArrayEntry { kind, flags, format, components, .. } = *entry;
            arrays.push(VertexArray { kind, flags, format, components, data });
        }
        Ok(arrays)
    }

    fn array_data(
        &mut self,
        entry: &ArrayEntry,
        path: &FieldPath<'_>,
        at: u64,
    ) -> Result<Cursor<'a, 's>, ReadError> {
        let Some(width) = entry.format.width() else {
            let message = format!("format {:#x} is not defined", entry.format.0);
            let field = array_record::FORMAT;
            return Err(self.source.broken(BAD_FORMAT, &field.path(path), field.offset_in(at), message));
        };
        let value = u64::from(width).saturating_mul(entry.components.into());
        let (offset, vertices) = (array_record::OFFSET, self.header.get(h::NUM_VERTEXES));
        let components = array_record::COMPONENTS;
        self.fits((&components.path(path), components.offset_in(at)), vertices.into(), value)?;
        self.section((&offset.path(path), offset.offset_in(at)), entry.offset, vertices.into(), value)
    }

    fn extensions(&mut self) -> Result<Vec<IqmExtension>, ReadError> {
        let (table, count) = (FieldPath::ROOT.field("extensions"), self.header.get(h::NUM_EXTENSIONS));
        let mut field = h::OFS_EXTENSIONS.offset_in(0);
        let mut at = self.header.get(h::OFS_EXTENSIONS);
        if let Some(own) = self.layout.tables.get_mut(EXTENSIONS) {
            *own = Section { start: at, len: u64::from(count).saturating_mul(extension_record::SIZE as u64) };
        }
        let (mut extensions, mut met) = (Vec::new(), SortedSet::new());
        let node_size = extension_record::SIZE as u64;
        for i in 0..count as usize {
            let path = table.index(i);
            let mut cursor = self.section((&path, field), at, 1, node_size)?;
            self.source.charge(&path, field, "extensions", 1, EXTENSION)?;
            if !met.insert(at) {
                let message = format!("the node at {at:#x} is in the list twice");
                return Err(self.source.broken(EXTENSION_LOOP, &path, field, message));
            }
            let node = cursor.read(&path, extension)?;
            let data_at = extension_record::OFS_DATA.offset_in(at.into());
            let data_path = extension_record::OFS_DATA.path(&path);
            let data = self.section((&data_path, data_at), node.data, node.len.into(), 1)?;
            let own = self.read_own_bytes(&data, &data_path, data_at)?;
            extensions.push(IqmExtension { name: node.name, data: own });
            let place = Section { start: node.data, len: node.len.into() };
            self.layout.nodes.push(Node { start: at, data: place, next: node.next });
            field = extension_record::NEXT.offset_in(at.into());
            at = node.next;
        }
        Ok(extensions)
    }
}

/// A table whose bytes are present.
struct Table<'a, 's> {
    cursor: Cursor<'a, 's>,
    name: &'static str,
    count: Field,
    number: u32,
    size: usize,
}

impl<'a> Table<'a, '_> {
    fn all<T>(mut self, parser: impl meshwright_core::Parser<'a, T>) -> Result<Vec<T>, ReadError> {
        let path = FieldPath::ROOT.field(self.name);
        self.cursor.table(&path, self.count.offset_in(0), self.number.into(), self.size as u64, parser)
    }
}
