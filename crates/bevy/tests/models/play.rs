//! Compares the poses in an app with the native evaluation.

use crate::app::{app, asset_path, fixtures, load, model, root};
use bevy_animation::prelude::*;
use bevy_app::App;
use bevy_asset::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::{Mat4, Vec3};
use bevy_mesh::skinning::{SkinnedMesh, SkinnedMeshInverseBindposes};
use bevy_mesh::{Mesh, Mesh3d, VertexAttributeValues};
use bevy_transform::prelude::*;
use bevy_world_serialization::WorldAssetRoot;
use meshwright_bevy::Model;
use meshwright_bevy::meshwright::files::{PackKind, Tree};
use meshwright_bevy::meshwright::gltf::{ExportOptions, export};
use meshwright_bevy::meshwright::rig::{Evaluator, world_transforms};
use meshwright_bevy::meshwright::scene::{Interpolation, MeshId, Scene};
use meshwright_bevy::meshwright::{Finder, Format, Limits, Opener, Target};
use meshwright_bevy::tree_source;
use std::collections::BTreeSet;
use std::path::Path;

/// Returns the scene of the loader, made by only the facade, and the format; `None` if it is rejected.
fn native(path: &Path) -> Option<(Scene, Format)> {
    let asset = Opener::new().open(path).ok()?;
    Some((asset.scene_with(&Target::Glb.scene_options()).ok()?.value, asset.format()))
}

fn floats<const N: usize>(mesh: &Mesh, attribute: bevy_mesh::MeshVertexAttribute) -> Option<Vec<[f32; N]>> {
    let values = mesh.attribute(attribute)?;
    let rows = |all: &[f32]| all.as_chunks::<N>().0.to_vec();
    Some(match values {
        VertexAttributeValues::Float32x3(v) => rows(v.as_flattened()),
        VertexAttributeValues::Float32x4(v) => rows(v.as_flattened()),
        other => panic!("{}", other.enum_variant_name()),
    })
}

/// Returns the vertices of an entity's mesh as they are drawn.
fn drawn_vertices(
    world: &World,
    mesh: &Mesh,
    place: &GlobalTransform,
    skin: Option<&SkinnedMesh>,
) -> Vec<Vec3> {
    let positions: Vec<[f32; 3]> = floats(mesh, Mesh::ATTRIBUTE_POSITION).unwrap();
    let Some(skin) = skin else {
        return positions.iter().map(|p| place.transform_point(Vec3::from(*p))).collect();
    };
    let binds = world.resource::<Assets<SkinnedMeshInverseBindposes>>().get(&skin.inverse_bindposes).unwrap();
    let joint = |entity: &Entity| world.entity(*entity).get::<GlobalTransform>().unwrap().to_matrix();
    let matrices: Vec<Mat4> =
        skin.joints.iter().zip(binds.iter()).map(|(e, bind)| joint(e) * *bind).collect();
    let weights: Vec<[f32; 4]> = floats(mesh, Mesh::ATTRIBUTE_JOINT_WEIGHT).unwrap();
    let Some(VertexAttributeValues::Uint16x4(joints)) = mesh.attribute(Mesh::ATTRIBUTE_JOINT_INDEX) else {
        panic!("joints are short numbers");
    };
    let vertices = positions.iter().zip(joints).zip(&weights);
    let skinned = vertices.map(|((p, joints), weights)| {
        let each = joints.iter().zip(weights);
        each.map(|(j, w)| matrices[usize::from(*j)].transform_point3(Vec3::from(*p)) * *w).sum()
    });
    skinned.collect()
}

