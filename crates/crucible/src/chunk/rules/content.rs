//! Rules for the content of a chunk. Faults of one type in one stream are one finding, with their number and
//! the first of them.

use super::structure::{self, Places};
use super::{
    AMBIGUOUS_DIALECT, BONE_RANGE, BONE_TWICE, BOTH_POSITIONS, NO_POSITION, NO_VERTICES, NORMAL_LENGTH,
    WEIGHT_RANGE, WEIGHT_SUM,
};
use crate::block::check_end;
use crate::chunk::dialect::rivals;
use crate::chunk::model::Chunk;
use crate::chunk::record::{Attribute, chunk_header, stream_header};
use crate::chunk::stream_sizes::StreamSizes;
use crate::chunk::view::{BoneWeight, BoneWeights, floats};
use crate::rules::{NOT_FINITE, TRAILING_BYTES};
use crate::skeleton::model::SkeletonChunk;
use crate::stream::Stream;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use meshwright_core::math::{length, wide};
use meshwright_core::{F32, FieldPath, Findings, Place, ReadError, Report, Rule, values};

/// A normal whose length differs from 1 by more than this is reported.
const NORMAL_TOLERANCE: f32 = 1e-2;

/// Bone weights are reported if their sum differs from 1 by more than this, the precision of half-precision
/// weights.
const WEIGHT_TOLERANCE: f32 = 1e-3;

/// Counts faults of one type in one stream.
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

/// One stream, and the findings to report to.
struct StreamCheck<'f, 'p> {
    findings: &'f mut Findings,
    path: FieldPath<'p>,
    from_file: bool,
    /// The size of a vertex in bytes.
    size: usize,
}

impl StreamCheck<'_, '_> {
    /// Reports counted faults. `message` gets the first faulty vertex.
    fn report(
        &mut self,
        rule: &'static Rule,
        tally: &Tally,
        message: &dyn Fn(usize) -> String,
    ) -> Result<(), ReadError> {
        let Some(first) = tally.first else { return Ok(()) };
        let at = (first as u64).saturating_mul(self.size as u64);
        let place = Place::part(self.path.to_owned().to_string(), self.from_file.then_some(at));
        self.findings.broken(rule, &self.path.index(first), place, || match tally.count {
            1 => message(first),
            n => format!("{}; {n} in all", message(first)),
        })
    }

    /// Reports vectors with a float that is infinite or NaN.
    fn finite(&mut self, stream: &Stream<'_>) -> Result<(), ReadError> {
        let bytes = stream.data();
        if all_finite(bytes) {
            return Ok(());
        }
        let mut tally = Tally::default();
        for (i, vector) in bytes.chunks_exact(self.size).enumerate() {
            if !all_finite(vector) {
                tally.add(i);
            }
        }
        self.report(NOT_FINITE, &tally, &|i| format!("vertex {i} holds a value that is not finite"))
    }

    fn normals(&mut self, stream: &Stream<'_>) -> Result<(), ReadError> {
        self.finite(stream)?;
        let normals = stream.data().as_chunks().0;
        let tally = Tally {
            count: normals.iter().filter(|n| off_length(n)).count(),
            first: normals.iter().position(off_length),
        };
        self.report(NORMAL_LENGTH, &tally, &|i| {
            let normal = values(normals.get(i).map_or([F32::default(); 3], |n| floats(n)));
            format!("normal {normal:?} has length {:.4}", length(wide(normal)))
        })
    }

    fn weights(&mut self, weights: BoneWeights<'_>, bones: Option<u32>) -> Result<(), ReadError> {
        let tallies = WeightTallies::count_faults(weights, bones);
        let four = |v: usize| weights.get(v).unwrap_or_default();
        let numbers = |v: usize| four(v).map(|w| w.bone);
        let shown = |v: usize| four(v).map(|w| w.influence.get());
        self.report(NOT_FINITE, &tallies.not_finite, &|v| {
            format!("vertex {v} has a weight that is not finite")
        })?;
        self.report(WEIGHT_SUM, &tallies.sum, &|v| {
            format!("weights {:?} of vertex {v} sum to {}, not to 1", shown(v), shown(v).iter().sum::<f32>())
        })?;
        self.report(WEIGHT_RANGE, &tallies.range, &|v| format!("weights {:?} of vertex {v}", shown(v)))?;
        self.report(BONE_TWICE, &tallies.twice, &|v| format!("bones {:?} of vertex {v}", numbers(v)))?;
        self.report(BONE_RANGE, &tallies.missing, &|v| {
            format!("bones {:?} of vertex {v}, the skeleton has {}", numbers(v), bones.unwrap_or(0))
        })
    }
}

/// Counts the faults in the bone weights of the vertices.
#[derive(Default)]
struct WeightTallies {
    not_finite: Tally,
    sum: Tally,
    range: Tally,
    twice: Tally,
    missing: Tally,
}

impl WeightTallies {
    fn count_faults(weights: BoneWeights<'_>, bones: Option<u32>) -> Self {
        let mut tallies = Self::default();
        for (v, four) in weights.iter().enumerate() {
            let used = |w: &&BoneWeight| w.influence.get() != 0.0;
            let total: f32 = four.iter().map(|w| w.influence.get()).sum();
            if four.iter().any(|w| !w.influence.is_finite()) {
                tallies.not_finite.add(v);
                continue;
            }
            if (total - 1.0).abs() > WEIGHT_TOLERANCE {
                tallies.sum.add(v);
            }
            if four.iter().any(|w| !(0.0..=1.0 + WEIGHT_TOLERANCE).contains(&w.influence.get())) {
                tallies.range.add(v);
            }
            let named = |bone| four.iter().filter(used).filter(|b| b.bone == bone).count();
            if four.iter().filter(used).any(|a| named(a.bone) > 1) {
                tallies.twice.add(v);
            }
            if bones.is_some_and(|n| four.iter().filter(used).any(|w| w.bone >= n)) {
                tallies.missing.add(v);
            }
        }
        tallies
    }
}

