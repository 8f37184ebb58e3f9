//! A scene's mesh as a `.mesh`.

use crate::mesh::{BLEND_UNUSED, Binding, BlendVertex, Geometry, Mesh, RealVertex, Total};
use crate::name::Name;
use crate::pose::{BoneMatrix, narrow, unit};
use crate::scene::space::map;
use crate::skel::Skel;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::f32s;
use meshwright_core::num::Q1_15;
use meshwright_scene::{
    Affine, ConvertError, Converted, Local, Loss, MeshId, NodeId, Scene, Skeleton, Space, vertex_normals,
};

/// The bone of meshes that have no skin.
const UNSKINNED_BONE: &str = "ROOT";

/// Options of [`Mesh::from_scene`].
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct ExportOptions<'a> {
    /// The skeleton that the mesh is made for: vertices are placed relative to its bones, of the same names, at
    /// rest. Without, relative to the scene's joints in the bind pose.
    pub skeleton: Option<&'a Skel>,
}

impl<'a> ExportOptions<'a> {
    /// Options for a mesh on this skeleton.
    pub fn on(skeleton: &'a Skel) -> Self {
        Self { skeleton: Some(skeleton) }
    }
}

/// A joint on its way to a bone.
struct Target {
    name: Name,
    /// From model space at rest to the bone's space, in the file's space and unit.
    inverse: BoneMatrix,
    /// True when the scene's bone-local vertices are relative to this bone as they are.
    own: bool,
}

/// A vertex before it has found its place in the file.
struct Draft {
    uv: [f32; 2],
    /// Joint, and position and normal in its space.
    real: (usize, [f64; 3], [f64; 3]),
    /// The same for the blend, with its weight.
    blend: Option<(usize, Q1_15, [f64; 3], [f64; 3])>,
}

#[derive(Debug, Default)]
struct Notes {
    dropped: usize,
    largest: f64,
    unweighted: usize,
    unknown_joint: usize,
    not_finite: usize,
    no_normal: usize,
}

impl Mesh {
    /// Makes a mesh of a scene's mesh.
    ///
    /// A vertex keeps its two largest weights, the larger one's joint owning it; weights are rounded to Q1.15.
    /// Vertices are ordered by joint and keep their order within one. A mesh without a skin hangs on `ROOT`, with
    /// its node's transform applied.
    pub fn from_scene(
        scene: &Scene,
        mesh: MeshId,
        options: &ExportOptions<'_>,
    ) -> Result<Converted<Self>, ConvertError> {
        let path = format!("meshes[{}]", mesh.0);
        let source =
            scene.meshes.get(mesh.0).ok_or_else(|| ConvertError::invalid(&*path, "does not exist"))?;
        scene.validate().map_err(|e| ConvertError::invalid(e.path, e.message))?;
        let mut losses = Vec::new();
        let bones = |s: &Skeleton| !s.joints.is_empty();
        let skin = source.skin.as_ref().filter(|s| scene.skeletons.get(s.skeleton.0).is_some_and(bones));
        let targets = match skin {
            Some(skin) => {
                let skeleton = scene.skeletons.get(skin.skeleton.0);
                let skeleton =
                    skeleton.ok_or_else(|| ConvertError::invalid(&*path, "its skeleton is missing"))?;
                targets(scene.space, skeleton, options, &mut losses)
            }
            None => {
                losses.push(Loss::new("unskinned", &*path, format!("the mesh hangs on {UNSKINNED_BONE}")));
                let root = match options.skeleton {
                    Some(skel) => rest_of(skel, &Name::from(UNSKINNED_BONE)).unwrap_or_default(),
                    None => BoneMatrix::IDENTITY,
                };
                alloc::vec![Target { name: UNSKINNED_BONE.into(), inverse: root.inverse(), own: false }]
            }
        };
        let placed =
            if source.skin.is_some() { Affine::IDENTITY } else { placement(scene, mesh, &mut losses) };
        let computed;
        let normals = if source.normals.is_empty() && !source.positions.is_empty() {
            losses.push(Loss::new(
                "normals-computed",
                &*path,
                "the mesh has no normals, its faces give them",
            ));
            computed = vertex_normals(&source.positions, &source.triangles);
            &computed
        } else {
            &source.normals
        };
        let maker = Maker { normals, source, targets: &targets, placed, back: map(scene.space).inverse() };
        let mut notes = Notes::default();
        let drafts: Vec<_> = (0..source.positions.len()).map(|v| maker.draft(v, &mut notes)).collect();
        let geometry = arrange(&targets, &drafts, source, &maker)?;
        notes.report(&path, &mut losses);
        for (code, lost, what) in [
            ("uvs-missing", source.uvs.is_empty(), "there are no texture coordinates, all are 0"),
            ("colors-dropped", !source.colors.is_empty(), "the format has no vertex colours"),
            ("tangents-dropped", !source.tangents.is_empty(), "the format has no tangents"),
            ("materials-dropped", source.material.is_some(), "a .bnd names the texture, not the mesh"),
        ] {
            if lost && !source.positions.is_empty() {
                losses.push(Loss::new(code, &*path, what));
            }
        }
        Ok(Converted::new(Self { geometry, trailing: Vec::new() }, losses))
    }
}

