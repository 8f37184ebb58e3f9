//! Writes meshes with the attributes of glTF.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "vectors of fixed size and neighbouring keys; counts of what is in memory"
)]

use crate::document::{self, Mode, Primitive, Semantic, Target, Transform};
use crate::export::extras::{self, Mark};
use crate::export::options::Influences;
use crate::export::output::{BoundsChoice, Output, add};
use crate::export::survey::SeenMesh;
use crate::export::weights;
use crate::math::{self, cross, dot, narrow, unit, wide};
use meshwright_core::Order as _;
use meshwright_core::bulk;
use meshwright_scene::{
    ColorEncoding, ConvertError, Loss, Mesh, TextureAxes, handedness, texture_axes, unit_tangent,
};
use std::borrow::Cow;
use std::mem::take;

/// Accessors by their semantic.
type Attributes = Vec<(Semantic<'static>, usize)>;

/// The difference of a normal's length from 1 that is not reported.
const LENGTH_NOISE: f64 = 1e-3;

/// A mesh that was written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Written {
    pub(crate) mesh: usize,
    /// True if a vertex is bound to the joint after the last one of the skeleton.
    pub(crate) neutral: bool,
}

/// The arrays of a mesh, borrowed from the scene if possible.
struct Arrays<'s> {
    positions: Cow<'s, [[f32; 3]]>,
    normals: Cow<'s, [[f32; 3]]>,
    tangents: Cow<'s, [[f32; 4]]>,
    uvs: Cow<'s, [[f32; 2]]>,
    colors: Cow<'s, [[u8; 4]]>,
    triangles: Cow<'s, [[u32; 3]]>,
}

impl<'s> Arrays<'s> {
    fn new(mesh: &mut Cow<'s, Mesh>) -> Self {
        match mesh {
            Cow::Borrowed(mesh) => Self {
                positions: (&mesh.positions).into(),
                normals: (&mesh.normals).into(),
                tangents: (&mesh.tangents).into(),
                uvs: (&mesh.uvs).into(),
                colors: (&mesh.colors).into(),
                triangles: (&mesh.triangles).into(),
            },
            Cow::Owned(mesh) => Self {
                positions: take(&mut mesh.positions).into(),
                normals: take(&mut mesh.normals).into(),
                tangents: take(&mut mesh.tangents).into(),
                uvs: take(&mut mesh.uvs).into(),
                colors: take(&mut mesh.colors).into(),
                triangles: take(&mut mesh.triangles).into(),
            },
        }
    }
}

