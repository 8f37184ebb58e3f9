//! The meshes, skeletons and motions that are measured: invented, the same in every run.

use meshwright::rig::glam::{Affine3A, Quat, Vec3, Vec3A};
use meshwright::scene::{Influence, Joint, Local, Mesh, Skeleton, SkeletonId, Skin, Trs};

/// A small generator of random numbers (xorshift).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as u32
    }

    fn below(&mut self, n: u32) -> u32 {
        self.next() % n
    }

    /// Returns a number from -1 to 1.
    fn unit(&mut self) -> f32 {
        (self.next() >> 8) as f32 / (1 << 23) as f32 - 1.0
    }

    pub(crate) fn vector(&mut self) -> Vec3 {
        Vec3::new(self.unit(), self.unit(), self.unit())
    }

    pub(crate) fn rotation(&mut self) -> Quat {
        Quat::from_xyzw(self.unit(), self.unit(), self.unit(), self.unit() + 2.0).normalize()
    }
}

/// `n` vertices on `joints` joints with `width` influences each; every `share` neighbours have the same ones.
pub(crate) fn vertices(n: usize, joints: u32, width: u32, share: usize) -> Mesh {
    let mut random = Random::new(n as u64);
    let (mut mesh, mut skin, mut current) = (Mesh::default(), Skin::new(SkeletonId(0)), Vec::new());
    for v in 0..n {
        if v % share == 0 {
            let first = random.below(joints);
            let raw: Vec<f32> = (0..width).map(|_| random.unit() + 1.5).collect();
            let sum: f32 = raw.iter().sum();
            let joint = |k: u32| (first + k * (1 + random.0 as u32 % 3)) % joints;
            let weight = |w: &f32| if width == 1 { 1.0 } else { w / sum };
            current =
                (0..width).zip(&raw).map(|(k, w)| Influence { joint: joint(k), weight: weight(w) }).collect();
        }
        mesh.positions.push(random.vector().into());
        mesh.normals.push(Vec3A::from(random.vector()).normalize().into());
        skin.influences.extend_from_slice(&current);
        skin.end_vertex();
    }
    mesh.with_skin(skin)
}

/// `n` vertices of one to `most` influences, in no order.
pub(crate) fn mixed(n: usize, joints: u32, most: u32) -> Mesh {
    let (mut random, mut skin) = (Random::new(5), Skin::new(SkeletonId(0)));
    for _ in 0..n {
        let width = 1 + random.below(most);
        for _ in 0..width {
            skin.influences.push(Influence { joint: random.below(joints), weight: 1.0 / width as f32 });
        }
        skin.end_vertex();
    }
    vertices(n, joints, most, 1).with_skin(skin)
}

/// Returns a figure of `n` joints: a spine with limbs that branch from it, as figures have.
pub(crate) fn skeleton(n: usize) -> Skeleton {
    let mut random = Random::new(7);
    let joint = |i: usize| {
        let parent = match i {
            0 => None,
            // Every eighth joint begins a limb at the spine.
            i if i % 8 == 0 => Some(i / 8 % 8),
            i => Some(i - 1),
        };
        let (translation, rotation) = ((random.vector() * 0.3).into(), random.rotation().into());
        Joint::new(format!("joint {i}"), parent, Local::Trs(Trs { translation, rotation, scale: [1.0; 3] }))
    };
    let joints = (0..n).map(joint).collect();
    let mut skeleton = Skeleton { name: "figure".into(), joints };
    let _ = skeleton.bind_rest();
    skeleton
}

/// Returns a palette of `n` rigid matrices.
pub(crate) fn palette(n: u32) -> Vec<Affine3A> {
    let mut random = Random::new(11);
    (0..n).map(|_| Affine3A::from_rotation_translation(random.rotation(), random.vector())).collect()
}
