//! Tests what formats share to apply a patch.

use crate::support::budget;
use meshwright_edit::apply::*;
use meshwright_testkit::proptest;
use proptest::prelude::*;

#[test]
fn a_vertex_that_corners_want_otherwise_becomes_several() {
    let mut corners = Corners::new(3, &budget()).unwrap();
    let places = [
        corners.place(Some(0), 0, || 'a'),
        corners.place(Some(1), 1, || 'b'),
        // The made mesh has vertex 1 as two vertices: one is edited, the other is equal.
        corners.place(Some(1), 2, || 'c'),
        corners.place(Some(1), 3, || 'b'),
        corners.place(None, 2, || 'c'),
        corners.place(None, 4, || 'd'),
        corners.place(Some(1), 2, || 'x'),
    ];
    let (rows, numbers) = corners.numbered([[0, 1, 1]].into_iter(), |_| 'u');
    assert_eq!(rows, ['a', 'b', 'u', 'c', 'd']);
    assert_eq!(places.map(|p| numbers.index_of(p)), [0, 1, 3, 1, 3, 4, 3]);
}

#[test]
fn clips_stay_where_they_were_unless_they_share_what_was_edited() {
    let made = |native: &[(u32, u32)], after: &[(u32, u32)], found: &[Option<usize>], kept, same: bool| {
        let ranges = |list: &[(u32, u32)]| list.iter().map(|(from, to)| *from..*to).collect::<Vec<_>>();
        let runs = Runs { original: ranges(native), made: ranges(after), found: found.to_vec() };
        let made = frames(&runs, 8, kept, |_, _| same, &budget()).unwrap();
        let numbers = made.frames.iter().map(|t| (t.original, t.made)).collect::<Vec<_>>();
        (numbers, made.starts)
    };
    let first = Kept { first: true, all: false };
    let (frames, starts) = made(&[(1, 4), (4, 7)], &[(1, 4), (4, 7)], &[Some(0), Some(1)], first, true);
    assert_eq!(starts, [1, 4]);
    assert_eq!(frames.len(), 8, "frame 7 is of no clip");
    // The first clip is removed.
    let (frames, starts) = made(&[(1, 4), (4, 7)], &[(1, 4)], &[Some(1)], first, true);
    assert_eq!(starts, [1]);
    let kept = [(0, Some(0)), (4, Some(1)), (5, Some(2)), (6, Some(3)), (7, None)];
    assert_eq!(frames, kept.map(|(n, a)| (Some(n), a)));
    let (frames, starts) = made(&[(1, 4), (4, 7)], &[(1, 4)], &[Some(1)], Kept { all: true, ..first }, true);
    assert_eq!((frames.len(), starts), (8, vec![4]));
    // The first clip is longer, and a new clip shows a part of it.
    let (frames, starts) = made(&[(1, 3)], &[(1, 5), (3, 5)], &[Some(0), None], first, true);
    assert_eq!(starts, [1, 3]);
    assert_eq!(frames[1..5], [(Some(1), Some(1)), (Some(2), Some(2)), (None, Some(3)), (None, Some(4))]);
    assert_eq!(frames.len(), 10);
    // Two clips share frames, and no longer show the same poses there.
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
        let mut found: Vec<Option<usize>> = after.iter().map(|a| a.2.filter(|n| *n < native.len())).collect();
        for a in 0..found.len() {
            if found[..a].contains(&found[a]) {
                found[a] = None;
            }
        }
        let after: Vec<_> = after.into_iter().map(|(start, n, _)| start..start + n).collect();
        let runs = Runs { original: native, made: after, found };
        let made = frames(&runs, 9, Kept { first, all }, |_, _| same, &budget()).unwrap();
        for (a, (clip, start)) in runs.made.iter().zip(&made.starts).enumerate() {
            let own = made.frames.get(*start as usize..*start as usize + clip.len());
            prop_assert!(own.is_some(), "clip {a}");
            // If two sources give the same frame, either may be used.
            let shows = own.unwrap().iter().zip(clip.clone()).all(|(t, a)| t.made == Some(a as usize));
            prop_assert!(shows || same, "clip {a}");
        }
        let there = |n| made.frames.iter().any(|t| t.original == Some(n));
        prop_assert!(!all || (0..9).all(there));
        prop_assert!(!first || made.frames[0].original == Some(0));
        prop_assert!((0..9).all(|n| there(n) || runs.original.iter().any(|c| c.contains(&(n as u32)))));
    }
}
