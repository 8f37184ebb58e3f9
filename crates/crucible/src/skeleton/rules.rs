//! The rules of a skeleton: its bones must form one tree.

use crate::block::check_end;
use crate::rules::{NOT_FINITE, TRAILING_BYTES, joined};
use crate::skeleton::model::{Bone, MAX_BONES, SkeletonChunk};
use crate::skeleton::record::{CHILD, bone_header, skeleton_header};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use meshwright_core::{FieldPath, Findings, Place, ReadError, Report, Rule, bulk, rules};

rules! {
    error OUTPUT_TOO_SHORT = "lz4-too-short" ("Lz4OutputTooShort"), BadSize,
        "The LZ4 block of the bones decodes to fewer bytes than stated.",
        "Correct the stated size or compress the bones again.";
    error TRAILING_BONES = "trailing-bytes" ("TrailingBytes"), BadSize,
        "The block holds more bytes than its bones take.",
        "Correct the number of bones or the block.";
    error BONE_COUNT = "bone-range" ("BoneRange"), BadCount,
        "The skeleton has more bones than can be numbered: 65535 means no parent.",
        "Remove bones.";
    error BONE_NUMBER = "bone-range" ("BoneRange"), BadReference [Unchecked],
        "A parent or child bone does not exist; the engine checks this only in debug builds.",
        "Correct the number of the bone.";
    error BONE_INDEX = "bone-index" ("BoneIndex"), BadValue,
        "A bone's own number is not its position in the file.",
        "Write the bones in the order of their numbers.";
    error ROOT_COUNT = "root-count" ("RootCount"), BadHierarchy [Unchecked],
        "The skeleton has no root, or several.",
        "Attach all bones to one root.";
    error BONE_TREE = "bone-tree" ("BoneTree"), BadHierarchy [Unchecked],
        "The bones form no tree: a child and its parent do not name each other, or parents form a cycle, for which the engine loops for ever.",
        "Correct parents and children so that each names the other once.";
}

/// All rules of a skeleton.
pub(crate) const ALL: [&Rule; RULES.len() + crate::rules::RULES.len()] = joined(crate::rules::RULES, RULES);

/// Returns the offset of a bone in the decoded block.
fn bone_offset(bones: &[Bone], i: usize) -> u64 {
    let size = |b: &Bone| b.children.len().saturating_mul(CHILD).saturating_add(bone_header::SIZE);
    bones.iter().take(i).map(|b| size(b) as u64).fold(0, u64::saturating_add)
}

/// A field of a bone that can break a rule of the tree.
#[derive(Clone, Copy)]
enum Link {
    Parent,
    Children,
}

/// A skeleton and the state of its check.
struct SkeletonCheck<'s> {
    skeleton: &'s SkeletonChunk,
    /// True if the bones are unchanged since they were read from a file.
    from_file: bool,
}

