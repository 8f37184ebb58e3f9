//! A triangle, its skeleton and its motion.
use meshwright_core::f32s;
use meshwright_scene::Loss;
use meshwright_tso::{
    Anim, Binding, BlendVertex, Bone, Flag, Geometry, KEYS_UNUSED, Mesh, Motion, Q1_15, RealVertex, Skel,
    Total,
};

pub(crate) const HALF: Q1_15 = Q1_15::from_bits(0x4000);

pub(crate) fn real(position: [f32; 3], normal: [f32; 3]) -> RealVertex {
    RealVertex { uv: f32s([0.25, 0.75]), position: f32s(position), normal: f32s(normal) }
}

pub(crate) fn blend(weight: Q1_15, target: u32, position: [f32; 3]) -> BlendVertex {
    BlendVertex { weight, target, position: f32s(position), normal: f32s([0.0, 1.0, 0.0]) }
}

/// Returns a triangle on ROOT, its first corner pulled by HAND and then by TAIL.
pub(crate) fn mesh() -> Mesh {
    let up = [0.0, 1.0, 0.0];
    let geometry = Geometry {
        bones: vec!["root".into(), "HAND".into(), "TAIL".into()],
        faces: vec![[0, 1, 2]],
        bindings: vec![
            Binding { bone: 0, real_count: 3, ..Binding::default() },
            Binding { bone: 1, first_blend: 0, blend_count: 1, first_real: 3, ..Binding::default() },
            Binding { bone: 2, first_blend: 1, blend_count: 1, first_real: 3, ..Binding::default() },
        ],
        real: vec![
            real([4.0, 0.0, 0.0], up),
            real([0.0, 0.0, 1.0], [0.0, 3.0, 0.0]),
            real([1.0, 0.0, 0.0], [0.0; 3]),
        ],
        blends: vec![blend(HALF, 0, [1.0, 0.0, 0.0]), blend(HALF, 0, [0.0, 0.0, 2.0])],
        total: Total::All,
    };
    Mesh { geometry, trailing: Vec::new() }
}

pub(crate) fn bone(name: &str, parent: &str, x: f32) -> Bone {
    Bone {
        name: name.into(),
        parent: parent.into(),
        translation: f32s([x, 0.0, 0.0]),
        rotation: f32s([0.0, 0.0, 0.0, 1.0]),
        ..Bone::default()
    }
}

pub(crate) fn skel() -> Skel {
    Skel { bones: vec![bone("Hand", "ROOT", 3.0), bone("ROOT", "NULL", 0.0)], ..Skel::default() }
}

pub(crate) fn motion(bone: &str, frames: u32) -> Motion {
    Motion {
        bone: bone.into(),
        frames,
        has_translation: Flag::YES,
        first_rotation: KEYS_UNUSED,
        ..Motion::default()
    }
}

pub(crate) fn anim() -> Anim {
    let keys = [0.0_f32, 3.0, 6.0].map(|y| f32s([3.0, y, 0.0]));
    Anim {
        name: "lift".into(),
        translations: keys.to_vec(),
        motions: vec![motion("HAND", 3), motion("WING", 2), motion("TAIL", 1)],
        ..Anim::default()
    }
}

pub(crate) fn codes(losses: &[Loss]) -> Vec<&'static str> {
    let mut codes: Vec<_> = losses.iter().map(|l| l.code).collect();
    codes.sort_unstable();
    codes
}
