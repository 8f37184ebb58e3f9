//! Skinning, against plain glam and against a copy of the same bytes.

use super::measure::{Contender, keep};
use super::meshes::{palette, skeleton};
use meshwright::rig::glam::{Affine3A, Mat3A, Vec3A};
use meshwright::rig::{Output, Rig, SkinPlan, Workspace};
use meshwright::scene::{LocalVertex, Mesh};

/// The number of joints of the characters.
pub(crate) const JOINTS: u32 = 64;

/// A weighted vertex of DPM.
#[derive(Clone, Copy)]
struct Weighted {
    joint: u32,
    weight: f32,
    position: Vec3A,
    normal: Vec3A,
}

/// A mesh ready to be skinned, by the library and by code that a program would write on plain glam.
pub(crate) struct Case {
    pub(crate) plan: SkinPlan,
    palette: Vec<Affine3A>,
    positions: Vec<Vec3A>,
    normals: Vec<Vec3A>,
    joints: Vec<[u16; 4]>,
    weights: Vec<[f32; 4]>,
    weighted: Vec<Weighted>,
    starts: Vec<u32>,
}

impl Case {
    /// Creates a case, with vertices in the spaces of joints that are all at the origin if `local`.
    pub(crate) fn new(mut mesh: Mesh, local: bool) -> Result<Self, String> {
        let rig = Rig::new(&skeleton(JOINTS as usize)).map_err(|e| e.to_string())?;
        let skin = mesh.skin.as_mut().ok_or("no skin")?;
        let [positions, normals] = [&mesh.positions, &mesh.normals]
            .map(|all| all.iter().map(|v| Vec3A::from(*v)).collect::<Vec<_>>());
        let (mut joints, mut weights, mut weighted) = (Vec::new(), Vec::new(), Vec::new());
        for (v, range) in skin.starts.windows(2).enumerate() {
            let all = &skin.influences[range[0] as usize..range[1] as usize];
            joints.push([0, 1, 2, 3].map(|k| all.get(k).map_or(0, |i| i.joint as u16)));
            weights.push([0, 1, 2, 3].map(|k| all.get(k).map_or(0.0, |i| i.weight)));
            weighted.extend(all.iter().map(|i| Weighted {
                joint: i.joint,
                weight: i.weight,
                position: positions[v] * i.weight,
                normal: normals[v] * i.weight,
            }));
        }
        let to_local = |w: &Weighted| LocalVertex { position: w.position.into(), normal: w.normal.into() };
        skin.local = weighted.iter().filter(|_| local).map(to_local).collect();
        let starts = skin.starts.clone();
        let plan = SkinPlan::new(&mesh, &rig).map_err(|e| e.to_string())?;
        Ok(Self { plan, palette: palette(JOINTS), positions, normals, joints, weights, weighted, starts })
    }

    /// Skinning by the library, on one thread or on all.
    pub(crate) fn skin(&self, all_threads: bool) -> Contender<'_> {
        let n = self.positions.len();
        let (mut space, mut p, mut q) = (Workspace::new(), vec![[0.0; 3]; n], vec![[0.0; 3]; n]);
        Contender::new(move || {
            let out = Output::positions(&mut p).with_normals(&mut q);
            let done = match all_threads {
                true => self.plan.skin_parallel_with(&self.palette, &mut space, out),
                false => self.plan.skin_with(&self.palette, &mut space, out),
            };
            if done.is_ok() {
                keep(&mut p);
                keep(&mut q);
            }
        })
    }

    /// A copy of as many bytes.
    pub(crate) fn copy(&self) -> Contender<'_> {
        let n = 6 * self.positions.len();
        let (from, mut to) = (vec![1.0_f32; n], vec![0.0_f32; n]);
        Contender::new(move || {
            to.copy_from_slice(&from);
            keep(&mut to);
        })
    }

    /// A peer, which fills positions and normals.
    fn peer(&self, run: impl Fn(&Self, &mut [Vec3A], &mut [Vec3A]) + 'static) -> Contender<'_> {
        let n = self.positions.len();
        let (mut p, mut q) = (vec![Vec3A::ZERO; n], vec![Vec3A::ZERO; n]);
        Contender::new(move || {
            run(self, &mut p, &mut q);
            keep(&mut p);
            keep(&mut q);
        })
    }

    /// A loop on plain glam over four influences: blended, then transformed.
    pub(crate) fn four(&self) -> Contender<'_> {
        self.peer(|case, positions, normals| {
            let inputs = case.positions.iter().zip(&case.normals).zip(case.joints.iter().zip(&case.weights));
            for (((p, n), (joints, weights)), (op, on)) in inputs.zip(positions.iter_mut().zip(normals)) {
                let (mut matrix3, mut translation) = (Mat3A::ZERO, Vec3A::ZERO);
                for (joint, weight) in joints.iter().zip(weights) {
                    let m = &case.palette[usize::from(*joint)];
                    matrix3 += m.matrix3 * *weight;
                    translation += m.translation * *weight;
                }
                let m = Affine3A { matrix3, translation };
                *op = m.transform_point3a(*p);
                *on = m.transform_vector3a(*n);
            }
        })
    }

    /// A loop on plain glam over weighted positions, DPM's own form.
    pub(crate) fn weighted(&self) -> Contender<'_> {
        self.peer(|case, positions, normals| {
            for ((w, op), on) in case.starts.windows(2).zip(positions.iter_mut()).zip(normals) {
                let (mut p, mut n) = (Vec3A::ZERO, Vec3A::ZERO);
                for v in &case.weighted[w[0] as usize..w[1] as usize] {
                    let m = &case.palette[v.joint as usize];
                    p += m.matrix3 * v.position + m.translation * v.weight;
                    n += m.matrix3 * v.normal;
                }
                *op = p;
                *on = n;
            }
        })
    }
}
