//! A geometry as a scene's mesh.

use super::bones::Joints;
use super::normals;
use crate::mesh::offsets::Places;
use crate::mesh::{Facing, Geometry, Owners, Total, rules};
use crate::scene::assembly::{Part, SKELETON};
use crate::scene::extras;
use crate::scene::space::map;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::Order as _;
use meshwright_core::math::{Affine64, add, distance, narrow, scale, unit, wide};
use meshwright_core::{F32, Findings, Rule};
use meshwright_scene::{
    AxisMap, Budget, ConvertError, Extra, Influence, LocalVertex, Loss, Mesh, SceneOptions, Skin, Space,
};

/// Blend and real vertices this far apart in the bind pose (file units) are reported.
const RESIDUAL_REPORTED: f64 = 1e-5;
/// Above this distance the mesh was made for another skeleton.
const RESIDUAL_WRONG: f64 = 1e-3;

type Make = fn(&'static str, String, String) -> Loss;

/// Makes a loss.
const LOSS: Make = Loss::new;
/// Makes a note.
const NOTE: Make = Loss::note;

/// Loss codes with the broken rules that cause them, and the treatment of the geometry.
const MADE_DO: &[(&str, &[&Rule], &str)] = &[
    ("binding-clipped", &[rules::BINDING_RANGE], "bindings extend past the last vertex"),
    ("binding-overlap", &[rules::BINDING_OVERLAP], "bindings cover vertices of an earlier binding"),
    (
        "blend-skipped",
        &[rules::BLEND_RANGE, rules::BLEND_OVERLAP, rules::BLEND_GAP, rules::BLEND_VERTEX],
        "blend vertices that break rules have no effect",
    ),
    ("bone-index-clamped", &[rules::BINDING_BONE], "bindings name no bone; the last bone was used"),
    ("face-dropped", &[rules::FACE_INDEX], "triangles with missing vertices were dropped"),
    (
        "vertices-unbound",
        &[rules::BINDING_GAP],
        "runs of vertices without a binding; the first binding was used",
    ),
    ("weight-clamped", &[rules::WEIGHT], "weights above 1 were set to 1"),
];

/// The conversion of one part to a mesh.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conversion<'a> {
    pub(crate) index: usize,
    pub(crate) part: &'a Part<'a>,
    pub(crate) joints: &'a Joints,
    pub(crate) options: &'a SceneOptions,
    pub(crate) recompute_normals: bool,
    pub(crate) blend_normals: bool,
}

/// The share of one bone in a vertex, in the file's space.
#[derive(Clone, Copy, Debug)]
struct Pull {
    joint: usize,
    weight: f64,
    /// Weighted position and normal in the joint's space.
    position: [f64; 3],
    normal: [f64; 3],
}

/// The memory to find and store the owner of a vertex, in bytes.
const OWNER: usize = size_of::<Option<u32>>() + size_of::<usize>();

/// The notes about vertices collected so far.
#[derive(Debug, Default)]
struct Notes {
    residual: f64,
    zero_weights: usize,
    zero_normals: usize,
    not_finite: usize,
    recomputed: usize,
    facing: Facing,
}

