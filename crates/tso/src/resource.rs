//! Compares the names of the game's files with their content.

use crate::anim::Anim;
use crate::bnd::{Bnd, ResourceId};
use crate::mesh::Mesh;
use crate::name::Name;
use crate::outfit::{Apr, Col, Hag, Oft, Po};
use crate::rules::some;
use crate::skel::Skel;
use crate::ts1::{Bcf, Bmf, Cfp, Cmx, Skn};
use alloc::format;
use meshwright_core::{FieldPath, Findings, Report};

/// A kind of file: its name, its extension, and its type in the game's archives, if it has one.
struct Kind {
    noun: &'static str,
    extension: &'static str,
    id: Option<u32>,
}

const KINDS: [Kind; 14] = [
    Kind { noun: "skeleton", extension: "skel", id: Some(ResourceId::SKELETON) },
    Kind { noun: "animation", extension: "anim", id: Some(ResourceId::ANIMATION) },
    Kind { noun: "mesh", extension: "mesh", id: Some(ResourceId::MESH) },
    Kind { noun: "binding", extension: "bnd", id: Some(ResourceId::BINDING) },
    Kind { noun: "appearance", extension: "apr", id: Some(12) },
    Kind { noun: "outfit", extension: "oft", id: Some(13) },
    Kind { noun: "group of hands", extension: "hag", id: Some(18) },
    Kind { noun: "purchasable", extension: "po", id: Some(15) },
    Kind { noun: "collection", extension: "col", id: Some(16) },
    Kind { noun: "binary mesh of The Sims 1", extension: "bmf", id: None },
    Kind { noun: "mesh of The Sims 1", extension: "skn", id: None },
    Kind { noun: "binary character of The Sims 1", extension: "bcf", id: None },
    Kind { noun: "character of The Sims 1", extension: "cmx", id: None },
    Kind { noun: "set of keys of The Sims 1", extension: "cfp", id: None },
];

/// Compares the name of a file with the extension of its content, and with the stored name if the file has one.
fn check(extension: &str, own: Option<&Name>, file_name: &str) -> Report {
    let (mut findings, path) = (Findings::validating(), FieldPath::ROOT.field("file_name"));
    let held = KINDS.iter().find(|k| k.extension == extension);
    let noun = held.map_or(extension, |k| k.noun);
    let tag = ResourceId::from_file_name(file_name);
    if let (Some(tag), Some(wanted)) = (tag, held.and_then(|k| k.id))
        && tag.kind != wanted
    {
        // Validation passes over everything.
        let _ = findings.broken(some::TYPE_ID, &path, None, || {
            format!("the name says type {}, a {noun} has type {wanted}", tag.kind)
        });
    }
    let named = file_name.rsplit_once('.').map_or("", |(_, e)| e);
    let other = KINDS.iter().find(|k| k.extension.eq_ignore_ascii_case(named) && k.extension != extension);
    if let Some(other) = other {
        let _ = findings.broken(some::EXTENSION, &path, None, || {
            format!("the name is that of a {}, but the file holds a {noun}", other.noun)
        });
    }
    let stem = file_name.rsplit_once('.').map_or(file_name, |(stem, _)| stem);
    let first = file_name.split('.').next().unwrap_or_default();
    let strange = own
        .map(Name::text)
        .filter(|own| !own.is_empty() && !own.eq_ignore_ascii_case(stem) && !own.eq_ignore_ascii_case(first));
    if let Some(own) = strange {
        let _ =
            findings.broken(some::RESOURCE_NAME, &path, None, || format!("the file stores the name {own:?}"));
    }
    findings.into_report()
}

macro_rules! named {
    ($($ty:ident: $extension:literal, |$m:ident| $own:expr;)+) => {$(
        impl $ty {
            /// Reports contradictions between the file and its name: the type in the sixteen digits before the
            /// extension, the extension, and the stored name, which the game does not use.
            pub fn validate_name(&self, file_name: &str) -> Report {
                let $m = self;
                check($extension, $own, file_name)
            }
        }
    )+};
}

named! {
    Mesh: "mesh", |_m| None;
    Skel: "skel", |_m| None;
    Anim: "anim", |m| Some(&m.name);
    Bnd: "bnd", |_m| None;
    Bmf: "bmf", |m| Some(&m.skin);
    Skn: "skn", |m| Some(&m.skin);
    Bcf: "bcf", |_m| None;
    Cmx: "cmx", |_m| None;
    Cfp: "cfp", |_m| None;
    Apr: "apr", |_m| None;
    Oft: "oft", |_m| None;
    Hag: "hag", |_m| None;
    Po: "po", |_m| None;
    Col: "col", |_m| None;
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn codes(report: &Report) -> Vec<&'static str> {
        report.findings().iter().map(|f| f.rule.code).collect()
    }

    #[test]
    fn names_are_held_against_what_files_hold() {
        let mesh = Mesh::default();
        let of = |name: &str| codes(&mesh.validate_name(name));
        for sound in
            ["a.0000000100000009.mesh", "a.mesh", "a.0000000100000009.bin", "", "a.x.y.MESH", "00000009.mesh"]
        {
            assert!(of(sound).is_empty(), "{sound}");
        }
        assert_eq!(of("a.0000000100000007.mesh"), ["type-id"]);
        assert_eq!(of("a.0000000100000009.anim"), ["name-extension"]);
        assert_eq!(of("a.0000000100000005.skel"), ["type-id", "name-extension"]);
        assert_eq!(of("a.BMF"), ["name-extension"]);
        assert_eq!(codes(&Skel::default().validate_name("a.0000000100000009.skel")), ["type-id"]);
        assert_eq!(codes(&Bnd::default().validate_name("a.000000010000000b.bnd")), [""; 0]);
        let message = mesh.validate_name("a.0000000100000007.mesh").findings()[0].message.clone();
        assert!(message.contains("type 7") && message.contains("type 9"), "{message}");
    }

    #[test]
    fn the_name_within_is_the_name_of_the_file() {
        let skn = Skn::new("xskin-A", "x", crate::Geometry::default());
        for sound in ["XSKIN-a.skn", "xskin-a.ok.skn"] {
            assert!(skn.validate_name(sound).is_empty(), "{sound}");
        }
        let report = skn.validate_name("xskin-b.skn");
        assert_eq!(codes(&report), ["resource-name"]);
        assert_eq!(report.findings()[0].severity, meshwright_core::Severity::Info);
        let anim = Anim { name: "a2o-sit".into(), ..Anim::default() };
        assert!(anim.validate_name("a2o-sit.0000000100000007.anim").is_empty());
        assert_eq!(codes(&anim.validate_name("a2o-stand.0000000100000007.anim")), ["resource-name"]);
    }
}
