//! Indices of the files of a game by number and by name.

use super::game_files::{GameFiles, read_records, split_name};
use crate::bnd::{Bnd, ResourceId};
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::SortedMap;

/// The number and type of a file, without its group.
type Number = (u32, u32);
/// A name in lower case, as stem and extension.
type FileName = (Vec<u8>, Vec<u8>);

/// A binding is a few dozen bytes; a larger file is not a binding.
const LARGEST_BINDING: u64 = 64 << 10;

/// The first two files of each key.
#[derive(Clone, Debug)]
struct FirstTwo<K, P> {
    first: SortedMap<K, P>,
    second: SortedMap<K, P>,
}

impl<K: Ord + Clone, P: Clone + PartialEq> FirstTwo<K, P> {
    const fn new() -> Self {
        Self { first: SortedMap::new(), second: SortedMap::new() }
    }

    fn add(&mut self, key: K, path: &P) {
        let map = if self.first.contains_key(&key) { &mut self.second } else { &mut self.first };
        map.entry(key).or_insert_with(|| path.clone());
    }

    /// Returns a file of the same key at another path.
    fn other(&self, key: &K, taken: &P) -> Option<&P> {
        [&self.first, &self.second].into_iter().filter_map(|found| found.get(key)).find(|path| *path != taken)
    }
}

/// The names of all files of a game.
#[derive(Clone, Debug)]
pub struct GameIndex<P> {
    numbered: FirstTwo<Number, P>,
    /// Keys, meshes and textures of The Sims 1.
    named: FirstTwo<FileName, P>,
    pub(super) skeletons: Vec<P>,
    /// Files of records of The Sims 1, which may have skills.
    records: Vec<P>,
}

impl<P: Clone + PartialEq> GameIndex<P> {
    /// Makes an index of the files at `paths`. Of files of one name, the first is used.
    pub fn new<F: GameFiles<Path = P>>(files: &F, paths: impl IntoIterator<Item = P>) -> Self {
        let (numbered, named) = (FirstTwo::new(), FirstTwo::new());
        let mut all = Self { numbered, named, skeletons: Vec::new(), records: Vec::new() };
        for path in paths {
            let name = files.name(&path);
            if let Some(id) = ResourceId::from_file_name(&String::from_utf8_lossy(name)) {
                all.numbered.add((id.file, id.kind), &path);
            }
            let (stem, extension) = split_name(name);
            match &*extension {
                b"skel" => all.skeletons.push(path),
                b"cmx" | b"bcf" => {
                    if stem.windows(8).any(|part| part == b"skeleton") {
                        all.skeletons.push(path.clone());
                    }
                    all.records.push(path);
                }
                b"cfp" | b"bmf" | b"skn" | b"bmp" | b"tga" => all.named.add((stem, extension), &path),
                _ => {}
            }
        }
        all
    }

    /// Returns the file with a number, whatever its group.
    pub fn numbered(&self, id: &ResourceId) -> Option<&P> {
        self.numbered.first.get(&(id.file, id.kind))
    }

    /// Returns the file of The Sims 1 with a name and the first possible one of some extensions.
    pub(super) fn named(&self, stem: &str, extensions: &[&str]) -> Option<&P> {
        let stem = stem.to_ascii_lowercase().into_bytes();
        extensions.iter().find_map(|e| self.named.first.get(&(stem.clone(), e.as_bytes().to_vec())))
    }

    /// Returns the first image file whose name has this prefix, which is in lower case.
    pub(super) fn image(&self, prefix: &str) -> Option<&P> {
        let prefix = prefix.as_bytes();
        let after = self.named.first.range((prefix.to_vec(), Vec::new())..);
        let mut here = after.take_while(|((stem, _), _)| stem.starts_with(prefix));
        here.find(|((_, extension), _)| matches!(&**extension, b"bmp" | b"tga")).map(|(_, path)| path)
    }

    pub(super) fn of_same_number(&self, id: &ResourceId, taken: &P) -> Option<&P> {
        self.numbered.other(&(id.file, id.kind), taken)
    }

    pub(super) fn of_same_name(&self, name: &[u8], taken: &P) -> Option<&P> {
        self.named.other(&split_name(name), taken)
    }

    /// Reads how many translations and rotations skills have, by the names of the files of their keys in lower case.
    pub fn key_counts<F: GameFiles<Path = P>>(&self, files: &F) -> SortedMap<String, (u32, u32)> {
        let mut known = SortedMap::new();
        for skill in self.records.iter().filter_map(|path| read_records(files, path)).flat_map(|c| c.skills) {
            let name = skill.keys.text().to_lowercase();
            known.entry(name).or_insert((skill.translations, skill.rotations));
        }
        known
    }
}

/// The files of The Sims Online in one folder: bindings by their meshes, and others by their numbers.
#[derive(Clone, Debug)]
pub struct GameFolder<P> {
    bindings: SortedMap<Number, P>,
    textures: SortedMap<Number, P>,
}

impl<P: Clone + PartialEq> GameFolder<P> {
    /// Reads the bindings among the files of a folder. Textures are files with an extension of `images`.
    pub fn new<F: GameFiles<Path = P>>(
        files: &F,
        paths: impl IntoIterator<Item = P>,
        images: &[&str],
    ) -> Self {
        let (mut bindings, mut textures) = (SortedMap::new(), SortedMap::new());
        for path in paths {
            let name = files.name(&path);
            let extension = split_name(name).1;
            if extension == b"bnd" {
                let bound =
                    files.read(&path, LARGEST_BINDING).and_then(|bytes| Bnd::parse(&bytes).ok()?.mesh);
                if let Some(mesh) = bound {
                    bindings.entry((mesh.file, mesh.kind)).or_insert(path);
                }
            } else if images.iter().any(|e| e.as_bytes() == extension)
                && let Some(id) = ResourceId::from_file_name(&String::from_utf8_lossy(name))
            {
                textures.entry((id.file, id.kind)).or_insert(path);
            }
        }
        Self { bindings, textures }
    }

    /// Returns the unpacked texture with this number.
    pub fn texture(&self, id: &ResourceId) -> Option<&P> {
        self.textures.get(&(id.file, id.kind))
    }

    /// Returns the binding that names this mesh.
    pub fn binding(&self, mesh: &ResourceId) -> Option<&P> {
        self.bindings.get(&(mesh.file, mesh.kind))
    }
}
