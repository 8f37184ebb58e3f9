//! Writes the meshes of a scene, or one pose of them, as Wavefront OBJ.

mod mtl;
mod number;

use crate::convert::loss::Loss;
use crate::convert::{ConvertError, Converted};
use crate::flatten::below;
use crate::mesh::{Mesh, MeshPose};
use crate::model::Scene;
use crate::model::ids::MeshId;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;
use meshwright_core::math::{Affine, normalize};
use meshwright_core::text::acts_on_terminal;
use meshwright_core::{Budget, Limits, SortedMap};
use number::{push_float, push_whole};

/// Options for writing a scene as OBJ.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ObjOptions {
    /// The name of the material file that the text refers to. An empty name writes no reference.
    pub mtl_name: String,
    /// The texture file of each material: a path with slashes, relative to the material file. Materials
    /// beyond the end of the list have no texture.
    pub maps: Vec<Option<String>>,
    /// The maximum size of both texts in bytes.
    pub memory: u64,
}

impl Default for ObjOptions {
    fn default() -> Self {
        Self { mtl_name: String::new(), maps: Vec::new(), memory: 256 << 20 }
    }
}

impl ObjOptions {
    /// Returns default options with a reference to the material file `name`. If OBJ cannot refer to that
    /// name, the nearest possible one is used; the file must then have that name.
    #[must_use]
    pub fn with_mtl(name: &str) -> Self {
        Self { mtl_name: one_line(name), ..Self::default() }
    }

    /// Sets the texture files of materials. Names that OBJ cannot store are dropped.
    #[must_use]
    pub fn with_maps(mut self, maps: Vec<Option<String>>) -> Self {
        self.maps = maps.into_iter().map(|map| map.filter(|map| can_name(map))).collect();
        self
    }

    /// Sets the limit of memory in bytes.
    #[must_use]
    pub const fn with_memory(mut self, bytes: u64) -> Self {
        self.memory = bytes;
        self
    }

    fn map(&self, material: usize) -> Option<&str> {
        self.maps.get(material)?.as_deref()
    }
}

/// The two texts of an OBJ file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Obj {
    /// The model text.
    pub obj: String,
    /// The material text.
    pub mtl: String,
}

/// Writes the drawn meshes of the finest level, each as an object with the transform of its node applied.
/// Skinned meshes follow only their skeleton, so their node's transform is ignored.
///
/// `posed` gives other positions and normals for every mesh, as many as the mesh has. Without it, skinned
/// meshes have their bind pose. Numbers are the shortest decimals that give the same 32-bit value when read.
/// Texture coordinates are flipped to OBJ's origin at the bottom left. Names are cut to one line without
/// white space. The same scene always gives the same bytes.
///
/// # Errors
/// If the scene breaks its own rules, if the poses do not fit it, or if the texts would take more than the options
/// allow.
pub fn write(
    scene: &Scene,
    posed: Option<&[MeshPose]>,
    options: &ObjOptions,
) -> Result<Converted<Obj>, ConvertError> {
    scene.validate()?;
    if posed.is_some_and(|p| p.len() != scene.meshes.len()) {
        return Err(ConvertError::invalid("posed", "needs one pose per mesh"));
    }
    let worlds = scene
        .world_transforms()
        .ok_or_else(|| ConvertError::invalid("nodes", "the nodes' parents form a cycle"))?;
    let memory = Budget::new(Limits::default().with_memory(options.memory));
    for material in &scene.materials {
        memory.charge_items("materials as text", (material.name.len() as u64).saturating_add(80), 2)?;
    }
    let maps: usize = options.maps.iter().flatten().map(String::len).sum();
    memory.charge_items("materials as text", maps as u64, 4)?;
    let names = mtl::names(scene);
    let mut out = Writer {
        text: String::from("# Meshwright\n"),
        charged: 0,
        memory,
        materials: &names,
        base: [1; 3],
        objects: SortedMap::new(),
    };
    let mtl_name = one_line(&options.mtl_name);
    if !mtl_name.is_empty() {
        // Writing to a string cannot fail.
        let _ = writeln!(out.text, "mtllib {mtl_name}");
    }
    for (n, MeshId(m)) in drawn_objects(scene) {
        let (Some(node), Some(mesh), Some(world)) = (scene.nodes.get(n), scene.meshes.get(m), worlds.get(n))
        else {
            continue;
        };
        let pose = posed.and_then(|p| p.get(m));
        let name = if node.meshes.len() == 1 && !node.name.is_empty() { &node.name } else { &mesh.name };
        let world = if mesh.skin.is_some() { &Affine::IDENTITY } else { world };
        out.mesh(name, mesh, pose, world, &format!("meshes[{m}]"))?;
    }
    Ok(Converted::new(Obj { mtl: mtl::text(scene, &names, options), obj: out.text }, losses(scene, options)))
}

