//! Implements [`FileFormat`] for every kind of file.

use crate::anim::{self, Anim};
use crate::bnd::{self, Bnd};
use crate::descriptions;
use crate::mesh::{self, Mesh};
use crate::outfit::{self, Apr, Col, Hag, Oft, Po};
use crate::skel::{self, Skel};
use crate::ts1::bcf::{self, Bcf};
use crate::ts1::bmf::{self, Bmf};
use crate::ts1::cfp::{self, Cfp, CfpOptions};
use crate::ts1::cmx::{self, Cmx};
use crate::ts1::skn::{self, Skn};
use meshwright_core::description::Description;
use meshwright_core::{Companion, FileFormat, ReadOptions, Role, Rule};

const SKELETON: Companion = Companion::one(Role::Skeleton, Skel::ID, &[]);
/// Companion files of The Sims 1, which may hold a skeleton or skills.
const CHARACTERS: [Companion; 2] =
    [Companion::one(Role::Skeleton, Cmx::ID, &[]), Companion::one(Role::Skeleton, Bcf::ID, &[])];
const KEYS: Companion = Companion::many(Role::Keys, Cfp::ID, &[]);
const ANIMATIONS: Companion = Companion::many(Role::Animation, Anim::ID, &[]);

/// The companion files of a mesh. Their names do not follow from that of the mesh: a `.bnd` has the number of its
/// mesh, the user must name the others.
const OF_MESH: &[Companion] = &[
    SKELETON,
    CHARACTERS[0],
    CHARACTERS[1],
    ANIMATIONS,
    Companion::one(Role::Binding, Bnd::ID, &[]),
    Companion::many(Role::Part, Mesh::ID, &[]),
    Companion::many(Role::Part, Bmf::ID, &[]),
    Companion::many(Role::Part, Skn::ID, &[]),
];

/// The companion files of a skeleton, in addition to the meshes.
const OF_SKELETON: &[Companion] = &[ANIMATIONS];

/// The companion files of an outfit: meshes by number, other outfits of the character, a skeleton, animations.
const OF_OUTFIT: &[Companion] = &[
    SKELETON,
    CHARACTERS[0],
    CHARACTERS[1],
    ANIMATIONS,
    Companion::many(Role::Part, Mesh::ID, &[]),
    Companion::many(Role::Part, Oft::ID, &[]),
    Companion::many(Role::Part, Apr::ID, &[]),
];

/// The companion files of an animation.
const OF_ANIMATION: &[Companion] = &[SKELETON, CHARACTERS[0], CHARACTERS[1], ANIMATIONS];

/// The companion files of a file of skeletons, suits and skills: keys by the names in its skills, meshes by the names
/// in its skins, and a skeleton if it has none.
const OF_CHARACTER: &[Companion] = &[
    SKELETON,
    CHARACTERS[0],
    CHARACTERS[1],
    ANIMATIONS,
    KEYS,
    Companion::many(Role::Part, Bmf::ID, &[]),
    Companion::many(Role::Part, Skn::ID, &[]),
];

macro_rules! formats {
    ($($ty:ident: $id:literal, $title:literal, [$($extension:literal),+], $rules:expr, $layout:expr, $companions:expr, $holds_model:literal;)+) => {$(
        impl FileFormat for $ty {
            const ID: &'static str = $id;
            const TITLE: &'static str = $title;
            const EXTENSIONS: &'static [&'static str] = &[$($extension),+];
            const RULES: &'static [&'static Rule] = $rules;
            const DESCRIPTION: Description = $layout;
            const COMPANIONS: &'static [Companion] = $companions;
            const HOLDS_MODEL: bool = $holds_model;

            type Options = ReadOptions;

    meshwright_core::own_verbs!();
        }
    )+};
}

formats! {
    Mesh: "tso", "The Sims Online mesh", ["mesh"], mesh::rules::ALL, descriptions::MESH, OF_MESH, true;
    Skel: "skel", "The Sims Online skeleton", ["skel"], skel::rules::ALL, descriptions::SKEL, OF_SKELETON, true;
    Anim: "anim", "The Sims Online animation", ["anim"], anim::rules::ALL, descriptions::ANIM, OF_ANIMATION, true;
    Bnd: "bnd", "The Sims Online binding", ["bnd"], bnd::rules::ALL, descriptions::BND, &[], false;
    Bmf: "bmf", "The Sims mesh (binary)", ["bmf"], bmf::rules::ALL, descriptions::BMF, OF_MESH, true;
    Skn: "skn", "The Sims mesh (text)", ["skn"], skn::rules::ALL, Description::TEXT, OF_MESH, true;
    Bcf: "bcf", "The Sims character (binary)", ["bcf"], bcf::rules::ALL, descriptions::BCF, OF_CHARACTER, true;
    Apr: "apr", "The Sims Online appearance", ["apr"], outfit::rules::ALL, descriptions::APR, OF_OUTFIT, false;
    Oft: "oft", "The Sims Online outfit", ["oft"], outfit::rules::ALL, descriptions::OFT, OF_OUTFIT, false;
    Hag: "hag", "The Sims Online hands", ["hag"], outfit::rules::ALL, descriptions::HAG, &[], false;
    Po: "po", "The Sims Online purchasable", ["po"], outfit::rules::ALL, descriptions::PO, OF_OUTFIT, false;
    Col: "col", "The Sims Online collection", ["col", "co"], outfit::rules::ALL, descriptions::COL, &[], false;
    Cmx: "cmx", "The Sims character (text)", ["cmx"], cmx::rules::ALL, Description::TEXT, OF_CHARACTER, true;
}

impl FileFormat for Cfp {
    const ID: &'static str = "cfp";
    const TITLE: &'static str = "The Sims keys";
    const EXTENSIONS: &'static [&'static str] = &["cfp"];
    const RULES: &'static [&'static Rule] = cfp::rules::ALL;
    const DESCRIPTION: Description = descriptions::CFP;
    const HOLDS_MODEL: bool = false;

    type Options = CfpOptions;

    meshwright_core::own_verbs!();
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;
    use alloc::vec::Vec;

    fn rules<T: FileFormat>() -> BTreeSet<&'static str> {
        let codes: BTreeSet<_> = T::RULES.iter().map(|r| r.code).collect();
        assert_eq!(codes.len(), T::RULES.len(), "{}: a code of two rules", T::ID);
        assert!(T::RULES.iter().all(|r| r.cause.ends_with('.') && r.mending.ends_with('.')));
        codes
    }

    #[test]
    fn rules_of_a_geometry_are_those_of_all_its_files() {
        let (mesh, bmf, skn) = (rules::<Mesh>(), rules::<Bmf>(), rules::<Skn>());
        assert_eq!(mesh.difference(&bmf).copied().collect::<Vec<_>>(), ["bad-version", "type-id"]);
        assert_eq!(skn.difference(&bmf).copied().collect::<Vec<_>>(), ["bad-name", "bad-number"]);
        assert_eq!(bmf.difference(&mesh).copied().collect::<Vec<_>>(), ["resource-name"]);
        assert!(bmf.is_subset(&skn));
        let (bcf, cmx) = (rules::<Bcf>(), rules::<Cmx>());
        assert!(bcf.is_subset(&cmx));
        assert_eq!(rules::<Cfp>().len(), 9);
        assert_eq!((rules::<Skel>().len(), rules::<Anim>().len(), rules::<Bnd>().len()), (18, 17, 10));
    }
}
