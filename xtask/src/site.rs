//! `xtask site`: the project's own pages in `target/site`: the page that reads dropped files, the fixtures as a gallery, and the
//! book with performance and evidence. Any web server hands them out.

use crate::sh::{self, target_dir};
use std::fs;
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
    let site = target.join("site");
    let told = |path: &Path| {
        let path = path.display().to_string();
        move |e: std::io::Error| format!("{path}: {e}")
    };
    if site.is_dir() {
        fs::remove_dir_all(&site).map_err(told(&site))?;
    }
    fs::create_dir_all(&site).map_err(told(&site))?;
    let page = target.join("wasm/site");
    if !page.join("index.html").is_file() {
        return Err(format!("{} is missing: run bindings wasm first", page.display()));
    }
    copy(&page, &site.join("try")).map_err(told(&page))?;
    let program = crate::program(root, "meshwright", "dev")?;
    let mut view = Command::new(program);
    view.arg("view").arg(root.join("testdata")).arg("--quiet").arg("--site").arg(site.join("examples"));
    // Fixtures that readers reject are in the list with their reason.
    sh::run(view.stderr(Stdio::null()))?;
    let built = Command::new("mdbook").arg("--version").stdout(Stdio::null()).status();
    if built.is_ok_and(|status| status.success()) {
        let mut book = Command::new("mdbook");
        sh::run(book.args(["build", "docs", "--dest-dir"]).arg(site.join("book")).current_dir(root))?;
    } else {
        sh::skipped(
            "the book is not part of the site: mdbook is not installed (cargo install --locked mdbook)",
        )?;
    }
    let index = index(|path| site.join(path).is_file());
    let path = site.join("index.html");
    fs::write(&path, index).map_err(told(&path))?;
    let broken = broken_links(&site, &site).map_err(told(&site))?;
    if !broken.is_empty() {
        return Err(format!("links that lead nowhere:\n{}", broken.join("\n")));
    }
    println!("{}", path.display());
    Ok(())
}

/// Returns the links of all pages below a folder whose files do not exist.
fn broken_links(site: &Path, folder: &Path) -> std::io::Result<Vec<String>> {
    let mut broken = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            broken.extend(broken_links(site, &path)?);
        } else if path.extension().is_some_and(|extension| extension == "html") {
            let text = fs::read_to_string(&path)?;
            let missing = links(&text).into_iter().filter(|link| !leads_to_file(folder, link));
            let page = path.strip_prefix(site).unwrap_or(&path).display().to_string();
            broken.extend(missing.map(|link| format!("{page}: {link}")));
        }
    }
    broken.sort();
    Ok(broken)
}

/// Returns the links of a page, without those that its scripts make.
fn links(html: &str) -> Vec<&str> {
    let mut parts = html.split("<script");
    let markup =
        parts.next().into_iter().chain(parts.filter_map(|part| Some(part.split_once("</script>")?.1)));
    markup.flat_map(targets).collect()
}

/// Returns the values of the attributes that name files.
fn targets(markup: &str) -> Vec<&str> {
    let attributes = [" href=\"", " src=\""].iter();
    let values = attributes.flat_map(|name| markup.split(name).skip(1));
    values.filter_map(|rest| Some(rest.split_once('"')?.0)).collect()
}

/// Returns true for a link to an existing file, or to something that is not part of the site.
fn leads_to_file(folder: &Path, link: &str) -> bool {
    let path = link.split(['#', '?']).next().unwrap_or_default();
    let has_scheme = path.split('/').next().is_some_and(|first| first.contains(':'));
    if path.is_empty() || has_scheme || path.starts_with("//") {
        return true;
    }
    let file = folder.join(path.replace("%20", " ").replace("&amp;", "&").replace("&#38;", "&"));
    file.is_file() || file.join("index.html").is_file()
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

/// Copies a folder.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_lead_nowhere_are_found() {
        let folder = std::env::temp_dir().join(format!("meshwright-links-{}", std::process::id()));
        fs::create_dir_all(folder.join("a")).unwrap();
        fs::write(folder.join("a/x.html"), "<a href=\"../index.html#top\">up</a> <img src=\"none.png\">")
            .unwrap();
        let index = "<a href=\"a/x.html\"> <a href=\"https://example.org/\"> <script>' href=\"made\"'</script> <a href=\"b/\">";
        fs::write(folder.join("index.html"), index).unwrap();
        let broken = broken_links(&folder, &folder).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(broken, ["a/x.html: none.png", "index.html: b/"]);
    }

    #[test]
    fn only_parts_that_are_there_have_links() {
        let page = index(|path| path.starts_with("try"));
        assert!(page.contains("try/index.html") && !page.contains("book/"));
        assert_eq!(index(|_| true).matches("<li>").count(), PARTS.len());
    }
}
