//! Uses between the files of a crate, and circles among them.
//!
//! Only the text is read: `mod`, `use`, and paths that begin with `crate`, `super`, `self` or a child. A name that
//! a module only passes on counts as used where it is defined, and passing on does not count. The files in a folder may use
//! items of the folder's own file: that is not a step of a circle. Tests are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Names that lead on to other names more often than this lead nowhere.
const DEEPEST: usize = 16;

/// A path as it is written, in parts.
type Names = Vec<String>;

/// A file of a crate.
#[derive(Default)]
struct Module {
    file: PathBuf,
    parent: usize,
    children: BTreeMap<String, usize>,
    /// Names that it imports or re-exports.
    aliases: BTreeMap<String, Names>,
    /// Paths that it imports or re-exports with `*`.
    globs: Vec<Names>,
    /// Paths that are imported to be used here.
    imports: Vec<Names>,
    /// The names that are passed on.
    passed: Vec<String>,
    /// The rest: no comments, literals, tests and imports.
    text: String,
}

/// Returns the circles below a folder of sources, each as the list of what uses what.
pub(crate) fn circles(src: &Path) -> Result<Vec<Vec<String>>, String> {
    let mut found = Vec::new();
    for root in ["lib.rs", "main.rs"].map(|name| src.join(name)).into_iter().filter(|p| p.is_file()) {
        let mut modules = Vec::new();
        add(&mut modules, root, src, 0)?;
        let name = |m: usize| modules[m].file.strip_prefix(src).unwrap_or(src).display().to_string();
        let edges: Vec<_> = (0..modules.len()).map(|m| uses(&modules, m)).collect();
        for group in groups(&edges) {
            let line = |from: &usize| {
                let to: Vec<_> = edges[*from].intersection(&group).map(|to| name(*to)).collect();
                format!("{} uses {}", name(*from), to.join(", "))
            };
            found.push(group.iter().map(line).collect());
        }
    }
    Ok(found)
}

/// Adds the module in a file, and its children, which lie in a folder.
fn add(modules: &mut Vec<Module>, file: PathBuf, folder: &Path, parent: usize) -> Result<usize, String> {
    let text = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    let (module, declared) = parse(&without_tests(&without_literals(&text)));
    let id = modules.len();
    modules.push(Module { file, parent, ..module });
    for child in declared {
        let own = folder.join(&child);
        let file = [own.with_extension("rs"), own.join("mod.rs")].into_iter().find(|p| p.is_file());
        if let Some(file) = file {
            let number = add(modules, file, &own, id)?;
            modules[id].children.insert(child, number);
        }
    }
    Ok(id)
}

/// Returns the imports of a file, and the children that it declares. Each begins a line, as rustfmt has it.
fn parse(text: &str) -> (Module, Vec<String>) {
    let (mut module, mut declared) = (Module::default(), Vec::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let (item, is_public) = without_visibility(line.trim());
        if let Some(tree) = item.strip_prefix("use ") {
            let mut tree = tree.to_owned();
            while !tree.ends_with(';')
                && let Some(line) = lines.next()
            {
                tree.push_str(line.trim());
            }
            import(&mut module, tree.trim_end_matches(';'), &mut Vec::new(), is_public);
        } else if let Some(name) = item.strip_prefix("mod ").and_then(|name| name.strip_suffix(';')) {
            declared.push(name.to_owned());
        } else {
            module.text.push_str(line);
            module.text.push('\n');
        }
    }
    (module, declared)
}

/// Returns an item without `pub` or `pub(in path)`, and whether one of them was there.
fn without_visibility(item: &str) -> (&str, bool) {
    let Some(rest) = item.strip_prefix("pub") else { return (item, false) };
    let rest = rest.strip_prefix('(').and_then(|r| r.split_once(')')).map_or(rest, |(_, rest)| rest);
    rest.strip_prefix(' ').map_or((item, false), |rest| (rest, true))
}

