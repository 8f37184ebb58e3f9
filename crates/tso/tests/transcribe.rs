//! Converts records of one kind of file to another, without a scene.
#![allow(clippy::unwrap_used, reason = "a failing test panics")]

use crate::support::*;
use meshwright_core::ReadOptions;
use meshwright_scene::Loss;
use meshwright_testkit::{proptest, testdata};
use meshwright_tso::{
    Anim, Bcf, Bmf, Cfp, Character, Cmx, Flag, Mesh, Name, PropertyList, Skel, Skn, Suit, TimeProperty,
    strategy,
};
use proptest::prelude::*;

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(testdata().join("tso").join(name)).unwrap()
}

/// Returns a fixture's text with the comment that the game's own files begin with.
fn game_text() -> Vec<u8> {
    let text = String::from_utf8(bytes("flower.ok.cmx")).unwrap();
    let (_, rest) = text.split_once("\r\n").unwrap();
    format!("// Character File. Copyright 1997, Maxis Inc.\r\n{rest}").into_bytes()
}

fn codes_of(losses: &[Loss]) -> Vec<(&'static str, u64)> {
    losses.iter().map(|loss| (loss.code, loss.count)).collect()
}

#[test]
fn text_becomes_binary_and_text_again() {
    let text = game_text();
    let binary = Cmx::parse(&text).unwrap().to_bcf();
    assert_eq!(
        (codes_of(&binary.losses), binary.value.to_bytes().unwrap()),
        (vec![], bytes("flower.ok.bcf"))
    );
    let again = Bcf::parse(&bytes("flower.ok.bcf")).unwrap().to_cmx();
    assert_eq!((codes_of(&again.losses), again.value.to_bytes().unwrap()), (vec![], text.clone()));
    // Data that binary files cannot hold is reported.
    let other = Cmx::parse(&bytes("flower.ok.cmx")).unwrap().to_bcf();
    assert_eq!(codes_of(&other.losses), [("comment-dropped", 1)]);
    let longer = [&text[..], b"more"].concat();
    let longer = Cmx::parse_with(&longer, &ReadOptions::lenient()).unwrap().model.to_bcf();
    assert_eq!(codes_of(&longer.losses), [("trailing-bytes", 4)]);
    assert_eq!(longer.value.to_bytes().unwrap(), bytes("flower.ok.bcf"));
}

#[test]
fn meshes_keep_every_number() {
    let skn = Skn::parse(&bytes("flag.ok.skn")).unwrap();
    let bmf = skn.to_bmf();
    assert_eq!((codes_of(&bmf.losses), bmf.value.to_bytes().unwrap()), (vec![], bytes("flag.ok.bmf")));
    let again = Bmf::parse(&bytes("flag.ok.bmf")).unwrap().to_skn().value;
    assert_eq!(again, skn);
    let (mesh, bound) = bmf.value.to_mesh("flag", None).value;
    assert_eq!((&mesh.geometry, bound), (&skn.geometry, None));
    let back = mesh.to_bmf(&skn.skin.text(), Some(&skn.texture.text()));
    assert_eq!((back.value, back.losses), (bmf.value.clone(), vec![]));
    // A binding needs the numbers of both.
    let mut numbered = bmf.value;
    numbered.texture = "00c0ffee00000014".into();
    let made = numbered.to_mesh("flag.c02bdebf00000009", None);
    let bound = made.value.1.unwrap();
    assert_eq!((bound.mesh.unwrap().file, bound.texture.unwrap().kind), (0xc02b_debf, 20));
    let given = numbered.to_mesh("flag", Some(7)).value.1.unwrap();
    assert_eq!((given.mesh.unwrap().file, given.texture.unwrap().file), (7, 0x00c0_ffee));
    numbered.texture = "cloth".into();
    assert_eq!(
        codes_of(&numbered.to_mesh("other", None).losses),
        [("skin-name-dropped", 1), ("texture-names-dropped", 1)]
    );
    assert_eq!(codes_of(&mesh.to_bmf("\u{4e00}", None).losses), [("name-changed", 1)]);
    assert_eq!(mesh.to_bmf("a", None).value.texture, "x");
}

