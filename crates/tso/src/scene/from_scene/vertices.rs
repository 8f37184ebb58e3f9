//! Conversion of vertices to runs of vertices per bone.

use super::bones::Bones;
use super::names::SHORT;
use super::options::TsoSceneOptions;
use super::transforms;
use crate::mesh::{BLEND_UNUSED, Binding, BlendVertex, Geometry, RealVertex, Total};
use crate::name::{Name, NameIndex};
use crate::scene::space::TO_GLTF;
use crate::skel::Skel;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::num::Q1_15;
use meshwright_core::{Order as _, SortedMap, f32s};
use meshwright_scene::math::{Affine64, add, distance, length, narrow, narrow1, scale, unit, wide};
use meshwright_scene::{
    AxisMap, Budget, ConvertError, Drawable, FromSceneOptions, Loss, Mesh, Scene, SkeletonId, Skin,
};

/// The bone of meshes without a skin, unless a skeleton names another one.
const UNSKINNED_BONE: &str = "ROOT";
/// Largest distance between a vertex's bind position and its position by its bones, relative to its size.
const SAME_PLACE: f64 = 1e-4;
/// The direction of missing normals.
const UP: [f64; 3] = [0.0, 1.0, 0.0];

/// A bone with vertices.
#[derive(Debug)]
struct Target {
    name: Name,
    /// The rest transform of the bone in model space.
    bone: Affine64,
    /// Index in the skeleton for which the meshes are made. Bones that it lacks come last.
    place: usize,
}

/// A joint of the scene.
#[derive(Clone, Copy, Debug, Default)]
struct Bound {
    target: usize,
    /// Transform from model space in the bind pose to the bone's space.
    inverse: Affine64,
    /// Transform from the joint's space to model space, if the joint and the bone have the same space.
    own: Option<Affine64>,
}

/// A vertex in the space of one bone.
#[derive(Clone, Copy, Debug)]
struct Local {
    target: u32,
    position: [f32; 3],
    normal: [f32; 3],
}

/// A vertex that is not yet in the list of its bone.
#[derive(Clone, Copy, Debug)]
struct Loose {
    uv: [f32; 2],
    real: Local,
    blend: Option<(Q1_15, Local)>,
}

/// The part of a joint in a vertex.
#[derive(Clone, Copy, Debug)]
struct JointPart {
    joint: Bound,
    weight: f64,
    /// Position and normal in the joint's space, times the weight.
    seen: Option<([f64; 3], [f64; 3])>,
}

/// The notes collected so far.
#[derive(Debug, Default)]
struct Notes {
    unskinned: usize,
    unweighted: usize,
    not_finite: usize,
    no_normal: usize,
    no_uvs: usize,
    /// Bones that rest in another pose than their joints.
    turned: usize,
}

/// Collects drawables in geometries. Bones of one drawable are kept for the next.
#[derive(Debug)]
pub(crate) struct Gatherer<'a, 'b> {
    scene: &'a Scene,
    /// The names of all joints of all skeletons as bones.
    names: &'a [Vec<Name>],
    /// The bones of the skeleton for which meshes are made, with their matrices.
    made_for: Option<(&'a Skel, NameIndex<'a>, Vec<Affine64>)>,
    axes: AxisMap,
    budget: &'b Budget,
    targets: Vec<Target>,
    by_name: SortedMap<Name, usize>,
    skeletons: SortedMap<usize, Vec<Bound>>,
    vertices: Vec<Loose>,
    faces: Vec<[u32; 3]>,
    notes: Notes,
    losses: Vec<Loss>,
}

impl<'a, 'b> Gatherer<'a, 'b> {
    pub(crate) fn new(
        scene: &'a Scene,
        names: &'a [Vec<Name>],
        options: &'a FromSceneOptions<TsoSceneOptions>,
        budget: &'b Budget,
    ) -> Result<Self, ConvertError> {
        let made_for = match &options.format.made_for {
            Some(skel) => {
                let each = NameIndex::MEMORY + 2 * SHORT + 3 * size_of::<Affine64>();
                budget.charge_items("bones", skel.bones.len() as u64, each)?;
                Some((skel, skel.index(), skel.world(&[])))
            }
            None => None,
        };
        Ok(Self {
            scene,
            names,
            made_for,
            axes: options.axes(scene, &TO_GLTF),
            budget,
            targets: Vec::new(),
            by_name: SortedMap::new(),
            skeletons: SortedMap::new(),
            vertices: Vec::new(),
            faces: Vec::new(),
            notes: Notes::default(),
            losses: Vec::new(),
        })
    }

