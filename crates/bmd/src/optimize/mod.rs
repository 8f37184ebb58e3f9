//! Makes a model's file smaller, without errors or within bounds.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "works on models that were checked before"
)]

mod buckets;
mod clips;
mod fill;
mod goal;
pub(crate) mod key_candidates;
mod key_path;
mod meshes;
mod options;
mod pose_comparison;
mod quads;
mod vertices;
mod work_limit;

pub use options::{EngineSafety, Errors, OptimizeOptions};

use crate::model::Bmd;
use alloc::vec::Vec;
use meshwright_core::WriteError;
use work_limit::WorkLimit;

/// An optimised model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Optimized {
    /// The model. If it is written in the chosen arrangement, the file is `bytes`.
    pub model: Bmd,
    /// The file.
    pub bytes: Vec<u8>,
    /// Bytes before, and after each stage.
    pub sizes: Sizes,
    /// The errors that were introduced.
    pub errors: Errors,
    /// The number of clips that the existing engine's loader misreads, because a bone has a key on the last
    /// frame and a later bone has keys.
    pub misread_clips: usize,
    /// True if the effort was too low to try everything. A higher effort may give a smaller file.
    pub cut_short: bool,
}

/// The size of the file after each stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// The size before the optimisation.
    pub before: usize,
    /// The size after a new arrangement, without gaps and padding.
    pub arranged: usize,
    /// The size after meshes were rebuilt: vertices, primitives, materials.
    pub meshes: usize,
    /// The size after keys were chosen again: the size of the result.
    pub clips: usize,
}

/// The maximum number of passes; each pass must improve the result.
const PASSES: usize = 4;

impl Bmd {
    /// Writes the same model in fewer bytes.
    ///
    /// *Vertices*: vertices that no triangle uses are removed, equal ones are merged, and each gets the
    /// smallest kind that decodes to the same values within the bounds. *Meshes* of one material at the same
    /// levels of detail are joined or divided such that the primitives are small. Pairs of triangles become
    /// quads if the engine need not read them. *Keys* are chosen as the cheapest path through all whole
    /// frames that stays within the bounds. Meshes that are not drawn, and solids, change only if the engine
    /// needs it.
    ///
    /// Without bounds every triangle decodes to the same bits, and every bone has the same values at whole
    /// frames, bit for bit in single precision; a second run changes nothing. Bounds limit the total error
    /// of the posed model: it holds however errors add up along a chain of bones.
    ///
    /// [`effort`](OptimizeOptions::effort) limits the work. With less effort the result is larger.
    ///
    /// # Errors
    /// If the model breaks a rule of the format.
    pub fn optimize(&self, options: &OptimizeOptions) -> Result<Optimized, WriteError> {
        let before = self.to_bytes()?.len();
        let mut cut_short = false;
        let mut source = self.clone();
        source.discard_layout();
        let arranged = source.size_as(options.arrangement)?;
        if options.engine != EngineSafety::Ignored {
            meshes::make_safe(&mut source);
        }
        let mut errors = Errors::default();
        let mut best = Pass::new(source, options)?;
        let (mut meshes, mut clips) = (best.size, 0);
        // Bounds are relative to this model, so only one pass may use them. All other passes have the same
        // amount of work, so that another run would not improve on the last of them either.
        for i in usize::from(options.is_exact())..=PASSES {
            let (bounds, part) = if i == 0 { (*options, 2) } else { (options.exact(), 4) };
            let work = &WorkLimit::new(options.steps() / part);
            let next = best.next(&bounds, work, &mut errors)?;
            cut_short |= work.is_cut();
            match next {
                Some((rebuilt, next)) => {
                    // Later passes start with the keys that were already chosen.
                    meshes = meshes.min(rebuilt + clips);
                    clips += rebuilt - next.size.min(rebuilt);
                    best = next;
                }
                None if i > 0 => break,
                None => {}
            }
        }
        let sizes = Sizes { before, arranged, meshes, clips: best.size };
        let misread_clips = clips::misread(&best.model.clips);
        let bytes = best.model.to_bytes_as(options.arrangement)?;
        debug_assert_eq!(bytes.len(), best.size, "the plan has the size of what is written");
        Ok(Optimized { model: best.model, bytes, sizes, errors, misread_clips, cut_short })
    }
}

/// A model during the optimisation, and its size in bytes.
struct Pass {
    model: Bmd,
    size: usize,
}

impl Pass {
    fn new(model: Bmd, options: &OptimizeOptions) -> Result<Self, WriteError> {
        let size = model.size_as(options.arrangement)?;
        Ok(Self { model, size })
    }

    /// Returns a better model within the bounds, and the size that it had before its keys were chosen.
    /// `None` if none was found. Its errors are added to `errors`.
    fn next(
        &self,
        bounds: &OptimizeOptions,
        work: &WorkLimit,
        errors: &mut Errors,
    ) -> Result<Option<(usize, Self)>, WriteError> {
        let (mut made, mut of_meshes) = (Errors::default(), Errors::default());
        let mut model = self.model.clone();
        work.part(work.remaining() / 2, |work| meshes::rebuild(&mut model, bounds, work, &mut of_meshes));
        let rebuilt = Self::new(model, bounds)?;
        let meshes = if rebuilt.rank(bounds) < self.rank(bounds) && !rebuilt.is_misread_from(self) {
            made = of_meshes;
            rebuilt
        } else {
            Self { model: self.model.clone(), size: self.size }
        };
        let mut model = meshes.model;
        clips::reduce(&mut model, bounds, work, &mut made);
        let next = Self::new(model, bounds)?;
        Ok((next.rank(bounds) < self.rank(bounds)).then(|| {
            *errors = errors.max(made);
            (meshes.size, next)
        }))
    }

    /// Returns the rank of a model, lower is better: first few parts that the engine misreads, then few
    /// bytes.
    fn rank(&self, options: &OptimizeOptions) -> (usize, usize) {
        let safe = options.engine == EngineSafety::Ignored;
        let misread = || {
            clips::misread(&self.model.clips)
                + self.model.meshes.iter().filter(|m| !meshes::is_safe(m)).count()
        };
        (if safe { 0 } else { misread() }, self.size)
    }

    /// Returns true if removing vertices changed the detected form of texture coordinates, so that others
    /// would be misread.
    fn is_misread_from(&self, before: &Self) -> bool {
        let wide = || self.model.meshes.iter().any(|m| m.vertices.iter().any(|v| v.st14().is_some()));
        self.model.st_form() != before.model.st_form() && wide()
    }
}
