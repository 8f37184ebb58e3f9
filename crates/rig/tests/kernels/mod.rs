//! Compares every kernel with the same sums in 64 bits, for every code path and memory layout.
#![allow(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "a failing test panics; tests use small numbers"
)]

mod extremes;
mod meshes;

use meshes::{JOINTS, Random, Shape, choices, mesh, pose, rig, shapes};
use meshwright_rig::glam::{Affine3A, DAffine3, DVec3, EulerRot, Quat, Vec3};
use meshwright_rig::{
    Choice, InstructionSet, InterleavedLayout, JointIndices, JointSet, Kernel, Matrix, NormalLength, Output,
    PlanOptions, Pose, Rig, RigError, SkinPlan, SkinSource, VertexSpace, Workspace,
};
use meshwright_scene::{Influence, Joint, Local, LocalVertex, Mesh, Skeleton, Trs};
use meshwright_testkit::proptest;
use proptest::prelude::*;

/// Skinned positions, normals and tangents.
#[derive(Clone, Debug, Default, PartialEq)]
struct Skinned {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    tangents: Vec<[f32; 4]>,
}

fn zero(n: usize) -> Skinned {
    Skinned { positions: vec![[7.0; 3]; n], normals: vec![[7.0; 3]; n], tangents: vec![[7.0; 4]; n] }
}

fn skin<M: Matrix>(
    plan: &SkinPlan,
    pose: &Pose<M>,
    instructions: InstructionSet,
    lengths: NormalLength,
) -> Skinned {
    let mut out = zero(plan.vertex_count());
    let mut target = Output::positions(&mut out.positions).with_normal_length(lengths);
    if plan.has_normals() {
        target = target.with_normals(&mut out.normals);
    }
    if plan.has_tangents() {
        target = target.with_tangents(&mut out.tangents);
    }
    plan.skin(pose, &mut Workspace::with_instructions(instructions), target).unwrap();
    out
}

fn bits(s: &Skinned) -> Vec<u32> {
    let threes = s.positions.iter().chain(&s.normals).flatten();
    threes.chain(s.tangents.iter().flatten()).map(|c| c.to_bits()).collect()
}

fn is_near(a: &[[f32; 3]], b: &[[f32; 3]], tolerance: f32) -> bool {
    a.len() == b.len() && a.iter().flatten().zip(b.iter().flatten()).all(|(a, b)| (a - b).abs() <= tolerance)
}

