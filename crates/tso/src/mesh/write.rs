//! Writes `.mesh`, and the geometry within `.bmf`.

use super::model::{Geometry, Mesh, Total};
use super::places::{Field, Places};
use super::read::Order;
use super::rules;
use crate::common::{Findings, count, put_pstr, wide};
use alloc::vec::Vec;
use meshwright_core::{ByteWriter, Path, Strictness, WriteError};

impl Mesh {
    /// The file. A mesh that breaks a rule is refused.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        self.to_bytes_with(Strictness::Strict)
    }

    /// The file; leniently also one that only lenient reading opens, such as the one the mesh came from.
    pub fn to_bytes_with(&self, strictness: Strictness) -> Result<Vec<u8>, WriteError> {
        if strictness == Strictness::Strict {
            let mut findings = Findings::default();
            rules::check(&self.geometry, &Places::Binary(4), &mut findings);
            findings.trailing(0, &self.trailing);
            findings.refuse()?;
        }
        let size = Places::Binary(4).finder(&self.geometry).at(Field::End).unwrap_or(0);
        let mut w = ByteWriter::with_capacity(usize::try_from(size).unwrap_or(0));
        w.be_u32(2);
        geometry(&mut w, &self.geometry, Order::Big)?;
        w.bytes(&self.trailing);
        Ok(w.into_bytes())
    }
}

impl Total {
    /// The number to store.
    pub(crate) fn stored(self, g: &Geometry) -> Result<u32, WriteError> {
        let path = Path::ROOT.field("total");
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

/// A geometry from its number of bones on.
pub(crate) fn geometry(w: &mut ByteWriter, g: &Geometry, order: Order) -> Result<(), WriteError> {
    let root = Path::ROOT;
    let put = |w: &mut ByteWriter, value: u32| match order {
        Order::Big => w.be_u32(value),
        Order::Little => w.le_u32(value),
    };

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
        for value in [b.bone, b.first_real, b.real_count, b.first_blend, b.blend_count] {
            put(w, value);
        }
    }
    put(w, count(&root.field("real"), g.real.len())?);
    for v in &g.real {
        w.le_f32s(&v.uv);
    }
    put(w, count(&root.field("blends"), g.blends.len())?);
    for b in &g.blends {
        put(w, b.weight.to_bits());
        put(w, b.target);
    }
    put(w, g.total.stored(g)?);
    for v in &g.real {
        w.le_f32s(&v.position);
        w.le_f32s(&v.normal);
    }
    for b in &g.blends {
        w.le_f32s(&b.position);
        w.le_f32s(&b.normal);
    }
    Ok(())
}
