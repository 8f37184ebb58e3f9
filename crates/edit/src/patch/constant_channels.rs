//! Removes noise from constant channels of sampled clips.

use crate::tolerance::Tolerance;
use meshwright_core::math::{Affine, Trs64, distance, quat};
use meshwright_scene::Joint;

/// Replaces translations, rotations and scales that are near the rest pose in all poses of a clip with those of the
/// rest pose. The differences are a tool's rounding errors.
pub(crate) fn hold(locals: &mut [Affine], joints: &[Joint], tolerance: &Tolerance) {
    let count = joints.len().max(1);
    for (j, joint) in joints.iter().enumerate() {
        let whole = joint.rest.to_affine64();
        let rest = Trs64::from_affine(&whole);
        if rest.misfit(&whole) > 1e-6 {
            continue;
        }
        let near = |m: &Affine| {
            let own = Trs64::from_affine(&m.wide());
            let scales = own.scale.iter().zip(rest.scale).map(|(a, b)| (a - b).abs());
            [
                distance(own.translation, rest.translation) <= tolerance.translation,
                quat::angle(own.rotation, rest.rotation) <= tolerance.rotation,
                scales.fold(0.0, f64::max) <= tolerance.scale,
            ]
        };
        let poses = locals.iter().skip(j).step_by(count);
        let still = poses.fold([true; 3], |[a, b, c], m| {
            let [x, y, z] = near(m);
            [a && x, b && y, c && z]
        });
        let [translation, rotation, scale] = still;
        for m in locals.iter_mut().skip(j).step_by(count) {
            let own = Trs64::from_affine(&m.wide());
            match still {
                [false, false, false] => {}
                [true, true, true] => *m = joint.rest.to_affine(),
                [true, false, false] => m.w = joint.rest.to_affine().w,
                _ => {
                    let part = Trs64 {
                        translation: if translation { rest.translation } else { own.translation },
                        rotation: if rotation { rest.rotation } else { own.rotation },
                        scale: if scale { rest.scale } else { own.scale },
                    };
                    *m = part.to_affine().narrow();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Snap;
    use meshwright_core::math::Trs;
    use meshwright_scene::Local;

    #[test]
    fn noise_beside_the_rest_is_the_rest_and_motion_stays() {
        let rest = Trs { translation: [1.0, 2.0, 3.0], ..Trs::default() };
        let joint = Joint::new("a", None, Local::Trs(rest));
        let at = |x: f32| Trs { translation: [x, 2.0, 3.0], ..rest }.to_affine();
        let tolerance = Tolerance::new(Snap::Default, 1.0);
        let mut noise = [at(1.0 + 1e-6), at(1.0), at(1.0 - 1e-6)];
        hold(&mut noise, core::slice::from_ref(&joint), &tolerance);
        assert_eq!(noise, [rest.to_affine(); 3]);
        let moves = [at(1.0 + 1e-6), at(1.1), at(1.0)];
        let mut held = moves;
        hold(&mut held, core::slice::from_ref(&joint), &tolerance);
        assert_eq!(held.map(|m| m.w), moves.map(|m| m.w), "one different pose is a motion");
    }
}