fn instruction_sets() -> [InstructionSet; 2] {
    [InstructionSet::PORTABLE, InstructionSet::detect()]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]

    #[test]
    fn every_kernel_and_path_agrees_with_64_bits(shape in shapes(), options in choices()) {
        let rig = rig(JOINTS);
        let plan = SkinPlan::with_options(&mesh(shape), &rig, options).unwrap();
        let (wide, fast) = (pose::<DAffine3>(&rig, shape.seed), pose::<Affine3A>(&rig, shape.seed));
        let mut expected = zero(plan.vertex_count());
        plan.positions(&wide, &mut expected.positions).unwrap();
        if plan.has_normals() {
            plan.normals(&wide, NormalLength::AsIs, &mut expected.normals).unwrap();
        }
        for instructions in instruction_sets() {
            let found = skin(&plan, &fast, instructions, NormalLength::AsIs);
            // The sum has a few terms below 4, each rounded a few times.
            prop_assert!(is_near(&found.positions, &expected.positions, 1e-5), "{:?} {}", instructions, plan.info());
            prop_assert!(is_near(&found.normals, &expected.normals, 1e-5), "{:?} {}", instructions, plan.info());
        }
    }

    #[test]
    fn tangents_turn_as_normals_and_keep_their_side(shape in shapes(), options in choices()) {
        let rig = rig(JOINTS);
        let mut mesh = mesh(Shape { tangents: true, local: false, ..shape });
        mesh.normals = mesh.tangents.iter().map(|t| [t[0], t[1], t[2]]).collect();
        let plan = SkinPlan::with_options(&mesh, &rig, options).unwrap();
        let pose = pose::<Affine3A>(&rig, shape.seed);
        for instructions in instruction_sets() {
            for lengths in [NormalLength::AsIs, NormalLength::Unit] {
                let found = skin(&plan, &pose, instructions, lengths);
                let three: Vec<_> = found.tangents.iter().map(|t| [t[0], t[1], t[2]]).collect();
                prop_assert!(is_near(&three, &found.normals, 1e-6), "{instructions:?}");
                let sides = found.tangents.iter().zip(&mesh.tangents).all(|(a, b)| a[3] == b[3]);
                prop_assert!(sides);
            }
        }
    }

    #[test]
    fn lengths_are_made_1(shape in shapes(), options in choices()) {
        let rig = rig(JOINTS);
        let plan = SkinPlan::with_options(&mesh(shape), &rig, options).unwrap();
        let pose = pose::<Affine3A>(&rig, shape.seed);
        for instructions in instruction_sets() {
            let raw = skin(&plan, &pose, instructions, NormalLength::AsIs);
            let unit = skin(&plan, &pose, instructions, NormalLength::Unit);
            prop_assert_eq!(&raw.positions, &unit.positions);
            for (r, u) in raw.normals.iter().zip(&unit.normals) {
                let (r, u) = (Vec3::from(*r), Vec3::from(*u));
                prop_assert!(u.abs_diff_eq(r.try_normalize().unwrap_or(r), 1e-6), "{r} {u}");
            }
        }
    }

    /// A vertex buffer may have attributes at any offset of a stride; other bytes do not change.
    #[test]
    fn interleaved_memory_gets_the_same_bits(
        shape in shapes(),
        options in choices(),
        gaps in [0_usize..9, 0_usize..9, 0_usize..9, 0_usize..9],
        swap: bool,
    ) {
        let rig = rig(JOINTS);
        let plan = SkinPlan::with_options(&mesh(shape), &rig, options).unwrap();
        let pose = pose::<Affine3A>(&rig, shape.seed);
        let n = plan.vertex_count();
        let (mut position, mut normal) = (gaps[0], gaps[0] + 12 + gaps[1]);
        if swap {
            (position, normal) = (normal, position);
        }
        let tangent = gaps[0] + 24 + gaps[1] + gaps[2];
        let stride = tangent + 16 + gaps[3];
        let layout = InterleavedLayout::new(stride)
            .with_position(position)
            .with_normal(plan.has_normals().then_some(normal))
            .with_tangent(plan.has_tangents().then_some(tangent));
        for instructions in instruction_sets() {
            for lengths in [NormalLength::AsIs, NormalLength::Unit] {
                let separate = skin(&plan, &pose, instructions, lengths);
                let mut bytes = vec![0xa5_u8; n * stride];
                let out = Output::interleaved(&mut bytes, layout).with_normal_length(lengths);
                plan.skin(&pose, &mut Workspace::with_instructions(instructions), out).unwrap();
                let mut rest = vec![0xa5_u8; n * stride];
                for (v, vertex) in rest.chunks_exact_mut(stride).enumerate() {
                    let mut put = |at: usize, values: &[f32]| {
                        for (i, v) in values.iter().enumerate() {
                            vertex[at + 4 * i..at + 4 * i + 4].copy_from_slice(&v.to_ne_bytes());
                        }
                    };
                    put(position, &separate.positions[v]);
                    if plan.has_normals() {
                        put(normal, &separate.normals[v]);
                    }
                    if plan.has_tangents() {
                        put(tangent, &separate.tangents[v]);
                    }
                }
                prop_assert!(bytes == rest, "{instructions:?}");
            }
        }
    }

    /// Attributes that are not requested do not change the others.
    #[test]
    fn positions_alone_are_the_same_positions(shape in shapes(), options in choices()) {
        let rig = rig(JOINTS);
        let plan = SkinPlan::with_options(&mesh(shape), &rig, options).unwrap();
        let pose = pose::<Affine3A>(&rig, shape.seed);
        for instructions in instruction_sets() {
            let all = skin(&plan, &pose, instructions, NormalLength::AsIs);
            let mut alone = vec![[0.0; 3]; plan.vertex_count()];
            plan.skin(&pose, &mut Workspace::with_instructions(instructions), Output::positions(&mut alone)).unwrap();
            prop_assert!(is_near(&alone, &all.positions, 1e-6), "{instructions:?}");
        }
    }

    #[test]
    fn boxes_hold_the_mesh(shape in shapes(), wild: bool) {
        let rig = rig(JOINTS);
        let mut mesh = mesh(shape);
        if wild {
            // Weights of any sign and sum, and vertices without weights.
            let mut random = Random(shape.seed | 1);
            for i in &mut mesh.skin.as_mut().unwrap().influences {
                i.weight = if random.below(5) == 0 { 0.0 } else { random.unit() * 3.0 };
            }
        }
        let plan = SkinPlan::new(&mesh, &rig).unwrap();
        let pose = pose::<Affine3A>(&rig, shape.seed);
        let found = skin(&plan, &pose, InstructionSet::detect(), NormalLength::AsIs);
        let bounds = plan.bounds(&pose);
        let exact = plan.exact_bounds(&pose, &mut Workspace::new()).unwrap();
        prop_assert_eq!(bounds.is_some(), plan.vertex_count() > 0);
        for p in &found.positions {
            prop_assert!(bounds.unwrap().contains((*p).into()), "{:?} {:?}", bounds, p);
            prop_assert!(exact.unwrap().contains((*p).into()));
        }
        if let Some(exact) = exact {
            let touched = |corner: Vec3| {
                let c = corner.to_array();
                (0..3).all(|i| found.positions.iter().any(|p| p[i] == c[i]))
            };
            prop_assert!(touched(exact.min) && touched(exact.max));
        }
    }

    #[test]
    fn dual_quaternions_agree_with_matrices_where_one_joint_moves(shape in shapes()) {
        let rig = rig(JOINTS);
        let plan = SkinPlan::new(&mesh(Shape { local: false, least: 1, most: 1, ..shape }), &rig).unwrap();
        let pose = pose::<Affine3A>(&rig, shape.seed);
        let linear = skin(&plan, &pose, InstructionSet::PORTABLE, NormalLength::AsIs);
        let mut dual = zero(plan.vertex_count());
        let out = Output::positions(&mut dual.positions);
        let out = if plan.has_normals() { out.with_normals(&mut dual.normals) } else { out };
        plan.skin_dual(&pose, &mut Workspace::new(), out).unwrap();
        prop_assert!(is_near(&dual.positions, &linear.positions, 2e-5));
        prop_assert!(is_near(&dual.normals, &linear.normals, 2e-5));
    }

    /// With any weights, points and matrices, nothing panics, and finite results are the same on every code
    /// path.
    #[test]
    fn hostile_numbers(seed: u64, options in choices(), local: bool, share in 1_usize..9) {
        let rig = rig(JOINTS);
        let mut random = Random(seed | 1);
        let strange = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -0.0, 1e-40, 0.0];
        let mut mesh = mesh(Shape { vertices: 600, least: 0, most: 5, share, local, tangents: !local, seed });
        let mut spoil = |v: &mut f32| {
            if random.below(40) == 0 {
                *v = strange[random.below(strange.len())];
            }
        };
        mesh.positions.iter_mut().chain(&mut mesh.normals).flatten().for_each(&mut spoil);
        mesh.tangents.iter_mut().flatten().for_each(&mut spoil);
        let skin_of = mesh.skin.as_mut().unwrap();
        skin_of.influences.iter_mut().for_each(|i| spoil(&mut i.weight));
        skin_of.local.iter_mut().flat_map(|l| l.position.iter_mut().chain(&mut l.normal)).for_each(&mut spoil);
        let plan = SkinPlan::with_options(&mesh, &rig, options).unwrap();
        let mut pose = pose::<Affine3A>(&rig, seed);
        pose.local_matrices_mut()[3].translation.x = f32::NAN;
        pose.local_matrices_mut()[4].matrix3.y_axis.z = f32::INFINITY;
        pose.update(&rig).unwrap();
        let [a, b] = instruction_sets().map(|instructions| skin(&plan, &pose, instructions, NormalLength::AsIs));
        let same = |a: &f32, b: &f32| {
            // One result can overflow while the other just does not.
            a.to_bits() == b.to_bits() || !a.is_finite() || !b.is_finite() || (a - b).abs() <= 1e-5 * (1.0 + a.abs()) || a.abs() > 1e30
        };
        prop_assert!(a.positions.iter().flatten().zip(b.positions.iter().flatten()).all(|(a, b)| same(a, b)));
        prop_assert!(a.normals.iter().flatten().zip(b.normals.iter().flatten()).all(|(a, b)| same(a, b)));
        for instructions in instruction_sets() {
            skin(&plan, &pose, instructions, NormalLength::Unit);
        }
        let _ = plan.bounds(&pose);
        let _ = plan.exact_bounds(&pose, &mut Workspace::new()).unwrap();
        let mut out = vec![[0.0; 3]; 600];
        let dual = plan.skin_dual(&pose, &mut Workspace::new(), Output::positions(&mut out));
        prop_assert_eq!(dual.is_err(), local);
    }
}