fn rest_of(skel: &Skel, name: &Name) -> Option<BoneMatrix> {
    skel.find(name).and_then(|bone| skel.world(&[]).get(bone).copied())
}

/// Joints as bones; names that would be taken for one another are reported.
fn targets(
    space: Space,
    skeleton: &Skeleton,
    options: &ExportOptions<'_>,
    losses: &mut Vec<Loss>,
) -> Vec<Target> {
    let back = map(space).inverse();
    let mut names = alloc::collections::BTreeMap::new();
    let native = options.skeleton.map(|skel| {
        let all: Vec<_> = skeleton.joints.iter().map(|j| Name::from_text(&j.name).0).collect();
        let world = skel.world(&[]);
        let found = skel.find_all(&all).into_iter();
        found.map(|bone| bone.and_then(|b| world.get(b)).copied()).collect::<Vec<_>>()
    });
    let mut targets = Vec::with_capacity(skeleton.joints.len());
    for (i, joint) in skeleton.joints.iter().enumerate() {
        let path = format!("skeleton.joints[{i}].name");
        let name = bone_name(&joint.name, &path, losses);
        let first = *names.entry(name.bytes().to_ascii_lowercase()).or_insert(i);
        if first != i {
            let message =
                format!("{name} is the name of joint {first} too; files tell bones apart by name only");
            losses.push(Loss::new("name-duplicate", &*path, message));
        }
        let rows = back.affine(&joint.inverse_bind).to_rows();
        let own = BoneMatrix { rows: rows.map(|r| r.map(f64::from)) };
        let known = native.as_ref().and_then(|matrices| {
            let matrix = matrices.get(i).copied().flatten();
            if matrix.is_none() {
                let message = format!("the skeleton has no bone {name}; the scene's joint is taken instead");
                losses.push(Loss::new("bone-missing", &*path, message));
            }
            matrix.map(|m| m.inverse())
        });
        targets.push(Target { name, inverse: known.unwrap_or(own), own: known.is_none() });
    }
    targets
}

/// The bytes of a bone's name, at most 255 of them.
pub(crate) fn bone_name(text: &str, path: &str, losses: &mut Vec<Loss>) -> Name {
    name_of(text, path, usize::from(u8::MAX), losses)
}

/// The bytes of a name, at most `longest` of them.
pub(crate) fn name_of(text: &str, path: &str, longest: usize, losses: &mut Vec<Loss>) -> Name {
    let (name, exact) = Name::from_text(text);
    if !exact {
        let message = "characters that Windows-1252 does not have became question marks";
        losses.push(Loss::new("name-changed", path, message));
    }
    let Some(cut) = name.bytes().get(..longest).filter(|cut| cut.len() < name.bytes().len()) else {
        return name;
    };
    losses.push(Loss::new("name-cut", path, format!("the name is longer than {longest} bytes")));
    Name::from(cut)
}

/// The transform of the first node that draws a mesh.
fn placement(scene: &Scene, mesh: MeshId, losses: &mut Vec<Loss>) -> Affine {
    let mut nodes = scene.nodes.iter().enumerate().filter(|(_, n)| n.meshes.contains(&mesh));
    let Some((first, _)) = nodes.next() else { return Affine::IDENTITY };
    let others = nodes.count();
    if others > 0 {
        let message = format!("{others} more nodes draw the mesh; only the first counts");
        losses.push(Loss::new("instance-dropped", format!("nodes[{first}]"), message));
    }
    let mut placed = Affine::IDENTITY;
    let mut at = Some(NodeId(first));
    while let Some(node) = at.and_then(|n| scene.nodes.get(n.0)) {
        placed = node.local.to_affine().after(&placed);
        at = node.parent;
    }
    placed
}

