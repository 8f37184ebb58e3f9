//! Small files that need much memory or stack, by name. Several tests share them.

use meshwright::{Format, Strictness, crucible, dpm, fsomodel, tso};
use meshwright_testkit::{Builder, testdata};
use std::sync::Arc;

/// A file with a name and, for FSOMODEL, its companion.
#[derive(Debug)]
pub(crate) struct Bomb {
    pub(crate) name: &'static str,
    pub(crate) format: Format,
    pub(crate) bytes: Vec<u8>,
    pub(crate) metadata: Option<Arc<[u8]>>,
}

impl Bomb {
    fn new(name: &'static str, format: Format, bytes: Vec<u8>) -> Self {
        Self { name, format, bytes, metadata: None }
    }
}

fn bmd_header(meshes: u32, bones: u32, anims: u32) -> Builder {
    let mut b = Builder::new().bytes(b"BMD1").le_u32(&[0; 3]);
    for (name, size) in [("meshes", meshes * 32), ("lods", 0), ("bones", bones * 16), ("anims", anims * 16)] {
        b = b.label(name).le_u32(&[0, size]);
    }
    b
}

fn bmd_meshes() -> Bomb {
    let (meshes, vertices, triangles) = (60_000, 65_535_u16, 65_000_u16);
    let b = bmd_header(meshes, 0, 0);
    let table = u32::try_from(b.len()).unwrap();
    let list = table + meshes * 32;
    let corners = list + u32::from(vertices) * 8;
    let bytes = b
        .patch_le_u32("meshes", table)
        .each(0..meshes, |b, _| {
            b.le_u32(&[list, corners, 0]).le_u16(&[vertices, triangles]).le_u32(&[
                u32::from(vertices) * 8,
                u32::from(triangles) * 4,
                0,
                0,
            ])
        })
        .zeros(usize::from(vertices) * 8)
        .each(0..triangles, |b, i| b.le_u32(&[(u32::from(i) % 1000) << 2]))
        .build();
    Bomb::new("60,000 BMD meshes sharing 65,535 vertices", Format::Bmd, bytes)
}

fn bmd_clips() -> Bomb {
    let (clips, bones) = (60_000, 60_000);
    let b = bmd_header(0, bones, clips);
    let table = u32::try_from(b.len()).unwrap();
    let (anims, stream) = (table + bones * 16, table + bones * 16 + clips * 16);
    let bytes = b
        .patch_le_u32("bones", table)
        .patch_le_u32("anims", anims)
        .zeros(bones as usize * 16)
        .each(0..clips, |b, _| b.le_u32(&[0]).bytes(&[255, 40, 0, 0]).le_u32(&[stream, bones]))
        .zeros(bones as usize)
        .build();
    Bomb::new("60,000 clips x 60,000 bones x 255 frames", Format::Bmd, bytes)
}

/// Like [`bmd_clips`], with one bone that follows two others: it makes every bone count at every frame.
fn bmd_followers() -> Bomb {
    let (clips, bones) = (10_000, 60_000_u32);
    let b = bmd_header(0, bones, clips);
    let table = u32::try_from(b.len()).unwrap();
    let (anims, stream) = (table + bones * 16, table + bones * 16 + clips * 16);
    let bytes = b
        .patch_le_u32("bones", table)
        .patch_le_u32("anims", anims)
        .zeros((bones as usize - 1) * 16)
        // Half of bone 1 and half of bone 2.
        .bytes(&[1, 2, 0, 0, 0x70, 0x68, 0, 0])
        .le_u32(&[0])
        .bytes(&[0xff, 0, 0, 0])
        .each(0..clips, |b, _| b.le_u32(&[0]).bytes(&[255, 40, 0, 0]).le_u32(&[stream, bones - 1]))
        .zeros(bones as usize - 1)
        .build();
    Bomb::new("10,000 clips of 60,000 bones, one of which follows others", Format::Bmd, bytes)
}

/// Returns a file without shared data: each mesh has its own lists and name.
fn bmd_lists() -> Bomb {
    let meshes = 60_000_u32;
    let b = bmd_header(meshes, 0, 0);
    let table = u32::try_from(b.len()).unwrap();
    let lists = table + meshes * 32;
    let bytes = b
        .patch_le_u32("meshes", table)
        .each(0..meshes, |b, i| {
            b.le_u32(&[lists + 8 * i, lists + 8 * meshes + 4 * i, lists + 12 * meshes + 2 * i])
                .le_u16(&[1, 1])
                .le_u32(&[8, 4, 0, 0])
        })
        .zeros(meshes as usize * 12)
        .each(0..meshes, |b, _| b.bytes(b"x\0"))
        .build();
    Bomb::new("60,000 BMD meshes, each with lists of its own", Format::Bmd, bytes)
}

