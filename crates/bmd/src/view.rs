//! Views of decoded meshes.

use crate::decode;
use crate::model::{Bmd, Mesh, identity};
use crate::packed::Vertex;
use crate::shade::{shade, tint};
use meshwright_core::SortedSet;
use meshwright_core::num::St14Form;

impl Bmd {
    /// Detects the form of the texture coordinates of 128-bit vertices.
    ///
    /// Returns [`St14Form::Legacy`] if some vertex has an exponent that a careful writer of the described
    /// form would not use, otherwise [`St14Form::Excess`]. The existing tool and the known files store two
    /// 16-bit numbers there. To override this, pass another form to the functions that take one.
    pub fn st_form(&self) -> St14Form {
        let mut seen = SortedSet::new();
        let odd = |v: &Vertex| v.st14().is_some_and(|st| !st.is_canonical(St14Form::Excess));
        for mesh in &self.meshes {
            if seen.insert(identity(&mesh.vertices)) && mesh.vertices.iter().any(odd) {
                return St14Form::Legacy;
            }
        }
        St14Form::Excess
    }

    /// Returns the indices of the meshes that a level of detail draws. If the file has no levels or only an
    /// empty one, these are all drawn meshes. Meshes without a material are omitted.
    pub fn drawn_meshes(&self, lod: usize) -> impl Iterator<Item = usize> {
        let range = match (self.lods.as_slice(), self.lods.get(lod)) {
            ([], _) => 0..self.meshes.len(),
            ([only], Some(_)) if only.first == 0 && only.count == 0 => 0..self.meshes.len(),
            (_, Some(l)) => {
                let first = usize::from(l.first);
                first..first.saturating_add(usize::from(l.count)).min(self.meshes.len())
            }
            (_, None) => 0..0,
        };
        range.filter(|i| self.meshes.get(*i).is_some_and(|m| m.material.is_some()))
    }

    /// Returns the mesh that bounds a bone. Its vertices are relative to that bone, whatever bone they name;
    /// [`Pose::solid`](crate::Pose::solid) has the transform.
    pub fn solid(&self, bone: usize) -> Option<&Mesh> {
        let solid = self.bones.get(bone)?.solid;
        self.meshes.get(usize::from(solid)).filter(|_| solid > 0)
    }

    /// Returns the level of detail for a viewer `distance` metres away: the first level whose scale is at
    /// most `1 / (distance + 1)`, otherwise the last.
    pub fn lod_at(&self, distance: f64) -> Option<usize> {
        let near_enough = |lod: &crate::model::Lod| lod.max_distance().is_none_or(|d| distance <= d);
        let last = self.lods.len().checked_sub(1)?;
        Some(self.lods.iter().position(near_enough).unwrap_or(last))
    }
}

impl Mesh {
    /// Returns positions, each in the space of its vertex's bone.
    pub fn positions(&self) -> impl ExactSizeIterator<Item = [f32; 3]> {
        self.vertices.iter().map(|v| v.position())
    }

    /// Returns normals, each in the space of its vertex's bone. They are not normalised.
    pub fn normals(&self) -> impl ExactSizeIterator<Item = [f32; 3]> {
        let material = self.material_kind();
        self.vertices.iter().map(move |v| v.normal(material))
    }

    /// Returns texture coordinates. `form` is the interpretation of 128-bit vertices.
    pub fn uvs(&self, form: St14Form) -> impl ExactSizeIterator<Item = [f32; 2]> {
        let material = self.material_kind();
        self.vertices.iter().map(move |v| v.st(material, form))
    }

    /// Decodes positions, normals and texture coordinates into slices, as many as both sides hold. This is
    /// faster than one by one, and than three separate calls. `form` is the interpretation of 128-bit
    /// vertices.
    pub fn fill_vertices(
        &self,
        form: St14Form,
        positions: &mut [[f32; 3]],
        normals: &mut [[f32; 3]],
        uvs: &mut [[f32; 2]],
    ) {
        decode::fill(&self.vertices, self.material_kind(), form, positions, normals, uvs);
    }

    /// Decodes positions into a slice, as many as both sides hold. This is faster than one by one.
    pub fn fill_positions(&self, out: &mut [[f32; 3]]) {
        self.fill_vertices(St14Form::Excess, out, &mut [], &mut []);
    }

    /// Decodes normals into a slice, as many as both sides hold. This is faster than one by one.
    pub fn fill_normals(&self, out: &mut [[f32; 3]]) {
        self.fill_vertices(St14Form::Excess, &mut [], out, &mut []);
    }

    /// Decodes texture coordinates into a slice, as many as both sides hold. This is faster than one by one.
    pub fn fill_uvs(&self, form: St14Form, out: &mut [[f32; 2]]) {
        self.fill_vertices(form, &mut [], &mut [], out);
    }

    /// Returns colours: the material's base colour (white with a texture) times the vertex's own colour, if
    /// it has one.
    pub fn colors(&self) -> impl ExactSizeIterator<Item = [u8; 4]> {
        let base = self.flat_color().unwrap_or([255; 3]);
        self.vertices.iter().map(move |v| {
            let [r, g, b] = v.color().map_or(base, |c| tint(base, shade(c)));
            [r, g, b, 255]
        })
    }

    /// Returns the bone of each vertex.
    pub fn bones(&self) -> impl ExactSizeIterator<Item = u8> {
        self.vertices.iter().map(|v| v.bone())
    }

    /// Returns triangles in the file's order; a quad is two triangles. Triangles with a missing vertex are
    /// omitted. They occur only in models made by hand, and in files whose primitives overlap the vertices.
    pub fn triangles(&self) -> impl Iterator<Item = [u32; 3]> {
        let n = self.vertices.len();
        let known = move |t: &[u32; 3]| t.iter().all(|i| (*i as usize) < n);
        self.primitives.iter().flat_map(|p| p.triangles()).filter(known)
    }
}
