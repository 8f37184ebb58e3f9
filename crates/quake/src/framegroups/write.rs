//! Writes `.framegroups` text.

use super::model::{FrameGroup, FrameGroups};
use super::numbers::number;
use super::rules;
use super::scanner::{Event, is_space, scan};
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::text::Escaped;
use meshwright_core::{FieldPath, WriteError};

impl FrameGroups {
    /// Returns the text: the one that was read, or a new one if groups were edited.
    ///
    /// # Errors
    /// If an edited group has a name that the text cannot hold, or a rate that is not a number.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        if self.is_as_read() {
            return Ok(self.text.clone());
        }
        let mut bytes = Vec::new();
        let table = FieldPath::ROOT.field("groups");
        for (i, group) in self.groups.iter().enumerate() {
            line(group, &table.index(i), &mut bytes)?;
        }
        Ok(bytes)
    }

    /// Returns true if the groups are those of the text.
    pub(super) fn is_as_read(&self) -> bool {
        let mut stored = self.groups.iter();
        let mut same = true;
        scan(&self.text, |event| {
            if let Event::Group(group) = event {
                same &= stored.next().is_some_and(|g| g.is_same(&group));
            }
        });
        same && stored.next().is_none()
    }
}

pub(super) fn line(group: &FrameGroup, path: &FieldPath<'_>, bytes: &mut Vec<u8>) -> Result<(), WriteError> {
    let fps = group.fps.get();
    if !fps.is_finite() {
        let message = format!("{fps} frames per second cannot be written");
        return Err(WriteError::invalid(rules::BAD_FPS, &path.field("fps"), message));
    }
    // Use the shortest text that gives the same rate when it is read as 64 bits and rounded.
    let (short, long) = (format!("{fps}"), format!("{}", f64::from(fps)));
    let rate = if number(short.as_bytes()).to_bits() == fps.to_bits() { short } else { long };
    let numbers = format!("{} {} {rate} {}", group.start, group.length, u8::from(group.looping));
    bytes.extend_from_slice(numbers.as_bytes());
    let name = group.name.as_slice();
    if !name.is_empty() {
        bytes.push(b' ');
        let plain = !name.iter().any(|&b| is_space(b))
            && !matches!(name.get(..2), Some(b"//" | b"/*"))
            && !name.starts_with(b"\"");
        if !plain && (name.contains(&b'"') || name.contains(&0) || name == b"\n") {
            let message = format!("{} cannot be quoted", Escaped(name));
            return Err(WriteError::invalid(rules::BAD_NAME, &path.field("name"), message));
        }
        let quote: &[u8] = if plain { b"" } else { b"\"" };
        [quote, name, quote].iter().for_each(|part| bytes.extend_from_slice(part));
    }
    bytes.push(b'\n');
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::{Budget, F32, Limits};
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    #[test]
    fn a_text_is_rewritten_only_when_a_group_changes() {
        let text = b"// fire\r\n1 8 20 0 // fire\r\n\t9 5\r\n";
        let mut groups = FrameGroups::parse(text).unwrap();
        assert_eq!(groups.to_bytes().unwrap(), text);
        groups.groups[0].name = b"fire now".to_vec();
        assert_eq!(groups.to_bytes().unwrap(), b"1 8 20 0 \"fire now\"\n9 5 20 1\n");
        groups.groups[0].name = b"a\"b c".to_vec();
        assert!(groups.to_bytes().is_err());
    }

    proptest! {
        #[test]
        fn written_groups_are_read_again(
            list in proptest::collection::vec(
                (any::<i32>(), any::<i32>(), any::<u32>(), any::<bool>(), "[a-z /*\"_.]{0,12}"), 0..6)
        ) {
            let groups: Vec<_> = list.into_iter().map(|(start, length, bits, looping, name)| FrameGroup {
                fps: F32::from_bits(bits), looping, name: name.into_bytes(), ..FrameGroup::new(start, length)
            }).collect();
            let groups = FrameGroups::from_groups(groups);
            if let Ok(text) = groups.to_bytes() {
                let again = FrameGroups::parse(&text).unwrap();
                prop_assert_eq!(again.groups.len(), groups.groups.len());
                for (a, b) in again.groups.iter().zip(&groups.groups) {
                    prop_assert!(a.is_same(b), "{:?} {:?}", a, b);
                }
                prop_assert_eq!(again.to_bytes().unwrap(), text);
            }
        }

        #[test]
        fn any_text_gives_clips_within_the_model(text in "[0-9a \t\r\n/*\"\\.e\0-]{0,60}", poses in 0_usize..10) {
            let groups = FrameGroups::parse(text.as_bytes()).unwrap();
            prop_assert_eq!(groups.to_bytes().unwrap(), text.as_bytes());
            groups.validate();
            let budget = Budget::new(Limits::default());
            let clips = groups.resolve(poses, &budget).unwrap().clips;
            for clip in &clips {
                prop_assert!(clip.length >= 1 && clip.frames().end as usize <= poses && clip.fps >= 1.0);
            }
            prop_assert_eq!(FrameGroups::from_clips(clips.clone()).resolve(poses, &budget).unwrap().clips, clips);
        }
    }
}