impl Conversion<'_> {
    fn path(&self, field: &str) -> String {
        format!("parts[{}].{field}", self.index)
    }

    /// Converts the part; its material is left open.
    pub(crate) fn run(&self, budget: &Budget, losses: &mut Vec<Loss>) -> Result<Mesh, ConvertError> {
        let (g, map) = (self.part.geometry, map(self.options.space));
        let n = g.real.len();
        let mut mesh = Mesh::new(
            self.part.name.clone(),
            budget.reserve("positions", n)?,
            budget.reserve("triangles", g.faces.len())?,
        )
        .with_normals(budget.reserve("normals", n)?)
        .with_uvs(budget.reserve("texture coordinates", n)?);
        mesh.triangles.extend(g.sound_faces().map(|(_, face)| map.triangle(face)));
        let finite = |c: F32| if c.is_finite() { c.get() } else { 0.0 };
        mesh.uvs.extend(g.real.iter().map(|v| v.uv.map(finite)));

        budget.charge("rules", rules::memory(g))?;
        budget.charge_items("bindings", (n + g.blends.len()) as u64, OWNER)?;
        let owners = g.owners();
        let owned = self.joints.of_parts.get(self.index).map_or(&[][..], Vec::as_slice);
        let mut notes = Notes::default();
        let (starts, mut pulls) = self.pulls(&owners, owned, budget, &mut notes)?;
        let (mut rest, mut stored) = (budget.reserve("rest pose", n)?, budget.reserve("rest pose", n)?);
        for v in 0..n {
            let (p, n) = self.rest(pulls.get(range(&starts, v)).unwrap_or_default());
            rest.push(p);
            stored.push(n);
        }
        let recomputed = if self.recompute_normals {
            budget.charge_items("normals", n as u64, normals::EACH)?;
            Some(normals::computed(g, &owners, owned, self.joints))
        } else {
            None
        };

        let mut skin = Skin::new(SKELETON);
        budget.charge_items("influences", starts.len() as u64, size_of::<u32>())?;
        budget.charge_items(
            "influences",
            pulls.len() as u64,
            size_of::<Influence>() + size_of::<LocalVertex>(),
        )?;
        for v in 0..n {
            let own = pulls.get_mut(range(&starts, v)).unwrap_or_default();
            let new = recomputed.as_ref().and_then(|r| r.get(v)).copied().flatten();
            let normal = self.settle_normal(stored[v], new, own, &mut notes);
            self.emit(&map, rest[v], normal, own, &mut mesh, &mut skin, &mut notes);
        }
        mesh.skin = (!g.bones.is_empty()).then_some(skin);
        if self.options.extras {
            budget.charge_items("extras", g.bones.len() as u64, 64)?;
            mesh.extras = Some(extras(g, notes.residual));
        }
        match recomputed {
            Some(new) => notes.recomputed = new.iter().flatten().count(),
            None => notes.facing = g.facing_of(&owners),
        }
        self.report(&notes, losses);
        Ok(mesh)
    }

    /// Returns the pulls on all vertices, and the index of the first pull of each.
    ///
    /// Blends apply in file order to the result of earlier blends, so the share of a blend is its weight times the
    /// share that later blends leave.
    fn pulls(
        &self,
        owners: &Owners,
        owned: &[usize],
        budget: &Budget,
        notes: &mut Notes,
    ) -> Result<(Vec<usize>, Vec<Pull>), ConvertError> {
        let g = self.part.geometry;
        let joint = |bone: Option<u32>| {
            let index = bone.and_then(|b| usize::try_from(b).ok());
            index.and_then(|b| owned.get(b)).copied().unwrap_or(usize::MAX)
        };
        // Blends by target, in file order.
        budget.charge_items("blends", (g.real.len() + 1) as u64, size_of::<usize>())?;
        budget.charge_items("blends", g.blends.len() as u64, size_of::<(usize, usize, u32)>())?;
        let mut by_target: Vec<_> =
            g.effective_blends(owners).map(|(k, bone, target)| (target, k, bone)).collect();
        by_target.order();

        let mut starts = budget.reserve("influences", g.real.len() + 1)?;
        let mut pulls = budget.reserve("influences", g.real.len() + by_target.len())?;
        let mut own: Vec<Pull> = Vec::new();
        let mut blends = by_target.as_slice();
        starts.push(0);
        for (v, (real, owner)) in g.real.iter().zip(&owners.real).enumerate() {
            let here = blends.iter().take_while(|b| b.0 == v).count();
            let (mine, later) = blends.split_at(here);
            blends = later;
            own.clear();
            let mut left = 1.0;
            let home = joint(*owner);
            let at_rest =
                |joint: usize, position: [F32; 3]| self.world(joint).point(wide(position.map(F32::get)));
            for &(_, k, bone) in mine.iter().rev() {
                let Some(blend) = g.blends.get(k) else { continue };
                let (weight, joint) = (blend.pull() * left, joint(Some(bone)));
                left -= weight;
                notes.zero_weights += usize::from(blend.weight.to_bits() == 0);
                if weight > 0.0 {
                    let placed = joint < self.joints.known && home < self.joints.known;
                    let mut pull = Pull::new(joint, weight, blend.position, blend.normal);
                    if placed && !self.blend_normals {
                        pull.normal = scale(self.normal_at(joint, home, real.normal), weight);
                    }
                    own.push(pull);
                    if placed {
                        let (a, b) = (at_rest(home, real.position), at_rest(joint, blend.position));
                        let e = distance(a, b);
                        notes.residual = notes.residual.max(e);
                    }
                }
            }
            if left > 0.0 {
                own.push(Pull::new(home, left, real.position, real.normal));
            }
            own.reverse();
            merge(&mut own);
            pulls.extend_from_slice(&own);
            starts.push(pulls.len());
        }
        Ok((starts, pulls))
    }

    /// Converts a normal from one joint's space to another's, in the bind pose.
    fn normal_at(&self, joint: usize, home: usize, normal: [F32; 3]) -> [f64; 3] {
        let normal = wide(normal.map(F32::get));
        if joint == home {
            return normal;
        }
        let turned = self.world(home).vector(normal);
        self.world(joint).inverse().map_or(turned, |m| m.vector(turned))
    }

    fn world(&self, joint: usize) -> Affine64 {
        self.joints.world.get(joint).copied().unwrap_or_default()
    }

    /// Returns the vertex in the rest pose; its normal is not normalised.
    fn rest(&self, pulls: &[Pull]) -> ([f64; 3], [f64; 3]) {
        let (mut position, mut normal) = ([0.0; 3], [0.0; 3]);
        for pull in pulls {
            let m = self.world(pull.joint);
            let (turned, n) = (m.vector(pull.position), m.vector(pull.normal));
            for i in 0..3 {
                position[i] += turned[i] + pull.weight * m.w[i];
                normal[i] += n[i];
            }
        }
        (position, normal)
    }

    /// Returns the normalised normal, and adjusts the normals of the pulls to match.
    fn settle_normal(
        &self,
        stored: [f64; 3],
        new: Option<[f64; 3]>,
        pulls: &mut [Pull],
        notes: &mut Notes,
    ) -> [f64; 3] {
        let given = if new.is_some() { None } else { unit(stored) };
        if let Some(normal) = given {
            // One factor for all pulls keeps their sum's direction in every pose.
            let axis = (0..3).fold(0, |m, i| if normal[i].abs() > normal[m].abs() { i } else { m });
            let factor = normal[axis] / stored[axis];
            pulls.iter_mut().for_each(|p| p.normal = p.normal.map(|c| c * factor));
            return normal;
        }
        if new.is_none() {
            notes.zero_normals += 1;
            if self.options.space == Space::File {
                return [0.0; 3];
            }
        }
        let normal = new.unwrap_or([0.0, 1.0, 0.0]);
        for pull in pulls {
            let local = self.world(pull.joint).inverse().map_or(normal, |m| m.vector(normal));
            pull.normal = local.map(|c| c * pull.weight);
        }
        normal
    }

    #[expect(clippy::too_many_arguments, reason = "one vertex with everywhere it goes")]
    fn emit(
        &self,
        map: &AxisMap,
        position: [f64; 3],
        normal: [f64; 3],
        pulls: &[Pull],
        mesh: &mut Mesh,
        skin: &mut Skin,
        notes: &mut Notes,
    ) {
        let mut all_finite = true;
        let mut finite = |v: [f64; 3]| {
            let v = narrow(v);
            if v.iter().all(|c| c.is_finite()) {
                return v;
            }
            all_finite = false;
            [0.0; 3]
        };
        mesh.positions.push(map.point(finite(position)));
        let normal = finite(normal);
        mesh.normals.push(map.direction(normal));
        for pull in pulls {
            let joint = u32::try_from(pull.joint).unwrap_or(u32::MAX);
            let [weight] = narrow([pull.weight]);
            skin.influences.push(Influence { joint, weight });
            let local = LocalVertex {
                position: map.point(finite(pull.position)),
                normal: map.direction(finite(pull.normal)),
            };
            if !self.options.bind_only {
                skin.local.push(local);
            }
        }
        skin.end_vertex();
        notes.not_finite += usize::from(!all_finite);
    }

    /// Reports faults that a lenient reader accepted and that this conversion handles.
    fn report_broken_rules(&self, losses: &mut Vec<Loss>) {
        let mut findings = Findings::validating();
        // Validation passes over everything.
        let _ = rules::geometry(self.part.geometry, &Places::Binary(0), &mut findings);
        let report = findings.into_report();
        for (code, broken, message) in MADE_DO {
            let n: u64 = report.totals().filter(|t| broken.iter().any(|r| r.code == t.0)).map(|t| t.2).sum();
            if n > 0 {
                let count = usize::try_from(n).unwrap_or(usize::MAX);
                losses.push(Loss::new(code, self.path("geometry"), format!("{n} {message}")).counted(count));
            }
        }
    }

    fn report(&self, notes: &Notes, losses: &mut Vec<Loss>) {
        let g = self.part.geometry;
        self.report_broken_rules(losses);
        let pointed = if self.options.space == Space::Gltf { notes.zero_normals } else { 0 };
        for (make, code, field, n, message) in [
            (NOTE, "weight-zero", "blends", notes.zero_weights, "blend vertices of weight 0 were dropped"),
            (NOTE, "normals-replaced", "real", pointed, "normals without direction point up"),
            (LOSS, "not-finite", "real", notes.not_finite, "numbers that are not finite became 0"),
            (NOTE, "normals-recomputed", "real", notes.recomputed, "normals were computed from the faces"),
        ] {
            if n > 0 {
                losses.push(make(code, self.path(field), message.into()).with_count(n, "vertex", "vertices"));
            }
        }
        if notes.facing.disagrees() {
            let message = format!("{}; --recompute-normals computes them from the faces", notes.facing);
            losses.push(Loss::note("normals-askew", self.path("faces"), message).counted(notes.facing.askew));
        }
        let bones = {
            let owners = g.owners();
            let real = owners.real.iter().flatten();
            real.chain(owners.blends.iter().flatten()).collect::<meshwright_core::SortedSet<_>>().len()
        };
        if self.joints.known == 0 && bones > 1 {
            let message = super::without_skeleton(bones);
            losses.push(Loss::new("skeleton-missing", self.path("bones"), message));
        }
        let e = notes.residual;
        if e > RESIDUAL_REPORTED {
            let fit = if e > RESIDUAL_WRONG { "the skeleton does not fit the mesh: " } else { "" };
            let message = format!(
                "{fit}blend and real vertices are apart in the bind pose; in other poses vertices are off by at \
                 most half of that"
            );
            let loss =
                Loss::new("blend-residual", self.path("blends"), message).with_amount(e, "units of the file");
            losses.push(loss.noise_below(RESIDUAL_WRONG));
        }
    }
}

