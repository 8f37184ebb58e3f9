//! A dump shows all that a file holds: literal models, literal JSON.
#![cfg(all(
    feature = "bmd",
    feature = "crucible",
    feature = "dpm",
    feature = "dump",
    feature = "fsomodel",
    feature = "tso"
))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::field_reassign_with_default,
    reason = "a failing test panics"
)]

use meshwright::dump::{Dump, DumpError, DumpOptions, PoseRef};
use meshwright::{AnyModel, Companions, Role};
use meshwright_core::{F32, f32s};
use meshwright_testkit::{heap, patience};
use serde_json::{Value, json};
use std::io;
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: heap::Counting = heap::Counting;

fn dump_beside(model: impl Into<AnyModel>, beside: &Companions) -> Value {
    let model = model.into();
    let dump = Dump::new(&model, beside, "", &[], &DumpOptions::default()).unwrap();
    serde_json::from_str(&dump.to_json()).unwrap()
}

fn dump(model: impl Into<AnyModel>) -> Value {
    dump_beside(model, &Companions::default())
}

/// Every member of `expected` is there and has its value.
fn assert_holds(found: &Value, expected: &Value) {
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&found[name], value, "{name} of {found}");
    }
}

mod sims {
    use super::*;
    use meshwright::tso::{
        Anim, Binding, BlendVertex, Bnd, Bone, Flag, Geometry, Mesh, Motion, PropertyList, Q1_15, RealVertex,
        ResourceId, Skel, Skn, TimeProperty, Total,
    };

    fn anim() -> Anim {
        let list = PropertyList(vec![("sound".into(), "purr".into())]);
        let twice = PropertyList(vec![("k".into(), "1".into()), ("k".into(), "2".into())]);
        let motion = Motion {
            unknown: 7,
            bone: "TAIL".into(),
            frames: 2,
            duration: F32::new(66.0),
            has_translation: Flag::YES,
            has_rotation: Flag::YES,
            first_translation: 0,
            first_rotation: 0,
            has_properties: Flag::YES,
            properties: vec![vec![list.clone()]],
            has_time_properties: Flag::YES,
            time_properties: vec![vec![TimeProperty { time: 33, lists: vec![list, twice] }]],
        };
        Anim {
            name: "wag".into(),
            duration: F32::new(66.0),
            distance: F32::new(1.5),
            moving: Flag(3),
            translations: vec![f32s([1.0, 2.0, 3.0]), f32s([4.0, 5.0, 6.0])],
            rotations: vec![f32s([0.0, 0.0, 0.0, 1.0]), f32s([0.5, 0.5, 0.5, 0.5])],
            motions: vec![motion],
            trailing: vec![0xab],
            ..Anim::default()
        }
    }

    fn expected() -> Value {
        json!({
            "name": "wag",
            "duration": 66.0,
            "distance": 1.5,
            "moving": 3,
            "translations": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
            "rotations": [[0.0, 0.0, 0.0, 1.0], [0.5, 0.5, 0.5, 0.5]],
            "motions": [{
                "unknown": 7,
                "bone": "TAIL",
                "frames": 2,
                "duration": 66.0,
                "has_translation": 1,
                "has_rotation": 1,
                "first_translation": 0,
                "first_rotation": 0,
                "has_properties": 1,
                "properties": [[{ "sound": "purr" }]],
                "has_time_properties": 1,
                "time_properties": [[{
                    "time_ms": 33,
                    "properties": [{ "sound": "purr" }, [["k", "1"], ["k", "2"]]],
                }]],
            }],
            "nesting": 3,
            "trailing": "ab",
        })
    }

    #[test]
    fn an_animation_with_keys_and_events() {
        let alone = dump(anim());
        assert_eq!(alone["native"], expected());
        assert_eq!(alone["clips"], json!([{ "name": "wag", "frames": 2, "fps": 30.0, "loop": false }]));
    }

    fn skel() -> Skel {
        let bone = Bone {
            unknown: 1,
            name: "TAIL".into(),
            parent: "NULL".into(),
            translation: f32s([0.25, 0.5, 0.75]),
            rotation: f32s([0.0, 1.0, 0.0, 0.0]),
            can_rotate: 1,
            wiggle_power: F32::new(2.5),
            ..Bone::default()
        };
        Skel { name: "cat".into(), bones: vec![bone], trailing: Vec::new() }
    }

