//! Edited documents without an original.

use crate::convert::Target;
use crate::model::Model;
use meshwright_scene::Loss;

impl Model {
    /// Returns a note that an edited document has no embedded original, for a native target: an animated model of a
    /// game then gets other rates, loops and names.
    pub(crate) fn original_missing(&self, target: Target) -> Option<Loss> {
        let document =
            self.gltf().filter(|file| file.embedded().is_none() && matches!(target, Target::Native(_)))?;
        let edited = ["Blender", "FBX2glTF"].iter().any(|tool| document.generator().contains(tool));
        let tables = document.tables().ok()?;
        let rigged = !tables.skins().is_empty() || !tables.animations().is_empty();
        let message = "no embedded original: if the model comes from a game, export it with Custom Properties, or name the \
                       game's file with --onto";
        (edited && rigged).then(|| Loss::note("original-missing", "scene.extras", message))
    }
}
