//! Generators of models with random bits, for property tests: every float has any bit pattern that the
//! format allows, names are any 32 bytes, and half of the models have a layout of their own.
#![allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "generators of test values")]

use crate::bone::{Bone, BoneFlags, BonePose, Name};
use crate::dpm::{
    Bounds, Dpm, Frame, Influence, Layout, Mesh, MeshLayout, PoseId, Vertices, bone, frame, header,
    mesh as mesh_record,
};
use crate::record::{WORD, length, matrix, texcoord, triangle};
use crate::zym::{
    SceneFlags, Zym, ZymBounds, ZymInfluence, ZymLayout, ZymRun, ZymScene, header as zym_header, lengths,
};
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_core::F32;
use meshwright_core::layout::{Coverage, Gaps, Retained};
use proptest::prelude::*;

/// Generates valid DPM models.
pub fn dpm() -> impl Strategy<Value = Dpm> {
    proptest::collection::vec(any::<u32>(), 64..400).prop_map(|words| dpm_of(&mut Dice { words, at: 0 }))
}

/// Generates valid ZYM models.
pub fn zym() -> impl Strategy<Value = Zym> {
    proptest::collection::vec(any::<u32>(), 64..400).prop_map(|words| zym_of(&mut Dice { words, at: 0 }))
}

/// Makes choices from a list of random words, which is repeated when it ends.
struct Dice {
    words: Vec<u32>,
    at: usize,
}

impl Dice {
    fn word(&mut self) -> u32 {
        let word = self.words.get(self.at % self.words.len().max(1)).copied().unwrap_or(0);
        let round = u32::try_from(self.at / self.words.len().max(1)).unwrap_or(0);
        self.at += 1;
        word.rotate_left(round)
    }

    fn below(&mut self, n: u32) -> u32 {
        self.word() % n.max(1)
    }

    fn size(&mut self, least: usize, most: usize) -> usize {
        least + self.word() as usize % (most - least + 1)
    }

    fn any(&mut self) -> F32 {
        F32::from_bits(self.word())
    }

    fn finite(&mut self) -> F32 {
        let f = self.any();
        if f.is_finite() { f } else { F32::from_bits(f.to_bits() & !0x0080_0000) }
    }

    fn many<T, const N: usize>(&mut self, mut f: impl FnMut(&mut Self) -> T) -> [T; N] {
        core::array::from_fn(|_| f(self))
    }

    fn list<T>(&mut self, n: usize, mut f: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..n).map(|_| f(self)).collect()
    }

    fn name(&mut self) -> Name {
        let mut raw = [0; 32];
        let length = self.size(0, 32);
        for b in raw.iter_mut().take(length) {
            *b = self.word().to_be_bytes()[0];
        }
        Name::from_bytes(raw)
    }

    fn bone(&mut self, i: u32) -> Bone {
        let parent = i32::try_from(self.below(i + 1)).unwrap_or(0) - 1;
        Bone { name: self.name(), parent, flags: BoneFlags(self.word()) }
    }

    fn pose(&mut self) -> BonePose {
        BonePose(self.many(|d| d.many(Self::finite)))
    }

    /// Assigns random offsets to sections of the given lengths, with random gaps. Sections in the range
    /// `rising` keep their order.
    fn scatter(&mut self, header: u64, lengths: &[u64], rising: core::ops::Range<usize>) -> Scattered {
        let mut keys = self.list(lengths.len(), Self::word);
        if let Some(keys) = keys.get_mut(rising) {
            keys.sort_unstable();
        }
        let mut order: Vec<usize> = (0..lengths.len()).collect();
        order.sort_by_key(|&i| (keys[i], i));
        let mut offsets = alloc::vec![0_u32; lengths.len()];
        let (mut at, mut coverage) = (header, Coverage::new());
        coverage.add(0, header);
        for i in order {
            at += u64::from(self.below(3) * self.below(6));
            offsets[i] = u32::try_from(at).unwrap_or(0);
            coverage.add(at, lengths[i]);
            at += lengths[i];
        }
        let filesize = u32::try_from(at).unwrap_or(0) + self.below(5);
        let size = u64::from(filesize + self.below(4));
        let filler = self.list(usize::try_from(size).unwrap_or(0), |d| d.word().to_be_bytes()[1]);
        Scattered { offsets, filesize, size, gaps: coverage.gaps(&filler) }
    }
}

