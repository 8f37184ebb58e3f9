//! Converts drawables to meshes.

use super::bones::Bones;
use super::names::MATERIALS;
use super::options::VertexForm;
use super::rounding::{Corner, Rounding};
use crate::model::{Mesh, MeshFlags, Name};
use crate::packed::{Extra96, MaterialKind, Primitive, PrimitiveKind, St96, Vertex};
use crate::shade::{flat_color, shade, tint};
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_core::SortedMap;
use meshwright_core::math::{narrow, normalize, wide};
use meshwright_core::num::{F8A, F16, Se32, St11, St12, St14, St14Form};
use meshwright_scene::color::srgb;
use meshwright_scene::names::Names;
use meshwright_scene::{
    AlphaMode, Budget, ConvertError, Drawable, Loss, Material as SceneMaterial, MaterialId,
    Mesh as SceneMesh, Naming, Scene,
};

/// The memory per vertex for finding equal vertices.
const MERGED: usize = 64;

/// Converts drawables to meshes.
pub(super) struct Meshes<'s, 'b> {
    scene: &'s Scene,
    bones: Option<&'s Bones>,
    form: VertexForm,
    budget: &'b Budget,
    names: Names<'b>,
    materials: SortedMap<Option<MaterialId>, Material>,
    /// The colour byte of each vertex colour on each base colour.
    shades: SortedMap<([u8; 3], [u8; 3]), u8>,
    /// The joint of the solid that is being made.
    bounded: Option<u32>,
    /// The vertices without triangles, by mesh and vertex of the scene, if they are wanted.
    pub(super) unused: Option<SortedMap<(usize, usize), Vertex>>,
    pub(super) losses: Vec<Loss>,
}

/// A material of the format.
#[derive(Clone)]
struct Material {
    name: Name,
    /// The colour that the material name means.
    flat: Option<[u8; 3]>,
    /// The kind that vertices are encoded for.
    kind: MaterialKind,
    /// The factor of vertex colours.
    factor: [u8; 3],
}

impl<'s, 'b> Meshes<'s, 'b> {
    pub(super) fn new(
        scene: &'s Scene,
        bones: Option<&'s Bones>,
        form: VertexForm,
        naming: Naming,
        budget: &'b Budget,
    ) -> Self {
        let names = Names::new(MATERIALS, naming, budget);
        let (materials, shades) = (SortedMap::new(), SortedMap::new());
        let (bounded, unused, losses) = (None, None, Vec::new());
        Self { scene, bones, form, budget, names, materials, shades, bounded, unused, losses }
    }

