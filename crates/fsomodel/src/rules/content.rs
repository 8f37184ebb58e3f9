//! Rules for the content of chunks: dialect, claimed index ranges, vertex values. Faults of one type in many
//! vertices are one finding, with their number and the first of them.

use super::offsets::{FieldLocations, ModelField};
use super::structure::{self, FindingSink};
use crate::detect;
use crate::dialect::Dialect;
use crate::index_extents::Extents;
use crate::model::{ChunkId, FsoModel, VERSION};
use crate::ranges::{Table, gaps, within};
use crate::record::{header, mesh, vertex_44, vertex_56, vertex_60};
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::{F32, FieldPath, Findings, ReadError, Report, bulk, kernels};

/// The range of squared lengths that counts as 1: a length within 1 %.
const UNIT: core::ops::RangeInclusive<f32> = 0.9801..=1.0201;

/// The number of vertices that are examined while they are in the cache.
const BATCH: usize = 256;

impl FsoModel<'_> {
    /// Reports every broken rule of the model and its companion file. Rules that the strict reader enforces
    /// are errors. Offsets are those in the file that [`to_bytes`](Self::to_bytes) writes.
    pub fn validate(&self) -> Report {
        let mut findings = Findings::validating();
        let ended = self.examine(&mut findings);
        debug_assert!(ended.is_ok(), "validation goes on to the end");
        if let Some(metadata) = &self.metadata {
            findings.append(metadata.validate());
        }
        findings.into_report()
    }

    fn examine(&self, findings: &mut Findings) -> Result<(), ReadError> {
        let places = FieldLocations::as_written(self);
        let extents = Extents::new(self.indices());
        check_version(self, findings)?;
        structure::check_chunks(self, &places, findings)?;
        structure::check_ranges(self, &extents, &places, findings)?;
        let mut sink = FindingSink { findings, places: &places };
        self.examine_dialect(&mut sink)?;
        self.examine_ranges(&mut sink, &extents)?;
        self.examine_vertices(&mut sink)
    }

    fn examine_dialect(&self, on: &mut FindingSink<'_, '_>) -> Result<(), ReadError> {
        let rivals = detect::rivals(self);
        if !rivals.is_empty() {
            on.broken(super::AMBIGUOUS_DIALECT, ModelField::Chunk(0), &|| {
                let names: Vec<_> = rivals.iter().map(|d| d.name()).collect();
                format!("the bytes fit {}; read as {}", names.join(" and "), self.dialect)
            })?;
        }
        if matches!(self.table(), Table::Missing(_)) {
            on.broken(super::NO_MESH_TABLE, ModelField::Model, &|| {
                "no meshes: all indices are one mesh".into()
            })?;
        }
        Ok(())
    }

    fn examine_ranges(&self, on: &mut FindingSink<'_, '_>, extents: &Extents<'_>) -> Result<(), ReadError> {
        let (indices, table) = (self.indices(), self.table());
        let mut used = Vec::with_capacity(table.len());
        for i in 0..table.len() {
            let Some(range) = table.get(i) else { break };
            let Some((first, end)) = within(&range, indices.len()) else { continue };
            used.push((first, end));
            if range.count % 3 != 0 {
                on.broken(super::NOT_TRIANGLES, ModelField::Mesh(i, mesh::COUNT), &|| {
                    format!("{} indices are not a whole number of triangles", range.count)
                })?;
            }
            let (Some(truth), Some(claimed)) = (extents.between(first, end), range.claimed) else { continue };
            if truth == claimed {
                continue;
            }
            let base = u64::from(range.base_index);
            let after = |v: u32, claim: u32| u64::from(v).saturating_add(base) == claim.into();
            let rule = if base > 0 && after(truth.0, claimed.0) && after(truth.1, claimed.1) {
                super::MIN_MAX_AFTER_BASE
            } else if claimed.0 <= truth.0 && claimed.1 >= truth.1 {
                super::LOOSE_MIN_MAX
            } else {
                super::WRONG_MIN_MAX
            };
            on.broken(rule, ModelField::Mesh(i, mesh::MIN_INDEX), &|| {
                format!("claims {} to {}, holds {} to {}", claimed.0, claimed.1, truth.0, truth.1)
            })?;
        }
        match gaps(&mut used, indices.len()) {
            (unused, Some(first)) => on.broken(super::UNUSED_INDICES, ModelField::Index(first), &|| {
                format!("{unused} indices that no mesh draws")
            }),
            (_, None) => Ok(()),
        }
    }

    fn examine_vertices(&self, on: &mut FindingSink<'_, '_>) -> Result<(), ReadError> {
        let Some(start) = on.places.payload(ChunkId::VDAT) else { return Ok(()) };
        let bytes = self.chunk(ChunkId::VDAT).unwrap_or_default();
        let size = self.dialect.vertex_size();
        let look = |vertices: &[u8]| look(vertices, self.dialect);
        let (mut odd, mut first_odd, mut broken) = (0_usize, None, None);
        for (batch, vertices) in bytes.chunks(BATCH.saturating_mul(size)).enumerate() {
            let find = |bad: &dyn Fn(&[u8]) -> bool| {
                let within = vertices.chunks_exact(size).position(bad);
                within.map(|i| batch.saturating_mul(BATCH).saturating_add(i))
            };
            let (finite, count) = look(vertices);
            if broken.is_none() && !finite {
                broken = find(&|v| !look(v).0);
            }
            if count > 0 && first_odd.is_none() {
                first_odd = find(&|v| look(v).1 > 0);
            }
            odd = odd.saturating_add(count);
        }
        let table = FieldPath::ROOT.field("vertices");
        let at = |i: usize| start.saturating_add((i as u64).saturating_mul(size as u64));
        if let Some(i) = broken {
            let message = || "the first vertex with a value that is not finite";
            on.findings.broken(super::NON_FINITE, &table.index(i), at(i), message)?;
        }
        if let Some(i) = first_odd {
            let normal = self.vertices().get(i).unwrap_or_default().normal;
            let message = || format!("normal {normal:?} is not of length 1; {odd} in all");
            on.findings.broken(super::NORMAL_LENGTH, &table.index(i).field("normal"), at(i), message)?;
        }
        Ok(())
    }
}

