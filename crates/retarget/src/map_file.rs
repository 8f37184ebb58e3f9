//! Files of bone maps, in a small subset of TOML.
//!
//! ```toml
//! # target = source
//! [bones]
//! PELVIS = "mixamorig:Hips"
//! "L_ARM 1" = "mixamorig:LeftArm"
//! L_TOE01 = ""
//! ```

use crate::error::MapError;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use meshwright_scene::text::{acts_on_terminal, visible};

/// The maximum length of a file in bytes.
const LONGEST: usize = 4 << 20;

/// One line of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MapEntry {
    /// The bone of the target.
    pub target: String,
    /// The bone of the source that moves it; empty if none does.
    pub source: String,
    /// The line number, starting with 1.
    pub line: usize,
    /// A comment at the end of the line.
    comment: String,
}

/// A bone map as text, with bones identified by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MapFile {
    entries: Vec<MapEntry>,
    remarks: Vec<String>,
}

impl MapFile {
    /// Returns an empty map.
    pub const fn new() -> Self {
        Self { entries: Vec::new(), remarks: Vec::new() }
    }

    /// Returns the lines.
    pub fn entries(&self) -> &[MapEntry] {
        &self.entries
    }

    pub(crate) fn push(&mut self, target: String, source: String, comment: String) {
        self.entries.push(MapEntry { target, source, line: 0, comment });
    }

    pub(crate) fn push_remark(&mut self, remark: String) {
        self.remarks.push(remark);
    }

    /// Reads a map. It supports the part of TOML that maps need: comments, the table `[bones]`, and lines
    /// `target = "source"` with bare or quoted keys.
    ///
    /// # Errors
    /// If the text has another table or value, has a bone twice, or is longer than 4 MiB.
    pub fn parse(text: &str) -> Result<Self, MapError> {
        let mut file = Self::new();
        let fault = |line, message: &str| Err(MapError::Syntax { line, message: message.into() });
        if text.len() > LONGEST {
            return fault(1, "the file is longer than 4 MiB");
        }
        let mut known = alloc::collections::BTreeSet::new();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (line, content) in (1..).zip(text.lines()) {
            let mut scanner = Scanner { rest: content.trim_start(), line };
            if scanner.is_at_end() {
                continue;
            }
            if let Some(rest) = scanner.rest.strip_prefix('[') {
                scanner.rest = rest.trim_start();
                let table = scanner.string()?;
                scanner.expect(']')?;
                if table != "bones" {
                    return fault(line, &format!("unknown table `{table}`; a map has the table [bones]"));
                }
            } else {
                let target = scanner.string()?;
                scanner.expect('=')?;
                if !scanner.rest.starts_with(['"', '\'']) {
                    return fault(line, "the source bone must be in quotes");
                }
                let source = scanner.string()?;
                if !known.insert(target.clone()) {
                    return fault(line, &format!("the bone `{target}` is mapped twice"));
                }
                file.entries.push(MapEntry { target, source, line, comment: String::new() });
            }
            if !scanner.is_at_end() {
                return fault(line, "text after the end of the entry");
            }
        }
        Ok(file)
    }
}

/// Writes the map in the format that [`MapFile::parse`] reads.
impl fmt::Display for MapFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "# Bone map of Meshwright: target = source")?;
        writeln!(f, "[bones]")?;
        for entry in &self.entries {
            write!(f, "{} = {}", Key(&entry.target), Quoted(&entry.source))?;
            if !entry.comment.is_empty() {
                write!(f, "  # {}", entry.comment)?;
            }
            writeln!(f)?;
        }
        for remark in &self.remarks {
            writeln!(f, "# {}", visible(remark))?;
        }
        Ok(())
    }
}

struct Key<'a>(&'a str);

impl fmt::Display for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bare = !self.0.is_empty() && self.0.chars().all(is_bare);
        if bare { f.write_str(self.0) } else { Quoted(self.0).fmt(f) }
    }
}

struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c if acts_on_terminal(c) && c <= '\u{ffff}' => write!(f, "\\u{:04X}", u32::from(c))?,
                c if acts_on_terminal(c) => write!(f, "\\U{:08X}", u32::from(c))?,
                c => write!(f, "{c}")?,
            }
        }
        f.write_str("\"")
    }
}

fn is_bare(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// Reads one line of a map file.
struct Scanner<'a> {
    rest: &'a str,
    line: usize,
}

impl Scanner<'_> {
    fn is_at_end(&self) -> bool {
        self.rest.is_empty() || self.rest.starts_with('#')
    }

    fn fault<T>(&self, message: &str) -> Result<T, MapError> {
        Err(MapError::Syntax { line: self.line, message: message.into() })
    }

    fn expect(&mut self, wanted: char) -> Result<(), MapError> {
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest.trim_start();
                Ok(())
            }
            None => self.fault(&format!("`{wanted}` expected")),
        }
    }

    /// Reads a bare word or a quoted string, and the blanks after it.
    fn string(&mut self) -> Result<String, MapError> {
        let mut chars = self.rest.chars();
        let mut text = String::new();
        match chars.next() {
            Some('\'') => loop {
                match chars.next() {
                    Some('\'') => break,
                    Some(c) => text.push(c),
                    None => return self.fault("a quote is not closed"),
                }
            },
            Some('"') => loop {
                match chars.next() {
                    Some('"') => break,
                    Some('\\') => {
                        let Some(c) = escape(&mut chars) else { return self.fault("unknown escape") };
                        text.push(c);
                    }
                    Some(c) => text.push(c),
                    None => return self.fault("a quote is not closed"),
                }
            },
            _ => {
                let (word, rest) =
                    self.rest.split_at(self.rest.find(|c| !is_bare(c)).unwrap_or(self.rest.len()));
                if word.is_empty() {
                    return self.fault("a bone's name expected; names with other characters than letters, digits, _ and - need quotes");
                }
                (text, chars) = (word.into(), rest.chars());
            }
        }
        self.rest = chars.as_str().trim_start();
        Ok(text)
    }
}

fn escape(chars: &mut core::str::Chars<'_>) -> Option<char> {
    fn code(chars: &mut core::str::Chars<'_>, digits: usize) -> Option<char> {
        let hex: String = chars.by_ref().take(digits).collect();
        let plain = hex.len() == digits && hex.chars().all(|c| c.is_ascii_hexdigit());
        u32::from_str_radix(&hex, 16).ok().filter(|_| plain).and_then(char::from_u32)
    }
    Some(match chars.next()? {
        'b' => '\u{8}',
        't' => '\t',
        'n' => '\n',
        'f' => '\u{c}',
        'r' => '\r',
        c @ ('"' | '\\') => c,
        'u' => code(chars, 4)?,
        'U' => code(chars, 8)?,
        _ => return None,
    })
}
