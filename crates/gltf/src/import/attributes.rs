//! Reads the vertex attributes of a primitive.

use super::lose;
use super::materials::Coordinates;
use crate::document::rules::{
    ACCESSOR_BOUNDS, EXTENSION_REQUIRED, INDEX_COUNT, INDEX_RANGE, NORMALS_REPLACED, NORMALS_SCALED,
    NOT_FINITE, POSITION_MISSING,
};
use crate::document::{ComponentType, Document, Mode, Primitive, Semantic};
use crate::math::{Seen, are_unit, see_points};
use meshwright_core::bulk::are_finite;
use meshwright_core::math::{length, narrow, unit, wide};
use meshwright_core::{FieldPath, ReadError, bulk};
use meshwright_scene::color::srgb;
use meshwright_scene::{Loss, Mesh, vertex_normals};

/// The difference of a normal's length from 1 up to which its bits are kept without a report.
const EXACT: f64 = 1e-6;
const UNIT: f64 = 1e-2;

pub(super) struct Reader<'r, 'a> {
    pub(super) document: &'r Document<'a>,
    pub(super) path: &'r FieldPath<'r>,
    pub(super) mesh: usize,
    pub(super) primitive: &'r Primitive<'a>,
}

impl Reader<'_, '_> {
    fn place(&self) -> (&'static str, usize) {
        ("meshes", self.mesh)
    }

    /// Returns the mesh without its skin; `None` if it has no positions or no triangles.
    pub(super) fn mesh(
        &self,
        coordinates: Coordinates,
        weights: &[f32],
        losses: &mut Vec<Loss>,
    ) -> Result<Option<Mesh>, ReadError> {
        let document = self.document;
        let Some(accessor) = self.primitive.get(&Semantic::Position) else {
            document.warn(POSITION_MISSING, self.path, self.place(), "no positions");
            return Ok(None);
        };
        let stored =
            document.accessors().get(accessor).is_some_and(|a| a.view.is_some() || a.sparse.is_some());
        if self.primitive.compressed && !stored {
            let path = self.path.field("extensions");
            let message =
                "the vertices are compressed with KHR_draco_mesh_compression, which is not supported";
            return Err(document.fault(EXTENSION_REQUIRED, &path, self.place(), message));
        }
        let mut seen = Seen::NOTHING;
        let mut positions = document.read_f32_seen(accessor, &mut |part| see_points(part, &mut seen))?;
        self.finite(seen.is_finite(), &positions, "POSITION")?;
        self.bounds(accessor, seen.range());
        if weights.iter().any(|w| *w != 0.0) {
            self.morph(&mut positions, &Semantic::Position, weights)?;
            self.finite(are_finite(positions.as_flattened()), &positions, "POSITION")?;
        }
        let Some(triangles) = self.triangles(positions.len(), losses)? else { return Ok(None) };
        let mut mesh = Mesh::new("", positions, triangles);
        self.normals(&mut mesh, weights)?;
        self.tangents(&mut mesh)?;
        self.coordinates(&mut mesh, coordinates, losses)?;
        if let Some(accessor) = self.primitive.get(&Semantic::Color(0)) {
            mesh.colors = self.colors(self.colored_by(accessor)?)?;
        }
        if !self.primitive.targets.is_empty() {
            let message = "morph targets do not move; their default weights are used";
            lose(losses, "morph-targets", &|| self.path.to_owned().to_string(), message);
        }
        Ok(Some(mesh))
    }

    /// Checks that all values are finite. `seen` is true if that is known already. Otherwise the error names
    /// the first bad value.
    fn finite<const N: usize>(
        &self,
        seen: bool,
        values: &[[f32; N]],
        name: &'static str,
    ) -> Result<(), ReadError> {
        if seen {
            return Ok(());
        }
        let at = values.iter().position(|v| !v.iter().all(|c| c.is_finite())).unwrap_or(0);
        let path = self.path.field(name);
        Err(self.document.fault(NOT_FINITE, &path.index(at), self.place(), "is not finite"))
    }

    /// Compares the bounds that an accessor states with those of its elements.
    fn bounds(&self, accessor: usize, (low, high): ([f32; 3], [f32; 3])) {
        // The bounds of normalised integers are integers too, so they are not compared.
        let stated = self.document.accessors().get(accessor).filter(|accessor| !accessor.normalized);
        let size = low.iter().chain(&high).fold(0.0_f32, |size, c| size.max(c.abs()));
        let differ = |stated: &[f64], found: [f32; 3]| {
            stated.iter().zip(found).any(|(a, b)| (a - f64::from(b)).abs() > 1e-5 * f64::from(size))
        };
        if stated.is_some_and(|stated| differ(&stated.min, low) || differ(&stated.max, high)) {
            let path = FieldPath::ROOT.field("accessors");
            let message = "the stated bounds are not those of the positions";
            self.document.warn(ACCESSOR_BOUNDS, &path.index(accessor), ("accessors", accessor), message);
        }
    }

