//! Builds the HTML document of the page, with script and style inside.

use crate::base64::encoded;
use meshwright_core::text::{acts_on_terminal, printable_json};
use meshwright_scene::Scene;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

const HTML: &str = include_str!("page/view.html");
const STYLE: &str = include_str!("page/view.css");
pub(crate) const SCRIPT: &str = include_str!("page/view.js");

/// A page, and the content policy that it is served with.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page {
    /// The document.
    pub html: String,
    /// The value of `Content-Security-Policy`: its own script and style, and at most connections to its own server.
    pub policy: String,
}

impl Page {
    /// Returns the page with a GLB inside, which loads nothing else. `about` is an object with the facts about the model:
    /// `name`, `format`, `findings`.
    #[must_use]
    pub fn holding(title: &str, glb: &[u8], about: &Value) -> Self {
        Self::build(title, &json!({ "glb": encoded(glb), "about": about }), "", "connect-src 'none'")
    }

    /// Returns the document around some data, with more sources for its policy.
    pub(crate) fn build(title: &str, data: &Value, scripts: &str, sources: &str) -> Self {
        let (script, style) = (hash(SCRIPT), hash(STYLE));
        let policy = format!(
            "default-src 'none'; script-src 'sha256-{script}'{scripts}; style-src 'sha256-{style}'; \
             img-src 'self' data: blob:; {sources}; base-uri 'none'; form-action 'none'"
        );
        // Within a script element only this ends it or begins a comment.
        let data = printable_json(&data.to_string()).replace('<', "\\u003c");
        let title = escaped(title);
        let parts = [("{{policy}}", policy.as_str()), ("{{title}}", &title), ("{{style}}", STYLE)];
        let parts = parts.into_iter().chain([("{{data}}", data.as_str()), ("{{script}}", SCRIPT)]);
        let (mut html, mut rest) = (String::new(), HTML);
        for (mark, text) in parts {
            // The marks come in this order, so that nothing that was filled in is searched.
            let (before, after) = rest.split_once(mark).unwrap_or((rest, ""));
            html.push_str(before);
            html.push_str(text);
            rest = after;
        }
        html.push_str(rest);
        Self { html, policy }
    }
}

/// Returns a scene's page: its GLB inside.
pub(crate) fn for_scene(scene: &Scene, glb: &[u8]) -> Vec<u8> {
    let about = json!({ "name": scene.name, "format": scene.format, "idle": scene.idle_clip() });
    Page::holding(&format!("{} - Meshwright", scene.name), glb, &about).html.into_bytes()
}

/// Escapes text for HTML; control characters are dropped.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars().filter(|c| !acts_on_terminal(*c)) {
        match c {
            '&' | '<' | '>' | '"' | '\'' => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

pub(crate) fn hash(text: &str) -> String {
    encoded(&Sha256::digest(text.as_bytes()))
}
