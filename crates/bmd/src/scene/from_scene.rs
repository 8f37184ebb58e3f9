//! A model from a scene.

use super::axes::axes;
use super::bones::Bones;
use super::color::display;
use super::motion::{self, Bounds};
use super::names::name;
use crate::math::{self, narrow};
use crate::model::{Bmd, Lod, Mesh, MeshFlags, Name, QuadCount};
use crate::packed::{Extra96, Primitive, St96, Vertex, VertexKind};
use crate::shade::{flat_color, shade, tint};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_core::num::{F8A, F16, Se32, St11, St12, St14, St14Form};
use meshwright_scene::{
    Affine, AxisMap, ConvertError, Converted, Loss, Memory, Mesh as SceneMesh, MeshId, NodeId, Scene,
    SkeletonId, vertex_normals,
};

/// Which kinds of vertices a new model gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum VertexForm {
    /// As the existing tool: 64 bits under a flat colour, 96 under a texture. Colours of vertices on bones are
    /// lost.
    #[default]
    Engine,
    /// 64 bits wherever colours allow it. Under a texture normals are then implied by positions.
    Smallest,
    /// 128 bits: the finest positions, colours and bones together.
    Widest,
}

/// Options of [`Bmd::from_scene`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ImportOptions {
    /// Kinds of vertices.
    pub vertices: VertexForm,
    /// Degrees that a rotation may be off at a whole frame.
    pub angle: f64,
    /// Units of the model, 1/40 metre, that a translation may be off.
    pub distance: f64,
    /// How far a scale may be off.
    pub scale: f64,
    /// Bytes that the conversion may take.
    pub memory: u64,
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self { vertices: VertexForm::Engine, angle: 0.75, distance: 0.05, scale: 0.005, memory: 256 << 20 }
    }
}

impl ImportOptions {
    /// The same options with other kinds of vertices.
    #[must_use]
    pub const fn with_vertices(mut self, vertices: VertexForm) -> Self {
        self.vertices = vertices;
        self
    }

    /// The same options with other bounds for keys: degrees, units of the model, scale.
    #[must_use]
    pub const fn with_key_bounds(mut self, angle: f64, distance: f64, scale: f64) -> Self {
        (self.angle, self.distance, self.scale) = (angle, distance, scale);
        self
    }
}

/// The most vertices, and primitives, that a mesh can count.
const MOST: usize = 65_535;
/// The longest material name that the existing engine has room for.
const MAX_NAME: usize = 255;

impl Bmd {
    /// A model of a scene's drawn meshes, its first skeleton in use, and that skeleton's clips.
    ///
    /// Numbers are rounded to the nearest the format has; the largest differences are reported. A material
    /// becomes a flat colour when it is named `#RRGGBB`, or has neither name nor image; else its name is the
    /// texture. Vertices hang on their heaviest bone alone. Keys are chosen as for
    /// [`optimize`](Self::optimize). Meshes that are not drawn stay in the file without a material.
    pub fn from_scene(scene: &Scene, options: &ImportOptions) -> Result<Converted<Self>, ConvertError> {
        scene.validate().map_err(|e| ConvertError::invalid(e.path, e.message))?;
        let axes = axes(scene.space).inverse();
        let mut losses = Vec::new();
        let used = scene.meshes.iter().filter_map(|m| m.skin.as_ref()).map(|s| s.skeleton).min();
        let skeleton =
            used.or((!scene.clips.is_empty() && !scene.skeletons.is_empty()).then_some(SkeletonId(0)));
        let bones = skeleton.map(|s| Bones::of(scene, s, &axes, &mut losses)).transpose()?;
        let mut import = Import {
            scene,
            options,
            axes,
            memory: Memory::new(options.memory),
            bones,
            losses,
            made: BTreeMap::new(),
            meshes: Vec::new(),
            shades: BTreeMap::new(),
        };
        let lods = import.drawn()?;
        import.hidden()?;
        let clips = import.clips()?;
        let Import { bones, losses, meshes, .. } = import;
        let bones = bones.map_or_else(Vec::new, |b| b.bones);
        let model = Self { meshes, lods, bones, clips, ..Self::default() };
        Ok(Converted::new(model, losses))
    }
}

