//! Options of the conversion from a scene.

/// The treatment of the scales of joints, which DarkPlaces ignores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scales {
    /// Scales are applied to the joints below. No joint of the file has a scale, so all loaders show the
    /// same.
    #[default]
    Baked,
    /// Scales are kept.
    Kept,
}

/// Options of the conversion of a scene to an IQM.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct IqmOptions {
    /// The treatment of the scales of joints.
    pub scales: Scales,
    /// True if the neighbours of every triangle are written.
    pub adjacency: bool,
    /// True if the tangents of the scene are computed again.
    pub tangents: bool,
}

impl IqmOptions {
    /// Sets the treatment of scales.
    #[must_use]
    pub const fn with_scales(mut self, scales: Scales) -> Self {
        self.scales = scales;
        self
    }

    /// Sets whether neighbours of triangles are written.
    #[must_use]
    pub const fn with_adjacency(mut self, adjacency: bool) -> Self {
        self.adjacency = adjacency;
        self
    }

    /// Sets whether tangents are computed again, even if the scene has them.
    #[must_use]
    pub const fn with_tangents(mut self, tangents: bool) -> Self {
        self.tangents = tangents;
        self
    }
}
