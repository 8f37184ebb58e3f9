//! The files of a figure of The Sims that a scene was made of or became, read again.

use super::{AnyModel, Format, ReadSettings};
use meshwright_scene::{ConvertError, OutputFile, OutputFiles};
use meshwright_tso::{Anim, Bnd, Cfp, Character, CharacterSkeleton, Skel, Skill};

/// What a scene was made of or became: the files of a figure, read again.
#[derive(Default)]
pub(super) struct Files {
    pub(super) meshes: Vec<(String, AnyModel)>,
    pub(super) skeletons: Vec<(String, Skel)>,
    pub(super) anims: Vec<(String, Anim)>,
    pub(super) bindings: Vec<(String, Bnd)>,
    keys: Vec<(String, Cfp)>,
    pub(super) character: Character,
    /// Pictures.
    pub(super) others: Vec<OutputFile>,
}

/// The name of a file without folders.
fn base(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

pub(super) fn stem(name: &str) -> &str {
    base(name).rsplit_once('.').map_or(base(name), |(stem, _)| stem)
}

impl Files {
    pub(super) fn of(files: OutputFiles) -> Result<Self, ConvertError> {
        let mut all = Self::default();
        for file in files {
            let Some(format) = Format::from_name(&file.name) else {
                all.others.push(file);
                continue;
            };
            let read = AnyModel::parse_with(&file.bytes, format, &ReadSettings::default());
            let model = read.map_err(|e| ConvertError::invalid(&*file.name, e.to_string()))?.model;
            let name = file.name;
            match model {
                AnyModel::TsoSkeleton(skel) => all.skeletons.push((name, *skel)),
                AnyModel::TsoAnimation(anim) => all.anims.push((name, *anim)),
                AnyModel::TsoBinding(bnd) => all.bindings.push((name, *bnd)),
                AnyModel::Cfp(keys) => all.keys.push((name, *keys)),
                AnyModel::Cmx(cmx) => all.character = cmx.character,
                AnyModel::Bcf(bcf) => all.character = bcf.character,
                mesh => all.meshes.push((name, mesh)),
            }
        }
        Ok(all)
    }

    /// The clips: files of their own, or skills with their keys.
    pub(super) fn clips(&self) -> Vec<Anim> {
        let skill = |skill: &Skill| {
            let own = self.keys.iter().find(|(name, _)| stem(name).eq_ignore_ascii_case(&skill.keys.text()));
            own.and_then(|(_, keys)| skill.to_anim(keys))
        };
        let skills = self.character.skills.iter().filter_map(skill);
        skills.chain(self.anims.iter().map(|(_, anim)| anim.clone())).collect()
    }

    pub(super) fn skeleton(&self) -> Option<Skel> {
        let own = self.character.skeletons.first().map(CharacterSkeleton::to_skel);
        own.or_else(|| self.skeletons.first().map(|(_, skel)| skel.clone()))
    }
}