struct Import<'s> {
    scene: &'s Scene,
    options: &'s ImportOptions,
    axes: AxisMap,
    memory: Memory,
    bones: Option<Bones>,
    losses: Vec<Loss>,
    /// The meshes that an instance became: drawn again they share their lists.
    made: BTreeMap<(usize, [u32; 12]), Vec<Mesh>>,
    meshes: Vec<Mesh>,
    shades: BTreeMap<([u8; 3], [u8; 3]), u8>,
}

/// The largest differences between a scene's mesh and the one made of it.
#[derive(Default)]
struct Rounding {
    position: f64,
    normal: f64,
    st: f64,
    color: u8,
    colors_lost: usize,
    influences: usize,
    dropped: f32,
    bones_lost: usize,
    clamped: usize,
}

impl Import<'_> {
    /// Meshes level by level, and the levels.
    fn drawn(&mut self) -> Result<Vec<Lod>, ConvertError> {
        let scene = self.scene;
        let cycle = || ConvertError::invalid("nodes", "parents form a cycle");
        let drawn = scene.drawn().ok_or_else(cycle)?;
        let order = scene.node_order().ok_or_else(cycle)?;
        let mut lods = Vec::new();
        let levels: Vec<Option<&meshwright_scene::Level>> =
            if scene.levels.is_empty() { alloc::vec![None] } else { scene.levels.iter().map(Some).collect() };
        let mut unseen: BTreeSet<NodeId> = drawn.iter().map(|d| d.0).collect();
        for level in levels {
            let shown = level.map(|l| below(scene, &order, &l.nodes));
            let start = self.meshes.len();
            for (node, mesh, matrix) in &drawn {
                if shown.as_ref().is_none_or(|s| s.get(node.0) == Some(&true)) {
                    unseen.remove(node);
                    self.instance(*mesh, matrix)?;
                }
            }
            let count = self.meshes.len().saturating_sub(start);
            let (Ok(first), Ok(count)) = (u8::try_from(start), u8::try_from(count)) else {
                let message = "levels of detail count to 255 meshes; this one and what follows has none";
                self.losses.push(Loss::new("levels-dropped", "levels", message));
                continue;
            };
            // The coarsest scale there is: what the existing tool writes.
            let far = 1.0 / 128.0;
            let scale = level.map_or(far, |l| l.max_distance.map_or(0.0, |d| 1.0 / (d.max(0.0) + 1.0)));
            let mut code = F8A::encode(scale);
            if scale > 0.0 && code.decode() == 0.0 {
                code = F8A::from_bits(1);
            }
            if count > 0 {
                lods.push(Lod { first, count, scale: code, reserved: 0 });
            }
        }
        for NodeId(n) in unseen {
            self.losses.push(Loss::new("node-not-drawn", format!("nodes[{n}]"), "no level draws it"));
        }
        Ok(lods)
    }

    /// Meshes that nothing draws: no material, so that they are not drawn here either.
    fn hidden(&mut self) -> Result<(), ConvertError> {
        let drawn: BTreeSet<usize> = self.made.keys().map(|k| k.0).collect();
        for i in (0..self.scene.meshes.len()).filter(|i| !drawn.contains(i)) {
            let start = self.meshes.len();
            self.instance(MeshId(i), &Affine::IDENTITY)?;
            self.meshes.iter_mut().skip(start).for_each(|m| m.material = None);
        }
        Ok(())
    }

    fn clips(&mut self) -> Result<Vec<crate::model::Clip>, ConvertError> {
        let mut clips = Vec::new();
        let options = self.options;
        let bounds = Bounds { angle: options.angle, distance: options.distance, scale: options.scale };
        let Some(bones) = &self.bones else { return Ok(clips) };
        for i in 0..self.scene.clips.len() {
            let losses = &mut self.losses;
            clips.extend(motion::convert(self.scene, i, bones, &self.axes, bounds, &self.memory, losses)?);
        }
        Ok(clips)
    }

    fn instance(&mut self, mesh: MeshId, matrix: &Affine) -> Result<(), ConvertError> {
        let key = (mesh.0, matrix.to_array().map(f32::to_bits));
        let made = match self.made.get(&key) {
            Some(made) => made.clone(),
            None => {
                let Some(source) = self.scene.meshes.get(mesh.0) else { return Ok(()) };
                let made = if *matrix == Affine::IDENTITY {
                    self.mesh(mesh.0, source)?
                } else {
                    self.memory.charge("baked mesh", source.positions.len(), 64)?;
                    self.mesh(mesh.0, &source.baked(matrix))?
                };
                self.made.insert(key, made.clone());
                made
            }
        };
        self.memory.charge("meshes", made.len(), size_of::<Mesh>())?;
        self.meshes.extend(made);
        Ok(())
    }

    fn material(&mut self, mesh: &SceneMesh, path: &str) -> (Name, Option<[u8; 3]>, [u8; 3]) {
        let material = mesh.material.and_then(|m| self.scene.materials.get(m.0));
        let [r, g, b, _] = material.map_or([1.0; 4], |m| m.base_color);
        let factor = [r, g, b].map(display);
        let mut stored = name(material.map_or("", |m| &m.name), path, &mut self.losses);
        if stored.bytes().len() > MAX_NAME {
            let message = format!("a material name was cut to {MAX_NAME} bytes");
            self.losses.push(Loss::new("name-cut", path, message));
            stored = Name::new(stored.bytes().get(..MAX_NAME).unwrap_or_default());
        }
        let nameless = stored.bytes().is_empty() && material.is_none_or(|m| m.image.is_none());
        if nameless {
            let [r, g, b] = factor;
            stored = Name::new(format!("#{r:02X}{g:02X}{b:02X}").as_bytes());
        }
        if material.is_some_and(|m| m.image.is_some()) {
            let message = "the format holds no images; the material's name stands for the texture";
            self.losses.push(Loss::new("image-dropped", path, message));
        }
        let flat = flat_color(stored.bytes());
        (stored, flat, factor)
    }

    /// The vertices of a mesh, then its triangles, in as many meshes as counting takes.
    fn mesh(&mut self, index: usize, source: &SceneMesh) -> Result<Vec<Mesh>, ConvertError> {
        let path = format!("meshes[{index}]");
        let n = source.positions.len();
        if source.triangles.is_empty() {
            let message = "a mesh without triangles was left out";
            self.losses.push(Loss::new("empty-mesh", path, message));
            return Ok(Vec::new());
        }
        let (material, flat, factor) = self.material(source, &path);
        let computed;
        let normals = if source.normals.is_empty() && n > 0 {
            self.memory.charge("normals", n, size_of::<[f32; 3]>())?;
            computed = vertex_normals(&source.positions, &source.triangles);
            &computed
        } else {
            &source.normals
        };
        let mut rounding = Rounding::default();
        let mut vertices: Vec<Vertex> = self.memory.reserve("vertices", n)?;
        for v in 0..n {
            let corner = Corner {
                position: source.positions.get(v).copied().unwrap_or_default(),
                normal: normals.get(v).copied().unwrap_or_default(),
                st: source.uvs.get(v).copied().unwrap_or_default(),
                color: source.colors.get(v).map_or(factor, |[r, g, b, _]| tint(factor, [*r, *g, *b])),
                bone: self.bone(source, v, &mut rounding),
            };
            vertices.push(self.vertex(&corner, flat, &mut rounding));
        }
        rounding.report(&path, &mut self.losses);
        self.memory.charge("primitives", source.triangles.len(), size_of::<Primitive>())?;
        Ok(divide(&vertices, source, &self.axes, &material))
    }

    /// The bone that a vertex hangs on: its heaviest.
    fn bone(&self, mesh: &SceneMesh, v: usize, rounding: &mut Rounding) -> usize {
        let (Some(bones), Some(skin)) = (&self.bones, &mesh.skin) else { return 0 };
        if skin.skeleton != bones.skeleton {
            rounding.bones_lost = rounding.bones_lost.saturating_add(1);
            return 0;
        }
        let influences = skin.of(v);
        let best = influences.iter().max_by(|a, b| a.weight.total_cmp(&b.weight));
        let Some(best) = best else { return 0 };
        let total: f32 = influences.iter().map(|i| i.weight.abs()).sum();
        let lost = if total > 0.0 { 1.0 - best.weight.abs() / total } else { 0.0 };
        if lost > 1e-3 {
            rounding.influences = rounding.influences.saturating_add(1);
            rounding.dropped = rounding.dropped.max(lost);
        }
        bones.bone_of.get(best.joint as usize).copied().unwrap_or(0)
    }

    fn vertex(&mut self, corner: &Corner, flat: Option<[u8; 3]>, rounding: &mut Rounding) -> Vertex {
        let position = self.axes.point(corner.position);
        let normal = self.axes.direction(corner.normal.map(|c| if c.is_finite() { c } else { 0.0 }));
        let bone = corner.bone;
        let local = |b: &Bones| b.local(bone, position, normal);
        let (position, normal) = self.bones.as_ref().map_or((position, normal), local);
        let codes = math::unit([normal[0], normal[1], normal[2], 0.0].map(f64::from))
            .map_or([F8A::ZERO; 3], |[x, y, z, _]| [x, y, z].map(|c| F8A::encode(narrow(c))));
        let st = corner.st.map(|c| if c.is_finite() { c } else { 0.0 });
        let base = flat.unwrap_or([255; 3]);
        let color = self.shade(base, corner.color);
        let id = u8::try_from(bone).unwrap_or(0);
        let (packed, fine, wide) = (Se32::encode(position), St12::encode(st), St11::encode(st));
        let st96 = if St12::saturates(st) { St96::Wide(wide) } else { St96::Fine(fine) };
        let extra = if id == 0 { Extra96::Color(color) } else { Extra96::Bone(id) };
        let bits96 = Vertex::bits96(packed, st96, codes, extra);
        let plain = color == Vertex::WHITE;
        let vertex = match self.options.vertices {
            VertexForm::Widest => {
                let halves = position.map(F16::encode_saturating);
                Vertex::bits128(halves, St14::encode(st, St14Form::Excess), codes, color, id)
            }
            VertexForm::Engine if flat.is_some() && plain => {
                Vertex::flat64(packed, codes, id).unwrap_or(bits96)
            }
            VertexForm::Smallest if plain && flat.is_some() => {
                Vertex::flat64(packed, codes, id).unwrap_or(bits96)
            }
            VertexForm::Smallest if plain => Vertex::textured64(packed, wide, id).unwrap_or(bits96),
            VertexForm::Engine | VertexForm::Smallest => bits96,
        };
        rounding.note(vertex, position, normal, st, corner.color, flat);
        vertex
    }

    /// The colour byte that comes nearest to a colour on top of a base colour.
    fn shade(&mut self, base: [u8; 3], color: [u8; 3]) -> u8 {
        let away = |byte: &u8| -> u32 {
            tint(base, shade(*byte)).iter().zip(color).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
        };
        *self.shades.entry((base, color)).or_insert_with(|| {
            // Plain white before its equals.
            core::iter::once(Vertex::WHITE).chain(0..=u8::MAX).min_by_key(away).unwrap_or(Vertex::WHITE)
        })
    }
}

