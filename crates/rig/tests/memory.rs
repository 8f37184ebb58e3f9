//! Kernels at the edges of the caller's memory: every small number of vertices, in blocks of exactly their size
//! and at every alignment, with numbers that are not finite among them. The address sanitizer
//! (`cargo run -p xtask -- targets asan`) sees a kernel that reads or writes one byte too far.
#![allow(clippy::unwrap_used, clippy::cast_precision_loss, reason = "tests")]

use meshwright_rig::glam::{Affine3A, Quat, Vec3};
use meshwright_rig::{
    Choice, InstructionSet, InterleavedLayout, NormalLength, Output, PlanOptions, Pose, Rig, SkinPlan,
    Workspace,
};
use meshwright_scene::{Influence, Joint, Local, LocalVertex, Mesh, Skeleton, SkeletonId, Skin};

const JOINTS: u32 = 5;
const STRANGE: [f32; 6] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, 0.0, 1e-42];

fn rig() -> Rig {
    let joints = (0..JOINTS).map(|i| Joint::new(format!("{i}"), None, Local::default())).collect();
    Rig::new(&Skeleton { name: String::new(), joints }).unwrap()
}

fn pose(rig: &Rig, strange: bool) -> Pose<Affine3A> {
    let mut pose = Pose::<Affine3A>::new(rig);
    for (i, local) in pose.local_matrices_mut().iter_mut().enumerate() {
        *local = Affine3A::from_rotation_translation(
            Quat::from_rotation_x(i as f32),
            Vec3::new(i as f32, 1.0, -2.0),
        );
    }
    if strange {
        pose.local_matrices_mut()[1].translation.x = f32::NAN;
        pose.local_matrices_mut()[2].matrix3.y_axis.z = f32::INFINITY;
        pose.local_matrices_mut()[3] = Affine3A::ZERO;
    }
    pose.update(rig).unwrap();
    pose
}

/// Returns a mesh of `n` vertices with `width` influences; `share` consecutive vertices have the same
/// influences.
fn mesh(n: usize, width: u32, share: usize, local: bool, strange: bool) -> Mesh {
    let mut mesh = Mesh::default();
    let mut skin = Skin::new(SkeletonId(0));
    let odd =
        |i: usize, sound: f32| if strange && i % 3 == 1 { STRANGE[i / 3 % STRANGE.len()] } else { sound };
    for v in 0..n {
        mesh.positions.push([odd(v, v as f32), 1.0, 2.0]);
        mesh.normals.push([0.0, odd(v + 1, 1.0), 0.0]);
        if !local {
            mesh.tangents.push([1.0, 0.0, odd(v + 2, 0.0), -1.0]);
        }
        for k in 0..width {
            let number = v / share + k as usize;
            let joint = u32::try_from(number).unwrap() % JOINTS;
            skin.influences.push(Influence { joint, weight: odd(number, 1.0 / width as f32) });
            if local {
                let position = [odd(number, 1.0), 0.5, 0.25];
                skin.local.push(LocalVertex { position, normal: [0.0, 1.0, 0.0] });
            }
        }
        skin.end_vertex();
    }
    mesh.skin = Some(skin);
    mesh
}

/// Returns memory that ends with its last item.
fn exactly<T: Clone>(item: T, n: usize) -> Box<[T]> {
    vec![item; n].into_boxed_slice()
}

