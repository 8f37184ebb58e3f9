//! Generators of valid models with random bits, for property tests.
#![allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "generators of test values")]

use crate::list_facts::PrimitiveFacts;
use crate::model::{Bmd, Bone, Clip, ClipRate, Lod, Mesh, MeshFlags, Name, QuadCount};
use crate::packed::{Primitive, PrimitiveKind, Vertex};
use crate::stream::{Step, Stream, frames};
use crate::transform::BoneTransform;
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_core::num::F8A;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

/// Generates valid models with every kind of vertex and primitive, random bits where any bits are valid,
/// shared lists and streams, pseudo-bones, needless steps and payloads that mean no key.
pub fn model() -> impl Strategy<Value = Bmd> {
    (0_usize..5, 0_usize..3, 1_usize..4).prop_flat_map(|(normal, pseudo, meshes)| {
        let pseudo = if normal == 0 { 0 } else { pseudo };
        let bones = normal + pseudo;
        (
            any::<[u32; 3]>(),
            vec(mesh(u8::try_from(bones.max(1)).unwrap_or(1)), meshes),
            vec(lod(u8::try_from(meshes).unwrap_or(0)), 0..3),
            vec(raw_bone(), bones),
            vec(clip(normal), 0..3),
            any::<[bool; 2]>(),
        )
            .prop_map(move |(reserved, mut meshes, lods, raw, mut clips, share)| {
                if let ([first, .., last], true) = (meshes.as_mut_slice(), share[0]) {
                    last.vertices = Arc::clone(&first.vertices);
                    last.primitives = Arc::clone(&first.primitives);
                    (last.flags, last.quad_count) = (first.flags, first.quad_count);
                }
                if let ([first, .., last], true) = (clips.as_mut_slice(), share[1]) {
                    last.stream = Arc::clone(&first.stream);
                    last.frames = first.frames;
                }
                let solids = meshes.len();
                let bone = |(i, raw): (usize, &RawBone)| raw.bone(i, normal, solids);
                let bones = raw.iter().enumerate().map(bone).collect();
                Bmd { reserved, meshes, lods, bones, clips, ..Bmd::default() }
            })
    })
}

fn name() -> impl Strategy<Value = Option<Name>> {
    option::of(prop_oneof![
        Just(Name::new(b"#8090A0")),
        Just(Name::new(b"gfx/tile")),
        vec(1_u8..=255, 0..9).prop_map(|b| Name::new(&b)),
    ])
}

fn vertex(bones: u8) -> impl Strategy<Value = Vertex> {
    (any::<u64>(), any::<u64>(), 0_u8..14, 0..bones).prop_map(|(first, second, choice, bone)| {
        let tag = match choice {
            0..=3 => bone,
            4..=11 => 0xec + choice,
            _ => Vertex::FD,
        };
        // The largest exponent of binary16 is not finite.
        let first = if tag == Vertex::FD { first & 0xbfff_bfff_bfff } else { first };
        let first = first & 0x00ff_ffff_ffff_ffff | u64::from(tag) << 56;
        let second = match tag {
            0..=0xef => 0,
            0xfd => second & 0x00ff_ffff_ffff_ffff | u64::from(bone) << 56,
            _ if tag & 2 != 0 => second & 0x00ff_ffff | u64::from(bone) << 24,
            _ => second & 0xffff_ffff,
        };
        Vertex::from_words(first, second).unwrap_or_default()
    })
}

fn primitive(vertices: u32) -> impl Strategy<Value = Primitive> {
    (0_u8..4, [0..vertices, 0..vertices, 0..vertices, 0..vertices])
        .prop_map(|(tag, corners)| Primitive::new(PrimitiveKind::of_tag(tag), corners).unwrap_or_default())
}