/// Returns the data of a scene that OBJ cannot store.
fn losses(scene: &Scene, options: &ObjOptions) -> Vec<Loss> {
    let mut losses = Vec::new();
    for (i, mesh) in scene.meshes.iter().enumerate() {
        let mut lose = |code, field: &str, message| {
            losses.push(Loss::new(code, format!("meshes[{i}]{field}"), message));
        };
        if !mesh.colors.is_empty() {
            lose("colors-dropped", ".colors", "OBJ has no vertex colours");
        }
        if !mesh.tangents.is_empty() {
            lose("tangents-dropped", ".tangents", "OBJ has no tangents");
        }
        let odd = mesh.uvs.iter().filter(|uv| !uv.iter().all(|c| c.is_finite())).count();
        if odd > 0 {
            let message = "texture coordinates that are not finite became 0";
            let loss = Loss::new("uvs-replaced", format!("meshes[{i}].uvs"), message);
            losses.push(loss.with_count(odd, "vertex", "vertices"));
        }
    }
    for (i, material) in scene.materials.iter().enumerate() {
        if material.image.is_some() && options.map(i).is_none() {
            let message = "an OBJ material names image files and embeds none";
            losses.push(Loss::new("image-dropped", format!("materials[{i}].image"), message));
        }
    }
    let joints: usize = scene.skeletons.iter().map(|s| s.joints.len()).sum();
    let coarser = scene.levels.len().saturating_sub(1);
    for (code, path, count, [one, several]) in [
        ("skins-dropped", "skeletons", joints, ["joint", "joints"]),
        ("clips-dropped", "clips", scene.clips.len(), ["clip", "clips"]),
        ("levels-dropped", "levels", coarser, ["coarser level", "coarser levels"]),
    ] {
        if count > 0 {
            let loss = Loss::new(code, path, "OBJ holds one pose of one level");
            losses.push(loss.with_count(count, one, several));
        }
    }
    losses
}

/// Returns nodes and meshes in drawing order; only those of the finest level if there are levels.
fn drawn_objects(scene: &Scene) -> Vec<(usize, MeshId)> {
    let order = scene.node_order().unwrap_or_default();
    let finest = scene.levels.first().map(|l| below(scene, &order, &l.nodes));
    let mut objects = Vec::new();
    for (n, node) in scene.nodes.iter().enumerate() {
        if finest.as_ref().is_none_or(|shown| shown.get(n) == Some(&true)) {
            objects.extend(node.meshes.iter().map(|mesh| (n, *mesh)));
        }
    }
    objects
}

/// Returns the name, with a number appended if it is used already. `taken` has the next number for every
/// name, so that many equal names cost no more time each than few.
fn unique(taken: &mut SortedMap<String, u64>, name: String) -> String {
    let Some(mut next) = taken.get(&name).copied() else {
        taken.insert(name.clone(), 2);
        return name;
    };
    let free = loop {
        let numbered = format!("{name}.{next}");
        next = next.saturating_add(1);
        if !taken.contains_key(&numbered) {
            break numbered;
        }
    };
    taken.insert(name, next);
    taken.insert(free.clone(), 2);
    free
}

/// Returns a name on one line: control characters and white space except blanks become `_`.
pub fn one_line(name: &str) -> String {
    let keep = |c: char| if c != ' ' && (c.is_whitespace() || acts_on_terminal(c)) { '_' } else { c };
    name.trim().chars().map(keep).collect()
}

/// Returns true if a file name reads back unchanged from the end of a line of the material file.
pub fn can_name(name: &str) -> bool {
    !name.is_empty() && one_line(name) == name && !name.starts_with(['-', '#']) && !name.ends_with('\\')
}

/// Returns a name as one word without a comment sign.
fn one_word(name: &str) -> String {
    one_line(name).replace([' ', '#'], "_")
}

struct Writer<'a> {
    text: String,
    /// The length of text that is already charged.
    charged: usize,
    memory: Budget,
    materials: &'a [String],
    /// The next numbers of a position, a texture coordinate and a normal.
    base: [u64; 3],
    objects: SortedMap<String, u64>,
}