/// Writes one mesh. `joints` is the number of joints of its skeleton. A mesh with a normal map needs tangents.
pub(crate) fn write<'s>(
    out: &mut Output<'s>,
    (mut mesh, seen): (Cow<'s, Mesh>, SeenMesh),
    (material, wants_tangents): (Option<usize>, bool),
    (joints, influences): (usize, Influences),
    (mark, has_extras): (Option<Mark<'_>>, bool),
    path: &str,
    losses: &mut Vec<Loss>,
) -> Result<Written, ConvertError> {
    out.charge_objects(1, mesh.name.len())?;
    let unused = match seen.unused {
        Some(unused) => {
            out.memory.charge_items("vertices", mesh.positions.len() as u64, size_of::<bool>())?;
            unused
        }
        None => mesh.unused_vertices(&out.memory)?,
    };
    // One that was straightened has other positions.
    let range = matches!(mesh, Cow::Borrowed(_)).then_some(seen.range);
    if unused > 0 {
        let message = "vertices that no triangle uses; some importers drop them, and so does --prune";
        losses.push(Loss::note("vertices-unused", path, message).with_count(unused, "vertex", "vertices"));
    }
    let mut arrays = Arrays::new(&mut mesh);
    let vertices = arrays.positions.len();
    if wants_tangents && arrays.tangents.is_empty() {
        arrays.tangents = tangents_of(out, &arrays)?.into();
    }
    let surface = surface(out, &mut arrays, path, losses)?;
    let mut attributes = Attributes::new();
    let positions = out.positions(arrays.positions, range)?;
    attributes.push((Semantic::Position, positions));
    if let Some(Surface { normals, tangents }) = surface {
        let accessor = out.floats("normals", normals, Some(Target::Vertices), BoundsChoice::OmittedFinite)?;
        attributes.push((Semantic::Normal, accessor));
        if !tangents.is_empty() {
            let accessor =
                out.floats("tangents", tangents.into(), Some(Target::Vertices), BoundsChoice::Omitted)?;
            attributes.push((Semantic::Tangent, accessor));
        }
    }
    if !arrays.uvs.is_empty() {
        let uvs = finite_uvs(out, arrays.uvs, path, losses)?;
        let uvs =
            out.floats("texture coordinates", uvs, Some(Target::Vertices), BoundsChoice::OmittedFinite)?;
        attributes.push((Semantic::TexCoord(0), uvs));
    }
    if !arrays.colors.is_empty() {
        let colors = colors(out, arrays.colors, mesh.color_encoding)?;
        attributes.push((Semantic::Color(0), colors));
    }
    let neutral = skin(out, &mesh, joints, influences, path, &mut attributes, losses)?;
    let indices = out.triangles(arrays.triangles, vertices)?;
    attributes.order();
    let primitive = Primitive {
        attributes,
        indices: Some(indices),
        material,
        mode: Mode::Triangles,
        targets: Vec::new(),
        variants: Vec::new(),
        compressed: false,
    };
    let extras = extras::of_marked(&out.memory, mesh.extras.as_ref().filter(|_| has_extras), mark)?;
    let mesh = document::Mesh { name: owned(&mesh.name), primitives: vec![primitive], extras };
    let mesh = add(&mut out.tables.meshes, mesh);
    Ok(Written { mesh, neutral })
}

/// Computes tangents along the texture, with bitangents upwards in it, because each viewer would compute others. A
/// mesh without normals or texture coordinates gets none.
fn tangents_of(out: &Output<'_>, arrays: &Arrays<'_>) -> Result<Vec<[f32; 4]>, ConvertError> {
    if arrays.normals.is_empty() || arrays.uvs.is_empty() {
        return Ok(Vec::new());
    }
    let mut tangents = out.memory.reserve("tangents", arrays.normals.len())?;
    out.memory.charge_items("tangents", arrays.normals.len() as u64, 3 * size_of::<TextureAxes>())?;
    out.memory.work("tangents", arrays.triangles.len() as u64)?;
    let axes = texture_axes(&arrays.positions, &arrays.uvs, &arrays.triangles);
    tangents.extend(arrays.normals.iter().zip(axes).map(|(normal, axes)| {
        let [x, y, z] = unit_tangent(*normal, axes.u);
        let side = handedness(*normal, [x, y, z], axes.v.map(|c| -c)).unwrap_or(1.0);
        [x, y, z, side]
    }));
    Ok(tangents)
}

/// Writes colours in linear light. They need 16 bits, so that the conversion back to display bytes is exact.
fn colors<'s>(
    out: &mut Output<'s>,
    colors: Cow<'s, [[u8; 4]]>,
    encoding: ColorEncoding,
) -> Result<usize, ConvertError> {
    match encoding {
        ColorEncoding::Linear => out.bytes4("colours", colors, true),
        encoding @ ColorEncoding::Srgb => {
            let mut linear = out.memory.reserve("colours", colors.len())?;
            linear.extend(colors.iter().map(|c| encoding.to_linear16(*c)));
            out.words4("colours", linear, true)
        }
    }
}

/// Returns an owned copy of a name.
pub(crate) fn owned(name: &str) -> Cow<'static, str> {
    name.to_owned().into()
}

/// Normals of length 1, and tangents.
struct Surface<'s> {
    normals: Cow<'s, [[f32; 3]]>,
    tangents: Vec<[f32; 4]>,
}

/// Returns the normals and tangents that are written; none for a mesh without normals.
fn surface<'s>(
    out: &Output<'s>,
    arrays: &mut Arrays<'s>,
    path: &str,
    losses: &mut Vec<Loss>,
) -> Result<Option<Surface<'s>>, ConvertError> {
    if arrays.normals.is_empty() {
        if !arrays.tangents.is_empty() {
            let message = "glTF allows tangents only with normals; they were dropped";
            losses.push(Loss::new("tangents-dropped", path, message));
        }
        return Ok(None);
    }
    let normals = unit_normals(out, arrays, path, losses)?;
    let tangents = unit_tangents(out, &arrays.tangents, &normals, path, losses)?;
    Ok(Some(Surface { normals, tangents }))
}

