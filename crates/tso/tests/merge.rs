//! Edited scenes in the files of a character.

use meshwright_edit::{Absent, Options, Original, Patch, Snap};
use meshwright_scene::strategy::clean_scene;
use meshwright_scene::{
    Budget, Converted, FromSceneOptions, Limits, Local, Motion, OutputFiles, Scene, SceneOptions, SkeletonId,
    Skin,
};
use meshwright_testkit::edits::{check_posed, extent, find_lost_edits};
use meshwright_testkit::{proptest, testdata};
use meshwright_tso::{Anim, Assembly, EditedCharacter, Mesh, Part, Skel, TsoSceneOptions, write_scene};
use proptest::prelude::*;

/// The files of a character: meshes, a skeleton, animations.
#[derive(Clone, Debug, Default, PartialEq)]
struct Files {
    meshes: Vec<(String, Mesh)>,
    skeleton: Option<Skel>,
    animations: Vec<Anim>,
}

impl Files {
    fn fixture() -> Self {
        let read = |name: &str| std::fs::read(testdata().join("tso").join(name)).unwrap();
        Self {
            meshes: vec![("flower".into(), Mesh::parse(&read("flower.ok.mesh")).unwrap())],
            skeleton: Some(Skel::parse(&read("flower.ok.skel")).unwrap()),
            animations: vec![Anim::parse(&read("sway.ok.anim")).unwrap()],
        }
    }

    /// Converts a scene. Returns `None` if the format cannot store it.
    fn convert(scene: &Scene) -> Option<Self> {
        let made = write_scene(scene, "body", &FromSceneOptions::default()).ok()?.value;
        let mut files = Self::default();
        files.read(&made);
        Some(files)
    }

    fn read(&mut self, files: &OutputFiles) {
        for file in files.iter() {
            let (stem, extension) = file.name.rsplit_once('.').unwrap();
            match extension {
                "mesh" => self.meshes.push((stem.into(), Mesh::parse(&file.bytes).unwrap())),
                "skel" => self.skeleton = Some(Skel::parse(&file.bytes).unwrap()),
                "anim" => self.animations.push(Anim::parse(&file.bytes).unwrap()),
                _ => {}
            }
        }
    }

    fn assembly(&self) -> Assembly<'_> {
        let mut all = Assembly::default();
        all.parts = self.meshes.iter().map(|(name, mesh)| Part::new(name, &mesh.geometry)).collect();
        all.skeleton = self.skeleton.as_ref();
        all.animations = self.animations.iter().collect();
        all
    }

    fn scene(&self, options: &SceneOptions) -> Option<Scene> {
        self.assembly().to_scene(options).ok().map(|made| made.value)
    }

    /// Returns the scene, or `None` if the reader reports that bones disagree about vertices: an editor shows these in
    /// another place. Files have no bind pose. The reader finds it from the vertices, as far as bones only turn.
    fn consistent_scene(&self, options: &SceneOptions) -> Option<Scene> {
        let made = self.assembly().to_scene(options).ok()?;
        (!made.losses.iter().any(|loss| loss.code == "blend-residual")).then_some(made.value)
    }

    fn merge(&self, native: &Scene, patch: &Patch) -> Option<Converted<EditedCharacter>> {
        let options = FromSceneOptions::<TsoSceneOptions>::default();
        self.assembly().merge(native, patch, "body", &options).ok()
    }

    /// Returns the files of an edited character, written and read again.
    fn edited(&self, made: EditedCharacter) -> Self {
        let mesh = |(own, made): (&(String, Mesh), Option<meshwright_tso::Geometry>)| {
            let bytes = Mesh { geometry: made?, trailing: own.1.trailing.clone() }.to_bytes().unwrap();
            Some((own.0.clone(), Mesh::parse(&bytes).unwrap()))
        };
        let made_meshes = made.meshes.into_iter().map(|own| own.map(|(geometry, _)| geometry));
        let mut files = Self {
            meshes: self.meshes.iter().zip(made_meshes).filter_map(mesh).collect(),
            skeleton: made.skeleton.map(|skel| Skel::parse(&skel.to_bytes().unwrap()).unwrap()),
            animations: made
                .animations
                .into_iter()
                .flatten()
                .map(|anim| Anim::parse(&anim.to_bytes().unwrap()).unwrap())
                .collect(),
        };
        files.read(&made.new_files);
        files
    }
}

