//! The page that plays a model in a browser, and its interface to the program that serves it.

mod dropped;
mod shown;

pub use crate::html::Page;
pub use dropped::{Dropped, dropped};
#[cfg(all(feature = "render", feature = "textures"))]
pub use shown::thumb;
pub use shown::{about, failure_facts, glb, open_scene, saved};

use crate::convert::Target;
use serde_json::{Value, json};

impl Page {
    /// The page for a server, which it asks for everything by paths relative to its own: `models`, `model/ID`,
    /// `model/ID.glb`, `thumb/ID.png`, `saved/ID.TARGET`, `stamp/ID`, `drop`.
    #[must_use]
    pub fn served(title: &str) -> Self {
        Self::build(title, &json!({ "targets": targets() }), "", "connect-src 'self'")
    }

    /// The page for a site that reads files itself. `worker` is the text of a script that reads them in a worker of
    /// the page, with the WebAssembly module at `module`, relative to the page. It loads nothing else.
    #[must_use]
    pub fn standing(title: &str, worker: &str, module: &str) -> Self {
        let sources = "connect-src 'self'; worker-src blob:";
        Self::build(
            title,
            &json!({ "module": module, "worker": worker, "targets": targets() }),
            " 'wasm-unsafe-eval'",
            sources,
        )
    }
}

/// The formats that a model can be saved as.
fn targets() -> Value {
    let title = |target: Target| match target {
        Target::Native(format) => format!("{} ({})", format.title(), format.id()),
        other => other.id().to_uppercase(),
    };
    Target::all().map(|target| json!({ "id": target.id(), "title": title(target) })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::{SCRIPT, hash};

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
        let site = Page::standing("x", "let a = '</script>';", "x.wasm");
        assert!(site.policy.contains(&format!("script-src 'sha256-{}' 'wasm-unsafe-eval';", hash(SCRIPT))));
        assert!(site.policy.contains("connect-src 'self'; worker-src blob:;"));
        assert_eq!(site.html.matches("</script").count(), 2);
    }
}
