//! Writes strings as JSON.

use core::fmt::{self, Write as _};

/// Displays a text as JSON: in quotes, with escapes.
#[derive(Clone, Copy, Debug)]
pub struct Quoted<'t>(pub &'t str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        let mut rest = self.0;
        while let Some(at) = rest.bytes().position(|b| matches!(b, b'"' | b'\\' | 0..0x20)) {
            let (plain, behind) = rest.split_at_checked(at).unwrap_or((rest, ""));
            f.write_str(plain)?;
            let mut chars = behind.chars();
            match chars.next() {
                Some('\u{8}') => f.write_str("\\b")?,
                Some('\t') => f.write_str("\\t")?,
                Some('\n') => f.write_str("\\n")?,
                Some('\u{c}') => f.write_str("\\f")?,
                Some('\r') => f.write_str("\\r")?,
                Some(c @ ('"' | '\\')) => write!(f, "\\{c}")?,
                Some(c) => write!(f, "\\u{:04x}", u32::from(c))?,
                None => {}
            }
            rest = chars.as_str();
        }
        f.write_str(rest)?;
        f.write_char('"')
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::{String, ToString};
    use proptest::prelude::*;

    #[test]
    fn every_control_character_is_escaped_as_serde_does() {
        let all: String = (0..0x90).filter_map(char::from_u32).chain("é\u{2028}😀".chars()).collect();
        assert_eq!(Quoted(&all).to_string(), serde_json::Value::from(all).to_string());
    }

    proptest! {
        #[test]
        fn texts_are_quoted_as_serde_does(text: String) {
            prop_assert_eq!(Quoted(&text).to_string(), serde_json::Value::from(text).to_string());
        }
    }
}
