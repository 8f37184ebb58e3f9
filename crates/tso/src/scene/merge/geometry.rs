//! Merges meshes. Vertices are identified by corners of triangles, with their bone and their pulls.

use super::bones::Bones;
use crate::mesh::{BLEND_UNUSED, Binding, BlendVertex, Geometry, RealVertex};
use crate::name::Name;
use alloc::vec::Vec;
use meshwright_core::num::Q1_15;
use meshwright_core::{F32, Order as _, SortedMap};
use meshwright_edit::apply::{Corner, Corners, Surface};
use meshwright_edit::{Attributes, Patch};
use meshwright_scene::{AxisMap, Budget, ConvertError};

/// A vertex that pulls another, without saying which.
#[derive(Clone, Debug, PartialEq)]
struct Pull {
    bone: Option<Name>,
    weight: Q1_15,
    position: [F32; 3],
    normal: [F32; 3],
}

/// A vertex by value.
#[derive(Clone, Debug, Default, PartialEq)]
struct Row {
    bone: Option<Name>,
    real: RealVertex,
    pulls: Vec<Pull>,
    /// The index in the native mesh.
    native: Option<usize>,
}

impl Row {
    /// Returns true if the vertex and its pulls follow the same bones as another one.
    fn follows_as(&self, other: &Self) -> bool {
        let same = |(a, b): (&Pull, &Pull)| a.bone == b.bone;
        self.bone == other.bone
            && self.pulls.len() == other.pulls.len()
            && self.pulls.iter().zip(&other.pulls).all(same)
    }

    /// Returns the same vertex with its two bones exchanged.
    fn swap_bones(&self) -> Option<Self> {
        let [pull] = self.pulls.as_slice() else { return None };
        let real = RealVertex { uv: self.real.uv, position: pull.position, normal: pull.normal };
        let weight = Q1_15::encode(1.0 - pull.weight.decode());
        let own =
            Pull { bone: self.bone.clone(), weight, position: self.real.position, normal: self.real.normal };
        Some(Self { bone: pull.bone.clone(), real, pulls: alloc::vec![own], native: self.native })
    }

    /// Returns a vertex in no triangle without the bones that are `gone`.
    fn without(&self, bones: &[Name], gone: &[bool], other: Option<&Name>) -> Self {
        let is_gone = |bone: &Option<Name>| {
            bone.as_ref().is_some_and(|bone| bones.iter().zip(gone).any(|(b, gone)| *gone && b == bone))
        };
        let mut row = self.clone();
        row.pulls.retain(|pull| !is_gone(&pull.bone));
        if is_gone(&row.bone) && other.is_some() {
            row.bone = other.cloned();
        }
        row
    }

    /// Returns the vertex under other names of bones.
    fn rename(&mut self, name: impl Fn(&Name) -> Option<Name>) {
        let rename = |bone: &mut Option<Name>| {
            if let Some(new) = bone.as_ref().and_then(&name) {
                *bone = Some(new);
            }
        };
        rename(&mut self.bone);
        self.pulls.iter_mut().for_each(|pull| rename(&mut pull.bone));
    }
}

/// A mesh with the bone of each vertex, from its bindings.
struct Mesh<'g> {
    geometry: &'g Geometry,
    rows: Vec<Row>,
    /// The binding of each blend vertex.
    blend_bindings: Vec<Option<usize>>,
    /// The binding of each real vertex.
    bindings: Vec<Option<usize>>,
}

