//! Tests that the smallest edit of each kind of value is found at its place and nowhere else, in models of every
//! format with bones and clips.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::indexing_slicing,
    reason = "a failing test panics"
)]

use meshwright::edit::{Absent, Options, Original, Patch, Recovery, Snap, State};
use meshwright::files::Tree;
use meshwright::gltf::{ExportOptions, GltfFile, export, reread};
use meshwright::scene::{
    Affine, Budget, Extra, Limits, Local, Material, MaterialId, Mesh, MeshId, Motion, Node, Scene, Track,
};
use meshwright::{Model, Opener};
use meshwright_testkit::testdata;
use std::path::PathBuf;

/// A model as exported, as imported again, and as edited by a tool.
pub(crate) struct TouchedFiles {
    name: String,
    native: Scene,
    exported: Scene,
    edited: Scene,
    /// The longest side of the box around vertices and joints.
    extent: f32,
    /// True if there are so few poses that one key changes most of them.
    few: bool,
}

/// The movement of a vertex as a fraction of the extent: 8 units in the last place of a number as large. Where nearly
/// all positions come back bit for bit, less than half of it counts as an edit.
const MOVES: f32 = 5e-7;
/// The same for joints.
const JOINT_MOVES: f32 = 1e-6;
/// The distance between a joint's rest position and the original one; with few joints it cannot be estimated.
const JOINT_RESTS: f32 = 4.5e-5;
/// The rotation of a joint in radians.
const TURNS: f32 = 4e-6;

impl TouchedFiles {
    pub(crate) fn new(name: &str, files: &[PathBuf]) -> Self {
        let mut assets = Vec::new();
        for path in files {
            let tree = Tree::open(path).unwrap();
            assets.push(Opener::new().open_in(&tree, tree.start().unwrap()).unwrap());
        }
        let asset = Model::figure(assets).unwrap();
        let native = asset.scene().unwrap().value;
        let options = ExportOptions::default();
        let exported = reread(&native, &options).unwrap();
        let glb = export(&native, &options).unwrap().value.to_glb();
        let edited = GltfFile::parse(&glb).unwrap().import(&asset.stem(), None).unwrap().0.value.scene;
        let joints = edited.skeletons.iter().flat_map(|s| &s.joints);
        let joints = joints.filter_map(|j| Some(j.inverse_bind.wide().inverse()?.narrow().w));
        let points: Vec<_> = edited.meshes.iter().flat_map(|m| &m.positions).copied().chain(joints).collect();
        let side = |c: usize| {
            let all = points.iter().map(|p| p[c]);
            all.clone().fold(f32::MIN, f32::max) - all.fold(f32::MAX, f32::min)
        };
        let extent = (0..3).map(side).fold(0.0_f32, f32::max);
        let few = name.ends_with("moving") || name.ends_with("swaying");
        Self { name: name.into(), native, exported, edited, extent, few }
    }

    fn recover(&self, edited: &Scene, snap: Snap) -> (Scene, Recovery) {
        let original = Original { native: &self.native, exported: &self.exported };
        let budget = Budget::new(Limits::default());
        let patch = Patch::find(edited, &original, &Options::new(snap, Absent::Gone), &budget).unwrap();
        (patch.scene, patch.report)
    }
}

/// The size of an edit.
#[derive(Clone, Copy)]
struct By {
    snap: Snap,
    /// There are so few poses that one key changes most of them: they cannot show that a tool left them unchanged.
    few: bool,
    extent: f32,
}

impl By {
    fn exact(self) -> bool {
        self.snap == Snap::Exact
    }

    /// Returns the smallest value that is not noise of editors, or of packers.
    fn least(self, editors: f32, packers: f32) -> f32 {
        if self.snap == Snap::Loose { packers } else { editors }
    }

    /// Changes a value by the smallest step, or by this amount.
    fn value(self, value: &mut f32, editors: f32, packers: f32) {
        *value = if self.exact() { value.next_up() } else { *value + self.least(editors, packers) };
    }

