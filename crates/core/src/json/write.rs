//! Writes strings as JSON.

use core::fmt::{self, Write as _};

/// Displays a text as JSON: in quotes, with escapes.
#[derive(Clone, Copy, Debug)]
pub struct Quoted<'t>(pub &'t str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        let mut rest = self.0;
        loop {
            let (plain, behind) = rest.split_at_checked(plain_len(rest.as_bytes())).unwrap_or((rest, ""));
            f.write_str(plain)?;
            if behind.is_empty() {
                return f.write_char('"');
            }
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
    }
}

/// Returns the number of bytes before the first one that a JSON string cannot contain as it is: a quote, a backslash, or
/// a control character below 0x20.
pub fn plain_len(text: &[u8]) -> usize {
    let is_special = |b: &u8| matches!(b, b'"' | b'\\' | 0..0x20);
    // Without a branch per byte, whole blocks are compared at once.
    let (blocks, _) = text.as_chunks::<32>();
    let plain = blocks.iter().take_while(|block| !block.iter().fold(false, |any, b| any | is_special(b)));
    let start = plain.count().saturating_mul(32);
    let rest = text.get(start..).unwrap_or_default();
    start.saturating_add(rest.iter().position(is_special).unwrap_or(rest.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    #[test]
    fn every_control_character_is_escaped_as_serde_does() {
        let all: String = (0..0x90).filter_map(char::from_u32).chain("é\u{2028}😀".chars()).collect();
        assert_eq!(Quoted(&all).to_string(), serde_json::Value::from(all).to_string());
    }

    proptest! {
        #[test]
        fn plain_text_ends_before_the_first_special_byte(
            plain in "[ a-z\u{7f}é😀]{0,100}",
            special in prop::option::of(prop_oneof![Just(b'"'), Just(b'\\'), 0_u8..0x20]),
            behind: [u8; 40],
        ) {
            let text: Vec<u8> = plain.bytes().chain(special).chain(special.map(|_| behind).into_iter().flatten()).collect();
            prop_assert_eq!(plain_len(&text), plain.len());
        }

        #[test]
        fn texts_are_quoted_as_serde_does(text: String) {
            prop_assert_eq!(Quoted(&text).to_string(), serde_json::Value::from(text).to_string());
        }
    }
}
