//! Comparison of a merged model with the edited scene.

use super::extent;
use meshwright_core::math::{Affine64, distance, length, narrow, sub, unit, wide};
use meshwright_core::{Budget, Limits};
use meshwright_scene::posed::{self, Drawn, Moment};
use meshwright_scene::{Clip, ConvertError, Joint, Mesh, Sampler, Scene, Skeleton};
use std::collections::BTreeSet;

/// Tolerances for edited values in a merged model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Tolerance of positions and translations, relative to the extent of the scene.
    pub place: f64,
    /// Tolerance of normals; NaN if the format stores no normals.
    pub normal: f64,
    /// Tolerance of texture coordinates.
    pub uv: f64,
    /// Tolerance of weights.
    pub weight: f64,
    /// Tolerance of the axes of poses.
    pub axes: f64,
}

/// Compares the scene of a merged model with the native and the edited scene. Unedited values must be the native ones
/// bit for bit, and edited values must be within the tolerances.
///
/// # Errors
/// The first violation.
pub fn check(native: &Scene, edited: &Scene, merged: &Scene, near: Near) -> Result<(), String> {
    let size = f64::from(extent(edited));
    if edited.meshes.len() != merged.meshes.len() {
        return Err(format!("{} meshes for {}", merged.meshes.len(), edited.meshes.len()));
    }
    for (m, (edited_mesh, merged_mesh)) in edited.meshes.iter().zip(&merged.meshes).enumerate() {
        let near =
            Near { normal: if bounds_moved(native, edited, m) { f64::NAN } else { near.normal }, ..near };
        let as_many = |n: &&Mesh| n.positions.len() == edited_mesh.positions.len();
        let named = native.meshes.iter().find(|n| n.name == edited_mesh.name && as_many(n));
        let native_mesh = match native.meshes.get(m) {
            Some(n) if n.name == edited_mesh.name => Some(n),
            other => named.or(other),
        };
        let world_of_native = native_mesh.and_then(|own| {
            let n = native.meshes.iter().position(|other| core::ptr::eq(other, own))?;
            Some(mesh_world(native, n))
        });
        if world_of_native.is_some_and(|world| world != mesh_world(edited, m)) {
            // A format without nodes stores a mesh where its node draws it.
            let [is, now] =
                &[(edited, edited_mesh), (merged, merged_mesh)].map(|(s, own)| placed_mesh(s, m, own));
            mesh([(native, None), (edited, Some(is)), (merged, Some(now))], near, size)
                .map_err(|e| format!("meshes[{m}] {}, placed: {e}", edited_mesh.name))?;
            continue;
        }
        let pair =
            [(native, native_mesh.filter(as_many)), (edited, Some(edited_mesh)), (merged, Some(merged_mesh))];
        mesh(pair, near, size).map_err(|e| format!("meshes[{m}] {}: {e}", edited_mesh.name))?;
    }
    let names = |s: &Scene| {
        s.skeletons.iter().flat_map(|s| s.joints.iter().map(|j| j.name.clone())).collect::<Vec<_>>()
    };
    // New joints may be at any index.
    let known = names(native);
    let old = |s: &Scene| names(s).into_iter().filter(|n| known.contains(n)).collect::<Vec<_>>();
    let new = |s: &Scene| names(s).into_iter().filter(|n| !known.contains(n)).collect::<BTreeSet<_>>();
    if old(edited) != old(merged) || new(edited) != new(merged) {
        return Err(format!("joints {:?} for {:?}", names(merged), names(edited)));
    }
    let clips = |s: &Scene| s.clips.iter().map(|c| (c.name.clone(), c.frames, c.looping)).collect::<Vec<_>>();
    if clips(edited) != clips(merged) {
        return Err(format!("clips {:?} for {:?}", clips(merged), clips(edited)));
    }
    for (c, clip) in edited.clips.iter().enumerate() {
        let same = |n: &Clip| n.name == clip.name && n.frames == clip.frames;
        let by_place = native.clips.get(c).filter(|n| same(n)).map(|_| c);
        let n = by_place.or_else(|| native.clips.iter().position(same));
        poses(native, edited, merged, (n, c), near, size)
            .map_err(|e| format!("clips[{c}] {}: {e}", clip.name))?;
    }
    rests(native, edited, merged, near)
}

/// Compares the places of all triangles at rest and in every frame of the clips. It does not depend on which joints
/// move them.
///
/// # Errors
/// The first violation.
pub fn check_posed(edited: &Scene, merged: &Scene, far: f64) -> Result<(), String> {
    check_posed_within(edited, merged, |_| far)
}

