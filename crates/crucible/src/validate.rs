//! Finding everything that is wrong with a model. Findings of one kind in one stream are one finding, with
//! their number and the first of them.

use crate::model::{CModel, Chunk, Stream};
use crate::packed::Attribute;
use crate::read_skeleton::bone_offset;
use crate::shape::{Place, Shape};
use crate::skeleton::SkeletonChunk;
use crate::view::floats;
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use meshwright_core::{F32, Finding, Path, Report, Severity, Stream as Part, bulk, values};

/// A normal whose length differs from 1 by more than this is reported.
const NORMAL_TOLERANCE: f32 = 1e-2;

/// Bone weights whose sum differs from 1 by more than this are reported: what half-precision weights reach.
const WEIGHT_TOLERANCE: f32 = 1e-3;

/// Where the parts of a chunk start in the file; `None` from the first stream on that has been edited.
struct Offsets {
    indices: Option<u64>,
    streams: Vec<Option<u64>>,
    tail: Option<u64>,
}

impl Offsets {
    fn of(chunk: &Chunk<'_>, start: Option<u64>) -> Self {
        let behind = |at: Option<u64>, header: u64, s: &Stream<'_>| {
            Some(at?.saturating_add(header).saturating_add(s.packed()?.len() as u64))
        };
        let mut at = behind(start, 9, &chunk.indices).map(|at| at.saturating_add(1));
        let mut streams = Vec::new();
        for s in &chunk.streams {
            streams.push(at);
            at = behind(at, 10, &s.stream);
        }
        // Only a chunk that was read has offsets.
        Self { indices: chunk.indices.packed().and(start), streams, tail: at }
    }
}

/// A tally of one kind of finding in one stream.
#[derive(Default)]
struct Tally {
    count: usize,
    first: Option<usize>,
}

impl Tally {
    fn add(&mut self, i: usize) {
        self.count = self.count.saturating_add(1);
        self.first.get_or_insert(i);
    }
}

/// One stream under examination.
struct Examined<'r, 'p> {
    report: &'r mut Report,
    path: Path<'p>,
    from_file: bool,
}

impl Examined<'_, '_> {
    /// Reports a tally; `size` is that of an item, `message` gets its first index.
    fn tell(
        &mut self,
        code: &'static str,
        tally: &Tally,
        size: usize,
        message: impl FnOnce(usize) -> String,
    ) {
        let Some(first) = tally.first else { return };
        let mut message = message(first);
        if tally.count > 1 {
            message = format!("{message}; {} in all", tally.count);
        }
        self.report.push(Finding {
            severity: Severity::Warning,
            code,
            kind: meshwright_core::Kind::BadValue,
            path: self.path.index(first).to_owned(),
            stream: Part::Part(Cow::Owned(self.path.to_owned().to_string())),
            offset: self.from_file.then_some((first as u64).saturating_mul(size as u64)),
            message: message.into(),
        });
    }

    /// Vectors of `size` bytes with a float that is infinite or NaN.
    fn finite(&mut self, stream: Option<&Stream<'_>>, size: usize) {
        let bytes = stream.map_or(&[][..], Stream::data);
        if all_finite(bytes) {
            return;
        }
        let mut tally = Tally::default();
        for (i, vector) in bytes.chunks_exact(size).enumerate() {
            if !all_finite(vector) {
                tally.add(i);
            }
        }
        self.tell("NonFinite", &tally, size, |i| format!("vertex {i} holds a value that is not finite"));
    }
}

/// No float among `bytes` is infinite or NaN: one pass without a branch per value.
fn all_finite(bytes: &[u8]) -> bool {
    const EXPONENT: u32 = 0x7f80_0000;
    let words = bytes.as_chunks::<4>().0;
    !words.iter().fold(false, |bad, b| bad | (u32::from_le_bytes(*b) & EXPONENT == EXPONENT))
}

fn length(v: [f32; 3]) -> f64 {
    let square: f64 = v.iter().map(|c| f64::from(*c) * f64::from(*c)).sum();
    // Newton's method, because core has no root; precise enough for a tolerance.
    let mut root = if square > 1.0 { square } else { 1.0 };
    for _ in 0..64 {
        root = 0.5 * (root + square / root);
    }
    root
}

/// A normal whose length is off, by the square of it, so that the common case needs no root.
fn off_length(bytes: &[u8; 12]) -> bool {
    const LOW: f32 = (1.0 - NORMAL_TOLERANCE) * (1.0 - NORMAL_TOLERANCE);
    const HIGH: f32 = (1.0 + NORMAL_TOLERANCE) * (1.0 + NORMAL_TOLERANCE);
    let [x, y, z] = values(floats::<3>(bytes));
    !(LOW..=HIGH).contains(&(x * x + y * y + z * z))
}

