use super::*;
use crate::testing::posed::{Moment, extent, largest_distance, triangles};
use crate::testing::strategy::foreign_scene;
use crate::{Affine, Channel, Influence, Limits, Local, Mesh, Node, Skin, Track, Trs};
use alloc::string::ToString;
use alloc::vec;
use meshwright_testkit::proptest;
use proptest::prelude::*;

fn budget() -> Budget {
    Budget::new(Limits::default())
}

fn joint(name: &str, parent: Option<usize>, x: f32) -> Joint {
    Joint::new(name, parent, Local::Trs(Trs { translation: [x, 0.0, 0.0], ..Trs::IDENTITY }))
}

fn skeleton(joints: Vec<Joint>) -> Skeleton {
    let mut skeleton = Skeleton { joints, ..Skeleton::default() };
    skeleton.bind_rest();
    skeleton
}

/// Returns a mesh of one triangle on one joint.
fn mesh(id: usize, joint: u32) -> Mesh {
    let mut skin = Skin::new(SkeletonId(id));
    for _ in 0..3 {
        skin.influences.push(Influence { joint, weight: 1.0 });
        skin.end_vertex();
    }
    Mesh::new("m", vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2]]).with_skin(skin)
}

fn moving(name: &str, id: usize, joint: usize, x: f32) -> Clip {
    let mut translation = Channel::new();
    translation.push(0.0, [0.0; 3]);
    translation.push(2.0, [x, 0.0, 0.0]);
    let track = Track { joint, translation, ..Track::default() };
    Clip::new(name, SkeletonId(id), 10.0, Motion::Tracks(vec![track]))
}