    /// Adds a mesh, which is in the file's axes.
    pub(crate) fn add(&mut self, drawable: &Drawable<'_>) -> Result<(), ConvertError> {
        let mesh: &Mesh = &drawable.mesh;
        let (n, path) = (mesh.positions.len(), drawable.path());
        self.budget.charge_items("vertices", n as u64, size_of::<Loose>())?;
        self.budget.charge_items("triangles", mesh.triangles.len() as u64, size_of::<[u32; 3]>())?;
        let first = u32::try_from(self.vertices.len())
            .ok()
            .filter(|first| first.checked_add(u32::try_from(n).unwrap_or(u32::MAX)).is_some())
            .ok_or_else(|| ConvertError::unsupported(&*path, "the format counts vertices with 32 bits"))?;
        let skin = mesh.skin.as_ref().filter(|s| self.joints_of(s.skeleton) > 0);
        let joints = match skin {
            Some(skin) => self.bound(skin.skeleton)?,
            None => {
                self.notes.unskinned += 1;
                alloc::vec![self.unskinned()?]
            }
        };
        self.vertices.reserve(n);
        self.faces.reserve(mesh.triangles.len());
        self.notes.no_uvs += usize::from(mesh.uvs.is_empty() && n > 0);
        for v in 0..n {
            let loose = self.loose(mesh, skin, v, &joints);
            self.vertices.push(loose);
        }
        self.faces.extend(mesh.triangles.iter().map(|t| t.map(|v| v.saturating_add(first))));
        if let Some(skin) = skin {
            self.skeletons.insert(skin.skeleton.0, joints);
        }
        Ok(())
    }

    fn joints_of(&self, skeleton: SkeletonId) -> usize {
        self.scene.skeletons.get(skeleton.0).map_or(0, |s| s.joints.len())
    }

    /// Returns the joints of a skeleton.
    fn bound(&mut self, id: SkeletonId) -> Result<Vec<Bound>, ConvertError> {
        if let Some(known) = self.skeletons.remove(&id.0) {
            return Ok(known);
        }
        let Some(skeleton) = self.scene.skeletons.get(id.0) else { return Ok(Vec::new()) };
        let mut bound = self.budget.reserve("bones", skeleton.joints.len())?;
        let names = self.names.get(id.0).map_or(&[][..], Vec::as_slice);
        let bones = transforms::bones(skeleton, self.budget)?;
        let mut spaces = self.budget.filled("bones", skeleton.joints.len(), None)?;
        if let Some((skel, ..)) = self.made_for {
            let (assigned, _) = Bones::assign(skel, names, self.budget)?;
            let found = assigned.spaces(skeleton, &self.axes, self.budget)?;
            self.notes.turned += found.turned;
            for (joint, space) in assigned.joints.iter().zip(found.in_joint) {
                if let Some(slot) = joint.and_then(|j| spaces.get_mut(j)) {
                    *slot = space;
                }
            }
        }
        for (j, (joint, name)) in skeleton.joints.iter().zip(names).enumerate() {
            let bind = joint.inverse_bind.wide();
            let inverse = self.axes.affine64(&bones.binding(j, &bind));
            // A scaled joint and its bone have different spaces.
            let own = if bones.is_stretched(j) { None } else { inverse.inverse() };
            let rest = bones.rest().get(j).map_or(Affine64::IDENTITY, |m| self.axes.affine64(m));
            let space = spaces.get(j).copied().flatten();
            bound.push(self.join(name, (rest, space), inverse, own)?);
        }
        Ok(bound)
    }