    fn length(self, value: &mut f32, editors: f32, packers: f32) {
        self.value(value, editors * self.extent, packers * self.extent);
    }
}

/// The edited part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Mesh,
    Joint,
    Clip,
    Material,
}

/// Returns the first vertex that a triangle draws.
fn first_drawn(mesh: &Mesh) -> Option<usize> {
    mesh.triangles.first().map(|t| t[0] as usize)
}

fn first_mesh(scene: &mut Scene) -> Option<&mut Mesh> {
    let nodes = &scene.nodes;
    let shown = |m: &usize| nodes.iter().any(|n| n.meshes.contains(&MeshId(*m)));
    let m = (0..scene.meshes.len()).filter(shown).find(|m| !scene.meshes[*m].triangles.is_empty())?;
    scene.meshes.get_mut(m)
}

fn tracks(scene: &mut Scene) -> Option<&mut Vec<Track>> {
    scene.clips.iter_mut().find_map(|clip| match &mut clip.motion {
        Motion::Tracks(tracks) if clip.frames > 1 => Some(tracks),
        _ => None,
    })
}

/// Rotates by an angle in radians, or by the smallest step of a number.
fn turn(q: &mut [f32; 4], by: By, radians: f32) {
    if by.exact() {
        let largest = (0..4).max_by(|a, b| q[*a].abs().total_cmp(&q[*b].abs())).unwrap();
        // The shortest axis changes the angle most.
        let other = (largest + 1) % 4;
        q[other] = if q[other] == 0.0 { f32::MIN_POSITIVE } else { q[other].next_up() };
        return;
    }
    let (s, c) = (radians * 0.5).sin_cos();
    let [x, y, z, w] = *q;
    *q = [c * x + s * w, c * y + s * z, c * z - s * y, c * w - s * x];
}

type Edit = fn(&mut Scene, By) -> Option<()>;

/// The edit that comes with a material.
const FACES: &str = "faces of another material";

