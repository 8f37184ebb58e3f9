//! Explains why a skeleton next to a mesh is not used for it.

use meshwright_tso::{Geometry, Skel};

/// The median distance of blend vertices from the vertices that they pull, in units of the file, up to which a
/// skeleton fits a mesh.
pub(super) const FITS: f64 = 0.05;
/// Skeletons of the games, which are used without being named.
pub(super) const KNOWN: [&str; 4] = ["adult", "child", "dog", "cat"];
/// The maximum number of bones that a message names.
const MOST_BONES: usize = 6;

/// Returns why the search does not use a skeleton for meshes that take the skeleton `wanted`.
pub(super) fn unfit(shapes: &[&Geometry], skel: &Skel, wanted: &str) -> String {
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
        let names = missing.iter().take(MOST_BONES).map(String::as_str).collect::<Vec<_>>().join(" ");
        let more = match missing.len().saturating_sub(MOST_BONES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        return format!("it lacks {} of {} bones of the mesh: {names}{more}", missing.len(), bones.len());
    }
    let misfit = shapes.iter().filter_map(|shape| shape.misfit(skel)).reduce(f64::max);
    let name = skel.name.text().to_ascii_lowercase();
    match misfit {
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
