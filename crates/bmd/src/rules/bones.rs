//! Rules of bones and of the solids that bound them.

use super::solid::{Allowance, Flaw, flaws};
use super::table::*;
use crate::layout::Layout;
use crate::model::{Bmd, Bone, Mesh, identity};
use crate::record::{Table, bone};
use crate::shade::flat_color;
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::record::Field;
use meshwright_core::{FieldPath, Findings, ReadError, SortedMap, SortedSet};

type Checked = Result<(), ReadError>;

pub(super) fn check(model: &Bmd, layout: Option<&Layout>, findings: &mut Findings) -> Checked {
    let root = FieldPath::ROOT.field(Table::Bones.name());
    let normal = model.normal_bones();
    let at = |i: usize, field: Field| layout.map(|l| l.field(Table::Bones, i, field));
    for (i, b) in model.bones.iter().enumerate() {
        let path = root.index(i);
        if usize::from(b.solid) >= model.meshes.len() && b.solid != 0 {
            let message = || format!("mesh {} of {}", b.solid, model.meshes.len());
            findings.broken(SOLID_RANGE, &bone::ID_SOLID.path(&path), at(i, bone::ID_SOLID), message)?;
        }
        if i == 0 {
            continue;
        }
        if b.is_pseudo() {
            check_pseudo(b, normal, &bone::XFORM.path(&path), at(i, bone::XFORM), findings)?;
            continue;
        }
        let offset = at(i, bone::ID_PARENT);
        if i >= normal {
            findings.broken(PSEUDO_ORDER, &path, offset, || "a normal bone after a pseudo-bone")?;
        }
        let parent = usize::from(b.parent);
        if parent >= normal {
            let message = || match model.bones.get(parent) {
                Some(_) => format!("bone {parent} is a pseudo-bone"),
                None => format!("bone {parent} of {}", model.bones.len()),
            };
            findings.broken(BONE_PARENT, &bone::ID_PARENT.path(&path), offset, message)?;
        }
    }
    for i in cycles(&model.bones) {
        let (path, offset) = (root.index(i), at(i, bone::ID_PARENT));
        let path = bone::ID_PARENT.path(&path);
        findings.broken(BONE_CYCLE, &path, offset, || "its parents form a cycle")?;
    }
    Ok(())
}

fn check_pseudo(
    b: &Bone,
    normal: usize,
    path: &FieldPath<'_>,
    offset: Option<u64>,
    findings: &mut Findings,
) -> Checked {
    let mut sum = 0.0_f64;
    for (id, weight) in b.transform.followed() {
        let weight = f64::from(weight.decode());
        sum += weight;
        if weight != 0.0 && usize::from(id) >= normal {
            let message = || format!("follows bone {id}, there are {normal} normal bones");
            findings.broken(PSEUDO_REF, path, offset, message)?;
        }
    }
    if sum == 0.0 {
        findings.broken(PSEUDO_WEIGHT, path, offset, || "the weights sum to zero")?;
    }
    Ok(())
}

/// Returns one bone of each cycle of parents.
fn cycles(bones: &[Bone]) -> Vec<usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = alloc::vec![Mark::New; bones.len()];
    let mut found = Vec::new();
    let up = |i: usize| {
        let bone = bones.get(i).filter(|b| i > 0 && !b.is_pseudo())?;
        Some(usize::from(bone.parent)).filter(|p| *p > 0 && *p < bones.len())
    };
    for start in 0..bones.len() {
        let mut at = Some(start);
        while let Some(i) = at {
            match marks.get_mut(i) {
                Some(mark @ Mark::New) => *mark = Mark::Open,
                Some(Mark::Open) => {
                    found.push(i);
                    break;
                }
                _ => break,
            }
            at = up(i);
        }
        let mut at = Some(start);
        while let Some(i) = at {
            match marks.get_mut(i) {
                Some(mark @ Mark::Open) => *mark = Mark::Done,
                _ => break,
            }
            at = up(i);
        }
    }
    found
}

