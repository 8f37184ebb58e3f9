//! Converts between kinds of files with the same records: text and binary of The Sims 1, and files of The Sims 1 and
//! The Sims Online. No number changes; data without a field in the other kind is a loss.

use super::{Bcf, Bmf, Cfp, Character, CharacterSkeleton, Cmx, Skill, Skn};
use crate::anim::Anim;
use crate::bnd::{Bnd, ResourceId};
use crate::mesh::Mesh;
use crate::name::Name;
use crate::skel::Skel;
use alloc::format;
use alloc::vec::Vec;
use meshwright_scene::{Converted, Loss};

/// Returns the loss of bytes after the last field, which a lenient reader kept.
fn trailing(bytes: &[u8]) -> Option<Loss> {
    let loss = Loss::new("trailing-bytes", "trailing", "bytes after the last field were dropped");
    (!bytes.is_empty()).then(|| loss.with_count(bytes.len(), "byte", "bytes"))
}

/// Returns the loss of items that the other kind of file cannot store.
fn dropped(code: &'static str, path: &str, items: [&'static str; 2], count: usize) -> Option<Loss> {
    let [one, several] = items;
    let message = format!("the file cannot store these {several}");
    (count > 0).then(|| Loss::new(code, path, message).with_count(count, one, several))
}

