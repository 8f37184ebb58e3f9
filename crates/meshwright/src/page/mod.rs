//! The page that plays a model in a browser, and its interface to the program that serves it.

mod assembly;
mod dropped_files;
mod model_data;

pub use crate::html::Page;
pub use assembly::Assembly;
pub use dropped_files::{Dropped, DroppedFiles, dropped};
pub use model_data::{about, failure_facts, glb, limited, saved, textured_scene, without_options};

use crate::base64::encoded;
use crate::convert::Target;
use crate::formats::Format;
use meshwright_core::Order as _;
use serde_json::{Value, json};

impl Page {
    /// Returns the page for a server, which it asks for everything by paths relative to its own: `models`, `model/ID`,
    /// `model/ID.glb`, `thumb/ID.png`, `saved/ID.TARGET`, `stamp/ID`, `drop`, `limit`.
    #[must_use]
    pub fn served(title: &str) -> Self {
        Self::build(
            title,
            &json!({ "targets": targets(), "formats": formats(), "examples": examples() }),
            "",
            "connect-src 'self'",
        )
    }

    /// Returns the page for a site that reads files itself. `worker` is the text of a script that reads them in a worker of
    /// the page, with the WebAssembly module at `module`, relative to the page. It loads nothing else.
    #[must_use]
    pub fn standing(title: &str, worker: &str, module: &str) -> Self {
        let sources = "connect-src 'self'; worker-src blob:";
        Self::build(
            title,
            &json!({
                "module": module, "worker": worker,
                "targets": targets(), "formats": formats(), "examples": examples(),
            }),
            " 'wasm-unsafe-eval'",
            sources,
        )
    }
}

/// Returns the extensions of the files that the page opens, for people.
fn formats() -> String {
    let mut extensions: Vec<&str> = Vec::new();
    for format in Format::ALL.iter().filter(|format| format.holds_model()) {
        extensions.extend_from_slice(format.extensions());
    }
    extensions.order();
    extensions.dedup();
    let list = |names: &[&str]| names.iter().map(|name| format!(".{name}")).collect::<Vec<_>>().join(" ");
    let packs = ["pk3", "pk4", "pak", "vp", "far", "dat"];
    format!("{}, and archives: {}.", list(&extensions), list(&packs))
}

/// Returns a model with a clip and a character of three files, which the page shows on request.
fn examples() -> Value {
    const FILES: [(&str, &[u8]); 6] = [
        ("windmill.bmd", include_bytes!("../../examples/data/bmd/windmill.bmd")),
        ("hopper.dpm", include_bytes!("../../examples/data/dpm/hopper.dpm")),
        ("hopper.dpm.framegroups", include_bytes!("../../examples/data/dpm/hopper.dpm.framegroups")),
        ("flower.mesh", include_bytes!("../../examples/data/tso/flower.mesh")),
        ("flower.skel", include_bytes!("../../examples/data/tso/flower.skel")),
        ("sway.anim", include_bytes!("../../examples/data/tso/sway.anim")),
    ];
    FILES.iter().map(|(path, bytes)| json!({ "path": path, "bytes": encoded(bytes) })).collect()
}

/// Returns the formats that a model can be saved as.
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
    fn the_page_names_its_formats_and_has_examples() {
        assert!(formats().contains(".dpm") && formats().ends_with(".dat."));
        let page = Page::served("x").html;
        assert!(page.contains("\"path\":\"windmill.bmd\"") && page.contains("\"path\":\"sway.anim\""));
    }

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
