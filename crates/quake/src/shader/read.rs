//! Reads a script.

use super::{BlendFactor, ColourSource, Shader, ShaderScript, Stage, rules};
use crate::framegroups::number;
use crate::tokens::{Token, Tokens};
use alloc::vec::Vec;
use meshwright_core::{Budget, F32, FieldPath, LimitExceeded, Report, Rule};

/// The number of stages that the engine keeps.
const STAGES: usize = 8;
/// The longest name that the engine keeps.
const NAME: usize = 63;
/// The largest number of frames of an animation.
const FRAMES: usize = 64;
/// The number of words of a statement that are read.
const WORDS: usize = FRAMES + 4;
/// The maximum memory per byte of text: two braces can make a stage.
const PER_BYTE: u64 = 96;

impl ShaderScript {
    /// Every rule that a script can break.
    pub const RULES: &'static [&'static Rule] = rules::RULES;

    /// Reads a script. No text is rejected: statements without meaning are skipped, as in the engine.
    ///
    /// # Errors
    /// If the text needs more memory than the budget allows.
    pub fn parse(text: &[u8], budget: &Budget) -> Result<Self, LimitExceeded> {
        budget.charge("shaders", (text.len() as u64).saturating_mul(PER_BYTE))?;
        let mut reader = Reader { tokens: Tokens::new(text), report: Report::new() };
        let mut shaders = Vec::new();
        while let Some(name) = reader.tokens.next_word() {
            let at = name.at;
            if !reader.tokens.next_word().is_some_and(|token| token.is(b"{")) {
                reader.report_finding(rules::NO_BRACE, at, "no brace follows the name");
                break;
            }
            if name.text.len() > NAME {
                reader.report_finding(rules::NAME, at, "the name is too long and was cut");
            }
            let name = name.text.get(..NAME).unwrap_or(&name.text).to_vec();
            let mut shader = Shader { name, ..Shader::default() };
            if !reader.shader(&mut shader) {
                reader.report_finding(rules::OPEN, at, "the text ends within the shader");
            }
            if shader.killed {
                shader.stages.clear();
            }
            shaders.push(shader);
        }
        Ok(Self { shaders, report: reader.report })
    }
}

struct Reader<'a> {
    tokens: Tokens<'a>,
    report: Report,
}

/// The end of a statement.
#[derive(PartialEq, Eq)]
enum End {
    Line,
    Brace,
    Text,
}

impl<'a> Reader<'a> {
    fn report_finding(&mut self, rule: &'static Rule, at: u64, message: &'static str) {
        self.report.broken(rule, &FieldPath::ROOT.field("text"), Some(at), || message);
    }

    /// Reads up to the brace that closes the shader. Returns false if the text ends before it.
    fn shader(&mut self, shader: &mut Shader) -> bool {
        while let Some(token) = self.tokens.next_word() {
            if token.is(b"}") {
                return true;
            }
            if token.is(b"{") {
                let mut stage = Stage::default();
                let closed = self.stage(&mut stage);
                if shader.stages.len() < STAGES {
                    shader.stages.push(stage);
                } else {
                    self.report_finding(rules::STAGES, token.at, "the stage is dropped");
                }
                if !closed {
                    return false;
                }
                continue;
            }
            let (words, end) = self.statement(token);
            shader.statement(&words.iter().map(|w| &*w.text).collect::<Vec<_>>());
            match end {
                End::Line => {}
                End::Brace => return true,
                End::Text => return false,
            }
        }
        false
    }

    fn stage(&mut self, stage: &mut Stage) -> bool {
        while let Some(token) = self.tokens.next_word() {
            if token.is(b"}") {
                return true;
            }
            let (words, end) = self.statement(token);
            stage.statement(&words.iter().map(|w| &*w.text).collect::<Vec<_>>());
            match end {
                End::Line => {}
                End::Brace => return true,
                End::Text => return false,
            }
        }
        false
    }

    /// Reads the words of a line, up to a closing brace.
    fn statement(&mut self, first: Token<'a>) -> (Vec<Token<'a>>, End) {
        let mut words = Vec::from([first]);
        loop {
            match self.tokens.next() {
                None => return (words, End::Text),
                Some(token) if token.is_newline() => return (words, End::Line),
                Some(token) if token.is(b"}") => {
                    self.report_finding(rules::BRACE, token.at, "the brace is on the line of a statement");
                    return (words, End::Brace);
                }
                Some(token) if words.len() < WORDS => words.push(token),
                Some(_) => {}
            }
        }
    }
}

