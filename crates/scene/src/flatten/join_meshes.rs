//! Joins several meshes to one.

use super::{DrawOptions, Instance, bytes, fill_normals, make_owned};
use crate::convert::ConvertError;
use crate::convert::loss::Loss;
use crate::material::color::ColorEncoding;
use crate::mesh::{Mesh, Skin};
use crate::model::Scene;
use alloc::borrow::Cow;
use alloc::vec;
use alloc::vec::Vec;
use meshwright_core::{Budget, LimitExceeded, SortedMap};

/// Completes attributes that only some of the meshes have: normals from the triangles, tangents from the
/// texture coordinates, and texture coordinates 0. Returns whether the meshes now have normals, tangents and
/// texture coordinates.
///
/// # Errors
/// If the budget does not suffice.
pub fn fill_attributes(
    meshes: &mut [&mut Cow<'_, Mesh>],
    path: &str,
    budget: &Budget,
    losses: &mut Vec<Loss>,
) -> Result<[bool; 3], ConvertError> {
    fill_missing(meshes, path, false, budget, losses)
}

/// Does the same as [`fill_attributes`]. Texture coordinates grow upwards if `up` is true.
fn fill_missing(
    meshes: &mut [&mut Cow<'_, Mesh>],
    path: &str,
    up: bool,
    budget: &Budget,
    losses: &mut Vec<Loss>,
) -> Result<[bool; 3], ConvertError> {
    let any = |has: fn(&Mesh) -> bool| meshes.iter().any(|m| has(m));
    let wanted =
        [any(|m| !m.normals.is_empty()), any(|m| !m.tangents.is_empty()), any(|m| !m.uvs.is_empty())];
    let [normals, tangents, uvs] = wanted;
    let mut filled = [0_usize; 3];
    for mesh in meshes.iter_mut().filter(|m| !m.positions.is_empty()) {
        let lacks = [
            (normals || tangents) && mesh.normals.is_empty(),
            tangents && mesh.tangents.is_empty(),
            uvs && mesh.uvs.is_empty(),
        ];
        if lacks == [false; 3] {
            continue;
        }
        let owned = make_owned(mesh, budget)?;
        if lacks[0] {
            fill_normals(owned, budget)?;
        }
        if lacks[1] {
            super::tangents::compute(owned, up, budget)?;
        }
        if lacks[2] {
            owned.uvs = budget.filled("texture coordinates", owned.positions.len(), [0.0; 2])?;
        }
        for (count, lacked) in filled.iter_mut().zip(lacks) {
            *count = count.saturating_add(usize::from(lacked));
        }
    }
    for (count, code, message) in [
        (filled[0], "normals-computed", "normals of meshes without any were computed from the triangles"),
        (
            filled[1],
            "tangents-computed",
            "tangents of meshes without any were computed from the texture coordinates",
        ),
        (filled[2], "uvs-missing", "meshes without texture coordinates got 0 everywhere"),
    ] {
        if count > 0 {
            losses.push(Loss::note(code, path, message).with_count(count, "mesh", "meshes"));
        }
    }
    Ok([normals || tangents, tangents, uvs])
}

/// Returns the groups of instances that become one mesh each, in the order of their first instance.
pub(super) fn groups(
    scene: &Scene,
    options: &DrawOptions,
    instances: Vec<Instance>,
    budget: &Budget,
) -> Result<Vec<Vec<Instance>>, LimitExceeded> {
    let each = size_of::<(Vec<Instance>, Instance)>();
    budget.charge_items("instances", instances.len() as u64, each)?;
    if !options.by_material {
        return Ok(instances.into_iter().map(|i| vec![i]).collect());
    }
    let mut groups: Vec<Vec<Instance>> = Vec::new();
    let mut known = SortedMap::new();
    for instance in instances {
        let mesh = scene.meshes.get(instance.mesh.0);
        let skeleton = mesh.and_then(|m| m.skin.as_ref()).map(|s| s.skeleton);
        let drawn = instance.node.is_some();
        let key = (instance.level, drawn, mesh.and_then(|m| m.material), skeleton);
        let at = *known.entry(key).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.push(instance),
            None => groups.push(vec![instance]),
        }
    }
    Ok(groups)
}

/// Joins meshes of one material and skeleton. If only some have an attribute, the others get a default:
/// normals from the triangles, white colours, texture coordinates 0, tangents from both. Vertices in the
/// space of bones are dropped.
pub(super) fn joined<'s>(
    mut meshes: Vec<Cow<'s, Mesh>>,
    path: &str,
    up: bool,
    budget: &Budget,
    losses: &mut Vec<Loss>,
) -> Result<Cow<'s, Mesh>, ConvertError> {
    if meshes.len() < 2 {
        return Ok(meshes.pop().unwrap_or_default());
    }
    let loss = Loss::note("meshes-merged", path, "meshes of one material became one");
    losses.push(loss.with_count(meshes.len(), "mesh", "meshes"));
    let [normals, tangents, uvs] =
        fill_missing(&mut meshes.iter_mut().collect::<Vec<_>>(), path, up, budget, losses)?;
    let full: Vec<_> = meshes.iter().filter(|m| !m.positions.is_empty()).collect();
    let stores = |m: &&&Cow<'_, Mesh>| m.skin.as_ref().is_none_or(|s| !s.local.is_empty());
    let with = full.iter().filter(stores).count();
    let local = with == full.len();
    if with > 0 && !local && full.iter().any(|m| m.is_skinned()) {
        let message = "vertices stored for each bone: not every mesh has them";
        losses.push(Loss::new("attribute-dropped", path, message));
    }
    let colored = || full.iter().filter(|m| !m.colors.is_empty());
    let colors = colored().next().is_some();
    let mut all = Mesh::default();
    // If the encodings differ, colours become sRGB.
    let linear = colors && colored().all(|m| m.color_encoding == ColorEncoding::Linear);
    all.color_encoding = if linear { ColorEncoding::Linear } else { ColorEncoding::Srgb };
    if let Some(first) = meshes.first() {
        (all.name, all.material) = (first.name.clone(), first.material);
        all.skin = first.skin.as_ref().map(|s| Skin::new(s.skeleton));
    }
    for mesh in &meshes {
        // White colours may have to be added.
        let white = (mesh.positions.len() as u64).saturating_mul(4);
        budget.charge("meshes joined", bytes(mesh).saturating_add(white))?;
        let beyond = || ConvertError::unsupported(path, "more vertices than 32 bits can number");
        let base = u32::try_from(all.positions.len()).map_err(|_| beyond())?;
        let end = all.positions.len().saturating_add(mesh.positions.len());
        u32::try_from(end).map_err(|_| beyond())?;
        all.positions.extend(&mesh.positions);
        all.normals.extend_from_slice(if normals { &mesh.normals } else { &[] });
        all.tangents.extend_from_slice(if tangents { &mesh.tangents } else { &[] });
        all.uvs.extend_from_slice(if uvs { &mesh.uvs } else { &[] });
        let color = |c: &[u8; 4]| if linear { *c } else { mesh.color_encoding.to_srgb(*c) };
        all.colors.extend(mesh.colors.iter().map(color));
        all.colors.resize(if colors { end } else { 0 }, [255; 4]);
        all.triangles.extend(mesh.triangles.iter().map(|t| t.map(|v| v.saturating_add(base))));
        if let (Some(to), Some(from)) = (&mut all.skin, &mesh.skin) {
            for v in 0..from.vertex_count() {
                to.influences.extend(from.influences(v));
                to.end_vertex();
            }
            to.local.extend_from_slice(if local { &from.local } else { &[] });
        }
    }
    Ok(Cow::Owned(all))
}
