//! Dumps of Crucible.

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
    // The dump of a chunk from a file has the sizes of its blocks.
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
    assert!(refused.message() == "file has no frame 0", "{refused}");
}

#[test]
fn a_target_that_takes_no_more_is_an_error() {
    let (model, beside) = (AnyModel::from(chunk()), Companions::default());
    let dump = Dump::new(&model, &beside, "", &[], &DumpOptions::default()).unwrap();
    assert!(dump.write(&mut [0_u8; 100][..]).is_err());
}