impl Writer<'_> {
    fn mesh(
        &mut self,
        name: &str,
        mesh: &Mesh,
        pose: Option<&MeshPose>,
        world: &Affine,
        path: &str,
    ) -> Result<(), ConvertError> {
        let positions = pose.map_or(&mesh.positions, |p| &p.positions);
        let normals = pose.map_or(&mesh.normals, |p| &p.normals);
        let fits = positions.len() == mesh.positions.len() && normals.len() == mesh.normals.len();
        if !fits || !positions.iter().flatten().all(|c| c.is_finite()) {
            return Err(ConvertError::invalid(path, "the pose does not fit the mesh or is not finite"));
        }
        self.expect(mesh)?;
        // Memory for the line, and for making names unique.
        self.memory.charge_items("names", (name.len() as u64).saturating_add(40), 3)?;
        let name = one_word(name);
        let name = unique(&mut self.objects, if name.is_empty() { "mesh".into() } else { name });
        let _ = writeln!(self.text, "o {name}");
        for p in positions {
            let at = world.point(*p);
            if !at.iter().all(|c| c.is_finite()) {
                return Err(ConvertError::invalid(
                    path,
                    "its node moves it outside the range of 32-bit floats",
                ));
            }
            self.line("v", at.map(plain))?;
        }
        for [u, v] in &mesh.uvs {
            self.line("vt", [plain(finite(*u)), 1.0 - finite(*v)])?;
        }
        let turn = normal_map(world);
        for n in normals {
            self.line("vn", normalize(turn.vector(n.map(finite))).unwrap_or([0.0, 0.0, 1.0]).map(plain))?;
        }
        if let Some(material) = mesh.material.and_then(|m| self.materials.get(m.0)) {
            let _ = writeln!(self.text, "usemtl {material}");
        }
        let flip = world.determinant() < 0.0;
        let has = [!mesh.uvs.is_empty(), !normals.is_empty()];
        for &[a, b, c] in &mesh.triangles {
            self.text.push('f');
            for corner in if flip { [c, b, a] } else { [a, b, c] } {
                self.corner(corner, has);
            }
            self.text.push('\n');
            self.settle()?;
        }
        self.settle()?;
        let counts = [positions.len(), mesh.uvs.len(), normals.len()];
        for (base, n) in self.base.iter_mut().zip(counts) {
            *base = base.saturating_add(n as u64);
        }
        Ok(())
    }

    /// Writes a line of numbers.
    fn line<const N: usize>(&mut self, word: &str, numbers: [f32; N]) -> Result<(), ConvertError> {
        self.text.push_str(word);
        for number in numbers {
            self.text.push(' ');
            push_float(&mut self.text, number);
        }
        self.text.push('\n');
        self.settle()
    }

    /// Writes a corner of a triangle. `has` states whether the mesh has texture coordinates and normals.
    fn corner(&mut self, corner: u32, has: [bool; 2]) {
        let [v, t, n] = self.base.map(|b| b.saturating_add(u64::from(corner)));
        let text = &mut self.text;
        let mut buffer = itoa::Buffer::new();
        let own = buffer.format(v);
        // Usually the numbers are equal, so the text is reused.
        let push = |text: &mut String, n: u64| if n == v { text.push_str(own) } else { push_whole(text, n) };
        text.push(' ');
        text.push_str(own);
        match has {
            [false, false] => {}
            [true, false] => {
                text.push('/');
                push(text, t);
            }
            [false, true] => {
                text.push_str("//");
                push(text, n);
            }
            [true, true] => {
                text.push('/');
                push(text, t);
                text.push('/');
                push(text, n);
            }
        }
    }

    /// Charges the expected size of a mesh's lines before writing them: a little above ten bytes per number.
    fn expect(&mut self, mesh: &Mesh) -> Result<(), ConvertError> {
        let lines = [(mesh.positions.len(), 36), (mesh.uvs.len(), 26), (mesh.normals.len(), 38)];
        let lines = lines.into_iter().chain([(mesh.triangles.len(), 64)]);
        let bytes = lines.fold(0_usize, |sum, (n, size)| sum.saturating_add(n.saturating_mul(size)));
        self.memory.charge("meshes as text", bytes as u64)?;
        self.charged = self.text.len().saturating_add(bytes);
        Ok(())
    }

    /// Charges the text beyond the expected size: numbers far from 1 have up to fifty digits.
    fn settle(&mut self) -> Result<(), ConvertError> {
        let more = self.text.len().saturating_sub(self.charged);
        if more > 0 {
            self.memory.charge("meshes as text", more as u64)?;
            self.charged = self.text.len();
        }
        Ok(())
    }
}

