//! Paths of fields within a model: `meshes[2].tris[17].v1`.

use alloc::vec::Vec;
use core::fmt;

/// One step of a [`FieldPathBuf`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Segment {
    /// A named field.
    Field(&'static str),
    /// An element of the table named before it.
    Index(u64),
}

/// An owned path from the root of a file to one of its fields.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FieldPathBuf(Vec<Segment>);

impl FieldPathBuf {
    /// Returns the segments from the root down.
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    /// Returns true for the path of the file itself.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn extend_reversed(&mut self, inner_first: &[Segment]) {
        self.0.extend(inner_first.iter().rev());
    }
}

impl fmt::Display for FieldPathBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("file");
        }
        for (i, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Field(name) if i == 0 => f.write_str(name)?,
                Segment::Field(name) => write!(f, ".{name}")?,
                Segment::Index(n) => write!(f, "[{n}]")?,
            }
        }
        Ok(())
    }
}

/// A path under construction: a chain of borrowed segments that costs nothing until an error needs it.
///
/// ```
/// use meshwright_core::FieldPath;
/// let meshes = FieldPath::ROOT.field("meshes");
/// assert_eq!(meshes.index(2).field("name").to_owned().to_string(), "meshes[2].name");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FieldPath<'p> {
    parent: Option<&'p FieldPath<'p>>,
    segment: Option<Segment>,
}

impl<'p> FieldPath<'p> {
    /// The path of the file itself.
    pub const ROOT: FieldPath<'static> = FieldPath { parent: None, segment: None };

    /// Returns the path of the field `name` of this structure.
    pub const fn field(&'p self, name: &'static str) -> FieldPath<'p> {
        FieldPath { parent: Some(self), segment: Some(Segment::Field(name)) }
    }

    /// Returns the path of element `index` of this table.
    pub const fn index(&'p self, index: usize) -> FieldPath<'p> {
        // usize is never wider than u64 on a target that Rust supports.
        FieldPath { parent: Some(self), segment: Some(Segment::Index(index as u64)) }
    }

    /// Copies the chain into a value that can be kept.
    pub fn to_owned(&self) -> FieldPathBuf {
        let mut segments = Vec::new();
        let mut at = Some(self);
        while let Some(path) = at {
            segments.extend(path.segment);
            at = path.parent;
        }
        segments.reverse();
        FieldPathBuf(segments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_path_reads_as_an_expression() {
        let meshes = FieldPath::ROOT.field("meshes");
        let mesh = meshes.index(2);
        let tris = mesh.field("tris");
        let tri = tris.index(17);
        let path = tri.field("v1").to_owned();
        assert_eq!(path.to_string(), "meshes[2].tris[17].v1");
        assert_eq!(path.segments().len(), 5);
        assert_eq!(FieldPath::ROOT.to_owned().to_string(), "file");
        assert!(FieldPath::ROOT.to_owned().is_root());
    }
}
