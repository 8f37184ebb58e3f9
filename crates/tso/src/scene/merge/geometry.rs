//! Meshes: vertices by the corners of triangles, each with its bone and with what pulls it.

use crate::mesh::{BLEND_UNUSED, Binding, BlendVertex, Geometry, RealVertex};
use crate::name::Name;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use meshwright_core::F32;
use meshwright_core::num::Q1_15;
use meshwright_edit::three_way::{Corners, Match, Place, Trios, digest, pick, sequence};
use meshwright_scene::{Budget, ConvertError};

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
    /// Its number in the native mesh.
    native: Option<usize>,
}

impl Row {
    /// What it says, wherever it is.
    fn said(&self) -> (&Option<Name>, &RealVertex, &[Pull]) {
        (&self.bone, &self.real, &self.pulls)
    }

    /// The bones that it and its pulls hang on.
    fn bones(&self) -> impl Iterator<Item = &Option<Name>> {
        core::iter::once(&self.bone).chain(self.pulls.iter().map(|p| &p.bone))
    }

    /// The same vertex owned by the bone that pulls it.
    fn turned(&self) -> Option<Self> {
        let [pull] = self.pulls.as_slice() else { return None };
        let real = RealVertex { uv: self.real.uv, position: pull.position, normal: pull.normal };
        let weight = Q1_15::encode(1.0 - pull.weight.decode());
        let own =
            Pull { bone: self.bone.clone(), weight, position: self.real.position, normal: self.real.normal };
        Some(Self { bone: pull.bone.clone(), real, pulls: alloc::vec![own], native: self.native })
    }

    fn words(&self) -> impl Iterator<Item = u32> {
        let names = self.bones().flatten().flat_map(|n| n.bytes().iter().map(|b| u32::from(*b)));
        let RealVertex { uv, position, normal } = self.real;
        let pull = |p: &Pull| p.position.into_iter().chain(p.normal).map(F32::to_bits);
        let pulls = self.pulls.iter().flat_map(move |p| pull(p).chain([p.weight.to_bits()]));
        names.chain(uv.into_iter().chain(position).chain(normal).map(F32::to_bits)).chain(pulls)
    }
}

/// A mesh with what its bindings say of each vertex.
struct Mesh<'g> {
    geometry: &'g Geometry,
    rows: Vec<Row>,
    /// The binding of each blend vertex.
    blend_bindings: Vec<Option<usize>>,
    /// The binding of each real vertex.
    bindings: Vec<Option<usize>>,
}

impl Mesh<'_> {
    /// Makes the bones with these names nameless.
    fn remove_names(&mut self, names: &BTreeSet<Name>) {
        for row in &mut self.rows {
            let pulls = row.pulls.iter_mut().map(|pull| &mut pull.bone);
            for bone in core::iter::once(&mut row.bone).chain(pulls).flatten() {
                if names.contains(bone) {
                    *bone = Name::default();
                }
            }
        }
    }
}

