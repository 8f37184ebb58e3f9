//! Media types of formats.

use crate::formats::Format;

impl Format {
    /// Returns the media type that Meshwright's descriptions and desktop files use. For formats without a
    /// registered type it is built from their title, such as `model/x-darkplaces-dpm`. The type of glTF is that
    /// of its binary form; a `.gltf` file is `model/gltf+json`.
    #[must_use]
    pub fn media_type(self) -> String {
        if self.id() == "gltf" {
            return "model/gltf-binary".into();
        }
        let title = self.title().to_lowercase();
        let words: Vec<_> =
            title.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).collect();
        format!("{}/x-{}", if self.holds_model() { "model" } else { "application" }, words.join("-"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::SortedSet;

    #[test]
    fn no_two_formats_have_the_same_type() {
        let types: SortedSet<String> = Format::ALL.iter().map(|format| format.media_type()).collect();
        assert_eq!(types.len(), Format::ALL.len());
        let is_built = |name: &String| name.split_once("/x-").is_some_and(|(_, rest)| !rest.is_empty());
        assert!(types.iter().all(|name| is_built(name) || name == "model/gltf-binary"));
    }
}