    fn triangles(&self, vertices: usize, losses: &mut Vec<Loss>) -> Result<Option<Vec<[u32; 3]>>, ReadError> {
        let document = self.document;
        if matches!(self.primitive.mode, Mode::Points | Mode::Lines | Mode::LineLoop | Mode::LineStrip) {
            let path = || self.path.to_owned().to_string();
            lose(losses, "points-or-lines", &path, "points and lines were dropped");
            return Ok(None);
        }
        let mut last = 0;
        let order = match self.primitive.indices {
            Some(accessor) => {
                document.read_indices_seen(accessor, &mut |part| last = last.max(bulk::greatest(part)))?
            }
            None => {
                let mut order = document.room(self.path, "indices", vertices)?;
                order.extend(0..u32::try_from(vertices).unwrap_or(u32::MAX));
                order
            }
        };
        if !order.is_empty() && last as usize >= vertices {
            let at = order.iter().position(|v| *v as usize >= vertices).unwrap_or(0);
            let path = self.path.field("indices");
            let message = format!("{last} of {vertices} vertices");
            return Err(document.fault(INDEX_RANGE, &path.index(at), self.place(), message));
        }
        let list = self.primitive.mode == Mode::Triangles;
        let spare = if list { order.len().rem_euclid(3) } else { usize::from(order.len() < 3) };
        if spare != 0 {
            let message = format!("{} indices", order.len());
            document.warn(INDEX_COUNT, &self.path.field("indices"), self.place(), message);
        }
        let count = if list { order.len().div_euclid(3) } else { order.len().saturating_sub(2) };
        if list && spare == 0 {
            document.charge::<[u32; 3]>(self.path, "triangles", count)?;
            return Ok(Some(in_threes(order)));
        }
        let mut triangles = document.room(self.path, "triangles", count)?;
        let windows = order.array_windows_of_three();
        match self.primitive.mode {
            Mode::TriangleStrip => triangles.extend(
                windows.enumerate().map(|(i, [a, b, c])| if i & 1 == 0 { [a, b, c] } else { [a, c, b] }),
            ),
            Mode::TriangleFan => {
                let first = order.first().copied().unwrap_or(0);
                triangles.extend(windows.map(|[_, b, c]| [b, c, first]));
            }
            _ => triangles.extend_from_slice(order.as_chunks::<3>().0),
        }
        Ok(Some(triangles))
    }

    /// Normalises normals. Those without a direction are computed from the triangles.
    fn normals(&self, mesh: &mut Mesh, weights: &[f32]) -> Result<(), ReadError> {
        let Some(accessor) = self.primitive.get(&Semantic::Normal) else { return Ok(()) };
        let mut unit_all = true;
        let mut normals =
            self.document.read_f32_seen(accessor, &mut |part| unit_all = unit_all && are_unit(part))?;
        let morphed = weights.iter().any(|w| *w != 0.0);
        if morphed {
            self.morph(&mut normals, &Semantic::Normal, weights)?;
            unit_all = are_unit(&normals);
        }
        if unit_all {
            mesh.normals = normals;
            return Ok(());
        }
        let integer =
            self.document.accessors().get(accessor).is_some_and(|a| a.component != ComponentType::F32);
        let without = |n: &&[f32; 3]| unit(wide(**n)).is_none();
        let mut lost = self.document.room(self.path, "normals", normals.iter().filter(without).count())?;
        let mut odd = 0_usize;
        for (v, normal) in normals.iter_mut().enumerate() {
            let away = (length(wide(*normal)) - 1.0).abs();
            if away <= EXACT {
                continue;
            }
            match unit(wide(*normal)) {
                Some(unit) => *normal = narrow(unit),
                None => lost.push(v),
            }
            odd = odd.saturating_add(usize::from(away > UNIT && !integer && !morphed));
        }
        let path = self.path.field("NORMAL");
        if !lost.is_empty() {
            let message = format!("{} normals without direction", lost.len());
            self.document.warn(NORMALS_REPLACED, &path, self.place(), message);
            // Memory for the sums and the normals computed from them.
            self.document.room::<[f64; 5]>(&path, "normals", normals.len())?;
            let computed = vertex_normals(&mesh.positions, &mesh.triangles);
            for v in &lost {
                if let (Some(to), Some(from)) = (normals.get_mut(*v), computed.get(*v)) {
                    *to = *from;
                }
            }
        }
        let odd = odd.saturating_sub(lost.len());
        if odd > 0 {
            self.document.warn(NORMALS_SCALED, &path, self.place(), format!("{odd} normals"));
        }
        mesh.normals = normals;
        Ok(())
    }

