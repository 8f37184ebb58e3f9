//! Reading a skin.

use super::rules;
use super::{Skin, SkinLine};
use crate::tokens::Tokens;
use alloc::vec::Vec;
use meshwright_core::{Budget, FieldPath, LimitExceeded, Report, Rule};

/// The maximum number of words in a valid line.
const WORDS: usize = 10;

impl Skin {
    /// Every rule that a skin can break.
    pub const RULES: &'static [&'static Rule] = rules::RULES;

    /// Reads a skin. No text is rejected: lines without meaning are reported and skipped, as in the engine.
    ///
    /// # Errors
    /// If the text needs more memory than the budget allows.
    pub fn parse(text: &[u8], budget: &Budget) -> Result<Self, LimitExceeded> {
        // A line has at least three bytes, and its names are part of it.
        let lines = (text.len() as u64).saturating_div(3).saturating_add(1);
        budget.charge_items("skin", lines, size_of::<SkinLine>())?;
        budget.charge("skin", text.len() as u64)?;
        let (mut tokens, mut skin) = (Tokens::new(text), Self::default());
        let mut words = Vec::new();
        let (mut many, mut start) = (false, 0);
        loop {
            let token = tokens.next();
            match token {
                Some(token) if !token.is_newline() => {
                    if words.is_empty() {
                        start = token.at;
                    }
                    if words.len() < WORDS {
                        words.push(token.text);
                    } else {
                        many = true;
                    }
                }
                end => {
                    let said: Vec<&[u8]> = words.iter().map(|word| &**word).collect();
                    if many {
                        report_finding(&mut skin.report, rules::WORDS, start, "more than 10 words");
                    } else {
                        skin.statement(&said, start);
                    }
                    words.clear();
                    many = false;
                    if end.is_none() {
                        return Ok(skin);
                    }
                }
            }
        }
    }

    fn statement(&mut self, words: &[&[u8]], at: u64) {
        let (mesh, texture) = match words {
            [] => return,
            [b"replace", mesh, texture, ..] => (mesh, *texture),
            [tag, b",", ..] if tag.starts_with(b"tag_") => return,
            [mesh, b",", texture, ..] => (mesh, *texture),
            [mesh, b","] => {
                report_finding(&mut self.report, rules::NO_TEXTURE, at, "a mesh without a texture");
                (mesh, &b""[..])
            }
            _ => {
                return report_finding(
                    &mut self.report,
                    rules::STATEMENT,
                    at,
                    "the line is not a statement of a skin",
                );
            }
        };
        self.lines.push(SkinLine { mesh: mesh.to_vec(), texture: texture.to_vec() });
    }
}

fn report_finding(report: &mut Report, rule: &'static Rule, at: u64, message: &'static str) {
    report.broken(rule, &FieldPath::ROOT.field("text"), Some(at), || message);
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use meshwright_core::Limits;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    fn read(text: &[u8]) -> (Vec<(String, String)>, Vec<&'static str>) {
        let skin = Skin::parse(text, &Budget::new(Limits::default())).unwrap();
        let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
        let lines = skin.lines.iter().map(|l| (text(&l.mesh), text(&l.texture))).collect();
        (lines, skin.report.totals().map(|t| t.0).collect())
    }

    fn lines(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect()
    }

    #[test]
    fn lines_name_a_mesh_and_its_texture() {
        let text = b"// skin\r\nbody,models/a.tga\nglass , b c d\n\nreplace hat models/h\ntag_top,\n\"a mesh\",'x y'\n";
        let expected = [("body", "models/a.tga"), ("glass", "b"), ("hat", "models/h"), ("a mesh", "x y")];
        assert_eq!(read(text), (lines(&expected), Vec::new()));
        let odd = read(b"a,\nb\nc d e\na b c d e f g h i j k\nreplace x\nq,z:w");
        assert_eq!(odd.0, lines(&[("a", ""), ("q", "z")]));
        assert_eq!(odd.1, ["no-texture", "too-many-words", "unknown-statement"]);
    }

    #[test]
    fn the_last_line_of_a_mesh_counts() {
        let skin = Skin::parse(b"a,1\nb,2\na,3\nA,4", &Budget::new(Limits::default())).unwrap();
        assert_eq!((skin.texture(b"a"), skin.texture(b"c")), (Some(&b"3"[..]), None));
        assert_eq!(skin.unused(&[b"a"]), [&b"b"[..], b"A"]);
        assert!(Skin::parse(b"a,1", &Budget::new(Limits::default().with_memory(8))).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_a_skin(text in "[a,{}\"'\\\\/* \n\r\0:-]{0,80}") {
            let skin = Skin::parse(text.as_bytes(), &Budget::new(Limits::default())).unwrap();
            prop_assert!(skin.lines.iter().all(|line| skin.texture(&line.mesh).is_some()));
        }
    }
}
