//! The operations of the facade on DPM and ZYM files and their clips.

use super::mending::{item, stated_size};
use super::write::invalid_file;
use super::write::single;
use super::{
    ClipNames, Companions, FilesResult, Format, FormatTraits, Kind, Merging, Optimizer, SceneResult, Summary,
    Transcribed, Transcription, WriteOptions,
};
use meshwright_core::{Budget, FieldPath, Finding, Findings, LimitExceeded, Report, Role, WriteError};
#[cfg(feature = "gltf")]
use meshwright_dpm::MergedClip;
use meshwright_dpm::{Bone, BonePose, Dpm, DpmFiles, DpmSceneOptions, FrameClip, Zym, write_scene};
#[cfg(feature = "gltf")]
use meshwright_edit::apply::ClipList;
use meshwright_quake::{ClipRange, FrameGroup, FrameGroups, ResolvedClips};
use meshwright_scene::{
    ConvertError, Converted, Engine, Extra, FromSceneOptions, Loss, Material, OutputFiles, Scene,
    SceneOptions,
};

/// The bytes of the name of a clip that is made for a frame.
const FRAME_NAME: usize = 16;

/// Returns the clips that a model's `.framegroups` file lists, and notes on changes to fit the model. `name` returns
/// the name of a frame.
fn resolve_clips<'m>(
    companions: &Companions,
    poses: usize,
    name: &dyn Fn(u32) -> Option<&'m [u8]>,
    budget: &Budget,
) -> Result<Option<Converted<Vec<FrameClip>>>, ConvertError> {
    let Some(groups) = companions.one::<FrameGroups>() else { return Ok(None) };
    let ResolvedClips { mut clips, report, .. } = groups.resolve(poses, budget)?;
    rename(groups, companions.scene.clip_names, &mut clips, name, budget)?;
    budget.charge_items("clips", clips.len() as u64, size_of::<FrameClip>())?;
    let mut clips = frame_clips(clips);
    if companions.scene.all_frames {
        add_single_frames(&mut clips, poses, budget)?;
    }
    // Engines do the same, so nothing is lost.
    let notes =
        report.iter().map(|f| Loss::note(f.rule.code, f.path.to_string(), f.message.to_string())).collect();
    Ok(Some(Converted::new(clips, notes)))
}

/// Returns the clips of a text as clips of a model.
pub(crate) fn frame_clips(clips: Vec<ClipRange>) -> Vec<FrameClip> {
    let clip =
        |ClipRange { name, start, length, fps, looping }| FrameClip { name, start, length, fps, looping };
    clips.into_iter().map(clip).collect()
}

/// Adds a clip for each frame that no clip has. The first frame is the rest pose of the scene.
fn add_single_frames(clips: &mut Vec<FrameClip>, poses: usize, budget: &Budget) -> Result<(), LimitExceeded> {
    budget.charge_items("frames", poses as u64, 1)?;
    let mut has_clip = vec![false; poses];
    for clip in clips.iter() {
        let frames = has_clip.iter_mut().skip(clip.start as usize);
        frames.take(clip.length as usize).for_each(|has| *has = true);
    }
    let single = (0_u32..).zip(has_clip).skip(1).filter(|(_, has)| !has);
    let single: Vec<u32> = single.map(|(frame, _)| frame).collect();
    budget.charge_items("clips", single.len() as u64, size_of::<FrameClip>().saturating_add(FRAME_NAME))?;
    let clip = |start: u32| FrameClip {
        name: format!("frame_{start}").into_bytes(),
        start,
        length: 1,
        fps: 10.0,
        looping: false,
    };
    clips.extend(single.into_iter().map(clip));
    Ok(())
}

