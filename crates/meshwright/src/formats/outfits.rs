//! The operations of the facade on outfits of The Sims Online.

#[cfg(feature = "gltf")]
use super::character::skeleton_for;
use super::character::{UNIT, figure};
#[cfg(feature = "gltf")]
use super::sims::as_parts;
use super::{Companions, Kind, Summary};
#[cfg(feature = "gltf")]
use super::{Merging, sims_merge};
use meshwright_core::Report;
use meshwright_core::text::counted;
#[cfg(feature = "gltf")]
use meshwright_scene::OutputFiles;
use meshwright_scene::{ConvertError, Converted, Scene, SceneOptions};
use meshwright_tso::{Apr, Col, Hag, Oft, Po};

/// Assembles a character from the files that a record refers to.
fn worn(
    name: &str,
    companions: &Companions,
    options: &SceneOptions,
) -> Result<Converted<Scene>, ConvertError> {
    let figure = figure(name, None, companions);
    if figure.parts.is_empty() {
        let message =
            "none of the meshes that its numbers lead to is in the tree; --root names the game's folder";
        return Err(ConvertError::unsupported("file", message));
    }
    figure.to_scene(options)
}

macro_rules! records {
    ($($ty:ident: $strategy:ident, |$m:ident| $note:expr, $drawn:literal;)+) => {$(
        impl Kind for $ty {
            const METRES: Option<f64> = UNIT;

            fn to_scene(
                &self,
                name: &str,
                companions: &Companions,
                options: &SceneOptions,
            ) -> Result<Converted<Scene>, ConvertError> {
                if $drawn {
                    return worn(name, companions, options);
                }
                let message = format!("{} holds nothing to draw by itself", <Self as meshwright_core::FileFormat>::TITLE);
                Err(ConvertError::unsupported("file", message))
            }

            /// Writes edits into the files of the parts. The record itself stays unchanged.
            #[cfg(feature = "gltf")]
            fn merge(&self, merging: &Merging<'_>) -> Result<Converted<OutputFiles>, ConvertError> {
                if !$drawn {
                    return Err(ConvertError::unsupported("file", "it holds nothing to draw by itself"));
                }
                let skeleton = skeleton_for(merging.name, None, merging.companions);
                sims_merge::merge_worn(self, skeleton, merging, as_parts(merging.options))
            }

            fn validate_name(&self, file_name: &str) -> Report {
                self.validate_name(file_name)
            }

            fn summary(&self) -> Summary {
                let $m = self;
                Summary { notes: vec![$note], ..Summary::default() }
            }

            fn summary_with(&self, companions: &Companions) -> Summary {
                companions.add_parts(self.summary())
            }

            #[cfg(feature = "proptest")]
            fn strategies() -> Vec<super::Strategy<Self>> {
                use proptest::strategy::Strategy as _;
                vec![(None, meshwright_tso::strategy::$strategy().boxed())]
            }
        }
    )+};
}

records! {
    Apr: apr, |m| counted(m.bindings.len() as u64, "binding", "bindings"), true;
    Oft: oft, |m| format!("region {}", m.region.0), true;
    Po: po, |m| m.outfit.map_or_else(|| "no outfit".into(), |id| format!("outfit {}", id.tag())), true;
    Hag: hag, |m| counted(m.appearances.iter().filter(|a| a.file != 0).count() as u64, "hand", "hands"), false;
    Col: col, |m| counted(m.items.len() as u64, "item", "items"), false;
}
