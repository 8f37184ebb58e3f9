//! Builds the meshes of the result from the matches.

use crate::attributes::Attributes;
use crate::comparison::Comparison;
use crate::correspond::mesh_search::{Corner, Edited, EditedVertex, Found};
use crate::correspond::meshes::{Finds, part, state, stays_absent};
use crate::correspond::names::{Names, plain};
use crate::correspond::new_joint_indices::Placed;
use crate::correspond::vertices::Same;
use crate::joint_index::{At, ListIndex};
use crate::patch::materials::{Materials, one_pixel, painted};
use crate::patch::model::{MaterialPatch, MeshPatch, Patch, VertexPatch};
use crate::patch::nodes::move_nodes;
use crate::report::{MeshChange, Part, State};
use crate::tools::gltf_transform::is_palette;
use crate::tools::names::{is_filler, is_unnamed, stem};
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::math::{Affine64, distance, narrow, unit, wide};
use meshwright_core::{LimitExceeded, SortedMap};
use meshwright_scene::{
    ConvertError, Influence, LocalVertex, Material, MaterialId, Mesh, MeshId, Scene, SkeletonId, Skin,
};

/// Adds the meshes to the result.
pub(crate) fn meshes(
    work: &Comparison<'_, '_>,
    placed: &Placed,
    finds: &Finds<'_>,
    patch: &mut Patch,
) -> Result<(), ConvertError> {
    let Patch { scene, report, .. } = patch;
    let Finds { native: found, edited, foreign, .. } = finds;
    let natives = core::mem::take(&mut scene.meshes);
    let mut places: Vec<Option<MeshId>> = work.budget.reserve("meshes", natives.len())?;
    let mut materials = Materials::new(work, scene);
    materials.flat(work, finds, scene);
    let names = Names::new(work, edited)?;
    let patches = work.budget.reserve("meshes", natives.len().saturating_add(edited.len()))?;
    let mut maker = Maker { work, placed, edited, names, moved: SortedMap::new(), materials, scene, patches };
    for (m, (native, own)) in natives.iter().zip(found).enumerate() {
        let lost = own.added.is_empty() && own.sources.is_empty();
        if lost && !stays_absent(work, m) {
            places.push(None);
            report.meshes.push(part(native, State::Gone));
            continue;
        }
        let mut own_patch = MeshPatch { original: Some(m), ..MeshPatch::default() };
        let (mut mesh, mut change) = match lost {
            true => (native.clone(), MeshChange::default()),
            false => maker.native(native, own, &mut own_patch)?,
        };
        if lost {
            maker.unchanged_patch(native, &mut own_patch)?;
        }
        maker.belongings(m, own, &mut mesh, &mut change);
        if change.placed {
            own_patch.vertices.iter_mut().for_each(|v| v.changed |= Attributes::PLACED);
        }
        (own_patch.renamed, own_patch.material) = (mesh.name != native.name, change.material);
        own_patch.unchanged = own_patch.is_whole(native);
        maker.patches.push(own_patch);
        maker.rebind(&mut mesh);
        places.push(Some(MeshId(maker.scene.meshes.len())));
        maker.scene.meshes.push(mesh);
        report.meshes.push(Part { change: change.clone(), ..part(native, state(&change)) });
    }
    move_nodes(work.native, &maker.moved, maker.scene, work.budget)?;
    let gone = |mesh: &MeshId| places.get(mesh.0).copied().flatten();
    for node in &mut maker.scene.nodes {
        node.meshes = node.meshes.iter().filter_map(gone).collect();
    }
    for joint in maker.scene.skeletons.iter_mut().flat_map(|s| &mut s.joints) {
        joint.solid = joint.solid.as_ref().and_then(gone);
    }
    for (e, triangles) in foreign {
        maker.foreign((*e, triangles), found, report)?;
    }
    patch.correspondence.materials = maker.materials.originals(work);
    let materials = maker.materials.report;
    patch.meshes = maker.patches;
    let material = |(m, own): (usize, &Material)| {
        let native = work.native.materials.get(m);
        MaterialPatch {
            original: native.map(|_| m),
            renamed: native.is_some_and(|n| n.name != own.name),
            color: native.is_some_and(|n| n.base_color != own.base_color),
            picture: native.is_some_and(|n| n.image != own.image),
        }
    };
    patch.materials = patch.scene.materials.iter().enumerate().map(material).collect();
    patch.report.materials.extend(materials);
    patch.correspondence.fill_meshes(found);
    Ok(())
}