#[test]
fn a_motion_of_two_skeletons_is_one_clip() {
    let two = || skeleton(vec![joint("root", None, 1.0), joint("hand", Some(0), 1.0)]);
    let scene = Scene::default()
        .with_skeletons(vec![two(), two()])
        .with_meshes(vec![mesh(0, 1), mesh(1, 1)])
        .with_nodes((0..2).map(|m| Node::of_mesh("n", crate::MeshId(m))).collect())
        .with_clips(vec![moving("walk", 0, 1, 5.0), moving("walk", 1, 0, 7.0), moving("run", 1, 1, 1.0)]);
    let mut losses = Vec::new();
    let made = Scene::with_one_skeleton(Cow::Borrowed(&scene), |_| true, &budget(), &mut losses).unwrap();
    assert_eq!(made.validate(), Ok(()));
    assert_eq!(made.skeletons.iter().map(|s| s.joints.len()).collect::<Vec<_>>(), [4, 0]);
    assert_eq!(made.skeletons[0].joints[3].parent, Some(2));
    assert_eq!(made.meshes[1].skin.as_ref().unwrap().influences[0].joint, 3);
    let Motion::Tracks(tracks) = &made.clips[0].motion else { panic!("tracks stay tracks") };
    assert_eq!(tracks.iter().map(|t| t.joint).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(made.clips.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["walk", "run"]);
    assert_eq!(
        losses.iter().map(|l| (l.code, l.count)).collect::<Vec<_>>(),
        [("skeletons-joined", 2), ("clips-merged", 1)]
    );
    let one =
        Scene::with_one_skeleton(Cow::Borrowed(&scene), |s| s.0 == 1, &budget(), &mut Vec::new()).unwrap();
    assert!(matches!(one, Cow::Borrowed(_)), "one of them is one already");
}

#[test]
fn poses_of_two_skeletons_are_one() {
    let one = |x| skeleton(vec![joint("a", None, x)]);
    let at = |x: f32| Affine { w: [x, 0.0, 0.0], ..Affine::IDENTITY };
    let clip = |id, set, frames: &[u32]| {
        Clip::new("c", SkeletonId(id), 10.0, Motion::Poses { set: PoseSetId(set), frames: frames.to_vec() })
    };
    let scene = Scene::default()
        .with_skeletons(vec![one(1.0), one(2.0)])
        .with_pose_sets(vec![
            PoseSet { joints: 1, locals: vec![at(10.0), at(20.0)] },
            PoseSet { joints: 1, locals: vec![at(30.0)] },
        ])
        .with_clips(vec![clip(0, 0, &[1, 0]), clip(1, 1, &[0, 0]), clip(1, 1, &[0])]);
    let made = Scene::with_one_skeleton(Cow::Borrowed(&scene), |_| true, &budget(), &mut Vec::new()).unwrap();
    assert_eq!((made.validate(), made.clips.len()), (Ok(()), 2));
    let x = |clip: usize, frame: usize| {
        let Motion::Poses { set, frames } = &made.clips[clip].motion else { panic!("poses stay poses") };
        let pose = made.pose_sets[set.0].pose(frames[frame] as usize).unwrap();
        [pose[0].w[0], pose[1].w[0]]
    };
    assert_eq!([x(0, 0), x(0, 1), x(1, 0)], [[20.0, 30.0], [10.0, 30.0], [1.0, 30.0]]);
}

#[test]
fn joints_that_move_nothing_go_until_the_rest_fits() {
    let names = ["root", "a", "a end", "b", "b end", "tag"];
    let parents = [None, Some(0), Some(1), Some(0), Some(3), Some(0)];
    let joints = names.iter().zip(parents).map(|(n, p)| joint(n, p, 1.0)).collect();
    let scene = Scene::default()
        .with_skeletons(vec![skeleton(joints)])
        .with_meshes(vec![mesh(0, 3)])
        .with_clips(vec![moving("c", 0, 2, 1.0), moving("d", 0, 3, 2.0)]);
    let fewer = |most, losses: &mut Vec<Loss>| {
        let limit = MostBones { most, by: "the format" };
        let tag = |j: &Joint| j.name == "tag";
        Scene::with_fewer_joints(Cow::Borrowed(&scene), SkeletonId(0), limit, tag, &budget(), losses)
    };
    let left = |scene: &Scene| scene.skeletons[0].joints.iter().map(|j| j.name.clone()).collect::<Vec<_>>();
    let mut losses = Vec::new();
    assert!(matches!(fewer(6, &mut losses), Ok(Cow::Borrowed(_))) && losses.is_empty());
    assert_eq!(left(&fewer(5, &mut losses).unwrap()), ["root", "a", "a end", "b", "tag"]);
    let made = fewer(3, &mut losses).unwrap();
    assert_eq!((left(&made), made.validate()), (vec!["root".into(), "b".into(), "tag".into()], Ok(())));
    assert_eq!(made.meshes[0].skin.as_ref().unwrap().influences[0].joint, 1);
    let tracks = |c: &Clip| if let Motion::Tracks(t) = &c.motion { t.len() } else { 9 };
    assert_eq!(made.clips.iter().map(tracks).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(
        losses.iter().map(|l| (l.code, l.count)).collect::<Vec<_>>(),
        [("bones-dropped", 1), ("bones-dropped", 3)]
    );
    let e = fewer(2, &mut losses).unwrap_err().to_string();
    assert_eq!(e, "skeletons[0]: 6 bones, 3 of them used; the format accepts 2");
}

proptest! {
    #[test]
    fn what_became_one_moves_as_before(scene in foreign_scene(), frame in 0_u8..9) {
        let made = Scene::with_one_skeleton(Cow::Borrowed(&scene), |_| true, &budget(), &mut Vec::new()).unwrap();
        prop_assert_eq!(made.validate(), Ok(()));
        let rest = |s: &Scene| triangles(s, None, &budget()).unwrap();
        let size = extent(&rest(&scene));
        prop_assert!(rest(&scene).is_empty() || largest_distance(&rest(&scene), &rest(&made)) <= 1e-5 * size);
        // If no clips were merged, each has the same motion.
        if made.clips.len() == scene.clips.len() {
            for clip in 0..scene.clips.len() {
                // Shear is lost between two poses, even if nothing moves.
                let at = Some(Moment { clip, seconds: scene.clips[clip].seconds(f64::from(frame)) });
                let [a, b] = [&scene, &*made].map(|s| triangles(s, at, &budget()).unwrap());
                // The poses of joints at rest are rounded to 32 bits.
                prop_assert!(a.is_empty() || largest_distance(&a, &b) <= 1e-5 * (extent(&a) + 100.0));
            }
        }
    }
}