    /// Returns the bone with this name, and creates it if it is missing. The bone of the joint has the rest transform
    /// `bone`, and the joint the bind matrix `inverse`. `space`: the bone of the skeleton in the space of the joint.
    fn join(
        &mut self,
        name: &Name,
        (bone, space): (Affine64, Option<Affine64>),
        inverse: Affine64,
        own: Option<Affine64>,
    ) -> Result<Bound, ConvertError> {
        let known = self.known(name);
        let name = known.map_or(name, |(name, ..)| name).clone();
        let target = match self.by_name.get(&name) {
            Some(target) => *target,
            None => {
                let entry = size_of::<Target>() + 2 * name.bytes().len() + 64;
                self.budget.charge("bones", entry as u64)?;
                if self.made_for.is_some() && known.is_none() {
                    let message = "the skeleton has no such bone; the scene's joint was used instead";
                    self.losses.push(Loss::new("bone-missing", alloc::format!("bones[{name}]"), message));
                }
                let (place, world) = known.map_or((usize::MAX, bone), |(_, place, world)| (place, world));
                self.by_name.insert(name.clone(), self.targets.len());
                self.targets.push(Target { name, bone: world, place });
                self.targets.len() - 1
            }
        };
        // If the joint's rest pose differs, the vertices are moved to where the joint shows them.
        let stands = self.targets.get(target).map_or(bone, |t| t.bone);
        let moved = || stands.inverse().unwrap_or_default().after(&bone);
        let to_bone = match space {
            Some(space) if space == Affine64::IDENTITY => None,
            Some(space) => Some(space.inverse().unwrap_or_default()),
            None => Some(moved()).filter(|_| stands != bone),
        };
        let inverse = to_bone.map_or(inverse, |to_bone| to_bone.after(&inverse));
        Ok(Bound { target, inverse, own: own.filter(|_| to_bone.is_none()) })
    }

    /// Returns the bone with a name in the skeleton that the geometry is made for: its spelling, its index, and its
    /// rest transform.
    fn known(&self, name: &Name) -> Option<(&'a Name, usize, Affine64)> {
        let (skel, index, world) = self.made_for.as_ref()?;
        let bone = index.find(name)?;
        Some((&skel.bones.get(bone)?.name, bone, *world.get(bone)?))
    }

    /// Returns the bone for meshes without a skin: the root of the skeleton, in its rest pose.
    fn unskinned(&mut self) -> Result<Bound, ConvertError> {
        let first = self.scene.skeletons.first().filter(|s| !s.joints.is_empty() && self.made_for.is_none());
        let Some(skeleton) = first else {
            let still = Affine64::IDENTITY;
            return self.join(&UNSKINNED_BONE.into(), (still, None), still, None);
        };
        let named = skeleton.joints.iter().position(|j| j.name.eq_ignore_ascii_case(UNSKINNED_BONE));
        let root = named.or_else(|| skeleton.joints.iter().position(|j| j.parent.is_none())).unwrap_or(0);
        let joints = self.bound(SkeletonId(0))?;
        let target = joints.get(root).map_or(0, |j| j.target);
        self.skeletons.insert(0, joints);
        let rest = self.targets.get(target).and_then(|t| t.bone.inverse()).unwrap_or_default();
        Ok(Bound { target, inverse: rest, own: None })
    }

    fn loose(&mut self, mesh: &Mesh, skin: Option<&Skin>, v: usize, joints: &[Bound]) -> Loose {
        let mut finite = true;
        let mut checked = |v: [f32; 3]| {
            finite &= v.iter().all(|c| c.is_finite());
            wide(v.map(|c| if c.is_finite() { c } else { 0.0 }))
        };
        let position = checked(mesh.positions.get(v).copied().unwrap_or_default());
        let normal = unit(checked(mesh.normals.get(v).copied().unwrap_or_default()));
        self.notes.no_normal += usize::from(normal.is_none());
        let normal = normal.unwrap_or(UP);
        let uv = mesh.uvs.get(v).copied().unwrap_or_default();
        let uv = uv.map(|c| if c.is_finite() { c } else { 0.0 });

        let mut parts = self.parts(skin, v, joints);
        let q = match parts.as_slice() {
            [a, b] => Q1_15::encode(narrow1(b.weight / (a.weight + b.weight))),
            _ => Q1_15::default(),
        };
        // The bind position counts, unless the positions in bone space give the same more exactly. A part that rounds
        // to nothing leaves the whole to the other.
        let exact = (q != Q1_15::default() || parts.len() == 1) && agrees(&parts, position);
        let home = parts.first().map_or(0, |p| p.joint.target);
        if q == Q1_15::default() {
            parts.truncate(1);
        }
        let mut beyond = false;
        let mut place = |part: &JointPart| Self::place(part, exact, position, normal, &mut beyond);
        let real = parts.first().map(&mut place);
        let blend = parts.get(1).map(|part| (q, place(part)));
        self.notes.not_finite += usize::from(!finite || beyond);
        let real = real.unwrap_or(Local {
            target: number(home),
            position: narrow(position),
            normal: narrow(normal),
        });
        Loose { uv, real, blend }
    }