    /// Adds morph targets by their weights.
    fn morph(
        &self,
        values: &mut [[f32; 3]],
        semantic: &Semantic<'_>,
        weights: &[f32],
    ) -> Result<(), ReadError> {
        for (target, weight) in self.primitive.targets.iter().zip(weights).filter(|(_, w)| **w != 0.0) {
            let Some((_, accessor)) = target.iter().find(|(s, _)| s == semantic) else { continue };
            for (to, change) in values.iter_mut().zip(self.document.read_f32::<3>(*accessor)?) {
                for (to, c) in to.iter_mut().zip(change) {
                    *to += weight * c;
                }
            }
        }
        Ok(())
    }

    /// Reads tangents, if all of them are valid.
    fn tangents(&self, mesh: &mut Mesh) -> Result<(), ReadError> {
        let Some(accessor) = self.primitive.get(&Semantic::Tangent) else { return Ok(()) };
        let mut tangents = self.document.read_f32::<4>(accessor)?;
        for tangent in &mut tangents {
            let [x, y, z, w] = *tangent;
            let Some([x, y, z]) = unit(wide([x, y, z])).map(narrow) else { return Ok(()) };
            *tangent = [x, y, z, if w < 0.0 { -1.0 } else { 1.0 }];
        }
        mesh.tangents = tangents;
        Ok(())
    }

    fn coordinates(
        &self,
        mesh: &mut Mesh,
        asked: Coordinates,
        losses: &mut Vec<Loss>,
    ) -> Result<(), ReadError> {
        let sets =
            self.primitive.attributes.iter().filter(|(s, _)| matches!(s, Semantic::TexCoord(_))).count();
        let accessor = self.primitive.get(&Semantic::TexCoord(asked.set));
        if sets > usize::from(accessor.is_some()) {
            let message = "only the texture coordinates of the base colour are read";
            lose(losses, "more-texture-sets", &|| self.path.to_owned().to_string(), message);
        }
        let Some(accessor) = accessor else { return Ok(()) };
        let mut finite = true;
        let see = &mut |part: &[[f32; 2]]| finite = finite && are_finite(part.as_flattened());
        let mut uvs = self.document.read_f32_seen(accessor, see)?;
        if let Some([across, down]) = asked.transform {
            for uv in &mut uvs {
                let [u, v] = wide(*uv);
                *uv = narrow([across, down].map(|[a, b, c]| a * u + b * v + c));
            }
            finite = are_finite(uvs.as_flattened());
        }
        self.finite(finite, &uvs, "TEXCOORD")?;
        mesh.uvs = uvs;
        Ok(())
    }

    /// Returns the accessor with the colours of the vertices. If a material does not use them, Blender 5
    /// writes white colours first and the real ones after them.
    fn colored_by(&self, first: usize) -> Result<usize, ReadError> {
        let blender = self.document.generator().split_once("Blender I/O v");
        let major = blender.and_then(|(_, version)| version.split('.').next()?.parse::<u32>().ok());
        let writes_white = major.is_some_and(|v| v >= 5);
        let Some(second) = self.primitive.get(&Semantic::Color(1)).filter(|_| writes_white) else {
            return Ok(first);
        };
        let count = |accessor: usize| self.document.accessors().get(accessor).map(|a| a.count);
        let white = count(first) == count(second) && self.colors(first)?.iter().all(|c| *c == [255; 4]);
        Ok(if white { second } else { first })
    }

    fn colors(&self, accessor: usize) -> Result<Vec<[u8; 4]>, ReadError> {
        let document = self.document;
        let three = document.accessors().get(accessor).is_some_and(|a| a.element.components() == 3);
        let mut colors =
            document.room(self.path, "colors", document.accessors().get(accessor).map_or(0, |a| a.count))?;
        if three {
            colors.extend(
                document.read_f32::<3>(accessor)?.into_iter().map(|[r, g, b]| display([r, g, b, 1.0])),
            );
        } else {
            colors.extend(document.read_f32::<4>(accessor)?.into_iter().map(display));
        }
        Ok(colors)
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped; NaN becomes 0")]
fn byte(c: f32) -> u8 {
    (c.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
}

/// Converts a colour in linear light to display bytes, as scenes store it.
fn display([r, g, b, a]: [f32; 4]) -> [u8; 4] {
    [srgb(r), srgb(g), srgb(b), byte(a)]
}

/// Groups corners into triangles, in the same memory.
fn in_threes(corners: Vec<u32>) -> Vec<[u32; 3]> {
    bytemuck::try_cast_vec(corners).unwrap_or_else(|(_, corners)| corners.as_chunks().0.to_vec())
}

trait Windows {
    /// Returns each value with the two values after it.
    fn array_windows_of_three(&self) -> impl Iterator<Item = [u32; 3]>;
}

impl Windows for Vec<u32> {
    fn array_windows_of_three(&self) -> impl Iterator<Item = [u32; 3]> {
        self.iter().zip(self.iter().skip(1)).zip(self.iter().skip(2)).map(|((a, b), c)| [*a, *b, *c])
    }
}