impl<'g> Mesh<'g> {
    fn new(geometry: &'g Geometry, budget: &Budget) -> Result<Self, ConvertError> {
        let (reals, blends) = (geometry.real.len(), geometry.blends.len());
        budget.charge_items("vertices", reals as u64, size_of::<Row>() + 64)?;
        budget.charge_items("vertices", blends as u64, 2 * size_of::<Pull>())?;
        let spread = |count: usize, range: fn(&Binding) -> (u32, u32)| {
            let mut of = alloc::vec![None; count];
            for (i, binding) in geometry.bindings.iter().enumerate() {
                let (first, n) = range(binding);
                let end = (first as usize).saturating_add(n as usize).min(count);
                for slot in of.get_mut((first as usize).min(end)..end).unwrap_or_default() {
                    *slot = slot.or(Some(i));
                }
            }
            of
        };
        let bindings = spread(reals, |b| (b.first_real, b.real_count));
        let blend_bindings = spread(blends, |b| (b.first_blend, b.blend_count));
        let name = |binding: Option<usize>| {
            let bone = geometry.bindings.get(binding?)?.bone;
            geometry.bones.get(bone as usize).cloned()
        };
        let row = |(v, real): (usize, &RealVertex)| Row {
            bone: name(bindings[v]),
            real: *real,
            pulls: Vec::new(),
            native: Some(v),
        };
        let mut rows: Vec<Row> = geometry.real.iter().enumerate().map(row).collect();
        for (blend, binding) in geometry.blends.iter().zip(&blend_bindings) {
            let BlendVertex { weight, target, position, normal } = *blend;
            if let Some(row) = rows.get_mut(target as usize) {
                row.pulls.push(Pull { bone: name(*binding), weight, position, normal });
            }
        }
        Ok(Self { geometry, rows, blend_bindings, bindings })
    }

    fn row(&self, v: u32) -> Row {
        self.rows.get(v as usize).cloned().unwrap_or_default()
    }
}

/// Returns the mesh with its edits; `made` is the mesh `number` of the edited scene. If each vertex still follows the
/// same bones, the order stays. Otherwise vertices are sorted into runs by bone again, native ones first and in their
/// order.
///
/// # Errors
/// If the scene has other triangles than the mesh, or the budget does not allow for it.
pub(super) fn merge(
    original: &Geometry,
    made: &Geometry,
    (patch, number): (&Patch, usize),
    axes: &AxisMap,
    bones: &Bones<'_>,
    budget: &Budget,
) -> Result<Geometry, ConvertError> {
    let spelled = bones.spelled(&original.bones);
    let mut original = original.clone();
    let gone: Vec<bool> = original.bones.iter().map(|bone| bones.is_gone(bone)).collect();
    original.bones.iter_mut().for_each(|bone| *bone = bones.renamed(bone));
    if patch.meshes.get(number).is_some_and(|own| own.unchanged) {
        remove_bones(&mut original, &gone);
        return Ok(original);
    }
    if original.sound_faces().count() != original.faces.len() {
        return Err(ConvertError::unsupported("faces", "the scene has fewer triangles than the mesh"));
    }
    let (old, mut new) = (Mesh::new(&original, budget)?, Mesh::new(made, budget)?);
    new.rows.iter_mut().for_each(|row| row.rename(|made| spelled.get(made).cloned()));
    let faces = original.faces.len().saturating_add(made.faces.len());
    budget.charge_items("triangles", faces as u64, 256)?;
    let shown = |mesh: &Geometry| mesh.faces.iter().map(|f| axes.triangle(*f)).collect::<Vec<_>>();
    let same = patch.scene.meshes.get(number).is_some_and(|m| m.triangles.len() == made.faces.len());
    let surface = Surface::new(patch, Some(number).filter(|_| same));
    let mut corners = Corners::new(original.real.len(), budget)?;
    let places = corners.place_mesh(&surface, &shown(&original), &shown(made), |corner: &Corner| {
        let made = new.row(corner.made);
        match corner.original {
            Some(v) => merged(old.row(v), made, corner.changed),
            None => Row { native: None, ..made },
        }
    });
    let drawn = original.faces.iter().copied();
    let kept = original.bones.iter().zip(&gone).find(|(_, gone)| !**gone).map(|(bone, _)| bone);
    let (rows, numbers) = corners.numbered(drawn, |v| old.rows[v].without(&original.bones, &gone, kept));
    let faces: Vec<[u32; 3]> = numbers.triangles(&places).iter().map(|t| axes.triangle(*t)).collect();
    budget.charge_items("vertices", rows.len() as u64, 2 * size_of::<Row>())?;
    let mut result = match old.patched(&rows) {
        Some(made) => Geometry { faces, ..made },
        None => old.arranged(&rows, &faces)?,
    };
    remove_bones(&mut result, &gone);
    Ok(result)
}