/// Like [`bmd_lists`], for the streams of clips.
fn bmd_streams() -> Bomb {
    let clips = 60_000;
    let b = bmd_header(0, 1, clips);
    let table = u32::try_from(b.len()).unwrap();
    let streams = table + 16 + clips * 16;
    let bytes = b
        .patch_le_u32("bones", table)
        .patch_le_u32("anims", table + 16)
        .zeros(16)
        .each(0..clips, |b, i| b.le_u32(&[0]).bytes(&[1, 4, 0, 0]).le_u32(&[streams + i, 1]))
        .zeros(clips as usize)
        .build();
    Bomb::new("60,000 clips, each with a stream of its own", Format::Bmd, bytes)
}

fn quad() -> dpm::Dpm {
    dpm::Dpm::parse(&std::fs::read(testdata().join("dpm/quad.ok.dpm")).unwrap()).unwrap()
}

fn dpm_meshes() -> Bomb {
    let mut model = quad();
    let first = &mut model.meshes[0];
    let vertices = Arc::make_mut(&mut first.vertices);
    let one = vertices.influences[..1].to_vec();
    (vertices.counts.len()..10_000).for_each(|_| vertices.push(&one));
    let all = vertices.counts.len();
    Arc::make_mut(&mut first.texcoords).resize(all, Default::default());
    model.meshes = vec![first.clone(); 20_000];
    Bomb::new("20,000 DPM meshes sharing 10,000 vertices", Format::Dpm, model.to_bytes().unwrap())
}

fn dpm_frames() -> Bomb {
    let mut model = quad();
    // A pose of a thousand bones.
    let (bone, pose) = (model.bones[0], model.poses[0]);
    model.bones = (0..1000)
        .map(|i| dpm::Bone { name: dpm::Name::new(format!("b{i}").as_bytes()).unwrap(), ..bone })
        .collect();
    model.poses = vec![pose; 1000];
    model.frames = vec![dpm::Frame { pose: dpm::PoseId(0), ..model.frames[0] }; 20_000];
    Bomb::new("20,000 frames sharing one pose block", Format::Dpm, model.to_bytes().unwrap())
}

fn dpm_chain() -> Bomb {
    let mut model = quad();
    let (bone, pose) = (model.bones[0], model.poses[0]);
    model.bones = (0..100_000)
        .map(|i| dpm::Bone {
            name: dpm::Name::new(format!("b{i}").as_bytes()).unwrap(),
            parent: i - 1,
            ..bone
        })
        .collect();
    model.poses = vec![pose; 100_000];
    model.frames.truncate(1);
    model.frames[0].pose = dpm::PoseId(0);
    Bomb::new("100,000 DPM bones, each on the one before", Format::Dpm, model.to_bytes().unwrap())
}

/// Returns a chain of bones, as long as the parent's byte allows.
fn bmd_chain() -> Bomb {
    let bones = 65_000_u32;
    let b = bmd_header(0, bones, 0);
    let table = u32::try_from(b.len()).unwrap();
    let bytes = b
        .patch_le_u32("bones", table)
        .each(0..bones, |b, i| {
            let parent = u8::try_from(i.saturating_sub(1).min(253)).unwrap();
            b.le_u32(&[0, 0, 0]).bytes(&[parent, 0, 0, 0])
        })
        .build();
    Bomb::new("65,000 BMD bones in a chain", Format::Bmd, bytes)
}

fn fso(meshes: &[fsomodel::MeshEntry], indices: u32) -> Vec<u8> {
    let mut model = fsomodel::FsoModel::new(fsomodel::Dialect::Seed44);
    let normal = [0.0, 0.0, 1.0].map(Into::into);
    model.set_vertices(&[fsomodel::Vertex { normal, ..Default::default() }; 300]);
    model.set_indices(&(0..indices).map(|i| i % 300).collect::<Vec<_>>()).unwrap();
    model.set_meshes(meshes);
    model.to_bytes().unwrap()
}

fn fso_meshes() -> Bomb {
    let mesh = fsomodel::MeshEntry { count: 300_000, max_index: 299, ..Default::default() };
    let bytes = fso(&vec![mesh; 60_000], 300_000);
    Bomb::new("60,000 MESH entries over one index range", Format::Fso, bytes)
}

fn fso_chunks() -> Bomb {
    let mut bytes = fso(&[], 3);
    (0..300_000).for_each(|_| bytes.extend(b"none\0\0\0\0\0\0\0\0"));
    Bomb::new("300,000 empty chunks", Format::Fso, bytes)
}

/// Returns nested nodes, or nested lists in an unexpected place.
fn fso_tree(name: &'static str, open: &str, close: &str, depth: usize) -> Bomb {
    let text = format!("{}{}", open.repeat(depth), close.repeat(depth));
    Bomb { metadata: Some(text.into_bytes().into()), ..Bomb::new(name, Format::Fso, fso(&[], 3)) }
}

/// Returns almost as many levels as a reader allows.
fn fso_levels(depth: usize) -> Bomb {
    let node = r#"{"meshes":[],"transform":[[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]],"children":["#;
    let text = format!(
        r#"{{"materials":[],"meshes":[],"version":2,"root_node":{}{}}}"#,
        node.repeat(depth),
        "]}".repeat(depth)
    );
    Bomb {
        metadata: Some(text.into_bytes().into()),
        ..Bomb::new("1000 nodes within each other", Format::Fso, fso_gl3())
    }
}

