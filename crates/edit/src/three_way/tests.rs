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

proptest! {
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
