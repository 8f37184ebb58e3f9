//! `xtask site`: the project's own pages in `target/site`: the page that reads dropped files, the fixtures as a gallery, and the
//! book with performance and evidence. Any web server hands them out.

use crate::sh::{self, target_dir};
use std::path::Path;
use std::process::{Command, Stdio};

/// The parts of the site: folder, title, what it is.
const PARTS: [(&str, &str, &str); 5] = [
    ("try/index.html", "Try it", "Drop a game model on the page, or open an example. Nothing is uploaded."),
    ("examples/index.html", "Examples", "Every model of the test data, with clips and findings."),
    ("book/index.html", "The book", "Guides, the formats byte by byte, and all codes."),
    ("book/performance.html", "Performance", "Measured against the engines that the models were made for."),
    ("book/promises.html", "Evidence", "Each promise with the test that holds it."),
];

pub(crate) fn run(root: &Path) -> Result<(), String> {
    let target = target_dir(root);
    let (site, page) = (target.join("site"), target.join("wasm/site"));
    sh::empty(&site)?;
    if !page.join("index.html").is_file() {
        return Err(format!("{} is missing: run bindings wasm first", page.display()));
    }
    sh::copy(&page, &site.join("try"))?;
    let mut view = Command::new(crate::program(root, "meshwright", "dev")?);
    view.arg("view").arg(root.join("testdata")).arg("--quiet").arg("--site").arg(site.join("examples"));
    // Fixtures that readers reject are in the list with their reason.
    sh::run(view.stderr(Stdio::null()))?;
    if sh::output(Command::new("mdbook").arg("--version")).is_ok() {
        let mut book = Command::new("mdbook");
        sh::run(book.args(["build", "docs", "--dest-dir"]).arg(site.join("book")).current_dir(root))?;
    } else {
        sh::skipped(
            "the book is not part of the site: mdbook is not installed (cargo install --locked mdbook)",
        )?;
    }
    sh::write(&site.join("index.html"), index(|path| site.join(path).is_file()))?;
    println!("{}", site.join("index.html").display());
    Ok(())
}

/// Returns the first page, with the existing parts.
fn index(is_there: impl Fn(&str) -> bool) -> String {
    let parts = PARTS.iter().filter(|(path, ..)| is_there(path));
    let list: String = parts
        .map(|(path, title, text)| {
            format!("<li><a href=\"{path}\"><strong>{title}</strong></a><p>{text}</p></li>\n")
        })
        .collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Meshwright</title>\n\
         <style>:root {{ color-scheme: light dark }} body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 44em; margin: 2em auto; padding: 0 1em }} \
         ul {{ list-style: none; padding: 0 }} li {{ margin: 1em 0 }} p {{ margin: 0 }}</style>\n\
         <h1>Meshwright</h1>\n<p>Converts the models of Nexuiz, Xonotic, The Sims, The Sims Online, FreeSpace Open, BGBTech and Crucible \
         to glTF and back, and keeps every byte that was not edited.</p>\n<ul>\n{list}</ul>\n</html>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_parts_that_are_there_have_links() {
        let page = index(|path| path.starts_with("try"));
        assert!(page.contains("try/index.html") && !page.contains("book/"));
        assert_eq!(index(|_| true).matches("<li>").count(), PARTS.len());
    }
}