fn shape(vertices: usize, width: usize, share: usize, local: bool) -> Shape {
    Shape { vertices, least: width, most: width, share, local, tangents: false, seed: 5 }
}

fn kernel(shape: Shape) -> Kernel {
    SkinPlan::with_options(&mesh(shape), &rig(JOINTS), PlanOptions::default()).unwrap().info().kernel
}

#[test]
fn the_kernel_fits_the_mesh() {
    assert_eq!(kernel(shape(1000, 1, 1, false)), Kernel::Single);
    assert_eq!(kernel(shape(1000, 1, 100, false)), Kernel::Runs);
    assert_eq!(kernel(shape(1000, 1, 100, true)), Kernel::Runs);
    assert_eq!(kernel(shape(1000, 1, 1, true)), Kernel::Single);
    assert_eq!(kernel(shape(1000, 2, 1, true)), Kernel::JointSpace);
    assert_eq!(kernel(shape(1000, 2, 1, false)), Kernel::Two);
    assert_eq!(kernel(shape(1000, 3, 1, false)), Kernel::Three);
    assert_eq!(kernel(shape(1000, 4, 1, false)), Kernel::Four);
    assert_eq!(kernel(shape(1000, 7, 1, false)), Kernel::Many);
    assert_eq!(kernel(shape(1000, 4, 4, false)), Kernel::Table);
    assert_eq!(kernel(shape(1000, 7, 4, false)), Kernel::Table);
    assert_eq!(kernel(shape(0, 4, 4, false)), Kernel::Single);
}