/// Adds one tree of imports, `a::{b as c, d::*}`, after a prefix.
fn import(module: &mut Module, tree: &str, prefix: &mut Names, is_public: bool) {
    let tree = tree.trim();
    if let Some((head, group)) = tree.split_once('{') {
        let before = prefix.len();
        prefix.extend(parts(head));
        let group = group.trim_end().strip_suffix('}').unwrap_or(group);
        for branch in branches(group) {
            import(module, branch, prefix, is_public);
        }
        prefix.truncate(before);
        return;
    }
    let (path, alias) =
        tree.split_once(" as ").map_or((tree, None), |(path, alias)| (path, Some(alias.trim())));
    let mut names = prefix.clone();
    names.extend(parts(path));
    if names.last().is_some_and(|n| n == "self") {
        names.pop();
    }
    let Some(last) = names.last().cloned() else { return };
    if last == "*" {
        names.pop();
        module.globs.push(names.clone());
    } else {
        let name = alias.map_or(last, str::to_owned);
        module.aliases.insert(name.clone(), names.clone());
        if is_public {
            module.passed.push(name);
        }
    }
    if !is_public {
        module.imports.push(names);
    }
}

fn parts(path: &str) -> impl Iterator<Item = String> {
    path.split("::").map(str::trim).filter(|p| !p.is_empty()).map(str::to_owned)
}

/// Splits a group at its commas.
fn branches(group: &str) -> Vec<&str> {
    let (mut found, mut depth, mut start) = (Vec::new(), 0_u32, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.push(&group[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&group[start..]);
    found
}

/// Returns the modules that one uses, itself and those around it aside.
fn uses(modules: &[Module], id: usize) -> BTreeSet<usize> {
    let module = &modules[id];
    let words = words(&module.text);
    let passed = module.passed.iter().filter(|name| words.contains(&[name.as_str()][..]));
    let passed = passed.filter_map(|name| module.aliases.get(name));
    let written = words.iter().filter(|path| path.len() > 1);
    let written = written.map(|path| path.iter().map(|p| (*p).to_owned()).collect::<Names>());
    let all = module.imports.iter().chain(passed).cloned().chain(written);
    let mut used: BTreeSet<_> = all.filter_map(|path| resolve(modules, id, &path, 0)).collect();
    used.remove(&id);
    let mut around = id;
    while around != 0 {
        around = modules[around].parent;
        used.remove(&around);
    }
    used
}

/// Returns every name and every path in a text.
fn words(text: &str) -> BTreeSet<Vec<&str>> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let paths = text.split(|c| !is_part(c)).filter(|w| !w.is_empty() && !w.starts_with(':'));
    paths
        .map(|path| path.split("::").map(|p| p.trim_matches(':')).filter(|p| !p.is_empty()).collect())
        .collect()
}

/// Returns the module that defines the item of a path; `None` for an item of another crate.
fn resolve(modules: &[Module], from: usize, path: &[String], depth: usize) -> Option<usize> {
    let (first, mut rest) = path.split_first()?;
    if depth > DEEPEST {
        return None;
    }
    let through = |alias: &Names, rest: &[String], module: usize| {
        let path: Names = alias.iter().chain(rest).cloned().collect();
        resolve(modules, module, &path, depth + 1)
    };
    let mut at = match first.as_str() {
        "crate" => 0,
        "self" => from,
        "super" => modules[from].parent,
        name => match (modules[from].children.get(name), modules[from].aliases.get(name)) {
            (Some(child), _) => *child,
            (None, Some(alias)) => return through(alias, rest, from),
            (None, None) => return None,
        },
    };
    while let Some((name, behind)) = rest.split_first() {
        let module = &modules[at];
        rest = behind;
        if name == "super" {
            at = module.parent;
        } else if let Some(child) = module.children.get(name) {
            at = *child;
        } else if let Some(alias) = module.aliases.get(name) {
            return through(alias, rest, at);
        } else {
            let globs = module.globs.iter().filter_map(|g| resolve(modules, at, g, depth + 1));
            let defines = |m: &usize| defines(&modules[*m].text, name);
            return Some(if defines(&at) {
                at
            } else {
                globs.filter(|m| *m != at).find(defines).unwrap_or(at)
            });
        }
    }
    Some(at)
}

/// Returns whether a text defines an item of this name.
fn defines(text: &str, name: &str) -> bool {
    const ITEMS: [&str; 9] =
        ["fn", "struct", "enum", "trait", "const", "static", "type", "union", "macro_rules!"];
    let is_end = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    ITEMS.iter().any(|item| text.split(&format!("{item} {name}")).skip(1).any(is_end))
}

/// Returns groups of modules that use each other, directly or not.
fn groups(edges: &[BTreeSet<usize>]) -> Vec<BTreeSet<usize>> {
    let reached = |from: usize| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(at) = open.pop() {
            open.extend(edges[at].iter().filter(|to| seen.insert(**to)));
        }
        seen
    };
    let reached: Vec<_> = (0..edges.len()).map(reached).collect();
    let group = |m: usize| reached[m].iter().copied().filter(|to| reached[*to].contains(&m)).collect();
    let groups: BTreeSet<BTreeSet<usize>> = (0..edges.len()).map(group).collect();
    groups.into_iter().filter(|g| g.len() > 1).collect()
}

