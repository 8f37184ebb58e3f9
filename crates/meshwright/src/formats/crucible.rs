//! The Crucible engine's files in the facade.

use super::write::bare;
use super::write::invalid_file;
use super::{
    CompanionFile, Companions, FilesResult, Kind, Merging, ReadSettings, Registered, SceneResult, Summary,
    WriteOptions,
};
use meshwright_core::{Finding, Report, SortedSet};
use meshwright_crucible::{
    CModel, Chunk, CrucibleFile, CrucibleOptions, CrucibleTarget, IndexSize, SkeletonChunk, write_scene,
};
use meshwright_scene::{ConvertError, Converted, OutputFiles, Scene, SceneOptions};

fn write(scene: &Scene, file: CrucibleFile, stem: &str, options: &WriteOptions) -> FilesResult {
    let mut own = CrucibleTarget::default().with_file(file);
    own.dialect = options.dialect().unwrap_or(own.dialect);
    own.quaternions = options.quaternions.unwrap_or(own.quaternions);
    write_scene(scene, stem, &options.for_format(own))
}

/// Returns the target of conversions whose results are compared with a model's files.
fn like(chunks: &[Chunk<'static>], skeleton: Option<&SkeletonChunk>) -> CrucibleTarget {
    let mut own = CrucibleTarget::default();
    own.dialect = chunks.first().map_or(own.dialect, |chunk| chunk.dialect);
    own.quaternions = skeleton.map_or(own.quaternions, |skeleton| skeleton.order);
    own
}

/// The skeleton file of a model, if it was edited or is new.
#[cfg(feature = "gltf")]
fn with_skeleton(
    merging: &Merging<'_>,
    own: CrucibleTarget,
    made: &mut Converted<OutputFiles>,
) -> Result<(), ConvertError> {
    let file = |f: &&CompanionFile| SkeletonChunk::from_any(&f.model).is_some();
    let Some(file) = merging.companions.files.iter().rev().find(file) else { return Ok(()) };
    let Some(native) = SkeletonChunk::from_any(&file.model) else { return Ok(()) };
    let merged = native.merge(merging.native, merging.patch, &merging.options.for_format(own))?.value;
    if merged != *native {
        made.value.push(file.file_name(), merged.to_bytes().map_err(invalid_file)?);
    }
    Ok(())
}

fn summary(chunks: &[Chunk<'static>]) -> Summary {
    let dialects: SortedSet<_> = chunks.iter().map(|c| c.dialect.name()).collect();
    Summary {
        meshes: chunks.len(),
        vertices: chunks.iter().map(Chunk::vertex_count).sum(),
        triangles: chunks.iter().map(|c| c.triangles().len()).sum(),
        notes: dialects.into_iter().map(|d| format!("dialect {d}")).collect(),
        ..Summary::default()
    }
}

/// Returns the options for reading a file.
fn options(settings: &ReadSettings) -> CrucibleOptions {
    let mut options = CrucibleOptions::from(settings.read).with_quaternions(settings.quaternions);
    options.dialect = settings.dialect.and_then(super::Dialect::of_format);
    options
}

/// The repairs of chunks.
const MENDED: &[(&str, &str)] = &[("index-size-byte", "the byte for the width of indices is 1")];

/// Repairs a finding. Findings in a container have paths that begin with the chunk.
fn mend(chunks: &mut [Chunk<'static>], finding: &Finding) -> bool {
    let chunk = chunks.get_mut(super::mending::item(finding, "meshes").unwrap_or(0));
    chunk.filter(|chunk| finding.rule.code == "index-size-byte" && chunk.index_size.0 > 1).is_some_and(
        |chunk| {
            chunk.index_size = IndexSize::U32;
            true
        },
    )
}

macro_rules! meshes {
    ($($model:ty: $file:ident, |$m:ident| $chunks:expr, $mut_chunks:expr, $strategy:path;)+) => {$(
        impl Kind for $model {
            const MENDED: &'static [(&'static str, &'static str)] = MENDED;

            fn options(settings: &ReadSettings) -> CrucibleOptions {
                options(settings)
            }

            fn mend(&mut self, finding: &Finding) -> bool {
                let $m = self;
                mend($mut_chunks, finding)
            }

            fn to_scene(
                &self,
                _: &str,
                companions: &Companions,
                options: &SceneOptions,
            ) -> SceneResult {
                self.to_scene(options, companions.one())
            }

            fn write_scene(
                scene: &Scene,
                stem: &str,
                options: &WriteOptions,
            ) -> FilesResult {
                write(scene, CrucibleFile::$file, stem, options)
            }

            #[cfg(feature = "gltf")]
            fn merge(&self, merging: &Merging<'_>) -> FilesResult {
                let $m = self;
                let own = like($chunks, merging.companions.one()).with_file(CrucibleFile::$file);
                let merged = self.merge(merging.native, merging.patch, &merging.options.for_format(own))?;
                let mut made = merging.single(merged)?;
                with_skeleton(merging, own, &mut made)?;
                Ok(made)
            }

            fn summary(&self) -> Summary {
                let $m = self;
                summary($chunks)
            }

            fn validate_with(&self, companions: &Companions) -> Report {
                companions.one::<SkeletonChunk>().map_or_else(|| self.validate(), |s| self.validate_with(s))
            }

            super::strategies!(each meshwright_crucible::Dialect: $strategy);
        }
    )+};
}

meshes! {
    Chunk<'static>: Chunk, |m| std::slice::from_ref(m), std::slice::from_mut(m),
        meshwright_crucible::strategy::chunk;
    CModel<'static>: Model, |m| &m.meshes, &mut m.meshes,
        meshwright_crucible::strategy::cmodel;
}

impl Kind for SkeletonChunk {
    fn options(settings: &ReadSettings) -> CrucibleOptions {
        options(settings)
    }

    fn to_scene(&self, _: &str, _: &Companions, options: &SceneOptions) -> SceneResult {
        self.to_scene(options)
    }

    fn write_scene(scene: &Scene, stem: &str, options: &WriteOptions) -> FilesResult {
        let lost = bare(scene, false)?;
        let mut made = write(scene, CrucibleFile::Skeleton, stem, options)?;
        // The crate reports the loss itself if it knows the reason.
        made.losses.extend(lost.filter(|lost| made.losses.iter().all(|loss| loss.code != lost.code)));
        Ok(made)
    }

    #[cfg(feature = "gltf")]
    fn merge(&self, merging: &Merging<'_>) -> FilesResult {
        let own = like(&[], Some(self)).with_file(CrucibleFile::Skeleton);
        merging.single(self.merge(merging.native, merging.patch, &merging.options.for_format(own))?)
    }

    fn summary(&self) -> Summary {
        Summary { bones: self.bones.len(), ..Summary::default() }
    }

    super::strategies!(meshwright_crucible::strategy::skeleton());
}
