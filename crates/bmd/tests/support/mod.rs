//! Plays a scene from its own data, independently of the crate's code.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a failing test panics, and tests use small numbers"
)]
use meshwright_scene::{Affine, Channel, Clip, Local, Mesh, Motion, Scene, Skeleton, Trs};

fn unit(q: [f64; 4]) -> [f64; 4] {
    let l = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    q.map(|c| c / l)
}

/// Blends rotations as a glTF viewer does: along the great arc, the short way.
fn slerp(a: [f64; 4], b: [f64; 4], t: f64) -> [f64; 4] {
    let dot: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
    let b = if dot < 0.0 { b.map(|c| -c) } else { b };
    let angle = dot.abs().min(1.0).acos();
    if angle < 1e-9 {
        return a;
    }
    let (x, y) = (((1.0 - t) * angle).sin() / angle.sin(), (t * angle).sin() / angle.sin());
    unit(std::array::from_fn(|i| x * a[i] + y * b[i]))
}

/// Blends as the format does: linearly, with the signs as they are.
fn linear<const N: usize>(a: [f64; N], b: [f64; N], t: f64) -> [f64; N] {
    std::array::from_fn(|i| a[i] * (1.0 - t) + b[i] * t)
}

/// The interpolation between keys.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Player {
    /// Great arcs; values are held before the first and after the last key.
    Gltf,
    /// Linear and renormalised; a loop wraps around.
    Format,
}

fn sample<const N: usize>(
    channel: &Channel<[f32; N]>,
    t: f64,
    wrap: Option<f64>,
    mix: impl Fn([f64; N], [f64; N], f64) -> [f64; N],
) -> Option<[f32; N]> {
    let wide = |i: usize| channel.values[i].map(f64::from);
    let last = channel.values.len().checked_sub(1)?;
    let key = |i: usize| f64::from(channel.frames[i]);
    let after = channel.frames.partition_point(|f| f64::from(*f) <= t);
    let value = match (after, wrap) {
        (0, None) => wide(0),
        (a, None) if a > last => wide(last),
        (a, Some(period)) if a == 0 || a > last => {
            let gap = key(0) + period - key(last);
            let passed = if a == 0 { t + period - key(last) } else { t - key(last) };
            mix(wide(last), wide(0), passed / gap)
        }
        (a, _) => mix(wide(a - 1), wide(a), (t - key(a - 1)) / (key(a) - key(a - 1))),
    };
    Some(value.map(|c| c as f32))
}

/// Returns model-space matrices of all joints; the rest pose if there is no clip.
pub(crate) fn pose(skeleton: &Skeleton, clip: Option<(&Clip, f64)>, player: Player) -> Vec<Affine> {
    let mut locals: Vec<Affine> = skeleton.joints.iter().map(|j| j.rest.to_affine()).collect();
    if let Some((clip, t)) = clip {
        let Motion::Tracks(tracks) = &clip.motion else { panic!("keyed clips") };
        for track in tracks {
            let Local::Trs(rest) = skeleton.joints[track.joint].rest else { panic!("joints are parts") };
            let wrap = (player == Player::Format && clip.looping).then_some(f64::from(clip.frames));
            let turn = |a, b, t| if player == Player::Gltf { slerp(a, b, t) } else { unit(linear(a, b, t)) };
            let trs = Trs {
                translation: sample(&track.translation, t, wrap, linear).unwrap_or(rest.translation),
                rotation: sample(&track.rotation, t, wrap, turn).unwrap_or(rest.rotation),
                scale: sample(&track.scale, t, wrap, linear).unwrap_or(rest.scale),
            };
            locals[track.joint] = trs.to_affine();
        }
    }
    skeleton.to_model(&locals).unwrap()
}

/// Returns positions of a mesh in a pose: from its bind pose and the bind matrices, as glTF does, or from
/// vertices in the space of their bones.
pub(crate) fn positions(scene: &Scene, mesh: &Mesh, model: &[Affine], player: Player) -> Vec<[f32; 3]> {
    let Some(skin) = &mesh.skin else { return mesh.positions.clone() };
    let joints = &scene.skeletons[skin.skeleton.0].joints;
    (0..mesh.positions.len())
        .map(|v| {
            let mut sum = [0.0_f64; 3];
            for k in skin.range(v) {
                let influence = skin.influences[k];
                let m = model[influence.joint as usize];
                let w = f64::from(influence.weight);
                let part = if player == Player::Gltf {
                    let m = m.after(&joints[influence.joint as usize].inverse_bind);
                    m.point(mesh.positions[v]).map(|c| f64::from(c) * w)
                } else {
                    let (p, t) = (m.vector(skin.local[k].position), m.w);
                    std::array::from_fn(|i| f64::from(p[i]) + w * f64::from(t[i]))
                };
                sum = std::array::from_fn(|i| sum[i] + part[i]);
            }
            sum.map(|c| c as f32)
        })
        .collect()
}
