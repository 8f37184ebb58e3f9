//! Names of output files.

use meshwright_core::text::acts_on_terminal;
use std::fmt;

/// The maximum length of a name in bytes on common file systems.
const LONGEST: usize = 255;
/// The maximum number of bytes that [`OutputName::cleaned`] keeps, so that an extension and a number still
/// fit.
const CLEANED: usize = 200;
/// Characters that separate names, or that a common file system rejects.
const REFUSED: &str = "/\\:*?\"<>|";

/// A plain file name that is safe to create in any folder. [`new`](Self::new) checks a text. Code that
/// writes a file whose name comes from a document, an archive or another file name must use this type.
///
/// The name is not empty and at most 255 bytes long. It has no path separator, none of `: * ? " < > |`, and
/// no character that is invisible or acts on a terminal. It does not begin with a dot, does not end with a
/// dot or a space, and is not a Windows device (`con`, `com1.txt`).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OutputName(String);

/// The reason why a text is not a valid name of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadName {
    /// The name is empty.
    #[error("is empty")]
    Empty,
    /// The name begins with a dot: shells and desktops hide such files, and some programs run them.
    #[error("begins with a dot")]
    Hidden,
    /// The name has a character that separates names, that a file system rejects, that acts on a terminal,
    /// or that is invisible.
    #[error("holds U+{:04X}", u32::from(*.0))]
    Character(char),
    /// Windows treats the name as a device.
    #[error("is the name of a device")]
    Device,
    /// The name ends with a dot or a space, which Windows removes.
    #[error("ends with a dot or a space")]
    Ending,
    /// The name has more bytes than file systems allow.
    #[error("has {0} bytes; at most 255 are written")]
    Long(usize),
    /// The name does not have an extension of the file type that is written.
    #[error("has no extension of its kind of file")]
    Extension,
}

impl OutputName {
    /// Checks a text. `extensions` are the allowed extensions in lower case; if the list is empty, any is allowed.
    ///
    /// # Errors
    /// If it is not a plain name, or its extension is not allowed.
    pub fn new(name: &str, extensions: &[&str]) -> Result<Self, BadName> {
        let refused = |c: char| REFUSED.contains(c) || acts_on_terminal(c);
        if name.is_empty() {
            return Err(BadName::Empty);
        }
        if let Some(c) = name.chars().find(|c| refused(*c)) {
            return Err(BadName::Character(c));
        }
        if name.starts_with('.') {
            return Err(BadName::Hidden);
        }
        if name.ends_with(['.', ' ']) {
            return Err(BadName::Ending);
        }
        if is_device(name) {
            return Err(BadName::Device);
        }
        if name.len() > LONGEST {
            return Err(BadName::Long(name.len()));
        }
        let own = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        if !extensions.is_empty() && !extensions.iter().any(|e| own.eq_ignore_ascii_case(e)) {
            return Err(BadName::Extension);
        }
        Ok(Self(name.to_owned()))
    }

    /// Returns the most similar valid name for any text, cut to 200 bytes. Characters that are not allowed
    /// become `_`.
    pub fn cleaned(text: &str) -> Self {
        let clean = |c: char| if REFUSED.contains(c) || acts_on_terminal(c) { '_' } else { c };
        let mut name: String = text.chars().map(clean).collect();
        name.truncate((0..=CLEANED.min(name.len())).rev().find(|at| name.is_char_boundary(*at)).unwrap_or(0));
        name.truncate(name.trim_end_matches(['.', ' ']).len());
        if name.is_empty() || name.starts_with('.') || is_device(&name) {
            name.insert(0, '_');
        }
        Self::new(&name, &[]).unwrap_or_else(|_| Self("_".to_owned()))
    }

    /// Returns this name with an ending appended, such as an extension. Characters that are not allowed are
    /// replaced.
    #[must_use]
    pub fn with_ending(&self, ending: &str) -> Self {
        let name = format!("{}{ending}", self.0);
        Self::new(&name, &[]).unwrap_or_else(|_| Self::cleaned(&name))
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for OutputName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl fmt::Display for OutputName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Returns true if Windows treats a name as a device, whatever follows the first dot.
fn is_device(name: &str) -> bool {
    const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_lowercase();
    let numbered = ["com", "lpt"].iter().any(|device| {
        let number = stem.strip_prefix(device).map(|n| n.chars().collect::<Vec<_>>());
        matches!(number.as_deref(), Some(['0'..='9' | '\u{b9}' | '\u{b2}' | '\u{b3}']))
    });
    numbered || DEVICES.contains(&stem.as_str())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failing test panics")]
mod tests {
    use super::*;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    #[test]
    fn a_text_that_is_no_plain_name_is_refused_and_can_be_cleaned() {
        for (text, why, cleaned) in [
            ("walk", None, "walk"),
            ("../../etc/passwd", Some(BadName::Character('/')), "_.._.._etc_passwd"),
            ("C:\\Windows\\x", Some(BadName::Character(':')), "C__Windows_x"),
            ("..", Some(BadName::Hidden), "_"),
            ("", Some(BadName::Empty), "_"),
            (".bash_profile", Some(BadName::Hidden), "_.bash_profile"),
            ("nul.glb", Some(BadName::Device), "_nul.glb"),
            ("NUL .glb", Some(BadName::Device), "_NUL .glb"),
            ("com1", Some(BadName::Device), "_com1"),
            ("lpt\u{b9}.x", Some(BadName::Device), "_lpt\u{b9}.x"),
            ("command", None, "command"),
            ("a\0b\u{1b}[2J", Some(BadName::Character('\0')), "a_b_[2J"),
            ("a\u{202e}gnp.exe", Some(BadName::Character('\u{202e}')), "a_gnp.exe"),
            ("a\u{200b}b\u{ad}", Some(BadName::Character('\u{200b}')), "a_b_"),
            ("trailing. ", Some(BadName::Ending), "trailing"),
            ("-", None, "-"),
        ] {
            assert_eq!(OutputName::new(text, &[]).err(), why, "{text:?}");
            assert_eq!(OutputName::cleaned(text).as_str(), cleaned, "{text:?}");
        }
        let long = "\u{20ac}".repeat(200);
        assert_eq!(OutputName::new(&long, &[]), Err(BadName::Long(600)));
        assert_eq!(OutputName::cleaned(&long).as_str().len(), 198);
    }

    #[test]
    fn a_name_has_an_extension_of_its_kind() {
        assert!(OutputName::new("a.PNG", &["jpg", "png"]).is_ok());
        for name in ["a.sh", "a", "png", "a.png.sh"] {
            assert_eq!(OutputName::new(name, &["png"]), Err(BadName::Extension), "{name}");
        }
    }

    proptest! {
        #[test]
        fn what_is_cleaned_is_a_name(text in any::<String>(), odd in "[./\\\\:a \u{202e}\0]{0,8}(con|aux|lpt1|)[. ]{0,2}") {
            for text in [text, odd] {
                let name = OutputName::cleaned(&text);
                prop_assert_eq!(OutputName::new(name.as_str(), &[]), Ok(name));
            }
        }
    }
}