    #[test]
    fn a_skeleton_with_places_and_turns() {
        let json = dump(skel());
        assert_eq!((&json["native"]["name"], &json["native"]["trailing"]), (&json!("cat"), &json!("")));
        assert_eq!(
            json["native"]["bones"],
            json!([{
                "unknown": 1, "name": "TAIL", "parent": "NULL", "has_properties": 0,
                "translation": [0.25, 0.5, 0.75], "rotation": [0.0, 1.0, 0.0, 0.0],
                "can_translate": 0, "can_rotate": 1, "can_blend": 0, "wiggle_value": 0.0, "wiggle_power": 2.5,
            }])
        );
        // With a skeleton the keys of an animation are shown all the same.
        let mut beside = Companions::default();
        beside.files.push(meshwright::CompanionFile::new(Role::Skeleton, "cat", skel()));
        assert_holds(&dump_beside(anim(), &beside)["native"], &expected());
    }

    fn geometry() -> Geometry {
        let real = |u: f32, x: f32| RealVertex {
            uv: f32s([u, 0.25]),
            position: f32s([x, 2.0, 3.0]),
            normal: f32s([0.0, 0.0, 1.0]),
        };
        Geometry {
            bones: vec!["TAIL".into()],
            faces: vec![[0, 1, 2]],
            bindings: vec![Binding { bone: 0, first_real: 0, real_count: 3, first_blend: 0, blend_count: 1 }],
            real: vec![real(0.0, 1.0), real(0.5, 2.0), real(1.0, 4.0)],
            blends: vec![BlendVertex {
                weight: Q1_15::from_bits(0x4000),
                target: 2,
                position: f32s([7.0, 8.0, 9.0]),
                normal: f32s([0.0, 1.0, 0.0]),
            }],
            total: Total::RealOnly,
        }
    }

    #[test]
    fn a_mesh_with_bindings_weights_and_pulls() {
        let expected = json!({
            "bone_names": ["TAIL"],
            "bindings": [
                { "bone": 0, "first_real": 0, "real_count": 3, "first_blend": 0, "blend_count": 1 },
            ],
            "real_vertices": [
                { "uv": [0.0, 0.25], "position": [1.0, 2.0, 3.0], "normal": [0.0, 0.0, 1.0] },
                { "uv": [0.5, 0.25], "position": [2.0, 2.0, 3.0], "normal": [0.0, 0.0, 1.0] },
                { "uv": [1.0, 0.25], "position": [4.0, 2.0, 3.0], "normal": [0.0, 0.0, 1.0] },
            ],
            "blend_vertices": [{
                "weight": 0x4000, "pull": 0.5, "other_vertex": 2,
                "position": [7.0, 8.0, 9.0], "normal": [0.0, 1.0, 0.0],
            }],
            "total_vertex_count": 3,
        });
        assert_holds(&dump(Mesh::from(geometry()))["native"]["meshes"][0], &expected);
        let skin = dump(Skn::new("xskin", "fur", geometry()));
        assert_holds(&skin["native"]["meshes"][0], &expected);
        assert_holds(&skin["native"], &json!({ "skin": "xskin", "texture": "fur", "trailing": "" }));
    }

    #[test]
    fn a_binding() {
        let id = |kind| Some(ResourceId { group: 1, file: 2, kind });
        let binding = Bnd { bone: "TAIL".into(), mesh: id(9), texture: id(20), trailing: vec![1, 2] };
        assert_eq!(
            dump(binding)["native"],
            json!({
                "bone": "TAIL",
                "mesh": { "group": 1, "file": 2, "type": 9 },
                "texture": { "group": 1, "file": 2, "type": 20 },
                "trailing": "0102",
            })
        );
    }
}

mod crucible {
    use super::*;
    use meshwright::crucible::{Attribute, Bone, BoneWeight, CModel, Chunk, Dialect, SkeletonChunk};