#[test]
fn a_plan_tells_what_it_does() {
    let plan = SkinPlan::new(&mesh(shape(512, 4, 4, false)), &rig(JOINTS)).unwrap();
    let info = plan.info();
    assert_eq!(
        (info.space, info.table, info.vertices, info.influences),
        (VertexSpace::Model, Some(128), 512, 4)
    );
    let text = info.to_string();
    assert!(
        text.contains("Table on 512 vertices in the bind pose, at most 4 influences, 128 blends"),
        "{text}"
    );
    let plan = SkinPlan::new(&mesh(shape(400, 1, 100, true)), &rig(JOINTS)).unwrap();
    assert_eq!((plan.info().runs.unwrap(), plan.info().space), (4, VertexSpace::Joint));
}

/// Tests more matrices than two-byte indices can address.
#[test]
fn many_joints() {
    let joints = 9000;
    let rig = rig(joints);
    let mut mesh = mesh(shape(300, 4, 1, false));
    for (i, influence) in mesh.skin.as_mut().unwrap().influences.iter_mut().enumerate() {
        influence.joint = (i * 7919 % joints) as u32;
    }
    let (wide, fast) = (pose::<DAffine3>(&rig, 1), pose::<Affine3A>(&rig, 1));
    for table in [Choice::Never, Choice::Always] {
        let plan =
            SkinPlan::with_options(&mesh, &rig, PlanOptions::default().with_blend_table(table)).unwrap();
        assert_eq!(plan.info().kernel, if table == Choice::Never { Kernel::Many } else { Kernel::Table });
        let mut expected = vec![[0.0; 3]; 300];
        plan.positions(&wide, &mut expected).unwrap();
        for instructions in instruction_sets() {
            assert!(is_near(
                &skin(&plan, &fast, instructions, NormalLength::AsIs).positions,
                &expected,
                1e-5
            ));
        }
    }
}