/// Returns the text without comments and literals.
fn without_literals(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("r\"") || rest.starts_with("r#") && !out.ends_with(is_of_name) {
            raw_string(rest)
        } else if c == '"' {
            quoted(rest, '"')
        } else if c == '\'' && is_char(rest) {
            quoted(rest, '\'')
        } else {
            0
        };
        if skipped == 0 {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        } else {
            out.push(' ');
            rest = &rest[skipped..];
        }
    }
    out
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the length of the quotation at the start of a text.
fn quoted(text: &str, quote: char) -> usize {
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        if c == '\\' {
            chars.next();
        } else if c == quote {
            return at + 1;
        }
    }
    text.len()
}

/// Returns a character, not a lifetime.
fn is_char(text: &str) -> bool {
    let mut chars = text.chars().skip(1);
    chars.next() == Some('\\') || chars.next() == Some('\'')
}

/// Returns the length of the raw string at the start of a text; 0 for a raw name.
fn raw_string(text: &str) -> usize {
    let marks = text[1..].chars().take_while(|c| *c == '#').count();
    if !text[1 + marks..].starts_with('"') {
        return 0;
    }
    let end = format!("\"{}", "#".repeat(marks));
    text[2 + marks..].find(&end).map_or(text.len(), |at| 2 + marks + at + end.len())
}

/// Returns the text without items that only tests have.
fn without_tests(text: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(MARK) {
        out.push_str(before);
        let mut depth = 0_u32;
        let end = behind.char_indices().find(|(_, c)| {
            match c {
                '{' | '(' | '[' => depth += 1,
                '}' | ')' | ']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && matches!(c, ';' | '}')
        });
        rest = end.map_or("", |(at, _)| &behind[at + 1..]);
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failing test panics")]
mod tests {
    use super::*;

    /// Returns the circles of a crate of these files.
    fn circles_of(name: &str, files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let src = std::env::temp_dir().join(format!("imports-{name}-{}", std::process::id()));
        for (file, text) in files {
            let path = src.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let found = circles(&src).unwrap();
        fs::remove_dir_all(&src).unwrap();
        found
    }

    #[test]
    fn a_circle_through_a_name_that_is_passed_on() {
        let found = circles_of(
            "through",
            &[
                ("lib.rs", "mod a;\nmod b;\npub use a::{A, Other as C};\n"),
                ("a.rs", "pub struct A;\npub struct Other;\nfn f() -> usize { super::b::inner::g() }\n"),
                ("b/mod.rs", "pub(crate) mod inner;\n"),
                ("b/inner.rs", "use crate::{\n    A,\n};\npub fn g() -> usize { 1 }\n"),
            ],
        );
        assert_eq!(found, [["a.rs uses b/inner.rs", "b/inner.rs uses a.rs"]]);
    }

    #[test]
    fn comments_tests_and_the_folder_are_no_step() {
        let found = circles_of(
            "none",
            &[
                ("lib.rs", "mod a;\nmod b;\npub use b::B;\npub use a::*;\nfn f() { a::g() }\n"),
                ("a.rs", "use crate::{B, f};\n"),
                (
                    "b.rs",
                    "//! As crate::a.\npub struct B;\nconst T: &str = \"crate::a::f()\";\nfn f<'a>(_: &'a str) {}\n\
                     #[cfg(test)]\nmod tests {\n    use crate::a;\n}\n",
                ),
            ],
        );
        assert_eq!(found, Vec::<Vec<String>>::new());
    }
}