/// Returns the entities in the app, by the number of the document's mesh.
fn all_drawn(app: &mut App, handle: &Handle<Model>) -> Vec<(usize, Vec<Vec3>)> {
    let world = app.world_mut();
    let mut query = world.query::<(&Mesh3d, &GlobalTransform, Option<&SkinnedMesh>)>();
    let world = &*world;
    let gltf = &world.resource::<Assets<Model>>().get(handle).unwrap().gltf;
    let meshes = world.resource::<Assets<bevy_gltf::GltfMesh>>();
    let number = |mesh: &Handle<Mesh>| {
        let of = |m: &Handle<bevy_gltf::GltfMesh>| {
            meshes.get(m).unwrap().primitives.iter().any(|p| p.mesh == *mesh)
        };
        gltf.meshes.iter().position(of).unwrap()
    };
    let assets = world.resource::<Assets<Mesh>>();
    let mut all: Vec<_> = query
        .iter(world)
        .map(|(mesh, place, skin)| {
            (number(&mesh.0), drawn_vertices(world, assets.get(&mesh.0).unwrap(), place, skin))
        })
        .collect();
    all.sort_by_key(|(number, _)| *number);
    all
}

/// Holds a clip of the model at a time, in every player.
fn hold(app: &mut App, handle: &Handle<Model>, clip: usize, seconds: f64) {
    let (graph, node) = {
        let model = model(app, handle);
        (model.graph.clone(), model.clips[clip].node)
    };
    let world = app.world_mut();
    let mut players = world.query::<(Entity, &mut AnimationPlayer)>();
    let mut found = Vec::new();
    for (entity, mut player) in players.iter_mut(world) {
        player.stop_all().play(node).seek_to(seconds as f32).pause();
        found.push(entity);
    }
    for entity in found {
        world.entity_mut(entity).insert(AnimationGraphHandle(graph.clone()));
    }
    app.update();
    app.update();
}

fn extent(scene: &Scene) -> f64 {
    let of = |axis: usize| {
        let all = scene.meshes.iter().flat_map(|m| m.positions.iter().map(move |p| f64::from(p[axis])));
        let (low, high) = all.fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
        (high - low).max(0.0)
    };
    of(0).max(of(1)).max(of(2)).max(1e-6)
}

struct Judge<'s> {
    scene: &'s Scene,
    /// One entry for each mesh of the document.
    sources: Vec<MeshId>,
    places: Vec<meshwright_bevy::meshwright::rig::glam::DAffine3>,
    extent: f64,
}

impl Judge<'_> {
    /// Returns the largest distance between the app and the evaluation, relative to the size of the model. A mesh that
    /// several nodes draw may be at any of their places.
    fn worst(&self, evaluator: &Evaluator<&Scene>, drawn: &[(usize, Vec<Vec3>)], what: &str) -> f64 {
        let mut worst = 0.0_f64;
        for (number, vertices) in drawn {
            let id = self.sources[*number];
            let mesh = &self.scene.meshes[id.0];
            let posed = evaluator.mesh(id).unwrap().positions;
            // Without normals Bevy takes triangles apart, to make flat ones.
            let corners: Vec<u32> = mesh.triangles.iter().flatten().copied().collect();
            let at = |i: usize| if mesh.normals.is_empty() { corners[i] as usize } else { i };
            let count = if mesh.normals.is_empty() { corners.len() } else { posed.len() };
            assert_eq!(vertices.len(), count, "{what}: mesh {number}");
            let nodes = self.scene.nodes.iter().zip(&self.places).filter(|(n, _)| n.meshes.contains(&id));
            let far = nodes.map(|(_, place)| {
                let apart = vertices.iter().enumerate().map(|(i, v)| {
                    let p = posed[at(i)].map(f64::from);
                    let p = meshwright_bevy::meshwright::rig::glam::DVec3::from(p);
                    let p = if mesh.skin.is_some() { p } else { place.transform_point3(p) };
                    let d = [f64::from(v.x) - p.x, f64::from(v.y) - p.y, f64::from(v.z) - p.z];
                    d.iter().fold(0.0, |most: f64, d| if d.is_nan() { f64::MAX } else { most.max(d.abs()) })
                });
                apart.fold(0.0, f64::max)
            });
            worst = worst.max(far.fold(f64::MAX, f64::min) / self.extent);
        }
        worst
    }
}