fn text(e: ConvertError) -> String {
    e.to_string()
}

/// Compares as [`check_posed`]. `far` gives the tolerance for the largest coordinate of a pose.
pub(super) fn check_posed_within(
    edited: &Scene,
    merged: &Scene,
    far: impl Fn(f64) -> f64,
) -> Result<(), String> {
    let budget = Budget::new(Limits::default());
    let [asking, making] = [edited, merged].map(|scene| Drawn::new(scene, &budget).map_err(text));
    let (asking, making) = (asking?, making?);
    // Several clips may have one name.
    let nth = |scene: &Scene, c: usize| {
        let name = &scene.clips[c].name;
        scene.clips[..c].iter().filter(|clip| clip.name == *name).count()
    };
    let twin = |c: usize| {
        let name = &edited.clips[c].name;
        let mut named = (0..merged.clips.len()).filter(|m| merged.clips[*m].name == *name);
        named.nth(nth(edited, c)).ok_or_else(|| format!("no clip {name}"))
    };
    let frames = edited.clips.iter().enumerate().flat_map(|(clip, own)| {
        (0..own.frames).map(move |frame| Some((clip, own.seconds(f64::from(frame)))))
    });
    for at in core::iter::once(None).chain(frames) {
        let moment = |(clip, seconds)| Moment { clip, seconds };
        let there = at.map(|(clip, seconds)| Ok::<_, String>((twin(clip)?, seconds))).transpose()?;
        let asked = asking.triangles(at.map(moment)).map_err(text)?;
        let made = making.triangles(there.map(moment)).map_err(text)?;
        let corners = asked.as_flattened().iter().zip(made.as_flattened());
        let off = corners.map(|(a, b)| distance(*a, *b)).fold(0.0, f64::max);
        let far = far(posed::extent(&asked));
        if asked.len() != made.len() || off > far {
            let (made, asked) = (made.len(), asked.len());
            return Err(format!("{at:?}: {off} away, more than {far}; {made} triangles for {asked}"));
        }
    }
    Ok(())
}

/// Returns true if a mesh bounds a joint that has another place. Its normals are those of the vertices in the space of
/// the joint.
fn bounds_moved(native: &Scene, edited: &Scene, m: usize) -> bool {
    let place = |scene: &Scene| {
        let mut all =
            scene.skeletons.iter().flat_map(|s| s.joints.iter().zip(s.rest_model().unwrap_or_default()));
        all.find(|(joint, _)| joint.solid.is_some_and(|solid| solid.0 == m)).map(|(_, model)| model)
    };
    place(edited).is_some_and(|is| place(native) != Some(is))
}

/// Returns the world transform with which a mesh is drawn.
fn mesh_world(scene: &Scene, m: usize) -> Affine64 {
    let drawn = scene.drawn_meshes().unwrap_or_default();
    drawn.iter().find(|(_, id, _)| id.0 == m).map_or(Affine64::IDENTITY, |(.., world)| world.wide())
}

/// Returns a mesh where its node draws it.
fn placed_mesh(scene: &Scene, m: usize, mesh: &Mesh) -> Mesh {
    let world = mesh_world(scene, m);
    let mut placed = mesh.clone();
    placed.positions.iter_mut().for_each(|p| *p = narrow(world.point(wide(*p))));
    for normal in &mut placed.normals {
        let turned = world.normals().and_then(|m| unit(m.vector(wide(*normal))));
        *normal = turned.map_or(*normal, narrow);
    }
    placed
}

/// Returns true if no joint above a joint was removed.
fn keeps_parents(native: &Skeleton, edited: &Skeleton, name: &str) -> bool {
    if edited.joints.len() >= native.joints.len() {
        return true;
    }
    let mut at = native.joints.iter().find(|joint| joint.name == name);
    while let Some(parent) = at.and_then(|joint| joint.parent) {
        at = native.joints.get(parent);
        if at.is_some_and(|at| edited.joints.iter().all(|joint| joint.name != at.name)) {
            return false;
        }
    }
    true
}

