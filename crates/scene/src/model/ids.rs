//! Typed indices of the parts of a scene.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub usize);
    )+};
}

ids! {
    /// An index into [`Scene::nodes`](crate::Scene::nodes).
    NodeId;
    /// An index into [`Scene::meshes`](crate::Scene::meshes).
    MeshId;
    /// An index into [`Scene::materials`](crate::Scene::materials).
    MaterialId;
    /// An index into [`Scene::skeletons`](crate::Scene::skeletons).
    SkeletonId;
}
