//! The operations of the facade on outfits of The Sims Online.

use super::character::{UNIT, figure};
#[cfg(feature = "gltf")]
use super::sims::as_parts;
use super::sims::own_checks;
use super::{Companions, FilesResult, FormatTraits, Kind, SceneResult, Summary, WriteOptions};
#[cfg(feature = "gltf")]
use super::{Merging, sims_merge};
use meshwright_core::Report;
use meshwright_core::text::counted;
use meshwright_scene::{ConvertError, Extra, Scene, SceneOptions};
use meshwright_tso::{Apr, Col, Hag, Oft, Po, is_written, write_outfit};

/// Assembles a character from the files that a record refers to.
fn worn(name: &str, companions: &Companions, options: &SceneOptions) -> SceneResult {
    let figure = figure(name, None, companions);
    if figure.parts.is_empty() {
        let message =
            "none of the meshes that its numbers lead to is in the tree; --root names the game's folder";
        return Err(ConvertError::unsupported("file", message));
    }
    figure.to_scene(options)
}

macro_rules! records {
    ($($ty:ident: $strategy:ident, |$m:ident| $note:expr, $drawn:literal $(, $write:ident with $hands:ident)?;)+) => {$(
        impl Kind for $ty {
            const METRES: Option<f64> = UNIT;
            const TRAITS: FormatTraits = FormatTraits {
                is_outfit: $drawn,
                $(
                    is_numbered: true,
                    #[cfg(feature = "output")]
                    written_with: &[crate::Format::$hands],
                )?
                ..FormatTraits::NONE
            };

            $(fn ending(options: &WriteOptions) -> String {
                let tag = options.tso.id.map_or_else(String::new, |id| format!(".{}", Self::number(id).tag()));
                format!("{tag}.{}", <Self as meshwright_core::FileFormat>::ID)
            }

            fn takes(_: &str, field: &str, value: &Extra) -> bool {
                is_written(field, value)
            }

            fn write_scene(scene: &Scene, stem: &str, options: &WriteOptions) -> FilesResult {
                $write(scene, stem, &options.for_format(options.tso.clone()))
            })?

            fn to_scene(&self, name: &str, companions: &Companions, options: &SceneOptions) -> SceneResult {
                if $drawn {
                    return worn(name, companions, options);
                }
                let message = format!("{} holds nothing to draw by itself", <Self as meshwright_core::FileFormat>::TITLE);
                Err(ConvertError::unsupported("file", message))
            }

            /// Writes edits into the files of the parts. The record itself stays unchanged.
            #[cfg(feature = "gltf")]
            fn merge(&self, merging: &Merging<'_>) -> FilesResult {
                if !$drawn {
                    return Err(ConvertError::unsupported("file", "it holds nothing to draw by itself"));
                }
                sims_merge::merge_figure(self.clone().into(), merging, as_parts(merging.options))
            }

            fn summary(&self) -> Summary {
                let $m = self;
                Summary { notes: vec![$note], ..Summary::default() }
            }

            fn summary_with(&self, companions: &Companions) -> Summary {
                companions.add_parts(self.summary())
            }

            own_checks!(meshwright_tso::strategy::$strategy());
        }
    )+};
}

records! {
    Apr: apr, |m| counted(m.bindings.len() as u64, "binding", "bindings"), true;
    Oft: oft, |m| format!("region {}", m.region.0), true, write_outfit with Hag;
    Po: po, |m| m.outfit.map_or_else(|| "no outfit".into(), |id| format!("outfit {}", id.tag())), true;
    Hag: hag, |m| counted(m.appearances.iter().filter(|a| a.file != 0).count() as u64, "hand", "hands"), false;
    Col: col, |m| counted(m.items.len() as u64, "item", "items"), false;
}
