//! Detects the dialect by sizes, indices and normals.

use crate::dialect::Dialect;
use crate::index_extents::Extents;
use crate::model::{Chunk, ChunkId, FsoModel};
use crate::rules::offsets::FieldLocations;
use crate::rules::structure;
use alloc::vec::Vec;
use meshwright_core::Order as _;
use meshwright_core::{F32, Findings};

/// The number of vertices whose normals are examined.
const SAMPLES: usize = 1024;

/// The evidence for a dialect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) dialect: Dialect,
    /// The share of vertices that have a unit normal if they are read in this dialect.
    pub(crate) unit: f32,
}

/// Returns the dialects that a model fits, the likeliest first. The model's own `dialect` field is ignored.
pub(crate) fn candidates(model: &FsoModel<'_>) -> Vec<Candidate> {
    if model.chunk(ChunkId::MESH).is_some() {
        return Vec::from([Candidate { dialect: Dialect::Seed44, unit: 1.0 }]);
    }
    // Each dialect reads the same borrowed chunks; nothing is copied.
    let mut view = FsoModel {
        version: model.version,
        dialect: model.dialect,
        chunks: Vec::new(),
        metadata: model.metadata.clone(),
    };
    for id in [ChunkId::VDAT, ChunkId::INDX] {
        if let Some(data) = model.chunk(id) {
            view.chunks.push(Chunk { id, data: data.into() });
        }
    }
    let mut found: Vec<_> = Dialect::ALL
        .into_iter()
        .filter(|dialect| {
            view.dialect = *dialect;
            fits(&view)
        })
        .map(|dialect| Candidate { dialect, unit: unit_share(model, dialect) })
        .collect();
    // Only dialect [`Gl3`](Dialect::Gl3) has a companion file.
    let companion = found.iter().find(|c| c.dialect == Dialect::Gl3 && model.metadata.is_some());
    if let Some(gl3) = companion.copied() {
        return Vec::from([gl3]);
    }
    // The sort is stable, so the preferred dialect is first among equals.
    found.order_by(|a, b| b.unit.total_cmp(&a.unit));
    found
}

fn fits(model: &FsoModel<'_>) -> bool {
    let (places, findings) = (FieldLocations::unknown(model), &mut Findings::writing());
    structure::check_chunks(model, &places, findings).is_ok()
        && structure::check_ranges(model, &Extents::new(model.indices()), &places, findings).is_ok()
}

fn unit_share(model: &FsoModel<'_>, dialect: Dialect) -> f32 {
    let bytes = model.chunk(ChunkId::VDAT).unwrap_or_default();
    let vertices = bytes.chunks_exact(dialect.vertex_size());
    let step = (vertices.len() / SAMPLES).max(1);
    let (mut seen, mut unit) = (0_u16, 0_u16);
    for vertex in vertices.step_by(step) {
        let normal = vertex.get(dialect.normal_at()..).unwrap_or_default();
        let square: f32 = normal
            .as_chunks::<4>()
            .0
            .iter()
            .take(3)
            .map(|b| F32::from_bits(u32::from_le_bytes(*b)).get())
            .map(|c| c * c)
            .sum();
        seen = seen.saturating_add(1);
        unit = unit.saturating_add(u16::from((square - 1.0).abs() < 0.02));
    }
    if seen == 0 { 0.0 } else { f32::from(unit) / f32::from(seen) }
}

/// Returns the dialect to check a model by: the likeliest of those that it fits. If it fits none, sizes and
/// normals show the likeliest one, so that the error names the real fault and a lenient reader reads the
/// rest.
pub(crate) fn decide(model: &FsoModel<'_>) -> Dialect {
    if let Some(found) = candidates(model).first() {
        return found.dialect;
    }
    if model.metadata.is_some() {
        return Dialect::Gl3;
    }
    let divides = |id, size| model.chunk(id).is_none_or(|data| data.len().is_multiple_of(size));
    let sized =
        |d: Dialect| divides(ChunkId::VDAT, d.vertex_size()) && divides(ChunkId::INDX, d.index_size());
    let mut ranked = Dialect::ALL.map(|d| (sized(d), unit_share(model, d), d));
    // The sort is stable, as for the candidates.
    ranked.order_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)));
    ranked.first().map_or(Dialect::Seed44, |r| r.2)
}

/// Returns the dialects that the bytes cannot distinguish from the chosen one.
pub(crate) fn rivals(model: &FsoModel<'_>) -> Vec<Dialect> {
    let found = candidates(model);
    let best = found.first().map_or(0.0, |c| c.unit);
    let near: Vec<_> = found.iter().filter(|c| c.unit * 2.0 >= best).map(|c| c.dialect).collect();
    if near.len() > 1 { near } else { Vec::new() }
}