impl<'g> Mesh<'g> {
    fn of(geometry: &'g Geometry, budget: &Budget) -> Result<Self, ConvertError> {
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

    fn row(&self, v: Option<u32>) -> Option<&Row> {
        self.rows.get(v? as usize)
    }
}

/// Returns the names that a conversion gave to bones without a name.
fn invented_names(native: &Mesh<'_>, was: &Mesh<'_>) -> BTreeSet<Name> {
    let vertices = |mesh: &Mesh<'_>| mesh.geometry.faces.as_flattened().to_vec();
    let mut names = BTreeSet::new();
    for (own, made) in vertices(native).into_iter().zip(vertices(was)) {
        let (Some(own), Some(made)) = (native.row(Some(own)), was.row(Some(made))) else { continue };
        let nameless = |name: &Option<Name>| name.as_ref().is_some_and(|name| name.bytes().is_empty());
        let pairs = own.bones().zip(made.bones()).filter(|(own, _)| nameless(own));
        names.extend(pairs.filter_map(|(_, made)| made.clone()));
    }
    names
}

impl Geometry {
    /// The mesh with what is other in `after` than in `before`: what is made of the edited scene, and of the native one.
    /// Texture coordinates, places, normals and weights of vertices are kept apart. As long as each vertex hangs on the
    /// bones that it hung on, everything stays where it is; else vertices are put in runs by bone again, native ones first
    /// and in their order.
    ///
    /// # Errors
    /// When the scene counts other triangles than the mesh, or when the budget does not allow for it.
    pub fn merge(&self, before: &Self, after: &Self, budget: &Budget) -> Result<Self, ConvertError> {
        if before == after {
            return Ok(self.clone());
        }
        if self.faces.len() != before.faces.len() {
            let message = "the scene counts other triangles than the mesh";
            return Err(ConvertError::unsupported("faces", message));
        }
        let [native, mut was, mut is] =
            [Mesh::of(self, budget)?, Mesh::of(before, budget)?, Mesh::of(after, budget)?];
        let invented = invented_names(&native, &was);
        was.remove_names(&invented);
        is.remove_names(&invented);
        let faces = self.faces.len().saturating_add(after.faces.len());
        budget.charge_items("triangles", faces as u64, 256)?;
        let keys = |mesh: &Mesh<'_>| -> Vec<u64> {
            let words = |v: &u32| mesh.row(Some(*v)).into_iter().flat_map(Row::words);
            mesh.geometry.faces.iter().map(|f| digest(f.iter().flat_map(words))).collect()
        };
        let found: Match = sequence(&keys(&was), &keys(&is), budget)?;
        let identity: Vec<_> = (0..self.faces.len()).map(Some).collect();
        let trios = Trios::of(self.faces.len(), &identity, &found, false, budget)?;
        let mut vertices = Corners::new(self.real.len(), budget)?;
        let mut places: Vec<[Place; 3]> = budget.reserve("triangles", trios.records.len())?;
        for trio in &trios.records {
            let face =
                |mesh: &Mesh<'_>, at: Option<usize>| at.and_then(|at| mesh.geometry.faces.get(at)).copied();
            let three = [face(&native, trio.native), face(&was, trio.before), face(&is, trio.after)];
            places.push([0, 1, 2].map(|k: usize| {
                let [n, b, a] = three.map(|f| f.and_then(|f| f.get(k).copied()));
                let row = || merged(n, [native.row(n), was.row(b), is.row(a)]);
                vertices.place(n.map(|n| n as usize), a.map_or(usize::MAX, |a| a as usize), row)
            }));
        }
        let mut drawn = budget.filled("vertices", self.real.len(), false)?;
        for v in self.faces.as_flattened() {
            if let Some(drawn) = drawn.get_mut(*v as usize) {
                *drawn = true;
            }
        }
        let unused = |v: usize| (!drawn[v]).then(|| native.rows[v].clone());
        let (rows, numbers) = vertices.finish(unused);
        let faces: Vec<[u32; 3]> = places.iter().map(|t| t.map(|place| numbers.of(place))).collect();
        budget.charge_items("vertices", rows.len() as u64, 2 * size_of::<Row>())?;
        match native.patched(&rows) {
            Some(made) => Ok(Self { faces, ..made }),
            None => native.arranged(&rows, &faces),
        }
    }
}

/// The vertex of a corner.
fn merged(v: Option<u32>, [native, before, after]: [Option<&Row>; 3]) -> Row {
    let at = v.map(|v| v as usize);
    let (Some(native), Some(before), Some(after)) = (native, before, after) else {
        let one = after.or(native).cloned().unwrap_or_default();
        return Row { native: at, ..one };
    };
    if before.said() == after.said() {
        return native.clone();
    }
    let same = |a: &Row, b: &Row| a.bones().eq(b.bones());
    if !same(before, after) {
        return Row { native: at, ..after.clone() };
    }
    // A conversion lets the larger weight own a vertex, a file may do otherwise.
    let turned = (!same(native, before)).then(|| before.turned().zip(after.turned()));
    let (before, after) = match &turned {
        None => (before, after),
        Some(Some((before, after))) if same(native, before) => (before, after),
        _ => return Row { native: at, ..after.clone() },
    };
    let (n, b, a) = (&native.real, &before.real, &after.real);
    let pull = |((n, b), a): ((&Pull, &Pull), &Pull)| Pull {
        bone: n.bone.clone(),
        weight: pick(n.weight, &b.weight, a.weight),
        position: pick(n.position, &b.position, a.position),
        normal: pick(n.normal, &b.normal, a.normal),
    };
    Row {
        bone: native.bone.clone(),
        real: RealVertex {
            uv: pick(n.uv, &b.uv, a.uv),
            position: pick(n.position, &b.position, a.position),
            normal: pick(n.normal, &b.normal, a.normal),
        },
        pulls: native.pulls.iter().zip(&before.pulls).zip(&after.pulls).map(pull).collect(),
        native: at,
    }
}

