//! The operations of the facade on IQM files.

#[cfg(all(feature = "dpm", feature = "gltf"))]
use super::darkplaces::clip_list;
use super::mending::{field, item, stated_size};
use super::write::invalid_file;
use super::write::single;
use super::{
    Companions, FilesResult, FormatTraits, Kind, Merging, Registered, SceneResult, Summary, WriteOptions,
};
use meshwright_core::text::counted;
use meshwright_core::{Finding, Report, Role, Severity};
#[cfg(all(not(feature = "dpm"), feature = "gltf"))]
use meshwright_edit::apply::ClipList;
#[cfg(feature = "gltf")]
use meshwright_iqm::MergedAnim;
use meshwright_iqm::{Iqm, IqmOptions, Scales, TextId, join_clips};
use meshwright_scene::{
    ConvertError, Converted, Engine, Extra, FromSceneOptions, Material, OutputFiles, Scene, SceneOptions,
};
use std::borrow::Cow;

/// Applies the clips that the `.framegroups` file of the model lists; engines use them instead of the model's own.
#[cfg(feature = "dpm")]
fn with_clips<'m>(
    model: &'m Iqm,
    companions: &Companions,
    options: &SceneOptions,
) -> Result<(Cow<'m, Iqm>, SceneOptions, Report), ConvertError> {
    use meshwright_iqm::{AnimFlags, IqmAnim};
    use meshwright_quake::{FrameGroups, ResolvedClips};
    let groups = companions.one::<FrameGroups>().filter(|groups| !groups.groups.is_empty());
    let Some(groups) = groups else { return Ok((Cow::Borrowed(model), options.clone(), Report::new())) };
    let budget = options.budget();
    let ResolvedClips { mut clips, report, .. } = groups.resolve(model.frame_count as usize, &budget)?;
    super::darkplaces::rename(groups, companions.scene.clip_names, &mut clips, &|_| None, &budget)?;
    let arrays: u64 = model.arrays.iter().map(|a| a.data.len() as u64).sum();
    let triangles = (model.triangles.len() as u64).saturating_mul(24);
    budget.charge(
        "a model with other clips",
        arrays.saturating_add(triangles).saturating_add(model.text.len() as u64),
    )?;
    budget.charge_items("a model with other clips", model.frames.len() as u64, 2)?;
    budget.charge_items(
        "a model with other clips",
        model.joints.len().saturating_add(model.poses.len()) as u64,
        136,
    )?;
    let mut model = model.clone();
    model.discard_layout();
    // FTE drops events as well.
    let events = |name: &[u8]| name.eq_ignore_ascii_case(b"FTE_EVENT");
    let kept: Vec<_> = model.extensions.iter().filter(|e| !events(model.str(e.name))).cloned().collect();
    model.extensions = kept;
    model.anims.clear();
    for clip in clips {
        budget.charge_items("clips", clip.name.len().saturating_add(size_of::<IqmAnim>()) as u64, 2)?;
        let name = TextId(u32::try_from(model.text.len()).unwrap_or(u32::MAX));
        model.text.extend(clip.name.iter().map(|b| if *b == 0 { b'?' } else { *b }));
        model.text.push(0);
        let flags = if clip.looping { AnimFlags::LOOP } else { AnimFlags::default() };
        let (first_frame, frame_count) = (clip.start, clip.length);
        model.anims.push(IqmAnim { name, first_frame, frame_count, framerate: clip.fps.into(), flags });
    }
    Ok((Cow::Owned(model), options.clone().with_memory(budget.remaining()), report))
}

#[cfg(not(feature = "dpm"))]
fn with_clips<'m>(
    model: &'m Iqm,
    _: &Companions,
    options: &SceneOptions,
) -> Result<(Cow<'m, Iqm>, SceneOptions, Report), ConvertError> {
    Ok((Cow::Borrowed(model), options.clone(), Report::new()))
}

/// Repairs a finding.
fn mend(model: &mut Iqm, finding: &Finding) -> bool {
    let (joint, pose) = (item(finding, "joints"), item(finding, "poses"));
    match finding.rule.code {
        "bad-name" => rename(model, finding),
        "bad-parent" => {
            let joint = joint.and_then(|i| model.joints.get_mut(i)).map(|joint| &mut joint.parent);
            let parent = joint.or_else(|| Some(&mut model.poses.get_mut(pose?)?.parent));
            parent.filter(|parent| **parent < -1).is_some_and(|parent| {
                *parent = -1;
                true
            })
        }
        "unknown-channels" => {
            let channels = u32::try_from(model.channels()).unwrap_or(10);
            let known = 1_u32.checked_shl(channels).map_or(u32::MAX, |bit| bit.wrapping_sub(1));
            let pose = pose.and_then(|i| model.poses.get_mut(i)).filter(|pose| pose.mask & !known != 0);
            pose.is_some_and(|pose| {
                pose.mask &= known;
                true
            })
        }
        _ => false,
    }
}

