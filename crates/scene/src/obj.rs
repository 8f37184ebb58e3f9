//! Wavefront OBJ: the meshes of a scene, or one pose of them, as text.

use crate::convert::{ConvertError, Converted, Loss, Memory};
use crate::math::{Affine, normalize};
use crate::mesh::{Mesh, MeshPose};
use crate::model::{MeshId, Scene};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write;

/// How a scene is written as OBJ.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ObjOptions {
    /// The name by which the text refers to its material file; no reference without a name.
    pub mtl_name: String,
    /// Bytes that both texts may take.
    pub memory: u64,
}

impl Default for ObjOptions {
    fn default() -> Self {
        Self { mtl_name: String::new(), memory: 256 << 20 }
    }
}

impl ObjOptions {
    /// Default options with a reference to the material file `name`.
    pub fn with_mtl(name: impl Into<String>) -> Self {
        Self { mtl_name: name.into(), ..Self::default() }
    }
}

/// The two texts of an OBJ model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Obj {
    /// The model.
    pub obj: String,
    /// Its materials.
    pub mtl: String,
}

/// Writes the drawn meshes of the finest level, each as an object, with the transform of its node applied
/// (skinned meshes follow their skeleton alone and are written as they are).
///
/// `posed` gives other positions and normals for every mesh, as many as each has of its own; a skinned mesh is
/// written in its bind pose without it. Numbers are the shortest decimals that read back as the same 32-bit
/// value, texture coordinates are turned to OBJ's origin at the bottom left, names are cut to one line without
/// white space. Same scene, same bytes.
pub fn write(
    scene: &Scene,
    posed: Option<&[MeshPose]>,
    options: &ObjOptions,
) -> Result<Converted<Obj>, ConvertError> {
    scene.validate().map_err(|e| ConvertError::invalid(e.path, e.message))?;
    if posed.is_some_and(|p| p.len() != scene.meshes.len()) {
        return Err(ConvertError::invalid("posed", "needs one pose per mesh"));
    }
    let worlds = scene
        .world_transforms()
        .ok_or_else(|| ConvertError::invalid("nodes", "the nodes' parents form a cycle"))?;
    let names = material_names(scene);
    let mut out = Writer {
        text: String::from("# Meshwright\n"),
        memory: Memory::new(options.memory),
        materials: &names,
        base: [1; 3],
        objects: BTreeMap::new(),
    };
    let mtl_name = one_line(&options.mtl_name, ' ');
    if !mtl_name.is_empty() {
        // Writing to a string cannot fail; the result says so only to satisfy the trait.
        let _ = writeln!(out.text, "mtllib {mtl_name}");
    }
    let mut losses = Vec::new();
    for (n, MeshId(m)) in drawn(scene) {
        let (Some(node), Some(mesh), Some(world)) = (scene.nodes.get(n), scene.meshes.get(m), worlds.get(n))
        else {
            continue;
        };
        let pose = posed.and_then(|p| p.get(m));
        let name = if node.meshes.len() == 1 && !node.name.is_empty() { &node.name } else { &mesh.name };
        let world = if mesh.skin.is_some() { &Affine::IDENTITY } else { world };
        out.mesh(name, mesh, pose, world, &format!("meshes[{m}]"))?;
    }
    for (i, mesh) in scene.meshes.iter().enumerate() {
        if !mesh.colors.is_empty() {
            let message = "OBJ has no vertex colours";
            losses.push(Loss::new("obj-no-colors", format!("meshes[{i}].colors"), message));
        }
    }
    for (i, material) in scene.materials.iter().enumerate() {
        if material.image.is_some() {
            let message = "an OBJ material names image files and embeds none";
            losses.push(Loss::new("obj-no-image", format!("materials[{i}].image"), message));
        }
    }
    Ok(Converted::new(Obj { mtl: materials(scene, &names), obj: out.text }, losses))
}

/// Nodes and meshes in drawing order: of the finest level where there are levels.
fn drawn(scene: &Scene) -> Vec<(usize, MeshId)> {
    let mut shown = alloc::vec![scene.levels.is_empty(); scene.nodes.len()];
    for root in scene.levels.first().into_iter().flat_map(|l| &l.nodes) {
        if let Some(s) = shown.get_mut(root.0) {
            *s = true;
        }
    }
    for n in scene.node_order().unwrap_or_default() {
        let parent = scene.nodes.get(n).and_then(|node| node.parent);
        if let (Some(true), Some(s)) = (parent.and_then(|p| shown.get(p.0).copied()), shown.get_mut(n)) {
            *s = true;
        }
    }
    let nodes = scene.nodes.iter().enumerate().zip(shown).filter(|(_, shown)| *shown);
    nodes.flat_map(|((n, node), _)| node.meshes.iter().map(move |&m| (n, m))).collect()
}

/// One word per material, each its own.
fn material_names(scene: &Scene) -> Vec<String> {
    let mut taken = BTreeMap::new();
    let named = |(i, name): (usize, &str)| {
        let name = one_line(name, '_');
        unique(&mut taken, if name.is_empty() { format!("material_{i}") } else { name })
    };
    scene.materials.iter().map(|m| m.name.as_str()).enumerate().map(named).collect()
}

