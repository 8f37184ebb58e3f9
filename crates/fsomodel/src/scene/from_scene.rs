//! Converts a scene to a model.

use super::companion::Companion;
use super::streams::{Streams, charge_meshes, most_vertices, report_made_up};
use crate::dialect::Dialect;
use crate::index_extents::Extents;
use crate::model::FsoModel;
use crate::record::{chunk, header};
use alloc::format;
use alloc::string::ToString as _;
use alloc::vec::Vec;
use meshwright_core::WriteError;
use meshwright_scene::{
    AxisMap, Budget, ConvertError, Converted, DrawOptions, Drawable, Drawables, FromScene, FromSceneOptions,
    Levels, Loss, OutputFiles, Scene, Space, Tangents, Unsupported,
};

/// The format's part of [`FromSceneOptions`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FsoSceneOptions {
    /// The dialect; by default that of the description.
    pub dialect: Dialect,
}

impl FsoSceneOptions {
    /// Returns the options for a dialect.
    #[must_use]
    pub const fn with_dialect(dialect: Dialect) -> Self {
        Self { dialect }
    }
}

impl From<Dialect> for FsoSceneOptions {
    fn from(dialect: Dialect) -> Self {
        Self::with_dialect(dialect)
    }
}

impl FsoModel<'static> {
    /// Converts a scene to a model.
    ///
    /// Dialect [`Gl3`](Dialect::Gl3) keeps nodes, instances and materials, in [`metadata`](FsoModel::metadata), and
    /// splits meshes at 65,536 vertices. The other dialects cannot store a tree: each instance becomes a mesh with
    /// the node's transform applied, and dialect [`Doc56`](Dialect::Doc56) has a single mesh. The format has no
    /// bones: skinned meshes get their rest pose. Missing tangents are computed by the rule of MikkTSpace. The format
    /// has no levels of detail: by default the finest is converted, and [`Levels::Each`](meshwright_scene::Levels)
    /// means all at once.
    ///
    /// # Errors
    /// If the scene breaks its own rules, if it has more vertices than the dialect's indices can number or deeper
    /// nodes than the engine reads, or if the model would take more than the limits allow.
    pub fn from_scene(
        scene: &Scene,
        options: &FromSceneOptions<FsoSceneOptions>,
    ) -> Result<Converted<Self>, ConvertError> {
        Ok(convert(scene, options, &options.budget())?.map(|made| made.model))
    }
}

impl FromScene for FsoModel<'static> {
    type Options = FsoSceneOptions;

    fn from_scene(
        scene: &Scene,
        options: &FromSceneOptions<FsoSceneOptions>,
    ) -> Result<Converted<Self>, ConvertError> {
        FsoModel::from_scene(scene, options)
    }
}

/// Converts a scene to files: `<stem>.fom` and, in the dialect that has one, the companion file
/// `<stem>.json`.
///
/// # Errors
/// As [`FsoModel::from_scene`].
pub fn write_scene(
    scene: &Scene,
    stem: &str,
    options: &FromSceneOptions<FsoSceneOptions>,
) -> Result<Converted<OutputFiles>, ConvertError> {
    let budget = options.budget();
    let Converted { value: Traced { model, .. }, losses, .. } = convert(scene, options, &budget)?;
    let sizes = model.chunks.iter().map(|c| c.data.len().saturating_add(chunk::SIZE));
    budget.charge("the file", sizes.fold(header::SIZE, usize::saturating_add) as u64)?;
    budget.charge("extents", Extents::memory(model.indices().len()))?;
    let bytes = model.to_bytes().map_err(unsupported)?;
    let mut files = OutputFiles::single(format!("{stem}.fom"), bytes);
    if let Some(metadata) = &model.metadata {
        files.push(format!("{stem}.json"), metadata.to_text(&budget).map_err(unsupported)?);
    }
    Ok(Converted::new(files, losses))
}

fn unsupported(e: WriteError) -> ConvertError {
    match e {
        WriteError::Limit(e) => e.into(),
        WriteError::InvalidModel(e) => ConvertError::unsupported(e.path.to_string(), e.message),
        other => ConvertError::unsupported("", other.to_string()),
    }
}