/// A vertex of a scene.
struct Corner {
    position: [f32; 3],
    normal: [f32; 3],
    st: [f32; 2],
    color: [u8; 3],
    bone: usize,
}

impl Rounding {
    fn note(
        &mut self,
        vertex: Vertex,
        position: [f32; 3],
        normal: [f32; 3],
        st: [f32; 2],
        color: [u8; 3],
        flat: Option<[u8; 3]>,
    ) {
        let wide = |v: [f32; 3]| [v[0], v[1], v[2], 0.0].map(f64::from);
        let moved: f64 =
            wide(position).iter().zip(wide(vertex.position())).map(|(a, b)| (a - b) * (a - b)).sum();
        self.position = self.position.max(math::sqrt(moved));
        let saturates = match vertex.kind() {
            VertexKind::Bits128 => position.iter().any(|c| c.abs() > F16::MAX.decode()),
            VertexKind::Bits64 | VertexKind::Bits96 => Se32::saturates(position),
        };
        if saturates {
            self.clamped = self.clamped.saturating_add(1);
        }
        let got = math::unit(wide(vertex.normal(flat.is_some())));
        if let (Some(a), Some(b)) = (math::unit(wide(normal)), got) {
            self.normal = self.normal.max(math::arc(a, b) * (180.0 / core::f64::consts::PI));
        }
        let read = vertex.st(flat.is_some(), St14Form::Excess);
        let away = st.iter().zip(read).fold(0.0_f64, |m, (a, b)| m.max((f64::from(*a) - f64::from(b)).abs()));
        // Without a texture coordinates mean nothing.
        if flat.is_none() {
            self.st = self.st.max(away);
        }
        let base = flat.unwrap_or([255; 3]);
        let shown = vertex.color().map_or(base, |c| tint(base, shade(c)));
        let away = shown.iter().zip(color).fold(0, |m, (a, b)| m.max(a.abs_diff(b)));
        if vertex.color().is_none() && away > 0 {
            self.colors_lost = self.colors_lost.saturating_add(1);
        } else {
            self.color = self.color.max(away);
        }
    }

