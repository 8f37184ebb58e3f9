//! The `.framegroups` companion: clips as text, by the rules of DarkPlaces.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::text::Escaped;
use meshwright_core::{
    Budget, Codes, F32, Parsed, Path, ReadError, ReadOptions, Report, Severity, Source, WriteError,
};

const CODES: Codes = Codes {
    short: &meshwright_core::Rule::error("out-of-file", meshwright_core::Kind::Truncated, "", ""),
    count: &meshwright_core::Rule::error("out-of-file", meshwright_core::Kind::BadCount, "", ""),
    limit: &meshwright_core::Rule::error("limit", meshwright_core::Kind::Limit, "", ""),
};

/// A clip's name is cut to this many bytes.
const MAX_NAME: usize = 31;

/// The clip list of a model, from the text file `<model file name>.framegroups`.
///
/// One clip per line: `start length [fps [loop [name [ignored ...]]]]`. The text is kept, so that it is written
/// byte for byte as long as no group changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrameGroups {
    /// The clips as the text has them, before they are held against a model.
    pub groups: Vec<FrameGroup>,
    text: Vec<u8>,
}

/// One line of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameGroup {
    /// The first frame as written; may lie outside the model.
    pub start: i32,
    /// The length as written; may be none or too much.
    pub length: i32,
    /// Frames per second as written, 20 where the line has none.
    pub fps: F32,
    /// Whether the clip loops; true where the line does not say.
    pub looping: bool,
    /// The name; empty where the line has none.
    pub name: Vec<u8>,
    /// Where the line's first number is in the text.
    offset: u64,
}

impl FrameGroup {
    /// A looping group without a name at 20 frames per second.
    pub fn new(start: i32, length: i32) -> Self {
        Self { start, length, fps: F32::new(20.0), looping: true, name: Vec::new(), offset: 0 }
    }

    fn same(&self, other: &Self) -> bool {
        let fields = |g: &Self| (g.start, g.length, g.fps, g.looping);
        fields(self) == fields(other) && self.name == other.name
    }
}

/// A clip of a model: a range of its poses.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipRange {
    /// Its name, as bytes.
    pub name: Vec<u8>,
    /// Its first pose.
    pub start: u32,
    /// How many poses it has, at least 1.
    pub length: u32,
    /// Frames per second.
    pub fps: f32,
    /// Whether the last pose blends into the first.
    pub looping: bool,
}

impl ClipRange {
    /// The poses of the model that the clip has.
    pub fn frames(&self) -> core::ops::Range<u32> {
        self.start..self.start.saturating_add(self.length)
    }
}

/// What a model makes of a [`FrameGroups`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ResolvedClips {
    /// The clips. Empty when the text has none: then the model's own list stays.
    pub clips: Vec<ClipRange>,
    /// What was changed to fit the model.
    pub report: Report,
}

impl FrameGroups {
    /// Reads a text. No text is malformed: what cannot be read as a number is 0.
    ///
    /// # Errors
    /// When the text would take more memory than the default limits allow.
    pub fn parse(text: &[u8]) -> Result<Self, ReadError> {
        Self::parse_with(text, &ReadOptions::default()).map(|parsed| parsed.model)
    }

    /// Reads a text with other limits; there is nothing to forgive.
    ///
    /// # Errors
    /// When the text would take more memory than the limits allow.
    pub fn parse_with(text: &[u8], options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        let budget = Budget::new(options.limits);
        let source = Source::file(text, CODES, &budget);
        let (mut groups, mut limit) = (Vec::new(), Ok(()));
        source.charge(&Path::ROOT, 0, "text", text.len() as u64, 1)?;
        scan(text, |event| {
            if let Event::Group(group) = event
                && limit.is_ok()
            {
                let size = group.name.len().saturating_add(size_of::<FrameGroup>());
                limit = source.charge(&Path::ROOT.field("groups"), group.offset, "groups", 1, size);
                if limit.is_ok() {
                    groups.push(group);
                }
            }
        });
        limit?;
        Ok(Parsed::new(Self { groups, text: text.to_vec() }, Report::new()))
    }

    /// A list of groups without a text.
    pub fn from_groups(groups: Vec<FrameGroup>) -> Self {
        Self { groups, text: Vec::new() }
    }

    /// A group for each clip, without a text. What 32 bits with a sign cannot hold is cut to the greatest they can.
    pub fn from_clips(clips: impl IntoIterator<Item = ClipRange>) -> Self {
        let number = |n: u32| i32::try_from(n).unwrap_or(i32::MAX);
        let group = |clip: ClipRange| FrameGroup {
            fps: F32::new(clip.fps),
            looping: clip.looping,
            name: clip.name,
            ..FrameGroup::new(number(clip.start), number(clip.length))
        };
        Self::from_groups(clips.into_iter().map(group).collect())
    }