const EDITS: [(&str, Of, Edit); 27] = [
    ("position", Of::Mesh, |s, by| {
        let mesh = first_mesh(s)?;
        let v = first_drawn(mesh)?;
        by.length(&mut mesh.positions[v][1], MOVES, 1.1e-4);
        Some(())
    }),
    ("normal", Of::Mesh, |s, by| {
        let mesh = first_mesh(s)?;
        let v = first_drawn(mesh)?;
        let normal = mesh.normals.get_mut(v)?;
        let least = (0..3).min_by(|a, b| normal[*a].abs().total_cmp(&normal[*b].abs()))?;
        let long = normal.iter().map(|c| c * c).sum::<f32>().sqrt().max(1e-3);
        by.value(&mut normal[least], 0.02 * long, 0.04 * long);
        Some(())
    }),
    ("uv", Of::Mesh, |s, by| {
        let mesh = first_mesh(s)?;
        let v = first_drawn(mesh)?;
        by.value(&mut mesh.uvs.get_mut(v)?[0], 1.5e-6, 1.7e-4);
        Some(())
    }),
    ("colour", Of::Mesh, |s, by| {
        let mesh = first_mesh(s)?;
        let v = first_drawn(mesh)?;
        let color = mesh.colors.get_mut(v)?;
        // In dark colours, one 8-bit step in linear light equals 13 display steps.
        let steps = if by.snap == Snap::Loose { 16 } else { 1 };
        color[0] = if color[0] >= steps { color[0] - steps } else { color[0] + steps };
        Some(())
    }),
    ("weight", Of::Mesh, |s, by| {
        let mesh = first_mesh(s)?;
        let v = first_drawn(mesh)?;
        let skin = mesh.skin.as_mut()?;
        let at = skin.range(v);
        let weight = &mut skin.influences.get_mut(at.start)?.weight;
        *weight = if by.exact() { weight.next_down() } else { *weight - by.least(2e-6, 9e-3) };
        Some(())
    }),
    ("other joint", Of::Mesh, |s, _| {
        let joints = s.skeletons.first()?.joints.len();
        let mesh = first_mesh(s)?;
        let v = first_drawn(mesh)?;
        let skin = mesh.skin.as_mut().filter(|_| joints > 1)?;
        let at = skin.range(v);
        let taken: Vec<u32> = skin.influences[at.clone()].iter().map(|i| i.joint).collect();
        let free = (0..u32::try_from(joints).unwrap()).find(|j| !taken.contains(j))?;
        skin.influences.get_mut(at.start)?.joint = free;
        Some(())
    }),
    ("winding", Of::Mesh, |s, _| {
        let [a, b, _] = first_mesh(s)?.triangles.first_mut()?;
        std::mem::swap(a, b);
        Some(())
    }),
    ("triangle gone", Of::Mesh, |s, _| {
        let mesh = first_mesh(s).filter(|m| m.triangles.len() > 1)?;
        mesh.triangles.pop();
        Some(())
    }),
    ("triangle new", Of::Mesh, |s, _| {
        let mesh = first_mesh(s)?;
        let [a, b, c] = *mesh.triangles.first()?;
        mesh.triangles.push([c, b, a]);
        Some(())
    }),
    ("mesh name", Of::Mesh, |s, _| {
        let mesh = first_mesh(s).filter(|m| !m.name.is_empty())?;
        mesh.name.push_str(" b");
        Some(())
    }),
    ("object name", Of::Mesh, |s, _| {
        let name = first_mesh(s)?.name.clone();
        let draws = |n: &&mut Node| n.meshes.len() == 1 && !n.name.is_empty() && n.name == name;
        s.nodes.iter_mut().find(draws)?.name.push_str(" b");
        Some(())
    }),
    ("mesh new", Of::Mesh, |s, _| {
        let far = [[50.0, 0.0, 0.0], [51.0, 0.0, 0.0], [50.0, 1.0, 0.0]];
        s.nodes.push(Node::of_mesh("new mesh", MeshId(s.meshes.len())));
        s.meshes.push(Mesh::new("new mesh", far.to_vec(), vec![[0, 1, 2]]));
        Some(())
    }),
    ("joint name", Of::Joint, |s, _| {
        s.skeletons.first_mut()?.joints.last_mut()?.name.push_str(" b");
        Some(())
    }),
    ("joint place", Of::Joint, |s, by| {
        let joint = s.skeletons.first_mut()?.joints.last_mut()?;
        // A joint without vertices of its own is placed by its node.
        let bind = joint.inverse_bind.wide();
        let mut m: Affine = bind.inverse()?.narrow();
        by.length(&mut m.w[0], JOINT_RESTS, 5e-4);
        if by.exact() {
            joint.inverse_bind.w[0] = joint.inverse_bind.w[0].next_up() + f32::MIN_POSITIVE;
        } else {
            joint.inverse_bind = m.wide().inverse()?.narrow();
        }
        Some(())
    }),
    ("joint parent", Of::Joint, |s, _| {
        let joints = &mut s.skeletons.first_mut()?.joints;
        let at = joints.iter().rposition(|j| j.parent.is_some_and(|p| p > 0))?;
        joints[at].parent = Some(0);
        Some(())
    }),
    ("rotation", Of::Clip, |s, by| {
        let track = tracks(s)?.iter_mut().find(|t| t.rotation.values.len() > 1)?;
        turn(track.rotation.values.get_mut(1)?, by, by.least(if by.few { 4e-5 } else { TURNS }, 5e-3));
        Some(())
    }),
    ("translation", Of::Clip, |s, by| {
        let track = tracks(s)?.iter_mut().find(|t| t.translation.values.len() > 1)?;
        let value = track.translation.values.get_mut(1)?;
        let far = value.iter().fold(0.0_f32, |far, c| far.max(c.abs()));
        by.length(&mut value[2], if by.few { 6e-5 } else { JOINT_MOVES }, 5e-4 + 9e-4 * far / by.extent);
        Some(())
    }),
    ("clip name", Of::Clip, |s, _| {
        s.clips.first_mut()?.name.push_str(" b");
        Some(())
    }),
    ("clip gone", Of::Clip, |s, _| {
        let moves = s.clips.iter().position(|c| c.frames > 2)?;
        (s.clips.len() > 1).then(|| drop(s.clips.remove(moves)))
    }),
    ("material colour", Of::Material, |s, by| {
        let color = &mut s.materials.iter_mut().find(|m| !m.name.is_empty())?.base_color[1];
        *color = if by.exact() { color.next_down() } else { *color - by.least(2e-6, 5e-3) };
        Some(())
    }),
    ("material name", Of::Material, |s, _| {
        let own = first_mesh(s)?.material?;
        let material = s.materials.get_mut(own.0).filter(|m| !m.name.is_empty())?;
        material.name.push_str(" b");
        Some(())
    }),
    ("other material", Of::Mesh, |s, _| {
        let own = first_mesh(s)?.material?.0;
        let name = |m: usize| s.materials[m].name.clone();
        let other = (0..s.materials.len()).find(|m| !name(*m).is_empty() && name(*m) != name(own))?;
        let (was, is) = (s.materials[own].base_color, s.materials[other].base_color);
        let other = MaterialId(other);
        // Packers make one of those that look alike.
        (was != is).then(|| first_mesh(s).map(|mesh| mesh.material = Some(other)))?
    }),
    (FACES, Of::Mesh, |s, _| {
        let material = MaterialId(s.materials.len());
        let mesh = first_mesh(s).filter(|m| m.triangles.len() > 1)?;
        let mut part = mesh.clone().with_material(material);
        part.triangles = mesh.triangles.split_off(mesh.triangles.len() / 2);
        let was = std::mem::replace(&mut part.name, format!("{}_1", mesh.name));
        let new = MeshId(s.meshes.len());
        let own = s.meshes.iter().position(|m| m.name == was)?;
        s.nodes.iter_mut().find(|n| n.meshes.contains(&MeshId(own)))?.meshes.push(new);
        s.meshes.push(part);
        s.materials.push(Material::named("other faces"));
        Some(())
    }),
    ("mesh gone", Of::Mesh, |s, _| {
        let drawn: Vec<MeshId> = s.nodes.iter().flat_map(|n| n.meshes.iter().copied()).collect();
        let last = drawn.last().copied().filter(|last| drawn.iter().any(|m| m != last))?;
        s.nodes.iter_mut().for_each(|n| n.meshes.retain(|m| *m != last));
        Some(())
    }),
    ("mesh elsewhere", Of::Mesh, |s, by| {
        let free = |m: &MeshId| s.meshes[m.0].skin.is_none() && !s.meshes[m.0].triangles.is_empty();
        let node = s.nodes.iter().position(|n| n.meshes.iter().any(free))?;
        let mut at = s.nodes[node].local.to_affine();
        // Less moves no vertex that is not at the origin.
        at.w[0] += by.extent * if by.exact() { 1e-6 } else { by.least(1e-5, 3e-4) };
        s.nodes[node].local = Local::Affine(at);
        Some(())
    }),
    ("scale", Of::Clip, |s, by| {
        let track = tracks(s)?.iter_mut().find(|t| t.scale.values.len() > 1)?;
        let value = track.scale.values.get_mut(1)?;
        let size = value[0].abs().max(1.0);
        by.value(&mut value[0], 4e-5 * size, 1.2e-3 * size);
        Some(())
    }),
    ("event", Of::Clip, |s, _| {
        let events = s.clips.iter_mut().filter_map(|clip| clip.extras.as_mut());
        events.filter_map(|extras| field(extras, "events")).find_map(other)
    }),
];