    /// Converts the parts of a mesh.
    pub(super) fn convert_meshes(&mut self, parts: &[Drawable<'_>]) -> Result<Vec<Mesh>, ConvertError> {
        let Some(first) = parts.first() else { return Ok(Vec::new()) };
        let material = self.material(first.material())?;
        let mut rounding = Rounding::default();
        let mut meshes = self.budget.reserve("meshes", parts.len())?;
        for part in parts {
            rounding.note_alpha(self.least_alpha(part));
            meshes.push(self.mesh(part, &material, &mut rounding)?);
        }
        rounding.report(&first.path(), &mut self.losses);
        Ok(meshes)
    }

    /// Returns the mesh that bounds a joint, with the joint's bone; `None` if it needs more than one mesh.
    pub(super) fn solid(
        &mut self,
        parts: &[Drawable<'_>],
        joint: u32,
    ) -> Result<Option<(usize, Mesh)>, ConvertError> {
        let (Some(bones), [part]) = (self.bones, parts) else { return Ok(None) };
        let material = self.material(None)?;
        let mut rounding = Rounding::default();
        self.bounded = Some(joint);
        let made = self.mesh(part, &material, &mut rounding);
        self.bounded = None;
        rounding.report(&part.path(), &mut self.losses);
        Ok(Some((bones.binding(joint, false).0, Mesh { material: None, ..made? })))
    }

    fn material(&mut self, id: Option<MaterialId>) -> Result<Material, ConvertError> {
        if let Some(known) = self.materials.get(&id) {
            return Ok(known.clone());
        }
        let source = id.and_then(|m| self.scene.materials.get(m.0));
        let [r, g, b, _] = source.map_or([1.0; 4], |m| m.base_color);
        let factor = [r, g, b].map(srgb);
        let text = source.map_or("", |m| &m.name);
        let path = format!("materials[{}]", id.map_or(0, |m| m.0));
        let mut name = Name::new(&self.names.fit_shared(text, &path, &mut self.losses)?);
        if name.bytes().is_empty() && source.is_none_or(|m| m.image.is_none()) {
            let [r, g, b] = factor;
            name = Name::new(format!("#{r:02X}{g:02X}{b:02X}").as_bytes());
        }
        let flat = flat_color(name.bytes());
        let material = Material { flat, kind: MaterialKind::from_color(flat), name, factor };
        self.materials.insert(id, material.clone());
        Ok(material)
    }

    /// Returns the alpha of the most transparent vertex of a mesh, from 0 to 255. The texture keeps its own.
    fn least_alpha(&self, part: &Drawable<'_>) -> f64 {
        let plain = SceneMaterial::default();
        let material = part.material().and_then(|m| self.scene.materials.get(m.0)).unwrap_or(&plain);
        if material.is_hidden() || material.alpha_mode(Some(&part.mesh)) == AlphaMode::Opaque {
            return 255.0;
        }
        let least = part.mesh.colors.iter().map(|[.., a]| *a).min().unwrap_or(u8::MAX);
        f64::from(least) * f64::from(material.base_color[3].clamp(0.0, 1.0))
    }

    /// Returns a mesh of the vertices that triangles use, in the order of their use. Equal vertices are
    /// merged.
    fn mesh(
        &mut self,
        part: &Drawable<'_>,
        material: &Material,
        rounding: &mut Rounding,
    ) -> Result<Mesh, ConvertError> {
        let source = &*part.mesh;
        let mut material = material.clone();
        let is_white = material.flat == Some([255; 3]) && self.form == VertexForm::Engine;
        if is_white && self.bounded.is_none() && has_uvs(source) {
            // The engine ignores the flat colours of larger vertices, which changes nothing if they are white.
            material.kind = MaterialKind::Texture;
        }
        let n = source.positions.len();
        self.budget.charge_items("vertices", n as u64, size_of::<Vertex>().saturating_add(MERGED))?;
        let mut merged: SortedMap<Vertex, u32> = SortedMap::new();
        let mut ids: Vec<Option<u32>> = self.budget.filled("vertices", n, None)?;
        let mut vertices: Vec<Vertex> = Vec::new();
        let mut primitives: Vec<Primitive> = self.budget.reserve("primitives", source.triangles.len())?;
        for triangle in &source.triangles {
            let mut corners = [0; 3];
            for (corner, v) in corners.iter_mut().zip(triangle) {
                let v = *v as usize;
                *corner = match ids.get(v).copied().flatten() {
                    Some(known) => known,
                    None => {
                        let vertex = self.vertex(source, v, &material, rounding)?;
                        *merged.entry(vertex).or_insert_with(|| {
                            vertices.push(vertex);
                            u32::try_from(vertices.len()).unwrap_or(u32::MAX).saturating_sub(1)
                        })
                    }
                };
                if let Some(id) = ids.get_mut(v) {
                    *id = Some(*corner);
                }
            }
            primitives.extend(Primitive::triangle(corners));
        }
        let unused = (0..n).filter(|v| ids.get(*v) == Some(&None));
        if let (Some(mut all), Some(id)) = (self.unused.take(), part.id()) {
            for v in unused {
                let vertex = self.vertex(source, v, &material, &mut Rounding::default())?;
                all.entry((id.0, v)).or_insert(vertex);
            }
            self.unused = Some(all);
        }
        if vertices.len() > Mesh::FEW_VERTICES {
            // From this number on, the description assumes 64-bit primitives.
            for p in &mut primitives {
                *p = Primitive::new(PrimitiveKind::Triangle64, p.indices()).unwrap_or(*p);
            }
        }
        let said = source.extras.as_ref().and_then(|extras| extras.get("flags")?.as_u32()).unwrap_or(0);
        let unknown = MeshFlags(said).unknown();
        Ok(Mesh {
            flags: MeshFlags(MeshFlags::for_lists(&vertices, &primitives).0 | unknown),
            vertices: Arc::new(vertices),
            primitives: Arc::new(primitives),
            material: Some(material.name),
            ..Mesh::default()
        })
    }

    fn vertex(
        &mut self,
        source: &SceneMesh,
        v: usize,
        material: &Material,
        rounding: &mut Rounding,
    ) -> Result<Vertex, ConvertError> {
        let finite = |c: f32| if c.is_finite() { c } else { 0.0 };
        let position = source.positions.get(v).copied().unwrap_or_default();
        let normal = source.normals.get(v).copied().unwrap_or_default().map(finite);
        let (position, mut normal, bone) = self.local(source, v, position, normal);
        let mut st = source.uvs.get(v).copied().unwrap_or_default().map(finite);
        if self.bounded.is_some() {
            // Only positions matter in a solid: vertices that differ in other attributes would open it.
            (normal, st) = ([0.0; 3], [0.0; 2]);
        }
        let color = |stored: &[u8; 4]| {
            let [r, g, b, _] = source.color_encoding.to_srgb(*stored);
            tint(material.factor, [r, g, b])
        };
        let corner = Corner {
            position,
            normal,
            st,
            color: source.colors.get(v).filter(|_| self.bounded.is_none()).map_or(material.factor, color),
            bone,
        };
        let color = self.shade(material.flat.unwrap_or([255; 3]), corner.color)?;
        let vertex = encoded(&corner, material.kind, color, self.form);
        rounding.note(vertex, &corner, material.flat);
        Ok(vertex)
    }

    /// Returns a vertex in the space of its bone, the bone of its only remaining joint.
    fn local(
        &self,
        source: &SceneMesh,
        v: usize,
        position: [f32; 3],
        normal: [f32; 3],
    ) -> ([f32; 3], [f32; 3], usize) {
        let still = (position, normal, 0);
        if let (Some(bones), Some(joint)) = (self.bones, self.bounded) {
            let stored = source.skin.as_ref().is_some_and(|s| !s.local.is_empty());
            let (bone, into) = bones.binding(joint, stored);
            return (narrow(into.points.point(wide(position))), normal, bone);
        }
        let (Some(bones), Some(skin)) = (self.bones, &source.skin) else { return still };
        let Some(influence) = skin.influences(v).first().filter(|_| skin.skeleton == bones.skeleton) else {
            return still;
        };
        // Vertices that are stored per joint are in the rest pose.
        let (bone, into) = bones.binding(influence.joint, !skin.local.is_empty());
        let position = narrow(into.points.point(wide(position)));
        (position, narrow(into.normals.vector(wide(normal))), bone)
    }

    /// Returns the colour byte that is nearest to a colour relative to a base colour.
    fn shade(&mut self, base: [u8; 3], color: [u8; 3]) -> Result<u8, ConvertError> {
        if let Some(known) = self.shades.get(&(base, color)) {
            return Ok(*known);
        }
        self.budget.charge("colours", MERGED as u64)?;
        self.budget.work("colours", 256)?;
        let away = |byte: &u8| -> u32 {
            tint(base, shade(*byte)).iter().zip(color).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
        };
        // Plain white is preferred among equals.
        let all = core::iter::once(Vertex::WHITE).chain(0..=u8::MAX);
        let nearest = all.min_by_key(away).unwrap_or(Vertex::WHITE);
        self.shades.insert((base, color), nearest);
        Ok(nearest)
    }
}

/// Returns true if a mesh has texture coordinates other than 0.
fn has_uvs(mesh: &SceneMesh) -> bool {
    mesh.uvs.iter().flatten().any(|c| *c != 0.0)
}

/// Encodes a vertex in the kind that a form requests.
fn encoded(corner: &Corner, material: MaterialKind, color: u8, form: VertexForm) -> Vertex {
    let normal = normalize(corner.normal).map_or([F8A::ZERO; 3], |n| n.map(F8A::encode));
    let (position, st) = (corner.position, corner.st);
    let id = u8::try_from(corner.bone).unwrap_or(0);
    let (packed, fine, wide) = (Se32::encode(position), St12::encode(st), St11::encode(st));
    let st96 = if St12::saturates(st) { St96::Wide(wide) } else { St96::Fine(fine) };
    let extra = if id == 0 { Extra96::Color(color) } else { Extra96::Bone(id) };
    let bits96 = Vertex::bits96(packed, st96, normal, extra);
    let plain = color == Vertex::WHITE;
    match form {
        VertexForm::Widest => {
            let halves = position.map(F16::encode_saturating);
            Vertex::bits128(halves, St14::encode(st, St14Form::Excess), normal, color, id)
        }
        VertexForm::Engine | VertexForm::Smallest if material.is_flat() && plain => {
            Vertex::flat64(packed, normal, id).unwrap_or(bits96)
        }
        VertexForm::Smallest if plain => Vertex::textured64(packed, wide, id).unwrap_or(bits96),
        VertexForm::Engine | VertexForm::Smallest => bits96,
    }
}