    /// What is odd with the text by itself: lines without a length (`missing-length`), comments and quotes
    /// without an end (`unterminated-comment`, `unterminated-quote`), no clip at all (`no-clips`).
    pub fn validate(&self) -> Report {
        let mut report = Report::new();
        scan(&self.text, |event| {
            let (code, at, message) = match event {
                Event::Group(_) => return,
                Event::MissingLength(at) => ("missing-length", at, "the line has a start but no length"),
                Event::OpenComment(at) => ("unterminated-comment", at, "the comment has no end"),
                Event::OpenQuote(at) => ("unterminated-quote", at, "the quote has no end"),
            };
            report.warn(code, &Path::ROOT.field("text"), Some(at), || message);
        });
        if self.groups.is_empty() {
            let message = || "no clip: the model's own list stays";
            report.add(Severity::Info, "no-clips", &Path::ROOT, None, message);
        }
        report
    }

    /// The clips of a model with `num_poses` poses (DPM: frames): starts and lengths clamped to it, rates to at
    /// least 1, names cut to 31 bytes, `groupified_<n>_anim` where there is none.
    pub fn resolve(&self, num_poses: usize) -> ResolvedClips {
        let mut report = Report::new();
        let mut clips = Vec::new();
        let poses = u32::try_from(num_poses).unwrap_or(u32::MAX);
        let table = Path::ROOT.field("groups");
        for (i, group) in self.groups.iter().enumerate().filter(|_| poses > 0) {
            let path = table.index(i);
            let at = Some(group.offset).filter(|_| !self.text.is_empty());
            let start = clamp(group.start, 0, poses.saturating_sub(1));
            if i64::from(start) != i64::from(group.start) {
                let message = || format!("{} of {poses} poses, {start} taken", group.start);
                report.warn("start-clamped", &path.field("start"), at, message);
            }
            let length = clamp(group.length, 1, poses.saturating_sub(start));
            if i64::from(length) != i64::from(group.length) {
                let message = || format!("{} from pose {start} of {poses}, {length} taken", group.length);
                report.warn("length-clamped", &path.field("length"), at, message);
            }
            let stored = group.fps.get();
            let fps = if stored.is_finite() { stored.max(1.0) } else { 1.0 };
            if fps.to_bits() != stored.to_bits() {
                let message = || format!("{:?} frames per second, {fps} taken", group.fps);
                report.warn("fps-clamped", &path.field("fps"), at, message);
            }
            let mut name = group.name.clone();
            if name.is_empty() {
                name = format!("groupified_{i}_anim").into_bytes();
            } else if name.len() > MAX_NAME {
                report.warn("name-cut", &path.field("name"), at, || format!("{} is cut", Escaped(&name)));
                name.truncate(MAX_NAME);
            }
            clips.push(ClipRange { name, start, length, fps, looping: group.looping });
        }
        ResolvedClips { clips, report }
    }

    /// The text: as it was read while the groups are what it says, a new one after a change.
    ///
    /// # Errors
    /// When a changed group has a name that the text form cannot express, or a rate that is not a number.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        let mut stored = self.groups.iter();
        let mut same = true;
        scan(&self.text, |event| {
            if let Event::Group(group) = event {
                same &= stored.next().is_some_and(|g| g.same(&group));
            }
        });
        if same && stored.next().is_none() {
            return Ok(self.text.clone());
        }
        let mut text = String::new();
        let mut bytes = Vec::new();
        let table = Path::ROOT.field("groups");
        for (i, group) in self.groups.iter().enumerate() {
            let fps = group.fps.get();
            if !fps.is_finite() {
                let message = format!("{fps} frames per second cannot be written");
                return Err(WriteError::invalid("bad-fps", &table.index(i).field("fps"), message));
            }
            text.clear();
            // The shortest text that reads back through 64 bits as the same rate.
            let (short, long) = (format!("{fps}"), format!("{}", f64::from(fps)));
            let rate = if number(short.as_bytes()).to_bits() == fps.to_bits() { short } else { long };
            text.push_str(&format!("{} {} {rate} {}", group.start, group.length, u8::from(group.looping)));
            bytes.extend_from_slice(text.as_bytes());
            if !group.name.is_empty() {
                bytes.push(b' ');
                let plain = !group.name.iter().any(|&b| is_space(b))
                    && !matches!(group.name.get(..2), Some(b"//" | b"/*"))
                    && !group.name.starts_with(b"\"");
                if plain {
                    bytes.extend_from_slice(&group.name);
                } else if group.name.contains(&b'"') || group.name.contains(&0) || group.name == b"\n" {
                    let message = format!("{} cannot be quoted", Escaped(&group.name));
                    return Err(WriteError::invalid("bad-name", &table.index(i).field("name"), message));
                } else {
                    bytes.push(b'"');
                    bytes.extend_from_slice(&group.name);
                    bytes.push(b'"');
                }
            }
            bytes.push(b'\n');
        }
        Ok(bytes)
    }
}