/// Returns a field of a map.
fn field<'e>(extra: &'e mut Extra, name: &str) -> Option<&'e mut Extra> {
    let Extra::Map(fields) = extra else { return None };
    fields.iter_mut().find(|(key, _)| key == name).map(|(_, value)| value)
}

/// Changes the last text or number.
fn other(extra: &mut Extra) -> Option<()> {
    match extra {
        Extra::Map(fields) => fields.iter_mut().rev().find_map(|(_, value)| other(value)),
        Extra::List(items) => items.iter_mut().rev().find_map(other),
        Extra::Text(text) => {
            text.push('2');
            Some(())
        }
        Extra::Int(number) => {
            *number += 1;
            Some(())
        }
        _ => None,
    }
}

fn states(report: &Recovery) -> [(Of, bool); 4] {
    let still = |state: State| state == State::Untouched;
    [
        (Of::Mesh, report.meshes.iter().all(|p| still(p.state))),
        (Of::Joint, report.joints.iter().all(|p| still(p.state))),
        (Of::Clip, report.clips.iter().all(|p| still(p.state))),
        (Of::Material, report.materials.iter().all(|p| still(p.state))),
    ]
}

/// Makes every edit that a model allows, each separately, and returns how many there were.
pub(crate) fn touched(model: &TouchedFiles) -> usize {
    let mut made = 0;
    for snap in [Snap::Exact, Snap::Default, Snap::Loose] {
        let (scene, report) = model.recover(&model.edited, snap);
        assert!(report.is_untouched(), "{}: {report:?}", model.name);
        assert!(scene == model.native || format!("{scene:?}") == format!("{:?}", model.native));
        let by = By { snap, few: model.few, extent: model.extent };
        for (what, of, edit) in EDITS {
            let mut edited = model.edited.clone();
            if edit(&mut edited, by).is_none() || edited.validate().is_err() {
                continue;
            }
            made += 1;
            let (scene, report) = model.recover(&edited, snap);
            let context = || format!("{}: {what} at {snap:?}: {report:?}", model.name);
            assert!(!report.is_untouched(), "{}", context());
            for (part, still) in states(&report) {
                // A joint with another parent has another motion relative to it; a mesh names its material.
                let follows = (of, part) == (Of::Joint, Of::Clip)
                    || (of, part) == (Of::Material, Of::Mesh)
                    || (what, part) == (FACES, Of::Material);
                assert!(part != of || !still, "{}", context());
                assert!(part == of || still || follows, "{part:?}: {}", context());
            }
            assert_ne!(scene, model.native, "{}", context());
            assert!(scene.validate().is_ok(), "{}", context());
        }
    }
    made
}

