//! The layout of the whole file.

use super::parse::MAGIC;
use super::record::{bone, bounds, frame, header, influence, mesh, vertex};
use crate::bone::bone_flags;
use crate::record::{matrix, texcoord, triangle};
use meshwright_core::description::{Description, Mark, Order, SizeField};
use meshwright_core::structures;

structures! {
    const FILE = {
        /// A DPM file.
        file {
            header: header;
            bones: bone [header.num_bones] @ (header.ofs_bones);
            meshes: mesh_data [header.num_meshs] @ (header.ofs_meshs);
            frames: frame_data [header.num_frames] @ (header.ofs_frames);
        }
        /// A mesh and its sections.
        mesh_data {
            mesh: mesh;
            vertices: vertex_data [mesh.num_verts] @ (mesh.ofs_verts);
            texcoords: texcoord [mesh.num_verts] @ (mesh.ofs_texcoords);
            triangles: triangle [mesh.num_tris] @ (mesh.ofs_indices);
            groupids: u32 [mesh.num_tris] @ (mesh.ofs_groupids);
        }
        /// A vertex and its influences.
        vertex_data {
            vertex: vertex;
            influences: influence [vertex.numbones];
        }
        /// A frame and its pose.
        frame_data {
            frame: frame;
            /// A matrix for each bone, relative to its parent.
            pose: matrix [root.header.num_bones] @ (frame.ofs_bonepositions);
        }
    }
}

pub(crate) const DESCRIPTION: Description = Description {
    order: Order::Big,
    floats: Order::Big,
    marks: &[Mark { at: header::ID.offset, bytes: MAGIC }],
    records: &[
        header::TABLE,
        bounds::TABLE,
        bone::TABLE,
        mesh::TABLE,
        vertex::TABLE,
        texcoord::TABLE,
        triangle::TABLE,
        influence::TABLE,
        frame::TABLE,
        matrix::TABLE,
    ],
    words: &[bone_flags::TABLE],
    structures: &[FILE],
    views: &[],
    sizes: &[SizeField::of_file("header.filesize")],
};
