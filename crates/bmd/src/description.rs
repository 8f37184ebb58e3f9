//! The layout of the whole file.

use crate::packed::{first128, flat, quad32, quad64, second96, second128, textured, tri32, tri64};
use crate::record::MAGIC;
use crate::record::{anim, bone, header, lod, mesh};
use crate::transform::transform;
use meshwright_core::description::{Description, Mark, Order, SizeField};
use meshwright_core::structures;

structures! {
    const FILE = {
        /// A BMD file. Offset 0 means none.
        file {
            header: header;
            meshes: mesh_data [header.sz_meshes / 32] @ (header.ofs_meshes);
            lods: lod [header.sz_lods / 4] @ (header.ofs_lods);
            bones: bone_data [header.sz_bones / 16] @ (header.ofs_bones);
            anims: anim_data [header.sz_anims / 16] @ (header.ofs_anims);
        }
        /// A mesh, its material and its lists.
        mesh_data {
            mesh: mesh;
            material: cstring @ (mesh.ofs_mat) if (mesh.ofs_mat != 0);
            vertices: vertex [mesh.n_vtx] @ (mesh.ofs_vtx);
            primitives: primitive [to mesh.ofs_tris + mesh.sz_tris] @ (mesh.ofs_tris) if (mesh.sz_tris != 0);
        }
        /// A vertex of 64, 96 or 128 bits. The highest byte of its first word is the bone, or says how wide it is.
        vertex {
            first: u64;
            second_96: u32 if ((first >> 56) >= 240 && (first >> 56) <= 251);
            second_128: u64 if ((first >> 56) == 253);
        }
        /// A triangle or quad of 32 or 64 bits, as its two lowest bits say.
        primitive {
            low: u32;
            high: u32 if ((low & 3) >= 2);
        }
        /// A bone and its name.
        bone_data {
            bone: bone;
            name: cstring @ (bone.ofs_name) if (bone.ofs_name != 0);
        }
        /// A clip, its name and its keys.
        anim_data {
            anim: anim;
            name: cstring @ (anim.ofs_name) if (anim.ofs_name != 0);
            keys: key [to anim.ofs_frames + anim.sz_frames] @ (anim.ofs_frames) if (anim.sz_frames != 0);
        }
        /// Keys of a bone at one frame, or with the tag 0 the end of the bone.
        key {
            tag: u8;
            rotation: u32 if ((tag & 128) != 0);
            translation: u32 if ((tag & 64) != 0);
            scale: u32 if ((tag & 32) != 0);
        }
    }
}

pub(crate) const DESCRIPTION: Description = Description {
    order: Order::Little,
    floats: Order::Little,
    marks: &[Mark { at: header::MAGIC.offset, bytes: &MAGIC }],
    records: &[header::TABLE, mesh::TABLE, lod::TABLE, bone::TABLE, anim::TABLE],
    words: &[
        textured::TABLE,
        flat::TABLE,
        second96::TABLE,
        first128::TABLE,
        second128::TABLE,
        tri32::TABLE,
        quad32::TABLE,
        tri64::TABLE,
        quad64::TABLE,
        transform::TABLE,
    ],
    structures: &[FILE],
    views: &[],
    sizes: &[SizeField::of_part("mesh_data", "mesh.sz_vtx", "vertices")],
};
