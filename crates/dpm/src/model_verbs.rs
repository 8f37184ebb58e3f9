//! Methods that DPM and ZYM share: reading, sorting bones, optimizing.

/// Implements the methods of a model. `$lenient` says what a lenient reader accepts, `$optimized` what an optimized model
/// has.
macro_rules! model_verbs {
    ($Model:ident, $magic:expr, $read:path, $(#[doc = $lenient:literal])+, optimize: $(#[doc = $optimized:literal])+) => {
        impl $Model {
            /// Reads a file strictly, with the default limits.
            ///
            /// # Errors
            /// If the file breaks a rule of the format, or would take more memory than the default limits allow.
            pub fn parse(bytes: &[u8]) -> Result<Self, meshwright_core::ReadError> {
                Self::parse_with(bytes, &Default::default()).map(|parsed| parsed.model)
            }

            /// Reads a file.
            ///
            $(#[doc = $lenient])+
            ///
            /// # Errors
            /// If the file breaks a rule that the options do not accept, or would take more memory than they allow.
            pub fn parse_with(
                bytes: &[u8],
                options: &meshwright_core::ReadOptions,
            ) -> Result<meshwright_core::Parsed<Self>, meshwright_core::ReadError> {
                let budget = meshwright_core::Budget::new(options.limits);
                let mut findings = meshwright_core::Findings::reading(options);
                let model = $read(bytes, &budget, &mut findings)?;
                Ok(meshwright_core::Parsed::new(model, findings.into_report()))
            }

            /// Checks whether the bytes start with the format's magic.
            pub fn sniff(bytes: &[u8]) -> meshwright_core::Confidence {
                use meshwright_core::Confidence;
                if bytes.starts_with($magic) { Confidence::Certain } else { Confidence::No }
            }

            /// Moves bones after their parents, and renumbers every vertex and pose. Returns false without a change
            /// if the parents of bones form a cycle or do not exist.
            ///
            /// A model with the layout of its file keeps it.
            pub fn sort_bones(&mut self) -> bool {
                use crate::bone_order::{Renumbering, is_in_order, parents_first};
                if is_in_order(&self.bones) {
                    return true;
                }
                let Ok(order) = parents_first(&self.bones) else { return false };
                self.renumber_bones(&Renumbering::new(order, self.bones.len()));
                true
            }

            /// Returns the same model in fewer bytes, with triangles and vertices in an order that is drawn faster.
            ///
            $(#[doc = $optimized])+
            ///
            /// # Errors
            /// If the model breaks a rule of the format, or the work would take more than the limits of the options.
            pub fn optimize(
                &self,
                options: &crate::OptimizeOptions,
                clips: &[crate::FrameClip],
            ) -> Result<crate::Optimized<Self>, meshwright_core::WriteError> {
                let (budget, mut dense) = (meshwright_core::Budget::new(options.limits), Default::default());
                let before = self.statistics(self.to_bytes()?.len(), &mut dense);
                crate::optimize::charge(&budget, &self.costs(&before))?;
                let (mut model, mut clips) = (self.clone(), clips.to_vec());
                let chosen = model.reduce(options, &mut clips, &budget, &mut dense)?;
                let bytes = model.to_bytes()?;
                let after = model.statistics(bytes.len(), &mut dense);
                let (removed, unmarked) = (chosen.removed, chosen.unmarked);
                Ok(crate::Optimized { model, bytes, clips, before, after, removed, unmarked })
            }
        }

        impl TryFrom<&[u8]> for $Model {
            type Error = meshwright_core::ReadError;

            /// Reads a file as [`parse`](Self::parse) does.
            fn try_from(bytes: &[u8]) -> Result<Self, meshwright_core::ReadError> {
                Self::parse(bytes)
            }
        }
    };
}

pub(crate) use model_verbs;