    fn chunk() -> Chunk<'static> {
        let mut chunk = Chunk::new(Dialect::Tangent);
        chunk.set_indices(&[0, 1, 2, 0]);
        let three = |x: f32| vec![[x, 0.0, 0.5], [x, 1.0, 0.5], [x, 2.0, 0.5]];
        chunk.set_floats(Attribute::Position3, &three(4.0)).unwrap();
        chunk.set_floats(Attribute::Position2, &[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]).unwrap();
        chunk.set_floats(Attribute::Tangent, &three(-1.0)).unwrap();
        let none = BoneWeight::default();
        let bone = |bone, influence: f32| BoneWeight { bone, influence: F32::new(influence) };
        chunk.set_bone_weights(&[[bone(3, 0.75), bone(1, 0.25), none, none]; 3]).unwrap();
        chunk.tail = vec![0xfe].into();
        chunk
    }

    fn expected() -> Value {
        json!({
            "dialect": "tangent",
            "index_size": 0,
            "index_bytes": 2,
            "index_count": 4,
            "indices_packed": null,
            "indices_left_over": [0],
            "streams": [
                { "flag": 1, "attribute": "POSITION_3D", "size": 36, "packed": null },
                { "flag": 2, "attribute": "POSITION_2D", "size": 24, "packed": null },
                { "flag": 16, "attribute": "TANGENT", "size": 36, "packed": null },
                { "flag": 64, "attribute": "BONE_WEIGHT", "size": 72, "packed": null },
            ],
            "tangents": [[-1.0, 0.0, 0.5], [-1.0, 1.0, 0.5], [-1.0, 2.0, 0.5]],
            "bone_weights": vec![json!({ "bones": [3, 1, 0, 0], "influences": [0.75, 0.25, 0.0, 0.0] }); 3],
            "tail": "fe",
            "positions_2d": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]],
        })
    }

    #[test]
    fn a_chunk_with_bones_tangents_and_its_index_width() {
        let json = dump(chunk());
        assert_eq!(json["native"]["meshes"][0]["crucible"], expected());
        assert_eq!(json["meshes"][0]["triangles"], json!([[0, 1, 2]]));
        let json = dump(CModel::new(vec![chunk(), chunk()]));
        assert_eq!(json["native"]["meshes"][1]["crucible"], expected());
        // Blocks that were read are told with the bytes that they take.
        let bytes = chunk().to_bytes().unwrap();
        let packed = dump(Chunk::parse(&bytes).unwrap().into_owned());
        assert_eq!(packed["native"]["meshes"][0]["crucible"]["indices_packed"], 9);
    }

    #[test]
    fn a_skeleton_with_places_turns_and_scales() {
        let bone = |parent, x: f32| Bone {
            position: f32s([x, 2.0, 3.0]),
            rotation: f32s([0.0, 0.0, 0.0, 1.0]),
            scale: f32s([1.0, 0.5, 0.25]),
            parent,
            children: Vec::new(),
        };
        let mut skeleton = SkeletonChunk::new(vec![bone(None, 1.0), bone(Some(0), 4.0)]);
        skeleton.list_children();
        let json = dump(skeleton);
        assert_eq!(
            json["native"],
            json!({
                "order": "xyzw",
                "bones": [
                    { "position": [1.0, 2.0, 3.0], "rotation": [0.0, 0.0, 0.0, 1.0],
                      "scale": [1.0, 0.5, 0.25], "parent": null, "children": [1] },
                    { "position": [4.0, 2.0, 3.0], "rotation": [0.0, 0.0, 0.0, 1.0],
                      "scale": [1.0, 0.5, 0.25], "parent": 0, "children": [] },
                ],
                "tail": "",
            })
        );
        assert_eq!(json["bones"][1], json!({ "name": "bone1", "parent": 0 }));
    }

    /// An honest chunk of less than a quarter of a megabyte holds five million vertices. Its dump takes no memory that
    /// grows with them.
    #[test]
    fn a_dump_is_streamed() {
        const VERTICES: usize = 1 << 20;
        let mut chunk = Chunk::new(Dialect::Seed);
        chunk.set_floats(Attribute::Position3, &vec![[1.5_f32, -0.25, 0.0]; VERTICES]).unwrap();
        let bytes = chunk.to_bytes().unwrap();
        assert!(bytes.len() < 64 << 10, "{}", bytes.len());
        let model = AnyModel::from(Chunk::parse(&bytes).unwrap().into_owned());
        drop(chunk);
        let beside = Companions::default();
        // The limit is far below what is written: only what is held counts.
        let options = DumpOptions::default().with_memory(1 << 20);
        let mut written = Count(0);
        let ((), cost) = heap::measured(|| {
            Dump::new(&model, &beside, "", &bytes, &options).unwrap().write(&mut written).unwrap();
        });
        println!("{} bytes of JSON, {} held, {:?}", written.0, cost.peak, cost.time);
        assert!(written.0 > 16 * VERTICES as u64, "{}", written.0);
        assert!(cost.peak < 1 << 20, "{} bytes held", cost.peak);
        assert!(cost.time < Duration::from_secs(5) * patience(), "{:?}", cost.time);
    }

    struct Count(u64);

    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len() as u64;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_nothing_moves_has_no_poses() {
        let (model, beside) = (AnyModel::from(chunk()), Companions::default());
        let options = DumpOptions::default().with_poses(vec![PoseRef::File { frame: 0 }]);
        let refused = Dump::new(&model, &beside, "", &[], &options).unwrap_err();
        assert!(matches!(&refused, DumpError::NoPose(what) if what == "frame 0 of file"), "{refused}");
    }

    #[test]
    fn a_target_that_takes_no_more_is_an_error() {
        let (model, beside) = (AnyModel::from(chunk()), Companions::default());
        let dump = Dump::new(&model, &beside, "", &[], &DumpOptions::default()).unwrap();
        assert!(dump.write(&mut [0_u8; 100][..]).is_err());
    }
}