impl Chunk<'_> {
    /// Everything that is wrong with the chunk. Rules that the strict reader enforces are errors.
    pub fn validate(&self) -> Report {
        let mut report = Report::new();
        self.examine(&mut report, &Path::ROOT, Some(0), None);
        report
    }

    /// As [`validate`](Self::validate), and whether all bones exist in a skeleton.
    pub fn validate_with(&self, skeleton: &SkeletonChunk) -> Report {
        let mut report = Report::new();
        self.examine(&mut report, &Path::ROOT, Some(0), Some(skeleton));
        report
    }

    /// How many bytes the chunk takes in the file it was read from.
    fn stored_size(&self) -> Option<u64> {
        let end = Offsets::of(self, Some(0)).tail?;
        Some(end.saturating_add(self.tail.len() as u64))
    }

    fn examine(
        &self,
        report: &mut Report,
        path: &Path<'_>,
        start: Option<u64>,
        skeleton: Option<&SkeletonChunk>,
    ) {
        let offsets = Offsets::of(self, start);
        let (table, field) = (path.field("streams"), path.field("indices"));
        let shape = Shape::of(self);
        let broken = shape.check(self.dialect, |broken| {
            match broken.place {
                Place::Indices => {
                    let at = offsets.indices.map(|at| at.saturating_add(5));
                    report.error(broken.code, &field.field(broken.field), at, || broken.message);
                }
                Place::Stream(i) => {
                    let within = if broken.field == "flag" { 0 } else { 6 };
                    let at = offsets.streams.get(i).copied().flatten().map(|at| at.saturating_add(within));
                    report.error(broken.code, &table.index(i).field(broken.field), at, || broken.message);
                }
            }
            Ok::<_, ()>(())
        });
        debug_assert!(broken.is_ok());

        if self.index_size.0 > 1 {
            let at = offsets.indices;
            let byte = self.index_size.0;
            report.warn("IndexSizeByte", &path.field("index_size"), at, || {
                format!("byte {byte} stands for 32-bit indices; the format knows 0 and 1")
            });
        }
        self.examine_indices(report, &field);
        let rivals = shape.rivals(self.indices().highest());
        if !rivals.is_empty() {
            report.warn("AmbiguousDialect", path, start.and(offsets.indices), || {
                let names: Vec<_> = rivals.iter().map(|d| d.name()).collect();
                format!("the sizes fit {}; read as {}", names.join(" and "), self.dialect)
            });
        }
        let (vertices, dialect) = (self.vertex_count(), self.dialect);
        let has = |a: Attribute| self.stream(a).is_some();
        if vertices == 0 {
            report.warn("NoVertices", path, offsets.indices, || "no vertices");
        }
        match (has(Attribute::Position3), has(Attribute::Position2)) {
            (false, false) => report.warn("NoPosition", path, offsets.indices, || "no positions"),
            (true, true) => {
                report.warn(
                    "BothPositions",
                    path,
                    offsets.indices,
                    || "positions both in space and in the plane",
                );
            }
            _ => {}
        }
        for (i, stream) in self.streams.iter().enumerate() {
            let Some(attribute) = stream.flag.attribute(dialect) else { continue };
            let from_file = stream.stream.packed().is_some();
            let mut examined = Examined { report: &mut *report, path: table.index(i), from_file };
            self.examine_stream(&mut examined, attribute, skeleton);
        }
        if !self.tail.is_empty() {
            let n = self.tail.len();
            report.warn("TrailingBytes", path, offsets.tail, || format!("{n} bytes behind the last stream"));
        }
    }

    fn examine_indices(&self, report: &mut Report, field: &Path<'_>) {
        let indices = self.indices();
        let from_file = self.indices.packed().is_some();
        if !indices.len().is_multiple_of(3) {
            let n = indices.len();
            report.warn("NotTriangles", field, None, || {
                format!("{n} indices are no whole number of triangles")
            });
        }
        let vertices = self.vertex_count();
        if let Some((i, index)) = indices.first_beyond(vertices as u64) {
            let at = (i as u64).saturating_mul(self.index_size.bytes() as u64);
            report.push(Finding {
                severity: Severity::Error,
                code: "IndexRange",
                kind: meshwright_core::Kind::BadValue,
                path: field.index(i).to_owned(),
                stream: Part::Part(Cow::Owned(field.to_owned().to_string())),
                offset: from_file.then_some(at),
                message: format!("index {index} of {vertices} vertices").into(),
            });
        }
    }

    fn examine_stream(
        &self,
        examined: &mut Examined<'_, '_>,
        attribute: Attribute,
        skeleton: Option<&SkeletonChunk>,
    ) {
        let size = attribute.size(self.dialect);
        match attribute {
            Attribute::Position3 | Attribute::Position2 | Attribute::Uv | Attribute::Tangent => {
                examined.finite(self.stream(attribute), size);
            }
            Attribute::Normal => {
                let stream = self.stream(attribute);
                examined.finite(stream, size);
                let normals = stream.map_or(&[][..], Stream::data).as_chunks().0;
                let tally = Tally {
                    count: normals.iter().filter(|n| off_length(n)).count(),
                    first: normals.iter().position(off_length),
                };
                examined.tell("NormalLength", &tally, size, |i| {
                    let normal = values(normals.get(i).map_or([F32::default(); 3], |n| floats(n)));
                    format!("normal {normal:?} has length {:.4}", length(normal))
                });
            }
            Attribute::Color => {}
            Attribute::BoneWeights => self.examine_weights(examined, size, skeleton),
        }
    }

    fn examine_weights(
        &self,
        examined: &mut Examined<'_, '_>,
        size: usize,
        skeleton: Option<&SkeletonChunk>,
    ) {
        let Some(weights) = self.bone_weights() else { return };
        let bones = skeleton.map_or(u32::MAX, |s| u32::try_from(s.bones.len()).unwrap_or(u32::MAX));
        let [mut finite, mut sum, mut range, mut twice, mut missing] = [(); 5].map(|()| Tally::default());
        for (v, four) in weights.iter().enumerate() {
            let used = |w: &&crate::BoneWeight| w.influence.get() != 0.0;
            let total: f32 = four.iter().map(|w| w.influence.get()).sum();
            if four.iter().any(|w| !w.influence.is_finite()) {
                finite.add(v);
                continue;
            }
            if (total - 1.0).abs() > WEIGHT_TOLERANCE {
                sum.add(v);
            }
            if four.iter().any(|w| !(0.0..=1.0 + WEIGHT_TOLERANCE).contains(&w.influence.get())) {
                range.add(v);
            }
            if four
                .iter()
                .filter(used)
                .any(|a| four.iter().filter(used).filter(|b| a.bone == b.bone).count() > 1)
            {
                twice.add(v);
            }
            if skeleton.is_some() && four.iter().filter(used).any(|w| w.bone >= bones) {
                missing.add(v);
            }
        }
        let four = |v: usize| weights.get(v).unwrap_or_default();
        let shown = |v: usize| four(v).map(|w| w.influence.get());
        examined.tell("NonFinite", &finite, size, |v| format!("vertex {v} has a weight that is not finite"));
        examined.tell("WeightSum", &sum, size, |v| {
            format!("weights {:?} of vertex {v} sum to {}, not to 1", shown(v), shown(v).iter().sum::<f32>())
        });
        examined.tell("WeightRange", &range, size, |v| format!("weights {:?} of vertex {v}", shown(v)));
        examined.tell("BoneTwice", &twice, size, |v| {
            format!("bones {:?} of vertex {v}", four(v).map(|w| w.bone))
        });
        examined.tell("BoneRange", &missing, size, |v| {
            format!("bones {:?} of vertex {v}, the skeleton has {bones}", four(v).map(|w| w.bone))
        });
    }
}