    fn report(&self, path: &str, losses: &mut Vec<Loss>) {
        let mut measured = |code, message: String, amount: f64| {
            if amount > 0.0 {
                losses.push(Loss::measured(code, path, message, amount));
            }
        };
        measured(
            "positions-rounded",
            "largest move of a vertex, in units of the model".into(),
            self.position,
        );
        measured("normals-rounded", "largest turn of a normal, in degrees".into(), self.normal);
        measured("uvs-rounded", "largest move of a texture coordinate".into(), self.st);
        measured("colors-rounded", "largest change of a colour channel".into(), f64::from(self.color));
        let count = |n: usize| f64::from(u32::try_from(n).unwrap_or(u32::MAX));
        let lost = "vertices whose colour was lost, having a bone";
        measured("colors-dropped", lost.into(), count(self.colors_lost));
        let message = format!("{} vertices hang on one bone only; largest share dropped", self.influences);
        measured("influences-dropped", message, f64::from(self.dropped));
        measured("skeleton-dropped", "vertices bound to another skeleton".into(), count(self.bones_lost));
        measured("positions-clamped", "vertices beyond the format's range".into(), count(self.clamped));
    }
}

/// The nodes at or below some.
fn below(scene: &Scene, order: &[usize], roots: &[NodeId]) -> Vec<bool> {
    let mut shown = alloc::vec![false; scene.nodes.len()];
    for root in roots {
        if let Some(s) = shown.get_mut(root.0) {
            *s = true;
        }
    }
    for n in order {
        let parent = scene.nodes.get(*n).and_then(|node| node.parent);
        if let (Some(true), Some(s)) = (parent.and_then(|p| shown.get(p.0).copied()), shown.get_mut(*n)) {
            *s = true;
        }
    }
    shown
}