/// Removes the first joint, as Blender does: its children become roots, and its vertices follow no joint.
fn without_root(native: &Scene) -> Scene {
    let mut scene = native.clone();
    let joints = &mut scene.skeletons[0].joints;
    let root = joints.iter().position(|j| j.parent.is_none()).unwrap();
    let rest = joints[root].rest.to_affine64();
    let number = |j: usize| (j != root).then(|| j - usize::from(j > root));
    for joint in joints.iter_mut().filter(|j| j.parent == Some(root)) {
        joint.rest = Local::Affine(rest.after(&joint.rest.to_affine64()).narrow());
    }
    joints.remove(root);
    joints.iter_mut().for_each(|joint| joint.parent = joint.parent.and_then(number));
    for clip in &mut scene.clips {
        let Motion::Tracks(tracks) = &mut clip.motion else { continue };
        tracks.retain(|t| t.joint != root);
        tracks.iter_mut().for_each(|t| t.joint = number(t.joint).unwrap());
    }
    for skin in scene.meshes.iter_mut().filter_map(|mesh| mesh.skin.as_mut()) {
        let own = std::mem::replace(skin, Skin::new(SkeletonId(0)));
        for v in 0..own.vertex_count() {
            for i in own.influences(v) {
                let joint = number(i.joint as usize).map(|j| u32::try_from(j).unwrap());
                skin.influences.extend(joint.map(|joint| meshwright_scene::Influence { joint, ..*i }));
            }
            skin.end_vertex();
        }
        for v in 0..own.vertex_count() {
            let range = skin.range(v);
            let sum: f32 = skin.influences(v).iter().map(|i| i.weight).sum();
            skin.influences[range].iter_mut().for_each(|i| i.weight /= sum);
        }
    }
    scene.validate().unwrap();
    scene
}

fn find_patch(edited: &Scene, native: &Scene) -> Patch {
    let options = Options::new(Snap::Default, Absent::Gone);
    let original = Original { native, exported: native };
    Patch::find(edited, &original, &options, &Budget::new(Limits::default())).unwrap()
}

#[test]
fn vertices_of_a_removed_root_stay_where_they_are() {
    let files = Files::fixture();
    let options = SceneOptions::default();
    let native = files.scene(&options).unwrap();
    let edited = without_root(&native);
    let made = files.merge(&native, &find_patch(&edited, &native)).unwrap();
    assert_eq!(made.losses.iter().filter(|loss| loss.code == "vertices-unbound").count(), 1);
    let now = files.edited(made.value);
    let bones = &now.skeleton.as_ref().unwrap().bones;
    let roots: Vec<_> = bones.iter().filter(|bone| bone.parent_name().is_none()).collect();
    assert_eq!((roots.len(), &bones[0], bones.len()), (1, roots[0], 2));
    assert!(now.meshes[0].1.validate().is_empty());
    let back = now.scene(&options).unwrap();
    check_posed(&edited, &back, 1e-5 * f64::from(extent(&edited))).unwrap();

    // The new root does not move: vertices of a second edit need no other.
    let again = without_root(&back);
    assert_eq!(again.skeletons[0].joints.len(), 1);
    let mut loose = back.clone();
    for mesh in &mut loose.meshes {
        let skin = mesh.skin.as_mut().unwrap();
        skin.influences.clear();
        skin.local.clear();
        skin.starts.fill(0);
    }
    let made = now.merge(&back, &find_patch(&loose, &back)).unwrap().value;
    assert_eq!(made.skeleton, now.skeleton);
    let last = now.edited(made).scene(&options).unwrap();
    check_posed(&loose, &last, 1e-5 * f64::from(extent(&edited))).unwrap();
}

/// Returns the edits of a character of a scene that the files do not show.
fn find_lost(scene: &Scene, seed: usize) -> Vec<String> {
    let Some(files) = Files::convert(scene) else { return Vec::new() };
    let mut lost = Vec::new();
    for options in [SceneOptions::default(), SceneOptions::default().with_extras(true).with_bind_only(true)] {
        let Some(native) = files.consistent_scene(&options) else { continue };
        lost.extend(find_lost_edits(&native, seed, 1e-4, |patch| {
            files.edited(files.merge(&native, patch)?.value).consistent_scene(&options)
        }));
    }
    lost
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn edits_of_any_scene_are_in_the_files(scene in clean_scene(), seed in 0_usize..1000) {
        prop_assert_eq!(find_lost(&scene, seed), Vec::<String>::new());
    }
}
