//! Measures the errors of rounding to the format's numbers.

use crate::math::degrees_between;
use crate::packed::{MaterialKind, Vertex, VertexKind};
use crate::shade::{shade, tint};
use alloc::vec::Vec;
use meshwright_core::math::{distance, wide};
use meshwright_core::num::{F16, Se32, St14Form};
use meshwright_scene::Loss;

/// A vertex of a scene in the space of its bone.
#[derive(Clone, Copy)]
pub(super) struct Corner {
    pub(super) position: [f32; 3],
    pub(super) normal: [f32; 3],
    pub(super) st: [f32; 2],
    /// The product of all factors of the colour.
    pub(super) color: [u8; 3],
    pub(super) bone: usize,
}

/// The largest differences between a scene's mesh and the converted one.
#[derive(Default)]
pub(super) struct Rounding {
    position: f64,
    normal: f64,
    st: f64,
    color: u8,
    alpha: f64,
    colors_lost: usize,
    sts_lost: usize,
    clamped: usize,
}

impl Rounding {
    /// Takes an encoded vertex into account. `flat` is the flat colour, or `None` with a texture.
    pub(super) fn note(&mut self, vertex: Vertex, corner: &Corner, flat: Option<[u8; 3]>) {
        let Corner { position, normal, st, color, .. } = *corner;
        self.position = self.position.max(distance(wide(position), wide(vertex.position())));
        let saturates = match vertex.kind() {
            VertexKind::Bits128 => position.iter().any(|c| c.abs() > F16::MAX.decode()),
            VertexKind::Bits64 | VertexKind::Bits96 => Se32::saturates(position),
        };
        self.clamped = self.clamped.saturating_add(saturates.into());
        let material = MaterialKind::from_color(flat);
        if let Some(angle) = degrees_between(normal, vertex.normal(material)) {
            self.normal = self.normal.max(angle);
        }
        let read = vertex.st(material, St14Form::Excess);
        let away = st.iter().zip(read).fold(0.0_f64, |m, (a, b)| m.max((f64::from(*a) - f64::from(b)).abs()));
        if flat.is_none() || vertex.kind() != VertexKind::Bits64 {
            self.st = self.st.max(away);
        } else if away > 0.0 {
            self.sts_lost = self.sts_lost.saturating_add(1);
        }
        let base = flat.unwrap_or([255; 3]);
        let shown = vertex.color().map_or(base, |c| tint(base, shade(c)));
        let away = shown.iter().zip(color).fold(0, |m, (a, b)| m.max(a.abs_diff(b)));
        if vertex.color().is_none() && away > 0 {
            self.colors_lost = self.colors_lost.saturating_add(1);
        } else {
            self.color = self.color.max(away);
        }
    }

    /// Takes the alpha of a mesh into account, from 0 to 255 in its most transparent vertex.
    pub(super) fn note_alpha(&mut self, least: f64) {
        self.alpha = self.alpha.max(255.0 - least);
    }

    pub(super) fn report(&self, path: &str, losses: &mut Vec<Loss>) {
        let measured = [
            ("positions-rounded", "largest move of a vertex", self.position, "units"),
            ("normals-rounded", "largest turn of a normal", self.normal, "degrees"),
            ("uvs-rounded", "largest move of a texture coordinate", self.st, ""),
            ("colors-rounded", "largest change of a colour channel", f64::from(self.color), "steps of 255"),
            ("alpha-dropped", "the format has no transparency; largest change", self.alpha, "steps of 255"),
        ];
        for (code, message, amount, unit) in measured {
            if amount > 0.0 {
                losses.push(Loss::new(code, path, message).with_amount(amount, unit));
            }
        }
        let counted = [
            ("colors-dropped", "vertices lost their colour, having a bone", self.colors_lost),
            ("uvs-dropped", "vertices of a flat colour lost their texture coordinates", self.sts_lost),
            ("positions-clamped", "vertices lie beyond the format's range", self.clamped),
        ];
        for (code, message, count) in counted {
            if count > 0 {
                losses.push(Loss::new(code, path, message).with_count(count, "vertex", "vertices"));
            }
        }
    }
}
