//! Meshes of a DPM.

use super::bones::MergedBones;
use crate::bone::Name;
use crate::dpm::{Influence, Mesh, Vertices};
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_core::F32;
use meshwright_scene::merge::{Trios, digest, named, pick, sequence};
use meshwright_scene::{Budget, LimitExceeded};

/// What the meshes of the result are made of.
pub(super) struct Meshes<'a> {
    pub native: &'a [Mesh],
    pub before: &'a [Mesh],
    pub after: &'a [Mesh],
    pub bones: &'a MergedBones,
    pub budget: &'a Budget,
}

/// The merged meshes; `made_up` is true where they follow a bone that only the conversion has.
pub(super) struct MergedMeshes {
    pub meshes: Vec<Mesh>,
    pub made_up: bool,
    /// Meshes of which the native model has other counts than the scene, and which are new throughout.
    pub rewritten: usize,
}

/// A vertex: its influences and its texture coordinates.
type Row<'a> = (&'a [Influence], [F32; 2]);

impl Meshes<'_> {
    pub(super) fn merge(&self) -> Result<MergedMeshes, LimitExceeded> {
        fn names(meshes: &[Mesh]) -> Vec<&[u8]> {
            meshes.iter().map(|m| m.shader.bytes()).collect()
        }
        let counts = |m: &Mesh| (m.vertices.len(), m.triangles.len());
        let all = self.native.len() + self.before.len() + self.after.len();
        self.budget.charge_items("meshes", all as u64, size_of::<&[u8]>())?;
        let stands = |n: usize, b: usize| n == b && counts(&self.native[n]) == counts(&self.before[b]);
        let there = named(&names(self.native), &names(self.before), stands, self.budget)?;
        let alike = |b: usize, a: usize| {
            let (b, a) = (&self.before[b], &self.after[a]);
            counts(b) == counts(a) && b.triangles == a.triangles
        };
        let edited = named(&names(self.before), &names(self.after), alike, self.budget)?;
        let trios = Trios::of(self.native.len(), &there, &edited, true, self.budget)?;
        let mut made = MergedMeshes { meshes: Vec::new(), made_up: false, rewritten: 0 };
        made.meshes = self.budget.reserve("meshes", trios.records.len())?;
        for trio in &trios.records {
            let (native, before) =
                (trio.native.map(|n| &self.native[n]), trio.before.map(|b| &self.before[b]));
            let mesh = match (native, before, trio.after.map(|a| &self.after[a])) {
                (Some(native), Some(before), Some(after)) => self.mesh(native, before, after, &mut made)?,
                (Some(native), ..) => self.renumbered(native, |b| self.bones.of_native(b), &mut made)?,
                (None, _, Some(after)) => self.renumbered(after, |b| self.bones.of_after(b), &mut made)?,
                (None, _, None) => continue,
            };
            made.meshes.push(mesh);
        }
        Ok(made)
    }

    /// A mesh with other numbers of bones.
    fn renumbered(
        &self,
        mesh: &Mesh,
        number: impl Fn(u32) -> Option<u32>,
        made: &mut MergedMeshes,
    ) -> Result<Mesh, LimitExceeded> {
        let mut mesh = mesh.clone();
        let other = mesh.vertices.influences.iter().any(|i| number(i.bone) != Some(i.bone));
        if other {
            let count = mesh.vertices.influences.len() as u64;
            self.budget.charge_items("vertices", count, 2 * size_of::<Influence>())?;
            for i in &mut Arc::make_mut(&mut mesh.vertices).influences {
                i.bone = found(number(i.bone), made);
            }
        }
        Ok(mesh)
    }

    fn mesh(
        &self,
        native: &Mesh,
        before: &Mesh,
        after: &Mesh,
        made: &mut MergedMeshes,
    ) -> Result<Mesh, LimitExceeded> {
        let shader: Name = pick(native.shader, &before.shader, after.shader);
        // Nothing edited is the usual case.
        let still = before.vertices == after.vertices
            && before.texcoords == after.texcoords
            && before.triangles == after.triangles
            && before.groupids == after.groupids;
        if still && self.bones.same_numbers() {
            return Ok(Mesh { shader, ..native.clone() });
        }
        let count = |m: &Mesh| (m.vertices.len(), m.triangles.len());
        if count(native) != count(before) {
            made.rewritten += 1;
            return Ok(Mesh { shader, ..self.renumbered(after, |b| self.bones.of_after(b), made)? });
        }
        let influences = native.vertices.influences.len() + after.vertices.influences.len();
        self.budget.charge_items("vertices", influences as u64, size_of::<Influence>())?;
        let rows = native.vertices.len() + before.vertices.len() + after.vertices.len();
        self.budget.charge_items("vertices", rows as u64, size_of::<Row<'_>>() + 2 * size_of::<u64>())?;
        let [natives, befores, afters] = [native, before, after].map(rows_of);
        let key = |(row, uv): &Row<'_>, number: &dyn Fn(u32) -> Option<u32>| {
            let words = |i: &Influence| {
                let bone = number(i.bone).unwrap_or(u32::MAX);
                [i.origin.map(F32::to_bits), i.normal.map(F32::to_bits), [i.influence.to_bits(), bone, 0]]
            };
            digest(row.iter().flat_map(words).flatten().chain(uv.map(F32::to_bits)))
        };
        let of_before = |b: u32| self.bones.of_before(b);
        let of_after = |b: u32| self.bones.of_after(b);
        let old: Vec<u64> = befores.iter().map(|row| key(row, &of_before)).collect();
        let new: Vec<u64> = afters.iter().map(|row| key(row, &of_after)).collect();
        let identity: Vec<_> = (0..befores.len()).map(Some).collect();
        let places =
            Trios::of(natives.len(), &identity, &sequence(&old, &new, self.budget)?, false, self.budget)?;
        let (mut vertices, mut texcoords) = (Vertices::default(), Vec::with_capacity(places.records.len()));
        for trio in &places.records {
            let of = [(&natives, trio.native), (&befores, trio.before), (&afters, trio.after)];
            let [n, b, a] = of.map(|(rows, i)| i.and_then(|i| rows.get(i).copied()).unwrap_or_default());
            vertices.push(&self.row(trio.native.is_some(), [n.0, b.0, a.0], made));
            texcoords.push(if trio.native.is_some() { pick(n.1, &b.1, a.1) } else { a.1 });
        }
        let (triangles, groupids) = self.triangles([native, before, after], &places)?;
        Ok(Mesh {
            shader,
            vertices: shared(&native.vertices, vertices),
            texcoords: shared(&native.texcoords, texcoords),
            triangles: shared(&native.triangles, triangles),
            groupids: shared(&native.groupids, groupids),
        })
    }

    /// The influences of a vertex: the native one's, but for what was edited.
    fn row(&self, is_native: bool, rows: [&[Influence]; 3], made: &mut MergedMeshes) -> Vec<Influence> {
        let [native, before, after] = rows;
        let as_many = native.len() == before.len() && before.len() == after.len();
        let followed = before
            .iter()
            .zip(after)
            .all(|(b, a)| self.bones.of_before(b.bone) == self.bones.of_after(a.bone));
        if !is_native || !as_many || !followed {
            let new = |i: &Influence| Influence { bone: found(self.bones.of_after(i.bone), made), ..*i };
            return after.iter().map(new).collect();
        }
        let merged = |((n, b), a): ((&Influence, &Influence), &Influence)| {
            let still = (b.origin, b.normal, b.influence) == (a.origin, a.normal, a.influence);
            // Some bones of a static model are in no scene.
            let bone = self.bones.of_native(n.bone).filter(|_| still);
            Influence {
                origin: pick(n.origin, &b.origin, a.origin),
                influence: pick(n.influence, &b.influence, a.influence),
                normal: pick(n.normal, &b.normal, a.normal),
                bone: bone.unwrap_or_else(|| found(self.bones.of_after(a.bone), made)),
            }
        };
        native.iter().zip(before).zip(after).map(merged).collect()
    }

    fn triangles(
        &self,
        [native, before, after]: [&Mesh; 3],
        places: &Trios,
    ) -> Result<(Vec<[u32; 3]>, Vec<u32>), LimitExceeded> {
        let number = |at: Option<usize>| at.and_then(|at| u32::try_from(at).ok());
        let of_native = |v: u32| number(places.of_native(v as usize));
        let of_after = |v: u32| number(places.of_after(v as usize)).unwrap_or(u32::MAX);
        let key = |t: &[u32; 3], of: &dyn Fn(usize) -> Option<usize>| {
            digest(t.map(|v| number(of(v as usize)).unwrap_or(u32::MAX)))
        };
        let counts = native.triangles.len() + before.triangles.len() + after.triangles.len();
        self.budget.charge_items("triangles", counts as u64, 3 * size_of::<u64>())?;
        let old: Vec<u64> = before.triangles.iter().map(|t| key(t, &|v| places.of_before(v))).collect();
        let new: Vec<u64> = after.triangles.iter().map(|t| key(t, &|v| places.of_after(v))).collect();
        let identity: Vec<_> = (0..old.len()).map(Some).collect();
        let found = sequence(&old, &new, self.budget)?;
        let trios = Trios::of(native.triangles.len(), &identity, &found, false, self.budget)?;
        let (mut triangles, mut groupids) = (Vec::new(), Vec::new());
        for trio in &trios.records {
            let after_one = trio.after.and_then(|a| after.triangles.get(a)).map(|t| t.map(of_after));
            let native_one = trio.native.and_then(|n| native.triangles.get(n)).map(|t| t.map(of_native));
            let still = trio.before.zip(trio.after).is_some_and(|(b, a)| old.get(b) == new.get(a));
            triangles.push(match (native_one, after_one) {
                (Some([Some(a), Some(b), Some(c)]), _) if still => [a, b, c],
                (_, after) => after.unwrap_or_default(),
            });
            let get = |m: &Mesh, i: usize| m.groupids.get(i).copied();
            groupids.extend(trio.pick(|n| get(native, n), |b| get(before, b), |a| get(after, a)));
        }
        Ok((triangles, groupids))
    }
}

fn rows_of(mesh: &Mesh) -> Vec<Row<'_>> {
    mesh.vertices.iter().zip(mesh.texcoords.iter().copied()).collect()
}

/// A number that has to be there.
fn found(number: Option<u32>, made: &mut MergedMeshes) -> u32 {
    made.made_up |= number.is_none();
    number.unwrap_or(0)
}

/// What meshes share stays shared where it is what it was.
fn shared<T: PartialEq>(native: &Arc<T>, made: T) -> Arc<T> {
    if **native == made { Arc::clone(native) } else { Arc::new(made) }
}
