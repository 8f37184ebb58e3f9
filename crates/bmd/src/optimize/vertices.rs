//! Finds the smallest kind of a vertex.

use super::options::{Errors, OptimizeOptions, distance};
use crate::math::degrees_between;
use crate::packed::{Extra96, MaterialKind, St96, Vertex, VertexKind};
use meshwright_core::num::{F8A, Se32, St11, St12, St14Form};

/// The interpretation of the vertices of a mesh.
#[derive(Clone, Copy)]
pub(super) struct VertexReading {
    pub(super) material: MaterialKind,
    pub(super) form: St14Form,
}

/// The decoded values of a vertex.
#[derive(Clone, Copy)]
struct Decoded {
    position: [f32; 3],
    normal: [f32; 3],
    st: [f32; 2],
}

impl Decoded {
    fn decode(v: Vertex, reading: VertexReading) -> Self {
        let VertexReading { material, form } = reading;
        Self { position: v.position(), normal: v.normal(material), st: v.st(material, form) }
    }

    /// Returns the differences to another vertex. Each is 0 only if all bits are the same.
    fn errors(&self, other: &Self) -> Errors {
        let wide = |v: [f32; 3]| v.map(f64::from);
        let least = |same: bool, error: f64| if same { 0.0 } else { error.max(f64::MIN_POSITIVE) };
        let bits = |a: [f32; 3], b: [f32; 3]| a.map(f32::to_bits) == b.map(f32::to_bits);
        let st = self
            .st
            .iter()
            .zip(other.st)
            .fold(0.0_f64, |m, (a, b)| m.max((f64::from(*a) - f64::from(b)).abs()));
        Errors {
            position: least(
                bits(self.position, other.position),
                distance(wide(self.position), wide(other.position)),
            ),
            normal: least(bits(self.normal, other.normal), degrees(self.normal, other.normal)),
            st: least(self.st.map(f32::to_bits) == other.st.map(f32::to_bits), st),
            ..Errors::default()
        }
    }
}

/// Returns the angle between two normals; 180 if only one of them is zero.
fn degrees(a: [f32; 3], b: [f32; 3]) -> f64 {
    let none = |v: [f32; 3]| v.iter().all(|c| *c == 0.0);
    degrees_between(a, b).unwrap_or(if none(a) && none(b) { 0.0 } else { 180.0 })
}

/// Returns the vertex in the fewest bytes within the bounds, and its errors.
pub(super) fn smallest(v: Vertex, reading: VertexReading, options: &OptimizeOptions) -> (Vertex, Errors) {
    // Words in the old form stay, because the detection of that form depends on them.
    let fixed = v.kind() == VertexKind::Bits128 && reading.form == St14Form::Legacy;
    if fixed || v.kind() == VertexKind::Bits64 {
        return (v, Errors::default());
    }
    let old = Decoded::decode(v, reading);
    let position = match v.kind() {
        VertexKind::Bits128 => Se32::encode(old.position),
        // Another word with the same value would not merge with equal vertices.
        _ => Se32::from_bits(low(v)),
    };
    let normal = v.stored_normal(reading.material).unwrap_or([F8A::ZERO; 3]);
    let plain = v.color().is_none_or(|c| c == Vertex::WHITE);
    let bone = v.bone();
    let narrow = if !plain {
        None
    } else if reading.material.is_flat() {
        Vertex::flat64(position, normal, bone)
    } else {
        Vertex::textured64(position, St11::encode(old.st), bone)
    };
    let extra =
        if plain { Some(Extra96::Bone(bone)) } else { v.color().filter(|_| bone == 0).map(Extra96::Color) };
    let wide = extra.filter(|_| v.kind() == VertexKind::Bits128).map(|extra| {
        let fine = Vertex::bits96(position, St96::Fine(St12::encode(old.st)), normal, extra);
        let wide = Vertex::bits96(position, St96::Wide(St11::encode(old.st)), normal, extra);
        let error = |v: Vertex| old.errors(&Decoded::decode(v, reading)).st;
        if error(fine) <= error(wide) { fine } else { wide }
    });
    for candidate in [narrow, wide].into_iter().flatten() {
        let errors = old.errors(&Decoded::decode(candidate, reading));
        if errors.position <= options.position && errors.normal <= options.normal && errors.st <= options.st {
            return (candidate, errors);
        }
    }
    (v, Errors::default())
}

/// Returns the position word of a 64-bit or 96-bit vertex.
#[expect(clippy::cast_possible_truncation, reason = "the low 32 bits are meant")]
const fn low(v: Vertex) -> u32 {
    v.words()[0] as u32
}
