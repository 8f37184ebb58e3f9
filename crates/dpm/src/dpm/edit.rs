//! Small edits that leave the rest of a file unchanged.

use super::model::Dpm;
use crate::bone::{BoneFlags, Name};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;
use meshwright_core::text::Escaped;

/// A small edit of a model. Bones are searched as in engines: ignoring case, the first match. Meshes are
/// identified by their shader. `#3` is the bone or mesh with index 3.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Edit {
    /// Sets or clears the attachment flag of a bone. Tools do not remove attachments.
    Attachment {
        /// The bone.
        bone: Vec<u8>,
        /// The new value.
        on: bool,
    },
    /// Sets all flags of a bone.
    Flags {
        /// The bone.
        bone: Vec<u8>,
        /// The flags.
        flags: BoneFlags,
    },
    /// Renames a bone.
    RenameBone {
        /// The bone.
        bone: Vec<u8>,
        /// The new name, at most 31 bytes.
        name: Vec<u8>,
    },
    /// Sets the shader of a mesh, which is also the name of the mesh.
    Shader {
        /// The mesh.
        mesh: Vec<u8>,
        /// The new shader, at most 31 bytes.
        shader: Vec<u8>,
    },
    /// Sets the group id of some triangles of a mesh.
    GroupId {
        /// The mesh.
        mesh: Vec<u8>,
        /// The indices of the triangles; `None` for all.
        triangles: Option<Range<u32>>,
        /// The id.
        id: u32,
    },
}

/// The reason why an edit is not possible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// No bone or mesh has the name or index.
    #[error("no {what} is called {name}")]
    Unknown {
        /// `bone` or `mesh`.
        what: &'static str,
        /// The searched name, escaped.
        name: String,
    },
    /// Several meshes have the name.
    #[error("{count} meshes are called {name}; take one by its number, as in #{first}")]
    Ambiguous {
        /// The name, escaped.
        name: String,
        /// The number of items with this name.
        count: usize,
        /// Index of the first.
        first: usize,
    },
    /// A name is too long for its field, or contains NUL.
    #[error("{name} is no name of at most 31 bytes without a NUL")]
    Name {
        /// The name, escaped.
        name: String,
    },
    /// Another bone has the name, ignoring case. Engines would find only one of them.
    #[error("bone #{other} is called {name} already")]
    Taken {
        /// The name, escaped.
        name: String,
        /// The bone that has it.
        other: usize,
    },
    /// A mesh does not have these triangles.
    #[error("triangles {start} to {last} of mesh #{mesh}, which has {count}")]
    Triangles {
        /// Index of the mesh.
        mesh: usize,
        /// The first triangle.
        start: u32,
        /// The last triangle.
        last: u32,
        /// The number of triangles that the mesh has.
        count: usize,
    },
}

impl Dpm {
    /// Makes a small edit. A model that came from a file is then written with every other byte unchanged,
    /// unless meshes share the edited data.
    ///
    /// # Errors
    /// If the edit refers to something that does not exist, or that the format cannot store. Then nothing
    /// changes.
    pub fn edit(&mut self, edit: &Edit) -> Result<(), EditError> {
        match edit {
            Edit::Attachment { bone, on } => {
                let bone = self.bone_called(bone)?;
                if let Some(bone) = self.bones.get_mut(bone) {
                    let others = bone.flags.0 & !BoneFlags::ATTACHMENT.0;
                    bone.flags = BoneFlags(if *on { others | BoneFlags::ATTACHMENT.0 } else { others });
                }
            }
            Edit::Flags { bone, flags } => {
                let bone = self.bone_called(bone)?;
                if let Some(bone) = self.bones.get_mut(bone) {
                    bone.flags = *flags;
                }
            }
            Edit::RenameBone { bone, name } => {
                let (bone, new) = (self.bone_called(bone)?, name_of(name)?);
                let same = |n: &Name| !name.is_empty() && n.bytes().eq_ignore_ascii_case(name);
                if let Some(other) = self.bones.iter().position(|b| same(&b.name)).filter(|o| *o != bone) {
                    return Err(EditError::Taken { name: display_name(name), other });
                }
                if let Some(bone) = self.bones.get_mut(bone) {
                    bone.name = new;
                }
            }
            Edit::Shader { mesh, shader } => {
                let (mesh, shader) = (self.mesh_called(mesh)?, name_of(shader)?);
                if let Some(mesh) = self.meshes.get_mut(mesh) {
                    mesh.shader = shader;
                }
            }
            Edit::GroupId { mesh, triangles, id } => {
                let number = self.mesh_called(mesh)?;
                let Some(mesh) = self.meshes.get_mut(number) else { return Ok(()) };
                let count = mesh.groupids.len();
                let range = triangles.as_ref().map_or(0..count, |r| r.start as usize..r.end as usize);
                if range.is_empty() && triangles.is_some() || range.end > count {
                    let Range { start, end } = triangles.clone().unwrap_or_default();
                    let last = end.saturating_sub(1);
                    return Err(EditError::Triangles { mesh: number, start, last, count });
                }
                let own = Arc::make_mut(&mut mesh.groupids);
                own.get_mut(range).into_iter().flatten().for_each(|own| *own = *id);
            }
        }
        Ok(())
    }

    /// Returns the index of a bone by its name, or by its index as `#3`.
    fn bone_called(&self, name: &[u8]) -> Result<usize, EditError> {
        let found = self.bones.iter().position(|b| b.name.bytes().eq_ignore_ascii_case(name));
        let found = found.or_else(|| numbered(name, self.bones.len()));
        found.ok_or_else(|| EditError::Unknown { what: "bone", name: display_name(name) })
    }

    /// Returns the index of a mesh by its shader, or by its index as `#3`.
    fn mesh_called(&self, name: &[u8]) -> Result<usize, EditError> {
        let mut called = self.meshes.iter().enumerate().filter(|(_, m)| m.shader.bytes() == name);
        let first = called.next().map(|(i, _)| i);
        match (first, called.count()) {
            (Some(first), more @ 1..) => {
                Err(EditError::Ambiguous { name: display_name(name), count: more.saturating_add(1), first })
            }
            (first, _) => first
                .or_else(|| numbered(name, self.meshes.len()))
                .ok_or_else(|| EditError::Unknown { what: "mesh", name: display_name(name) }),
        }
    }
}

fn display_name(name: &[u8]) -> String {
    alloc::format!("{}", Escaped(name))
}

fn numbered(name: &[u8], count: usize) -> Option<usize> {
    let digits = name.strip_prefix(b"#").filter(|d| d.iter().all(u8::is_ascii_digit))?;
    core::str::from_utf8(digits).ok()?.parse().ok().filter(|n| *n < count)
}

fn name_of(name: &[u8]) -> Result<Name, EditError> {
    let fits = !name.contains(&0) && name.len() < crate::record::name::SIZE;
    Name::new(name).filter(|_| fits).ok_or_else(|| EditError::Name { name: display_name(name) })
}