struct Maker<'a> {
    source: &'a meshwright_scene::Mesh,
    normals: &'a [[f32; 3]],
    targets: &'a [Target],
    placed: Affine,
    back: meshwright_scene::AxisMap,
}

/// One joint's part in one vertex: weight, and weighted position and normal in its space where the scene has them.
type Part = (usize, f64, Option<([f64; 3], [f64; 3])>);

impl Maker<'_> {
    fn draft(&self, v: usize, notes: &mut Notes) -> Draft {
        let mut finite = true;
        let mut checked = |v: [f32; 3]| {
            finite &= v.iter().all(|c| c.is_finite());
            v.map(f64::from).map(|c| if c.is_finite() { c } else { 0.0 })
        };
        let position = self.source.positions.get(v).copied().unwrap_or_default();
        let position = checked(self.back.point(self.placed.point(position)));
        let normal = self.normals.get(v).copied().unwrap_or_default();
        let normal = unit(checked(self.back.direction(self.placed.vector(normal))));
        notes.no_normal += usize::from(normal.is_none());
        let normal = normal.unwrap_or([0.0, 1.0, 0.0]);
        let uv = self.source.uvs.get(v).copied().unwrap_or_default();
        let uv = uv.map(|c| if c.is_finite() { c } else { 0.0 });
        notes.not_finite += usize::from(!finite);

        let mut parts = self.parts(v, notes);
        let mut exact = true;
        if let Some((_, weight, _)) = parts.get(2) {
            exact = false;
            notes.dropped += 1;
            notes.largest = notes.largest.max(*weight);
            parts.truncate(2);
        }
        let q = match parts.as_slice() {
            [a, b] => Q1_15::encode(narrow([b.1 / (a.1 + b.1)])[0]),
            _ => Q1_15::default(),
        };
        if q == Q1_15::default() && parts.len() > 1 {
            // The whole vertex goes to one joint: where it is at rest counts, not where that joint saw its part.
            exact = false;
            parts.truncate(1);
        }
        // A point that is a number in the scene can lie beyond the numbers in a bone's space.
        let beyond = core::cell::Cell::new(0_usize);
        let local = |part: &Part| {
            let target = self.targets.get(part.0);
            let own = part.2.filter(|_| exact && target.is_some_and(|t| t.own));
            let (p, n) = match (own, target) {
                (Some((p, n)), _) => (p.map(|c| c / part.1), n),
                (None, Some(t)) => (t.inverse.point(position), t.inverse.vector(normal)),
                (None, None) => (position, normal),
            };
            let known = narrow(p).iter().all(|c| c.is_finite());
            beyond.set(beyond.get() + usize::from(!known));
            (if known { p } else { [0.0; 3] }, unit(n).unwrap_or([0.0, 1.0, 0.0]))
        };
        let home = parts.first().copied().unwrap_or((0, 1.0, None));
        let (p, n) = local(&home);
        let blend = parts.get(1).map(|part| {
            let (p, n) = local(part);
            (part.0, q, p, n)
        });
        notes.not_finite += usize::from(finite && beyond.get() > 0);
        Draft { uv, real: (home.0, p, n), blend }
    }

    /// The parts of a vertex, one per joint, largest first.
    fn parts(&self, v: usize, notes: &mut Notes) -> Vec<Part> {
        let Some(skin) = &self.source.skin else { return alloc::vec![(0, 1.0, None)] };
        let range = skin.range(v);
        let locals = skin.local.get(range.clone()).unwrap_or_default();
        let mut parts: Vec<Part> = Vec::new();
        for (i, influence) in skin.of(v).iter().enumerate() {
            let weight = f64::from(influence.weight);
            if weight > 0.0 && weight.is_finite() {
                let local = locals.get(i).map(|l| {
                    let (p, n) = (self.back.point(l.position), self.back.direction(l.normal));
                    (p.map(f64::from), n.map(f64::from))
                });
                parts.push((usize::try_from(influence.joint).unwrap_or(usize::MAX), weight, local));
            }
        }
        parts.sort_by_key(|p| p.0);
        parts.dedup_by(|next, sum| {
            if next.0 != sum.0 {
                return false;
            }
            sum.1 += next.1;
            sum.2 = sum.2.zip(next.2).map(|((p, n), (q, m))| {
                (core::array::from_fn(|i| p[i] + q[i]), core::array::from_fn(|i| n[i] + m[i]))
            });
            true
        });
        // Stable: of equal weights the lower joint comes first.
        parts.sort_by(|a, b| b.1.total_cmp(&a.1));
        if parts.is_empty() {
            notes.unweighted += 1;
            parts.push((0, 1.0, None));
        }
        if parts.iter().any(|p| p.0 >= self.targets.len()) {
            notes.unknown_joint += 1;
        }
        parts
    }
}