fn skinned(plan: &SkinPlan, pose: &Pose<Affine3A>, instructions: InstructionSet, lengths: NormalLength) {
    let n = plan.vertex_count();
    let work = &mut Workspace::with_instructions(instructions);
    // The last `n` of one item more, so that the block has another alignment than the allocation.
    for before in 0..2 {
        let (mut p, mut q) = (exactly([7.0; 3], n + before), exactly([7.0; 3], n + before));
        let mut t = exactly([7.0; 4], n + before);
        let mut out = Output::positions(&mut p[before..]).with_normal_length(lengths);
        if plan.has_normals() {
            out = out.with_normals(&mut q[before..]);
        }
        if plan.has_tangents() {
            out = out.with_tangents(&mut t[before..]);
        }
        plan.skin(pose, work, out).unwrap();
        for untouched in p[..before].iter().chain(&q[..before]) {
            assert_eq!(*untouched, [7.0; 3]);
        }
    }
    let tangent = if plan.has_tangents() { 16 } else { 0 };
    for shift in 0..4 {
        for gap in [0, 1, 4] {
            // The last attribute ends at the end of the memory.
            let layout = InterleavedLayout::new(gap + 24 + tangent)
                .with_position(gap + 12)
                .with_normal(plan.has_normals().then_some(gap))
                .with_tangent(plan.has_tangents().then_some(gap + 24));
            let mut bytes = exactly(0xa5_u8, shift + n * layout.stride);
            let out = Output::interleaved(&mut bytes[shift..], layout).with_normal_length(lengths);
            plan.skin(pose, work, out).unwrap();
            let gaps = bytes[shift..].chunks(layout.stride).flat_map(|v| &v[..gap]);
            assert!(bytes[..shift].iter().chain(gaps).all(|b| *b == 0xa5));
        }
    }
    let mut p = exactly([0.0; 3], n);
    let _ = plan.skin_dual(pose, work, Output::positions(&mut p));
    let _ = plan.bounds(pose);
    let _ = plan.exact_bounds(pose, work).unwrap();
}

#[test]
fn every_small_mesh_in_memory_of_its_size() {
    let rig = rig();
    let choices = [Choice::Never, Choice::Always];
    for n in (0..20).chain([31, 32, 33, 63, 64, 65, 127, 129, 255, 257]) {
        for width in [0, 1, 2, 3, 4, 6] {
            for (share, local, strange) in
                [(1, false, false), (1, false, true), (7, false, true), (1, true, true), (7, true, false)]
            {
                let mesh = mesh(n, width, share, local, strange);
                for (table, runs) in choices.into_iter().zip(choices).chain([(Choice::Auto, Choice::Auto)]) {
                    let plan = SkinPlan::with_options(
                        &mesh,
                        &rig,
                        PlanOptions::default().with_blend_table(table).with_runs(runs),
                    )
                    .unwrap();
                    let pose = pose(&rig, strange);
                    for instructions in [InstructionSet::PORTABLE, InstructionSet::detect()] {
                        for lengths in [NormalLength::AsIs, NormalLength::Unit] {
                            skinned(&plan, &pose, instructions, lengths);
                        }
                    }
                }
            }
        }
    }
}

/// A result that is too short by one, and inputs with different lengths, are rejected on every code path.
#[test]
fn memory_that_does_not_fit_is_refused() {
    let rig = rig();
    let pose = pose(&rig, false);
    for n in 1..40 {
        let plan = SkinPlan::new(&mesh(n, 4, 1, false, false), &rig).unwrap();
        for instructions in [InstructionSet::PORTABLE, InstructionSet::detect()] {
            let work = &mut Workspace::with_instructions(instructions);
            for wrong in [0, n - 1, n + 1] {
                let mut p = exactly([0.0; 3], wrong);
                assert!(plan.skin(&pose, work, Output::positions(&mut p)).is_err());
                let mut bytes = exactly(0_u8, wrong * 12);
                let layout = InterleavedLayout::new(12);
                assert!(plan.skin(&pose, work, Output::interleaved(&mut bytes, layout)).is_err());
            }
            let (mut p, mut q) = (exactly([0.0; 3], n), exactly([0.0; 3], n - 1));
            assert!(plan.skin(&pose, work, Output::positions(&mut p).with_normals(&mut q)).is_err());
            let mut t = exactly([0.0; 4], n + 1);
            assert!(plan.skin(&pose, work, Output::positions(&mut p).with_tangents(&mut t)).is_err());
        }
    }
}
