//! The layout of the whole file.

use super::model::scene_flags;
use super::parse::MAGIC;
use super::record::{bone, bounds, header, lump, scene, vertex};
use crate::bone::bone_flags;
use crate::record::{matrix, name, texcoord, triangle};
use meshwright_core::description::{Description, Mark, Order, SizeField};
use meshwright_core::structures;

structures! {
    const FILE = {
        /// A ZYM file.
        file {
            header: header;
            scenes: scene [header.numscenes] @ (header.lump_scenes.start);
            /// A matrix for each bone, relative to its parent, pose after pose.
            poses: matrix [header.lump_poses.length / 48] @ (header.lump_poses.start);
            bones: bone [header.numbones] @ (header.lump_bones.start);
            /// The number of bones of each vertex.
            counts: i32 [header.numverts] @ (header.lump_vertbonecounts.start);
            vertices: vertex [header.lump_verts.length / 16] @ (header.lump_verts.start);
            texcoords: texcoord [header.numverts] @ (header.lump_texcoords.start);
            /// Triangles, by shader.
            runs: run [header.numshaders] @ (header.lump_render.start);
            shaders: name [header.numshaders] @ (header.lump_shaders.start);
            trizone: bytes [header.lump_trizone.length] @ (header.lump_trizone.start);
        }
        /// The triangles of a shader.
        run {
            count: i32;
            triangles: triangle [count];
        }
    }
}

pub(crate) const DESCRIPTION: Description = Description {
    order: Order::Big,
    floats: Order::Big,
    marks: &[Mark { at: header::ID.offset, bytes: MAGIC }],
    records: &[
        header::TABLE,
        lump::TABLE,
        bounds::TABLE,
        scene::TABLE,
        bone::TABLE,
        vertex::TABLE,
        texcoord::TABLE,
        triangle::TABLE,
        matrix::TABLE,
        name::TABLE,
    ],
    words: &[bone_flags::TABLE, scene_flags::TABLE],
    structures: &[FILE],
    views: &[],
    sizes: &[
        SizeField::of_file("header.filesize"),
        SizeField::of_part("file", "header.lump_scenes.length", "scenes"),
        SizeField::of_part("file", "header.lump_bones.length", "bones"),
        SizeField::of_part("file", "header.lump_vertbonecounts.length", "counts"),
        SizeField::of_part("file", "header.lump_texcoords.length", "texcoords"),
        SizeField::of_part("file", "header.lump_render.length", "runs"),
        SizeField::of_part("file", "header.lump_shaders.length", "shaders"),
    ],
};