/// Removes bones that are `gone` and that no vertex follows.
fn remove_bones(geometry: &mut Geometry, gone: &[bool]) {
    let mut number = 0;
    let mut numbers = Vec::with_capacity(geometry.bones.len());
    let used = |b: usize| geometry.bindings.iter().any(|binding| binding.bone as usize == b);
    let stays: Vec<bool> = (0..geometry.bones.len()).map(|b| gone.get(b) != Some(&true) || used(b)).collect();
    for stays in &stays {
        numbers.push(number);
        number += u32::from(*stays);
    }
    let mut all = stays.iter();
    geometry.bones.retain(|_| all.next() != Some(&false));
    for binding in &mut geometry.bindings {
        binding.bone = numbers.get(binding.bone as usize).copied().unwrap_or(binding.bone);
    }
}

/// Returns the vertex of a corner.
fn merged(kept: Row, made: Row, changed: Attributes) -> Row {
    let mut row = kept;
    if changed.has(Attributes::UV) {
        row.real.uv = made.real.uv;
    }
    if !changed.has(Attributes::SKINNED) {
        return row;
    }
    let same = |made: &Row| row.follows_as(made);
    // A conversion lets the larger weight own a vertex, a file may do otherwise.
    let turned = if same(&made) { Some(made.clone()) } else { made.swap_bones().filter(same) };
    let Some(new) = turned else {
        let real = RealVertex { uv: row.real.uv, ..made.real };
        return Row { native: row.native, real, ..made };
    };
    let (moved, leans) = (Attributes::JOINT_POSITION, Attributes::JOINT_NORMAL);
    if changed.has(moved) {
        row.real.position = new.real.position;
    }
    if changed.has(leans) {
        row.real.normal = new.real.normal;
    }
    for (pull, new) in row.pulls.iter_mut().zip(new.pulls) {
        *pull = Pull {
            bone: pull.bone.take(),
            weight: if changed.has(Attributes::WEIGHTS) { new.weight } else { pull.weight },
            position: if changed.has(moved) { new.position } else { pull.position },
            normal: if changed.has(leans) { new.normal } else { pull.normal },
        };
    }
    row
}

impl Mesh<'_> {
    /// Returns the original mesh with other values, if every vertex still follows the same bones.
    fn patched(&self, rows: &[Row]) -> Option<Geometry> {
        let stays = |(old, new): (&Row, &Row)| new.native == old.native && old.follows_as(new);
        if rows.len() != self.rows.len() || !self.rows.iter().zip(rows).all(stays) {
            return None;
        }
        let mut made = self.geometry.clone();
        for (real, row) in made.real.iter_mut().zip(rows) {
            *real = row.real;
        }
        // Pulls of a vertex are in the order of the list.
        let mut next: SortedMap<u32, usize> = SortedMap::new();
        for blend in &mut made.blends {
            let seen = next.entry(blend.target).or_insert(0);
            if let Some(pull) = rows.get(blend.target as usize).and_then(|row| row.pulls.get(*seen)) {
                (blend.weight, blend.position, blend.normal) = (pull.weight, pull.position, pull.normal);
            }
            *seen = seen.saturating_add(1);
        }
        Some(made)
    }

    /// Returns the vertices in runs by bone: the original's bindings in their order, then new ones.
    fn arranged(&self, rows: &[Row], faces: &[[u32; 3]]) -> Result<Geometry, ConvertError> {
        let native = self.geometry;
        let mut bindings = Bindings::new(native);
        let mut blends_of: SortedMap<u32, Vec<usize>> = SortedMap::new();
        for (i, blend) in native.blends.iter().enumerate() {
            blends_of.entry(blend.target).or_default().push(i);
        }
        // By binding, then native ones in their order.
        let mut reals: Vec<(usize, usize, usize)> = Vec::with_capacity(rows.len());
        let mut pulls: Vec<(usize, usize, usize, usize)> = Vec::new();
        for (v, row) in rows.iter().enumerate() {
            let old = row.native.and_then(|n| self.bindings.get(n).copied().flatten());
            reals.push((bindings.of_bone(&row.bone, old)?, row.native.unwrap_or(usize::MAX), v));
            let own = row.native.and_then(|n| blends_of.get(&u32::try_from(n).ok()?));
            for (k, pull) in row.pulls.iter().enumerate() {
                let blend = own.and_then(|list| list.get(k).copied());
                let old = blend.and_then(|b| self.blend_bindings.get(b).copied().flatten());
                pulls.push((bindings.of_bone(&pull.bone, old)?, blend.unwrap_or(usize::MAX), v, k));
            }
        }
        reals.order();
        pulls.order();
        let mut place = alloc::vec![0_u32; rows.len()];
        for (new, (.., old)) in reals.iter().enumerate() {
            place[*old] = number(new)?;
        }
        let mut made = Geometry {
            bindings: bindings.with_runs(&reals, &pulls)?,
            bones: bindings.bones,
            faces: faces
                .iter()
                .map(|f| f.map(|v| place.get(v as usize).copied().unwrap_or_default()))
                .collect(),
            real: reals.iter().map(|(.., v)| rows[*v].real).collect(),
            blends: Vec::with_capacity(pulls.len()),
            total: native.total,
        };
        for (_, _, v, k) in &pulls {
            let Pull { weight, position, normal, .. } = rows[*v].pulls[*k];
            made.blends.push(BlendVertex { weight, target: place[*v], position, normal });
        }
        Ok(made)
    }
}