/// Converts a model of `poses` poses with the clips that its `.framegroups` companion names.
fn with_clips<M>(
    companions: &Companions,
    (model, poses): (M, usize),
    options: &SceneOptions,
    name: fn(&M, u32) -> Option<&[u8]>,
    to_scene: impl FnOnce(M, &SceneOptions, Option<&[FrameClip]>) -> SceneResult,
) -> SceneResult {
    let budget = options.budget();
    match resolve_clips(companions, poses, &|frame| name(&model, frame), &budget)? {
        None => to_scene(model, options, None),
        Some(Converted { value: clips, losses: notes, .. }) => {
            let mut made = to_scene(model, &options.clone().with_memory(budget.remaining()), Some(&clips))?;
            made.losses.extend(notes);
            Ok(made)
        }
    }
}

/// Converts a model into the other of the two formats, with the clips that its `.framegroups` companion names.
fn transcribe_clips<'m, T>(
    work: &Transcription<'_>,
    poses: usize,
    name: &dyn Fn(u32) -> Option<&'m [u8]>,
    convert: impl FnOnce(
        Option<&[FrameClip]>,
        &FromSceneOptions<DpmSceneOptions>,
    ) -> Result<Converted<T>, ConvertError>,
) -> Result<Converted<T>, ConvertError> {
    let mut shared = work.options.shared.clone();
    let budget = shared.budget();
    let (clips, notes) = resolve_clips(work.companions, poses, name, &budget)?
        .map(|listed| (listed.value, listed.losses))
        .unzip();
    shared.limits = shared.limits.with_memory(budget.remaining());
    let mut made = convert(clips.as_deref(), &shared.with_format(DpmSceneOptions::default()))?;
    made.losses.extend(notes.into_iter().flatten());
    Ok(made)
}

/// Returns the files of a DPM with its clips.
fn with_listing(stem: &str, made: Converted<DpmFiles>) -> FilesResult {
    let clips = made.value.clips;
    let mut done = single(stem, Converted::new(made.value.model, made.losses))?;
    if !clips.is_empty() {
        let text = text_of(clips).to_bytes();
        let text = text.map_err(|e| ConvertError::invalid("clips", e.to_string()))?;
        done.value.push(format!("{stem}.dpm.framegroups"), text);
    }
    Ok(done)
}

/// Gives the clips of a text names from the selected source, if it has any.
pub(super) fn rename<'m>(
    groups: &FrameGroups,
    names: ClipNames,
    clips: &mut [ClipRange],
    frame: &dyn Fn(u32) -> Option<&'m [u8]>,
    budget: &Budget,
) -> Result<(), LimitExceeded> {
    let mut given = Ok(());
    let mut give = |clip: &mut ClipRange, name: &[u8]| {
        if !name.is_empty() && given.is_ok() {
            given = budget.charge_items("clip names", name.len() as u64, 1);
            if given.is_ok() {
                clip.name = name.to_vec();
            }
        }
    };
    match names {
        ClipNames::Engine => {}
        ClipNames::Comments => {
            let comment: &mut dyn FnMut(usize, &[u8]) = &mut |i, text| {
                let is_unnamed = groups.groups.get(i).is_some_and(|group| group.name.is_empty());
                if let Some(clip) = clips.get_mut(i).filter(|_| is_unnamed) {
                    give(clip, text);
                }
            };
            groups.comments(comment);
        }
        ClipNames::Frames => clips.iter_mut().for_each(|clip| {
            let name = frame(clip.start).unwrap_or_default();
            give(clip, name);
        }),
    }
    given
}

/// Returns the text of a model's clips.
fn text_of(clips: impl IntoIterator<Item = FrameClip>) -> FrameGroups {
    let range =
        |FrameClip { name, start, length, fps, looping }| ClipRange { name, start, length, fps, looping };
    FrameGroups::from_clips(clips.into_iter().map(range))
}

/// Returns the companion that lists the clips of a model, unless the model has its own list.
pub(super) fn listing(companions: &Companions) -> Option<&FrameGroups> {
    companions.one::<FrameGroups>().filter(|groups| !groups.groups.is_empty())
}

/// Returns the place of the list of a model's clips.
#[cfg(feature = "gltf")]
pub(super) fn clip_list(companions: &Companions) -> ClipList {
    if listing(companions).is_some() { ClipList::Companion } else { ClipList::Model }
}