#[test]
fn gltf_arrays_of_both_widths_and_several_sets() {
    let mut random = Random(9);
    let n = 100;
    let positions: Vec<_> = (0..n).map(|_| random.vector()).collect();
    let joints: Vec<[u8; 4]> = (0..n).map(|_| [0; 4].map(|_| random.below(JOINTS) as u8)).collect();
    let words: Vec<[u16; 4]> = joints.iter().map(|j| j.map(u16::from)).collect();
    let weights: Vec<[f32; 4]> = (0..n).map(|_| [0; 4].map(|_| 0.25)).collect();
    let halves: Vec<[f32; 4]> = (0..n).map(|_| [0.125; 4]).collect();
    let rig = rig(JOINTS);
    let pose = pose::<Affine3A>(&rig, 3);
    let run = |sets: &[JointSet<'_>]| {
        let source = SkinSource::new(&positions, sets);
        let plan = SkinPlan::from_source(&source, JOINTS, PlanOptions::default()).unwrap();
        (plan.info().influences, skin(&plan, &pose, InstructionSet::detect(), NormalLength::AsIs).positions)
    };
    let (bytes, words) = (JointIndices::U8(&joints), JointIndices::U16(&words));
    let one = run(&[JointSet::new(bytes, &weights)]);
    assert_eq!(one, run(&[JointSet::new(words, &weights)]));
    let set = JointSet::new(bytes, &halves);
    let two = run(&[set, set]);
    assert_eq!(two.0, 8);
    assert!(is_near(&one.1, &two.1, 1e-5));
    assert!(is_near(&run(&[]).1, &positions, 0.0));
}

#[test]
fn what_does_not_fit_is_refused() {
    let positions = [[0.0; 3]; 2];
    let refused = |joints: &[[u8; 4]], weights: &[[f32; 4]], normals: &[[f32; 3]], count| {
        let sets = [JointSet::new(JointIndices::U8(joints), weights)];
        let source = SkinSource::new(&positions, &sets).with_normals(normals);
        SkinPlan::from_source(&source, count, PlanOptions::default()).is_err()
    };
    let (joints, weights) = ([[0, 1, 9, 9]; 2], [[0.5, 0.5, 0.0, 0.0]; 2]);
    assert!(!refused(&joints, &weights, &[], 2));
    // Rejected: a joint that does not exist, except in unused slots; lengths that differ.
    assert!(refused(&joints, &weights, &[], 1));
    assert!(refused(&joints, &[[0.25; 4]; 2], &[], 2));
    assert!(refused(&joints, &[[f32::NAN; 4]; 2], &[], 2));
    assert!(refused(&joints[..1], &weights, &[], 2));
    assert!(refused(&joints, &weights[..1], &[], 2));
    assert!(refused(&joints, &weights, &[[0.0; 3]], 2));

    let sets = [JointSet::new(JointIndices::U8(&joints), &weights)];
    let source = SkinSource::new(&positions, &sets);
    let plan = SkinPlan::from_source(&source, 2, PlanOptions::default()).unwrap();
    let mut work = Workspace::new();
    let palette = [Affine3A::IDENTITY; 2];
    let (mut p, mut n, mut t) = ([[0.0; 3]; 2], [[0.0; 3]; 2], [[0.0; 4]; 2]);
    assert!(plan.skin_with(&palette, &mut work, Output::positions(&mut p)).is_ok());
    assert!(plan.skin_with(&palette[..1], &mut work, Output::positions(&mut p)).is_err());
    assert!(plan.skin_with(&palette, &mut work, Output::positions(&mut p[..1])).is_err());
    assert!(plan.skin_with(&palette, &mut work, Output::positions(&mut p).with_normals(&mut n)).is_err());
    assert!(plan.skin_with(&palette, &mut work, Output::positions(&mut p).with_tangents(&mut t)).is_err());
    let mut bytes = [0; 40];
    let mut interleaved = |stride, position, len: usize| {
        let layout = InterleavedLayout::new(stride).with_position(position);
        plan.skin_with(&palette, &mut work, Output::interleaved(&mut bytes[..len], layout))
    };
    assert_eq!(interleaved(20, 8, 40), Ok(()));
    assert!(matches!(interleaved(20, 9, 40), Err(RigError::Invalid { .. })));
    assert!(matches!(interleaved(20, usize::MAX, 40), Err(RigError::Invalid { .. })));
    assert!(matches!(interleaved(0, 0, 0), Err(RigError::Invalid { .. })));
    assert!(matches!(interleaved(20, 8, 39), Err(RigError::Length { .. })));
    assert!(matches!(interleaved(usize::MAX, 0, 40), Err(RigError::Length { .. })));
}

