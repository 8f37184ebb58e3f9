//! The page that plays a model in a browser: one document of our own, without anything from elsewhere.

use crate::base64::encoded;
use meshwright_scene::Scene;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

const HTML: &str = include_str!("view.html");
const STYLE: &str = include_str!("view.css");
const SCRIPT: &str = include_str!("view.js");

/// A page, and the content policy that it is served with.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page {
    /// The document.
    pub html: String,
    /// The value of `Content-Security-Policy`: its own script and style, and connections to where it came from.
    pub policy: String,
}

impl Page {
    /// The page for a server, which it asks for everything by paths relative to its own: `models`, `model/ID`,
    /// `model/ID.glb`, `thumb/ID.png`, `stamp/ID`, `drop`.
    #[must_use]
    pub fn served(title: &str) -> Self {
        Self::made(title, &json!({ "server": true }), "'self'")
    }

    /// The page with a GLB inside, which needs nothing else. `about` is an object with what is said of the model: `name`,
    /// `format`, `findings`.
    #[must_use]
    pub fn holding(title: &str, glb: &[u8], about: &Value) -> Self {
        Self::made(title, &json!({ "glb": encoded(glb), "about": about }), "'none'")
    }

    fn made(title: &str, data: &Value, connect: &str) -> Self {
        let (script, style) = (hash(SCRIPT), hash(STYLE));
        let policy = format!(
            "default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; \
             img-src 'self' data: blob:; connect-src {connect}; base-uri 'none'; form-action 'none'"
        );
        // Within a script element only this ends it or begins a comment.
        let data = data.to_string().replace('<', "\\u003c");
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

/// A scene's page: its GLB inside.
pub(crate) fn of(scene: &Scene, glb: &[u8]) -> Vec<u8> {
    let about = json!({ "name": scene.name, "format": scene.format });
    Page::holding(&format!("{} - Meshwright", scene.name), glb, &about).html.into_bytes()
}

/// Text as it stands in HTML; controls, which a title cannot show, are left out.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars().filter(|c| !c.is_control()) {
        match c {
            '&' | '<' | '>' | '"' | '\'' => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

fn hash(text: &str) -> String {
    encoded(&Sha256::digest(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_text() {
        let odd = "</script><script>alert(1)//{{script}}<!-- \u{2028}\u{7}'\"&";
        let page = Page::holding(odd, b"glTF", &json!({ "name": odd })).html;
        assert_eq!(page.matches("<script").count(), 2, "the data and the script");
        assert_eq!(page.matches("</script").count(), 2);
        assert!(!page.contains("<!--"));
        let start = page.find("id=\"data\">").unwrap() + 10;
        let data: Value = serde_json::from_str(page[start..].split_once("</script>").unwrap().0).unwrap();
        assert_eq!((data["about"]["name"].as_str(), data["glb"].as_str()), (Some(odd), Some("Z2xURg==")));
        assert_eq!(page.matches("use strict").count(), 1, "a name that looks like a mark is not filled");
    }

    #[test]
    fn the_policy_allows_our_own_script_and_style_alone() {
        let page = Page::served("x");
        assert!(page.policy.contains(&format!("script-src 'sha256-{}'", hash(SCRIPT))));
        assert!(page.policy.starts_with("default-src 'none'") && !page.policy.contains("unsafe"));
        assert!(page.html.contains(SCRIPT) && page.html.contains(&page.policy));
        assert!(!page.html.contains("{{") && !SCRIPT.contains("innerHTML") && !SCRIPT.contains("http"));
        assert!(Page::holding("x", b"", &json!({})).policy.contains("connect-src 'none'"));
    }
}
