//! The layout of the whole file.

use crate::chunks::MAGIC;
use crate::record::{chunk, header, mesh, vertex_44, vertex_56, vertex_60};
use meshwright_core::description::{Description, Mark, Order, View};
use meshwright_core::structures;

structures! {
    const FILE = {
        /// A FSOMODEL file.
        file {
            header: header;
            chunks: chunk_data [..];
        }
        /// A chunk. The width of vertices and indices depends on the program that wrote the file.
        chunk_data {
            chunk: chunk;
            meshes: mesh [chunk.length / 24] if (chunk.id == "MESH");
            data: bytes [chunk.length] if (chunk.id != "MESH");
        }
    }
}

pub(crate) const DESCRIPTION: Description = Description {
    order: Order::Little,
    floats: Order::Little,
    marks: &[Mark { at: header::MAGIC.offset, bytes: MAGIC }],
    records: &[
        header::TABLE,
        chunk::TABLE,
        mesh::TABLE,
        vertex_44::TABLE,
        vertex_56::TABLE,
        vertex_60::TABLE,
    ],
    words: &[],
    structures: &[FILE],
    views: &[
        View::new("chunk_data.data", "vertex_44").when("chunk.id == \"VDAT\" && setting.vertex_size == 44"),
        View::new("chunk_data.data", "vertex_56").when("chunk.id == \"VDAT\" && setting.vertex_size == 56"),
        View::new("chunk_data.data", "vertex_60").when("chunk.id == \"VDAT\" && setting.vertex_size == 60"),
        View::new("chunk_data.data", "u32")
            .columns("3")
            .when("chunk.id == \"INDX\" && setting.vertex_size == 44"),
        View::new("chunk_data.data", "u16")
            .columns("3")
            .when("chunk.id == \"INDX\" && setting.vertex_size > 44"),
    ],
    sizes: &[],
};