#[test]
fn twisted_limbs_keep_their_volume_with_dual_quaternions() {
    // Halfway between no turn and half a turn, blended matrices shrink to nothing and blended rotations do
    // not.
    let rig = rig(2);
    let mut pose = Pose::<Affine3A>::new(&rig);
    pose.local_matrices_mut()[1] = Affine3A::from_rotation_x(std::f32::consts::PI - 1e-3);
    pose.update(&rig).unwrap();
    let sets = [JointSet::new(JointIndices::U8(&[[0, 1, 0, 0]]), &[[0.5, 0.5, 0.0, 0.0]])];
    let source = SkinSource::new(&[[0.0, 1.0, 0.0]], &sets);
    let plan = SkinPlan::from_source(&source, 2, PlanOptions::default()).unwrap();
    let (mut linear, mut dual) = ([[0.0; 3]], [[0.0; 3]]);
    plan.skin(&pose, &mut Workspace::new(), Output::positions(&mut linear)).unwrap();
    plan.skin_dual(&pose, &mut Workspace::new(), Output::positions(&mut dual)).unwrap();
    assert!(Vec3::from(linear[0]).length() < 1e-2);
    assert!((Vec3::from(dual[0]).length() - 1.0).abs() < 1e-5);
}

#[test]
fn a_spoiled_joint_spoils_only_what_follows_it() {
    let rig = rig(3);
    let mut pose = Pose::<Affine3A>::new(&rig);
    pose.local_matrices_mut()[2].translation.x = f32::NAN;
    pose.update(&rig).unwrap();
    let joints = [[0, 1, 2, 2]; 40];
    let weights = [[0.5, 0.5, 0.0, 0.0]; 40];
    let sets = [JointSet::new(JointIndices::U8(&joints), &weights)];
    let positions = [[1.0; 3]; 40];
    let source = SkinSource::new(&positions, &sets);
    for table in [Choice::Always, Choice::Never] {
        let plan = SkinPlan::from_source(&source, 3, PlanOptions::default().with_blend_table(table)).unwrap();
        for instructions in instruction_sets() {
            assert_eq!(skin(&plan, &pose, instructions, NormalLength::AsIs).positions, positions);
        }
    }
}

#[cfg(feature = "rayon")]
#[test]
fn threads_change_no_bit() {
    use meshwright_rig::PlanInfo;
    let rig = rig(JOINTS);
    let pose = pose::<Affine3A>(&rig, 21);
    let shapes = [
        (1, 1, false),
        (1, 333, false),
        (2, 1, false),
        (4, 1, false),
        (4, 5, false),
        (7, 1, false),
        (3, 1, true),
        (1, 777, true),
    ];
    let pools = [1, 2, 5].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap());
    for (width, share, local) in shapes {
        let plan = SkinPlan::new(&mesh(shape(40_001, width, share, local)), &rig).unwrap();
        let info: PlanInfo = plan.info();
        for instructions in instruction_sets() {
            let serial = skin(&plan, &pose, instructions, NormalLength::Unit);
            for pool in &pools {
                let mut out = zero(plan.vertex_count());
                let target = Output::positions(&mut out.positions)
                    .with_normals(&mut out.normals)
                    .with_normal_length(NormalLength::Unit);
                let mut work = Workspace::with_instructions(instructions);
                pool.install(|| plan.skin_parallel(&pose, &mut work, target)).unwrap();
                assert!(bits(&out) == bits(&serial), "{instructions:?} {info}");
            }
            // Call it from a thread that is not in a pool.
            let mut out = zero(plan.vertex_count());
            let target = Output::positions(&mut out.positions)
                .with_normals(&mut out.normals)
                .with_normal_length(NormalLength::Unit);
            plan.skin_parallel(&pose, &mut Workspace::with_instructions(instructions), target).unwrap();
            assert!(bits(&out) == bits(&serial), "{instructions:?} {info}");
        }
    }
}

#[test]
fn paths_are_named() {
    assert_eq!(InstructionSet::PORTABLE.name(), "portable");
    assert_eq!(format!("{:?}", InstructionSet::detect()), InstructionSet::detect().name());
    let serial = skin(
        &SkinPlan::new(&mesh(shape(100, 4, 1, false)), &rig(JOINTS)).unwrap(),
        &pose::<Affine3A>(&rig(JOINTS), 1),
        InstructionSet::detect(),
        NormalLength::AsIs,
    );
    assert_eq!(bits(&serial).len(), 100 * 10);
}

