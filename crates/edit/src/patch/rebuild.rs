//! Builds the meshes of the result from the matches.

use crate::attributes::Attributes;
use crate::comparison::Comparison;
use crate::correspond::joints::is_near_transform;
use crate::correspond::mesh_search::{Corner, Edited, EditedVertex, Found};
use crate::correspond::meshes::{Finds, part, stays_absent};
use crate::correspond::names::{Names, plain};
use crate::correspond::new_joint_indices::Placed;
use crate::correspond::vertices::Same;
use crate::joint_index::{At, ListIndex};
use crate::patch::materials::{Materials, one_pixel, painted};
use crate::patch::model::{MaterialPatch, MeshPatch, Patch, VertexPatch};
use crate::patch::nodes::move_nodes;
use crate::report::{MaterialChange, MeshChange, Part, State};
use crate::tools::gltf_transform::is_palette;
use crate::tools::names::{is_filler, is_unnamed, stem};
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::math::{Affine64, narrow, unit};
use meshwright_core::{LimitExceeded, SortedMap};
use meshwright_scene::{
    ConvertError, Influence, LocalVertex, Material, MaterialId, Mesh, MeshId, Scene, SkeletonId, Skin,
};

/// Adds the meshes to the result.
pub(crate) fn meshes(
    work: &Comparison<'_, '_>,
    placed: &Placed,
    finds: Finds<'_>,
    patch: &mut Patch,
) -> Result<(), ConvertError> {
    let Patch { scene, report, .. } = patch;
    let natives = core::mem::take(&mut scene.meshes);
    let mut places: Vec<Option<MeshId>> = work.budget.reserve("meshes", natives.len())?;
    let mut materials = Materials::new(work, scene);
    materials.flat(work, &finds, scene);
    let Finds { native: found, edited, foreign, .. } = finds;
    let names = Names::new(work, &edited)?;
    let patches = work.budget.reserve("meshes", natives.len().saturating_add(edited.len()))?;
    let edited = &edited;
    let mut maker = Maker { work, placed, edited, names, moved: SortedMap::new(), materials, scene, patches };
    for (m, ((mut mesh, own), native)) in natives.into_iter().zip(&found).zip(work.originals).enumerate() {
        let lost = own.added.is_empty() && own.sources.is_empty();
        if lost && !stays_absent(work, m) {
            places.push(None);
            report.meshes.push(part(&native.name, State::Gone));
            continue;
        }
        let mut positions = Vec::new();
        let mut own_patch = if lost || maker.is_whole(&mesh, own) {
            maker.keep(&mut mesh, m)?
        } else {
            positions.clone_from(&mesh.positions);
            maker.edited(&mut mesh, own)?
        };
        let mut change = MeshChange::new((native, &positions), &mesh, &own_patch);
        maker.belongings(m, own, &mut mesh, &mut change);
        if change.placed {
            own_patch.vertices.iter_mut().for_each(|v| v.changed |= Attributes::PLACED);
        }
        own_patch.original = Some(m);
        (own_patch.renamed, own_patch.material) = (mesh.name != native.name, change.material);
        own_patch.unchanged = own_patch.is_whole(native);
        maker.patches.push(own_patch);
        places.push(Some(MeshId(maker.scene.meshes.len())));
        maker.scene.meshes.push(mesh);
        let state = if change == MeshChange::default() { State::Untouched } else { State::Edited };
        report.meshes.push(Part { change, ..part(&native.name, state) });
    }
    move_nodes(work.native, &maker.moved, maker.scene, work.budget)?;
    let gone = |mesh: &MeshId| places.get(mesh.0).copied().flatten();
    for node in &mut maker.scene.nodes {
        node.meshes = node.meshes.iter().filter_map(gone).collect();
    }
    for joint in maker.scene.skeletons.iter_mut().flat_map(|s| &mut s.joints) {
        joint.solid = joint.solid.as_ref().and_then(gone);
    }
    for (e, triangles) in &foreign {
        maker.foreign((*e, triangles), &found, report)?;
    }
    patch.correspondence.materials = maker.materials.originals(work);
    patch.materials = maker.materials.patches;
    patch.meshes = maker.patches;
    let materials = patch.materials.iter().zip(&patch.scene.materials).enumerate();
    let part = |(m, (own, made)): (usize, (&MaterialPatch, &Material))| {
        Part::<MaterialChange>::new(own, work.native.materials.get(m), made)
    };
    patch.report.materials = materials.map(part).collect();
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

impl Maker<'_, '_, '_> {
    /// Returns true if a native mesh has no edited vertex and no other triangles.
    fn is_whole(&self, native: &Mesh, own: &Found<'_>) -> bool {
        let same = |v: usize| own.slot(v).is_none_or(|(_, same)| same.all());
        own.added.is_empty()
            && own.there.iter().all(Option::is_some)
            && (0..native.positions.len()).all(|v| same(v) && !self.follows_moved(native.skin.as_ref(), v))
            && (native.skin.is_some() || self.skinned(own).is_none())
            && !self.is_painted(native, own)
    }

    /// Keeps a native mesh with the joints of the result, and returns its patch.
    fn keep(&self, mesh: &mut Mesh, m: usize) -> Result<MeshPatch, LimitExceeded> {
        let (vertices, triangles) = (mesh.positions.len() as u64, mesh.triangles.len() as u64);
        self.work.budget.charge_items("vertices", vertices, size_of::<VertexPatch>())?;
        self.work.budget.charge_items("triangles", triangles, size_of::<Option<u32>>())?;
        let mut patch = MeshPatch::unedited(mesh, m);
        for (v, own) in patch.vertices.iter_mut().enumerate() {
            if self.follows_moved(mesh.skin.as_ref(), v) {
                own.changed = Attributes::BOUND;
            }
        }
        let renumbered = |skin: &&mut Skin| {
            let natives = self.placed.native.get(skin.skeleton.0).into_iter().flatten();
            natives.enumerate().any(|(j, at)| at.is_none_or(|at| at.joint != j))
        };
        if let Some(skin) = mesh.skin.as_mut().filter(renumbered) {
            let old = core::mem::replace(skin, Skin::new(skin.skeleton));
            for v in 0..old.vertex_count() {
                self.bind(skin, self.native_influences(&old, v), None, Attributes::NONE);
            }
        }
        Ok(patch)
    }

    /// Returns true if a mesh without colours was painted. Tools add white to meshes without colours.
    fn is_painted(&self, native: &Mesh, own: &Found<'_>) -> bool {
        let painted = |e: &usize| {
            self.edited.get(*e).is_some_and(|own| own.moved.colors.iter().any(|color| *color != [255; 4]))
        };
        native.colors.is_empty() && own.sources.iter().any(painted)
    }

    /// Applies the edits of a native mesh, and returns its patch.
    fn edited(&self, mesh: &mut Mesh, own: &Found<'_>) -> Result<MeshPatch, ConvertError> {
        let count = mesh.positions.len();
        let added = own.added.len().saturating_mul(3);
        let (vertices, triangles) =
            (count.saturating_add(added), own.there.len().saturating_add(own.added.len()));
        self.work.budget.charge_items("vertices", vertices as u64, size_of::<[f64; 12]>())?;
        let mut patch = MeshPatch {
            vertices: self.work.budget.reserve("vertices", vertices)?,
            triangles: self.work.budget.reserve("triangles", triangles)?,
            ..MeshPatch::default()
        };
        let kept = kept_vertices(mesh, own);
        let paints = self.is_painted(mesh, own);
        if paints {
            mesh.colors = alloc::vec![[255; 4]; count];
            let source = own.sources.first().and_then(|e| self.edited.get(*e));
            mesh.color_encoding = source.map_or(mesh.color_encoding, |own| own.moved.mesh.color_encoding);
        }
        let stored = mesh.skin.take();
        let mut skin = self.empty_skin(stored.as_ref(), own);
        let mut places: Vec<Option<u32>> = self.work.budget.reserve("vertices", count)?;
        for (v, keeps) in kept.iter().enumerate() {
            places.push(u32::try_from(patch.vertices.len()).ok().filter(|_| *keeps));
            if *keeps {
                let changed = self.edit_vertex(mesh, (v, own), paints, stored.as_ref(), skin.as_mut());
                patch.vertices.push(VertexPatch { original: u32::try_from(v).ok(), changed });
            }
        }
        mesh.skin = skin;
        let Mesh { normals, tangents, uvs, colors, .. } = &*mesh;
        let has = [!normals.is_empty(), !tangents.is_empty(), !uvs.is_empty(), !colors.is_empty()];
        retain(&mut mesh.positions, &kept);
        retain(&mut mesh.normals, &kept);
        retain(&mut mesh.tangents, &kept);
        retain(&mut mesh.uvs, &kept);
        retain(&mut mesh.colors, &kept);
        let place = |v: u32| places.get(v as usize).copied().flatten();
        let old = core::mem::take(&mut mesh.triangles);
        mesh.triangles = self.work.budget.reserve("triangles", triangles)?;
        for (t, (corners, there)) in (0_u32..).zip(old.iter().zip(&own.there)) {
            if let (Some(_), [Some(a), Some(b), Some(c)]) = (there, corners.map(place)) {
                mesh.triangles.push([a, b, c]);
                patch.triangles.push(Some(t));
            }
        }
        let mut new: SortedMap<EditedVertex, u32> = SortedMap::new();
        for corners in &own.added {
            let corners = corners.map(|corner| match corner {
                Corner::Native(v) => place(v).unwrap_or(0),
                Corner::New(source) => *new.entry(source).or_insert_with(|| {
                    let at = u32::try_from(mesh.positions.len()).unwrap_or(u32::MAX);
                    self.append(mesh, has, source, &own.exported.world);
                    patch.vertices.push(VertexPatch::default());
                    at
                }),
            });
            mesh.triangles.push(corners);
            patch.triangles.push(None);
        }
        Ok(patch)
    }

    /// Returns a skin without vertices for an edited mesh, or `None` if no joint moves the mesh. `stored` is the skin of the
    /// native mesh.
    fn empty_skin(&self, stored: Option<&Skin>, own: &Found<'_>) -> Option<Skin> {
        let Some(stored) = stored else { return self.skinned(own).map(Skin::new) };
        let mut skin = Skin::new(stored.skeleton);
        skin.starts.reserve_exact(stored.starts.len());
        skin.influences.reserve_exact(stored.influences.len());
        skin.local.reserve_exact(stored.local.len());
        Some(skin)
    }

    /// Gives a vertex of a native mesh its edited values, adds it to the skin, and returns what changed. `stored` is the skin
    /// of the native mesh; `paints` is true if the mesh gets colours.
    fn edit_vertex(
        &self,
        mesh: &mut Mesh,
        (v, own): (usize, &Found<'_>),
        paints: bool,
        stored: Option<&Skin>,
        skin: Option<&mut Skin>,
    ) -> Attributes {
        let slot = own.slot(v);
        let mut changed = Attributes::NONE;
        if let Some((source, same)) = slot.filter(|(_, same)| !same.all()) {
            self.edit(mesh, (v, own), source, same);
            changed = same.changed();
        }
        let color = slot.filter(|_| paints).and_then(|((e, v), _)| {
            self.edited.get(e)?.moved.colors.get(v).filter(|color| **color != [255; 4])
        });
        if let Some((slot, color)) = mesh.colors.get_mut(v).zip(color) {
            *slot = *color;
            changed |= Attributes::COLOR;
        }
        // A vertex that follows a moved joint keeps its position.
        if self.follows_moved(stored, v) {
            changed |= Attributes::BOUND;
        }
        let Some(skin) = skin else { return changed };
        if stored.is_none() {
            changed |= Attributes::WEIGHTS;
        }
        let place = place_of(mesh, v).filter(|_| stored.is_some_and(|skin| !skin.local.is_empty()));
        if let Some(stored) = stored.filter(|_| !changed.has(Attributes::WEIGHTS)) {
            self.bind(skin, self.native_influences(stored, v), place, changed);
        } else {
            let influences = self.influences(slot.map(|(source, _)| source), skin.skeleton);
            self.bind(skin, influences, place, changed);
        }
        changed
    }

    /// Gives a vertex of a native mesh its edited values, except for the weights.
    fn edit(&self, mesh: &mut Mesh, (n, own): (usize, &Found<'_>), (e, v): EditedVertex, same: Same) {
        let Some(edited) = self.edited.get(e) else { return };
        let (position, normal) = local(edited, v, &own.exported.world);
        if !same.position
            && let Some((slot, position)) = mesh.positions.get_mut(n).zip(position)
        {
            *slot = narrow(position);
        }
        if !same.normal
            && let Some((slot, normal)) = mesh.normals.get_mut(n).zip(normal)
        {
            *slot = narrow(normal);
        }
        if !same.uv
            && let Some((slot, uv)) = mesh.uvs.get_mut(n).zip(edited.moved.mesh.uvs.get(v))
        {
            *slot = *uv;
        }
        if !same.color
            && let Some((slot, color)) = mesh.colors.get_mut(n).zip(edited.moved.colors.get(v))
        {
            let [.., alpha] = *slot;
            let [r, g, b, a] = *color;
            *slot = [r, g, b, if edited.moved.opaque { alpha } else { a }];
        }
    }

    /// Returns the skeleton of the result for a mesh without one, if joints now move the whole mesh.
    fn skinned(&self, own: &Found<'_>) -> Option<SkeletonId> {
        if !is_near_transform(&own.exported.world, &Affine64::IDENTITY, self.work.extent) {
            return None;
        }
        let skins = own.sources.iter().map(|e| self.edited.get(*e).and_then(|e| e.moved.mesh.skin.as_ref()));
        let mut of = skins.map(|skin| self.placed_in(skin?.skeleton));
        let first = of.next().flatten()?;
        of.all(|other| other == Some(first)).then_some(first)
    }

    /// Returns the skeleton of the result for an edited skeleton.
    pub(crate) fn placed_in(&self, skeleton: SkeletonId) -> Option<SkeletonId> {
        let joints = self.placed.edited.get(skeleton.0)?;
        joints.iter().flatten().next().map(|at| SkeletonId(at.skeleton))
    }

    /// Returns true if a vertex follows a joint with another bind pose.
    fn follows_moved(&self, native: Option<&Skin>, v: usize) -> bool {
        native.filter(|_| !self.placed.moved.is_empty()).is_some_and(|skin| {
            let at = |joint: u32| At { skeleton: skin.skeleton.0, joint: joint as usize };
            skin.influences(v).iter().any(|i| self.placed.moved.contains(&at(i.joint)))
        })
    }

    /// Appends a vertex to a skin. If the skin stores vertices in the space of their joints, `place` is the position and
    /// the normal, and the changed ones are computed.
    pub(crate) fn bind(
        &self,
        skin: &mut Skin,
        influences: impl Iterator<Item = (Influence, Option<LocalVertex>)> + Clone,
        place: Option<[[f32; 3]; 2]>,
        changed: Attributes,
    ) {
        let moved = changed.has(Attributes::JOINT_POSITION | Attributes::WEIGHTS);
        let turned = changed.has(Attributes::JOINT_NORMAL | Attributes::WEIGHTS);
        let total = influences.clone().map(|(i, _)| f64::from(i.weight)).fold(0.0, |sum, w| sum + w);
        for (influence, known) in influences {
            let new = place.filter(|_| known.is_none() || moved || turned).map(|place| {
                let joints = self.scene.skeletons.get(skin.skeleton.0).map_or(&[][..], |s| &s.joints);
                let inverse = joints.get(influence.joint as usize).map(|joint| joint.inverse_bind.wide());
                LocalVertex::new(&inverse.unwrap_or(Affine64::IDENTITY), place, influence.weight, total)
            });
            skin.local.extend(match (known, new) {
                (Some(known), Some(new)) => Some(LocalVertex {
                    position: if moved { new.position } else { known.position },
                    normal: if turned { new.normal } else { known.normal },
                }),
                (known, new) => known.or(new),
            });
            skin.influences.push(influence);
        }
        skin.end_vertex();
    }

    /// Returns the influences of a native vertex, with joint indices of the result.
    fn native_influences(
        &self,
        skin: &Skin,
        v: usize,
    ) -> impl Iterator<Item = (Influence, Option<LocalVertex>)> + Clone {
        let own = move |at: usize| {
            let i = skin.influences.get(at)?;
            let native = At { skeleton: skin.skeleton.0, joint: i.joint as usize };
            let result = native.value_in(&self.placed.native)?;
            let influence = Influence { joint: u32::try_from(result.joint).ok()?, weight: i.weight };
            Some((influence, skin.local.get(at).copied()))
        };
        skin.range(v).filter_map(own)
    }

    /// Returns the influences of an edited vertex, with joint indices of the result.
    pub(crate) fn influences(
        &self,
        source: Option<EditedVertex>,
        skeleton: SkeletonId,
    ) -> impl Iterator<Item = (Influence, Option<LocalVertex>)> + Clone {
        let of = source.and_then(|(e, v)| Some((self.edited.get(e)?.moved.mesh.skin.as_ref()?, v)));
        let (of, all) = of.map_or((0, &[][..]), |(skin, v)| (skin.skeleton.0, skin.influences(v)));
        all.iter().filter(|i| i.weight != 0.0).filter_map(move |i| {
            let result = At { skeleton: of, joint: i.joint as usize }.value_in(&self.placed.edited);
            let joint = result.filter(|r| r.skeleton == skeleton.0)?.joint;
            Some((Influence { joint: u32::try_from(joint).ok()?, weight: i.weight }, None))
        })
    }

    /// Appends an edited vertex to a mesh, with the attributes that the mesh has.
    fn append(&self, mesh: &mut Mesh, has: [bool; 4], (e, v): EditedVertex, world: &Affine64) {
        let Some(edited) = self.edited.get(e) else { return };
        let other = edited.moved.mesh;
        let (position, normal) = local(edited, v, world);
        mesh.positions.push(narrow(position.unwrap_or_default()));
        let [normals, tangents, uvs, colors] = has;
        if normals {
            mesh.normals.push(narrow(normal.unwrap_or([0.0, 1.0, 0.0])));
        }
        if tangents {
            mesh.tangents.push(other.tangents.get(v).copied().unwrap_or([1.0, 0.0, 0.0, 1.0]));
        }
        if uvs {
            mesh.uvs.push(other.uvs.get(v).copied().unwrap_or_default());
        }
        if colors {
            mesh.colors.push(edited.moved.colors.get(v).copied().unwrap_or([255; 4]));
        }
        let place = place_of(mesh, mesh.positions.len().saturating_sub(1));
        if let Some(skin) = &mut mesh.skin {
            let place = place.filter(|_| !skin.local.is_empty());
            self.bind(skin, self.influences(Some((e, v)), skin.skeleton), place, Attributes::WEIGHTS);
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

/// Returns the position and the normal of a vertex.
fn place_of(mesh: &Mesh, v: usize) -> Option<[[f32; 3]; 2]> {
    Some([*mesh.positions.get(v)?, mesh.normals.get(v).copied().unwrap_or_default()])
}

/// Returns true for each vertex of a native mesh that stays. A vertex without triangles is invisible, so that its absence is
/// not an edit.
fn kept_vertices(mesh: &Mesh, own: &Found<'_>) -> Vec<bool> {
    let mut kept = alloc::vec![true; mesh.positions.len()];
    let mut mark = |v: u32, keeps: bool| kept.get_mut(v as usize).into_iter().for_each(|slot| *slot = keeps);
    mesh.triangles.iter().flatten().for_each(|v| mark(*v, false));
    let there = mesh.triangles.iter().zip(&own.there).filter(|(_, there)| there.is_some());
    there.flat_map(|(corners, _)| corners).for_each(|v| mark(*v, true));
    for corner in own.added.iter().flatten() {
        if let Corner::Native(v) = corner {
            mark(*v, true);
        }
    }
    kept
}

/// Keeps the items for which a flag is true.
fn retain<T>(list: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    list.retain(|_| kept.next() == Some(&true));
}