/// Puts vertices in runs per bone and bones in the order of the joints.
fn arrange(
    targets: &[Target],
    drafts: &[Draft],
    source: &meshwright_scene::Mesh,
    maker: &Maker<'_>,
) -> Result<Geometry, ConvertError> {
    let mut used = alloc::vec![false; targets.len()];
    let joints = drafts.iter().flat_map(|d| [Some(d.real.0), d.blend.map(|b| b.0)]).flatten();
    for joint in joints {
        if let Some(used) = used.get_mut(joint) {
            *used = true;
        }
    }
    let index = |n: usize| {
        u32::try_from(n).map_err(|_| ConvertError::unsupported("vertices", "the format counts with 32 bits"))
    };
    let mut real_order: Vec<usize> = (0..drafts.len()).collect();
    real_order.sort_by_key(|v| drafts[*v].real.0);
    let mut place = alloc::vec![0_u32; drafts.len()];
    for (new, old) in real_order.iter().enumerate() {
        place[*old] = index(new)?;
    }
    let mut blend_order: Vec<usize> = (0..drafts.len()).filter(|v| drafts[*v].blend.is_some()).collect();
    blend_order.sort_by_key(|v| (drafts[*v].blend.as_ref().map(|b| b.0), place[*v]));

    let mut geometry = Geometry { total: Total::All, ..Geometry::default() };
    let (mut real, mut blend) = (0_usize, 0_usize);
    for (joint, target) in targets.iter().enumerate().filter(|(j, _)| used[*j]) {
        let reals = real_order[real..].iter().take_while(|v| drafts[**v].real.0 == joint).count();
        let is_here = |v: &&usize| drafts[**v].blend.as_ref().is_some_and(|b| b.0 == joint);
        let blends = blend_order[blend..].iter().take_while(is_here).count();
        geometry.bindings.push(Binding {
            bone: index(geometry.bones.len())?,
            first_real: index(real)?,
            real_count: index(reals)?,
            first_blend: if blends == 0 { BLEND_UNUSED } else { index(blend)? },
            blend_count: index(blends)?,
        });
        geometry.bones.push(target.name.clone());
        real += reals;
        blend += blends;
    }
    geometry.real = real_order
        .iter()
        .map(|v| {
            let draft = &drafts[*v];
            RealVertex {
                uv: f32s(draft.uv),
                position: f32s(narrow(draft.real.1)),
                normal: f32s(narrow(draft.real.2)),
            }
        })
        .collect();
    geometry.blends = blend_order
        .iter()
        .filter_map(|v| {
            let (_, weight, p, n) = drafts[*v].blend?;
            let (position, normal) = (f32s(narrow(p)), f32s(narrow(n)));
            Some(BlendVertex { weight, target: place[*v], position, normal })
        })
        .collect();
    let corner = |v: u32| usize::try_from(v).ok().and_then(|v| place.get(v)).copied().unwrap_or(0);
    geometry.faces = source.triangles.iter().map(|t| maker.back.triangle(t.map(corner))).collect();
    Ok(geometry)
}

impl Notes {
    fn report(&self, path: &str, losses: &mut Vec<Loss>) {
        let mut count = |code, n: usize, what: &str, amount: Option<f64>| {
            if n > 0 {
                let message: String = format!("{n} {what}");
                losses.push(match amount {
                    Some(amount) => Loss::measured(code, path, message, amount),
                    None => Loss::new(code, path, message),
                });
            }
        };
        let dropped = "vertices lost joints beyond their two largest; the amount is the largest weight lost";
        count("influences-dropped", self.dropped, dropped, Some(self.largest));
        count("vertices-unbound", self.unweighted, "vertices without a joint follow the first", None);
        count("joint-unknown", self.unknown_joint, "vertices name joints that do not exist", None);
        count("not-finite", self.not_finite, "vertices with numbers that are not finite, set to 0", None);
        count("normals-replaced", self.no_normal, "vertices without a normal, theirs point up", None);
    }
}

/// The rest transform of a joint, for targets that have no scene skeleton at hand.
pub(crate) fn rest_parts(local: &Local) -> (meshwright_scene::Trs, f32) {
    match local {
        Local::Trs(trs) => (*trs, 0.0),
        Local::Affine(m) => meshwright_scene::Trs::from_affine(m),
    }
}