/// Returns a keyword in lower case, with the prefix `dp_` replaced by `dp`.
fn keyword(word: &[u8]) -> Vec<u8> {
    let word = word.to_ascii_lowercase();
    match word.strip_prefix(b"dp_") {
        Some(rest) => [b"dp", rest].concat(),
        None => word,
    }
}

impl Shader {
    fn statement(&mut self, words: &[&[u8]]) {
        let Some((first, values)) = words.split_first() else { return };
        let is = |word: &[u8]| values.first().is_some_and(|v| v.eq_ignore_ascii_case(word));
        match &*keyword(first) {
            b"surfaceparm" if is(b"sky") => self.sky = true,
            b"sky" | b"skyparms" if !values.is_empty() => self.sky = true,
            b"cull" if is(b"disable") || is(b"none") || is(b"twosided") => self.two_sided = true,
            b"deformvertexes" => self.deforms = true,
            b"dpshaderkillifcvarzero" if values.len() == 1 => self.killed = true,
            b"dpnoshaderkillifcvarzero" if values.len() == 1 => self.killed = false,
            b"dpshaderkillifcvar" if holds(values) => self.killed = true,
            b"dpnoshaderkillifcvar" if holds(values) => self.killed = false,
            _ => {}
        }
    }
}

/// Returns true if a condition holds for a variable that is not set and so counts as 0.
fn holds(values: &[&[u8]]) -> bool {
    let [_, operator, value, ..] = values else { return false };
    let value = number(value);
    match *operator {
        b"==" => value == 0.0,
        b"!=" => value != 0.0,
        b">" => 0.0 > value,
        b"<" => 0.0 < value,
        b">=" => 0.0 >= value,
        b"<=" => 0.0 <= value,
        _ => false,
    }
}

impl Stage {
    fn statement(&mut self, words: &[&[u8]]) {
        let Some((first, values)) = words.split_first() else { return };
        match (&*keyword(first), values) {
            (word @ (b"map" | b"clampmap"), [map, ..]) => {
                self.maps = Vec::from([map.to_vec()]);
                self.fps = None;
                self.clamp = word == b"clampmap";
            }
            (word @ (b"animmap" | b"animclampmap"), [fps, maps @ ..]) if !maps.is_empty() => {
                self.maps = maps.iter().take(FRAMES).map(|map| map.to_vec()).collect();
                self.fps = Some(F32::new(number(fps)));
                self.clamp = word == b"animclampmap";
            }
            (b"blendfunc", values) => self.set_blend(values),
            (b"alphafunc", [_, ..]) => self.alpha_test = true,
            (b"rgbgen", [source, ..]) => {
                self.colour = match &*source.to_ascii_lowercase() {
                    b"identity" | b"identitylighting" => ColourSource::Identity,
                    b"vertex" => ColourSource::Vertex,
                    b"lightingdiffuse" => ColourSource::LightingDiffuse,
                    _ => ColourSource::Other,
                };
            }
            (b"alphagen", [source, ..]) => self.alpha_of_vertex = source.eq_ignore_ascii_case(b"vertex"),
            (b"tcgen", [source, ..]) => {
                let plain = [&b"base"[..], b"texture", b"lightmap"];
                self.moves |= !plain.iter().any(|word| source.eq_ignore_ascii_case(word));
            }
            (b"tcmod", [_, ..]) => self.moves = true,
            _ => {}
        }
    }

    fn set_blend(&mut self, values: &[&[u8]]) {
        use BlendFactor::{DstColor, One, OneMinusSrcAlpha, SrcAlpha, Zero};
        match values {
            [word] => {
                self.blend = match &*word.to_ascii_lowercase() {
                    b"add" => [One, One],
                    b"addalpha" => [SrcAlpha, One],
                    b"filter" => [DstColor, Zero],
                    b"blend" => [SrcAlpha, OneMinusSrcAlpha],
                    _ => return,
                };
            }
            [source, background] => {
                for (factor, word) in self.blend.iter_mut().zip([source, background]) {
                    let word = word.to_ascii_lowercase();
                    let name = word.strip_prefix(b"gl_").unwrap_or(&word);
                    let known = BlendFactor::ALL.iter().find(|f| f.name().as_bytes() == name);
                    *factor = known.copied().unwrap_or(*factor);
                }
            }
            _ => {}
        }
    }
}
