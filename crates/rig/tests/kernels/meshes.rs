//! Random meshes, rigs and poses.

use meshwright_rig::glam::{DAffine3, DQuat, DVec3, EulerRot};
use meshwright_rig::{Choice, Matrix, PlanOptions, Pose, Rig};
use meshwright_scene::{Influence, Joint, Local, LocalVertex, Mesh, Skeleton, SkeletonId, Skin};
use proptest::prelude::*;

/// Random numbers for large meshes, which a strategy would create and shrink slowly.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as u32
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        self.next() as usize % n
    }

    pub(super) fn unit(&mut self) -> f32 {
        (self.next() >> 8) as f32 / 8_388_608.0 - 1.0
    }

    pub(super) fn vector(&mut self) -> [f32; 3] {
        [self.unit(), self.unit(), self.unit()]
    }
}

pub(super) const JOINTS: usize = 12;

pub(super) fn rig(joints: usize) -> Rig {
    let joints = (0..joints).map(|i| Joint::new(format!("{i}"), None, Local::default())).collect();
    Rig::new(&Skeleton { name: String::new(), joints }).unwrap()
}

pub(super) fn pose<M: Matrix>(rig: &Rig, seed: u64) -> Pose<M> {
    let mut random = Random(seed | 1);
    let mut pose = Pose::<M>::new(rig);
    for local in pose.local_matrices_mut() {
        let [a, b, c] = random.vector().map(f64::from);
        let [x, y, z] = random.vector().map(|v| f64::from(v) * 2.0);
        let m = DAffine3::from_rotation_translation(
            DQuat::from_euler(EulerRot::XYZ, a * 3.0, b * 3.0, c * 3.0),
            DVec3::new(x, y, z),
        );
        // The matrices of both precisions are the same: those of 32 bits.
        *local = M::from_affine(&Matrix::to_affine(&m));
    }
    pose.update(rig).unwrap();
    pose
}

/// The influences of a random mesh.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) vertices: usize,
    /// The minimum number of influences per vertex.
    pub(super) least: usize,
    /// The maximum number of influences per vertex.
    pub(super) most: usize,
    /// The number of consecutive vertices with the same influences.
    pub(super) share: usize,
    pub(super) local: bool,
    pub(super) tangents: bool,
    pub(super) seed: u64,
}

pub(super) fn mesh(shape: Shape) -> Mesh {
    let mut random = Random(shape.seed.wrapping_mul(0x9e37_79b9) | 1);
    let mut mesh = Mesh::default();
    let mut skin = Skin::new(SkeletonId(0));
    let mut current: Vec<Influence> = Vec::new();
    for v in 0..shape.vertices {
        if v % shape.share == 0 {
            let n = shape.least + random.below(shape.most - shape.least + 1);
            let raw: Vec<f32> = (0..n).map(|_| random.unit() + 1.25).collect();
            let sum: f32 = raw.iter().sum();
            let weight = |w: f32| if n == 1 { 1.0 } else { w / sum };
            current = raw
                .iter()
                .map(|&w| Influence { joint: random.below(JOINTS) as u32, weight: weight(w) })
                .collect();
            // An unused slot, as exporters write it.
            if n > 1 && random.below(4) == 0 {
                current[0].weight = 0.0;
            }
        }
        mesh.positions.push(random.vector());
        mesh.normals.push(random.vector());
        if shape.tangents {
            let [x, y, z] = random.vector();
            mesh.tangents.push([x, y, z, if v % 2 == 0 { 1.0 } else { -1.0 }]);
        }
        if shape.local {
            for i in &current {
                let weigh = |v: [f32; 3]| v.map(|c| c * i.weight);
                let (position, normal) = (weigh(random.vector()), weigh(random.vector()));
                skin.local.push(LocalVertex { position, normal });
            }
        }
        skin.influences.extend_from_slice(&current);
        skin.end_vertex();
    }
    mesh.skin = Some(skin);
    mesh
}

pub(super) fn shapes() -> impl Strategy<Value = Shape> {
    let sizes = prop_oneof![0_usize..70, 250_usize..270, 1000_usize..1060, 2040_usize..2100];
    (
        sizes,
        0_usize..=2,
        0_usize..=6,
        prop_oneof![Just(1_usize), 2_usize..40, Just(500)],
        any::<bool>(),
        any::<bool>(),
        any::<u64>(),
    )
        .prop_map(|(vertices, least, more, share, local, tangents, seed)| Shape {
            vertices,
            least,
            most: least + more,
            share,
            local,
            tangents: tangents && !local,
            seed,
        })
}

pub(super) fn choices() -> impl Strategy<Value = PlanOptions> {
    let choice = || prop_oneof![Just(Choice::Auto), Just(Choice::Always), Just(Choice::Never)];
    (choice(), choice())
        .prop_map(|(table, runs)| PlanOptions::default().with_blend_table(table).with_runs(runs))
}
