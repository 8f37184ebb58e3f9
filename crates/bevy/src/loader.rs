//! The loader.

use crate::error::ModelError;
use crate::fetch::Fetch;
use crate::model::{Clip, Model};
use crate::scene_assets::{Made, scene_options, to_document};
use crate::settings::ModelSettings;
use bevy_animation::graph::AnimationGraph;
use bevy_asset::io::Reader;
use bevy_asset::{AssetLoader, AssetServer, LoadContext};
use bevy_gltf::GltfLoader;
use bevy_reflect::TypePath;
use meshwright::files::{Remote, Tree, TreePath};
use meshwright::scene::{Converted, Mesh, Scene};
use meshwright::{Format, Opener};

/// Loads models of every format.
#[derive(TypePath)]
pub struct ModelLoader {
    server: AssetServer,
    gltf: GltfLoader,
    extensions: Vec<&'static str>,
}

/// Those of every kind of file that holds a model, but for glTF's, which are Bevy's own.
pub(crate) fn extensions() -> Vec<&'static str> {
    let models = Format::ALL.iter().filter(|f| f.holds_model() && **f != Format::Gltf);
    let mut extensions: Vec<_> = models.flat_map(|f| f.extensions().iter().copied()).collect();
    extensions.sort_unstable();
    extensions.dedup();
    extensions
}

impl ModelLoader {
    /// Returns a loader that hands what it makes to Bevy's of glTF, and finds what belongs to models through the server.
    pub fn new(server: AssetServer, gltf: GltfLoader) -> Self {
        Self { server, gltf, extensions: extensions() }
    }

    /// The model, with all that belongs to it, as far as that can be had.
    async fn open(
        &self,
        bytes: Vec<u8>,
        settings: &ModelSettings,
        context: &mut LoadContext<'_>,
    ) -> Result<(meshwright::Model, Converted<Scene>), ModelError> {
        let options = settings.opening()?;
        let memory = settings.max_memory;
        let mut fetch = Fetch::new(&self.server, context, bytes, settings.root.as_deref(), memory).await?;
        let mut asset = loop {
            let opened = open(&fetch.remote, &fetch.path, &options);
            if !fetch.more(context).await? {
                break opened?;
            }
        };
        let mut scene = asset.scene_with(&scene_options(memory))?;
        if settings.textures {
            loop {
                // Only the materials: they name the needed image files.
                let mut bare = Converted::new(bare(&scene.value), Vec::new());
                asset.search_in(Tree::remote(&fetch.remote));
                asset.add_textures(&mut bare);
                if !fetch.more(context).await? {
                    break;
                }
            }
            asset.search_in(Tree::remote(&fetch.remote));
            asset.add_textures(&mut scene);
        }
        Ok((asset, scene))
    }
}

fn open(remote: &Remote, path: &TreePath, options: &Opener) -> Result<meshwright::Model, ModelError> {
    Ok(options.open_in(Tree::remote(remote), path)?)
}

/// Returns a scene with its materials and what wears them, without anything to draw.
fn bare(scene: &Scene) -> Scene {
    let mesh = |mesh: &Mesh| Mesh::default().with_name(mesh.name.clone()).with_material(mesh.material);
    Scene::new(scene.name.clone())
        .with_format(scene.format.clone())
        .with_meshes(scene.meshes.iter().map(mesh).collect())
        .with_materials(scene.materials.clone())
}

impl AssetLoader for ModelLoader {
    type Asset = Model;
    type Settings = ModelSettings;
    type Error = ModelError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        settings: &ModelSettings,
        context: &mut LoadContext<'_>,
    ) -> Result<Model, ModelError> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).await?;
        if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > settings.max_memory {
            let why = format!("the file has {} bytes, {} are allowed", bytes.len(), settings.max_memory);
            return Err(ModelError::Limit(why));
        }
        let (asset, mut scene) = self.open(bytes, settings, context).await?;
        if let Some(factor) = settings.scale {
            scene.value.rescale(factor).map_err(|e| ModelError::Settings(e.to_string()))?;
        }
        let (format, findings) = (asset.format(), asset.check());
        let mut parts = asset.parts().to_vec();
        let mut seen = std::collections::BTreeSet::new();
        parts.reverse();
        parts.retain(|part| seen.insert((part.role, part.name.clone())));
        parts.reverse();
        drop(asset);
        let Made { glb, clips, losses } = to_document(scene, settings.max_memory)?;
        let gltf = GltfLoader::load_gltf(&self.gltf, &glb, context, &settings.gltf).await?;
        drop(glb);
        let (graph, nodes) = AnimationGraph::from_clips(gltf.animations.iter().cloned());
        let animated = gltf.animations.iter().zip(nodes).zip(clips);
        let clips = animated.map(|((animation, node), facts)| Clip {
            name: facts.name,
            looping: facts.looping,
            rate: facts.rate,
            frames: facts.frames,
            seconds: facts.seconds,
            animation: animation.clone(),
            node,
        });
        let clips = clips.collect();
        let graph = context.add_labeled_asset("AnimationGraph", graph);
        Ok(Model { format, gltf, clips, graph, findings, losses, parts })
    }

    /// Those of every kind of file that holds a model, but for glTF's, which are Bevy's: a handle of a [`Model`] loads
    /// those too.
    fn extensions(&self) -> &[&str] {
        &self.extensions
    }
}
