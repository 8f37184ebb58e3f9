//! Reading a text.

use super::model::{FrameGroup, FrameGroups};
use super::numbers::is_integer;
use super::rules::CODES;
use super::scanner::{Event, scan, scan_starts};
use alloc::vec::Vec;
use meshwright_core::{Budget, Confidence, FieldPath, Parsed, ReadError, ReadOptions, Report, Source};

/// The number of bytes that detection reads.
const SNIFFED: usize = 1024;

impl FrameGroups {
    /// Returns how likely the bytes are such a text. Other texts have lines of numbers too, so the answer is
    /// `Possible` at most.
    pub fn sniff(bytes: &[u8]) -> Confidence {
        let head = bytes.get(..SNIFFED).unwrap_or(bytes);
        if head.iter().any(|b| b.is_ascii_control() && !matches!(b, b'\t' | b'\r' | b'\n')) {
            return Confidence::No;
        }
        // The last line may be incomplete.
        let lines = head.iter().rposition(|b| *b == b'\n').filter(|_| head.len() < bytes.len());
        let head = lines.and_then(|end| head.get(..end)).unwrap_or(head);
        let (mut numbers, mut others) = (0_u32, 0_u32);
        scan_starts(head, |start, length| {
            let seen = if is_integer(start) && is_integer(length) { &mut numbers } else { &mut others };
            *seen = seen.saturating_add(1);
        });
        if numbers > 0 && others == 0 { Confidence::Possible } else { Confidence::No }
    }

    /// Reads a text. No text is malformed: a token that is not a number counts as 0.
    ///
    /// # Errors
    /// If the text needs more memory than the default limits allow.
    pub fn parse(text: &[u8]) -> Result<Self, ReadError> {
        Self::parse_with(text, &ReadOptions::default()).map(|parsed| parsed.model)
    }

    /// Reads a text with other limits.
    ///
    /// # Errors
    /// If the text needs more memory than the limits allow.
    pub fn parse_with(text: &[u8], options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        let budget = Budget::new(options.limits);
        let source = Source::file(text, CODES, &budget);
        source.charge(&FieldPath::ROOT, 0, "text", text.len() as u64, 1)?;
        // Groups are counted first, because a growing vector allocates more than it holds.
        let (mut count, mut names) = (0_usize, 0_usize);
        scan(text, |event| {
            if let Event::Group(group) = event {
                count = count.saturating_add(1);
                names = names.saturating_add(group.name.len());
            }
        });
        let path = FieldPath::ROOT.field("groups");
        source.charge(&path, 0, "groups", count as u64, size_of::<FrameGroup>())?;
        source.charge(&path, 0, "group names", names as u64, 1)?;
        let mut groups = Vec::with_capacity(count);
        scan(text, |event| {
            if let Event::Group(group) = event {
                groups.push(group);
            }
        });
        Ok(Parsed::new(Self { groups, text: text.to_vec() }, Report::new()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_numbers_may_be_clips() {
        let possible: [&[u8]; 4] =
            [b"0 1", b"// start length\n1 6 6 1 idle\n-2 +8 12\r\n", b"\"1\" 2 x", &b"1 2 3\n".repeat(500)];
        for text in possible {
            assert_eq!(FrameGroups::sniff(text), Confidence::Possible);
        }
        for other in [&b""[..], b"// only", b"version 1\n", b"1 a", b"1\n2\n", b"1 2\0", b"1 2\nnodes"] {
            assert_eq!(FrameGroups::sniff(other), Confidence::No, "{other:?}");
        }
    }

    #[test]
    fn quotes_and_comments_take_linear_time() {
        let text = b"/**/ 1 2 3 1 \"q\"\n".repeat(100_000);
        let deadline = meshwright_testkit::Deadline::seconds(2);
        assert_eq!(FrameGroups::parse(&text).unwrap().groups.len(), 100_000);
        deadline.met("a list of clips");
    }

    #[test]
    fn many_lines_stay_within_the_limit() {
        let text = b"1 2\n".repeat(1000);
        let limits = meshwright_core::Limits::default().with_memory(20_000);
        let e = FrameGroups::parse_with(&text, &ReadOptions::default().with_limits(limits)).unwrap_err();
        assert_eq!(e.code(), "limit");
    }
}