pub(crate) struct Maker<'w, 's, 'b> {
    pub(crate) work: &'w Comparison<'s, 'b>,
    pub(crate) placed: &'w Placed,
    pub(crate) edited: &'w [Edited<'s>],
    pub(crate) names: Names<'s>,
    /// The nodes of meshes that were moved, and where they are.
    pub(crate) moved: SortedMap<usize, Affine64>,
    pub(crate) materials: Materials,
    pub(crate) scene: &'w mut Scene,
    pub(crate) patches: Vec<MeshPatch>,
}

/// A vertex of a native mesh, with the matches of the mesh.
struct NativeVertex<'m, 's> {
    mesh: &'m Mesh,
    found: &'m Found<'s>,
    index: usize,
}

impl Maker<'_, '_, '_> {
    /// Returns a native mesh with its edits.
    fn native(
        &self,
        native: &Mesh,
        own: &Found<'_>,
        patch: &mut MeshPatch,
    ) -> Result<(Mesh, MeshChange), ConvertError> {
        let mut change = MeshChange::default();
        let count = native.positions.len();
        let added = own.added.len().saturating_mul(3);
        self.work.budget.charge_items(
            "vertices",
            (count.saturating_add(added)) as u64,
            size_of::<[f64; 12]>(),
        )?;
        // A vertex without triangles is invisible, so that its absence is not an edit.
        let mut used = alloc::vec![false; count];
        let mut kept = alloc::vec![false; count];
        let mark = |list: &mut Vec<bool>, v: u32| {
            if let Some(slot) = list.get_mut(v as usize) {
                *slot = true;
            }
        };
        for (corners, there) in native.triangles.iter().zip(&own.there) {
            for v in corners {
                mark(&mut used, *v);
                if there.is_some() {
                    mark(&mut kept, *v);
                }
            }
        }
        for corner in own.added.iter().flatten() {
            if let Corner::Native(v) = corner {
                mark(&mut kept, *v);
            }
        }
        let is = |list: &[bool], v: usize| list.get(v).copied().unwrap_or(false);
        let mut copy = Copy::new(native);
        // Tools add white to meshes without colours.
        let painted = |e: &usize| {
            self.edited.get(*e).is_some_and(|own| own.moved.colors.iter().any(|color| *color != [255; 4]))
        };
        copy.paints = native.colors.is_empty() && own.sources.iter().any(painted);
        if copy.paints
            && let Some(source) = own.sources.first().and_then(|e| self.edited.get(*e))
        {
            copy.mesh.color_encoding = source.moved.mesh.color_encoding;
        }
        copy.mesh.skin =
            native.skin.as_ref().map(|skin| Skin::new(skin.skeleton)).or_else(|| self.skinned(own));
        let mut places: Vec<Option<u32>> = self.work.budget.reserve("vertices", count)?;
        patch.vertices = self.work.budget.reserve("vertices", count.saturating_add(added))?;
        patch.triangles =
            self.work.budget.reserve("triangles", own.there.len().saturating_add(own.added.len()))?;
        for v in 0..count {
            if is(&used, v) && !is(&kept, v) {
                places.push(None);
                change.removed = change.removed.saturating_add(1);
                continue;
            }
            places.push(Some(copy.len()));
            copy.keep(native, v);
            let slot = own.slot(v);
            let mut changed = Attributes::NONE;
            if native.skin.is_none()
                && let Some(skin) = &mut copy.mesh.skin
            {
                let influences = slot.map(|(source, _)| self.of_edited(source, skin.skeleton));
                skin.influences.extend(influences.unwrap_or_default());
                skin.end_vertex();
                changed |= Attributes::WEIGHTS;
            }
            if let Some((source, same)) = slot.filter(|(_, same)| !same.all()) {
                let vertex = NativeVertex { mesh: native, found: own, index: v };
                self.edit(&mut copy.mesh, &vertex, source, same, &mut change);
                changed |= same.changed();
            }
            let color = slot.filter(|_| copy.paints).and_then(|((e, v), _)| {
                self.edited.get(e)?.moved.colors.get(v).filter(|color| **color != [255; 4])
            });
            if let Some((slot, color)) = copy.mesh.colors.last_mut().zip(color) {
                *slot = *color;
                changed |= Attributes::COLOR;
                change.colors = change.colors.saturating_add(1);
            }
            if self.follows_moved(native, v) {
                // It keeps its position.
                if native.skin.as_ref().is_some_and(|skin| !skin.local.is_empty()) {
                    self.localize(&mut copy.mesh, Attributes::BOUND);
                }
                changed |= Attributes::BOUND;
            }
            patch.vertices.push(VertexPatch { original: u32::try_from(v).ok(), changed });
        }
        let mut triangles =
            self.work.budget.reserve("triangles", own.there.len().saturating_add(own.added.len()))?;
        let place = |v: u32| places.get(v as usize).copied().flatten();
        for (t, (corners, there)) in (0_u32..).zip(native.triangles.iter().zip(&own.there)) {
            let [a, b, c] = corners.map(place);
            match (there, a, b, c) {
                (Some(_), Some(a), Some(b), Some(c)) => {
                    triangles.push([a, b, c]);
                    patch.triangles.push(Some(t));
                }
                _ => change.triangles_removed = change.triangles_removed.saturating_add(1),
            }
        }
        let mut new: SortedMap<EditedVertex, u32> = SortedMap::new();
        for corners in &own.added {
            let corners = corners.map(|corner| match corner {
                Corner::Native(v) => place(v).unwrap_or(0),
                Corner::New(source) => *new.entry(source).or_insert_with(|| {
                    let at = copy.len();
                    self.append((&mut copy.mesh, native), source, &own.exported.world);
                    patch.vertices.push(VertexPatch::default());
                    change.added = change.added.saturating_add(1);
                    at
                }),
            });
            triangles.push(corners);
            patch.triangles.push(None);
            change.triangles_added = change.triangles_added.saturating_add(1);
        }
        copy.mesh.triangles = triangles;
        Ok((copy.mesh, change))
    }

    /// Makes the patch of a native mesh that has no match in the edited scene.
    fn unchanged_patch(&self, native: &Mesh, patch: &mut MeshPatch) -> Result<(), LimitExceeded> {
        let (vertices, triangles) = (native.positions.len(), native.triangles.len());
        patch.vertices = self.work.budget.reserve("vertices", vertices)?;
        patch.triangles = self.work.budget.reserve("triangles", triangles)?;
        patch.vertices.extend((0_u32..).zip(0..vertices).map(|(number, v)| VertexPatch {
            original: Some(number),
            changed: Attributes::BOUND.only_if(self.follows_moved(native, v)),
        }));
        patch.triangles.extend((0_u32..).take(triangles).map(Some));
        Ok(())
    }

    /// Gives the last vertex of a mesh its edited values.
    fn edit(
        &self,
        mesh: &mut Mesh,
        vertex: &NativeVertex<'_, '_>,
        (e, v): EditedVertex,
        same: Same,
        change: &mut MeshChange,
    ) {
        let NativeVertex { mesh: native, found: own, index: n } = *vertex;
        let Some(edited) = self.edited.get(e) else { return };
        let count = |slot: &mut usize, same: bool| *slot = slot.saturating_add(usize::from(!same));
        count(&mut change.moved, same.position);
        count(&mut change.normals, same.normal);
        count(&mut change.uvs, same.uv);
        count(&mut change.colors, same.color);
        count(&mut change.weights, same.weights);
        let (position, normal) = local(edited, v, &own.exported.world);
        if !same.position
            && let Some((slot, position)) = mesh.positions.last_mut().zip(position)
        {
            let was = own.exported.mesh.positions.get(n).map_or([0.0; 3], |p| wide(*p));
            change.furthest = change.furthest.max(distance(was, position));
            *slot = narrow(position);
        }
        if !same.normal
            && let Some((slot, normal)) = mesh.normals.last_mut().zip(normal)
        {
            *slot = narrow(normal);
        }
        let other = edited.moved.mesh;
        if !same.uv
            && let Some((slot, uv)) = mesh.uvs.last_mut().zip(other.uvs.get(v))
        {
            *slot = *uv;
        }
        if !same.color
            && let Some((slot, color)) = mesh.colors.last_mut().zip(edited.moved.colors.get(v))
        {
            let alpha = slot.last().copied();
            *slot = *color;
            if let (true, Some(alpha), Some(to)) = (edited.moved.opaque, alpha, slot.last_mut()) {
                *to = alpha;
            }
        }
        let Some(skin) = &mut mesh.skin else { return };
        if !same.weights {
            skin.starts.pop();
            let from = skin.starts.last().map_or(0, |s| *s as usize);
            skin.influences.truncate(from);
            skin.local.truncate(from);
            skin.influences.extend(self.influences(other, v, skin.skeleton, true));
            skin.end_vertex();
        }
        if native.skin.as_ref().is_some_and(|s| !s.local.is_empty()) {
            self.localize(mesh, same.changed());
        }
    }

    /// Returns a skin for a mesh without one, if joints now move the whole mesh.
    fn skinned(&self, own: &Found<'_>) -> Option<Skin> {
        if !crate::correspond::joints::is_near_transform(
            &own.exported.world,
            &Affine64::IDENTITY,
            self.work.extent,
        ) {
            return None;
        }
        let skins = own.sources.iter().map(|e| self.edited.get(*e).and_then(|e| e.moved.mesh.skin.as_ref()));
        let mut of = skins.map(|skin| self.placed_in(skin?.skeleton));
        let first = of.next().flatten()?;
        of.all(|other| other == Some(first)).then(|| Skin::new(first))
    }

    /// Returns the skeleton of the result for an edited skeleton.
    pub(crate) fn placed_in(&self, skeleton: SkeletonId) -> Option<SkeletonId> {
        let joints = self.placed.edited.get(skeleton.0)?;
        joints.iter().flatten().next().map(|at| SkeletonId(at.skeleton))
    }

    /// Returns the influences of an edited vertex. At this point, meshes still use native joint indices.
    fn of_edited(&self, (e, v): EditedVertex, skeleton: SkeletonId) -> Vec<Influence> {
        self.edited.get(e).map(|own| self.influences(own.moved.mesh, v, skeleton, true)).unwrap_or_default()
    }

    /// Returns true if a vertex follows a joint with another bind pose.
    fn follows_moved(&self, native: &Mesh, v: usize) -> bool {
        let skin = native.skin.as_ref().filter(|_| !self.placed.moved.is_empty());
        skin.is_some_and(|skin| {
            let at = |joint: u32| At { skeleton: skin.skeleton.0, joint: joint as usize };
            skin.influences(v).iter().any(|i| self.placed.moved.contains(&at(i.joint)))
        })
    }

    /// Computes the changed joint-space positions and normals of the last vertex of a mesh.
    fn localize(&self, mesh: &mut Mesh, changed: Attributes) {
        let Some(skin) = &mut mesh.skin else { return };
        let (Some(position), normal) = (mesh.positions.last(), mesh.normals.last()) else { return };
        let Some(vertex) = skin.vertex_count().checked_sub(1) else { return };
        let range = skin.range(vertex);
        let mut known = skin.local.split_off(range.start.min(skin.local.len())).into_iter();
        let moved = changed.has(Attributes::JOINT_POSITION | Attributes::WEIGHTS);
        let turned = changed.has(Attributes::JOINT_NORMAL | Attributes::WEIGHTS);
        let own = skin.influences.get(range).unwrap_or_default();
        let total = own.iter().map(|i| f64::from(i.weight)).fold(0.0, |sum, w| sum + w);
        for i in own {
            let inverse = self.inverse_bind(skin.skeleton.0, i.joint as usize).unwrap_or(Affine64::IDENTITY);
            let place = [*position, normal.copied().unwrap_or_default()];
            let mut vertex = LocalVertex::new(&inverse, place, i.weight, total);
            if let Some(known) = known.next() {
                vertex.position = if moved { vertex.position } else { known.position };
                vertex.normal = if turned { vertex.normal } else { known.normal };
            }
            skin.local.push(vertex);
        }
    }

    /// Returns the inverse bind matrix of a joint, by native index or, for new joints, by an index after the native
    /// ones.
    fn inverse_bind(&self, skeleton: usize, joint: usize) -> Option<Affine64> {
        let natives = self.placed.native.get(skeleton)?;
        let kept = natives.iter().flatten().count();
        let joint = match joint.checked_sub(natives.len()) {
            None => match natives.get(joint).copied().flatten() {
                Some(at) => self.scene.skeletons.get(at.skeleton)?.joints.get(at.joint)?,
                None => self.work.native.skeletons.get(skeleton)?.joints.get(joint)?,
            },
            Some(new) => self.scene.skeletons.get(skeleton)?.joints.get(kept.checked_add(new)?)?,
        };
        Some(joint.inverse_bind.wide())
    }

    /// Returns the influences of an edited vertex, with native joint indices or with those of the result.
    pub(crate) fn influences(
        &self,
        mesh: &Mesh,
        v: usize,
        skeleton: SkeletonId,
        native: bool,
    ) -> Vec<Influence> {
        let Some(skin) = &mesh.skin else { return Vec::new() };
        let own = |i: &Influence| {
            let at = At { skeleton: skin.skeleton.0, joint: i.joint as usize };
            let result =
                at.get(&self.placed.edited).copied().flatten().filter(|r| r.skeleton == skeleton.0)?;
            let joint = if native { self.back(result)? } else { result.joint };
            Some(Influence { joint: u32::try_from(joint).ok()?, weight: i.weight })
        };
        skin.influences(v).iter().filter(|i| i.weight != 0.0).filter_map(own).collect()
    }

    /// Returns the native index of a joint of the result. New joints have indices after the native ones.
    fn back(&self, result: At) -> Option<usize> {
        let Some(natives) = self.placed.native.get(result.skeleton) else { return Some(result.joint) };
        let kept = natives.iter().flatten().count();
        match result.joint.checked_sub(kept) {
            Some(new) => natives.len().checked_add(new),
            None => natives.iter().position(|at| *at == Some(result)),
        }
    }

    /// Changes the joint indices of a mesh from native ones to those of the result.
    fn rebind(&self, mesh: &mut Mesh) {
        let Some(skin) = &mut mesh.skin else { return };
        let Some(natives) = self.placed.native.get(skin.skeleton.0) else { return };
        if natives.iter().enumerate().all(|(j, at)| at.is_some_and(|at| at.joint == j)) {
            return;
        }
        let kept = natives.iter().flatten().count();
        let place = |joint: usize| match natives.get(joint) {
            Some(at) => at.map(|at| at.joint),
            None => joint.checked_sub(natives.len()).and_then(|new| kept.checked_add(new)),
        };
        let mut new = Skin::new(skin.skeleton);
        for v in 0..skin.vertex_count() {
            for at in skin.range(v) {
                let Some(i) = skin.influences.get(at) else { continue };
                let Some(joint) = place(i.joint as usize).and_then(|j| u32::try_from(j).ok()) else {
                    continue;
                };
                new.influences.push(Influence { joint, weight: i.weight });
                new.local.extend(skin.local.get(at));
            }
            new.end_vertex();
        }
        *skin = new;
    }

    /// Appends an edited vertex to a mesh, with the attributes that the mesh has.
    fn append(&self, (mesh, native): (&mut Mesh, &Mesh), (e, v): EditedVertex, world: &Affine64) {
        let Some(edited) = self.edited.get(e) else { return };
        let other = edited.moved.mesh;
        let (position, normal) = local(edited, v, world);
        let had = mesh.positions.len();
        mesh.positions.push(narrow(position.unwrap_or_default()));
        let lists = |len: usize, native: usize| len == had && native > 0;
        if lists(mesh.normals.len(), native.normals.len()) {
            mesh.normals.push(narrow(normal.unwrap_or([0.0, 1.0, 0.0])));
        }
        if lists(mesh.tangents.len(), native.tangents.len()) {
            mesh.tangents.push(other.tangents.get(v).copied().unwrap_or([1.0, 0.0, 0.0, 1.0]));
        }
        if lists(mesh.uvs.len(), native.uvs.len()) {
            mesh.uvs.push(other.uvs.get(v).copied().unwrap_or_default());
        }
        if lists(mesh.colors.len(), native.colors.len().max(mesh.colors.len())) {
            mesh.colors.push(edited.moved.colors.get(v).copied().unwrap_or([255; 4]));
        }
        if let Some(skin) = &mut mesh.skin {
            let local = !skin.local.is_empty();
            skin.influences.extend(self.influences(other, v, skin.skeleton, true));
            skin.end_vertex();
            if local {
                self.localize(mesh, Attributes::WEIGHTS);
            }
        }
    }

    /// Updates the name, material and transform of a native mesh.
    fn belongings(&mut self, m: usize, own: &Found<'_>, mesh: &mut Mesh, change: &mut MeshChange) {
        let [e] = own.sources[..] else { return };
        let Some(edited) = self.edited.get(e) else { return };
        let source = edited.moved.mesh;
        let alone = self.names.is_single(&source.name);
        let theirs = self.names.is_mesh(&source.name);
        let numbered =
            stem(&source.name) == own.exported.mesh.name || self.names.is_part(&source.name, edited.node);
        if alone && !theirs && !numbered && !source.name.is_empty() && !own.exported.mesh.name.is_empty() {
            change.renamed = Some(source.name.clone());
            mesh.name.clone_from(&source.name);
        }
        self.rename_with_node(m, (edited, alone), mesh, change);
        let name = |scene: &Scene, id: Option<MaterialId>| {
            id.and_then(|id| scene.materials.get(id.0)).map(|m| m.name.clone()).unwrap_or_default()
        };
        let (was, is) =
            (name(self.work.exported, own.exported.mesh.material), name(self.work.edited, source.material));
        let none = is_unnamed(&is) || is_palette(&is);
        // Editors keep identities. A mesh that has one but no material has lost its material.
        let taken = self.work.marked && !self.work.tolerance.joined && source.material.is_none();
        if taken && !is_unnamed(&was) && !is_filler(&was) {
            change.material = mesh.material.is_some();
            mesh.material = None;
        }
        if was != is && !none && !self.is_joined(own.exported.mesh.material, &is) {
            let id = source.material.and_then(|id| self.materials.get(self.work, id.0, self.scene));
            change.material = id != mesh.material;
            mesh.material = id;
        }
        if let Some((was, is, color)) = painted(self.work, self.edited, own) {
            let looks = |id: MaterialId| self.scene.materials.get(id.0).map(|m| m.base_color);
            let has = was.and_then(looks).unwrap_or([1.0; 4]);
            if !one_pixel(color, has) {
                let like = |id: &MaterialId| looks(*id).is_some_and(|c| one_pixel(c, color));
                let known = (0..self.work.native.materials.len()).map(MaterialId).find(like);
                let id = known.or_else(|| self.materials.get(self.work, is, self.scene));
                change.material = id != mesh.material;
                mesh.material = id;
            }
        }
        change.placed = !edited.placed.is_empty();
        self.moved.extend(edited.placed.iter().copied());
    }

    /// Renames a mesh with its node: editors display the name of the object, and change the mesh's name if both were
    /// equal.
    fn rename_with_node(
        &mut self,
        m: usize,
        (edited, alone): (&Edited<'_>, bool),
        mesh: &mut Mesh,
        change: &mut MeshChange,
    ) {
        let exported = self.work.exported;
        let Some((n, node)) = self.names.node(m, &exported.nodes) else { return };
        let (was, is) = (node.name.as_str(), edited.node);
        let own = exported.meshes.get(m).map_or("", |m| m.name.as_str());
        // Tools make names valid and unique, and name nodes like their meshes.
        let made = [was, own, &edited.moved.mesh.name].iter().any(|name| plain(name) == plain(is));
        if !alone
            || change.renamed.is_some()
            || was.is_empty()
            || is_filler(is)
            || made
            || self.names.is_taken(is)
        {
            return;
        }
        change.renamed = Some(is.into());
        if was == own {
            mesh.name = is.into();
        }
        self.scene.nodes.get_mut(n).into_iter().for_each(|node| node.name = is.into());
    }

    /// Returns true if a native material is gone and a mesh has another one that looks the same: tools join equal
    /// materials.
    fn is_joined(&self, was: Option<MaterialId>, is: &str) -> bool {
        let own = &self.work.exported.materials;
        let look = |m: &Material| {
            let mut plain = m.clone();
            (plain.name, plain.extras) = (String::new(), None);
            plain
        };
        let was = was.and_then(|id| own.get(id.0));
        let pair = was.zip(own.iter().find(|m| m.name == is));
        let gone = was.is_some_and(|was| self.work.edited.materials.iter().all(|m| m.name != was.name));
        self.work.tolerance.joined && gone && pair.is_some_and(|(was, is)| look(was) == look(is))
    }
}