mod fsomodel {
    use super::*;
    use meshwright::fsomodel::{
        ChunkId, Dialect, FsoModel, Material, Mesh, MeshEntry, Metadata, Node, Vertex,
    };

    fn vertex(x: f32) -> Vertex {
        Vertex {
            position: f32s([x, 0.0, 0.0]),
            uv: f32s([0.5, 0.25, 0.0]),
            normal: f32s([0.0, 0.0, 1.0]),
            tangent: f32s([x, 1.0, 0.0]),
            bitangent: f32s([0.0; 3]),
        }
    }

    #[test]
    fn a_model_with_hints_tangents_and_chunks_of_unknown_kinds() {
        let mut model = FsoModel::new(Dialect::Seed44);
        model.set_vertices(&[0.0, 1.0, 2.0, 3.0, 4.0].map(vertex));
        model.set_indices(&[0, 1, 2, 2, 1, 0]).unwrap();
        let entry = |offset, base_index, max_index| MeshEntry {
            offset,
            count: 3,
            base_index,
            min_index: 0,
            max_index,
        };
        model.set_meshes(&[entry(0, 0, 2), entry(12, 2, 9)]);
        model.set_chunk("NOTE".parse::<ChunkId>().unwrap(), b"hi".to_vec());
        let json = dump(model);
        let native = &json["native"];
        assert_holds(
            native,
            &json!({
                "version": 1,
                "dialect": "seed44",
                "chunks": [
                    { "id": "VDAT", "length": 220, "data": null },
                    { "id": "INDX", "length": 24, "data": null },
                    { "id": "MESH", "length": 48, "data": null },
                    { "id": "NOTE", "length": 2, "data": "6869" },
                ],
                "total_vertices": 5,
                "total_indices": 6,
                "indices": [0, 1, 2, 2, 1, 0],
            }),
        );
        assert_eq!(
            native["meshes"][1],
            json!({
                "name": null, "material_index": null, "raw_offset": 12, "first_index": 3, "count": 3,
                "base_index": 2, "min_index": 0, "max_index": 9, "vertex_slice": [2, 5],
            })
        );
        assert_eq!(
            native["vertices"][4],
            json!({ "position": [4.0, 0.0, 0.0], "uv": [0.5, 0.25], "normal": [0.0, 0.0, 1.0], "tangent": [4.0, 1.0, 0.0] })
        );
        // What a mesh spans is listed with it.
        assert_holds(
            &json["meshes"][1],
            &json!({
                "material": null, "vertex_count": 3, "triangle_count": 1, "triangles": [[2, 1, 0]],
                "uvs": vec![[0.5, 0.25]; 3], "colors": null,
            }),
        );
        assert_eq!(json["meshes"][1]["poses"][0]["positions"][0], json!([2.0, 0.0, 0.0]));
    }