fn clamp(value: i32, least: u32, most: u32) -> u32 {
    u32::try_from(value).unwrap_or(0).clamp(least, most.max(least))
}

/// What a text holds, in order.
enum Event {
    Group(FrameGroup),
    MissingLength(u64),
    OpenComment(u64),
    OpenQuote(u64),
}

/// Reads the text line by line as the engine does.
fn scan(text: &[u8], mut found: impl FnMut(Event)) {
    let mut tokens = Tokens { text, at: 0 };
    while let Some(first) = tokens.next(&mut found) {
        if first.is_newline() {
            continue;
        }
        let mut more = || tokens.next(&mut found).filter(|t| !t.is_newline());
        let Some(length) = more() else {
            found(Event::MissingLength(first.at as u64));
            continue;
        };
        let mut group = FrameGroup::new(integer(first.text), integer(length.text));
        group.offset = first.at as u64;
        if let Some(fps) = more() {
            group.fps = F32::new(number(fps.text));
            if let Some(looping) = more() {
                group.looping = integer(looping.text) != 0;
                if let Some(name) = more() {
                    group.name = name.text.to_vec();
                    while more().is_some() {}
                }
            }
        }
        found(Event::Group(group));
    }
}

struct Token<'a> {
    text: &'a [u8],
    at: usize,
}

impl Token<'_> {
    /// A line's end; a quoted newline is one as well.
    fn is_newline(&self) -> bool {
        self.text == b"\n"
    }
}

struct Tokens<'a> {
    text: &'a [u8],
    at: usize,
}

fn is_space(b: u8) -> bool {
    matches!(b, 0 | b' ' | b'\t' | b'\r' | b'\n')
}

impl<'a> Tokens<'a> {
    fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip(&mut self, n: usize) {
        self.at = self.at.saturating_add(n);
    }

    /// Moves behind the next bytes that are `pattern`, or to the end and returns false.
    fn skip_past(&mut self, pattern: &[u8]) -> bool {
        let rest = self.rest();
        let stop = |i: &usize| rest.get(*i..).is_none_or(|r| r.starts_with(pattern) || r.starts_with(&[0]));
        let n = (0..rest.len()).find(stop).unwrap_or(rest.len());
        let found = rest.get(n..).is_some_and(|r| r.starts_with(pattern));
        self.skip(if found { n.saturating_add(pattern.len()) } else { n });
        found
    }

    /// The next token; a line's end is the token `\n`. A NUL ends the text.
    fn next(&mut self, found: &mut impl FnMut(Event)) -> Option<Token<'a>> {
        loop {
            self.skip(self.rest().iter().take_while(|b| matches!(b, b' ' | b'\t')).count());
            let (at, rest) = (self.at, self.rest());
            match rest {
                [] | [0, ..] => return None,
                [b'\r', b'\n', ..] => {
                    self.skip(2);
                    return Some(Token { text: b"\n", at });
                }
                [b'\r' | b'\n', ..] => {
                    self.skip(1);
                    return Some(Token { text: b"\n", at });
                }
                [b'/', b'/', ..] => {
                    self.skip(rest.iter().take_while(|b| !matches!(b, 0 | b'\r' | b'\n')).count());
                }
                [b'/', b'*', ..] => {
                    // The star that opens may be the one that closes: `/*/` is a whole comment.
                    self.skip(1);
                    if !self.skip_past(b"*/") {
                        found(Event::OpenComment(at as u64));
                    }
                }
                [b'"', ..] => {
                    self.skip(1);
                    let start = self.at;
                    let closed = self.skip_past(b"\"");
                    if !closed {
                        found(Event::OpenQuote(at as u64));
                    }
                    let end = self.at.saturating_sub(closed.into());
                    return Some(Token { text: self.text.get(start..end).unwrap_or_default(), at });
                }
                _ => {
                    self.skip(rest.iter().take_while(|b| !is_space(**b)).count());
                    return Some(Token { text: self.text.get(at..self.at).unwrap_or_default(), at });
                }
            }
        }
    }
}

fn skip_c_space(text: &[u8]) -> &[u8] {
    let n = text.iter().take_while(|b| matches!(b, b' ' | 9..=13)).count();
    text.get(n..).unwrap_or_default()
}

