//! Hashes of code: a figure belongs to the code that it was measured on.

use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Crates in which no user's bytes are read.
const APART: &[&str] = &["fuzz", "lab", "testkit"];

/// Hashes by crate, and of what was put together from them.
#[derive(Debug)]
pub(crate) struct Code {
    /// By the folder below `crates`.
    crates: BTreeMap<String, Vec<u8>>,
}

impl Code {
    /// The code as it lies there, committed or not.
    pub(crate) fn of(root: &Path) -> Result<Self, String> {
        let folder = root.join("crates");
        let mut crates = BTreeMap::new();
        for entry in fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if !APART.contains(&name.as_str()) && entry.path().join("src").is_dir() {
                crates.insert(name, hash(&entry.path())?);
            }
        }
        Ok(Self { crates })
    }

    /// The hash of some crates, or of all: twelve digits.
    pub(crate) fn hash(&self, only: Option<&[&str]>) -> String {
        let mut sum = Sha256::new();
        let wanted = |name: &str| only.is_none_or(|only| only.contains(&name));
        for (name, hash) in self.crates.iter().filter(|(name, _)| wanted(name)) {
            sum.update(name.as_bytes());
            sum.update(hash);
        }
        sum.finalize().iter().take(6).map(|b| format!("{b:02x}")).collect()
    }
}

/// The hash of a crate's sources: names and contents.
fn hash(crate_folder: &Path) -> Result<Vec<u8>, String> {
    let walked = xtask::fixtures::walk(&crate_folder.join("src"));
    let files = walked.map_err(|e| format!("{}: {e}", crate_folder.display()))?;
    let mut sum = Sha256::new();
    for path in files {
        let bytes = fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let name = path.strip_prefix(crate_folder).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        // Git may have given lines other ends.
        let bytes: Vec<u8> = bytes.into_iter().filter(|b| *b != b'\r').collect();
        sum.update((name.len() as u64).to_le_bytes());
        sum.update(name.as_bytes());
        sum.update((bytes.len() as u64).to_le_bytes());
        sum.update(&bytes);
    }
    Ok(sum.finalize().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_change_of_a_crate_is_another_hash() {
        let root = std::env::temp_dir().join(format!("meshwright-code-{}", std::process::id()));
        let write = |name: &str, text: &str| {
            let path = root.join("crates").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("a/src/lib.rs", "1");
        write("b/src/lib.rs", "1");
        write("lab/src/lib.rs", "1");
        let (all, a) = (Code::of(&root).unwrap().hash(None), Code::of(&root).unwrap().hash(Some(&["a"])));
        assert_eq!((all.len(), a.len()), (12, 12));
        write("lab/src/lib.rs", "2");
        assert_eq!(Code::of(&root).unwrap().hash(None), all, "what measures is not measured");
        write("b/src/lib.rs", "2");
        let code = Code::of(&root).unwrap();
        assert_ne!(code.hash(None), all);
        assert_eq!(code.hash(Some(&["a"])), a, "another crate has changed");
        write("a/src/more.rs", "");
        assert_ne!(Code::of(&root).unwrap().hash(Some(&["a"])), a);
        fs::remove_dir_all(root).unwrap();
    }
}