impl CModel<'_> {
    /// Everything that is wrong with the chunks and the container.
    pub fn validate(&self) -> Report {
        self.examine(None)
    }

    /// As [`validate`](Self::validate), and whether all bones exist in a skeleton.
    pub fn validate_with(&self, skeleton: &SkeletonChunk) -> Report {
        self.examine(Some(skeleton))
    }

    fn examine(&self, skeleton: Option<&SkeletonChunk>) -> Report {
        let mut report = Report::new();
        let table = Path::ROOT.field("meshes");
        let mut at = Some(11_u64);
        for (i, mesh) in self.meshes.iter().enumerate() {
            let start = at.map(|at| at.saturating_add(8));
            mesh.examine(&mut report, &table.index(i), start, skeleton);
            at = start.zip(mesh.stored_size()).map(|(at, size)| at.saturating_add(size));
        }
        if !self.tail.is_empty() {
            let n = self.tail.len();
            report.warn("TrailingBytes", &Path::ROOT, at, || format!("{n} bytes behind the last mesh"));
        }
        report
    }
}

impl SkeletonChunk {
    /// Everything that is wrong with the skeleton. Rules that the reader enforces are errors.
    pub fn validate(&self) -> Report {
        let mut report = Report::new();
        let table = Path::ROOT.field("bones");
        let broken = self.check(|fault| {
            let path = match fault.bone {
                Some(i) => table.index(i).field(fault.field).to_owned(),
                None => table.to_owned(),
            };
            let finding = Finding {
                severity: Severity::Error,
                code: fault.code,
                kind: meshwright_core::Kind::BadValue,
                path,
                stream: Part::Part("bones".into()),
                offset: None,
                message: fault.message,
            };
            report.push(finding);
            Ok::<_, ()>(())
        });
        debug_assert!(broken.is_ok());
        let mut tally = Tally::default();
        for (i, bone) in self.bones.iter().enumerate() {
            let floats = [&bone.position[..], &bone.rotation, &bone.scale];
            if floats.into_iter().any(|f| bulk::first_non_finite(f).is_some()) {
                tally.add(i);
            }
        }
        if let Some(i) = tally.first {
            report.push(Finding {
                severity: Severity::Warning,
                code: "NonFinite",
                kind: meshwright_core::Kind::BadValue,
                path: table.index(i).to_owned(),
                stream: Part::Part("bones".into()),
                offset: self.packed.0.as_ref().map(|_| bone_offset(&self.bones, i)),
                message: format!("{} bones hold a value that is not finite", tally.count).into(),
            });
        }
        if !self.tail.is_empty() {
            let at = self.packed.0.as_ref().map(|p| (p.len() as u64).saturating_add(10));
            let n = self.tail.len();
            report.warn("TrailingBytes", &Path::ROOT, at, || format!("{n} bytes behind the bones"));
        }
        report
    }
}
