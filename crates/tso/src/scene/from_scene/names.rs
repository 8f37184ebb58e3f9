//! Converts names of a scene to names of files.

use super::options::MeshForm;
use crate::name::{self, Name};
use alloc::format;
use alloc::vec::Vec;
use meshwright_scene::names::{Encoding, NameRules, Names};
use meshwright_scene::{Budget, ConvertError, Loss, Naming, Scene};

/// Most bytes of a name with an 8-bit length.
pub(crate) const SHORT: usize = 255;
/// Most bytes of a name with a 16-bit length.
pub(crate) const LONG: usize = 65535;

/// Converts texts to names.
#[derive(Debug)]
pub(crate) struct Namer<'b> {
    names: Names<'b>,
    /// The longest name, if each name has its own line of text.
    longest_line: Option<usize>,
}

impl<'b> Namer<'b> {
    /// Makes rules for names of at most `longest` bytes. They may repeat.
    pub(crate) fn new(longest: usize, form: MeshForm, naming: Naming, budget: &'b Budget) -> Self {
        Self::with_rules(NameRules::new(encoding(form), longest), form, naming, budget)
    }

    /// Makes rules for names of bones. `NULL` is not allowed.
    fn of_bones(form: MeshForm, naming: Naming, budget: &'b Budget) -> Result<Self, ConvertError> {
        let rules = NameRules::new(encoding(form), SHORT).unique();
        let mut namer = Self::with_rules(rules, form, naming, budget);
        for case in 0..1_u8 << 4 {
            let mut null = *b"NULL";
            for (i, byte) in null.iter_mut().enumerate() {
                *byte |= ((case >> i) & 1) << 5;
            }
            namer.names.reserve(&null)?;
        }
        Ok(namer)
    }

    fn with_rules(rules: NameRules, form: MeshForm, naming: Naming, budget: &'b Budget) -> Self {
        let longest_line = (form == MeshForm::Skn).then_some(rules.longest);
        Self { names: Names::new(rules, naming, budget), longest_line }
    }

    /// Returns a valid name for `text`, and reports changes.
    pub(crate) fn fit(
        &mut self,
        text: &str,
        path: &str,
        losses: &mut Vec<Loss>,
    ) -> Result<Name, ConvertError> {
        let trimmed = self.longest_line.map_or(text, |longest| on_a_line(text, longest));
        if trimmed.len() < text.len() {
            losses.push(Loss::new(
                "name-changed",
                path,
                "spaces at the start or end of the name were removed",
            ));
        }
        Ok(Name::from(self.names.fit(trimmed, path, losses)?))
    }
}

fn encoding(form: MeshForm) -> Encoding {
    match form {
        MeshForm::Mesh | MeshForm::Bmf => Encoding::Bytes(name::encode_cp1252),
        MeshForm::Skn => Encoding::Bytes(|c| name::encode_cp1252(c).filter(|b| !b.is_ascii_control())),
    }
}

/// Removes spaces at the ends of a text, and at the place where it will be cut.
fn on_a_line(text: &str, longest: usize) -> &str {
    let text = text.trim_matches(' ');
    let cut = text.char_indices().nth(longest).and_then(|(end, _)| text.get(..end));
    cut.map(|cut| cut.trim_end_matches(' ')).filter(|cut| cut.chars().count() < longest).unwrap_or(text)
}

/// Returns the names of a skeleton's joints as bones: all different, none empty.
pub(crate) fn bones(
    scene: &Scene,
    skeleton: usize,
    form: MeshForm,
    naming: Naming,
    budget: &Budget,
    losses: &mut Vec<Loss>,
) -> Result<Vec<Name>, ConvertError> {
    let joints = scene.skeletons.get(skeleton).map_or(&[][..], |s| &s.joints);
    let mut namer = Namer::of_bones(form, naming, budget)?;
    let mut names = budget.reserve("names", joints.len())?;
    for (i, joint) in joints.iter().enumerate() {
        let path = format!("skeletons[{skeleton}].joints[{i}].name");
        // The games identify bones only by name.
        let made_up = joint.name.trim().is_empty().then(|| format!("bone{i}"));
        if let Some(name) = &made_up {
            losses.push(Loss::note(
                "name-changed",
                &*path,
                format!("a joint without a name was named {name}"),
            ));
        }
        names.push(namer.fit(made_up.as_deref().unwrap_or(&joint.name), &path, losses)?);
    }
    Ok(names)
}
