//! Writes `.mesh`, and the geometry within `.bmf`.

use super::model::{Geometry, Mesh, Total};
use super::record::{Order, VERSION, binding, pull, uv, vertex};
use super::rules;
use crate::fields::{count, put_pstr, wide};
use crate::rules::writing;
use alloc::vec::Vec;
use meshwright_core::{ByteWriter, FieldPath, Strictness, WriteError};

impl Mesh {
    /// Writes the file. A mesh that breaks a rule is rejected.
    ///
    /// # Errors
    /// When the model breaks a rule, or a number does not fit its field.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        self.to_bytes_with(Strictness::Strict)
    }

    /// Writes the file. With lenient strictness, it also writes a mesh that only a lenient reader opens.
    ///
    /// # Errors
    /// When the model breaks a rule that the strictness does not accept, or a number does not fit its field.
    pub fn to_bytes_with(&self, strictness: Strictness) -> Result<Vec<u8>, WriteError> {
        let end = rules::mesh(self, &mut writing(strictness))?;
        let mut w = ByteWriter::with_capacity(usize::try_from(end).unwrap_or(0));
        w.be_u32(VERSION);
        geometry(&mut w, &self.geometry, Order::Big)?;
        w.bytes(&self.trailing);
        Ok(w.into_bytes())
    }
}

impl Total {
    /// Returns the number to store.
    pub(crate) fn stored(self, g: &Geometry) -> Result<u32, WriteError> {
        let path = FieldPath::ROOT.field("total");
        match self {
            Self::All => {
                let all = wide(g.real.len()).saturating_add(wide(g.blends.len()));
                WriteError::fit(&path, "vertex count", all, u32::MAX)
            }
            Self::RealOnly => count(&path, g.real.len()),
            Self::Other(stored) => Ok(stored),
        }
    }
}

/// Writes a geometry, beginning with its number of bones.
pub(crate) fn geometry(w: &mut ByteWriter, g: &Geometry, order: Order) -> Result<(), WriteError> {
    let root = FieldPath::ROOT;
    let put = |w: &mut ByteWriter, value: u32| w.bytes(&order.bytes(value));

    let path = root.field("bones");
    put(w, count(&path, g.bones.len())?);
    for (i, name) in g.bones.iter().enumerate() {
        put_pstr(w, &path.index(i), name)?;
    }
    put(w, count(&root.field("faces"), g.faces.len())?);
    for v in g.faces.iter().flatten() {
        put(w, *v);
    }
    put(w, count(&root.field("bindings"), g.bindings.len())?);
    for b in &g.bindings {
        w.record(binding::SIZE, |r| {
            order.put_word(r, binding::BONE, b.bone);
            order.put_word(r, binding::FIRST_REAL, b.first_real);
            order.put_word(r, binding::REAL_COUNT, b.real_count);
            order.put_word(r, binding::FIRST_BLEND, b.first_blend);
            order.put_word(r, binding::BLEND_COUNT, b.blend_count);
        });
    }
    put(w, count(&root.field("real"), g.real.len())?);
    for v in &g.real {
        w.record(uv::SIZE, |r| r.le_f32s(uv::UV, &v.uv));
    }
    put(w, count(&root.field("blends"), g.blends.len())?);
    for b in &g.blends {
        w.record(pull::SIZE, |r| {
            order.put_word(r, pull::WEIGHT, b.weight.to_bits());
            order.put_word(r, pull::TARGET, b.target);
        });
    }
    put(w, g.total.stored(g)?);
    let real = g.real.iter().map(|v| (&v.position, &v.normal));
    for (position, normal) in real.chain(g.blends.iter().map(|b| (&b.position, &b.normal))) {
        w.record(vertex::SIZE, |r| {
            r.le_f32s(vertex::POSITION, position);
            r.le_f32s(vertex::NORMAL, normal);
        });
    }
    Ok(())
}