/// Adds the text of a merged model's clips: lines of unedited clips stay. A model without such a text gets one if its
/// own list `says` other clips.
#[cfg(feature = "gltf")]
pub(super) fn with_text(
    merging: &Merging<'_>,
    clips: Vec<MergedClip>,
    resized: bool,
    says: &dyn Fn(&[MergedClip]) -> bool,
    mut made: Converted<OutputFiles>,
) -> FilesResult {
    let text = match (listing(merging.companions), merging.companions.one::<FrameGroups>()) {
        (Some(groups), _) => {
            let listed = clips.into_iter().filter(|clip| !is_added(groups, clip));
            let groups_of = listed.map(|clip| edited(groups, clip, resized)).collect();
            groups.edited(groups_of).map_err(invalid_file)?
        }
        (None, Some(empty)) if clips.is_empty() => empty.clone(),
        (None, _) if clips.is_empty() || says(&clips) => return Ok(made),
        (None, _) => text_of(clips.into_iter().map(|c| c.clip)),
    };
    made.value.push(format!("{}.framegroups", merging.name), text.to_bytes().map_err(invalid_file)?);
    Ok(made)
}

/// Returns true for an unedited clip that is not in the text: that of a frame without a clip.
#[cfg(feature = "gltf")]
fn is_added(groups: &FrameGroups, merged: &MergedClip) -> bool {
    let (clip, was) = (&merged.clip, merged.was.as_ref());
    let same = |old: &FrameClip| {
        let length = clip.length == old.length && clip.fps.to_bits() == old.fps.to_bits();
        length && clip.name == old.name && clip.looping == old.looping
    };
    was.is_some_and(|(number, old)| *number >= groups.groups.len() && same(old))
}

/// Returns the group of a clip. It keeps the text of the original group if that still has the same meaning: a group
/// beyond a model's frames changes its meaning in a `resized` model.
#[cfg(feature = "gltf")]
fn edited(groups: &FrameGroups, merged: MergedClip, resized: bool) -> (Option<usize>, FrameGroup) {
    let MergedClip { clip, was, .. } = merged;
    let kept = was.and_then(|(c, old)| Some((c, old, groups.groups.get(c)?.clone())));
    let new = text_of([clip.clone()]).groups.pop().unwrap_or_else(|| FrameGroup::new(0, 1));
    let Some((c, old, mut group)) = kept else { return (None, new) };
    if resized || clip.start != old.start {
        group.start = new.start;
    }
    if resized || clip.length != old.length {
        group.length = new.length;
    }
    if clip.fps.to_bits() != old.fps.to_bits() {
        group.fps = new.fps;
    }
    if clip.looping != old.looping {
        group.looping = new.looping;
    }
    if clip.name != old.name {
        group.name = new.name;
    }
    (Some(c), group)
}

/// Adds findings about clips with frames that the model lacks.
fn validate_with(mut report: Report, companions: &Companions, poses: usize) -> Report {
    if let Some(groups) = companions.one::<FrameGroups>() {
        report.append(groups.validate_for(poses).of_part(Role::Clips.name()));
    }
    report
}

/// Returns the summary of a model with this number of poses. A companion that lists clips replaces their number.
fn summary_with(summary: Summary, companions: &Companions, poses: usize, still: bool) -> Summary {
    match companions.one::<FrameGroups>().map(|groups| groups.clip_count(poses)) {
        // A text without clips leaves the model's own list, which is empty for a static model.
        Some(0) if still => Summary { clips: 0, ..summary },
        Some(clips) if clips > 0 => Summary { clips, ..summary },
        _ => summary,
    }
}

