//! The meshes, skeletons and motions that are measured: invented, the same in every run.

use meshwright::rig::glam::{Affine3A, Quat, Vec3, Vec3A};
use meshwright::scene::{Influence, Joint, Local, Skeleton, Trs};

/// A small generator of random numbers (xorshift).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as u32
    }

    pub(crate) fn below(&mut self, n: u32) -> u32 {
        self.next() % n
    }

    /// Returns a number from -1 to 1.
    pub(crate) fn unit(&mut self) -> f32 {
        (self.next() >> 8) as f32 / (1 << 23) as f32 - 1.0
    }

    pub(crate) fn vector(&mut self) -> Vec3 {
        Vec3::new(self.unit(), self.unit(), self.unit())
    }

    pub(crate) fn rotation(&mut self) -> Quat {
        let [x, y, z, w] = [self.unit(), self.unit(), self.unit(), self.unit() + 2.0];
        Quat::from_xyzw(x, y, z, w).normalize()
    }

    pub(crate) fn matrix(&mut self) -> Affine3A {
        Affine3A::from_rotation_translation(self.rotation(), self.vector())
    }
}

/// Vertices with `width` influences each.
pub(crate) struct Vertices {
    pub(crate) positions: Vec<[f32; 3]>,
    pub(crate) normals: Vec<[f32; 3]>,
    pub(crate) starts: Vec<u32>,
    pub(crate) influences: Vec<Influence>,
}

/// `n` vertices on `joints` joints; every `share` neighbours have the same influences.
pub(crate) fn vertices(n: usize, joints: u32, width: u32, share: usize) -> Vertices {
    let mut random = Random::new(n as u64);
    let mut out =
        Vertices { positions: Vec::new(), normals: Vec::new(), starts: vec![0], influences: Vec::new() };
    let mut current = Vec::new();
    for v in 0..n {
        if v % share == 0 {
            let first = random.below(joints);
            let raw: Vec<f32> = (0..width).map(|_| random.unit() + 1.5).collect();
            let sum: f32 = raw.iter().sum();
            let joint = |k: u32| (first + k * (1 + random.0 as u32 % 3)) % joints;
            current = (0..width)
                .zip(&raw)
                .map(|(k, w)| Influence { joint: joint(k), weight: if width == 1 { 1.0 } else { w / sum } })
                .collect();
        }
        out.positions.push(random.vector().into());
        out.normals.push(Vec3A::from(random.vector()).normalize().into());
        out.influences.extend_from_slice(&current);
        out.starts.push(out.influences.len() as u32);
    }
    out
}

/// `n` vertices of one to `most` influences, in no order.
pub(crate) fn mixed(n: usize, joints: u32, most: u32) -> Vertices {
    let mut random = Random::new(5);
    let widest = vertices(n, joints, most, 1);
    let mut out = Vertices { starts: vec![0], influences: Vec::new(), ..widest };
    for _ in 0..n {
        let width = 1 + random.below(most);
        for _ in 0..width {
            let weight = 1.0 / width as f32;
            out.influences.push(Influence { joint: random.below(joints), weight });
        }
        out.starts.push(out.influences.len() as u32);
    }
    out
}

/// Returns a figure of `n` joints: a spine with limbs that branch from it, as figures have.
pub(crate) fn skeleton(n: usize) -> Skeleton {
    let mut random = Random::new(7);
    let mut joints = Vec::new();
    for i in 0..n {
        let parent = match i {
            0 => None,
            // Every eighth joint begins a limb at the spine.
            i if i % 8 == 0 => Some(i / 8 % 8),
            i => Some(i - 1),
        };
        let rest = Trs {
            translation: (random.vector() * 0.3).into(),
            rotation: random.rotation().into(),
            scale: [1.0; 3],
        };
        joints.push(Joint::new(format!("joint {i}"), parent, Local::Trs(rest)));
    }
    let mut skeleton = Skeleton { name: "figure".into(), joints };
    let _ = skeleton.bind_rest();
    skeleton
}

/// Returns a palette of `n` rigid matrices.
pub(crate) fn palette(n: u32) -> Vec<Affine3A> {
    let mut random = Random::new(11);
    (0..n).map(|_| random.matrix()).collect()
}
