//! The skeleton that meshes were made for.

use super::game_files::{GameFiles, RECORD, read_records, split_name};
use super::state::CharacterSearch;
use crate::mesh::Geometry;
use crate::name::Name;
use crate::skel::Skel;
use crate::ts1::CharacterSkeleton;
use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::SortedSet;

/// The median distance of blend vertices from the vertices that they pull, in units of the file, up to which a
/// skeleton fits a mesh.
const FITS: f64 = 0.05;
/// Skeletons of the games, which are used without being named.
const KNOWN: [&str; 4] = ["adult", "child", "dog", "cat"];
/// The maximum number of bones that a message names.
const MOST_BONES: usize = 6;
/// The maximum number of files that are searched for a skeleton.
const MOST_SKELETONS: usize = 64;
/// The maximum number of unfit skeletons next to a mesh that are reported.
const MOST_UNFIT: usize = 4;

/// A skeleton that was found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FoundSkeleton<P> {
    /// Its file.
    pub path: P,
    /// Its index in the file, which may have several.
    pub number: usize,
    /// The skeleton.
    pub skel: Skel,
}

impl<F: GameFiles> CharacterSearch<'_, F> {
    fn is_child(&self) -> bool {
        is_child(&String::from_utf8_lossy(self.files.name(self.of)))
    }

    fn skeletons(&self, path: &F::Path) -> Vec<Skel> {
        if let Some(records) = read_records(self.files, path) {
            return records.skeletons.iter().map(CharacterSkeleton::to_skel).collect();
        }
        let is_alone = split_name(self.files.name(path)).1 == b"skel";
        let bytes = is_alone.then(|| self.files.read(path, RECORD)).flatten();
        bytes.and_then(|bytes| Skel::parse(&bytes).ok()).into_iter().collect()
    }

    /// Returns the skeleton whose rest pose fits the blend vertices of the meshes best. Without blend vertices, it is
    /// the one of an adult or a child, by the file's name, if it has all bones.
    pub fn fitting_skeleton(&self, shapes: &[&Geometry]) -> Option<FoundSkeleton<F::Path>> {
        let wanted = usual_skeleton(self.is_child());
        let mut best: Option<(f64, FoundSkeleton<F::Path>)> = None;
        for path in self.index.skeletons.iter().take(MOST_SKELETONS) {
            for (number, skel) in self.skeletons(path).into_iter().enumerate() {
                let name = skel.name.text().to_ascii_lowercase();
                let complete = || shapes.iter().all(|g| skel.find_all(&g.bones).iter().all(Option::is_some));
                let fit = match misfit(shapes, &skel) {
                    Some(misfit) if misfit <= FITS => misfit,
                    None if name == wanted && complete() => 0.0,
                    _ => continue,
                };
                if KNOWN.contains(&name.as_str()) && best.as_ref().is_none_or(|(least, _)| fit < *least) {
                    best = Some((fit, FoundSkeleton { path: path.clone(), number, skel }));
                }
            }
        }
        best.map(|(_, found)| found)
    }

    /// Returns the skeletons next to meshes of several bones that do not fit, by the names of their files, with the
    /// reasons.
    pub fn unfit_skeletons(&self, shapes: &[&Geometry]) -> Vec<(String, String)> {
        let bones = shapes.iter().flat_map(|shape| shape.bones.iter().map(Name::text));
        if bones.collect::<SortedSet<_>>().len() < 2 {
            return Vec::new();
        }
        let all = self.index.skeletons.iter().take(MOST_SKELETONS);
        let beside = all.filter(|path| self.files.is_beside(path, self.of)).take(MOST_UNFIT);
        let reason = |path: &F::Path| {
            let why = match self.skeletons(path).first() {
                Some(skel) => unfit(shapes, skel, usual_skeleton(self.is_child())),
                None => "it holds no readable skeleton".to_owned(),
            };
            (String::from_utf8_lossy(self.files.name(path)).into_owned(), why)
        };
        beside.map(reason).collect()
    }
}

impl Skel {
    /// Returns the skeleton whose rest pose fits the blend vertices of meshes best. Without blend vertices, it is the
    /// one that the `name` of a mesh suggests, otherwise the last.
    pub fn best_for<'s>(skeletons: &[&'s Self], shapes: &[&Geometry], name: &str) -> Option<&'s Self> {
        if let [] | [_] = skeletons {
            return skeletons.first().copied();
        }
        let fits = skeletons.iter().filter_map(|skel| Some((misfit(shapes, skel)?, *skel)));
        let best = fits.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, skel)| skel);
        let wanted = Name::from(usual_skeleton(is_child(name)));
        let named = || skeletons.iter().rev().find(|s| s.name.matches(&wanted)).copied();
        best.or_else(named).or_else(|| skeletons.last().copied())
    }
}

/// Returns the largest distance of blend vertices, over meshes that have any.
fn misfit(shapes: &[&Geometry], skel: &Skel) -> Option<f64> {
    shapes.iter().filter_map(|shape| shape.misfit(skel)).reduce(f64::max)
}

/// Returns the skeleton that a person's mesh takes.
const fn usual_skeleton(child: bool) -> &'static str {
    if child { "child" } else { "adult" }
}

/// Returns true if a suit or skin of The Sims 1 has a name like those of children: `b002ucchd_01`, `c001fc_...`, also
/// after `xskin-`.
fn is_child(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let name = lower.strip_prefix("xskin-").unwrap_or(&lower);
    let code = name.split(['_', '-', '.']).next().unwrap_or_default();
    let ages = code.get(4..6).is_some_and(|age| matches!(age, "fc" | "mc" | "uc"));
    code.ends_with("chd") || (ages && code.as_bytes().get(1).is_some_and(u8::is_ascii_digit))
}

/// Returns why the search does not use a skeleton for meshes that take the skeleton `wanted`.
fn unfit(shapes: &[&Geometry], skel: &Skel, wanted: &str) -> String {
    let (mut missing, mut bones) = (Vec::new(), Vec::new());
    for shape in shapes {
        for (bone, found) in shape.bones.iter().zip(skel.find_all(&shape.bones)) {
            let name = format!("{:?}", bone.text());
            if found.is_none() && !missing.contains(&name) {
                missing.push(name.clone());
            }
            if !bones.contains(&name) {
                bones.push(name);
            }
        }
    }
    if !missing.is_empty() {
        let names = missing.get(..MOST_BONES).unwrap_or(&missing).join(" ");
        let more = match missing.len().saturating_sub(MOST_BONES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        return format!("it lacks {} of {} bones of the mesh: {names}{more}", missing.len(), bones.len());
    }
    let name = skel.name.text().to_ascii_lowercase();
    match misfit(shapes, skel) {
        Some(apart) if apart > FITS => {
            format!(
                "in its rest pose blend vertices are {apart:.3} units away from the vertices that they pull"
            )
        }
        _ if !KNOWN.contains(&name.as_str()) => {
            format!("it is named {name:?}; only {} are used without --skeleton", KNOWN.join(", "))
        }
        _ => format!("it is named {name:?}; the name of the mesh requires {wanted:?}"),
    }
}
