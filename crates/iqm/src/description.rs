//! The layout of the whole file.

use crate::model::anim_flags;
use crate::parse::LETTERS;
use crate::record::{anim, array, bounds, extension, header, joint, joint_v1, mesh, pose, pose_v1, triangle};
use meshwright_core::description::{Description, Mark, Order, SizeField, View};
use meshwright_core::structures;

structures! {
    const FILE = {
        /// An IQM file. Names are offsets in its text.
        file {
            header: header;
            text: bytes [header.num_text] @ (header.ofs_text);
            meshes: mesh_data [header.num_meshes] @ (header.ofs_meshes);
            vertexarrays: array_data [header.num_vertexarrays] @ (header.ofs_vertexarrays);
            triangles: triangle [header.num_triangles] @ (header.ofs_triangles);
            /// The neighbours of each triangle.
            adjacency: triangle [header.num_triangles] @ (header.ofs_adjacency) if (header.ofs_adjacency != 0);
            joints: joint_data [header.num_joints] @ (header.ofs_joints) if (header.version != 1);
            joints_v1: joint_v1_data [header.num_joints] @ (header.ofs_joints) if (header.version == 1);
            poses: pose [header.num_poses] @ (header.ofs_poses) if (header.version != 1);
            poses_v1: pose_v1 [header.num_poses] @ (header.ofs_poses) if (header.version == 1);
            anims: anim_data [header.num_anims] @ (header.ofs_anims);
            frames: u16 [header.num_frames * header.num_framechannels] @ (header.ofs_frames);
            bounds: bounds [header.num_frames] @ (header.ofs_bounds) if (header.ofs_bounds != 0);
            comment: bytes [header.num_comment] @ (header.ofs_comment);
            extensions: extension_data @ (header.ofs_extensions) if (header.num_extensions != 0);
        }
        /// A mesh and its names.
        mesh_data {
            mesh: mesh;
            name: cstring @ (root.header.ofs_text + mesh.name);
            material: cstring @ (root.header.ofs_text + mesh.material);
        }
        /// An array and its values.
        array_data {
            array: array;
            data: bytes [root.header.num_vertexes * array.size * (array.format <= 1 ? 1 : array.format <= 3 ? 2
                : array.format <= 5 ? 4 : array.format == 6 ? 2 : array.format == 7 ? 4 : 8)] @ (array.offset);
        }
        /// A joint and its name.
        joint_data {
            joint: joint;
            name: cstring @ (root.header.ofs_text + joint.name);
        }
        /// A joint of version 1 and its name.
        joint_v1_data {
            joint: joint_v1;
            name: cstring @ (root.header.ofs_text + joint.name);
        }
        /// A clip and its name.
        anim_data {
            anim: anim;
            name: cstring @ (root.header.ofs_text + anim.name);
        }
        /// An extension, and the next one.
        extension_data {
            extension: extension;
            data: bytes [extension.num_data] @ (extension.ofs_data);
            next: extension_data @ (extension.ofs_extensions) if (extension.ofs_extensions != 0);
        }
    }
}

pub(crate) const DESCRIPTION: Description = Description {
    order: Order::Little,
    floats: Order::Little,
    marks: &[Mark { at: header::MAGIC.offset, bytes: LETTERS }],
    records: &[
        header::TABLE,
        mesh::TABLE,
        array::TABLE,
        triangle::TABLE,
        joint::TABLE,
        joint_v1::TABLE,
        pose::TABLE,
        pose_v1::TABLE,
        anim::TABLE,
        bounds::TABLE,
        extension::TABLE,
    ],
    words: &[anim_flags::TABLE],
    structures: &[FILE],
    views: &[
        View::new("file.text", "strings"),
        View::new("file.frames", "u16").columns("header.num_framechannels"),
        View::new("array_data.data", "i8").columns("array.size").when("array.format == 0"),
        View::new("array_data.data", "u8").columns("array.size").when("array.format == 1"),
        View::new("array_data.data", "i16").columns("array.size").when("array.format == 2"),
        View::new("array_data.data", "u16").columns("array.size").when("array.format == 3"),
        View::new("array_data.data", "i32").columns("array.size").when("array.format == 4"),
        View::new("array_data.data", "u32").columns("array.size").when("array.format == 5"),
        View::new("array_data.data", "u16").columns("array.size").when("array.format == 6"),
        View::new("array_data.data", "f32").columns("array.size").when("array.format == 7"),
        View::new("array_data.data", "f64").columns("array.size").when("array.format == 8"),
    ],
    sizes: &[SizeField::of_file("header.filesize")],
};
