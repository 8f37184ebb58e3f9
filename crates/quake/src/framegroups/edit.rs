//! Edits a text and keeps its comments.

use super::model::{FrameGroup, FrameGroups};
use super::scanner::{Event, Span, scan, spans};
use super::write::line;
use alloc::vec::Vec;
use meshwright_core::{FieldPath, WriteError};

impl FrameGroups {
    /// Returns the text with other groups. Each comes with the number of its old group, or `None` if it is new. Lines
    /// of unchanged groups stay byte for byte, other lines keep their comments, and new groups are appended. If the
    /// old text cannot be kept, a new one is written.
    ///
    /// # Errors
    /// If a group has a name that the text cannot hold, or a rate that is not a number.
    pub fn edited(&self, groups: Vec<(Option<usize>, FrameGroup)>) -> Result<Self, WriteError> {
        let text = self.edited_text(&groups)?;
        let wanted = Self::from_groups(groups.into_iter().map(|(_, group)| group).collect());
        let Some(text) = text else { return Ok(wanted) };
        let mut read = Vec::with_capacity(wanted.groups.len());
        scan(&text, |event| {
            if let Event::Group(group) = event {
                read.push(group);
            }
        });
        let same =
            read.len() == wanted.groups.len() && read.iter().zip(&wanted.groups).all(|(a, b)| a.is_same(b));
        Ok(if same { Self { groups: read, text } } else { wanted })
    }

    /// Returns the edited text; `None` if the order of the groups changed.
    fn edited_text(&self, groups: &[(Option<usize>, FrameGroup)]) -> Result<Option<Vec<u8>>, WriteError> {
        let old: Vec<Span> = spans(&self.text);
        let kept = groups.iter().map_while(|(was, _)| *was);
        let count = kept.clone().count();
        let new = groups.get(count..).unwrap_or_default();
        if !self.is_as_read() || !kept.clone().is_sorted() || new.iter().any(|(was, _)| was.is_some()) {
            return Ok(None);
        }
        let table = FieldPath::ROOT.field("groups");
        let newline: &[u8] = if self.text.windows(2).any(|w| w == b"\r\n") { b"\r\n" } else { b"\n" };
        let (mut text, mut at) = (Vec::with_capacity(self.text.len()), 0_usize);
        let mut groups = groups.iter().enumerate().peekable();
        let copy = |text: &mut Vec<u8>, from: usize, to: usize| {
            text.extend_from_slice(self.text.get(from..to).unwrap_or_default());
        };
        for (g, span) in old.iter().enumerate() {
            copy(&mut text, at, span.line.start);
            let one = groups.next_if(|(_, (was, _))| *was == Some(g));
            let Some((i, (_, group))) = one else {
                at = span.next;
                continue;
            };
            at = span.line.end;
            if self.groups.get(g).is_some_and(|old| old.is_same(group)) {
                copy(&mut text, span.line.start, span.line.end);
                continue;
            }
            line(group, &table.index(i), &mut text)?;
            text.pop();
            if span.comment < span.line.end {
                text.push(b' ');
                copy(&mut text, span.comment, span.line.end);
            }
        }
        copy(&mut text, at, self.text.len());
        if groups.peek().is_some() && text.last().is_some_and(|b| !matches!(b, b'\n' | b'\r')) {
            text.extend_from_slice(newline);
        }
        for (i, (_, group)) in groups {
            line(group, &table.index(i), &mut text)?;
            text.pop();
            text.extend_from_slice(newline);
        }
        Ok(Some(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use meshwright_core::F32;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    #[test]
    fn lines_that_say_the_same_stay() {
        let text =
            b"// all\r\n1 8 20 0 fire // hot \r\n\t9 5  /* five */ 20.0 1 walk ignored //slow\r\n14 1\r\n";
        let groups = FrameGroups::parse(text).unwrap();
        let own = |i: usize| (Some(i), groups.groups[i].clone());
        let bytes = |list| groups.edited(list).unwrap().to_bytes().unwrap();
        assert_eq!(bytes(vec![own(0), own(1), own(2)]), text);
        let moved = FrameGroup { start: 10, ..groups.groups[1].clone() };
        assert_eq!(
            bytes(vec![own(0), (Some(1), moved.clone()), (None, FrameGroup::new(3, 4))]),
            b"// all\r\n1 8 20 0 fire // hot \r\n\t10 5 20 1 walk //slow\r\n3 4 20 1\r\n"
        );
        assert_eq!(
            bytes(vec![(Some(1), moved), own(0)]),
            b"10 5 20 1 walk\n1 8 20 0 fire\n",
            "another order"
        );
        assert_eq!(bytes(vec![own(2)]), b"// all\r\n\t14 1\r\n");
    }

    proptest! {
        #[test]
        fn any_edit_says_what_was_asked_for(
            text in "([0-9]{1,2} [0-9] ?[0-9a /\"*\r\n\0-]{0,9}\n?){0,5}",
            kept in proptest::collection::vec(any::<(bool, bool)>(), 8),
            new in 0_usize..3,
        ) {
            let groups = FrameGroups::parse(text.as_bytes()).unwrap();
            let mut list = Vec::new();
            for ((i, group), (keep, change)) in groups.groups.iter().enumerate().zip(kept) {
                let mut group = group.clone();
                if change {
                    group.fps = F32::new(12.5);
                }
                if keep {
                    list.push((Some(i), group));
                }
            }
            list.extend((0..new).map(|_| (None, FrameGroup::new(1, 2))));
            if let Ok(edited) = groups.edited(list.clone()) {
                prop_assert_eq!(edited.groups.len(), list.len());
                prop_assert!(edited.groups.iter().zip(&list).all(|(a, (_, b))| a.is_same(b)));
                if let Ok(bytes) = edited.to_bytes() {
                    let again = FrameGroups::parse(&bytes).unwrap();
                    prop_assert!(again.groups.iter().zip(&list).all(|(a, (_, b))| a.is_same(b)));
                }
            }
        }
    }
}
