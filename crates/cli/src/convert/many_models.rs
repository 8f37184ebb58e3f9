//! The conversion of many models.

use super::conversion_report::Made;
use super::one_model::ConvertRun;
use super::paths::OutPath;
use crate::args::OutputFormat;
use crate::batch::Workers;
use crate::input::Input;
use crate::manifest::Written;
use crate::results::Results;
use crate::{Fail, render, say};
use serde_json::Value;

/// The inputs of a conversion, their output paths, and the workers.
pub(super) struct Many<'a, 'w> {
    pub(super) work: &'a ConvertRun<'w>,
    pub(super) inputs: &'a [Input],
    pub(super) paths: &'a [OutPath],
    pub(super) workers: Workers,
}

/// An input with its output path, and the entry of an earlier run if it is still valid.
struct Job<'a> {
    input: &'a Input,
    out: &'a OutPath,
    before: Option<Value>,
}

impl Many<'_, '_> {
    /// Converts all inputs, or the part that `--shard` selects.
    pub(super) fn convert(&self, mut manifest: Option<Written>, results: &mut Results) -> Result<(), Fail> {
        let args = self.work.args;
        let jobs = self.jobs(manifest.as_ref())?;
        // Valid outputs of an earlier run are reused, and existing outputs may be kept.
        let made = |job: &Job<'_>| {
            let is_there = job.before.is_some() || self.work.keeps(job.out.place.path());
            (!is_there).then(|| self.work.convert_one(job.input, &job.out.place))
        };
        results.over(
            self.workers,
            &jobs,
            |job| job.input,
            made,
            |results, job, made| {
                match (made, &job.before) {
                    (Some(made), _) => self.report(job, made, manifest.as_mut(), results),
                    (None, None) => results.keep_output(job.out.place.path()),
                    (None, Some(entry)) => {
                        manifest.iter_mut().for_each(|manifest| manifest.keep(job.input, entry.clone()));
                        results.unchanged();
                    }
                }
                if let Some(manifest) = manifest.as_mut().filter(|_| !args.write.dry_run) {
                    manifest.save(results, self.work.reader.plan());
                }
                Ok(())
            },
        )?;
        manifest
            .filter(|_| !args.write.dry_run)
            .map_or(Ok(()), |manifest| manifest.write(results, self.work.reader.plan()))
    }

    /// Lists the jobs. Names of outputs do not depend on the shard.
    fn jobs(&self, manifest: Option<&Written>) -> Result<Vec<Job<'_>>, Fail> {
        let args = self.work.args;
        let (part, parts) = args.shard.unwrap_or((1, 1));
        let own = self.inputs.iter().zip(self.paths).skip(part.saturating_sub(1)).step_by(parts);
        let mut jobs: Vec<_> = own.map(|(input, out)| Job { input, out, before: None }).collect();
        if let Some(manifest) = manifest.filter(|_| args.resume) {
            let mut before = Vec::new();
            let look =
                |job: &Job<'_>| manifest.unchanged(job.input, &job.out.place, self.work.reader.limits());
            let keep = |_: &Job<'_>, entry| {
                before.push(entry);
                Ok(())
            };
            self.workers.each(&jobs, |job| job.input.memory(), look, keep)?;
            jobs.iter_mut().zip(before).for_each(|(job, before)| job.before = before);
        }
        Ok(jobs)
    }

    fn report(&self, job: &Job<'_>, made: Made, manifest: Option<&mut Written>, results: &mut Results) {
        let args = self.work.args;
        match self.work.appear(made) {
            Ok(mut done) => {
                if let Some(manifest) = manifest {
                    let took = std::mem::take(&mut done.took);
                    manifest.done(job.input, took, &done.outputs, &done.losses);
                }
                if job.out.renamed && !args.read.quiet && args.format == OutputFormat::Text {
                    let (shown, path) = (job.input.display_path(), render::path(job.out.place.path()));
                    say(&format!("{shown}: written as {path}: another input has its name"));
                }
                done.report(results, args);
            }
            Err(refusal) => {
                if let Some(manifest) = manifest {
                    manifest.failed(job.input, &refusal);
                }
                results.refuse(job.input, &refusal);
            }
        }
    }
}
