//! Patterns of paths, as shells have them, for paths that the shell did not expand.

use meshwright::Order as _;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf, is_separator};
use std::str::Chars;

/// A pattern: `*` and `?` stay within a folder, `**` is any number of folders, `[a-z]` and `[!a-z]` are sets of
/// characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern(Vec<Segment>);

/// One name of a path, or any number of folders.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    Folders,
    Name(Vec<Token>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Character(char),
    /// `?`
    Any,
    /// `*`
    Run,
    Set {
        ranges: Vec<(char, char)>,
        is_negated: bool,
    },
}

impl Pattern {
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        text.split(is_separator).map(Segment::new).collect::<Result<_, _>>().map(Self)
    }

    /// Returns whether a path matches, whose names `/` separates.
    pub(crate) fn matches(&self, path: &str) -> bool {
        let names: Vec<&str> = path.split('/').collect();
        matches_below(&self.0, &names)
    }
}

/// A pattern of names that are not paths. Case is ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamePattern(Vec<Token>);

impl NamePattern {
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        tokens(&text.to_lowercase()).map(Self)
    }

    pub(crate) fn matches(&self, name: &str) -> bool {
        matches_name(&self.0, &name.to_lowercase())
    }
}

fn matches_below(parts: &[Segment], names: &[&str]) -> bool {
    match (parts.split_first(), names.split_first()) {
        (None, None) => true,
        (Some((Segment::Folders, [])), below) => below.is_some(),
        (Some((Segment::Folders, rest)), below) => {
            matches_below(rest, names) || below.is_some_and(|(_, below)| matches_below(parts, below))
        }
        (Some((Segment::Name(tokens), rest)), Some((name, below))) => {
            matches_name(tokens, name) && matches_below(rest, below)
        }
        _ => false,
    }
}

impl Segment {
    fn new(text: &str) -> Result<Self, String> {
        if text == "**" {
            return Ok(Self::Folders);
        }
        if text.contains("**") {
            return Err("** must be a whole name of a path".into());
        }
        tokens(text).map(Self::Name)
    }

    /// Returns the name if the part matches only one.
    fn literal(&self) -> Option<String> {
        let Self::Name(tokens) = self else { return None };
        let character = |token: &Token| match token {
            Token::Character(character) => Some(*character),
            _ => None,
        };
        tokens.iter().map(character).collect()
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let (mut tokens, mut rest) = (Vec::new(), text.chars());
    while let Some(character) = rest.next() {
        tokens.push(match character {
            '?' => Token::Any,
            '*' => Token::Run,
            '[' => Token::set(&mut rest)?,
            _ => Token::Character(character),
        });
    }
    Ok(tokens)
}

impl Token {
    /// Parses a set after its `[`. A `]` that comes first is a member.
    fn set(rest: &mut Chars<'_>) -> Result<Self, String> {
        let text = rest.as_str();
        let is_negated = text.starts_with('!');
        let members = text.strip_prefix('!').unwrap_or(text);
        let first = members.chars().next().map_or(0, char::len_utf8);
        let end = members.get(first..).and_then(|more| more.find(']')).ok_or("a [ is not closed")?;
        let (members, after) = members.split_at_checked(end.saturating_add(first)).unwrap_or_default();
        *rest = after.strip_prefix(']').unwrap_or(after).chars();
        let (mut ranges, mut members) = (Vec::new(), members.chars());
        while let Some(low) = members.next() {
            let mut ahead = members.clone();
            match (ahead.next(), ahead.next()) {
                (Some('-'), Some(high)) => {
                    ranges.push((low, high));
                    members = ahead;
                }
                _ => ranges.push((low, low)),
            }
        }
        Ok(Self::Set { ranges, is_negated })
    }