/// Replaces a name outside of the text by the empty name.
fn rename(model: &mut Iqm, finding: &Finding) -> bool {
    let size = model.text.len();
    let of = |list| item(finding, list);
    let name = if let Some(i) = of("meshes") {
        let material = field(finding) == "material";
        model.meshes.get_mut(i).map(|m| if material { &mut m.material } else { &mut m.name })
    } else if let Some(i) = of("joints") {
        model.joints.get_mut(i).map(|joint| &mut joint.name)
    } else if let Some(i) = of("anims") {
        model.anims.get_mut(i).map(|anim| &mut anim.name)
    } else {
        of("extensions").and_then(|i| model.extensions.get_mut(i)).map(|extension| &mut extension.name)
    };
    let outside = |name: &&mut TextId| usize::try_from(name.0).map_or(true, |at| at >= size);
    // An empty text has not even the empty name.
    name.filter(|name| size > 0 && outside(name)).is_some_and(|name| {
        name.0 = 0;
        true
    })
}

#[cfg(all(not(feature = "dpm"), feature = "gltf"))]
fn clip_list(_: &Companions) -> ClipList {
    ClipList::Model
}

/// Adds the text that lists the clips, if there is one.
#[cfg(all(feature = "dpm", feature = "gltf"))]
fn with_text(
    merging: &Merging<'_>,
    clips: Vec<MergedAnim>,
    resized: bool,
    made: Converted<OutputFiles>,
) -> FilesResult {
    use meshwright_dpm::{FrameClip, MergedClip};
    let clip = |anim: MergedAnim| {
        let MergedAnim { name, frames, rate, looping, was, .. } = anim;
        let length = |r: &std::ops::Range<u32>| r.end.saturating_sub(r.start);
        let mut clip = FrameClip::new(name, frames.start, length(&frames));
        (clip.fps, clip.looping) = (rate, looping);
        let was = was.and_then(|(c, frames)| {
            let old = merging.native.clips.get(c)?;
            let mut clip = FrameClip::new(old.name.as_bytes(), frames.start, length(&frames));
            (clip.fps, clip.looping) = (old.rate, old.looping);
            Some((c, clip))
        });
        MergedClip::new(clip, was)
    };
    let clips = clips.into_iter().map(clip).collect();
    super::darkplaces::with_text(merging, clips, resized, &|_| true, made)
}

#[cfg(all(not(feature = "dpm"), feature = "gltf"))]
fn with_text(_: &Merging<'_>, _: Vec<MergedAnim>, _: bool, made: Converted<OutputFiles>) -> FilesResult {
    Ok(made)
}

/// Returns what FTE's extensions add to a model.
fn extension_notes(model: &Iqm) -> Vec<String> {
    let data = |name: &[u8]| {
        let found = model.extensions.iter().find(|e| model.str(e.name).eq_ignore_ascii_case(name));
        found.map_or(&[][..], |e| e.data.as_slice())
    };
    let events = data(b"FTE_EVENT").len() as u64 / 16;
    // The first of seven words says what the mesh blocks.
    let rows = data(b"FTE_MESH").chunks_exact(28);
    let solid = rows.filter(|row| row.iter().take(4).any(|byte| *byte != 0)).count() as u64;
    let mut notes = Vec::new();
    if events > 0 {
        notes.push(format!("{} (FTE_EVENT)", counted(events, "event", "events")));
    }
    if solid > 0 {
        notes.push(format!("{} (FTE_MESH)", counted(solid, "mesh for hits", "meshes for hits")));
    }
    notes
}

/// Returns the files of clips, each with its name without folders.
fn clip_files(companions: &Companions) -> impl Iterator<Item = (String, &Iqm)> {
    let files = companions.files.iter().filter(|file| file.role == Role::Animation);
    files.filter_map(|file| Some((file.file_name(), Iqm::from_any(&file.model)?)))
}

/// Adds the clips of files of their own.
fn join_files(
    converted: &mut Converted<Scene>,
    companions: &Companions,
    options: &SceneOptions,
) -> Result<(), ConvertError> {
    for (name, file) in clip_files(companions) {
        let clips = file.to_scene(&options.clone().with_static_meshes(false))?.value;
        converted.losses.extend(join_clips(&mut converted.value, clips, &name)?);
    }
    Ok(())
}

