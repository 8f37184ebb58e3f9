//! Tests meshes that were split or joined, and their materials.

use crate::support::*;

/// Moves the faces of a mesh from an index on into a new mesh.
fn cut(edited: &mut Scene, from: usize) -> Mesh {
    let mut part = edited.meshes[0].clone();
    part.triangles = edited.meshes[0].triangles.split_off(from);
    part.name = "body_1".into();
    part
}

#[test]
fn faces_of_another_material_are_a_mesh_of_their_own() {
    let native = tube();
    let with = |material: &str| {
        let mut edited = native.clone();
        let mut part = cut(&mut edited, 8);
        part.positions.iter_mut().for_each(|p| p[0] += 1e-7);
        if !material.is_empty() {
            part.material = Some(MaterialId(1));
            edited.materials.push(Material::named(material));
        }
        edited.nodes[0].meshes.push(MeshId(2));
        edited.meshes.push(part);
        same(&edited, &native)
    };
    let (scene, report) = with("blue");
    let change = &report.meshes[0].change;
    assert_eq!((change.triangles_removed, change.moved, change.material), (12, 0, false), "{report:?}");
    assert_eq!((scene.meshes.len(), report.meshes[2].state), (3, State::New));
    let new = &scene.meshes[2];
    assert_eq!(new.material.and_then(|m| scene.materials.get(m.0)).map(|m| &*m.name), Some("blue"));
    assert_eq!((new.triangles.len(), &new.positions), (12, &native.meshes[0].positions));
    // Tools split meshes, and name missing materials.
    for none in ["", "Material_0", "PaletteMaterial001"] {
        let (scene, report) = with(none);
        assert!(report.is_untouched() && scene == native, "{none}: {report:?}");
    }
}

/// They do not get their old material back because another mesh with the new one is gone, unless they may be that mesh.
#[test]
fn faces_of_the_material_of_a_mesh_that_is_gone_are_a_mesh_of_their_own() {
    let mut native = tube();
    native.materials.push(Material::named("cloth"));
    native.meshes[1].material = Some(MaterialId(1));
    let painted = |native: &Scene| {
        let mut edited = native.clone();
        let mut part = cut(&mut edited, 8);
        part.material = Some(MaterialId(1));
        edited.meshes[1] = part;
        edited.nodes[0].meshes.push(MeshId(1));
        edited.nodes.truncate(1);
        same(&edited, native)
    };
    // A hat elsewhere, of fewer triangles or of as many.
    let small = native.clone();
    native.meshes[1].triangles = vec![[0, 1, 2]; 12];
    for native in [&small, &native] {
        let (scene, report) = painted(native);
        assert_eq!(report.meshes[0].change.triangles_removed, 12, "{report:?}");
        let new = scene.meshes.iter().find(|m| m.name == "body_1").expect("a mesh of its own");
        assert_eq!((new.triangles.len(), new.material), (12, Some(MaterialId(1))));
    }
    // A shell of the body itself: it came back under another name.
    native.meshes[1] = native.meshes[0].clone().with_material(MaterialId(1));
    native.meshes[1].name = "shell".into();
    native.nodes[1].name = "shell".into();
    let mut edited = native.clone();
    edited.meshes[1].name = "body_1".into();
    edited.nodes[0].meshes.push(MeshId(1));
    edited.nodes.truncate(1);
    let (_, report) = same(&edited, &native);
    assert!(report.meshes.iter().all(|m| m.state != State::New), "{report:?}");
}

/// Joined objects have the name of one object, and their parts are numbered.
#[test]
fn parts_of_one_object_keep_their_names() {
    let native = tube();
    let mut edited = native.clone();
    edited.meshes[1].name = "body_1".into();
    edited.nodes.pop();
    edited.nodes[0].meshes.push(MeshId(1));
    let (back, report) = same(&edited, &native);
    assert_eq!((&*back.meshes[1].name, report.is_untouched()), ("hat", true), "{:?}", report.meshes);
    edited.meshes[1].name = "cap".into();
    let (back, _) = same(&edited, &native);
    assert_eq!(back.meshes[1].name, "cap");
}