    fn takes(&self, character: char) -> bool {
        match self {
            Self::Character(own) => *own == character,
            Self::Any | Self::Run => true,
            Self::Set { ranges, is_negated } => {
                ranges.iter().any(|(low, high)| (*low..=*high).contains(&character)) != *is_negated
            }
        }
    }
}

/// Matches a name. After a mismatch, the last `*` takes one more character.
fn matches_name(mut tokens: &[Token], name: &str) -> bool {
    let (mut rest, mut again) = (name.chars(), None);
    loop {
        match (tokens.split_first(), rest.clone().next()) {
            (Some((Token::Run, more)), _) => {
                again = Some((more, rest.clone()));
                tokens = more;
                continue;
            }
            (Some((token, more)), Some(character)) if token.takes(character) => {
                rest.next();
                tokens = more;
                continue;
            }
            (None, None) => return true,
            _ => {}
        }
        let Some((more, mut begin)) = again.take() else { return false };
        if begin.next().is_none() {
            return false;
        }
        (tokens, rest) = (more, begin.clone());
        again = Some((more, begin));
    }
}

/// Finds the files and folders that a pattern matches, sorted. Links to folders are followed only where the pattern names
/// them.
pub(crate) fn find(text: &str) -> Result<Vec<PathBuf>, String> {
    let (mut start, mut parts) = (PathBuf::new(), Vec::new());
    for component in Path::new(text).components() {
        match component {
            Component::Normal(name) => parts.push(Segment::new(&name.to_string_lossy())?),
            // `.` and `..` after a part are names as they are.
            Component::CurDir | Component::ParentDir if !parts.is_empty() => {
                let name = component.as_os_str().to_string_lossy();
                parts.push(Segment::Name(name.chars().map(Token::Character).collect()));
            }
            other => start.push(other),
        }
    }
    let mut found = Vec::new();
    find_below(&start, &parts, &mut found).map_err(|e| e.to_string())?;
    if text.ends_with(is_separator) {
        found.retain(|path| path.is_dir());
    }
    found.order();
    found.dedup();
    Ok(found)
}

fn find_below(base: &Path, parts: &[Segment], found: &mut Vec<PathBuf>) -> io::Result<()> {
    let Some((part, rest)) = parts.split_first() else {
        if base.symlink_metadata().is_ok() {
            found.push(base.to_owned());
        }
        return Ok(());
    };
    if let Some(name) = part.literal() {
        return find_below(&base.join(name), rest, found);
    }
    let folder = if base.as_os_str().is_empty() { Path::new(".") } else { base };
    if !folder.is_dir() {
        return Ok(());
    }
    if *part == Segment::Folders {
        find_below(base, rest, found)?;
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        // Names that are not text match no pattern.
        let Some(name) = name.to_str() else { continue };
        match part {
            Segment::Folders if entry.file_type()?.is_dir() => find_below(&base.join(name), parts, found)?,
            Segment::Name(tokens) if matches_name(tokens, name) => find_below(&base.join(name), rest, found)?,
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failing test panics")]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_shells() {
        for (pattern, path, expected) in [
            ("*.dpm", "a.dpm", true),
            ("*.dpm", ".dpm", true),
            ("*.dpm", "a/b.dpm", false),
            ("a*b*c", "a_b_b_c", true),
            ("a*b*c", "a_b_b_d", false),
            ("?.dpm", "\u{fc}.dpm", true),
            ("?", "", false),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[]]", "]", true),
            ("[!]]", "]", false),
            ("[?]", "?", true),
            ("[a-]", "-", true),
            ("**/a", "a", true),
            ("**/a", "x/y/a", true),
            ("x/**", "x/y/z", true),
            ("x/**", "x", false),
            ("x/**/z", "x/z", true),
            ("x/**/z", "x/y/z/w", false),
        ] {
            assert_eq!(Pattern::new(pattern).unwrap().matches(path), expected, "{pattern} {path}");
        }
        for wrong in ["[", "[a", "[]", "[!]", "a**", "***"] {
            assert!(Pattern::new(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn patterns_of_names_ignore_case() {
        for (pattern, name, expected) in [
            ("*", "", true),
            ("a2o_walk*", "A2O_walking_loop", true),
            ("a?o_*loop", "a2o_walking_loop", true),
            ("A2O", "a2o_idle", false),
            ("a/*", "a/idle", true),
            ("", "x", false),
        ] {
            assert_eq!(NamePattern::new(pattern).unwrap().matches(name), expected, "{pattern} {name}");
        }
    }
}
