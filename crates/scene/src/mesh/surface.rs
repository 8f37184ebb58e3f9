//! Directions that a mesh does not store: normals from its triangles, and the axes of its texture
//! coordinates.
#![allow(clippy::indexing_slicing, reason = "vectors of fixed size; what a triangle names is looked up")]

use crate::mesh::Mesh;
use crate::model::axes::AxisMap;
use alloc::vec;
use alloc::vec::Vec;
use meshwright_core::math::{Affine, cross, dot, narrow, normalize, sub, unit, wide};

/// The directions in which the texture coordinates of a vertex grow in space, summed over its triangles by area. They
/// are not normalised, and are zero if the texture is degenerate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TextureAxes {
    /// The direction in which the first coordinate grows.
    pub u: [f32; 3],
    /// The direction in which the second coordinate grows.
    pub v: [f32; 3],
}

type Axes = ([f64; 3], [f64; 3]);

/// Returns the texture axes of every vertex. Triangles with a missing vertex, or with axes that are not
/// finite, are ignored.
pub fn texture_axes(positions: &[[f32; 3]], uvs: &[[f32; 2]], triangles: &[[u32; 3]]) -> Vec<TextureAxes> {
    let mut sums: Vec<Axes> = vec![Default::default(); positions.len()];
    for triangle in triangles {
        let corner = |i: usize| {
            let at = triangle[i] as usize;
            Some((wide(*positions.get(at)?), uvs.get(at)?.map(f64::from)))
        };
        let (Some((p0, t0)), Some((p1, t1)), Some((p2, t2))) = (corner(0), corner(1), corner(2)) else {
            continue;
        };
        let (e, f) = (sub(p1, p0), sub(p2, p0));
        let (s, t) = (sub(t1, t0), sub(t2, t0));
        let det = s[0] * t[1] - s[1] * t[0];
        // Only the sign of the determinant is used: its magnitude would weight by texture area instead of
        // surface area.
        let turn = if det < 0.0 { -1.0 } else { 1.0 };
        let u: [f64; 3] = core::array::from_fn(|i| turn * (t[1] * e[i] - s[1] * f[i]));
        let v: [f64; 3] = core::array::from_fn(|i| turn * (s[0] * f[i] - t[0] * e[i]));
        let area = dot(cross(e, f), cross(e, f));
        let (Some(u), Some(v)) = (unit(u), unit(v)) else { continue };
        if det == 0.0 || !area.is_finite() {
            continue;
        }
        let weight = meshwright_core::math::sqrt(area);
        for &at in triangle {
            if let Some(sum) = sums.get_mut(at as usize) {
                for i in 0..3 {
                    sum.0[i] += weight * u[i];
                    sum.1[i] += weight * v[i];
                }
            }
        }
    }
    sums.into_iter().map(|(u, v)| TextureAxes { u: narrow(u), v: narrow(v) }).collect()
}

/// Returns 1 or -1 such that `cross(normal, tangent)` times it points along `bitangent`. `None` if it is
/// undetermined.
pub fn handedness(normal: [f32; 3], tangent: [f32; 3], bitangent: [f32; 3]) -> Option<f32> {
    let side = dot(cross(wide(normal), wide(tangent)), wide(bitangent));
    if side > 0.0 {
        Some(1.0)
    } else if side < 0.0 {
        Some(-1.0)
    } else {
        None
    }
}