/// Meshes of a list of vertices, used ones only, in the order of their use.
fn divide(vertices: &[Vertex], source: &SceneMesh, axes: &AxisMap, material: &Name) -> Vec<Mesh> {
    let mut meshes = Vec::new();
    let mut triangles = source.triangles.iter().peekable();
    while triangles.peek().is_some() {
        let mut ids: BTreeMap<u32, u32> = BTreeMap::new();
        let mut merged: BTreeMap<Vertex, u32> = BTreeMap::new();
        let (mut list, mut primitives) = (Vec::new(), Vec::new());
        while list.len() <= MOST - 3 && primitives.len() < MOST {
            let Some(triangle) = triangles.next() else { break };
            let corners = axes.triangle(*triangle).map(|v| {
                *ids.entry(v).or_insert_with(|| {
                    let vertex = vertices.get(v as usize).copied().unwrap_or_default();
                    *merged.entry(vertex).or_insert_with(|| {
                        list.push(vertex);
                        u32::try_from(list.len()).unwrap_or(u32::MAX).saturating_sub(1)
                    })
                })
            });
            primitives.extend(Primitive::triangle(corners));
        }
        let flags = MeshFlags::for_lists(&list, &primitives);
        meshes.push(Mesh {
            vertices: Arc::new(list),
            primitives: Arc::new(primitives),
            material: Some(material.clone()),
            flags,
            quad_count: QuadCount::Described,
            reserved: 0,
        });
    }
    meshes
}