    /// Returns a vertex in the space of one of its bones.
    fn place(
        part: &JointPart,
        exact: bool,
        position: [f64; 3],
        normal: [f64; 3],
        beyond: &mut bool,
    ) -> Local {
        let Bound { target, inverse, .. } = part.joint;
        let (p, n) = match part.seen.filter(|_| exact) {
            Some((p, n)) => (scale(p, 1.0 / part.weight), n),
            None => (inverse.point(position), transform_normal(&inverse, normal)),
        };
        let position = narrow(p);
        let known = position.iter().all(|c| c.is_finite());
        *beyond |= !known;
        let normal = narrow(unit(n).unwrap_or(UP));
        Local { target: number(target), position: if known { position } else { [0.0; 3] }, normal }
    }

    /// Returns the parts of a vertex, one per joint, largest first.
    fn parts(&mut self, skin: Option<&Skin>, v: usize, joints: &[Bound]) -> Vec<JointPart> {
        let whole = |joint| JointPart { joint, weight: 1.0, seen: None };
        let first = joints.first().copied().unwrap_or_default();
        let Some(skin) = skin else { return alloc::vec![whole(first)] };
        let locals = skin.local.get(skin.range(v)).unwrap_or_default();
        let mut parts: Vec<JointPart> = Vec::new();
        for (i, influence) in skin.influences(v).iter().enumerate() {
            let (weight, joint) = (f64::from(influence.weight), usize::try_from(influence.joint));
            let joint = joint.ok().and_then(|j| joints.get(j)).copied();
            let Some(joint) = joint.filter(|_| weight > 0.0 && weight.is_finite()) else { continue };
            let seen = locals.get(i).map(|l| (wide(l.position), wide(l.normal)));
            match parts.iter_mut().find(|p| p.joint.target == joint.target) {
                Some(part) => {
                    part.weight += weight;
                    part.seen = part.seen.zip(seen).map(|((p, n), (q, m))| (add(p, q), add(n, m)));
                }
                None => parts.push(JointPart { joint, weight, seen }),
            }
        }
        // If weights are equal, the lower joint comes first.
        parts.order_by_key(|p| p.joint.target);
        parts.order_by(|a, b| b.weight.total_cmp(&a.weight));
        parts.truncate(2);
        if parts.is_empty() {
            self.notes.unweighted += 1;
            parts.push(whole(first));
        }
        parts
    }

    /// Reports the notes since the last call.
    pub(crate) fn report(&mut self, path: &str, losses: &mut Vec<Loss>) {
        losses.append(&mut self.losses);
        let notes = core::mem::take(&mut self.notes);
        for (code, count, message) in [
            ("vertices-unbound", notes.unweighted, "vertices without a joint were bound to the first one"),
            ("not-finite", notes.not_finite, "vertices with numbers that are not finite were set to 0"),
        ] {
            if count > 0 {
                losses.push(Loss::new(code, path, message).with_count(count, "vertex", "vertices"));
            }
        }
        if notes.turned > 0 {
            let message = "the rest pose of the skeleton differs from that of the joints; vertices keep their \
                           positions relative to the bones";
            losses.push(Loss::note("rest-differs", path, message).with_count(notes.turned, "bone", "bones"));
        }
        for (code, count, message) in [
            ("unskinned", notes.unskinned, "a mesh without joints was bound to the root"),
            ("normals-replaced", notes.no_normal, "vertices without a normal got one that points up"),
            ("uvs-missing", notes.no_uvs, "the mesh has no texture coordinates; all are 0"),
        ] {
            if count > 0 {
                losses.push(Loss::note(code, path, String::from(message)).counted(count));
            }
        }
    }