/// Limits of engines for DPM and ZYM, in addition to the rules of the formats.
mod engines {
    meshwright_core::rules! {
        error BONES = "engine-bones", Limit [Refuses],
            "The engine takes fewer bones (DarkPlaces counts them in bytes, model_alias.c; FTE MAX_BONES).",
            "Leave bones out that nothing follows.";
        warning INFLUENCES = "engine-influences", Compatibility [Tolerated],
            "DarkPlaces keeps the four heaviest bones of a vertex (model_alias.c, Mod_DARKPLACESMODEL_Load).",
            "Cut the vertex to four bones.";
        error SEVERAL = "engine-several-bones", Compatibility [Refuses],
            "DarkPlaces refuses a ZYM whose vertices follow several bones (model_alias.c, Mod_ZYMOTICMODEL_Load).",
            "Keep the bone that the vertex follows most, or write a DPM.";
        warning SCALE = "engine-scale", Compatibility [Misshown],
            "DarkPlaces multiplies the places of bones with the scale of the first bone in the first frame, and passes over all other scales (seen with its modeldecompile).",
            "Give bones the scale 1 and scale the mesh; only the roots may all have one scale in every frame.";
        warning TEXTURE = "engine-texture", Missing [Misshown],
            "A texture is next to the model, where DarkPlaces does not look for it (gl_textures.c, loadimagepixelsbgra).",
            "Put it where the name of the material says, from the game's folder on, or below `textures`.";
    }
}
use engines::{BONES, INFLUENCES, SCALE, SEVERAL};
pub(crate) use engines::{RULES as ENGINE_RULES, TEXTURE as ENGINE_TEXTURE};

/// Checks the limits of an engine for the number of bones, and for the `most` bones that a vertex follows.
fn validate_for(engine: Engine, format: &str, bones: usize, most: usize) -> Report {
    let mut findings = Findings::validating();
    if !engine.formats().contains(&format) {
        return findings.into_report();
    }
    let (root, limits) = (FieldPath::ROOT, engine.limits());
    let mut found = |rule, field: &'static str, message: String| {
        // Validation passes over everything.
        let _ = findings.broken(rule, &root.field(field), None, || message);
    };
    if bones > limits.bones {
        found(BONES, "bones", format!("{bones} bones, {} takes {}", engine.title(), limits.bones));
    }
    if format == "zym" && engine == Engine::DarkPlaces && most > 1 {
        found(SEVERAL, "vertbonecounts", format!("a vertex follows {most} bones"));
    } else if most > limits.influences {
        found(
            INFLUENCES,
            "meshes",
            format!("a vertex follows {most} bones, the engine takes {}", limits.influences),
        );
    }
    findings.into_report()
}

/// Checks whether DarkPlaces shows the scales of bones that place vertices or other bones. `first` is the first pose, and
/// `places` has the bones that vertices follow.
fn validate_scales(
    engine: Engine,
    bones: &[Bone],
    poses: &[BonePose],
    first: usize,
    mut places: Vec<bool>,
) -> Report {
    let mut findings = Findings::validating();
    if engine != Engine::DarkPlaces || bones.is_empty() {
        return findings.into_report();
    }
    let scales = |pose: &BonePose| {
        let rows = pose.rows().map(|row| row.map(f64::from));
        let squares = rows.iter().fold([0.0; 3], |[a, b, c], [x, y, z, _]| [a + x * x, b + y * y, c + z * z]);
        squares.map(f64::sqrt)
    };
    let taken = poses.get(first.saturating_mul(bones.len())).map_or(1.0, |pose| scales(pose)[0]);
    for bone in bones {
        mark(&mut places, u32::try_from(bone.parent).ok());
    }
    for (i, bone) in bones.iter().enumerate().filter(|(i, _)| places.get(*i) == Some(&true)) {
        let own = poses.iter().skip(i).step_by(bones.len()).flat_map(scales);
        let [least, most] =
            own.fold([f64::MAX, 0.0], |[least, most], scale| [least.min(scale), most.max(scale)]);
        let shown = if bone.parent < 0 { taken } else { 1.0 };
        if least < shown - SCALE_ROUNDING || most > shown + SCALE_ROUNDING {
            let list = FieldPath::ROOT.field("bones");
            let message = || format!("scales from {least:.4} to {most:.4}, the engine takes {shown:.4}");
            // Validation passes over everything.
            let _ = findings.broken(SCALE, &list.index(i), None, message);
        }
    }
    findings.into_report()
}

