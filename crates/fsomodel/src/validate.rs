//! Finding everything that is wrong with a model. What concerns many vertices is one finding, with their number and
//! the first of them.

use crate::check::{self, Broken, Offsets, Place};
use crate::detect;
use crate::extent::Extents;
use crate::metadata::Metadata;
use crate::metadata_read::STREAM;
use crate::model::{ChunkId, Dialect, FsoModel, VERSION};
use crate::view::Table;
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::{Budget, F32, FieldPath, Finding, Limits, Path, Report, Severity, Stream};

/// Squares of lengths between these are taken for 1: a length within 1 %.
const UNIT: core::ops::RangeInclusive<f32> = 0.9801..=1.0201;

/// Vertices that are looked at while they are in the cache.
const BATCH: usize = 256;

impl FsoModel<'_> {
    /// Everything that is wrong with the model, its companion included. Rules that the strict reader enforces are
    /// errors. Offsets are those of the file that [`to_bytes`](Self::to_bytes) writes.
    pub fn validate(&self) -> Report {
        let mut report = Report::new();
        if self.version != VERSION {
            let message = || format!("version {}, only {VERSION} may be used", self.version);
            report.error("Version", &Path::ROOT.field("version"), Some(8), message);
        }
        let offsets = Offsets::with_companion(self);
        let extents = Extents::new(self.indices());
        let mut tell = |broken: Broken| -> Result<(), ()> {
            push(&mut report, &offsets, Severity::Error, broken);
            Ok(())
        };
        let walked = check::chunks(self, &mut tell).and_then(|()| check::ranges(self, &extents, &mut tell));
        debug_assert!(walked.is_ok());
        self.validate_dialect(&mut report, &offsets);
        self.validate_ranges(&mut report, &offsets, &extents);
        self.validate_vertices(&mut report);
        if let Some(metadata) = &self.metadata {
            report.append(metadata.validate());
        }
        report
    }

    fn validate_dialect(&self, report: &mut Report, offsets: &Offsets) {
        let rivals = detect::rivals(self);
        if !rivals.is_empty() {
            let names: Vec<_> = rivals.iter().map(|d| d.name()).collect();
            let message = format!("the bytes fit {}; read as {}", names.join(" and "), self.dialect);
            let place = Place::Chunk(0);
            push(
                report,
                offsets,
                Severity::Warning,
                Broken { code: "AmbiguousDialect", place, message: message.into() },
            );
        }
        if matches!(self.table(), Table::Missing(_)) {
            let message = "no meshes: all indices are one mesh".into();
            push(
                report,
                offsets,
                Severity::Warning,
                Broken { code: "NoMeshTable", place: Place::Model, message },
            );
        }
    }

    fn validate_ranges(&self, report: &mut Report, offsets: &Offsets, extents: &Extents<'_>) {
        let (indices, table) = (self.indices(), self.table());
        let mut used = Vec::with_capacity(table.len());
        let mut warn = |code, place, message: alloc::string::String| {
            push(report, offsets, Severity::Warning, Broken { code, place, message: message.into() });
        };
        for i in 0..table.len() {
            let Some(range) = table.get(i) else { break };
            let Some((first, end)) = check::within(&range, indices.len()) else { continue };
            used.push((first, end));
            if range.count % 3 != 0 {
                let message = format!("{} indices are no whole number of triangles", range.count);
                warn("NotTriangles", Place::Mesh(i, "count", 8), message);
            }
            let (Some(truth), Some(claimed)) = (extents.of(first, end), range.claimed) else { continue };
            if truth == claimed {
                continue;
            }
            let base = u64::from(range.base_index);
            let after = |v: u32, claim: u32| u64::from(v).saturating_add(base) == claim.into();
            let code = if base > 0 && after(truth.0, claimed.0) && after(truth.1, claimed.1) {
                "MinMaxAfterBase"
            } else if claimed.0 <= truth.0 && claimed.1 >= truth.1 {
                "LooseMinMax"
            } else {
                "WrongMinMax"
            };
            let message = format!("claims {} to {}, holds {} to {}", claimed.0, claimed.1, truth.0, truth.1);
            warn(code, Place::Mesh(i, "min_index", 16), message);
        }
        let (unused, first) = check::gaps(&mut used, indices.len());
        if let Some(first) = first {
            warn("UnusedIndices", Place::Index(first), format!("{unused} indices that no mesh draws"));
        }
    }

    fn validate_vertices(&self, report: &mut Report) {
        let Some(start) = self.payload_offset() else { return };
        let bytes = self.chunk(ChunkId::VDAT).unwrap_or_default();
        let size = self.dialect.vertex_size();
        let (mut odd, mut first_odd, mut broken) = (0_usize, None, None);
        for (batch, vertices) in bytes.chunks(BATCH.saturating_mul(size)).enumerate() {
            let base = batch.saturating_mul(BATCH);
            if broken.is_none() && !finite(vertices) {
                let bad = |v: &[u8]| !finite(v);
                broken = vertices.chunks_exact(size).position(bad).map(|i| base.saturating_add(i));
            }
            let count = match self.dialect {
                Dialect::Seed44 => off_length::<44, 20>(vertices),
                Dialect::Doc56 => off_length::<56, 20>(vertices),
                Dialect::Gl3 => off_length::<60, 24>(vertices),
            };
            if count > 0 && first_odd.is_none() {
                let one = |v: &[u8]| match self.dialect {
                    Dialect::Seed44 => off_length::<44, 20>(v) > 0,
                    Dialect::Doc56 => off_length::<56, 20>(v) > 0,
                    Dialect::Gl3 => off_length::<60, 24>(v) > 0,
                };
                first_odd = vertices.chunks_exact(size).position(one).map(|i| base.saturating_add(i));
            }
            odd = odd.saturating_add(count);
        }
        let table = Path::ROOT.field("vertices");
        let at = |i: usize| Some(start.saturating_add((i as u64).saturating_mul(size as u64)));
        if let Some(i) = broken {
            report.warn(
                "NonFinite",
                &table.index(i),
                at(i),
                || "the first vertex with a value that is not finite",
            );
        }
        if let Some(i) = first_odd {
            let normal = self.vertices().get(i).unwrap_or_default().normal;
            report.warn("NormalLength", &table.index(i).field("normal"), at(i), || {
                format!("normal {normal:?} is not of length 1; {odd} in all")
            });
        }
    }

    fn payload_offset(&self) -> Option<u64> {
        let chunk = self.chunks.iter().position(|c| c.id == ChunkId::VDAT)?;
        Some(Offsets::of(self).at(Place::Chunk(chunk)).0.saturating_add(12))
    }
}