/// Returns zero without its sign, and other numbers unchanged.
fn plain(v: f32) -> f32 {
    v + 0.0
}

fn finite(v: f32) -> f32 {
    if v.is_finite() { v } else { 0.0 }
}

/// Returns the matrix for normals: the cofactors of `m`, which also exist if `m` flattens an axis.
fn normal_map(m: &Affine) -> Affine {
    let cross = |a: [f32; 3], b: [f32; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let sign = if m.determinant() < 0.0 { -1.0 } else { 1.0 };
    let column = |a, b| cross(a, b).map(|c| c * sign);
    Affine { x: column(m.y, m.z), y: column(m.z, m.x), z: column(m.x, m.y), w: [0.0; 3] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ids::{MaterialId, NodeId};
    use crate::model::{Level, Material, Node};
    use crate::skeleton::Local;
    use alloc::vec;
    use meshwright_core::math::Trs;

    fn triangle() -> Mesh {
        Mesh {
            name: "tri\nangle # 1".into(),
            material: Some(MaterialId(1)),
            positions: vec![[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 1e-7, 3.5]],
            normals: vec![[0.0, 0.0, 1.0]; 3],
            uvs: vec![[0.0, 0.25], [1.0, 0.0], [f32::NAN, 1.0]],
            triangles: vec![[0, 1, 2]],
            ..Mesh::default()
        }
    }

    fn scene() -> Scene {
        let material = |name: &str| Material { name: name.into(), ..Material::default() };
        Scene {
            meshes: vec![triangle()],
            nodes: vec![Node::of_mesh("", MeshId(0))],
            materials: vec![material("a b"), material("a_b")],
            ..Scene::default()
        }
    }

    #[test]
    fn text_is_as_expected() {
        let obj = write(&scene(), None, &ObjOptions::with_mtl("x.mtl")).unwrap().value;
        let expected = "# Meshwright\nmtllib x.mtl\no tri_angle___1\nv 0 0 0\nv 0.1 0 0\nv 0 0.0000001 3.5\n\
            vt 0 0.75\nvt 1 1\nvt 0 0\nvn 0 0 1\nvn 0 0 1\nvn 0 0 1\nusemtl a_b.2\nf 1/1/1 2/2/2 3/3/3\n";
        assert_eq!(obj.obj, expected);
        assert!(obj.mtl.contains("newmtl a_b\n") && obj.mtl.contains("newmtl a_b.2\n"));
    }

    #[test]
    fn numbers_read_back_as_they_were() {
        let mut scene = scene();
        let values = [f32::MIN_POSITIVE, 1.0 / 3.0, 16_777_217.0, -3.402_823_5e38, 1.17e-38, 0.1 + 0.2];
        scene.meshes[0].positions[1] = [values[0], values[1], values[2]];
        scene.meshes[0].positions[2] = [values[3], values[4], values[5]];
        let obj = write(&scene, None, &ObjOptions::default()).unwrap().value.obj;
        let read: Vec<f32> = obj
            .lines()
            .filter_map(|l| l.strip_prefix("v "))
            .flat_map(str::split_whitespace)
            .skip(3)
            .map(|n| n.parse().unwrap())
            .collect();
        assert_eq!(read, values);
    }

    #[test]
    fn what_obj_cannot_hold_is_told() {
        let mut scene = scene();
        scene.meshes[0].tangents = vec![[1.0, 0.0, 0.0, 1.0]; 3];
        scene.skeletons.push(crate::Skeleton {
            joints: vec![crate::Joint::new("j", None, Local::default())],
            ..crate::Skeleton::default()
        });
        scene.levels = vec![Level { nodes: vec![NodeId(0)], ..Level::default() }, Level::default()];
        let losses = write(&scene, None, &ObjOptions::default()).unwrap().losses;
        let codes: Vec<_> = losses.iter().map(|l| l.code).collect();
        assert_eq!(codes, ["tangents-dropped", "uvs-replaced", "skins-dropped", "levels-dropped"]);
    }

    #[test]
    fn a_place_beyond_32_bits_is_refused() {
        let mut scene = scene();
        scene.meshes[0].positions[0] = [3e38, 0.0, 0.0];
        scene.nodes[0].local = Local::Trs(Trs { scale: [4.0; 3], ..Trs::IDENTITY });
        let refused = write(&scene, None, &ObjOptions::default());
        assert!(matches!(refused, Err(ConvertError::Invalid { .. })), "{refused:?}");
    }

    #[test]
    fn the_material_file_has_a_name_that_fits_a_line() {
        assert_eq!(ObjOptions::with_mtl(" a #1\tb\n.mtl").mtl_name, "a #1_b_.mtl");
    }

    #[test]
    fn nodes_place_and_mirror() {
        let mut scene = scene();
        let mirror = Trs { translation: [1.0, 0.0, 0.0], scale: [-1.0, 1.0, 1.0], ..Trs::IDENTITY };
        scene.nodes[0].local = Local::Trs(mirror);
        let second = Node { parent: Some(NodeId(0)), ..Node::of_mesh("child", MeshId(0)) };
        scene.nodes.push(second);
        let obj = write(&scene, None, &ObjOptions::default()).unwrap().value.obj;
        assert!(obj.contains("v 0.9 0 0\n"), "{obj}");
        assert!(obj.contains("f 3/3/3 2/2/2 1/1/1\n"), "{obj}");
        assert!(obj.contains("f 6/6/6 5/5/5 4/4/4\n"), "{obj}");
        assert!(obj.contains("vn 0 0 1\n") && obj.contains("o child\n"), "{obj}");
    }

    #[test]
    fn a_pose_replaces_and_must_fit() {
        let scene = scene();
        let pose = MeshPose { positions: vec![[7.0; 3]; 3], normals: vec![[1.0, 0.0, 0.0]; 3] };
        let obj =
            write(&scene, Some(core::slice::from_ref(&pose)), &ObjOptions::default()).unwrap().value.obj;
        assert!(obj.contains("v 7 7 7\n") && obj.contains("vn 1 0 0\n"));
        assert!(write(&scene, Some(&[]), &ObjOptions::default()).is_err());
        let short = MeshPose { positions: vec![], ..pose };
        assert!(write(&scene, Some(&[short]), &ObjOptions::default()).is_err());
    }

    #[test]
    fn only_the_finest_level_is_written() {
        let mut scene = scene();
        scene.nodes.push(Node::of_mesh("coarse", MeshId(0)));
        scene.levels = vec![
            Level { nodes: vec![NodeId(0)], ..Level::default() },
            Level { nodes: vec![NodeId(1)], ..Level::default() },
        ];
        let obj = write(&scene, None, &ObjOptions::default()).unwrap().value.obj;
        assert_eq!(obj.matches("\no ").count(), 1);
    }

    #[test]
    fn the_limit_holds_for_instances() {
        let mut scene = scene();
        scene.nodes = vec![Node { meshes: vec![MeshId(0); 1000], ..Node::default() }];
        let tight = ObjOptions::default().with_memory(10_000);
        assert!(matches!(write(&scene, None, &tight), Err(ConvertError::Limit { .. })));
    }

    #[test]
    fn many_equal_names_take_linear_time() {
        let mut scene = scene();
        scene.meshes[0].triangles.clear();
        scene.meshes[0].positions.clear();
        (scene.meshes[0].normals, scene.meshes[0].uvs) = (vec![], vec![]);
        scene.nodes = vec![Node::of_mesh("a", MeshId(0)); 100_000];
        scene.nodes[1].name = "a.2".into();
        scene.materials = vec![Material { name: "m".into(), ..Material::default() }; 100_000];
        let written = write(&scene, None, &ObjOptions::default()).unwrap().value;
        assert!(written.obj.contains("o a\n") && written.obj.contains("o a.3\n"));
        assert!(written.obj.contains("o a.100000\n") && written.mtl.contains("newmtl m.100000\n"));
    }

    #[test]
    fn the_limit_holds_for_numbers_of_many_digits() {
        let mut scene = scene();
        let mesh = &mut scene.meshes[0];
        (mesh.normals, mesh.uvs) = (vec![], vec![]);
        mesh.positions = vec![[-1e-45, -3e38, 1e-45]; 1000];
        let written = write(&scene, None, &ObjOptions::default()).unwrap().value;
        let length = written.obj.len();
        assert!(length > 100_000);
        for memory in [length / 2, length - 1000] {
            let refused = write(&scene, None, &ObjOptions::default().with_memory(memory as u64));
            assert!(matches!(refused, Err(ConvertError::Limit { .. })), "{memory}");
        }
    }
}