fn number(n: usize) -> Result<u32, ConvertError> {
    let many = |_| ConvertError::unsupported("vertices", "the format counts with 32 bits");
    u32::try_from(n).map_err(many)
}

/// The bindings of the result: those of the original, then new ones.
struct Bindings<'g> {
    native: &'g Geometry,
    bones: Vec<Name>,
    all: Vec<Binding>,
    of_name: SortedMap<Name, usize>,
}

impl<'g> Bindings<'g> {
    fn new(native: &'g Geometry) -> Self {
        let mut of_name: SortedMap<Name, usize> = SortedMap::new();
        for (i, binding) in native.bindings.iter().enumerate() {
            if let Some(name) = native.bones.get(binding.bone as usize) {
                of_name.entry(name.clone()).or_insert(i);
            }
        }
        Self { native, bones: native.bones.clone(), all: native.bindings.clone(), of_name }
    }

    /// Returns the binding of a vertex of a bone. A vertex that hung on a binding, `old`, stays on it, whatever other binding
    /// has the same bone.
    fn of_bone(&mut self, name: &Option<Name>, old: Option<usize>) -> Result<usize, ConvertError> {
        let name = name.clone().unwrap_or_else(|| "ROOT".into());
        let bone_of = |i: usize| self.native.bones.get(self.native.bindings.get(i)?.bone as usize);
        if let Some(old) = old.filter(|i| bone_of(*i) == Some(&name)) {
            return Ok(old);
        }
        if let Some(known) = self.of_name.get(&name) {
            return Ok(*known);
        }
        let bone = self.bones.iter().position(|b| *b == name).unwrap_or(self.bones.len());
        if bone == self.bones.len() {
            self.bones.push(name.clone());
        }
        let own = self.all.len();
        self.all.push(Binding { bone: number(bone)?, first_blend: BLEND_UNUSED, ..Binding::default() });
        self.of_name.insert(name, own);
        Ok(own)
    }

    /// Returns the bindings with their runs of vertices and blends, which are sorted by binding. One that lost all of them is
    /// left out.
    fn with_runs(
        &self,
        reals: &[(usize, usize, usize)],
        pulls: &[(usize, usize, usize, usize)],
    ) -> Result<Vec<Binding>, ConvertError> {
        let mut made = Vec::with_capacity(self.all.len());
        let (mut real, mut blend) = (0_usize, 0_usize);
        for (i, binding) in self.all.iter().enumerate() {
            let reals = reals.iter().skip(real).take_while(|r| r.0 == i).count();
            let pulls = pulls.iter().skip(blend).take_while(|p| p.0 == i).count();
            let had = self.native.bindings.get(i).is_some_and(|b| b.real_count > 0 || b.blend_count > 0);
            if reals == 0 && pulls == 0 && had {
                continue;
            }
            let unused = if binding.blend_count == 0 { binding.first_blend } else { BLEND_UNUSED };
            made.push(Binding {
                bone: binding.bone,
                first_real: number(real)?,
                real_count: number(reals)?,
                first_blend: if pulls == 0 { unused } else { number(blend)? },
                blend_count: number(pulls)?,
            });
            real += reals;
            blend += pulls;
        }
        Ok(made)
    }
}