/// Writes the clips `chosen` of a scene as a file without meshes.
fn clip_file(
    scene: &Scene,
    chosen: impl Fn(usize) -> bool,
    name: String,
    options: &FromSceneOptions<IqmOptions>,
    files: &mut OutputFiles,
) -> Result<(), ConvertError> {
    let mut own = Scene::new("");
    own.skeletons.clone_from(&scene.skeletons);
    own.clips =
        scene.clips.iter().enumerate().filter(|(c, _)| chosen(*c)).map(|(_, clip)| clip.clone()).collect();
    let mut end = 0_u32;
    for clip in &mut own.clips {
        clip.start = end;
        end = end.saturating_add(clip.frames);
    }
    let own = own.with_format(scene.format.clone());
    files.push(name, Iqm::from_scene(&own, options)?.value.to_bytes().map_err(invalid_file)?);
    Ok(())
}

/// Writes a model without clips, and a file for each clip.
fn write_apart(scene: &Scene, stem: &str, options: &FromSceneOptions<IqmOptions>) -> FilesResult {
    let mut still = scene.copied(&options.budget())?;
    still.clips.clear();
    still.pose_sets.clear();
    let mut made = Iqm::from_scene(&still, options)?;
    let model = &mut made.value;
    if !scene.clips.is_empty() && !model.joints.is_empty() {
        // The rest pose is that of the joints.
        (model.poses, model.anims, model.frames) = Default::default();
        (model.frame_count, model.bounds) = (0, None);
    }
    let mut made = single(stem, made)?;
    let mut names = meshwright_core::SortedSet::new();
    for (c, clip) in scene.clips.iter().enumerate() {
        let plain: String = clip
            .name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || "-_. ".contains(c) { c } else { '_' })
            .collect();
        let mut name = format!("{stem}_{plain}.iqm");
        if plain.is_empty() || !names.insert(name.to_ascii_lowercase()) {
            name = format!("{stem}_{plain}_{c}.iqm");
        }
        clip_file(scene, |n| n == c, name, options, &mut made.value)?;
    }
    Ok(made)
}

/// Removes the clips that have files of their own. Returns the native scene and the patch without them, and the files
/// with an edited clip. Unedited files are not written.
#[cfg(feature = "gltf")]
fn without_files(
    merging: &Merging<'_>,
    options: &FromSceneOptions<IqmOptions>,
) -> Result<(Scene, meshwright_edit::Patch, OutputFiles), ConvertError> {
    let budget = options.budget();
    let (mut native, mut patch) = (merging.native.copied(&budget)?, merging.patch.copied(&budget)?);
    let joined: usize = clip_files(merging.companions).map(|(_, file)| file.anims.len()).sum();
    let own = native.clips.len().saturating_sub(joined);
    native.clips.truncate(own);
    let (mut files, mut first) = (OutputFiles::default(), own);
    for (name, file) in clip_files(merging.companions) {
        let range = first..first.saturating_add(file.anims.len());
        first = range.end;
        let of_file =
            |c: usize| patch.clips.get(c).and_then(|p| p.original).is_some_and(|n| range.contains(&n));
        let edited = patch.clips.iter().enumerate().any(|(c, p)| of_file(c) && !p.is_unchanged());
        let left = (0..patch.clips.len()).filter(|c| of_file(*c)).count();
        if edited || (left > 0 && left < range.len()) {
            clip_file(&patch.scene, of_file, name, options, &mut files)?;
        }
    }
    let stays: Vec<bool> = patch.clips.iter().map(|p| p.original.is_none_or(|n| n < own)).collect();
    let mut each = stays.iter();
    patch.scene.clips.retain(|_| each.next().copied().unwrap_or(true));
    let mut each = stays.iter();
    patch.clips.retain(|_| each.next().copied().unwrap_or(true));
    Ok((native, patch, files))
}