/// Returns the position and normal of an edited vertex in the space of a native mesh.
pub(crate) fn local(edited: &Edited<'_>, v: usize, world: &Affine64) -> (Option<[f64; 3]>, Option<[f64; 3]>) {
    let inverse = world.inverse().unwrap_or(Affine64::IDENTITY);
    let position = edited.moved.position(v).map(|p| inverse.point(p));
    let turn = inverse.normals();
    let normal = edited.moved.normal(v).map(|n| turn.map_or(n, |m| m.vector(n)));
    (position, normal.and_then(unit))
}

/// A mesh under construction from vertices of another mesh.
struct Copy {
    mesh: Mesh,
    /// The mesh gets colours that the other lacks; unpainted vertices are white.
    paints: bool,
}

impl Copy {
    fn new(native: &Mesh) -> Self {
        let mut mesh = Mesh::new(native.name.clone(), Vec::new(), Vec::new());
        mesh.material = native.material;
        mesh.color_encoding = native.color_encoding;
        mesh.extras.clone_from(&native.extras);
        Self { mesh, paints: false }
    }

    fn len(&self) -> u32 {
        u32::try_from(self.mesh.positions.len()).unwrap_or(u32::MAX)
    }

    fn keep(&mut self, native: &Mesh, v: usize) {
        let to = &mut self.mesh;
        to.positions.extend(native.positions.get(v));
        to.normals.extend(native.normals.get(v));
        to.tangents.extend(native.tangents.get(v));
        to.uvs.extend(native.uvs.get(v));
        to.colors.extend(native.colors.get(v).or(self.paints.then_some(&[255; 4])));
        if let Some((to, from)) = to.skin.as_mut().zip(native.skin.as_ref()) {
            let range = from.range(v);
            to.influences.extend(from.influences.get(range.clone()).unwrap_or_default());
            to.local.extend(from.local.get(range).unwrap_or_default());
            to.end_vertex();
        }
    }
}