impl Mesh<'_> {
    /// The native mesh with other values, where each vertex hangs on the bones that it hung on.
    fn patched(&self, rows: &[Row]) -> Option<Geometry> {
        let stays = |(old, new): (&Row, &Row)| new.native == old.native && old.bones().eq(new.bones());
        if rows.len() != self.rows.len() || !self.rows.iter().zip(rows).all(stays) {
            return None;
        }
        let mut made = self.geometry.clone();
        for (real, row) in made.real.iter_mut().zip(rows) {
            *real = row.real;
        }
        // Pulls of a vertex are in the order of the list.
        let mut next: BTreeMap<u32, usize> = BTreeMap::new();
        for blend in &mut made.blends {
            let seen = next.entry(blend.target).or_insert(0);
            if let Some(pull) = rows.get(blend.target as usize).and_then(|row| row.pulls.get(*seen)) {
                (blend.weight, blend.position, blend.normal) = (pull.weight, pull.position, pull.normal);
            }
            *seen = seen.saturating_add(1);
        }
        Some(made)
    }

    /// The vertices in runs by bone: the native bindings in their order, and new ones behind.
    fn arranged(&self, rows: &[Row], faces: &[[u32; 3]]) -> Result<Geometry, ConvertError> {
        let many = |_| ConvertError::unsupported("vertices", "the format counts with 32 bits");
        let number = |n: usize| u32::try_from(n).map_err(many);
        let native = self.geometry;
        let mut bones = native.bones.clone();
        let mut bindings: Vec<Binding> = native.bindings.clone();
        let mut of_name: BTreeMap<Name, usize> = BTreeMap::new();
        for (i, binding) in bindings.iter().enumerate() {
            if let Some(name) = bones.get(binding.bone as usize) {
                of_name.entry(name.clone()).or_insert(i);
            }
        }
        // A vertex that hung on a binding stays on it, whatever other binding has the same bone.
        let mut binding_of = |name: &Option<Name>, old: Option<usize>| -> Result<usize, ConvertError> {
            let name = name.clone().unwrap_or_else(|| "ROOT".into());
            let same = |i: &usize| {
                native.bindings.get(*i).and_then(|b| native.bones.get(b.bone as usize)) == Some(&name)
            };
            if let Some(old) = old.filter(same) {
                return Ok(old);
            }
            if let Some(known) = of_name.get(&name) {
                return Ok(*known);
            }
            let bone = match bones.iter().position(|b| *b == name) {
                Some(bone) => bone,
                None => {
                    bones.push(name.clone());
                    bones.len() - 1
                }
            };
            bindings.push(Binding { bone: number(bone)?, first_blend: BLEND_UNUSED, ..Binding::default() });
            of_name.insert(name, bindings.len() - 1);
            Ok(bindings.len() - 1)
        };
        let mut blends_of: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (i, blend) in native.blends.iter().enumerate() {
            blends_of.entry(blend.target).or_default().push(i);
        }
        // By binding, then native ones in their order.
        let mut reals: Vec<(usize, usize, usize)> = Vec::with_capacity(rows.len());
        let mut pulls: Vec<(usize, usize, usize, usize)> = Vec::new();
        for (v, row) in rows.iter().enumerate() {
            let old = row.native.and_then(|n| self.bindings.get(n).copied().flatten());
            reals.push((binding_of(&row.bone, old)?, row.native.unwrap_or(usize::MAX), v));
            let own = row.native.and_then(|n| blends_of.get(&u32::try_from(n).ok()?));
            for (k, pull) in row.pulls.iter().enumerate() {
                let blend = own.and_then(|list| list.get(k).copied());
                let old = blend.and_then(|b| self.blend_bindings.get(b).copied().flatten());
                pulls.push((binding_of(&pull.bone, old)?, blend.unwrap_or(usize::MAX), v, k));
            }
        }
        reals.sort_unstable();
        pulls.sort_unstable();
        let mut place = alloc::vec![0_u32; rows.len()];
        for (new, (.., old)) in reals.iter().enumerate() {
            place[*old] = number(new)?;
        }
        let mut made = Geometry {
            bones,
            faces: faces
                .iter()
                .map(|f| f.map(|v| place.get(v as usize).copied().unwrap_or_default()))
                .collect(),
            bindings: Vec::new(),
            real: reals.iter().map(|(.., v)| rows[*v].real).collect(),
            blends: Vec::with_capacity(pulls.len()),
            total: native.total,
        };
        for (_, _, v, k) in &pulls {
            let Pull { weight, position, normal, .. } = rows[*v].pulls[*k];
            made.blends.push(BlendVertex { weight, target: place[*v], position, normal });
        }
        let (mut real, mut blend) = (0_usize, 0_usize);
        for (i, binding) in bindings.iter().enumerate() {
            let reals = reals.iter().skip(real).take_while(|r| r.0 == i).count();
            let pulls = pulls.iter().skip(blend).take_while(|p| p.0 == i).count();
            let had = native.bindings.get(i).is_some_and(|b| b.real_count > 0 || b.blend_count > 0);
            if reals == 0 && pulls == 0 && had {
                continue;
            }
            let unused = if binding.blend_count == 0 { binding.first_blend } else { BLEND_UNUSED };
            made.bindings.push(Binding {
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
