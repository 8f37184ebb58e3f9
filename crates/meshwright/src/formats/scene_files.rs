//! A scene as the files of a native format.

use super::{FilesResult, Format, WriteOptions, extras, pictures};
use meshwright_scene::Scene;

impl Format {
    /// Writes a scene as files of this format, without the files of its textures.
    pub(crate) fn encode_scene(self, scene: &Scene, stem: &str, options: &WriteOptions) -> FilesResult {
        (self.row().write_scene)(scene, stem, options)
    }

    /// Writes a scene as files of this format, with textures and skins, and reports what the format does not store.
    pub(crate) fn write_scene(self, scene: &Scene, stem: &str, options: &WriteOptions) -> FilesResult {
        let (scene, mut notes) = extras::tagged(self, scene, &options.shared.budget())?;
        let scene = pictures::named_apart(self, scene, options, &mut notes)?;
        let mut made = self.encode_scene(&scene, stem, options)?;
        made.losses.splice(0..0, notes);
        pictures::beside(self, &scene, stem, options, &mut made)?;
        made.losses.extend(extras::dropped(self, &scene));
        let (pictures, looks) = (self.traits().pictures_beside, pictures::has_looks(self, options));
        pictures::one_look(&scene, pictures, looks, &mut made.losses);
        Ok(made)
    }
}