/// Marks a bone as one that places something.
fn mark(places: &mut [bool], bone: Option<u32>) {
    if let Some(places) = bone.and_then(|bone| places.get_mut(bone as usize)) {
        *places = true;
    }
}

/// Scales that differ by less are rounded.
const SCALE_ROUNDING: f64 = 1e-3;

/// The repairs of DPM and ZYM.
const MENDED: &[(&str, &str)] = &[
    ("truncated", "the header states the size of the file"),
    ("out-of-file", "the header states the size of the file"),
    (
        "bad-parent",
        "a parent below -1 is -1, and bones are sorted so that parents come first, their numbers with them",
    ),
];

/// Makes a root of a bone whose parent is below -1.
fn mend(bones: &mut [Bone], finding: &Finding) -> bool {
    let bone =
        item(finding, "bones").filter(|_| finding.rule.code == "bad-parent").and_then(|i| bones.get_mut(i));
    bone.filter(|bone| bone.parent < -1).is_some_and(|bone| {
        bone.parent = -1;
        true
    })
}

/// Makes the operations in which DPM and ZYM differ only by the number of poses, a field of meshes, and names of frames.
macro_rules! alike {
    (|$model:ident| $poses:expr, $field:literal, $frame_names:literal, $strategy:expr) => {
        const TRAITS: FormatTraits = FormatTraits {
            pictures_beside: true,
            has_skins: true,
            has_tags: true,
            has_frame_names: $frame_names,
            optimizer: Some(Optimizer::DarkPlaces),
            ..FormatTraits::NONE
        };
        const UP: usize = 2;
        const MENDED: &'static [(&'static str, &'static str)] = MENDED;

        fn takes(part: &str, field: &str, _: &Extra) -> bool {
            matches!((part, field), ("skeletons", "flags" | "attach") | ("meshes", $field))
        }

        fn mend(&mut self, finding: &Finding) -> bool {
            mend(&mut self.bones, finding)
        }

        fn mend_bytes(bytes: &mut [u8], finding: &Finding) -> bool {
            stated_size(bytes, finding, u32::to_be_bytes)
        }

        fn to_scene(&self, _: &str, companions: &Companions, options: &SceneOptions) -> SceneResult {
            let $model = self;
            with_clips(companions, ($model, $poses), options, |m, pose| m.clip_name_at(pose), Self::to_scene)
        }

        fn validate_with(&self, companions: &Companions) -> Report {
            let $model = self;
            validate_with($model.validate(), companions, $poses)
        }

        fn picture(material: &Material) -> Option<&str> {
            Some(&material.name)
        }

        super::strategies!($strategy);
    };
}

impl Kind for Dpm {
    fn validate_for(&self, engine: Engine) -> Report {
        let (mut most, mut places) = (0, vec![false; self.bones.len()]);
        for mesh in &self.meshes {
            for vertex in mesh.vertices.iter() {
                most = most.max(vertex.len());
                vertex.iter().for_each(|influence| mark(&mut places, Some(influence.bone)));
            }
        }
        let mut report = validate_for(engine, "dpm", self.bones.len(), most);
        let first = self.frames.first().map_or(0, |frame| frame.pose.0 as usize);
        report.append(validate_scales(engine, &self.bones, &self.poses, first, places));
        report
    }

    fn take_scene(&mut self, _: &str, companions: &Companions, options: &SceneOptions) -> SceneResult {
        let frames = self.frames.len();
        let model = (self, frames);
        with_clips(companions, model, options, |m, frame| m.clip_name_at(frame), Self::take_scene)
    }

    fn into_bytes(self) -> Result<Vec<u8>, WriteError> {
        self.into_bytes()
    }

    /// The clips are written to a companion text.
    fn write_scene(scene: &Scene, stem: &str, options: &WriteOptions) -> FilesResult {
        with_listing(stem, write_scene(scene, &options.for_format(Default::default()))?)
    }