/// Makes `name` differ from all that are taken. Each of these comes with the number that its next namesake tries
/// first, so that many namesakes are not counted through again and again.
fn unique(taken: &mut BTreeMap<String, u64>, name: String) -> String {
    let Some(mut n) = taken.get(&name).copied() else {
        taken.insert(name.clone(), 2);
        return name;
    };
    // No more names are taken than there were calls, so one of the next numbers is free.
    loop {
        let free = format!("{name}.{n}");
        n = n.saturating_add(1);
        if !taken.contains_key(&free) {
            taken.insert(free.clone(), 2);
            taken.insert(name, n);
            return free;
        }
    }
}

/// A name on one line: white space and control characters become `_`, a comment sign too.
fn one_line(name: &str, space: char) -> String {
    let keep = |c: char| {
        if c == ' ' {
            space
        } else if c.is_whitespace() || c.is_control() || c == '#' {
            '_'
        } else {
            c
        }
    };
    name.trim().chars().map(keep).collect()
}

fn materials(scene: &Scene, names: &[String]) -> String {
    let mut mtl = String::from("# Meshwright\n");
    for (material, name) in scene.materials.iter().zip(names) {
        let [r, g, b, a] = material.base_color.map(|c| if c.is_finite() { c } else { 1.0 });
        let _ = write!(mtl, "newmtl {name}\nKd {r} {g} {b}\nd {a}\nillum 1\n");
    }
    mtl
}

struct Writer<'a> {
    text: String,
    memory: Memory,
    materials: &'a [String],
    /// The next number of a position, a texture coordinate and a normal.
    base: [u64; 3],
    objects: BTreeMap<String, u64>,
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
        self.charge(mesh)?;
        let material = mesh.material.and_then(|m| self.materials.get(m.0));
        let names = name.len().saturating_add(material.map_or(0, String::len));
        self.memory.charge("names as text", names, 2)?;
        let name = one_line(name, '_');
        let name = unique(&mut self.objects, if name.is_empty() { "mesh".into() } else { name });
        let text = &mut self.text;
        let _ = writeln!(text, "o {name}");
        for p in positions {
            let [x, y, z] = world.point(*p).map(plain);
            let _ = writeln!(text, "v {x} {y} {z}");
        }
        for [u, v] in &mesh.uvs {
            let (u, v) = (plain(finite(*u)), 1.0 - finite(*v));
            let _ = writeln!(text, "vt {u} {v}");
        }
        let turn = normal_map(world);
        for n in normals {
            let [x, y, z] = normalize(turn.vector(n.map(finite))).unwrap_or([0.0, 0.0, 1.0]).map(plain);
            let _ = writeln!(text, "vn {x} {y} {z}");
        }
        if let Some(material) = material {
            let _ = writeln!(text, "usemtl {material}");
        }
        let flip = world.determinant() < 0.0;
        for &[a, b, c] in &mesh.triangles {
            text.push('f');
            for corner in if flip { [c, b, a] } else { [a, b, c] } {
                let _ = write!(text, " {}", corner_text(corner, self.base, mesh, !normals.is_empty()));
            }
            text.push('\n');
        }
        let counts = [positions.len(), mesh.uvs.len(), normals.len()];
        for (base, n) in self.base.iter_mut().zip(counts) {
            *base = base.saturating_add(n as u64);
        }
        Ok(())
    }

    /// Charges what the lines of a mesh usually take: a little above ten bytes a number.
    fn charge(&self, mesh: &Mesh) -> Result<(), ConvertError> {
        self.memory.charge("positions as text", mesh.positions.len(), 36)?;
        self.memory.charge("texture coordinates as text", mesh.uvs.len(), 26)?;
        self.memory.charge("normals as text", mesh.normals.len(), 38)?;
        self.memory.charge("faces as text", mesh.triangles.len(), 64)
    }
}

fn corner_text(corner: u32, base: [u64; 3], mesh: &Mesh, normals: bool) -> String {
    let [v, t, n] = base.map(|b| b.saturating_add(u64::from(corner)));
    match (mesh.uvs.is_empty(), normals) {
        (true, false) => v.to_string(),
        (false, false) => format!("{v}/{t}"),
        (true, true) => format!("{v}//{n}"),
        (false, true) => format!("{v}/{t}/{n}"),
    }
}

/// Zero without its sign.
fn plain(v: f32) -> f32 {
    v + 0.0
}

fn finite(v: f32) -> f32 {
    if v.is_finite() { v } else { 0.0 }
}

/// The map of normals under `m`: its cofactors, so that flattened axes do no harm.
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
    use crate::math::Trs;
    use crate::model::{Level, Material, MaterialId, Node, NodeId};
    use crate::skeleton::Local;
    use alloc::vec;

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
    fn namesakes_get_numbers_without_counting_again() {
        let mut taken = BTreeMap::new();
        let mut next = |name: &str| unique(&mut taken, name.into());
        assert_eq!(
            ["a", "a.2", "a", "a", "a.2", "a"].map(&mut next),
            ["a", "a.2", "a.3", "a.4", "a.2.2", "a.5"]
        );
        let names: alloc::collections::BTreeSet<_> = (0..100_000).map(|_| next("b")).collect();
        assert_eq!(names.len(), 100_000);
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
        let tight = ObjOptions { memory: 10_000, ..ObjOptions::default() };
        assert!(matches!(write(&scene, None, &tight), Err(ConvertError::Limit { .. })));
    }
}