/// Returns a unit vector perpendicular to `normal`, as near to `wish` as possible.
pub fn unit_tangent(normal: [f32; 3], wish: [f32; 3]) -> [f32; 3] {
    let n = unit(wide(normal)).unwrap_or([0.0, 0.0, 1.0]);
    let across = |w: [f64; 3]| {
        let along = dot(n, w);
        let rest: [f64; 3] = core::array::from_fn(|i| w[i] - n[i] * along);
        // If the wish is along the normal, the remainder is only a rounding error.
        unit(rest).filter(|_| dot(rest, rest) > 1e-10 * dot(w, w))
    };
    let axis = if n[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    narrow(across(wide(wish)).or_else(|| across(axis)).unwrap_or([1.0, 0.0, 0.0]))
}

/// Returns unit normals of every vertex from its triangles, weighted by area; +Z without triangles.
pub fn vertex_normals(positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> Vec<[f32; 3]> {
    let mut sums = vec![[0.0_f64; 3]; positions.len()];
    for triangle in triangles {
        let corner = |i: usize| positions.get(triangle[i] as usize).map(|p| wide(*p));
        let (Some(a), Some(b), Some(c)) = (corner(0), corner(1), corner(2)) else { continue };
        let n = cross(sub(b, a), sub(c, a));
        if n.iter().all(|c| c.is_finite()) {
            for &at in triangle {
                if let Some(sum) = sums.get_mut(at as usize) {
                    *sum = core::array::from_fn(|i| sum[i] + n[i]);
                }
            }
        }
    }
    sums.into_iter().map(|n| narrow(unit(n).unwrap_or([0.0, 0.0, 1.0]))).collect()
}

impl Mesh {
    /// Returns the mesh with a transform applied by [`bake`](Self::bake).
    #[must_use]
    pub fn baked(&self, m: &Affine) -> Self {
        let mut mesh = self.clone();
        mesh.bake(m);
        mesh
    }

    /// Applies a transform to positions, normals and tangents. A transform that mirrors reverses the
    /// triangles. One that flattens leaves normals and tangents unchanged. The skin is kept.
    pub fn bake(&mut self, m: &Affine) {
        if *m == Affine::IDENTITY {
            return;
        }
        let wide_m = m.wide();
        for p in &mut self.positions {
            *p = narrow(wide_m.point(wide(*p)));
        }
        let mirrors = wide_m.determinant() < 0.0;
        if mirrors {
            for t in &mut self.triangles {
                t.reverse();
            }
        }
        let Some(normals) = wide_m.normals() else { return };
        for n in &mut self.normals {
            *n = unit(normals.vector(wide(*n))).map_or(*n, narrow);
        }
        for t in &mut self.tangents {
            let [a, b, c, w] = *t;
            let [a, b, c] = normalize(m.vector([a, b, c])).unwrap_or([a, b, c]);
            *t = [a, b, c, if mirrors { -w } else { w }];
        }
    }

    /// Converts to other axes: positions, normals, tangents and vertices in the space of bones. If the map
    /// mirrors, it also reverses triangles and the handedness of tangents.
    pub fn map_axes(&mut self, map: &AxisMap) {
        if *map == AxisMap::IDENTITY {
            return;
        }
        for p in &mut self.positions {
            *p = map.point(*p);
        }
        for n in &mut self.normals {
            *n = map.direction(*n);
        }
        for t in &mut self.triangles {
            *t = map.triangle(*t);
        }
        for [x, y, z, w] in &mut self.tangents {
            [*x, *y, *z] = map.direction([*x, *y, *z]);
            if map.mirrors() {
                *w = -*w;
            }
        }
        for local in self.skin.iter_mut().flat_map(|s| &mut s.local) {
            local.position = map.point(local.position);
            local.normal = map.direction(local.normal);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Trs;

    const QUAD: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    const FACES: [[u32; 3]; 2] = [[0, 1, 2], [0, 2, 3]];

    fn is_near(a: [f32; 3], b: [f32; 3]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5)
    }

    #[test]
    fn texture_axes_follow_the_picture() {
        let upright = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let mirrored = upright.map(|[u, v]: [f32; 2]| [1.0 - u, v]);
        for (uvs, sign) in [(upright, 1.0), (mirrored, -1.0)] {
            for axes in texture_axes(&QUAD, &uvs, &FACES) {
                assert!(is_near(normalize(axes.u).unwrap(), [sign, 0.0, 0.0]), "{axes:?}");
                assert!(is_near(normalize(axes.v).unwrap(), [0.0, 1.0, 0.0]), "{axes:?}");
                assert_eq!(handedness([0.0, 0.0, 1.0], axes.u, axes.v), Some(sign));
            }
        }
    }

    #[test]
    fn a_degenerate_texture_tells_nothing() {
        let axes = texture_axes(&QUAD, &[[0.5, 0.5]; 4], &[[0, 1, 2], [0, 2, 9]]);
        assert_eq!(axes, [TextureAxes::default(); 4]);
        assert_eq!(handedness([0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0; 3]), None);
        assert_eq!(handedness([0.0, 0.0, f32::NAN], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]), None);
    }

    #[test]
    fn a_tangent_is_always_a_unit_vector_across() {
        for normal in [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0; 3], [f32::NAN; 3], [0.6, 0.8, 0.0]] {
            for wish in [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3], [f32::INFINITY; 3], normal] {
                let t = unit_tangent(normal, wish);
                let length = t.iter().map(|c| c * c).sum::<f32>();
                assert!((length - 1.0).abs() < 1e-5, "{normal:?} {wish:?} {t:?}");
            }
        }
    }

    #[test]
    fn normals_follow_the_winding() {
        assert!(vertex_normals(&QUAD, &FACES).iter().all(|n| is_near(*n, [0.0, 0.0, 1.0])));
        let lone = vertex_normals(&QUAD, &[[0, 1, 1]]);
        assert_eq!(lone, [[0.0, 0.0, 1.0]; 4]);
    }

    #[test]
    fn a_baked_mirror_keeps_its_front() {
        let mesh = Mesh {
            positions: QUAD.to_vec(),
            normals: vec![[0.0, 0.6, 0.8]; 4],
            tangents: vec![[1.0, 0.0, 0.0, 1.0]; 4],
            triangles: FACES.to_vec(),
            ..Mesh::default()
        };
        let m = Trs { scale: [-1.0, 2.0, 1.0], translation: [5.0, 0.0, 0.0], ..Trs::IDENTITY }.to_affine();
        let baked = mesh.baked(&m);
        assert_eq!(baked.positions[1], [3.0, 0.0, 0.0]);
        assert_eq!(baked.triangles[0], [2, 1, 0]);
        assert_eq!(baked.tangents[0], [-1.0, 0.0, 0.0, -1.0]);
        assert!(is_near(baked.normals[0], normalize([0.0, 0.3, 0.8]).unwrap()));
        assert_eq!(mesh.baked(&Affine::IDENTITY), mesh);
    }
}
