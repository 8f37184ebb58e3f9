//! What a caller chooses.

/// What becomes of the scales of joints, which DarkPlaces passes over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scales {
    /// They are applied to the joints below: no joint has a scale, and all loaders draw the same.
    #[default]
    Baked,
    /// They stay.
    Kept,
}

/// How a scene becomes an IQM.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct IqmOptions {
    /// What becomes of the scales of joints.
    pub scales: Scales,
    /// Every triangle says which lie beside it.
    pub adjacency: bool,
    /// Tangents of the scene are made anew.
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

    /// The same options with tangents made anew, or those of the scene kept where it has them.
    #[must_use]
    pub const fn with_tangents(mut self, tangents: bool) -> Self {
        self.tangents = tangents;
        self
    }
}