impl SkeletonCheck<'_> {
    /// Reports a rule that a bone breaks.
    fn broken(
        &self,
        rule: &'static Rule,
        (bone, link): (usize, Link),
        findings: &mut Findings,
        message: impl FnOnce() -> String,
    ) -> Result<(), ReadError> {
        let (name, at) = match link {
            Link::Parent => (bone_header::PARENT.name, bone_header::PARENT.offset),
            Link::Children => ("children", bone_header::SIZE),
        };
        let known = self.from_file && findings.keeps(rule);
        let at = known.then(|| bone_offset(&self.skeleton.bones, bone).saturating_add(at as u64));
        let table = FieldPath::ROOT.field("bones");
        findings.broken(rule, &table.index(bone).field(name), Place::part("bones", at), message)
    }

    /// Reports a rule that the number of bones, or the whole tree, breaks.
    fn broken_by_all(
        &self,
        rule: &'static Rule,
        findings: &mut Findings,
        message: impl FnOnce() -> String,
    ) -> Result<(), ReadError> {
        let field = skeleton_header::BONE_COUNT;
        let at = self.from_file.then_some(field.offset_in(0));
        findings.broken(rule, &field.path(&FieldPath::ROOT), at, message)
    }

    fn count(&self, n: usize, findings: &mut Findings) -> Result<(), ReadError> {
        if n <= MAX_BONES {
            return Ok(());
        }
        let message = || format!("{n} bones, at most {MAX_BONES} can be numbered");
        self.broken_by_all(BONE_COUNT, findings, message)
    }

    /// Checks that parents and children are existing bones. Returns whether all are.
    fn numbers(&self, findings: &mut Findings) -> Result<bool, ReadError> {
        let (n, mut sound) = (self.skeleton.bones.len(), true);
        for (i, bone) in self.skeleton.bones.iter().enumerate() {
            let parent = bone.parent.iter().map(|p| (Link::Parent, p));
            for (link, &other) in parent.chain(bone.children.iter().map(|c| (Link::Children, c))) {
                if usize::from(other) >= n {
                    self.broken(BONE_NUMBER, (i, link), findings, || format!("bone {other} of {n}"))?;
                    sound = false;
                }
            }
        }
        Ok(sound)
    }

    /// Checks that there is one root. Returns whether there is.
    fn root(&self, findings: &mut Findings) -> Result<bool, ReadError> {
        let bones = &self.skeleton.bones;
        let roots = || bones.iter().enumerate().filter(|(_, b)| b.parent.is_none());
        let found = roots().count();
        if found == 1 {
            return Ok(true);
        }
        let message = || format!("{found} roots among {} bones", bones.len());
        match roots().nth(1) {
            Some((second, _)) => self.broken(ROOT_COUNT, (second, Link::Parent), findings, message)?,
            None => self.broken_by_all(ROOT_COUNT, findings, message)?,
        }
        Ok(false)
    }

    /// Checks that parents and children refer to each other exactly once.
    fn links(&self, findings: &mut Findings) -> Result<(), ReadError> {
        let bones = &self.skeleton.bones;
        let mut listed = vec![0_u32; bones.len()];
        for (i, bone) in bones.iter().enumerate() {
            for &child in &bone.children {
                let c = usize::from(child);
                if let Some(times) = listed.get_mut(c) {
                    *times = times.saturating_add(1);
                }
                let parent = bones.get(c).and_then(|b| b.parent);
                if parent.map(usize::from) != Some(i) {
                    self.broken(BONE_TREE, (i, Link::Children), findings, || {
                        let named = parent.map_or_else(|| "none".into(), |p| format!("{p}"));
                        format!("child {child} names {named} as its parent")
                    })?;
                }
            }
        }
        for (i, (bone, times)) in bones.iter().zip(&listed).enumerate() {
            if let (Some(parent), false) = (bone.parent, *times == 1) {
                self.broken(BONE_TREE, (i, Link::Parent), findings, || {
                    format!("bone {parent} lists it {times} times")
                })?;
            }
        }
        Ok(())
    }

    /// Checks that every bone is below the root.
    fn reach(&self, findings: &mut Findings) -> Result<(), ReadError> {
        let mut missing = vec![true; self.skeleton.bones.len()];
        for bone in self.skeleton.reached() {
            if let Some(m) = missing.get_mut(bone) {
                *m = false;
            }
        }
        let Some(first) = missing.iter().position(|m| *m) else { return Ok(()) };
        let message = || "cannot be reached from the root: its parents form a cycle".into();
        self.broken(BONE_TREE, (first, Link::Parent), findings, message)
    }
}

/// Checks the number of bones that a file states.
pub(crate) fn check_count(count: usize, findings: &mut Findings) -> Result<(), ReadError> {
    SkeletonCheck { skeleton: &SkeletonChunk::default(), from_file: true }.count(count, findings)
}

/// Checks that the bones form one tree.
pub(crate) fn check(
    skeleton: &SkeletonChunk,
    from_file: bool,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    let checked = SkeletonCheck { skeleton, from_file };
    checked.count(skeleton.bones.len(), findings)?;
    let sound = checked.numbers(findings)?;
    let one_root = checked.root(findings)?;
    if !sound {
        return Ok(());
    }
    checked.links(findings)?;
    if one_root { checked.reach(findings) } else { Ok(()) }
}

/// Checks the rules that are warnings.
fn check_content(skeleton: &SkeletonChunk, findings: &mut Findings) -> Result<(), ReadError> {
    let broken = |b: &Bone| {
        let floats = [&b.position[..], &b.rotation, &b.scale];
        floats.into_iter().any(|f| bulk::first_non_finite(f).is_some())
    };
    let packed = skeleton.packed.get();
    if packed.is_some() {
        let (data, at) = (skeleton.data(), skeleton_header::SIZE as u64);
        check_end(skeleton.block_of(&data), data.len(), &FieldPath::ROOT.field("bones"), Some(at), findings)?;
    }
    if let Some(first) = skeleton.bones.iter().position(broken) {
        let at = packed.map(|_| bone_offset(&skeleton.bones, first));
        let path = FieldPath::ROOT.field("bones");
        findings.broken(NOT_FINITE, &path.index(first), Place::part("bones", at), || {
            let n = skeleton.bones.iter().filter(|b| broken(b)).count();
            format!("{n} bones hold a value that is not finite")
        })?;
    }
    if !skeleton.tail.is_empty() {
        let at = packed.map(|p| (p.len() as u64).saturating_add(skeleton_header::SIZE as u64));
        let n = skeleton.tail.len();
        findings.broken(TRAILING_BYTES, &FieldPath::ROOT, at, || format!("{n} bytes after the bones"))?;
    }
    Ok(())
}

impl SkeletonChunk {
    /// Reports every broken rule. Rules that the reader enforces are errors.
    pub fn validate(&self) -> Report {
        let mut findings = Findings::validating();
        // The reader rejects bones that form no tree, so such bones did not come from a file.
        let ended = check(self, false, &mut findings).and_then(|()| check_content(self, &mut findings));
        debug_assert!(ended.is_ok(), "validation never ends a check");
        findings.into_report()
    }
}