/// Checks the version. A reader has checked it before the model exists.
pub(crate) fn check_version(model: &FsoModel<'_>, findings: &mut Findings) -> Result<(), ReadError> {
    if model.version == VERSION {
        return Ok(());
    }
    let path = FieldPath::ROOT.field(header::VERSION.name);
    findings.broken(super::VERSION, &path, header::VERSION.offset_in(0), || {
        format!("version {}, only {VERSION} may be used", model.version)
    })
}

kernels! {
    /// Returns whether all floats of some vertices are finite, and how many of their normals are not of unit
    /// length.
    fn look as look_portable<'a>(bytes: &'a [u8], dialect: Dialect) -> (bool, usize) {
        let words = bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b));
        let most = words.fold(0, |most: u32, word| most.max(word & bulk::MAGNITUDE));
        let odd = match dialect {
            Dialect::Seed44 => off_length::<{ vertex_44::SIZE }, { vertex_44::NORMAL.offset }>(bytes),
            Dialect::Doc56 => off_length::<{ vertex_56::SIZE }, { vertex_56::NORMAL.offset }>(bytes),
            Dialect::Gl3 => off_length::<{ vertex_60::SIZE }, { vertex_60::NORMAL.offset }>(bytes),
        };
        (most < bulk::INFINITE, odd)
    }
}

/// Returns how many vertices of `SIZE` bytes have a normal, at byte `AT`, that is not of unit length.
#[allow(clippy::inline_always, reason = "part of a kernel")]
#[inline(always)]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_judged_by_their_bits() {
        let words = |w: &[u32]| w.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<_>>();
        for look in [look, look_portable] {
            let finite = |bits: &[u32]| look(&words(bits), Dialect::Gl3).0;
            assert!(finite(&[0, 0x7f7f_ffff, 0xff7f_ffff, 1]));
            assert!(!finite(&[0, 0x7f80_0000]));
            assert!(!finite(&[0xffff_ffff]));
            let mut long = [0x7f7f_ffff; 100];
            assert!(finite(&long));
            long[77] = 0xff80_0000;
            assert!(!finite(&long));
        }
    }

    #[test]
    fn normals_are_counted_the_same_in_lanes_and_one_by_one() {
        let normals = [[0.6, 0.8, 0.0], [0.6, 0.8, 0.3], [0.6, f32::NAN, 0.8]];
        for (dialect, size, at) in [(Dialect::Seed44, 11, 5), (Dialect::Doc56, 14, 5), (Dialect::Gl3, 15, 6)]
        {
            let vertex = |normal: &[f32; 3]| {
                let mut floats = std::vec![0.25_f32; size];
                floats[at..at + 3].copy_from_slice(normal);
                floats
            };
            let floats = (0..200).flat_map(|i| vertex(&normals[i % 3]));
            let bytes: Vec<u8> = floats.flat_map(f32::to_le_bytes).collect();
            assert_eq!(look(&bytes, dialect), (false, 133));
            assert_eq!(look_portable(&bytes, dialect), (false, 133));
        }
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