impl Pull {
    fn new(joint: usize, weight: f64, position: [F32; 3], normal: [F32; 3]) -> Self {
        let weighted = |v: [F32; 3]| scale(wide(v.map(F32::get)), weight);
        Self { joint, weight, position: weighted(position), normal: weighted(normal) }
    }
}

fn range(starts: &[usize], v: usize) -> core::ops::Range<usize> {
    starts.get(v).copied().unwrap_or(0)..starts.get(v + 1).copied().unwrap_or(0)
}

/// Merges the pulls of each joint into its first one.
fn merge(pulls: &mut Vec<Pull>) {
    let mut order: Vec<usize>;
    let distinct = match pulls.as_slice() {
        [] | [_] => return,
        [a, b] => a.joint != b.joint,
        _ => false,
    };
    if distinct {
        return;
    }
    order = (0..pulls.len()).collect();
    order.order_by_key(|i| pulls[*i].joint);
    let mut first = order.first().copied().unwrap_or(0);
    for &i in order.iter().skip(1) {
        if pulls[i].joint != pulls[first].joint {
            first = i;
            continue;
        }
        let more = pulls[i];
        let sum = &mut pulls[first];
        sum.weight += more.weight;
        (sum.position, sum.normal) = (add(sum.position, more.position), add(sum.normal, more.normal));
        pulls[i].weight = 0.0;
    }
    pulls.retain(|p| p.weight > 0.0);
}

fn extras(g: &Geometry, residual: f64) -> Extra {
    let bones = g.bones.iter().map(|b| Extra::Text(b.text())).collect();
    Extra::Map(alloc::vec![
        ("bones".into(), Extra::List(bones)),
        ("blends".into(), Extra::Int(i64::try_from(g.blends.len()).unwrap_or(i64::MAX))),
        (extras::REAL_ONLY.into(), Extra::Bool(g.total == Total::RealOnly)),
        ("blend_residual".into(), Extra::Float(residual)),
    ])
}