/// Returns the loss of unknown words, flags or nested lists for which the other kind of file has no field.
fn odd(path: &str, items: [&'static str; 2], count: usize) -> Option<Loss> {
    let [one, several] = items;
    let message = "the file has no field for unknown words, for flags other than 0 and 1, or for empty and nested lists";
    (count > 0).then(|| Loss::new("fields-dropped", path, message).with_count(count, one, several))
}

/// Returns the losses of records that the other kind of file cannot store.
fn others(skeletons: usize, suits: usize, skills: usize) -> Vec<Loss> {
    let losses = [
        dropped("skeletons-dropped", "skeletons", ["skeleton", "skeletons"], skeletons),
        dropped("suits-dropped", "suits", ["suit", "suits"], suits),
        dropped("clips-dropped", "skills", ["skill", "skills"], skills),
    ];
    losses.into_iter().flatten().collect()
}

impl Cmx {
    /// Returns the same records in binary. Comments are dropped.
    pub fn to_bcf(&self) -> Converted<Bcf> {
        let own = self.comments.iter().filter(|line| !line.bytes().is_empty() && **line != Self::COMMENT);
        let loss = Loss::new("comment-dropped", "comments", "binary files have no comments");
        let lines = own.count();
        let losses = (lines > 0).then(|| loss.with_count(lines, "line", "lines")).into_iter();
        Converted::new(self.clone().into(), losses.chain(trailing(&self.trailing)).collect())
    }
}

impl Bcf {
    /// Returns the same records as text.
    pub fn to_cmx(&self) -> Converted<Cmx> {
        Converted::new(self.clone().into(), trailing(&self.trailing).into_iter().collect())
    }
}

impl Skn {
    /// Returns the same mesh in binary.
    pub fn to_bmf(&self) -> Converted<Bmf> {
        Converted::new(self.clone().into(), trailing(&self.trailing).into_iter().collect())
    }
}

impl Bmf {
    /// Returns the same mesh as text.
    pub fn to_skn(&self) -> Converted<Skn> {
        Converted::new(self.clone().into(), trailing(&self.trailing).into_iter().collect())
    }

    /// Returns the same mesh for The Sims Online, in a file with this stem. There a [`Bnd`] links a mesh to its texture by
    /// numbers. They come from the names of both, as in unpacked files, otherwise from `number`. Without numbers the
    /// result has no [`Bnd`].
    pub fn to_mesh(&self, stem: &str, number: Option<u32>) -> Converted<(Mesh, Option<Bnd>)> {
        let id = |name: &str, kind| {
            let given = || number.map(|file| ResourceId { group: 0, file, kind });
            ResourceId::in_name(name).or_else(given)
        };
        let bound = self.geometry.bones.first().and_then(|bone| {
            let mesh = Some(id(stem, ResourceId::MESH)?);
            let texture = Some(id(&self.texture.text(), ResourceId::PNG)?);
            Some(Bnd { bone: bone.clone(), mesh, texture, ..Bnd::default() })
        });
        let mut losses: Vec<Loss> = trailing(&self.trailing).into_iter().collect();
        let named = |name: &Name| usize::from(!name.bytes().is_empty());
        let is_called_so = self.skin.matches(&Name::from_text(stem).0);
        let skin = if is_called_so { 0 } else { named(&self.skin) };
        let texture =
            if bound.is_some() || self.texture == CHOSEN_BY_SUIT { 0 } else { named(&self.texture) };
        losses.extend(dropped("skin-name-dropped", "skin", ["name of a skin", "names of skins"], skin));
        losses.extend(dropped(
            "texture-names-dropped",
            "texture",
            ["name of a texture", "names of textures"],
            texture,
        ));
        Converted::new((Mesh::from(self.geometry.clone()), bound), losses)
    }
}

/// The texture name in The Sims 1 for a texture that the suit selects.
const CHOSEN_BY_SUIT: &str = "x";

impl Mesh {
    /// Returns the same mesh for The Sims 1, under the names of its skin and its texture; without a name the suit chooses the
    /// texture.
    pub fn to_bmf(&self, skin: &str, texture: Option<&str>) -> Converted<Bmf> {
        let names = [("skin", skin), ("texture", texture.unwrap_or(CHOSEN_BY_SUIT))];
        let [(skin, skin_exact), (texture, texture_exact)] = names.map(|(_, name)| Name::from_text(name));
        let message = "characters outside Windows-1252 became `?`";
        let changed = names.iter().zip([skin_exact, texture_exact]).filter(|(_, exact)| !exact);
        let losses = changed.map(|((path, _), _)| Loss::new("name-changed", *path, message));
        let losses = losses.chain(trailing(&self.trailing)).collect();
        Converted::new(Bmf::new(skin, texture, self.geometry.clone()), losses)
    }
}

impl Character {
    /// Returns a file of one skeleton of The Sims Online.
    pub fn from_skel(skel: &Skel) -> Converted<Self> {
        let skeleton = CharacterSkeleton::from(skel);
        let again = skeleton.to_skel();
        let changed = skel.bones.iter().zip(&again.bones).filter(|(own, again)| own.unknown != again.unknown);
        let losses = odd("bones", ["bone", "bones"], changed.count());
        let losses = losses.into_iter().chain(trailing(&skel.trailing)).collect();
        Converted::new(Self { skeletons: alloc::vec![skeleton], ..Self::default() }, losses)
    }

    /// Returns the first skeleton for The Sims Online, if the file has a skeleton.
    pub fn to_skel(&self) -> Option<Converted<Skel>> {
        let (first, rest) = self.skeletons.split_first()?;
        let losses = others(rest.len(), self.suits.len(), self.skills.len());
        Some(Converted::new(first.to_skel(), losses))
    }

    /// Returns a file of one animation of The Sims Online, and its keys, whose file is called `keys`.
    pub fn from_anim(anim: &Anim, keys: Name) -> Converted<(Self, Cfp)> {
        let (skill, cfp) = Skill::from_anim(anim, keys);
        let losses = match skill.to_anim(&cfp) {
            Some(again) => {
                let motions = anim.motions.iter().zip(&again.motions);
                let changed = motions.filter(|(own, again)| {
                    (own.unknown, &own.properties) != (again.unknown, &again.properties)
                        || own.time_properties != again.time_properties
                });
                odd("motions", ["motion", "motions"], changed.count())
            }
            None => None,
        };
        let losses = losses.into_iter().chain(trailing(&anim.trailing)).collect();
        Converted::new((Self { skills: alloc::vec![skill], ..Self::default() }, cfp), losses)
    }

    /// Returns the first skill with available keys for The Sims Online, if the file has one. `keys` finds them by the name
    /// in the skill.
    pub fn to_anim<'k>(&self, keys: impl Fn(&Name) -> Option<&'k Cfp>) -> Option<Converted<Anim>> {
        let made = |skill: &Skill| Some((skill.to_anim(keys(&skill.keys)?)?, skill.clone()));
        let (anim, skill) = self.skills.iter().find_map(made)?;
        let (again, _) = Skill::from_anim(&anim, skill.keys.clone());
        let changed = skill.motions.iter().zip(&again.motions).filter(|(own, again)| own != again).count();
        let rest = self.skills.len().saturating_sub(1);
        let mut losses = others(self.skeletons.len(), self.suits.len(), rest);
        losses.extend(odd("motions", ["motion", "motions"], changed));
        losses.extend(odd("moving", ["flag", "flags"], usize::from(skill.moving != again.moving)));
        Some(Converted::new(anim, losses))
    }
}