impl Kind for Iqm {
    const TRAITS: FormatTraits = FormatTraits {
        pictures_beside: true,
        has_skins: true,
        has_tags: true,
        clip_script: Some("iqm.cfg"),
        ..FormatTraits::NONE
    };
    const UP: usize = 2;
    const MENDED: &'static [(&'static str, &'static str)] = &[
        ("truncated", "the header states the size of the file"),
        ("out-of-file", "the header states the size of the file"),
        ("bad-name", "the name is the empty one"),
        ("bad-parent", "a parent below -1 is -1"),
        ("unknown-channels", "the bits beyond the channels are cleared"),
    ];

    /// Returns true for known fields; dropped flags of joints are reported elsewhere.
    fn takes(part: &str, field: &str, value: &Extra) -> bool {
        match (part, field) {
            ("meshes", "fte_mesh") | ("skeletons", "flags" | "attach") => true,
            ("clips", "events") => value.items().iter().all(|event| event.get("seconds").is_some()),
            _ => false,
        }
    }

    fn mend(&mut self, finding: &Finding) -> bool {
        mend(self, finding)
    }

    fn mend_bytes(bytes: &mut [u8], finding: &Finding) -> bool {
        stated_size(bytes, finding, u32::to_le_bytes)
    }

    fn to_scene(&self, _: &str, companions: &Companions, options: &SceneOptions) -> SceneResult {
        let (model, options, report) = with_clips(self, companions, options)?;
        let mut converted = model.to_scene(&options)?;
        join_files(&mut converted, companions, &options)?;
        let note = |f: &Finding| {
            meshwright_scene::Loss::note(f.rule.code, f.path.to_string(), f.message.to_string())
        };
        converted.losses.extend(report.iter().map(note));
        Ok(converted)
    }

    fn write_scene(scene: &Scene, stem: &str, options: &WriteOptions) -> FilesResult {
        let engine = options.shared.engine_of("iqm").map(|(engine, _)| engine);
        // Only FTE uses scales unchanged.
        let kept = engine == Some(Engine::Fte);
        let own = IqmOptions::default().with_scales(if kept { Scales::Kept } else { Scales::Baked });
        let own = own.with_adjacency(options.adjacency).with_tangents(options.tangents);
        if options.clip_files {
            return write_apart(scene, stem, &options.for_format(own));
        }
        let mut made = Self::from_scene(scene, &options.for_format(own))?;
        if let Some(engine) = engine {
            for finding in made.value.check_for(engine).iter() {
                let (path, message) = (finding.path.to_string(), finding.message.to_string());
                if finding.severity == Severity::Error {
                    return Err(ConvertError::unsupported(path, format!("{}: {message}", engine.title())));
                }
                made.losses.push(meshwright_scene::Loss::new(finding.rule.code, path, message));
            }
        }
        single(stem, made)
    }

    #[cfg(feature = "gltf")]
    fn merge(&self, merging: &Merging<'_>) -> FilesResult {
        let adjacency = self.adjacency.is_some();
        let options = merging.options.for_format(IqmOptions::default().with_adjacency(adjacency));
        let apart = match clip_files(merging.companions).next() {
            Some(_) => Some(without_files(merging, &options)?),
            None => None,
        };
        let (native, patch) =
            apart.as_ref().map_or((merging.native, merging.patch), |(native, patch, _)| (native, patch));
        let merging = &Merging { native, patch, ..*merging };
        let merged = self.merge(native, patch, clip_list(merging.companions), &options)?;
        let (model, clips) = (merged.value.model, merged.value.clips);
        let resized = model.frame_count != self.frame_count;
        let made = merging.single(Converted::new(model, merged.losses))?;
        let mut made = with_text(merging, clips, resized, made)?;
        for file in apart.into_iter().flat_map(|(.., files)| files) {
            made.value.push(file.name, file.bytes);
        }
        Ok(made)
    }

    fn summary(&self) -> Summary {
        Summary {
            meshes: self.meshes.len(),
            // Meshes may share vertices.
            vertices: self.meshes.iter().map(|m| m.vertex_count as usize).sum(),
            triangles: self.meshes.iter().map(|m| m.triangle_count as usize).sum(),
            bones: self.joints.len().max(self.poses.len()),
            frames: Some(self.frame_count as usize),
            clips: self.anims.len(),
            notes: extension_notes(self),
            ..Summary::default()
        }
    }

    fn summary_with(&self, companions: &Companions) -> Summary {
        let mut summary = self.summary();
        #[cfg(feature = "dpm")]
        {
            let groups = companions.one::<meshwright_quake::FrameGroups>();
            let listed = groups.map(|groups| groups.clip_count(self.frame_count as usize));
            summary.clips = listed.filter(|clips| *clips > 0).unwrap_or(summary.clips);
        }
        summary.clips =
            clip_files(companions).fold(summary.clips, |n, (_, file)| n.saturating_add(file.anims.len()));
        summary
    }

    #[cfg(feature = "dpm")]
    fn validate_with(&self, companions: &Companions) -> Report {
        let mut report = self.validate();
        if let Some(groups) = companions.one::<meshwright_quake::FrameGroups>() {
            let role = Role::Clips.name();
            report.append(groups.validate_for(self.frame_count as usize).of_part(role));
        }
        report
    }

    fn validate_for(&self, engine: Engine) -> Report {
        self.check_for(engine)
    }

    fn picture(material: &Material) -> Option<&str> {
        Some(&material.name)
    }

    super::strategies!(meshwright_iqm::strategy::iqm());
}
