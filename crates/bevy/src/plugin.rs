//! The plugin.

use crate::loader::{ModelLoader, extensions};
use crate::misplaced::MisplacedLoader;
use crate::model::Model;
use bevy_app::{App, Plugin};
use bevy_asset::{AssetApp, AssetServer};
use bevy_gltf::extensions::GltfExtensionHandlers;
use bevy_gltf::{DefaultGltfImageSampler, GltfLoader, GltfPlugin};
use bevy_image::{CompressedImageFormatSupport, CompressedImageFormats, ImageSamplerDescriptor};

/// Lets the asset server load models of every format. Added after `DefaultPlugins`, or after what of it is used: assets,
/// animations, meshes and images are needed, and what spawns scenes.
#[derive(Clone, Copy, Debug, Default)]
pub struct MeshwrightPlugin;

impl Plugin for MeshwrightPlugin {
    fn build(&self, app: &mut App) {
        if !app.is_plugin_added::<GltfPlugin>() {
            app.add_plugins(GltfPlugin::default());
        }
        app.init_asset::<Model>();
        // Before the loader of models, which is the one for handles without a type.
        app.preregister_asset_loader::<MisplacedLoader>(&extensions());
        app.preregister_asset_loader::<ModelLoader>(&extensions());
    }

    fn finish(&self, app: &mut App) {
        let world = app.world();
        let supported = world.get_resource::<CompressedImageFormatSupport>();
        let sampler =
            world.get_resource::<DefaultGltfImageSampler>().map(DefaultGltfImageSampler::get_internal);
        let handlers = world.get_resource::<GltfExtensionHandlers>().map(|handlers| handlers.0.clone());
        let supported = supported.map_or(CompressedImageFormats::NONE, |s| s.0);
        let sampler = sampler.unwrap_or_else(|| {
            DefaultGltfImageSampler::new(&ImageSamplerDescriptor::linear()).get_internal()
        });
        let handlers = handlers.unwrap_or_default();
        let gltf = || GltfLoader {
            supported_compressed_formats: supported,
            custom_vertex_attributes: Default::default(),
            default_sampler: sampler.clone(),
            default_convert_coordinates: Default::default(),
            extensions: handlers.clone(),
            default_skinned_mesh_bounds_policy: Default::default(),
        };
        let (models, misplaced) = (gltf(), gltf());
        let server = world.resource::<AssetServer>().clone();
        app.register_asset_loader(MisplacedLoader::new(misplaced));
        app.register_asset_loader(ModelLoader::new(server, models));
    }
}
