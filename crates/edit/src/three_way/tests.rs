use super::*;
use alloc::vec;
use meshwright_core::{Budget, Limits};
use meshwright_scene::Loss;
use proptest::prelude::*;

fn budget() -> Budget {
    Budget::new(Limits::default())
}

#[test]
fn names_find_records_and_content_finds_renamed_ones() {
    type Named = (&'static str, u8);
    let find = |before: &[Named], after: &[Named]| {
        let names = |list: &[Named]| list.iter().map(|r| r.0).collect::<Vec<_>>();
        named(&names(before), &names(after), |b, a| before[b].1 == after[a].1, &budget()).unwrap()
    };
    assert_eq!(find(&[("a", 1), ("b", 2)], &[("b", 2), ("c", 3)]), [Some(1), None]);
    // The first of two with one name is gone.
    assert_eq!(find(&[("a", 1), ("a", 2)], &[("a", 2)]), [Some(1)]);
    assert_eq!(find(&[("a", 1), ("a", 2)], &[("a", 7), ("a", 2)]), [Some(0), Some(1)]);
    assert_eq!(find(&[("a", 1), ("b", 2)], &[("a", 1), ("c", 2)]), [Some(0), Some(1)]);
    assert_eq!(find(&[("a", 1), ("b", 2)], &[("a", 1), ("c", 3)]), [Some(0), None]);
}

/// Of meshes that are shaped alike the one of its material, where there is such.
#[test]
fn a_mesh_with_another_name_and_material_is_found_by_its_triangles() {
    use meshwright_scene::MaterialId;
    use meshwright_scene::Mesh;
    use meshwright_scene::Scene;
    let mesh = |name: &str, corners: usize, material: usize| {
        let last = u32::try_from(corners).unwrap() - 1;
        Mesh::new(name, vec![[0.0; 3]; corners], vec![[0, 1, last]]).with_material(MaterialId(material))
    };
    let scene = |list: Vec<Mesh>| Scene::new("s").with_meshes(list);
    let native = scene(vec![mesh("a", 3, 0), mesh("b", 4, 0), mesh("c", 4, 1)]);
    let find = |list: Vec<Mesh>| meshes(&native, &scene(list), &budget()).unwrap();
    assert_eq!(find(vec![mesh("x", 3, 7), mesh("c", 4, 1), mesh("y", 4, 7)]), [Some(0), Some(2), Some(1)]);
    assert_eq!(find(vec![mesh("x", 4, 1), mesh("y", 4, 0), mesh("z", 5, 0)]), [Some(2), Some(1), None]);
    assert_eq!(find(vec![mesh("x", 4, 5), mesh("y", 4, 5), mesh("z", 4, 5)]), [Some(1), Some(2), None]);
}

/// Each comparison costs as many steps as there are triangles.
#[test]
fn triangles_that_are_compared_are_charged() {
    use meshwright_scene::MaterialId;
    use meshwright_scene::Mesh;
    use meshwright_scene::Scene;
    let scene = |name: &str, last: u32, material| {
        let mut triangles = vec![[0, 1, 2]; 500];
        triangles.push([0, 1, last]);
        let mesh = |k: u32| {
            Mesh::new(alloc::format!("{name}{k}"), vec![[0.0; 3]; 9], triangles.clone())
                .with_material(MaterialId(material))
        };
        Scene::new("s").with_meshes((0..8).map(mesh).collect())
    };
    let native = scene("n", 2, 0);
    for material in [0, 1] {
        let (budget, edited) = (budget(), scene("e", 3, material));
        let before = budget.work_left();
        assert_eq!(meshes(&native, &edited, &budget).unwrap(), [None; 8]);
        assert!(before - budget.work_left() >= 8 * 8 * 501);
        let few = Budget::new(Limits::default().with_memory(1500));
        assert_eq!(meshes(&native, &edited, &few).unwrap_err().what, "triangles");
    }
}

#[test]
fn records_are_found_in_their_order() {
    let find = |before: &[u64], after: &[u64]| sequence(before, after, &budget()).unwrap();
    assert_eq!(find(&[1, 2, 3], &[1, 9, 3]), [Some(0), Some(1), Some(2)], "one changed");
    assert_eq!(
        find(&[1, 2, 3, 4, 5], &[1, 3, 9, 5]),
        [Some(0), Some(2), Some(3), Some(4)],
        "gone and changed"
    );
    assert_eq!(find(&[1, 2, 3], &[1, 2, 3, 7, 8]), [Some(0), Some(1), Some(2), None, None]);
    assert_eq!(find(&[5, 5, 5, 6], &[5, 5, 6]), [Some(0), Some(1), Some(3)]);
    assert_eq!(find(&[], &[1]), [None]);
}

#[test]
fn native_records_stay_and_new_ones_come_behind_what_they_came_behind() {
    let list = |native, before: &[Option<usize>], after: &[Option<usize>], made_up| {
        let trios = Trios::of(native, before, after, made_up, &budget()).unwrap();
        for (place, trio) in trios.records.iter().enumerate() {
            assert!(trio.native.is_none_or(|n| trios.of_native(n) == Some(place)));
            assert!(trio.before.is_none_or(|b| trios.of_before(b) == Some(place)));
            assert!(trio.after.is_none_or(|a| trios.of_after(a) == Some(place)));
        }
        trios.records.iter().map(|t| (t.native, t.after)).collect::<Vec<_>>()
    };
    // Native record 1 is in no scene; 2 was deleted; there is a new one.
    let before = [Some(0), Some(2), Some(3)];
    assert_eq!(
        list(4, &before, &[Some(0), None, Some(2)], false),
        [(Some(0), Some(0)), (None, Some(1)), (Some(1), None), (Some(3), Some(2))]
    );
    assert_eq!(list(1, &[None, Some(0)], &[Some(0), Some(1)], false), [(Some(0), Some(1))]);
    assert_eq!(list(1, &[None, Some(0)], &[Some(0), Some(1)], true), [(None, Some(0)), (Some(0), Some(1))]);
    // The conversion has another order than the native model.
    assert_eq!(
        list(3, &[Some(2), Some(0), Some(1)], &[Some(0), None, Some(1)], false),
        [(Some(0), Some(2)), (Some(2), Some(0)), (None, Some(1))]
    );
    // Another order.
    assert_eq!(
        list(3, &[Some(0), Some(1)], &[Some(1), None, Some(0)], false),
        [(Some(1), Some(0)), (None, Some(1)), (Some(0), Some(2)), (Some(2), None)]
    );
    assert!(Trios::of(2, &[Some(0)], &[Some(0)], false, &budget()).unwrap().is_native());
    assert!(!Trios::of(2, &[Some(0)], &[], false, &budget()).unwrap().is_native());
}

#[test]
fn what_was_not_edited_is_native() {
    assert_eq!((pick(1, &2, 2), pick(1, &2, 3)), (1, 3));
    let whole = Trio { native: Some(0), before: Some(0), after: Some(0) };
    let value = |trio: Trio, after: u8| trio.pick(|_| Some(1_u8), |_| Some(2), |_| Some(after));
    assert_eq!((value(whole, 2), value(whole, 3)), (Some(1), Some(3)));
    assert_eq!(value(Trio { native: None, ..whole }, 2), Some(2));
    assert_eq!(value(Trio { after: None, ..whole }, 3), Some(1));
}

#[test]
fn losses_that_were_there_before_are_none() {
    let a = |path: &str| Loss::new("a", path, "").counted(2);
    let new =
        new_losses(&[a("meshes[1]"), a("x")], vec![a("meshes[0]"), a("meshes[2]"), Loss::new("b", "", "")]);
    assert_eq!(new, [a("meshes[2]"), Loss::new("b", "", "")]);
}

#[test]
fn clips_stay_where_they_were_unless_they_share_what_was_edited() {
    let made = |native: &[(u32, u32)], after: &[(u32, u32)], found: &[Option<usize>], kept, same: bool| {
        let ranges = |list: &[(u32, u32)]| list.iter().map(|(from, to)| *from..*to).collect::<Vec<_>>();
        let runs = Runs {
            native: ranges(native),
            before: ranges(native),
            after: ranges(after),
            found: found.to_vec(),
        };
        let made = frames(&runs, 8, kept, |_, _| same, &budget()).unwrap();
        let numbers = made.frames.iter().map(|t| (t.native, t.after)).collect::<Vec<_>>();
        (numbers, made.starts)
    };
    let first = Kept { first: true, all: false };
    let (frames, starts) = made(&[(1, 4), (4, 7)], &[(1, 4), (4, 7)], &[Some(0), Some(1)], first, true);
    assert_eq!(starts, [1, 4]);
    assert_eq!(frames.len(), 8, "frame 7 is of no clip");
    // The first is gone.
    let (frames, starts) = made(&[(1, 4), (4, 7)], &[(1, 4)], &[Some(1)], first, true);
    assert_eq!(starts, [1]);
    let kept = [(0, Some(0)), (4, Some(1)), (5, Some(2)), (6, Some(3)), (7, None)];
    assert_eq!(frames, kept.map(|(n, a)| (Some(n), a)));
    let (frames, starts) = made(&[(1, 4), (4, 7)], &[(1, 4)], &[Some(1)], Kept { all: true, ..first }, true);
    assert_eq!((frames.len(), starts), (8, vec![4]));
    // The first is longer, and a new one shows part of it.
    let (frames, starts) = made(&[(1, 3)], &[(1, 5), (3, 5)], &[Some(0), None], first, true);
    assert_eq!(starts, [1, 3]);
    assert_eq!(frames[1..5], [(Some(1), Some(1)), (Some(2), Some(2)), (None, Some(3)), (None, Some(4))]);
    assert_eq!(frames.len(), 10);
    // Two share frames, and no longer show the same there.
    let (frames, starts) = made(&[(1, 4), (2, 4)], &[(1, 4), (4, 6)], &[Some(0), Some(1)], first, false);
    assert_eq!((frames.len(), starts), (10, vec![1, 8]));
}

proptest! {
    #[test]
    fn any_clips_have_their_frames(
        native in proptest::collection::vec((0_u32..8, 1_u32..5), 0..4),
        after in proptest::collection::vec((0_u32..9, 1_u32..5, proptest::option::of(0_usize..4)), 0..5),
        (same, first, all) in any::<(bool, bool, bool)>(),
    ) {
        let native: Vec<_> = native.into_iter().map(|(start, n)| start..(start + n).min(9)).collect();
        let mut found: Match = after.iter().map(|a| a.2.filter(|n| *n < native.len())).collect();
        for a in 0..found.len() {
            if found[..a].contains(&found[a]) {
                found[a] = None;
            }
        }
        let after: Vec<_> = after.into_iter().map(|(start, n, _)| start..start + n).collect();
        let runs = Runs { before: native.clone(), native, after, found };
        let made = frames(&runs, 9, Kept { first, all }, |_, _| same, &budget()).unwrap();
        for (a, (clip, start)) in runs.after.iter().zip(&made.starts).enumerate() {
            let own = made.frames.get(*start as usize..*start as usize + clip.len());
            prop_assert!(own.is_some(), "clip {a}");
            // What two ways lead to the same is there by one of them.
            let shows = own.unwrap().iter().zip(clip.clone()).all(|(t, a)| t.after == Some(a as usize));
            prop_assert!(shows || same, "clip {a}");
        }
        let there = |n| made.frames.iter().any(|t| t.native == Some(n));
        prop_assert!(!all || (0..9).all(there));
        prop_assert!(!first || made.frames[0].native == Some(0));
        prop_assert!((0..9).all(|n| there(n) || runs.native.iter().any(|c| c.contains(&(n as u32)))));
    }

    #[test]
    fn any_lists_give_each_record_once(
        before in proptest::collection::vec(0_u64..6, 0..12),
        after in proptest::collection::vec(0_u64..6, 0..12),
    ) {
        for found in [sequence(&before, &after, &budget()).unwrap(),
            named(&before, &after, |b, a| b % 3 == a % 3, &budget()).unwrap()] {
            prop_assert_eq!(found.len(), after.len());
            let mut seen: Vec<_> = found.iter().flatten().collect();
            seen.sort_unstable();
            let count = seen.len();
            seen.dedup();
            prop_assert_eq!(seen.len(), count);
            prop_assert!(found.iter().flatten().all(|b| *b < before.len()));
            let identity: Vec<_> = (0..before.len()).map(Some).collect();
            let trios = Trios::of(before.len(), &identity, &found, false, &budget()).unwrap();
            prop_assert_eq!(trios.records.len(), after.len());
            prop_assert!((0..after.len()).all(|a| trios.of_after(a).is_some()));
        }
    }
}
