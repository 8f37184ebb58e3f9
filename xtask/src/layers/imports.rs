//! Uses between the files of a crate, and circles among them.
//!
//! Only tokens are read: `mod`, `use`, and paths that begin with `crate`, `super`, `self` or a child. A name that
//! a module only passes on counts as used where it is defined, and passing on does not count. The files in a folder may use
//! items of the folder's own file: that is not a step of a circle. Tests are left out.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
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
    /// Every other name and path.
    paths: BTreeSet<Names>,
    /// The names of its items.
    defined: BTreeSet<String>,
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
    let stream: TokenStream = text.parse().map_err(|e| format!("{}: {e}", file.display()))?;
    let mut tokens = Vec::new();
    flatten(stream, &mut tokens);
    let (module, declared) = parse(&tokens);
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

/// Lists the tokens of a text: names, signs, and brackets. Comments and the content of literals are left out.
fn flatten(stream: TokenStream, tokens: &mut Vec<String>) {
    for tree in stream {
        match &tree {
            TokenTree::Group(group) => {
                let [open, close] = match group.delimiter() {
                    Delimiter::Parenthesis => ["(", ")"],
                    Delimiter::Brace => ["{", "}"],
                    Delimiter::Bracket => ["[", "]"],
                    Delimiter::None => ["", ""],
                };
                tokens.push(open.into());
                flatten(group.stream(), tokens);
                tokens.push(close.into());
            }
            TokenTree::Punct(sign) if sign.as_char() == ':' && tokens.last().is_some_and(|t| t == ":") => {
                tokens.last_mut().into_iter().for_each(|last| last.push(':'));
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) => tokens.push(tree.to_string()),
            TokenTree::Literal(_) => tokens.push("0".into()),
        }
    }
}

/// Returns what a file imports, uses and defines, and the children that it declares. Items that only tests have are
/// left out.
fn parse(mut tokens: &[String]) -> (Module, Vec<String>) {
    const TEST: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    const ITEMS: [&str; 8] = ["fn", "struct", "enum", "trait", "const", "static", "type", "union"];
    let (mut module, mut declared, mut is_public) = (Module::default(), Vec::new(), false);
    while let Some((token, rest)) = tokens.split_first() {
        let next = |n: usize| rest.get(n).map_or("", String::as_str);
        let mut taken = 0;
        if tokens.len() > TEST.len() && tokens.iter().zip(TEST).all(|(token, wanted)| token == wanted) {
            taken = TEST.len() + length_of_item(&tokens[TEST.len()..]) - 1;
        } else if token == "pub" {
            is_public = true;
            taken = if next(0) == "(" { rest.iter().take_while(|t| *t != ")").count() + 1 } else { 0 };
            tokens = &rest[taken..];
            continue;
        } else if token == "use" && next(0) != "<" {
            let mut tree = rest;
            import(&mut module, &mut tree, &Vec::new(), is_public);
            taken = rest.len() - tree.len();
        } else if token == "mod" && next(1) == ";" {
            declared.push(next(0).to_owned());
            taken = 2;
        } else if is_name(token) {
            let mut path = vec![token.clone()];
            while next(taken) == "::" && is_name(next(taken + 1)) {
                path.push(next(taken + 1).to_owned());
                taken += 2;
            }
            // The mark of a macro is between the words.
            let defined = usize::from(token == "macro_rules");
            if ITEMS.contains(&&**token) || defined == 1 {
                module.defined.insert(next(defined).to_owned());
            }
            module.paths.insert(path);
        }
        is_public = false;
        tokens = &rest[taken..];
    }
    (module, declared)
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Returns the number of tokens of the item that a list begins with.
fn length_of_item(tokens: &[String]) -> usize {
    let mut depth = 0_u32;
    let is_end = |token: &String| {
        match &**token {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && matches!(&**token, ";" | "}")
    };
    tokens.iter().position(is_end).map_or(tokens.len(), |at| at + 1)
}

/// Takes one tree of imports off a list, `a::{b as c, d::*}`, and adds it after a prefix.
fn import(module: &mut Module, tokens: &mut &[String], prefix: &Names, is_public: bool) {
    let mut names = prefix.clone();
    let mut alias = None;
    while let Some((token, rest)) = tokens.split_first().filter(|(t, _)| !matches!(&***t, "," | ";" | "}")) {
        *tokens = rest;
        match &**token {
            "::" => {}
            "{" => {
                while tokens.first().is_some_and(|token| token != "}") {
                    import(module, tokens, &names, is_public);
                    *tokens = tokens.strip_prefix(&[String::from(",")]).unwrap_or(tokens);
                }
                *tokens = tokens.get(1..).unwrap_or_default();
                return;
            }
            "as" => {
                alias = rest.first().cloned();
                *tokens = rest.get(1..).unwrap_or_default();
            }
            name => names.push(name.to_owned()),
        }
    }
    if names.last().is_some_and(|n| n == "self") {
        names.pop();
    }
    let Some(last) = names.last().cloned() else { return };
    if last == "*" {
        names.pop();
        module.globs.push(names.clone());
    } else {
        let name = alias.unwrap_or(last);
        module.aliases.insert(name.clone(), names.clone());
        if is_public {
            module.passed.push(name);
        }
    }
    if !is_public {
        module.imports.push(names);
    }
}

/// Returns the modules that one uses, itself and those around it aside.
fn uses(modules: &[Module], id: usize) -> BTreeSet<usize> {
    let module = &modules[id];
    let is_used = |name: &&String| module.paths.contains(std::slice::from_ref(*name));
    let passed = module.passed.iter().filter(is_used).filter_map(|name| module.aliases.get(name));
    let written = module.paths.iter().filter(|path| path.len() > 1);
    let all = module.imports.iter().chain(passed).chain(written);
    let mut used: BTreeSet<_> = all.filter_map(|path| resolve(modules, id, path, 0)).collect();
    used.remove(&id);
    let mut around = id;
    while around != 0 {
        around = modules[around].parent;
        used.remove(&around);
    }
    used
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
            let defines = |m: &usize| modules[*m].defined.contains(name);
            return Some(if defines(&at) {
                at
            } else {
                globs.filter(|m| *m != at).find(defines).unwrap_or(at)
            });
        }
    }
    Some(at)
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
