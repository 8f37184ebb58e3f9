//! Options of the conversion from a scene.

/// The treatment of the scales of joints, which DarkPlaces ignores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scales {
    /// They are applied to the joints below: no joint has a scale, and all loaders draw the same.
    #[default]
    Baked,
    /// They stay.
    Kept,
}

/// Options of the conversion of a scene to an IQM.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct IqmOptions {
    /// The treatment of the scales of joints.
    pub scales: Scales,
    /// Writes the neighbours of every triangle.
    pub adjacency: bool,
    /// Computes tangents of the scene again.
    pub tangents: bool,
}

impl IqmOptions {
    /// The same options with another treatment of scales.
    #[must_use]
    pub const fn with_scales(mut self, scales: Scales) -> Self {
        self.scales = scales;
        self
    }

    /// The same options with neighbours of triangles or without.
    #[must_use]
    pub const fn with_adjacency(mut self, adjacency: bool) -> Self {
        self.adjacency = adjacency;
        self
    }

    /// The same options, with tangents computed again or taken from the scene if it has them.
    #[must_use]
    pub const fn with_tangents(mut self, tangents: bool) -> Self {
        self.tangents = tangents;
        self
    }
}
