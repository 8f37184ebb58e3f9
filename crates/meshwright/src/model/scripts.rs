//! The shader scripts of a tree.

use meshwright_core::{Budget, Limits, Order as _};
use meshwright_files::{EntryKind, Tree, TreePath};
use meshwright_quake::{Shader, ShaderScript, Shaders};

/// The shader scripts of a tree.
#[derive(Debug, Default)]
pub(super) struct Scripts {
    shaders: Shaders,
    files: Vec<TreePath>,
}

impl Scripts {
    /// Reads all scripts in order of their names, ignoring case. Each name is read once.
    pub(super) fn read(tree: &Tree, limits: Limits) -> Self {
        let mut scripts = Self::default();
        let budget = Budget::new(limits);
        let Ok(entries) = tree.list("scripts") else { return scripts };
        let is_script = |path: &TreePath| path.extension().eq_ignore_ascii_case(b"shader");
        let mut files: Vec<_> = entries
            .iter()
            .filter(|e| e.kind == EntryKind::File && is_script(&e.path))
            .map(|e| &e.path)
            .collect();
        files.order_by_key(|path| (path.name().to_ascii_lowercase(), path.name().to_vec()));
        for file in files {
            let Ok(text) = tree.read(file, &budget) else { continue };
            let Ok(script) = ShaderScript::parse(&text, &budget) else { continue };
            scripts.shaders.add(script);
            scripts.files.push(file.clone());
        }
        scripts
    }

    /// Returns the shader of a name, and the script with it.
    pub(super) fn get(&self, name: &[u8]) -> Option<(&Shader, &TreePath)> {
        let (shader, script) = self.shaders.get(name)?;
        Some((shader, self.files.get(script)?))
    }
}