fn fso_gl3() -> Vec<u8> {
    std::fs::read(testdata().join("fsomodel/gl3.warn.fom")).unwrap()
}

fn lz4(name: &'static str, block: &[u8], size: i32) -> Bomb {
    let mut bytes = vec![0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1];
    bytes.extend(0x10_u16.to_le_bytes());
    bytes.extend(i32::try_from(block.len()).unwrap().to_le_bytes());
    bytes.extend(size.to_le_bytes());
    bytes.extend(block);
    Bomb::new(name, Format::CrucibleMesh, bytes)
}

fn lz4_zeros() -> Bomb {
    let size = 720 << 20;
    let run = size - 1 - 4 - 15 - 5;
    let mut block = vec![0x1f, 0, 1, 0];
    block.resize(4 + run / 255, 255);
    block.push(u8::try_from(run % 255).unwrap());
    block.extend([0x50, 0, 0, 0, 0, 0]);
    lz4("LZ4 of 2.9 MB that is really 720 MiB", &block, i32::try_from(size).unwrap())
}

fn crucible_chain() -> Bomb {
    let bones = (0..0xfffe_u16).map(|i| crucible::Bone { parent: i.checked_sub(1), ..Default::default() });
    let mut skeleton = crucible::SkeletonChunk::new(bones.collect());
    skeleton.list_children();
    let bytes = skeleton.to_bytes().unwrap();
    Bomb::new("65,534 Crucible bones, each on the one before", Format::CrucibleSkeleton, bytes)
}

/// Returns bones in the order for which finding parents takes longest.
pub(crate) fn many_bones() -> tso::Skel {
    let n = 60_000_usize;
    let bone = |i: usize| tso::Bone {
        name: tso::Name::from(format!("b{i}").as_str()),
        parent: if i + 1 < n { format!("b{}", i + 1).as_str().into() } else { "NULL".into() },
        rotation: [0.0, 0.0, 0.0, 1.0].map(Into::into),
        ..Default::default()
    };
    tso::Skel { bones: (0..n).map(bone).collect(), ..Default::default() }
}

fn tso_chain() -> Bomb {
    let bytes = many_bones().to_bytes().unwrap();
    Bomb::new("60,000 TSO bones, each the child of the next", Format::TsoSkeleton, bytes)
}

fn tso_circle() -> Bomb {
    let mut skeleton = many_bones();
    let n = skeleton.bones.len();
    skeleton.bones[n - 1].parent = "b0".into();
    let bytes = skeleton.to_bytes_with(Strictness::Lenient).unwrap();
    Bomb::new("60,000 TSO bones in a circle", Format::TsoSkeleton, bytes)
}

fn tso_names() -> Bomb {
    let n = 4_000_000;
    let bytes = Builder::new().be_u32(&[2, n]).zeros(n as usize).be_u32(&[0; 5]).build();
    Bomb::new("four million empty names in 4 MiB", Format::TsoMesh, bytes)
}

fn tso_motions() -> Bomb {
    let motions = (0..60_000).map(|i| tso::Motion {
        bone: format!("b{i}").as_str().into(),
        frames: 60_000,
        has_translation: tso::Flag::YES,
        first_translation: 0,
        first_rotation: tso::KEYS_UNUSED,
        ..Default::default()
    });
    let anim = tso::Anim {
        moving: tso::Flag::YES,
        translations: vec![[0.0, 0.0, 0.0].map(Into::into); 60_000],
        motions: motions.collect(),
        ..Default::default()
    };
    let bytes = anim.to_bytes().unwrap();
    Bomb::new("60,000 motions sharing 60,000 keys", Format::TsoAnimation, bytes)
}

/// Returns all of them.
pub(crate) fn all() -> Vec<Bomb> {
    let tree = r#"{"transform":[[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]],"children":["#;
    vec![
        bmd_meshes(),
        bmd_clips(),
        bmd_followers(),
        bmd_chain(),
        bmd_lists(),
        bmd_streams(),
        dpm_meshes(),
        dpm_frames(),
        dpm_chain(),
        fso_meshes(),
        fso_chunks(),
        fso_tree("100,000 nodes within each other", tree, "]}", 100_000),
        fso_levels(1000),
        fso_tree("a million lists within each other", "[", "]", 1_000_000),
        fso_tree("a million maps within each other", r#"{"a":"#, "}", 1_000_000),
        lz4_zeros(),
        lz4("44 bytes that claim 2 GiB", &[0xe0; 23], i32::MAX),
        Bomb::new(
            "9 bytes that claim 2 GiB",
            Format::CrucibleMesh,
            vec![0, 255, 255, 255, 127, 255, 255, 255, 127],
        ),
        crucible_chain(),
        tso_chain(),
        tso_circle(),
        tso_names(),
        tso_motions(),
    ]
}
