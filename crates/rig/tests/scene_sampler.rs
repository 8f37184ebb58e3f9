//! Checks that the scene's own sampler, which conversions use, and the rig's sampler give the same poses.

use meshwright_rig::{Rig, Sampler, glam};
use meshwright_scene::math::Affine64;
use meshwright_scene::strategy::wild_scene;
use meshwright_scene::{Budget, Limits};
use meshwright_testkit::proptest;
use proptest::prelude::*;

proptest! {
    #[test]
    fn both_samplers_agree(scene in wild_scene(), frame in -3.0..9.0_f64) {
        let budget = Budget::new(Limits::default());
        for (i, clip) in scene.clips.iter().enumerate() {
            let rig = Rig::new(&scene.skeletons[clip.skeleton.0]).unwrap();
            let played = Sampler::new(&scene, i).unwrap();
            let sampled = meshwright_scene::Sampler::new(&scene, i, &budget).unwrap();
            for frame in [frame, frame.round(), f64::NAN] {
                let mut a = vec![glam::DAffine3::IDENTITY; rig.joint_count()];
                played.sample(&rig, frame, &mut a).unwrap();
                let mut b: Vec<Affine64> = Vec::new();
                sampled.locals(frame, &mut b).unwrap();
                for (a, b) in a.iter().zip(&b) {
                    let (a, b) = (a.to_cols_array(), b.to_array());
                    let size = a.iter().fold(1.0_f64, |m, c| m.max(c.abs()));
                    prop_assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() <= size * 1e-5), "{a:?} {b:?}");
                }
            }
        }
    }
}