fn mesh(bones: u8) -> impl Strategy<Value = Mesh> {
    (1_u32..12).prop_flat_map(move |n| {
        (
            vec(vertex(bones), n as usize),
            vec(primitive(n), 0..8),
            name(),
            (any::<[bool; 3]>(), any::<u32>(), any::<u32>()),
        )
            .prop_map(|(vertices, primitives, material, ([any, odd, other], flags, reserved))| {
                let facts = PrimitiveFacts::collect(&primitives);
                let tight = MeshFlags::for_lists(&vertices, &primitives);
                let flags = if odd { flags & !0xf } else { 0 };
                let known = if any { MeshFlags::ANY } else { tight };
                // Without quads both rules give the same count, and the reader chooses the described one.
                let rule = if other && facts.quads > 0 { QuadCount::Other } else { QuadCount::Described };
                Mesh {
                    vertices: Arc::new(vertices),
                    primitives: Arc::new(primitives),
                    material,
                    flags: MeshFlags(flags | known.0),
                    quad_count: rule,
                    reserved: if odd { reserved } else { 0 },
                }
            })
    })
}

fn lod(meshes: u8) -> impl Strategy<Value = Lod> {
    (0..=meshes, 0..=meshes, any::<u8>(), any::<u8>()).prop_map(move |(first, count, scale, reserved)| Lod {
        first,
        count: count.min(meshes - first),
        scale: F8A::from_bits(scale),
        reserved,
    })
}

/// Random numbers from which a valid bone is made for its index in the table.
#[derive(Clone, Debug)]
struct RawBone {
    transform: u64,
    parent: u8,
    solid: u8,
    reserved: [u8; 2],
    name: Option<Name>,
}

fn raw_bone() -> impl Strategy<Value = RawBone> {
    (any::<u64>(), any::<u8>(), any::<u8>(), any::<[u8; 2]>(), name()).prop_map(
        |(transform, parent, solid, reserved, name)| RawBone { transform, parent, solid, reserved, name },
    )
}

impl RawBone {
    fn bone(&self, index: usize, normal: usize, meshes: usize) -> Bone {
        let pseudo = index >= normal && index > 0;
        let parent = usize::from(self.parent).checked_rem(index).unwrap_or(0);
        let transform = if pseudo { self.follow(normal) } else { self.transform };
        Bone {
            transform: BoneTransform::from_bits(transform),
            name: self.name.clone(),
            parent: if pseudo { Bone::PSEUDO } else { u8::try_from(parent).unwrap_or(0) },
            solid: u8::try_from(usize::from(self.solid).checked_rem(meshes).unwrap_or(0)).unwrap_or(0),
            reserved: self.reserved,
        }
    }

    /// Returns the word of a pseudo-bone: any ids where the weight is zero, existing ones elsewhere, and
    /// weights that do not sum to zero.
    fn follow(&self, normal: usize) -> u64 {
        let mut parts = BoneTransform::from_bits(self.transform).followed();
        for (id, weight) in &mut parts {
            *weight = F8A::from_bits(weight.to_bits() & 0x7f);
            if weight.decode() != 0.0 {
                *id = u8::try_from(usize::from(*id).checked_rem(normal).unwrap_or(0)).unwrap_or(0);
            }
        }
        if parts.iter().all(|p| p.1.decode() == 0.0) {
            parts[0] = (0, F8A::ONE);
        }
        BoneTransform::following(parts).to_bits()
    }
}

fn step() -> impl Strategy<Value = Step> {
    let word = || option::of(prop_oneof![9 => any::<u32>(), 1 => Just(crate::stream::NO_KEY)]);
    (0_u8..32, word(), word(), word())
        .prop_map(|(skip, r, t, s)| Step::new(skip, r, t, s).unwrap_or(Step::from_parts(1, [0; 3])))
}

fn clip(bones: usize) -> impl Strategy<Value = Clip> {
    (name(), 1_u8..=255, any::<u8>(), any::<[u8; 2]>(), vec(vec(step(), 0..5), bones)).prop_map(
        |(name, frames_stated, rate, reserved, bones)| {
            let mut stream = Stream::new();
            for steps in bones {
                // Keys after the last frame are omitted. Steps that only skip may stay.
                let fits = |(frame, step): &(u32, Step)| *frame < u32::from(frames_stated) || !step.has_key();
                let kept: Vec<_> = frames(&steps).take_while(fits).map(|f| f.1).collect();
                stream.push_bone(&kept);
            }
            let stream = Arc::new(stream);
            Clip { name, frames: frames_stated, rate: ClipRate(rate), reserved, stream }
        },
    )
}