fn push(report: &mut Report, offsets: &Offsets, severity: Severity, broken: Broken) {
    let (at, companion) = offsets.at(broken.place);
    if !companion {
        broken.place.with_path(|path| report.add(severity, broken.code, path, Some(at), || broken.message));
        return;
    }
    let mut path = FieldPath::default();
    broken.place.with_path(|place| path = place.to_owned());
    // Where in the text a number stands is not kept.
    report.push(Finding {
        severity,
        code: broken.code,
        kind: meshwright_core::Kind::BadValue,
        path,
        stream: Stream::Part(STREAM.into()),
        offset: None,
        message: broken.message,
    });
}

/// No float of a run of them is infinite or NaN.
fn finite(bytes: &[u8]) -> bool {
    const EXPONENT: u32 = 0x7f80_0000;
    let words = bytes.as_chunks::<4>().0;
    !words.iter().fold(false, |bad, b| bad | (u32::from_le_bytes(*b) & EXPONENT == EXPONENT))
}

/// How many vertices of `SIZE` bytes have a normal, at byte `AT`, that is not of length 1.
fn off_length<const SIZE: usize, const AT: usize>(bytes: &[u8]) -> usize {
    let component = |v: &[u8; SIZE], i: usize| {
        let word = v.get(AT.saturating_add(i.saturating_mul(4))..).and_then(|b| b.first_chunk());
        F32::from_bits(word.map_or(0, |w| u32::from_le_bytes(*w))).get()
    };
    let off = |v: &[u8; SIZE]| {
        let [x, y, z] = [component(v, 0), component(v, 1), component(v, 2)];
        usize::from(!UNIT.contains(&(x * x + y * y + z * z)))
    };
    bytes.as_chunks::<SIZE>().0.iter().map(off).sum()
}

impl Metadata {
    /// Everything that is wrong with the companion by itself.
    pub fn validate(&self) -> Report {
        let mut report = Report::new();
        let broken = self.check(|broken| {
            let table = Path::ROOT.field(broken.table);
            let item = table.index(broken.item.unwrap_or_default());
            report.push(Finding {
                severity: Severity::Error,
                code: "Metadata",
                kind: meshwright_core::Kind::BadValue,
                path: item.field(broken.field).to_owned(),
                stream: Stream::Part(STREAM.into()),
                offset: None,
                message: broken.message.into(),
            });
            Ok::<_, ()>(())
        });
        debug_assert!(broken.is_ok());
        for (i, _) in self.materials.iter().enumerate().filter(|(_, m)| m.diffuse_texture.is_none()) {
            report.push(Finding {
                severity: Severity::Warning,
                code: "Metadata",
                kind: meshwright_core::Kind::BadValue,
                path: Path::ROOT.field("materials").index(i).field("diffuse_texture").to_owned(),
                stream: Stream::Part(STREAM.into()),
                offset: None,
                message: "the engine's loader needs this field".into(),
            });
        }
        if self.nodes.is_empty() {
            report.push(Finding {
                severity: Severity::Warning,
                code: "Metadata",
                kind: meshwright_core::Kind::BadValue,
                path: Path::ROOT.field("nodes").to_owned(),
                stream: Stream::Part(STREAM.into()),
                offset: self.text.0.as_ref().map(|_| 0),
                message: "no root_node: nothing says where the meshes are drawn".into(),
            });
        }
        // What is odd in the text is odd for as long as that is what will be written.
        if let Some(text) = &self.text.0 {
            let mut notes = Report::new();
            let said = Self::read(text, &Budget::new(Limits::UNLIMITED), &mut notes);
            if said.is_ok_and(|said| said == *self) {
                report.append(notes);
            }
        }
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_judged_by_their_bits() {
        let words = |w: &[u32]| w.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<_>>();
        assert!(finite(&words(&[0, 0x7f7f_ffff, 0xff7f_ffff, 1])));
        assert!(!finite(&words(&[0, 0x7f80_0000])));
        assert!(!finite(&words(&[0xffff_ffff])));
    }

    #[test]
    fn a_normal_that_is_not_a_number_is_not_of_length_1() {
        let mut vertex = [0_u8; 44];
        vertex[20..24].copy_from_slice(&1.005_f32.to_le_bytes());
        assert_eq!(off_length::<44, 20>(&vertex), 0);
        vertex[24..28].copy_from_slice(&f32::NAN.to_le_bytes());
        assert_eq!(off_length::<44, 20>(&vertex), 1);
    }
}
