//! Lists all files of a tree.

use crate::error::FilesError;
use crate::layer::Layer;
use crate::listing::EntryKind;
use crate::path::TreePath;
use crate::tree::Tree;
use meshwright_core::Order as _;
use meshwright_core::SortedSet;

/// The result of a walk: all files of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Walk {
    /// The files. In each folder its own files come before those of its subfolders. A folder that cannot be
    /// listed is an error with the reason.
    pub files: Vec<Result<TreePath, (TreePath, FilesError)>>,
    /// The number of files that a later layer hides.
    pub hidden: u64,
    /// Links to files and folders outside the tree. They are not followed.
    pub links_out: Vec<TreePath>,
}

impl Tree {
    /// Lists all files. Links, pipes and devices are not included.
    pub fn walk(&self) -> Walk {
        self.walk_where(|_, kind| kind != EntryKind::Link)
    }

    /// Lists all files for which `keep` is true, in folders for which it is true. Links for which it is true
    /// are followed: each folder is entered through one link only, and never if it contains the link. Links
    /// out of the tree are followed only if the tree was opened [with that
    /// option](crate::TreeOptions::with_links).
    pub fn walk_where(&self, mut keep: impl FnMut(&TreePath, EntryKind) -> bool) -> Walk {
        let (mut found, mut hidden, mut links_out) = (Vec::new(), 0_u64, Vec::new());
        let mut seen = SortedSet::new();
        for (i, layer) in self.layers.iter().enumerate().rev() {
            let tops = match &self.scope {
                Some((scope, _)) if *scope != i => continue,
                // A pack may spell the folder in several ways.
                Some((_, folder)) => layer.find_all(folder, EntryKind::Folder),
                None => vec![TreePath::ROOT],
            };
            let own = match layer.refusal() {
                Some((pack, e)) => vec![Err((pack, e))],
                None => files(layer, tops, self.flat, &mut keep, &mut links_out),
            };
            let before = found.len();
            found.extend(own.into_iter().filter(|file| {
                let hides = file.as_ref().is_ok_and(|path| seen.contains(&path.folded()));
                hidden = hidden.saturating_add(hides.into());
                !hides
            }));
            if i > 0 {
                let own = found.get(before..).unwrap_or_default();
                seen.extend(own.iter().filter_map(|file| file.as_ref().ok().map(TreePath::folded)));
            }
        }
        if self.layers.len() > 1 {
            found.order_by(|a, b| {
                let ((a, a_is_folder), (b, b_is_folder)) = (place(a), place(b));
                a.walk_order(a_is_folder, b, b_is_folder)
            });
        }
        Walk { files: found, hidden, links_out }
    }
}

/// Returns the path of an item of a walk, and whether it is a folder.
fn place(file: &Result<TreePath, (TreePath, FilesError)>) -> (&TreePath, bool) {
    match file {
        Ok(path) => (path, false),
        Err((path, _)) => (path, true),
    }
}

/// Returns the files in some folders of one layer, in the order of a walk.
fn files(
    layer: &Layer,
    mut open: Vec<TreePath>,
    flat: bool,
    keep: &mut impl FnMut(&TreePath, EntryKind) -> bool,
    links_out: &mut Vec<TreePath>,
) -> Vec<Result<TreePath, (TreePath, FilesError)>> {
    let mut found = Vec::new();
    open.reverse();
    let mut entered = SortedSet::new();
    while let Some(folder) = open.pop() {
        let listing = match layer.list(&folder) {
            Ok(listing) => listing,
            Err(e) => {
                found.push(Err((folder, e)));
                continue;
            }
        };
        // An archive is walked as a folder.
        let is_archive = |path: &TreePath| layer.within(path).is_some_and(|(.., rest)| rest.is_root());
        let mut folders = Vec::new();
        for (name, kind) in listing.iter() {
            let path = folder.child(name);
            let kind = match kind {
                EntryKind::Link if keep(&path, EntryKind::Link) => layer.enter(&path, &mut entered),
                kind => kind,
            };
            if matches!(kind, EntryKind::Link | EntryKind::Other) && layer.leads_out(&path) {
                links_out.push(path.clone());
            }
            match kind {
                EntryKind::File if (flat || !is_archive(&path)) && keep(&path, kind) => found.push(Ok(path)),
                EntryKind::Folder if (!flat || !is_archive(&path)) && keep(&path, kind) => folders.push(path),
                _ => {}
            }
        }
        // The first folder is walked first.
        open.extend(folders.into_iter().rev());
    }
    found
}