#[test]
fn skeletons_and_skills_become_files_of_the_game_online() {
    let character = Cmx::parse(&bytes("flower.ok.cmx")).unwrap().character;
    let skel = character.to_skel().unwrap();
    assert_eq!(codes_of(&skel.losses), [("suits-dropped", 1), ("clips-dropped", 1)]);
    let alone = Character::from_skel(&skel.value);
    assert_eq!((&alone.value.skeletons, alone.losses.is_empty()), (&character.skeletons, true));
    let keys = Cfp::parse(&bytes("sway.ok.cfp")).unwrap();
    let anim = character.to_anim(|_| Some(&keys)).unwrap();
    assert_eq!(codes_of(&anim.losses), [("skeletons-dropped", 1), ("suits-dropped", 1)]);
    let made = Character::from_anim(&anim.value, character.skills[0].keys.clone());
    assert_eq!((&made.value.0.skills, &made.value.1), (&character.skills, &keys));
    assert!(made.losses.is_empty());
    // Without keys, without a skeleton: there is nothing to make.
    assert!(character.to_anim(|_| None).is_none() && Character::default().to_skel().is_none());
    let suit = Character { suits: vec![Suit::default()], ..Character::default() };
    assert!(suit.to_skel().is_none() && suit.to_anim(|_| Some(&keys)).is_none());
}

#[test]
fn what_the_other_game_has_no_field_for_is_said() {
    let mut skel = skel();
    skel.bones[1].unknown = 1;
    skel.bones[1].has_properties = Flag::YES;
    skel.trailing = vec![0; 3];
    let made = Character::from_skel(&skel);
    assert_eq!(codes_of(&made.losses), [("fields-dropped", 1), ("trailing-bytes", 3)]);
    let mut anim = anim();
    assert!(Character::from_anim(&anim, "keys".into()).losses.is_empty());
    anim.motions[0].unknown = 1;
    anim.motions[1].time_properties = vec![vec![TimeProperty { time: 1, lists: Vec::new() }]];
    let pair = PropertyList(vec![("a".into(), "b".into())]);
    anim.motions[2].properties = vec![vec![pair.clone()], vec![pair]];
    assert_eq!(codes_of(&Character::from_anim(&anim, "keys".into()).losses), [("fields-dropped", 3)]);
    let mut character = Cmx::parse(&bytes("flower.ok.cmx")).unwrap().character;
    character.skills[0].moving = 7;
    character.skills[0].motions[0].has_rotation = 3;
    let keys = Cfp::parse(&bytes("sway.ok.cfp")).unwrap();
    let losses = character.to_anim(|_| Some(&keys)).unwrap().losses;
    assert_eq!(codes_of(&losses)[2..], [("fields-dropped", 1), ("fields-dropped", 1)]);
}

proptest! {
    #[test]
    fn meshes_come_back(mesh in strategy::mesh()) {
        let bmf = mesh.to_bmf("skin", Some("texture")).value;
        prop_assert_eq!(bmf.to_skn().value.to_bmf().value.to_mesh("skin", None).value.0.geometry, mesh.geometry);
    }

    #[test]
    fn skeletons_come_back(mut skel in strategy::skel(strategy::finite())) {
        for bone in &mut skel.bones {
            bone.unknown = 1;
            bone.has_properties = Flag::from(!bone.properties.is_empty());
        }
        let made = Character::from_skel(&skel);
        prop_assert!(made.losses.is_empty());
        prop_assert_eq!(made.value.to_skel().unwrap().value, skel);
    }

    /// An animation that is converted there and back is equal, or a loss reports a difference.
    #[test]
    fn animations_come_back_or_a_loss_says_so(anim in strategy::anim(strategy::finite(), strategy::name())) {
        let made = Character::from_anim(&anim, Name::from("keys"));
        let (character, keys) = &made.value;
        let back: Anim = character.to_anim(|_| Some(keys)).unwrap().value;
        let plain = |anim: &Anim| {
            let mut anim = Anim { trailing: Vec::new(), nesting: Default::default(), ..anim.clone() };
            anim.moving = Flag::from(anim.moving.is_set());
            for motion in &mut anim.motions {
                motion.has_translation = Flag::from(motion.has_translation.is_set());
                motion.has_rotation = Flag::from(motion.has_rotation.is_set());
                motion.has_properties = Flag::from(!motion.properties.is_empty());
                motion.has_time_properties = Flag::from(!motion.time_properties.is_empty());
            }
            anim
        };
        prop_assert!(plain(&back) == plain(&anim) || !made.losses.is_empty());
    }
}

#[test]
fn fixtures_of_the_game_online_come_back() {
    let mesh = Mesh::parse(&bytes("flower.ok.mesh")).unwrap();
    assert_eq!(mesh.to_bmf("flower", None).value.geometry, mesh.geometry);
    let skel = Skel::parse(&bytes("flower.ok.skel")).unwrap();
    let again = Character::from_skel(&skel).value.to_skel().unwrap().value;
    assert_eq!(again.to_bytes().unwrap(), bytes("flower.ok.skel"));
}