    #[test]
    fn a_companion_names_materials_and_places() {
        let mesh =
            Mesh { name: Some("hull".into()), count: 3, max_index: 2, material_index: 1, ..Mesh::default() };
        let transform =
            [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [5.0, 6.0, 7.0, 1.0]];
        let node =
            Node { name: Some("root".into()), parent: None, transform: transform.map(f32s), meshes: vec![0] };
        let picture = |name: &str| Material { name: None, diffuse_texture: Some(name.into()) };
        let mut metadata = Metadata::default();
        metadata.materials = vec![picture("a.png"), picture("b.png")];
        metadata.meshes = vec![mesh];
        metadata.nodes = vec![node];
        let parts = json!({
            "materials": [{ "name": null, "diffuse_texture": "a.png" }, { "name": null, "diffuse_texture": "b.png" }],
            "nodes": [{ "name": "root", "parent": null, "columns": transform, "meshes": [0] }],
        });
        let alone = dump(metadata.clone());
        assert_holds(&alone["native"], &parts);
        assert_eq!(
            alone["native"]["meshes"],
            json!([{
                "name": "hull", "offset": 0, "count": 3, "base_index": 0, "min_index": 0, "max_index": 2,
                "material_index": 1,
            }])
        );
        let mut model = FsoModel::new(Dialect::Gl3);
        let third = Vertex { uv: f32s([0.5, 0.25, 0.75]), bitangent: f32s([0.0, 0.0, -1.0]), ..vertex(1.0) };
        model.set_vertices(&[third; 3]);
        model.set_indices(&[0, 1, 2]).unwrap();
        model.metadata = Some(metadata);
        let json = dump(model);
        assert_holds(&json["native"], &parts);
        assert_holds(&json["native"]["meshes"][0], &json!({ "name": "hull", "material_index": 1 }));
        assert_holds(
            &json["native"]["vertices"][2],
            &json!({ "uv": [0.5, 0.25, 0.75], "bitangent": [0.0, 0.0, -1.0] }),
        );
        assert_eq!(json["meshes"][0]["material"], "b.png");
    }

    /// A table of a few kilobytes can name the same indices any number of times.
    #[test]
    fn what_meshes_share_is_charged_as_often_as_it_is_listed() {
        let mut model = FsoModel::new(Dialect::Seed44);
        model.set_vertices(&[vertex(0.0); 3]);
        model.set_indices(&[0, 1, 2].repeat(10_000)).unwrap();
        model.set_meshes(&[MeshEntry { count: 30_000, max_index: 2, ..MeshEntry::default() }; 1000]);
        let (model, beside) = (AnyModel::from(model), Companions::default());
        let dump = |memory| {
            Dump::new(&model, &beside, "", &[], &DumpOptions::default().with_memory(memory)).map(drop)
        };
        assert!(matches!(dump(256 << 20), Err(DumpError::Convert(e)) if e.to_string().contains("meshes")));
        assert!(dump(1 << 30).is_ok());
    }
}

mod darkplaces {
    use super::*;
    use meshwright::dpm::{
        Bone, BoneFlags, BonePose, Dpm, Frame, Influence, Mesh, Name, PoseId, Vertices, Zym, ZymInfluence,
        ZymRun, ZymScene,
    };
    use meshwright::quake::FrameGroups;

    fn name(text: &str) -> Name {
        Name::try_from(text).unwrap()
    }

    const MATRIX: [[f32; 4]; 3] = [[1.0, 0.0, 0.0, 4.0], [0.0, 1.0, 0.0, 5.0], [0.0, 0.0, 1.0, 6.0]];