/// Checks the rest poses and bind poses of joints.
fn rests(native: &Scene, edited: &Scene, merged: &Scene, near: Near) -> Result<(), String> {
    let size = f64::from(extent(edited));
    for (s, skeleton) in edited.skeletons.iter().enumerate() {
        let find = |scene: &Scene, at: usize, name: &str| {
            let joints = &scene.skeletons.get(s)?.joints;
            let here = joints.get(at).filter(|j| j.name == name);
            here.or_else(|| joints.iter().find(|j| j.name == name)).cloned()
        };
        for (j, joint) in skeleton.joints.iter().enumerate() {
            let Some(made) = find(merged, j, &joint.name) else { continue };
            let bits = |j: &Joint| (j.rest.to_affine64(), j.inverse_bind);
            // Formats without bind poses compute them from the joints above.
            let whole =
                || native.skeletons.get(s).is_some_and(|old| keeps_parents(old, skeleton, &joint.name));
            let still = find(native, j, &joint.name).is_some_and(|n| bits(&n) == bits(joint)) && whole();
            if still && bits(joint) != bits(&made) {
                return Err(format!(
                    "{} was not edited: {:?} for {:?}",
                    joint.name,
                    bits(&made),
                    bits(joint)
                ));
            }
            let (turned, moved) = distances(&joint.rest.to_affine64(), &made.rest.to_affine64());
            if turned > near.axes || moved > near.place * size {
                return Err(format!("{} rests at {:?} for {:?}", joint.name, made.rest, joint.rest));
            }
        }
    }
    Ok(())
}

fn mesh(pair: [(&Scene, Option<&Mesh>); 3], near: Near, size: f64) -> Result<(), String> {
    let [(_, native), (_, edited), (_, merged)] = pair;
    let (Some(edited), Some(merged)) = (edited, merged) else { return Ok(()) };
    if (edited.positions.len(), edited.triangles.len()) != (merged.positions.len(), merged.triangles.len()) {
        return Err(format!(
            "{} vertices, {} triangles for {}, {}",
            merged.positions.len(),
            merged.triangles.len(),
            edited.positions.len(),
            edited.triangles.len()
        ));
    }
    let influences = |(scene, mesh): (&Scene, Option<&Mesh>), v: usize| {
        let skin = mesh.and_then(|m| m.skin.as_ref())?;
        let joints = &scene.skeletons.get(skin.skeleton.0)?.joints;
        // The position of a vertex in a joint's space depends on the joint's bind pose.
        let joint = |joint: u32| joints.get(joint as usize).map(|j| (j.name.clone(), j.inverse_bind)).unzip();
        let one = |i: &meshwright_scene::Influence| {
            let (name, bind) = joint(i.joint);
            (name, i.weight, i.joint, bind)
        };
        Some(skin.influences(v).iter().map(one).collect::<Vec<Pull>>())
    };
    let twins = twins(edited, merged)?;
    // Positions, normals and weights share a record in some formats.
    let bits = |list: &[[f32; 3]], v: usize| list.get(v).map(|c| c.map(f32::to_bits));
    let still = |v: usize| {
        native.is_some_and(|n| {
            bits(&n.positions, v) == bits(&edited.positions, v)
                && (near.normal.is_nan() || bits(&n.normals, v) == bits(&edited.normals, v))
                && influences(pair[0], v) == influences(pair[1], v)
        })
    };
    let of = |get: fn(&Mesh) -> &Vec<[f32; 3]>| (native.map(get), get(edited), get(merged));
    list("positions", of(|m| &m.positions), &twins, near.place * size, still)?;
    if !near.normal.is_nan() {
        list("normals", of(|m| &m.normals), &twins, near.normal, still)?;
    }
    list("uvs", (native.map(|m| &m.uvs), &edited.uvs, &merged.uvs), &twins, near.uv, |_| true)?;
    let material = |(scene, mesh): (&Scene, Option<&Mesh>)| {
        mesh.and_then(|m| m.material).and_then(|m| scene.materials.get(m.0)).map(|m| m.name.clone())
    };
    let [native_material, edited_material, merged_material] = pair.map(material);
    if native_material.is_some() && edited_material != merged_material {
        return Err(format!("material {merged_material:?} for {edited_material:?}"));
    }
    for (v, twin) in twins.iter().enumerate().filter_map(|(v, twin)| Some((v, (*twin)?))) {
        let (n, e, m) = (influences(pair[0], v), influences(pair[1], v), influences(pair[2], twin));
        let weight = |list: &Option<Vec<Pull>>, joint: &Option<String>| {
            list.iter().flatten().filter(|i| i.0 == *joint).map(|i| f64::from(i.1)).sum::<f64>()
        };
        let still = native.is_some() && n == e;
        let close = m.iter().flatten().chain(e.iter().flatten());
        let off = close.map(|(j, ..)| (weight(&m, j) - weight(&e, j)).abs()).fold(0.0, f64::max);
        if still && n != m || off > near.weight {
            return Err(format!("vertex {v} follows {m:?}, for {e:?}"));
        }
    }
    Ok(())
}

