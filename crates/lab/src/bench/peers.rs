//! The peers: code that a program would write on plain glam, measured next to ours.

use meshwright::rig::glam::{Affine3A, Mat3A, Vec3A};

/// Returns the blend of four matrices.
fn blend(palette: &[Affine3A], joints: &[u16; 4], weights: &[f32; 4]) -> Affine3A {
    let mut matrix3 = Mat3A::ZERO;
    let mut translation = Vec3A::ZERO;
    for (joint, weight) in joints.iter().zip(weights) {
        let m = &palette[usize::from(*joint)];
        matrix3 += m.matrix3 * *weight;
        translation += m.translation * *weight;
    }
    Affine3A { matrix3, translation }
}

/// Vertices for the peers.
pub(crate) struct Plain {
    pub(crate) positions: Vec<Vec3A>,
    pub(crate) normals: Vec<Vec3A>,
    pub(crate) joints: Vec<[u16; 4]>,
    pub(crate) weights: Vec<[f32; 4]>,
}

impl Plain {
    /// Four influences: blended, then transformed.
    pub(crate) fn skin4(&self, palette: &[Affine3A], positions: &mut [Vec3A], normals: &mut [Vec3A]) {
        let inputs = self.positions.iter().zip(&self.normals).zip(self.joints.iter().zip(&self.weights));
        for (((p, n), (j, w)), (op, on)) in inputs.zip(positions.iter_mut().zip(normals)) {
            let m = blend(palette, j, w);
            *op = m.transform_point3a(*p);
            *on = m.transform_vector3a(*n);
        }
    }
}

/// A weighted vertex of DPM.
#[derive(Clone, Copy)]
pub(crate) struct Weighted {
    pub(crate) joint: u32,
    pub(crate) weight: f32,
    pub(crate) position: Vec3A,
    pub(crate) normal: Vec3A,
}

/// DPM's own form: sums of pre-weighted vertices.
pub(crate) fn skin_weighted(
    model: &[Affine3A],
    starts: &[u32],
    vertices: &[Weighted],
    positions: &mut [Vec3A],
    normals: &mut [Vec3A],
) {
    for ((w, op), on) in starts.windows(2).zip(positions.iter_mut()).zip(normals) {
        let (mut p, mut n) = (Vec3A::ZERO, Vec3A::ZERO);
        for v in &vertices[w[0] as usize..w[1] as usize] {
            let m = &model[v.joint as usize];
            p += m.matrix3 * v.position + m.translation * v.weight;
            n += m.matrix3 * v.normal;
        }
        *op = p;
        *on = n;
    }
}