    fn transcribe(&self, work: &Transcription<'_>) -> Transcribed {
        (work.to == Format::Zym).then(|| {
            let name = |frame| self.clip_name_at(frame);
            let made =
                transcribe_clips(work, self.frames.len(), &name, |clips, how| self.to_zym(clips, how))?;
            single(work.stem, made)
        })
    }

    #[cfg(feature = "gltf")]
    fn merge(&self, merging: &Merging<'_>) -> FilesResult {
        let Merging { native, patch, options, .. } = *merging;
        let list = clip_list(merging.companions);
        let merged = self.merge(native, patch, list, &options.for_format(Default::default()))?;
        let (model, clips) = (merged.value.model, merged.value.clips);
        let (own, resized) = (model.clips_from_names(), model.frames.len() != self.frames.len());
        let says = |clips: &[MergedClip]| own.iter().eq(clips.iter().map(|c| &c.clip));
        with_text(merging, clips, resized, &says, merging.single(Converted::new(model, merged.losses))?)
    }

    fn summary(&self) -> Summary {
        Summary {
            meshes: self.meshes.len(),
            vertices: self.meshes.iter().map(|m| m.vertices.len()).sum(),
            triangles: self.meshes.iter().map(|m| m.triangles.len()).sum(),
            bones: self.bones.len(),
            frames: Some(self.frames.len()),
            clips: self.clips_from_names().len(),
            ..Summary::default()
        }
    }

    fn summary_with(&self, companions: &Companions) -> Summary {
        let frames = self.frames.len();
        summary_with(self.summary(), companions, frames, frames <= 1)
    }

    alike!(|model| model.frames.len(), "groupids", true, meshwright_dpm::strategy::dpm());
}

impl Kind for Zym {
    fn validate_for(&self, engine: Engine) -> Report {
        let most = self.vertices().fold(0, |most, vertex| most.max(vertex.len()));
        let mut report = validate_for(engine, "zym", self.bones.len(), most);
        let mut places = vec![false; self.bones.len()];
        self.influences.iter().for_each(|influence| mark(&mut places, Some(influence.bone)));
        report.append(validate_scales(engine, &self.bones, &self.poses, 0, places));
        report
    }

    fn write_scene(scene: &Scene, stem: &str, options: &WriteOptions) -> FilesResult {
        single(stem, Self::from_scene(scene, &options.for_format(Default::default()))?)
    }

    fn transcribe(&self, work: &Transcription<'_>) -> Transcribed {
        (work.to == Format::Dpm).then(|| {
            let name = |pose| self.clip_name_at(pose);
            let made =
                transcribe_clips(work, self.pose_count(), &name, |clips, how| self.to_dpm(clips, how))?;
            with_listing(work.stem, made)
        })
    }

    #[cfg(feature = "gltf")]
    fn merge(&self, merging: &Merging<'_>) -> FilesResult {
        let Merging { native, patch, options, .. } = *merging;
        let list = clip_list(merging.companions);
        let merged = self.merge(native, patch, list, &options.for_format(Default::default()))?;
        let (model, clips) = (merged.value.model, merged.value.clips);
        let resized = model.pose_count() != self.pose_count();
        // Its scenes are its clips.
        with_text(merging, clips, resized, &|_| true, merging.single(Converted::new(model, merged.losses))?)
    }

    fn summary(&self) -> Summary {
        Summary {
            meshes: self.runs.len(),
            vertices: self.vertex_count(),
            triangles: self.triangle_count(),
            bones: self.bones.len(),
            frames: Some(self.pose_count()),
            clips: self.scenes.len(),
            ..Summary::default()
        }
    }

    fn summary_with(&self, companions: &Companions) -> Summary {
        summary_with(self.summary(), companions, self.pose_count(), false)
    }

    alike!(|model| model.pose_count(), "trizone", false, meshwright_dpm::strategy::zym());
}

impl Kind for FrameGroups {
    fn summary(&self) -> Summary {
        Summary { clips: self.groups.len(), ..Summary::default() }
    }
}