#[test]
fn every_edit_of_a_fixture_is_found() {
    let root = testdata();
    let models: [(&str, &[&str], usize); 16] = [
        ("dpm", &["dpm/hopper.ok.dpm"], 12),
        ("zym", &["dpm/pair.ok.zym"], 12),
        ("zym, reversed", &["dpm/reversed.ok.zym"], 12),
        ("bmd", &["bmd/windmill.ok.bmd"], 12),
        ("bmd, moving", &["bmd/moving.ok.bmd"], 12),
        ("iqm", &["iqm/motion.ok.iqm"], 12),
        ("iqm, plain", &["iqm/sheet.ok.iqm"], 6),
        ("iqm, events", &["iqm/events.ok.iqm"], 6),
        ("fso", &["fsomodel/pairs/fighter.ok.fom"], 6),
        ("fso, alone", &["fsomodel/fighter.ok.fom"], 6),
        ("crucible", &["crucible/lighthouse.ok.cmesh"], 6),
        ("crucible, colours", &["crucible/colors.ok.cmesh"], 6),
        ("cmodel", &["crucible/two.ok.cmodel"], 6),
        ("tso, swaying", &["tso/flower.ok.mesh", "tso/flower.ok.skel", "tso/sway.ok.anim"], 6),
        ("skn", &["tso/flag.ok.skn", "tso/flower.ok.cmx"], 6),
        ("bmf", &["tso/flag.ok.bmf", "tso/flower.ok.bcf"], 6),
    ];
    for (format, files, least) in models {
        let files: Vec<_> = files.iter().map(|file| root.join(file)).collect();
        let made = touched(&TouchedFiles::new(format, &files));
        assert!(made >= least, "{format}: {made} edits");
    }
}