/// Maps the vertices of the edited mesh to those of the merged one. Formats that sort vertices by bone change their
/// order, so that the triangles give the mapping. Vertices without triangles have none, unless all triangles are equal.
fn twins(edited: &Mesh, merged: &Mesh) -> Result<Vec<Option<usize>>, String> {
    if edited.triangles == merged.triangles {
        return Ok((0..edited.positions.len()).map(Some).collect());
    }
    let mut twins = vec![None; edited.positions.len()];
    for (t, (e, m)) in edited.triangles.iter().zip(&merged.triangles).enumerate() {
        for (e, m) in e.iter().zip(m) {
            if twins[*e as usize].replace(*m as usize).is_some_and(|other| other != *m as usize) {
                return Err(format!("triangles[{t}]"));
            }
        }
    }
    Ok(twins)
}

/// An influence: the joint's name, the weight, the joint's index and its inverse bind matrix.
type Pull = (Option<String>, f32, u32, Option<meshwright_scene::Affine>);

/// The same attribute of the native, edited and merged mesh.
type Three<'m, const N: usize> = (Option<&'m Vec<[f32; N]>>, &'m Vec<[f32; N]>, &'m Vec<[f32; N]>);

fn list<const N: usize>(
    what: &str,
    (native, edited, merged): Three<'_, N>,
    twins: &[Option<usize>],
    near: f64,
    still: impl Fn(usize) -> bool,
) -> Result<(), String> {
    for (v, (e, twin)) in edited.iter().zip(twins).enumerate() {
        let Some(m) = twin.and_then(|t| merged.get(t)) else { continue };
        let bits = |c: &[f32; N]| c.map(f32::to_bits);
        let n = native.and_then(|n| n.get(v)).filter(|n| bits(n) == bits(e) && still(v));
        let off = e.iter().zip(m).map(|(a, b)| (f64::from(*a) - f64::from(*b)).abs()).fold(0.0, f64::max);
        if n.is_some_and(|n| bits(n) != bits(m)) {
            return Err(format!("{what}[{v}] was not edited: {m:?} for {e:?}"));
        }
        if off > near {
            return Err(format!("{what}[{v}]: {m:?} for {e:?}"));
        }
    }
    Ok(())
}

fn poses(
    native: &Scene,
    edited: &Scene,
    merged: &Scene,
    (n, c): (Option<usize>, usize),
    near: Near,
    size: f64,
) -> Result<(), String> {
    let budget = Budget::new(Limits::default());
    let native_one = n.map(|n| Sampler::new(native, n, &budget).map_err(text)).transpose()?;
    let [edited_one, merged_one] = [edited, merged].map(|s| Sampler::new(s, c, &budget).map_err(text));
    let (edited_one, merged_one) = (edited_one?, merged_one?);
    // Joints keep their indices unless one before them was removed. Several may have one name.
    let place = |s: &Sampler<'_, '_>, at: usize, name: &str| {
        let joints = &s.skeleton().joints;
        if joints.get(at).is_some_and(|j| j.name == name) {
            return Some(at);
        }
        joints.iter().position(|j| j.name == name)
    };
    for frame in edited_one.whole_frames() {
        for (j, joint) in edited_one.skeleton().joints.iter().enumerate() {
            let Some(k) = place(&merged_one, j, &joint.name) else { continue };
            let (e, m) = (edited_one.local(j, frame), merged_one.local(k, frame));
            let n = native_one.as_ref().and_then(|s| Some(s.local(place(s, j, &joint.name)?, frame)));
            let where_ = || format!("frame {frame}, {}", joint.name);
            if n == Some(e) && m != e {
                return Err(format!("{} was not edited: {m:?} for {e:?}", where_()));
            }
            let (turned, moved) = distances(&e, &m);
            if turned > near.axes || moved > near.place * size {
                return Err(format!("{}: {m:?} for {e:?}", where_()));
            }
        }
    }
    Ok(())
}

/// Returns the largest distance of the axes and the distance of the origins of two transforms.
fn distances(a: &Affine64, b: &Affine64) -> (f64, f64) {
    let axes = [(a.x, b.x), (a.y, b.y), (a.z, b.z)].map(|(a, b)| length(sub(a, b)));
    (axes.into_iter().fold(0.0, f64::max), distance(a.w, b.w))
}