#[derive(Default)]
struct Tally {
    models: usize,
    clips: usize,
    poses: usize,
    skinned: usize,
    on_frames: f64,
    between: f64,
    /// Between frames, from the file's own rule.
    blended: f64,
    /// True if the losses of the model explain a difference.
    told: f64,
    told_models: usize,
    formats: BTreeSet<Format>,
}

/// Losses of what moves: such vertices are elsewhere than in the file's own evaluation.
const MOVING: [&str; 5] =
    ["influences-dropped", "joint-shear", "node-shear", "weights-negative", "weights-normalized"];

impl Tally {
    /// Takes a pose into account, which is off without having been said only by what numbers of 32 bits are.
    fn pose(
        &mut self,
        off: f64,
        is_between: bool,
        losses: &[meshwright_bevy::meshwright::scene::Loss],
        what: &str,
    ) {
        let has = |codes: &[&str]| losses.iter().any(|loss| codes.contains(&loss.code));
        let told = has(&MOVING) || is_between && has(&["interpolation", "keys-added"]);
        let (most, allowed) = match (told, is_between) {
            (true, _) => (&mut self.told, f64::MAX),
            (_, true) => (&mut self.between, 5e-5),
            (_, false) => (&mut self.on_frames, 5e-5),
        };
        assert!(off < allowed, "{what}: {off:e} of the extent: {losses:?}");
        *most = most.max(off);
        self.poses += 1;
    }
}

/// Checks all levels of a model: at rest, and in every clip. `name` is the name of the path in the app.
fn check(app: &mut App, name: &str, path: &Path, tally: &mut Tally) -> bool {
    let Some((scene, format)) = native(path) else {
        assert!(load(app, name).is_err(), "{name} loads, and the facade refuses it");
        return false;
    };
    let document = match export(&scene, &ExportOptions::default()) {
        Ok(document) => document.value,
        Err(_) => return false,
    };
    let handle = load(app, name).unwrap_or_else(|e| panic!("{name}: {e}"));
    let clips = document.clip_sources().to_vec();
    assert_eq!(model(app, &handle).clips.len(), clips.len(), "{name}");
    let levels =
        if scene.nodes.is_empty() && scene.skeletons.is_empty() { 0 } else { scene.levels.len().max(1) };
    assert_eq!(model(app, &handle).gltf.scenes.len(), levels, "{name}: levels");
    let judge = Judge {
        scene: &scene,
        sources: document.mesh_sources().to_vec(),
        places: world_transforms(&scene).unwrap(),
        extent: extent(&scene),
    };
    let scenes = model(app, &handle).gltf.scenes.clone();
    let spawned: Vec<_> = scenes.into_iter().map(|s| app.world_mut().spawn(WorldAssetRoot(s)).id()).collect();
    app.update();
    app.update();
    let mut evaluator = Evaluator::new(&scene).unwrap();
    let mut spherical = scene.clone();
    spherical.clips.iter_mut().for_each(|clip| clip.interpolation = Interpolation::Spherical);
    let mut turning = Evaluator::new(&spherical).unwrap();
    let rest = all_drawn(app, &handle);
    let meshes: std::collections::BTreeSet<_> = rest.iter().map(|(number, _)| *number).collect();
    let hangs = |id: &&MeshId| scene.nodes.iter().any(|node| node.meshes.contains(*id));
    assert_eq!(meshes.len(), judge.sources.iter().filter(hangs).count(), "{name}: every entity is drawn");
    let losses = model(app, &handle).losses.clone();
    tally.pose(judge.worst(&evaluator, &rest, name), false, &losses, name);
    tally.models += 1;
    tally.formats.insert(format);
    tally.told_models += usize::from(
        losses.iter().any(|l| ["interpolation", "keys-added"].contains(&l.code) || MOVING.contains(&l.code)),
    );
    tally.skinned += usize::from(scene.meshes.iter().any(|m| m.skin.is_some()));
    for (number, clip) in clips.iter().enumerate() {
        let facts = &scene.clips[*clip];
        let known = &model(app, &handle).clips[number];
        assert_eq!((&known.name, known.looping, known.frames), (&facts.name, facts.looping, facts.frames));
        let last = f64::from(facts.frames.saturating_sub(1));
        let end = if facts.looping { f64::from(facts.frames) } else { last };
        tally.clips += 1;
        for frame in [0.0, 1.0, (last / 2.0).floor(), last, 0.5, last / 3.0, end - 0.25] {
            if frame < 0.0 || frame > end {
                continue;
            }
            evaluator.pose(Some((*clip, frame))).unwrap();
            hold(app, &handle, number, facts.seconds(frame));
            let (drawn, is_between) = (all_drawn(app, &handle), frame.fract() != 0.0);
            let mut off = judge.worst(&evaluator, &drawn, name);
            if is_between {
                // Between frames glTF turns on a sphere, whatever the file's own rule is.
                tally.blended = tally.blended.max(off);
                turning.pose(Some((*clip, frame))).unwrap();
                off = off.min(judge.worst(&turning, &drawn, name));
            }
            tally.pose(off, is_between, &losses, &format!("{name}: {} at {frame}", facts.name));
        }
    }
    for entity in spawned {
        app.world_mut().entity_mut(entity).despawn();
    }
    app.update();
    true
}