    /// Returns the bones in the order of the skeleton that the geometry is made for, otherwise of the joints. Also
    /// returns the index of each in this order.
    fn order(&self) -> (Vec<usize>, Vec<usize>) {
        let mut order: Vec<usize> = (0..self.targets.len()).collect();
        order.order_by_key(|t| self.targets[*t].place);
        let mut rank = alloc::vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, t)| rank[*t] = place);
        (order, rank)
    }

    /// Sorts the collected vertices into runs per bone, and the bones into that order.
    pub(crate) fn arrange(&mut self) -> Result<Geometry, ConvertError> {
        let (vertices, faces) = (core::mem::take(&mut self.vertices), core::mem::take(&mut self.faces));
        let budget = self.budget;
        budget.work("bones", self.targets.len() as u64)?;
        let many = |_| ConvertError::unsupported("vertices", "the format counts with 32 bits");
        let index = |n: usize| u32::try_from(n).map_err(many);
        let all = index(vertices.len())?;
        budget.charge_items("vertices", all.into(), 2 * size_of::<u32>())?;
        let (order, rank) = self.order();
        let real_rank = |v: u32| rank[vertices[v as usize].real.target as usize];
        let blend_rank = |v: u32| Some(rank[vertices[v as usize].blend?.1.target as usize]);
        let mut reals = Run::count(order.len(), (0..all).map(real_rank));
        let mut blends = Run::count(order.len(), (0..all).filter_map(blend_rank));

        let mut geometry = Geometry { total: Total::All, ..Geometry::default() };
        for ((t, reals), blends) in order.iter().zip(&reals).zip(&blends) {
            if reals.count == 0 && blends.count == 0 {
                continue;
            }
            geometry.bindings.push(Binding {
                bone: index(geometry.bones.len())?,
                first_real: reals.next,
                real_count: reals.count,
                first_blend: if blends.count == 0 { BLEND_UNUSED } else { blends.next },
                blend_count: blends.count,
            });
            geometry.bones.push(self.targets[*t].name.clone());
        }
        let blend_count: u32 = blends.iter().map(|run| run.count).sum();
        let (mut place, mut sorted) =
            (alloc::vec![0_u32; vertices.len()], alloc::vec![0_u32; vertices.len()]);
        for v in 0..all {
            let new = reals[real_rank(v)].take();
            place[v as usize] = new;
            sorted[new as usize] = v;
        }
        geometry.real = budget.reserve("vertices", vertices.len())?;
        geometry.real.extend(sorted.iter().map(|v| {
            let Loose { uv, real, .. } = &vertices[*v as usize];
            RealVertex { uv: f32s(*uv), position: f32s(real.position), normal: f32s(real.normal) }
        }));
        geometry.blends = budget.filled("vertices", blend_count as usize, BlendVertex::default())?;
        // Within a bone, blend vertices have the order of their real vertices.
        for (target, v) in (0_u32..).zip(&sorted) {
            let Some((weight, local)) = vertices[*v as usize].blend else { continue };
            let (position, normal) = (f32s(local.position), f32s(local.normal));
            let slot = blends[rank[local.target as usize]].take();
            geometry.blends[slot as usize] = BlendVertex { weight, target, position, normal };
        }
        let corner = |v: u32| usize::try_from(v).ok().and_then(|v| place.get(v)).copied().unwrap_or(0);
        geometry.faces = faces;
        geometry.faces.as_flattened_mut().iter_mut().for_each(|v| *v = corner(*v));
        Ok(geometry)
    }
}

/// Returns the number of a bone in fewer bits, because each vertex has one.
fn number(target: usize) -> u32 {
    u32::try_from(target).unwrap_or(u32::MAX)
}

/// The vertices of a bone in a sorted list.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    /// The position of the next vertex that is added; at first that of the first one.
    next: u32,
    count: u32,
}

impl Run {
    /// Returns the run of each bone, given the bone of each vertex.
    fn count(bones: usize, vertices: impl Iterator<Item = usize>) -> Vec<Self> {
        let mut runs = alloc::vec![Self::default(); bones];
        vertices.for_each(|bone| runs[bone].count += 1);
        let mut next = 0;
        for run in &mut runs {
            run.next = next;
            next += run.count;
        }
        runs
    }

    /// Returns the position of the next vertex.
    fn take(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }
}

/// Transforms a normal by a matrix that may scale.
fn transform_normal(m: &Affine64, normal: [f64; 3]) -> [f64; 3] {
    m.normals().unwrap_or(*m).vector(normal)
}

/// Returns true if the joint-space positions of a vertex agree with its bind position.
fn agrees(parts: &[JointPart], position: [f64; 3]) -> bool {
    let mut sum = [0.0; 3];
    let mut total = 0.0;
    for part in parts {
        let Some((seen, own)) = part.seen.zip(part.joint.own) else { return false };
        sum = add(sum, add(own.vector(seen.0), scale(own.w, part.weight)));
        total += part.weight;
    }
    let size = length(position).max(1.0);
    (total - 1.0).abs() <= SAME_PLACE && distance(sum, position) <= SAME_PLACE * size
}