struct Scattered {
    offsets: Vec<u32>,
    filesize: u32,
    size: u64,
    gaps: Gaps,
}

fn bounds(d: &mut Dice) -> Bounds {
    Bounds { mins: d.many(Dice::any), maxs: d.many(Dice::any), yawradius: d.any(), allradius: d.any() }
}

fn mesh(d: &mut Dice, bones: u32) -> Mesh {
    let mut vertices = Vertices::default();
    for _ in 0..d.size(0, 4) {
        let count = d.size(1, 3);
        let row = d.list(count, |d| Influence {
            origin: d.many(Dice::finite),
            influence: d.finite(),
            normal: d.many(Dice::finite),
            bone: d.below(bones),
        });
        vertices.push(&row);
    }
    let n = vertices.len();
    let tris = if n == 0 { 0 } else { d.size(0, 4) };
    let number = u32::try_from(n).unwrap_or(0);
    Mesh {
        shader: d.name(),
        texcoords: Arc::new(d.list(n, |d| d.many(Dice::any))),
        triangles: Arc::new(d.list(tris, |d| d.many(|d| d.below(number)))),
        groupids: Arc::new(d.list(tris, Dice::word)),
        vertices: Arc::new(vertices),
    }
}

fn dpm_of(d: &mut Dice) -> Dpm {
    let bones = u32::try_from(d.size(1, 4)).unwrap_or(1);
    let poses = u32::try_from(d.size(1, 4)).unwrap_or(1);
    let extra = u32::try_from(d.size(0, 2)).unwrap_or(0);
    let mut meshes: Vec<Mesh> = Vec::new();
    for _ in 0..d.size(1, 3) {
        let next = match meshes.first() {
            Some(first) if d.below(3) == 0 => Mesh { shader: d.name(), ..first.clone() },
            _ => mesh(d, bones),
        };
        meshes.push(next);
    }
    let mut model = Dpm {
        bounds: bounds(d),
        bones: (0..bones).map(|i| d.bone(i)).collect(),
        meshes,
        poses: d.list((bones * poses) as usize, Dice::pose),
        frames: (0..poses + extra)
            .map(|i| Frame {
                name: d.name(),
                bounds: bounds(d),
                pose: PoseId(if i < poses { i } else { d.below(poses) }),
            })
            .collect(),
        layout: Retained::None,
    };
    if d.below(2) == 0
        && let Ok(canonical) = Layout::canonical(&model)
    {
        model.layout = Retained::compared(scattered(d, &model), Some(&canonical));
    }
    model
}

