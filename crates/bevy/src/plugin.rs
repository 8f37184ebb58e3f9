//! The plugin.

use crate::loader::{ModelLoader, extensions};
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
        app.preregister_asset_loader::<ModelLoader>(&extensions());
    }

    fn finish(&self, app: &mut App) {
        let world = app.world();
        let supported = world.get_resource::<CompressedImageFormatSupport>();
        let sampler =
            world.get_resource::<DefaultGltfImageSampler>().map(DefaultGltfImageSampler::get_internal);
        let handlers = world.get_resource::<GltfExtensionHandlers>().map(|handlers| handlers.0.clone());
        let gltf = GltfLoader {
            supported_compressed_formats: supported.map_or(CompressedImageFormats::NONE, |s| s.0),
            custom_vertex_attributes: Default::default(),
            default_sampler: sampler.unwrap_or_else(|| {
                DefaultGltfImageSampler::new(&ImageSamplerDescriptor::linear()).get_internal()
            }),
            default_convert_coordinates: Default::default(),
            extensions: handlers.unwrap_or_default(),
            default_skinned_mesh_bounds_policy: Default::default(),
        };
        let server = world.resource::<AssetServer>().clone();
        app.register_asset_loader(ModelLoader::new(server, gltf));
    }
}