#[test]
fn every_fixture_is_posed_as_the_native_evaluation_has_it() {
    let mut app = app(&root(), |_| {});
    let mut tally = Tally::default();
    let all = fixtures();
    let shown = all.iter().filter(|path| check(&mut app, &asset_path(path), path, &mut tally)).count();
    let Tally { models, clips, poses, skinned, on_frames, between, blended, told, told_models, formats } =
        tally;
    println!(
        "{} files, {shown} shown, {skinned} of {models} with skins, {clips} clips, {poses} poses",
        all.len()
    );
    println!("worst part of the extent: {on_frames:e} on frames, {between:e} between");
    println!("{blended:e} from the files' own rules between frames");
    println!("{told_models} models say that they are off: {told:e}");
    assert!(models > 80 && skinned > 40 && clips > 60 && poses > 300);
    assert!(told_models < models / 3, "{told_models}");
    // Files that only move the skeleton of a game are in a pack.
    let missing: Vec<_> = Format::ALL.iter().filter(|f| f.holds_model() && !formats.contains(f)).collect();
    assert_eq!(missing, [&Format::TsoAnimation]);
}

#[test]
fn every_model_in_a_pack_is_posed_as_the_native_evaluation_has_it() {
    let is_pack = |path: &&std::path::PathBuf| {
        let of =
            |kind: &PackKind| kind.extensions().iter().any(|own| path.extension().is_some_and(|e| e == *own));
        PackKind::ALL.iter().any(of)
    };
    let packs: Vec<_> = fixtures().iter().filter(is_pack).cloned().collect();
    let mut app = app(&root(), |app| {
        for (number, pack) in packs.iter().enumerate() {
            app.register_asset_source(format!("pack{number}"), tree_source(Tree::open(pack).unwrap()));
        }
    });
    let (mut tally, mut kinds) = (Tally::default(), BTreeSet::new());
    for (number, pack) in packs.iter().enumerate() {
        let finder = Finder::new(Tree::open(pack).unwrap());
        for file in finder.tree().walk().files.into_iter().map(Result::unwrap) {
            let found = finder.detect_met(&file, Limits::default()).unwrap();
            if found.is_some_and(|found| found.format.holds_model()) {
                let path = finder.tree().shown_path(&file).unwrap();
                let name = format!("pack{number}://{}", file.text());
                assert!(check(&mut app, &name, &path, &mut tally), "{name}");
                kinds.insert(pack.extension().unwrap().to_str().unwrap());
            }
        }
    }
    println!("{} models, {} clips, {} poses of {kinds:?}", tally.models, tally.clips, tally.poses);
    println!("worst part of the extent: {:e} on frames, {:e} between", tally.on_frames, tally.between);
    assert!(["dat", "far", "pak", "pk3"].iter().all(|kind| kinds.contains(kind)), "{kinds:?}");
    assert!(tally.formats.contains(&Format::TsoAnimation) && tally.clips >= 6);
}
