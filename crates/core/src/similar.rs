//! Suggestions for mistyped words.

use crate::Order as _;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

/// Returns the words that a mistyped word may be a typing error of, the likeliest first. A word is similar if few
/// letters differ, if one contains the other, or if they share a part such as `tag` of `tag_gun`.
pub fn similar<'w>(word: &str, words: impl IntoIterator<Item = &'w str>) -> Vec<&'w str> {
    find_similar(word, &mut words.into_iter())
}

fn find_similar<'w>(word: &str, words: &mut dyn Iterator<Item = &'w str>) -> Vec<&'w str> {
    /// The maximum number of suggestions.
    const MOST: usize = 3;
    /// Longer words get no suggestions.
    const LONGEST: usize = 64;
    let word = word.to_lowercase();
    if word.is_empty() || word.len() > LONGEST {
        return Vec::new();
    }
    let own = parts(&word);
    let mut near: Vec<(Likeness, usize, &str)> = Vec::new();
    for known in words.filter(|known| known.len() <= LONGEST) {
        let lower = known.to_lowercase();
        let apart = distance(&word, &lower);
        let parts = parts(&lower);
        let shared = own.iter().filter(|part| parts.contains(part)).count();
        let is_part = word.len().min(lower.len()) >= 3 && (lower.contains(&word) || word.contains(&lower));
        let likeness = if apart.saturating_mul(3) <= word.chars().count().max(3) {
            Likeness::Letters
        } else if is_part || shared > 0 && shared == own.len() {
            Likeness::Part
        } else if shared.saturating_mul(2) >= own.len() && shared > 0 {
            Likeness::SharedPart
        } else {
            continue;
        };
        near.push((likeness, apart, known));
    }
    near.order();
    near.dedup();
    let Some(&(best, least, _)) = near.first() else { return Vec::new() };
    // Drop words that are much less similar than the best one.
    near.retain(|(likeness, apart, _)| match likeness {
        Likeness::Letters => *apart <= least,
        Likeness::Part => true,
        Likeness::SharedPart => best == Likeness::SharedPart,
    });
    near.into_iter().take(MOST).map(|(.., known)| known).collect()
}

/// The kind of similarity of two words, the strongest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
    Letters,
    Part,
    SharedPart,
}

/// Splits a word into runs of letters and runs of digits, each at least two characters long.
fn parts(word: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut last = None;
    for c in word.chars() {
        let kind = (c.is_alphabetic(), c.is_numeric());
        match parts.last_mut().filter(|_| last == Some(kind)) {
            Some(part) => part.push(c),
            None => parts.push(c.to_string()),
        }
        last = Some(kind);
    }
    parts.retain(|part| part.len() >= 2 && part.chars().all(char::is_alphanumeric));
    parts
}

/// Returns the edit distance: the number of letters that are added, omitted, replaced or swapped with their
/// neighbour.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let (mut before, mut row): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..=b.len()).collect());
    let mut last = None;
    for (i, own) in a.chars().enumerate() {
        let mut next = vec![i.saturating_add(1)];
        for (j, other) in b.iter().enumerate() {
            let at = |list: &[usize], k: usize| list.get(k).copied().unwrap_or(usize::MAX);
            let exchanged = at(&row, j).saturating_add(usize::from(own != *other));
            let shifted = at(&next, j).min(at(&row, j.saturating_add(1))).saturating_add(1);
            let crossed = match j.checked_sub(1).and_then(|k| b.get(k)) {
                Some(left) if last == Some(*other) && *left == own => {
                    at(&before, j.saturating_sub(1)).saturating_add(1)
                }
                _ => usize::MAX,
            };
            next.push(exchanged.min(shifted).min(crossed));
        }
        before = core::mem::replace(&mut row, next);
        last = Some(own);
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_understood() {
        let words = ["bad-parent", "bad-parity", "bad-magic", "Magic", "trailing-bytes"];
        assert_eq!(similar("bad-paretn", words), ["bad-parent"]);
        assert_eq!(similar("magic", words), ["Magic", "bad-magic"]);
        assert_eq!(similar("trailing", words), ["trailing-bytes"]);
        assert!(similar("zzz", words).is_empty() && similar("", words).is_empty());
        assert_eq!((distance("ab", "ba"), distance("", "abc"), distance("kitten", "sitting")), (1, 3, 3));
    }

    #[test]
    fn names_are_alike_by_their_parts() {
        assert_eq!(
            similar("tag_gun", ["camera01.target", "tag_weapon", "gun_bone"]),
            ["tag_weapon", "gun_bone"]
        );
        assert!(similar("tag_gun", ["camera01.target", "root"]).is_empty());
        let member = "made-body.720000010000000d.oft";
        assert_eq!(similar("made-body.oft", [member, "head.oft"]), [member]);
    }
}