fn scattered(d: &mut Dice, model: &Dpm) -> Layout {
    let mut lengths = alloc::vec![
        length(model.bones.len(), bone::SIZE),
        length(model.meshes.len(), mesh_record::SIZE),
        length(model.frames.len(), frame::SIZE),
    ];
    // Sections that meshes share have one location: each mesh refers to the first mesh with the same block.
    let mut users: Vec<[usize; 4]> = Vec::new();
    for (i, mesh) in model.meshes.iter().enumerate() {
        let earlier = model.meshes.iter().take(i).position(|m| Arc::ptr_eq(&m.vertices, &mesh.vertices));
        users.push(earlier.and_then(|e| users.get(e).copied()).unwrap_or_else(|| {
            let first = lengths.len();
            lengths.extend([
                mesh.vertices.stored_len(),
                length(mesh.texcoords.len(), texcoord::SIZE),
                length(mesh.triangles.len(), triangle::SIZE),
                length(mesh.groupids.len(), WORD),
            ]);
            [first, first + 1, first + 2, first + 3]
        }));
    }
    let poses = lengths.len();
    lengths.extend(core::iter::repeat_n(length(model.bones.len(), matrix::SIZE), model.pose_count()));
    let s = d.scatter(header::SIZE as u64, &lengths, poses..lengths.len());
    let number = |n: usize| u32::try_from(n).unwrap_or(0);
    Layout {
        filesize: s.filesize,
        size: s.size,
        num_bones: number(model.bones.len()),
        ofs_bones: s.offsets[0],
        ofs_meshes: s.offsets[1],
        ofs_frames: s.offsets[2],
        num_frames: number(model.frames.len()),
        meshes: users
            .iter()
            .zip(&model.meshes)
            .map(|(u, mesh)| MeshLayout {
                vertices_len: mesh.vertices.stored_len(),
                num_verts: number(mesh.vertices.len()),
                num_tris: number(mesh.triangles.len()),
                ofs_verts: s.offsets[u[0]],
                ofs_texcoords: s.offsets[u[1]],
                ofs_indices: s.offsets[u[2]],
                ofs_groupids: s.offsets[u[3]],
            })
            .collect(),
        poses: s.offsets[poses..].to_vec(),
        gaps: s.gaps,
    }
}

fn zym_bounds(d: &mut Dice) -> ZymBounds {
    ZymBounds { mins: d.many(Dice::any), maxs: d.many(Dice::any), radius_squared: d.any() }
}

fn zym_of(d: &mut Dice) -> Zym {
    let bones = u32::try_from(d.size(1, 4)).unwrap_or(1);
    let poses = u32::try_from(d.size(1, 4)).unwrap_or(1);
    let verts = d.size(3, 6);
    let number = u32::try_from(verts).unwrap_or(3);
    let shaders = d.size(1, 3);
    let mut runs = d.list(shaders, |d| {
        let n = d.size(0, 3);
        ZymRun { shader: d.name(), triangles: d.list(n, |d| d.many(|d| d.below(number))) }
    });
    runs[0].triangles.push([0, 1, 2]);
    let triangles = runs.iter().map(|r| r.triangles.len()).sum();
    let scenes = d.size(1, 3);
    let mut model = Zym {
        bounds: zym_bounds(d),
        scenes: d.list(scenes, |d| {
            let start = d.below(poses);
            ZymScene {
                name: d.name(),
                bounds: zym_bounds(d),
                framerate: F32::from_bits(d.finite().to_bits() & 0x7fff_ffff),
                flags: SceneFlags(d.word()),
                start,
                length: 1 + d.below(poses - start),
            }
        }),
        poses: d.list((bones * poses) as usize, Dice::pose),
        bones: (0..bones).map(|i| d.bone(i)).collect(),
        counts: alloc::vec![1; verts],
        influences: d.list(verts, |d| ZymInfluence { bone: d.below(bones), origin: d.many(Dice::finite) }),
        texcoords: d.list(verts, |d| d.many(Dice::any)),
        runs,
        trizone: d.list(triangles, |d| d.word().to_be_bytes()[0]),
        layout: Retained::None,
    };
    if d.below(2) == 0
        && let Ok(canonical) = ZymLayout::canonical(&model)
    {
        let lengths = lengths(&model);
        let s = d.scatter(zym_header::SIZE as u64, &lengths, 0..0);
        let lump = |i: usize| (s.offsets[i], u32::try_from(lengths[i]).unwrap_or(0));
        let layout = ZymLayout {
            filesize: s.filesize,
            size: s.size,
            lumps: core::array::from_fn(lump),
            gaps: s.gaps.clone(),
        };
        model.layout = Retained::compared(layout, Some(&canonical));
    }
    model
}