    #[test]
    fn a_dpm_with_poses_influences_flags_and_bounds() {
        let influence = Influence {
            origin: f32s([1.0, 2.0, 3.0]),
            influence: F32::new(1.0),
            normal: f32s([0.0, 0.0, 1.0]),
            bone: 0,
        };
        let mut garbage = *b"box_0\0rest.......................\0".first_chunk::<32>().unwrap();
        garbage[31] = 0;
        let mesh = Mesh {
            shader: name("box"),
            vertices: [[influence], [influence], [influence]].into_iter().collect::<Vertices>().into(),
            texcoords: vec![f32s([0.0, 0.5]); 3].into(),
            triangles: vec![[0, 1, 2]].into(),
            groupids: vec![42].into(),
        };
        let bone = Bone { flags: BoneFlags(5), ..Bone::new(name("root"), -1) };
        let frame = Frame { name: Name::from_bytes(garbage), pose: PoseId(0), ..Frame::default() };
        let mut model = Dpm::new(vec![bone], vec![mesh], vec![BonePose::from(MATRIX)], vec![frame]);
        model.bounds.allradius = F32::new(8.5);
        let json = dump(model);
        let native = &json["native"];
        assert_holds(
            native,
            &json!({
                "format": "dpm", "type": 2, "mins": [0.0, 0.0, 0.0], "maxs": [0.0, 0.0, 0.0],
                "yawradius": 0.0, "allradius": 8.5,
                "bones": [{ "flags": 5, "name": "root" }],
                "poses": [[MATRIX]],
            }),
        );
        assert_holds(&native["frames"][0], &json!({ "name": "box_0", "pose": 0, "allradius": 0.0 }));
        assert!(native["frames"][0]["name_rest"].as_str().unwrap().starts_with("0072657374"), "{native}");
        let one =
            json!([{ "bone": 0, "influence": 1.0, "origin": [1.0, 2.0, 3.0], "normal": [0.0, 0.0, 1.0] }]);
        assert_holds(
            &native["meshes"][0],
            &json!({ "groupids": [42], "name": "box", "vertices": [one, one, one] }),
        );
    }

    #[test]
    fn a_zym_with_poses_counts_and_scenes() {
        let corner = ZymInfluence { bone: 0, origin: f32s([1.0, 2.0, 3.0]) };
        let scene =
            ZymScene { name: name("walk"), framerate: F32::new(8.0), length: 1, ..ZymScene::default() };
        let mut model = Zym::default();
        model.scenes = vec![scene];
        model.poses = vec![BonePose::from(MATRIX)];
        model.bones = vec![Bone::new(name("root"), -1)];
        model.counts = vec![1; 3];
        model.influences = vec![corner; 3];
        model.texcoords = vec![f32s([0.25, 0.75]); 3];
        model.runs = vec![ZymRun { shader: name("box"), triangles: vec![[0, 1, 2]] }];
        model.trizone = vec![7];
        let json = dump(model);
        assert_holds(
            &json["native"],
            &json!({
                "format": "zym", "type": 1, "radius_squared": 0.0,
                "poses": [[MATRIX]],
                "vertices": vec![json!([{ "bone": 0, "origin": [1.0, 2.0, 3.0] }]); 3],
                "texcoords": vec![[0.25, 0.75]; 3],
                "runs": [{ "name": "box" }],
                "trizone": [7],
            }),
        );
        assert_holds(
            &json["native"]["scenes"][0],
            &json!({ "name": "walk", "framerate": 8.0, "flags": 0, "start": 0, "length": 1, "radius_squared": 0.0 }),
        );
    }

    #[test]
    fn a_list_of_clips() {
        let groups = FrameGroups::parse(b"1 20 15 0 run // fast\n").unwrap();
        assert_eq!(
            dump(groups)["native"],
            json!({ "groups": [{ "start": 1, "length": 20, "fps": 15.0, "loop": false, "name": "run" }] })
        );
    }
}

mod bmd {
    use super::*;
    use meshwright::bmd::{
        Bmd, Bone, BoneTransform, Clip, ClipRate, Lod, Mesh, MeshFlags, Name, Primitive, Step, Stream, Vertex,
    };
    use meshwright_core::num::{F8A, QuatF8, Se32};