/// Returns normals of length 1. Unit normals stay bit for bit, others are normalised. A normal without direction is
/// computed from the triangles around it.
fn unit_normals<'s>(
    out: &Output<'s>,
    arrays: &mut Arrays<'s>,
    path: &str,
    losses: &mut Vec<Loss>,
) -> Result<Cow<'s, [[f32; 3]]>, ConvertError> {
    let own = take(&mut arrays.normals);
    let is_unit = |n: &[f32; 3]| (dot(wide(*n), wide(*n)) - 1.0).abs() <= 1e-6;
    // Some at a time, without a branch for each.
    let are_unit =
        |part: &[[f32; 3]]| math::are_unit(part) || part.iter().fold(true, |all, n| all & is_unit(n));
    if own.chunks(512).all(are_unit) {
        return Ok(own);
    }
    let mut normals = out.memory.reserve("normals", own.len())?;
    let (mut replaced, mut scaled, mut most) = (0_usize, 0_usize, 0.0_f64);
    for n in own.iter() {
        let away = (dot(wide(*n), wide(*n)).sqrt() - 1.0).abs();
        match unit(wide(*n)) {
            _ if is_unit(n) => normals.push(*n),
            Some(u) => {
                if away > LENGTH_NOISE {
                    scaled += 1;
                    most = most.max(away);
                }
                normals.push(narrow(u));
            }
            None => {
                replaced += 1;
                normals.push([0.0; 3]);
            }
        }
    }
    if replaced > 0 {
        let faces = face_normals(out, arrays)?;
        for (n, face) in normals.iter_mut().zip(faces) {
            if *n == [0.0; 3] {
                *n = narrow(unit(face).unwrap_or([0.0, 1.0, 0.0]));
            }
        }
        let message = "normals without direction were computed from the triangles";
        let loss = Loss::note("normals-replaced", path, message);
        losses.push(loss.with_count(replaced, "normal", "normals"));
    }
    if scaled > 0 {
        let loss = Loss::note("normals-scaled", path, "normals were scaled to length 1");
        losses.push(loss.with_count(scaled, "normal", "normals").with_amount(most, "off"));
    }
    Ok(Cow::Owned(normals))
}

/// Returns the sum of the normals of the triangles around each vertex, by area.
fn face_normals(out: &Output<'_>, mesh: &Arrays<'_>) -> Result<Vec<[f64; 3]>, ConvertError> {
    let mut sums = out.memory.reserve("face normals", mesh.positions.len())?;
    sums.resize(mesh.positions.len(), [0.0; 3]);
    for corners in mesh.triangles.iter() {
        let corners = corners.map(|c| c as usize);
        let at = |i: usize| mesh.positions.get(i).map_or([0.0; 3], |p| wide(*p));
        let [a, b, c] = corners.map(at);
        let edge = |p: [f64; 3]| [p[0] - a[0], p[1] - a[1], p[2] - a[2]];
        let normal = cross(edge(b), edge(c));
        for corner in corners {
            if let Some(sum) = sums.get_mut(corner) {
                for (s, n) in sum.iter_mut().zip(normal) {
                    *s += n;
                }
            }
        }
    }
    Ok(sums)
}