/// A converted model, and the sources of its records in the scene.
#[cfg_attr(not(feature = "recover"), allow(dead_code, reason = "read by merges"))]
pub(super) struct Traced {
    pub(super) model: FsoModel<'static>,
    /// The drawn parts in order: the number of triangles, and the mesh of the scene with the same triangles.
    pub(super) drawn: Vec<(usize, Option<usize>)>,
    /// The number of each scene node in the companion file.
    pub(super) nodes: Vec<Option<usize>>,
}

/// Returns the number of triangles of a drawable, and the mesh of the scene with the same triangles.
fn source_of(scene: &Scene, drawable: &Drawable<'_>) -> (usize, Option<usize>) {
    let count = drawable.mesh.triangles.len();
    let id = drawable.id().map(|id| id.0).filter(|_| drawable.sources.len() == 1 && drawable.part == 0);
    (count, id.filter(|id| scene.meshes.get(*id).is_some_and(|m| m.triangles.len() == count)))
}

/// Converts a scene, and returns the sources of all parts.
pub(super) fn convert(
    scene: &Scene,
    options: &FromSceneOptions<FsoSceneOptions>,
    budget: &Budget,
) -> Result<Converted<Traced>, ConvertError> {
    let dialect = options.format.dialect;
    let mut drawables = Drawables::new(scene, &draw_options(scene, options), budget)?;
    let (companion, meshes) = if dialect == Dialect::Gl3 {
        let (companion, meshes) = Companion::new(scene, options, &mut drawables, budget)?;
        (Some(companion), meshes)
    } else {
        (None, flat(&mut drawables, budget)?)
    };
    let mut losses = drawables.take_losses();
    report(scene, dialect, &meshes, &mut losses);
    let (mut model, entries) = Streams::new(&meshes, dialect, budget)?.into_model()?;
    let mut nodes = Vec::new();
    if let Some(companion) = companion {
        let made = companion.into_metadata(&meshes, &entries, &mut losses)?;
        (model.metadata, nodes) = (Some(made.0), made.1);
    }
    let drawn = meshes.iter().map(|d| source_of(scene, d)).collect();
    Ok(Converted::new(Traced { model, drawn, nodes }, losses))
}

/// Texture coordinates start at the bottom left; the axes are glTF's.
fn draw_options(scene: &Scene, options: &FromSceneOptions<FsoSceneOptions>) -> DrawOptions {
    let dialect = options.format.dialect;
    let tree = dialect == Dialect::Gl3;
    let draw = if tree { FromSceneOptions::draw_all } else { FromSceneOptions::draw };
    let draw = draw(options, scene, &AxisMap::IDENTITY, Levels::Finest);
    let levels = if draw.levels == Levels::Each { Levels::Merged } else { draw.levels };
    draw.with_levels(levels)
        .with_bake(!tree)
        .with_flip_v(options.space_of(scene) == Space::Gltf)
        .with_normals(true)
        .with_tangents(Tangents::Up)
        .with_rest(true)
        .with_max_vertices(most_vertices(dialect))
        // The file counts indices with 32 bits.
        .with_max_triangles((u32::MAX / 3) as usize)
}

/// Returns every drawn part as a separate mesh.
fn flat<'s>(drawables: &mut Drawables<'s, '_>, budget: &Budget) -> Result<Vec<Drawable<'s>>, ConvertError> {
    charge_meshes(drawables.instances().count(), budget)?;
    let mut meshes = Vec::new();
    for made in drawables {
        meshes.push(made?);
    }
    Ok(meshes)
}

/// Reports data that the dialect cannot store, and data that the conversion invented.
fn report(scene: &Scene, dialect: Dialect, meshes: &[Drawable<'_>], losses: &mut Vec<Loss>) {
    Unsupported::report(&[Unsupported::Skins, Unsupported::Clips, Unsupported::Colors], scene, losses);
    let others: &[Unsupported] = match dialect {
        Dialect::Seed44 => &[Unsupported::Materials, Unsupported::Handedness],
        Dialect::Doc56 => &[Unsupported::Materials],
        Dialect::Gl3 => &[Unsupported::Images, Unsupported::Surfaces],
    };
    Unsupported::report(others, scene, losses);
    report_made_up(scene, meshes, losses);
    if dialect == Dialect::Doc56 && meshes.len() > 1 {
        let message = "the dialect has no mesh table, so that all meshes are one";
        losses.push(Loss::note("meshes-merged", "meshes", message).counted(meshes.len()));
    }
}