/// A palette texture of flat colours is not an edit of these colours.
#[test]
fn colours_that_became_pixels_are_those_of_their_meshes() {
    let mut native = tube();
    native.materials[0].base_color = [0.5, 0.25, 0.125, 1.0];
    native.materials.push(Material::named("cloth"));
    native.materials[1].base_color = [0.0, 0.75, 0.5, 1.0];
    native.meshes[1].material = Some(MaterialId(1));
    let palette = |colors: [[f32; 4]; 2]| {
        let mut edited = native.clone();
        for (material, color) in edited.materials.iter_mut().zip(colors) {
            material.name = "PaletteMaterial001".into();
            material.base_color = color;
        }
        edited.meshes[0].uvs.clear();
        edited
    };
    let [body, hat] = [native.materials[0].base_color, native.materials[1].base_color];
    let mut marks = Marks::default();
    marks.materials = vec![Some(Mark { name: "skin".into(), ..Mark::default() })];
    let against = |edited: &Scene| {
        let original = Original { native: &native, exported: &native };
        let options = Options { marks: Some(&marks), ..Options::new(Snap::Loose, Absent::Gone) };
        recover(edited, &original, &options, &budget()).unwrap()
    };
    // A whole step of eight bits: they are cut, not rounded.
    let pixel = |c: f32| meshwright_scene::color::linear(meshwright_scene::color::srgb(c).saturating_sub(1));
    let (back, report) = against(&palette([body, hat].map(|[r, g, b, a]| [pixel(r), pixel(g), pixel(b), a])));
    assert!(report.is_untouched(), "{report:?}");
    assert_eq!(back, native);
    let other = [0.53, 0.25, 0.125, 1.0];
    let (back, report) = against(&palette([other, hat]));
    let states: Vec<_> = report.materials.iter().map(|part| part.state).collect();
    assert_eq!(states, [State::Edited, State::Untouched]);
    assert_eq!((back.materials[0].base_color, back.materials[0].name.as_str()), (other, "skin"));
    // A mesh that has the other colour has the other material.
    let mut two = native.clone();
    two.meshes[1].material = Some(MaterialId(0));
    let original = Original { native: &two, exported: &two };
    let options = Options { marks: Some(&marks), ..Options::new(Snap::Loose, Absent::Gone) };
    let (back, report) = recover(&palette([body, hat]), &original, &options, &budget()).unwrap();
    assert!(report.meshes[1].change.material && !report.meshes[0].change.material, "{report:?}");
    assert_eq!(back.meshes[1].material, Some(MaterialId(1)));
}

#[test]
fn colours_and_materials_that_packers_make_one_of_are_untouched() {
    let mut native = tube();
    let mut other = native.materials[0].clone();
    other.name = "cloth".into();
    native.materials.push(other);
    native.meshes[0].colors = vec![[9, 120, 250, 255]; native.meshes[0].positions.len()];
    native.meshes[1].material = Some(MaterialId(1));
    let mut edited = native.clone();
    edited.materials.pop();
    edited.meshes[1].material = Some(MaterialId(0));
    // The first step of eight bits of linear light is 13 of those of a screen.
    edited.meshes[0].colors.iter_mut().for_each(|c| c[0] = 13);
    let (back, report) = snapped(&edited, &native, Snap::Loose);
    assert!(report.is_untouched(), "{report:?}");
    assert_eq!(back, native);
    let (_, report) = same(&edited, &native);
    assert!(report.meshes[1].change.material && report.meshes[0].change.colors > 0);
    // One that looks otherwise is another one.
    native.materials[1].double_sided = !native.materials[1].double_sided;
    assert!(snapped(&edited, &native, Snap::Loose).1.meshes[1].change.material);
}