/// Returns whether no float in `bytes` is infinite or NaN, in one pass without a branch per value.
fn all_finite(bytes: &[u8]) -> bool {
    const EXPONENT: u32 = 0x7f80_0000;
    let words = bytes.as_chunks::<4>().0;
    !words.iter().fold(false, |bad, b| bad | (u32::from_le_bytes(*b) & EXPONENT == EXPONENT))
}

/// Returns whether the length of a normal is not 1. It compares the square, so that the common case needs no
/// root.
fn off_length(bytes: &[u8; 12]) -> bool {
    const LOW: f32 = (1.0 - NORMAL_TOLERANCE) * (1.0 - NORMAL_TOLERANCE);
    const HIGH: f32 = (1.0 + NORMAL_TOLERANCE) * (1.0 + NORMAL_TOLERANCE);
    let [x, y, z] = values(floats::<3>(bytes));
    !(LOW..=HIGH).contains(&(x * x + y * y + z * z))
}

/// Checks all rules of a chunk that starts at `start`. If the number of bones is given, it also checks that
/// all bones exist.
pub(crate) fn check(
    chunk: &Chunk<'_>,
    path: &FieldPath<'_>,
    places: &Places,
    bones: Option<u32>,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    structure::check(chunk, path, places, findings)?;
    let at = places.start;
    let rivals = rivals(&StreamSizes::new(chunk), chunk.indices().highest());
    if !rivals.is_empty() {
        findings.broken(AMBIGUOUS_DIALECT, path, at, || {
            let names: Vec<_> = rivals.iter().map(|d| d.name()).collect();
            format!("the sizes fit {}; read as {}", names.join(" and "), chunk.dialect)
        })?;
    }
    if chunk.vertex_count() == 0 {
        findings.broken(NO_VERTICES, path, at, || "no vertices")?;
    }
    match (chunk.positions(), chunk.positions_2d()) {
        (None, None) => findings.broken(NO_POSITION, path, at, || "no positions")?,
        (Some(_), Some(_)) => {
            findings.broken(BOTH_POSITIONS, path, at, || "positions both in space and in the plane")?;
        }
        _ => {}
    }
    check_blocks(chunk, path, places, findings)?;
    let table = path.field("streams");
    for (i, own) in chunk.streams.iter().enumerate() {
        let Some(attribute) = own.flag.attribute(chunk.dialect) else { continue };
        let (path, from_file) = (table.index(i), own.stream.packed().is_some());
        let mut checked = StreamCheck { findings, path, from_file, size: attribute.size(chunk.dialect) };
        check_values(&mut checked, chunk, attribute, bones)?;
    }
    if !chunk.tail.is_empty() {
        let n = chunk.tail.len();
        findings.broken(TRAILING_BYTES, path, places.tail, || format!("{n} bytes after the last stream"))?;
    }
    Ok(())
}

/// Reports LZ4 blocks of the file that the engine would reject.
fn check_blocks(
    chunk: &Chunk<'_>,
    path: &FieldPath<'_>,
    places: &Places,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    let behind = |at: Option<u64>, header: usize| at.map(|at| at.saturating_add(header as u64));
    let mut check = |stream: &Stream<'_>, path: &FieldPath<'_>, at| {
        check_end(stream.packed(), stream.data().len(), path, at, findings)
    };
    check(&chunk.indices, &path.field("indices"), behind(places.start, chunk_header::SIZE))?;
    let table = path.field("streams");
    for (i, own) in chunk.streams.iter().enumerate() {
        check(&own.stream, &table.index(i), behind(places.stream(i), stream_header::SIZE))?;
    }
    Ok(())
}

fn check_values(
    checked: &mut StreamCheck<'_, '_>,
    chunk: &Chunk<'_>,
    attribute: Attribute,
    bones: Option<u32>,
) -> Result<(), ReadError> {
    // If two streams have the same flag, the first one is used.
    let Some(stream) = chunk.stream(attribute) else { return Ok(()) };
    match attribute {
        Attribute::Position3 | Attribute::Position2 | Attribute::Uv | Attribute::Tangent => {
            checked.finite(stream)
        }
        Attribute::Normal => checked.normals(stream),
        Attribute::Color => Ok(()),
        Attribute::BoneWeights => chunk.bone_weights().map_or(Ok(()), |w| checked.weights(w, bones)),
    }
}

/// Returns the number of bones of a skeleton, as an upper bound of bone numbers.
pub(crate) fn bone_count(skeleton: &SkeletonChunk) -> u32 {
    u32::try_from(skeleton.bones.len()).unwrap_or(u32::MAX)
}

impl Chunk<'_> {
    /// Reports every broken rule. Rules that the strict reader enforces are errors.
    pub fn validate(&self) -> Report {
        self.report(None)
    }

    /// Does the same as [`validate`](Self::validate), and checks that all bones exist in a skeleton.
    pub fn validate_with(&self, skeleton: &SkeletonChunk) -> Report {
        self.report(Some(bone_count(skeleton)))
    }

    fn report(&self, bones: Option<u32>) -> Report {
        let mut findings = Findings::validating();
        let ended = check(self, &FieldPath::ROOT, &Places::compute(self, Some(0)), bones, &mut findings);
        debug_assert!(ended.is_ok(), "validation never ends a check");
        findings.into_report()
    }
}