pub(super) fn remarks(model: &Bmd, layout: Option<&Layout>, findings: &mut Findings) -> Checked {
    let root = FieldPath::ROOT.field(Table::Bones.name());
    let mut solids = Solids::default();
    for (i, b) in model.bones.iter().enumerate() {
        let path = root.index(i);
        let at = |field: Field| layout.map(|l| l.field(Table::Bones, i, field));
        reserved(i, b, &path, layout, findings)?;
        if i > 0 && !b.is_pseudo() && usize::from(b.parent) > i {
            let message = || format!("parent {} comes after the bone", b.parent);
            findings.broken(W_PARENT_ORDER, &bone::ID_PARENT.path(&path), at(bone::ID_PARENT), message)?;
        }
        if let Some(name) = b.name.as_ref().filter(|n| flat_color(n.bytes()).is_some()) {
            let message = || format!("{name} is the name of a material");
            findings.broken(I_BONE_NAME, &bone::OFS_NAME.path(&path), at(bone::OFS_NAME), message)?;
        }
        if i > 0 && b.name.as_ref().is_none_or(|n| n.bytes().is_empty()) {
            let message = || "bones from 1 on have names";
            findings.broken(I_BONE_UNNAMED, &bone::OFS_NAME.path(&path), at(bone::OFS_NAME), message)?;
        }
        let mesh = usize::from(b.solid);
        if let Some(solid) = model.meshes.get(mesh).filter(|_| mesh > 0) {
            solids.check(i, mesh, solid, &bone::ID_SOLID.path(&path), at(bone::ID_SOLID), findings)?;
        }
    }
    Ok(())
}

/// Checks the fields of a bone that must be zero.
fn reserved(
    i: usize,
    b: &Bone,
    path: &FieldPath<'_>,
    layout: Option<&Layout>,
    findings: &mut Findings,
) -> Checked {
    let base = [
        (bone::XFORM, b.transform.to_bits(), "bone 0 has no transform"),
        (bone::ID_PARENT, u64::from(b.parent), "bone 0 has no parent"),
    ];
    let [a, c] = b.reserved.map(u64::from);
    let zero = [(bone::RESERVED1, a, "must be zero"), (bone::RESERVED2, c, "must be zero")];
    for (field, value, what) in base.into_iter().filter(|_| i == 0).chain(zero) {
        if value != 0 {
            let offset = layout.map(|l| l.field(Table::Bones, i, field));
            findings.broken(W_MBZ, &field.path(path), offset, || format!("{value:#x}, {what}"))?;
        }
    }
    Ok(())
}

/// The solids of a model. Each list is checked once.
#[derive(Default)]
struct Solids {
    allowance: Allowance,
    /// Pairs of lists that were checked already. Meshes that share both lists have the same flaws.
    checked: SortedSet<(usize, usize)>,
    /// The lowest and highest bone of each vertex list.
    spread: SortedMap<usize, (u8, u8)>,
}

impl Solids {
    fn check(
        &mut self,
        bone: usize,
        i: usize,
        mesh: &Mesh,
        path: &FieldPath<'_>,
        at: Option<u64>,
        findings: &mut Findings,
    ) -> Checked {
        let lists = (identity(&mesh.vertices), identity(&mesh.primitives));
        let (low, high) = *self.spread.entry(lists.0).or_insert_with(|| {
            let (low, high) = (mesh.bones().min(), mesh.bones().max());
            (low.unwrap_or(0), high.unwrap_or(0))
        });
        if low != high || (usize::from(low) != bone && low != 0) {
            let message = || format!("mesh {i} is bound to bones {low} to {high}");
            findings.broken(W_SOLID_BONES, path, at, message)?;
        }
        if !self.checked.insert(lists) {
            return Ok(());
        }
        for flaw in flaws(mesh, &mut self.allowance) {
            let (rule, message) = match flaw {
                Flaw::Degenerate { triangle } => {
                    (W_SOLID_OPEN, format!("triangle {triangle} of mesh {i} names a vertex twice"))
                }
                Flaw::Open { a, b } => {
                    (W_SOLID_OPEN, format!("mesh {i}: edge {a}-{b} is not used once in each direction"))
                }
                Flaw::Inverted => (W_SOLID_INVERTED, format!("the faces of mesh {i} look inward")),
                Flaw::Crossing { a, b } => {
                    (W_SOLID_CROSS, format!("triangles {a} and {b} of mesh {i} cross"))
                }
                Flaw::Unchecked => {
                    (I_SOLID_UNCHECKED, format!("mesh {i} is too large to be checked in full"))
                }
            };
            findings.broken(rule, path, at, || message)?;
        }
        Ok(())
    }
}