/// Returns a skeleton with joints anywhere, and a joint-space mesh bound to it.
fn seen_by_joints(shape: Shape) -> (Rig, Mesh) {
    let mut random = Random(99);
    let joints = (0..JOINTS).map(|i| {
        let [x, y, z] = random.vector();
        let rotation = Quat::from_euler(EulerRot::XYZ, x * 3.0, y * 3.0, z * 3.0).into();
        let trs = Trs { translation: random.vector(), rotation, scale: [1.0; 3] };
        Joint::new(format!("{i}"), i.checked_sub(1).map(|i| i / 2), Local::Trs(trs))
    });
    let mut skeleton = Skeleton { name: String::new(), joints: joints.collect() };
    skeleton.bind_rest().unwrap();
    let mut mesh = mesh(Shape { local: false, tangents: false, ..shape });
    let skin = mesh.skin.as_mut().unwrap();
    for v in 0..skin.vertex_count() {
        for i in skin.range(v) {
            let Influence { joint, weight } = skin.influences[i];
            let bind = DAffine3::from_affine(&skeleton.joints[joint as usize].inverse_bind);
            let [p, n] = [mesh.positions[v], mesh.normals[v]].map(|v| DVec3::from(v.map(f64::from)));
            let [p, n] = [bind.transform_point3(p), bind.transform_vector3(n)];
            let [position, normal] = [p, n].map(|v| (v * f64::from(weight)).as_vec3().to_array());
            skin.local.push(LocalVertex { position, normal });
        }
    }
    (Rig::new(&skeleton).unwrap(), mesh)
}

#[test]
fn what_joints_agree_about_is_held_in_the_bind_pose() {
    for (width, share, kernel) in [(2, 1, Kernel::Two), (2, 4, Kernel::Table), (3, 1, Kernel::Three)] {
        let (rig, mesh) = seen_by_joints(shape(500, width, share, false));
        let plan = SkinPlan::new(&mesh, &rig).unwrap();
        let info = plan.info();
        assert_eq!((info.space, info.kernel), (VertexSpace::Model, kernel), "{info}");
        assert!(info.disagreement.is_some_and(|apart| apart > 0.0 && apart <= 1e-6), "{info}");
        let stored = PlanOptions::default().with_bind_pose(Choice::Never);
        let stored = SkinPlan::with_options(&mesh, &rig, stored).unwrap();
        assert_eq!((stored.info().space, stored.info().disagreement), (VertexSpace::Joint, None));
        let (wide, fast) = (pose::<DAffine3>(&rig, 7), pose::<Affine3A>(&rig, 7));
        let mut expected = zero(plan.vertex_count());
        plan.positions(&wide, &mut expected.positions).unwrap();
        plan.normals(&wide, NormalLength::AsIs, &mut expected.normals).unwrap();
        let mut same = zero(plan.vertex_count());
        stored.positions(&wide, &mut same.positions).unwrap();
        assert_eq!(expected.positions, same.positions, "slow evaluation takes what is stored");
        let bounds = plan.bounds(&wide).unwrap();
        assert!(expected.positions.iter().all(|p| bounds.contains(Vec3::from(*p))));
        for instructions in instruction_sets() {
            let found = skin(&plan, &fast, instructions, NormalLength::AsIs);
            assert!(is_near(&found.positions, &expected.positions, 1e-4), "{instructions:?}");
            assert!(is_near(&found.normals, &expected.normals, 1e-4), "{instructions:?}");
        }
    }
}

#[test]
fn one_vertex_that_joints_disagree_about_leaves_a_mesh_as_it_is_stored() {
    type Spoil = fn(&mut Mesh);
    let spoils: [Spoil; 4] = [
        |m| m.skin.as_mut().unwrap().local[300].position[1] += 1e-3,
        |m| m.skin.as_mut().unwrap().local[300].normal[2] -= 1e-3,
        |m| m.skin.as_mut().unwrap().local[300].position[0] = f32::NAN,
        |m| m.skin.as_mut().unwrap().influences.iter_mut().skip(300).take(2).for_each(|i| i.weight = 0.0),
    ];
    for spoil in spoils {
        let (rig, mut mesh) = seen_by_joints(shape(500, 2, 1, false));
        spoil(&mut mesh);
        let info = SkinPlan::new(&mesh, &rig).unwrap().info();
        assert_eq!(
            (info.space, info.kernel, info.disagreement),
            (VertexSpace::Joint, Kernel::JointSpace, None),
            "{info}"
        );
    }
}