/// `atoi`: a sign and digits, whatever follows; 0 without digits. What 32 bits cannot hold is cut to the
/// nearest they can.
fn integer(text: &[u8]) -> i32 {
    let text = skip_c_space(text);
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let mut value = 0_i64;
    for b in digits.iter().take_while(|b| b.is_ascii_digit()) {
        let digit = i64::from(b.saturating_sub(b'0'));
        value = value.saturating_mul(10).saturating_add(digit).min(u32::MAX.into());
    }
    let value = if negative { value.saturating_neg() } else { value };
    i32::try_from(value).unwrap_or(if negative { i32::MIN } else { i32::MAX })
}

/// `atof`: the longest decimal number at the front, 0 without one.
fn number(text: &[u8]) -> f32 {
    let text = skip_c_space(text);
    let digits = |from: usize| text.iter().skip(from).take_while(|b| b.is_ascii_digit()).count();
    let sign = |at: usize| usize::from(matches!(text.get(at), Some(b'-' | b'+')));
    let start = sign(0);
    let mut end = start.saturating_add(digits(start));
    let mut any = end > start;
    if text.get(end) == Some(&b'.') {
        let fraction = end.saturating_add(1);
        end = fraction.saturating_add(digits(fraction));
        any |= end > fraction;
    }
    if !any {
        return 0.0;
    }
    if matches!(text.get(end), Some(b'e' | b'E')) {
        let mark = end.saturating_add(1);
        let exponent = mark.saturating_add(sign(mark));
        if digits(exponent) > 0 {
            end = exponent.saturating_add(digits(exponent));
        }
    }
    let text = text.get(..end).and_then(|t| core::str::from_utf8(t).ok()).unwrap_or("0");
    // The engine reads 64 bits and keeps 32.
    #[expect(clippy::cast_possible_truncation, reason = "rounding to the stored precision is the purpose")]
    let value = text.parse::<f64>().unwrap_or(0.0) as f32;
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_read_as_c_does() {
        for (text, expected) in [
            ("1.9", 1),
            ("abc", 0),
            ("0x10", 0),
            ("-5x", -5),
            ("+7", 7),
            ("99999999999999999999999", i32::MAX),
            ("-99999999999999999999999", i32::MIN),
            ("", 0),
        ] {
            assert_eq!(integer(text.as_bytes()), expected, "{text}");
        }
        for (text, expected) in [
            ("1e1", 10.0),
            ("1e", 1.0),
            (".5x", 0.5),
            (".", 0.0),
            ("-.5e-1", -0.05),
            ("5.", 5.0),
            ("e5", 0.0),
        ] {
            assert_eq!(number(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn odd_texts_are_reported() {
        let codes = |text: &str| {
            let report = FrameGroups::parse(text.as_bytes()).unwrap().validate();
            report.findings().iter().map(|f| (f.code, f.offset)).collect::<Vec<_>>()
        };
        assert_eq!(codes("1 2\n 5\n"), [("missing-length", Some(5))]);
        assert_eq!(codes("1 2 /* x"), [("unterminated-comment", Some(4))]);
        assert_eq!(codes("1 2 3 1 \"x"), [("unterminated-quote", Some(8))]);
        assert_eq!(codes("// nothing"), [("no-clips", None)]);
        assert_eq!(codes("/*/ 1 2"), [], "a comment of three characters");
    }

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

    #[test]
    fn quotes_and_comments_take_linear_time() {
        let text = b"/**/ 1 2 3 1 \"q\"\n".repeat(100_000);
        let start = std::time::Instant::now();
        assert_eq!(FrameGroups::parse(&text).unwrap().groups.len(), 100_000);
        assert!(start.elapsed().as_secs() < 2, "{:?}", start.elapsed());
    }

    #[test]
    fn many_lines_stay_within_the_limit() {
        let text = b"1 2\n".repeat(1000);
        let limits = meshwright_core::Limits::default().with_memory(20_000);
        let e = FrameGroups::parse_with(&text, &ReadOptions::default().with_limits(limits)).unwrap_err();
        assert_eq!(e.code(), "limit");
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
                    prop_assert!(a.same(b), "{:?} {:?}", a, b);
                }
                prop_assert_eq!(again.to_bytes().unwrap(), text);
            }
        }

        #[test]
        fn any_text_gives_clips_within_the_model(text in "[0-9a \t\r\n/*\"\\.e\0-]{0,60}", poses in 0_usize..10) {
            let groups = FrameGroups::parse(text.as_bytes()).unwrap();
            prop_assert_eq!(groups.to_bytes().unwrap(), text.as_bytes());
            groups.validate();
            let clips = groups.resolve(poses).clips;
            for clip in &clips {
                prop_assert!(clip.length >= 1 && clip.frames().end as usize <= poses && clip.fps >= 1.0);
            }
            prop_assert_eq!(FrameGroups::from_clips(clips.clone()).resolve(poses).clips, clips);
        }
    }
}