    #[test]
    fn a_model_with_packed_words_levels_bones_and_keys() {
        // Exponent 15 and fractions 1, 2, 3 are 1/16, 2/16, 3/16 of ... : see the decoded position.
        let place = Se32::from_bits(15 << 27 | 3 << 18 | 2 << 9 | 1);
        let vertex = Vertex::flat64(place, [0x70, 0, 0].map(F8A::from_bits), 1).unwrap();
        let mesh = Mesh {
            vertices: vec![vertex; 3].into(),
            primitives: vec![Primitive::triangle([0, 1, 2]).unwrap()].into(),
            material: Some(Name::new(b"#0A0B0C")),
            flags: MeshFlags(0),
            reserved: 9,
            ..Mesh::default()
        };
        let base = BoneTransform::new(place, QuatF8::IDENTITY);
        let follows = BoneTransform::following([0x70_u8, 0, 0, 0].map(|w| (1, F8A::from_bits(w))));
        let bones = vec![
            Bone::default(),
            Bone { transform: base, name: Some(Name::new(b"arm")), ..Bone::default() },
            Bone {
                transform: follows,
                parent: Bone::PSEUDO,
                name: Some(Name::new(b"ghost")),
                ..Bone::default()
            },
        ];
        let step = Step::new(2, Some(QuatF8::IDENTITY.to_bits()), Some(place.to_bits()), None).unwrap();
        let clip = Clip {
            name: Some(Name::new(b"nod")),
            frames: 4,
            rate: ClipRate(0x88),
            stream: Stream::from_bones([vec![], vec![step]]).into(),
            ..Clip::default()
        };
        let mut model = Bmd::new(vec![mesh]).with_bones(bones, vec![clip]);
        model.reserved = [1, 2, 3];
        model.lods = vec![Lod { first: 0, count: 1, scale: F8A::from_bits(0x01), reserved: 0 }];
        let json = dump(model);
        let native = &json["native"];
        let word = format!("{:08x}", place.to_bits());
        let position = place.decode();
        assert_eq!(
            (native["reserved"].clone(), native["normal_bones"].clone()),
            (json!([1, 2, 3]), json!(2))
        );
        assert_holds(
            &native["bmd_lods"][0],
            &json!({ "first": 0, "count": 1, "scale": 0.008300781, "scale_code": 1, "reserved": 0 }),
        );
        assert!((native["bmd_lods"][0]["max_distance_m"].as_f64().unwrap() - 119.470_588).abs() < 1e-6);
        assert_holds(
            &native["meshes"][0],
            &json!({ "flags": 0, "quads": 0, "quads_counted": "described", "drawn": true, "flat_color": [10, 11, 12], "reserved": 9 }),
        );
        assert_eq!(
            native["meshes"][0]["vertices"][2],
            json!({
                "bits": 64, "words": format!("01000070{word}"), "bone": 1, "position": position,
                "normal": [1.0, 0.0, 0.0], "normal_stored": true, "color": null,
            })
        );
        assert_eq!(
            native["meshes"][0]["primitives"],
            json!([{ "bits": 32, "tag2": 0, "indices": [0, 1, 2] }])
        );
        let identity = QuatF8::IDENTITY;
        assert_holds(
            &native["bones"][1],
            &json!({
                "parent": 0, "solid": 0, "reserved": [0, 0],
                "transform": format!("{:08x}{word}", identity.to_bits()),
                "origin": position, "rotation": [0.0, 0.0, 0.0, 1.0],
            }),
        );
        let whole = json!({ "bone": 1, "weight": 1.0 });
        let none = json!({ "bone": 1, "weight": 0.0 });
        assert_holds(&native["bones"][2], &json!({ "parent": 255, "follows": [whole, none, none, none] }));
        assert_holds(&native["clips"][0], &json!({ "rate": 0x88, "reserved": [0, 0] }));
        assert_eq!(
            native["clips"][0]["bones"][1],
            json!({
                "rotation": [{ "frame": 2, "word": format!("{:08x}", identity.to_bits()), "value": [0.0, 0.0, 0.0, 1.0] }],
                "translation": [{ "frame": 2, "word": word, "value": position }],
                "scale": [],
                "tags": "c2",
            })
        );
        assert_eq!(json["clips"], json!([{ "name": "nod", "frames": 4, "fps": 2.0, "loop": false }]));
    }
}
