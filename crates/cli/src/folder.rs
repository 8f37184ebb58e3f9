//! What lies beside inputs. A folder is listed once, however many inputs lie in it.

use crate::input::{self, Input};
use meshwright::tso::{Bnd, ResourceId};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Extensions of textures, the one that is preferred first.
pub(crate) const IMAGES: [&str; 5] = ["png", "jpg", "jpeg", "tga", "bmp"];

/// A file of the game, whatever its group.
type Number = (u32, u32);

/// The files of one folder.
#[derive(Debug, Default)]
pub(crate) struct Folder {
    /// By lower-case name, in order where names differ in case only.
    files: BTreeMap<String, Vec<PathBuf>>,
    /// Unpacked textures by the tag in their names.
    textures: BTreeMap<Number, PathBuf>,
    /// Bindings by the mesh that they name, read when the first is asked for.
    bindings: OnceLock<BTreeMap<Number, (PathBuf, Bnd)>>,
}

/// Inputs come folder by folder, so one is enough.
static LAST: Mutex<Option<(PathBuf, Arc<Folder>)>> = Mutex::new(None);

impl Folder {
    /// The folder that an input lies in; empty for standard input.
    pub(crate) fn of(input: &Input) -> Arc<Self> {
        if input.is_stdin() {
            return Arc::default();
        }
        let path = input.path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((known, folder)) if known == path => Arc::clone(folder),
            _ => {
                let folder = Arc::new(Self::list(path));
                *last = Some((path.to_owned(), Arc::clone(&folder)));
                folder
            }
        }
    }

    fn list(path: &Path) -> Self {
        let entries = fs::read_dir(path).into_iter().flatten();
        let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
        paths.sort();
        let mut folder = Self::default();
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
            if name.rsplit_once('.').is_some_and(|(_, e)| IMAGES.contains(&e))
                && let Some(id) = ResourceId::from_file_name(&name)
            {
                folder.textures.entry((id.file, id.kind)).or_insert_with(|| path.clone());
            }
            folder.files.entry(name).or_default().push(path);
        }
        folder
    }

    /// The file with this name, whatever its case: old archives were packed on systems that do not tell case apart.
    pub(crate) fn named(&self, name: &OsStr) -> Option<&PathBuf> {
        let found = self.files.get(&name.to_string_lossy().to_lowercase())?;
        found.iter().find(|p| p.file_name().is_some_and(|n| n.eq_ignore_ascii_case(name)) && p.is_file())
    }

    /// The first file whose lower-case name this is.
    pub(crate) fn lower_case(&self, name: &str) -> Option<&PathBuf> {
        self.files.get(name)?.first()
    }

    /// The unpacked texture with this number.
    pub(crate) fn texture_of(&self, id: &ResourceId) -> Option<&PathBuf> {
        self.textures.get(&(id.file, id.kind))
    }

    /// The binding that names this mesh; of files of more than `most` bytes none is read.
    pub(crate) fn binding_of(&self, id: &ResourceId, most: u64) -> Option<&(PathBuf, Bnd)> {
        let read = |path: &PathBuf| {
            let bytes = input::read_file(path, most).ok()?;
            let binding = Bnd::parse(&bytes).ok()?;
            let mesh = binding.mesh.as_ref()?;
            Some(((mesh.file, mesh.kind), (path.clone(), binding)))
        };
        let bindings = self.bindings.get_or_init(|| {
            // A pipe that was only found, not named, could keep the program waiting.
            let named = self.files.iter().filter(|(name, _)| name.ends_with(".bnd"));
            let mut found = BTreeMap::new();
            for (mesh, binding) in named.flat_map(|(_, paths)| paths).filter(|p| p.is_file()).filter_map(read)
            {
                found.entry(mesh).or_insert(binding);
            }
            found
        });
        bindings.get(&(id.file, id.kind))
    }
}