fn unit_tangents(
    out: &Output<'_>,
    own: &[[f32; 4]],
    normals: &[[f32; 3]],
    path: &str,
    losses: &mut Vec<Loss>,
) -> Result<Vec<[f32; 4]>, ConvertError> {
    let mut tangents = out.memory.reserve("tangents", own.len())?;
    let mut replaced = 0_usize;
    for (&[x, y, z, w], n) in own.iter().zip(normals) {
        let direction = unit(wide([x, y, z])).unwrap_or_else(|| {
            replaced += 1;
            let helper = if n[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
            unit(cross(helper, wide(*n))).unwrap_or(helper)
        });
        let [x, y, z] = narrow(direction);
        tangents.push([x, y, z, if w < 0.0 { -1.0 } else { 1.0 }]);
    }
    if replaced > 0 {
        let loss = Loss::note("tangents-replaced", path, "tangents without direction were replaced");
        losses.push(loss.with_count(replaced, "tangent", "tangents"));
    }
    Ok(tangents)
}

fn finite_uvs<'s>(
    out: &Output<'s>,
    uvs: Cow<'s, [[f32; 2]]>,
    path: &str,
    losses: &mut Vec<Loss>,
) -> Result<Cow<'s, [[f32; 2]]>, ConvertError> {
    if bulk::are_finite(uvs.as_flattened()) {
        return Ok(uvs);
    }
    let odd = uvs.iter().filter(|[u, v]| !(u.is_finite() & v.is_finite())).count();
    let loss = Loss::new("uvs-replaced", path, "texture coordinates that are not finite became 0");
    losses.push(loss.with_count(odd, "vertex", "vertices"));
    let mut clean = out.memory.reserve("texture coordinates", uvs.len())?;
    clean.extend(uvs.iter().map(|uv| uv.map(|c| if c.is_finite() { c } else { 0.0 })));
    Ok(Cow::Owned(clean))
}

/// Writes joints and weights; returns true if some vertex is bound to the joint after the last one.
fn skin(
    out: &mut Output<'_>,
    mesh: &Mesh,
    joints: usize,
    influences: Influences,
    path: &str,
    attributes: &mut Attributes,
    losses: &mut Vec<Loss>,
) -> Result<bool, ConvertError> {
    let Some(skin) = &mesh.skin else { return Ok(false) };
    // Leaves room for the extra joint after the last one.
    if joints <= usize::from(u8::MAX) {
        let bytes = |j: u16| j.to_le_bytes()[0];
        let bound = weights::bind(skin, (joints, bytes), influences, &out.memory, path, losses)?;
        sets(out, bound, |out, joints| out.bytes4("joints of vertices", joints.into(), false), attributes)
    } else {
        let bound = weights::bind(skin, (joints, |j| j), influences, &out.memory, path, losses)?;
        sets(out, bound, |out, joints| out.words4("joints of vertices", joints, false), attributes)
    }
}

/// Writes sets of joints and weights.
fn sets<'s, J>(
    out: &mut Output<'s>,
    bound: weights::Bound<J>,
    written: impl Fn(&mut Output<'s>, Vec<[J; 4]>) -> Result<usize, ConvertError>,
    attributes: &mut Attributes,
) -> Result<bool, ConvertError> {
    for (s, set) in (0_u32..).zip(bound.sets) {
        attributes.push((Semantic::Joints(s), written(out, set.joints)?));
        let weights = out.floats(
            "weights of vertices",
            set.weights.into(),
            Some(Target::Vertices),
            BoundsChoice::Omitted,
        )?;
        attributes.push((Semantic::Weights(s), weights));
    }
    Ok(bound.neutral)
}

/// Returns the checked translation, rotation and scale of a node.
pub(crate) fn place(trs: &meshwright_scene::Trs, path: &str) -> Result<Transform, ConvertError> {
    let rotation = unit_rotation(trs.rotation);
    let finite = trs.translation.iter().chain(&trs.scale).all(|c| c.is_finite());
    if !finite {
        return Err(ConvertError::invalid(path, "the transform is not finite"));
    }
    Ok(Transform::Parts { translation: trs.translation, rotation, scale: trs.scale })
}

/// Returns true if a quaternion's length differs from 1 by more than the rounding to 32 bits.
pub(crate) fn is_scaled(q: [f32; 4]) -> bool {
    (dot(wide(q), wide(q)) - 1.0).abs() > 1e-5
}

/// Returns a normalised rotation; the identity for one of length 0.
pub(crate) fn unit_rotation(q: [f32; 4]) -> [f32; 4] {
    // One that is so already stays bit for bit, like the keys that are compared with it. The schema wants no part
    // beyond 1, which a length that rounds to 1 still allows.
    if (dot(wide(q), wide(q)) - 1.0).abs() <= 5e-7 && q.iter().all(|c| c.abs() <= 1.0) {
        return q;
    }
    narrow(unit(wide(q)).unwrap_or(math::IDENTITY))
}
