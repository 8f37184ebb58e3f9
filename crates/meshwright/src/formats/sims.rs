//! The Sims' files in the facade.

use super::character::{UNIT, figure, skills};
#[cfg(feature = "gltf")]
use super::sims_merge;
use super::write::{bare, single};
use super::{
    Companions, FilesResult, Format, FormatTraits, Kind, Merging, ReadSettings, SceneResult, Summary,
    Transcribed, Transcription, WriteOptions, invalid_file,
};
use meshwright_core::text::counted;
use meshwright_core::{Finding, Report};
use meshwright_scene::{ConvertError, Converted, Extra, Loss, Material, OutputFiles, Scene, SceneOptions};
use meshwright_tso::{
    Anim, Bcf, Bmf, Bnd, CHOSEN_BY_SUIT, Cfp, CfpOptions, Character, CharacterForm, CharacterSkeleton, Cmx,
    Geometry, Mesh, MeshForm, Name, Skel, Skill, Skn, TsoSceneOptions, is_written, write_scene,
};

/// Returns the options for meshes in files of one form.
fn meshes_as(form: MeshForm, options: &WriteOptions) -> TsoSceneOptions {
    options.tso.clone().with_meshes(form)
}

/// Returns the options for meshes, skeleton and clips in separate files.
#[cfg(feature = "gltf")]
pub(super) fn as_parts(options: &WriteOptions) -> TsoSceneOptions {
    meshes_as(MeshForm::Mesh, options)
}

/// Returns the texture name in a material, unless the suit selects the texture.
fn texture_name(name: &str) -> Option<&str> {
    Some(name).filter(|name| !name.eq_ignore_ascii_case(CHOSEN_BY_SUIT))
}

/// Makes the unit of length, and the native fields that are written.
macro_rules! own_fields {
    () => {
        const METRES: Option<f64> = UNIT;

        fn takes(_: &str, field: &str, value: &Extra) -> bool {
            is_written(field, value)
        }
    };
}

/// Makes the checks of a file's name, and the generator of models.
macro_rules! own_checks {
    ($strategy:expr) => {
        fn validate_name(&self, file_name: &str) -> Report {
            self.validate_name(file_name)
        }

        super::strategies!($strategy);
    };
}

pub(super) use own_checks;

macro_rules! characters {
    ($($model:ident: $form:ident, $other:ident, $strategy:expr;)+) => {$(
        impl Kind for $model {
            own_fields!();

            fn to_scene(&self, name: &str, companions: &Companions, options: &SceneOptions) -> SceneResult {
                character_scene(&self.character, name, companions, options)
            }

            fn write_scene(scene: &Scene, stem: &str, options: &WriteOptions) -> FilesResult {
                let own = options.tso.clone().with_character(CharacterForm::$form);
                write_scene(scene, stem, &options.for_format(own))
            }

            fn transcribe(&self, work: &Transcription<'_>) -> Transcribed {
                work.character(&self.character, || single(work.stem, self.$other()))
            }

            #[cfg(feature = "gltf")]
            fn merge(&self, merging: &Merging<'_>) -> FilesResult {
                let own = merging.options.tso.clone().with_character(CharacterForm::$form);
                sims_merge::merge_character(&self.character, self.clone().into(), merging, own)
            }

            const TRAITS: FormatTraits = FormatTraits { paletted: true, ..FormatTraits::NONE };

            fn picture(material: &Material) -> Option<&str> {
                texture_name(&material.name)
            }

            fn summary(&self) -> Summary {
                let c = &self.character;
                let (suits, skins) = (c.suits.len(), c.suits.iter().map(|s| s.skins.len()).sum::<usize>());
                let mut notes = Vec::new();
                if suits > 0 {
                    let suits = counted(suits as u64, "suit", "suits");
                    notes.push(format!("{suits} of {}", counted(skins as u64, "skin", "skins")));
                }
                notes.extend(c.skeletons.iter().map(|s| format!("skeleton {}", s.name.text())));
                Summary {
                    bones: c.skeletons.iter().map(|s| s.bones.len()).sum(),
                    clips: c.skills.len(),
                    frames: c.skills.iter().map(|s| s.frames() as usize).max(),
                    notes,
                    ..Summary::default()
                }
            }

            fn summary_with(&self, companions: &Companions) -> Summary {
                companions.add_parts(self.summary())
            }

            fn texture(&self, _: usize, name: &str) -> Option<String> {
                texture_name(name).map(str::to_owned)
            }

    own_checks!($strategy);
        }
    )+};
}

characters! {
    Bcf: Binary, to_cmx, meshwright_tso::strategy::bcf();
    Cmx: Text, to_bcf, meshwright_tso::strategy::cmx();
}

/// Makes the scene of a character file: the skeleton with its skills, or the skins of its suits on an existing
/// skeleton.
fn character_scene(
    character: &Character,
    name: &str,
    companions: &Companions,
    options: &SceneOptions,
) -> SceneResult {
    // The converted records exist in addition to the original ones, keys by keys and bone by bone.
    let bones = character.skeletons.iter().map(|s| s.bones.len()).sum::<usize>() as u64;
    let keys = companions.all::<Cfp>().map(|keys| keys.values.len()).sum::<usize>() as u64;
    options.budget().charge_items("skeletons", bones, size_of::<[meshwright_tso::Bone; 4]>())?;
    options.budget().charge_items("skills", keys, size_of::<[f32; 2]>())?;
    let own: Vec<Skel> = character.skeletons.iter().map(CharacterSkeleton::to_skel).collect();
    let skills = skills(character, &companions.files);
    let mut figure = figure(name, None, companions);
    // The file's own skeleton takes precedence.
    figure.skeleton = own.first().or(figure.skeleton);
    for part in &mut figure.parts {
        let name = Name::from_text(&part.name).0;
        let worn = character.suits.iter().flat_map(|suit| suit.skins.iter().map(move |skin| (suit, skin)));
        part.suit = worn.into_iter().find(|(_, skin)| skin.skin.matches(&name));
    }
    figure.animations.splice(0..0, skills.iter().map(|(_, anim)| anim));
    if figure.skeleton.is_none() && figure.parts.is_empty() {
        let message = if character.skills.is_empty() {
            "the meshes of its suits are not there (--root names their folder), and it holds no skeleton: --skeleton names one"
        } else {
            "a skill moves a skeleton, and none is in the tree: --skeleton names one, --root the folder of the game"
        };
        return Err(ConvertError::unsupported("file", message));
    }
    let mut made = figure.to_scene(options)?;
    let missing = character.skills.len().saturating_sub(skills.len());
    if missing > 0 {
        let message = "skills whose keys are not there, or not as many as they say";
        made.losses.push(Loss::new("keys-missing", "skills", message).with_count(missing, "skill", "skills"));
    }
    if own.len() > 1 {
        let message = format!("of {} skeletons the first is shown", own.len());
        made.losses
            .push(Loss::new("skeleton-left", "skeletons", message).counted(own.len().saturating_sub(1)));
    }
    Ok(made)
}

/// The repairs of meshes.
const MENDED: &[(&str, &str)] = &[
    ("total-count", "the number of all vertices is that of real and blend vertices"),
    ("total-real-only", "the number of all vertices counts the blend vertices too"),
    ("blend-weight", "the weight is the whole, 0x8000"),
];

fn mend(geometry: &mut Geometry, finding: &Finding) -> bool {
    match finding.rule.code {
        "total-count" | "total-real-only" => {
            std::mem::take(&mut geometry.total) != meshwright_tso::Total::All
        }
        "blend-weight" => {
            let blend = super::mending::item(finding, "blends").and_then(|i| geometry.blends.get_mut(i));
            blend.filter(|blend| !blend.weight.is_valid()).is_some_and(|blend| {
                blend.weight = blend.weight.clamped();
                true
            })
        }
        _ => false,
    }
}

macro_rules! meshes {
    ($($model:ident: |$m:ident, $work:ident| $transcribed:expr, $form:ident, $paletted:literal, $strategy:expr;)+) => {$(
        impl Kind for $model {
            const MENDED: &'static [(&'static str, &'static str)] = MENDED;

            own_fields!();

            fn mend(&mut self, finding: &Finding) -> bool {
                mend(&mut self.geometry, finding)
            }

            fn to_scene(&self, name: &str, companions: &Companions, options: &SceneOptions) -> SceneResult {
                figure(name, Some(self.into()), companions).to_scene(options)
            }

            fn write_scene(scene: &Scene, stem: &str, options: &WriteOptions) -> FilesResult {
                write_scene(scene, stem, &options.for_format(meshes_as(MeshForm::$form, options)))
            }

            fn transcribe(&self, work: &Transcription<'_>) -> Transcribed {
                let ($m, $work) = (self, work);
                $transcribed
            }

            #[cfg(feature = "gltf")]
            fn merge(&self, merging: &Merging<'_>) -> FilesResult {
                sims_merge::merge_figure(self.clone().into(), merging, meshes_as(MeshForm::$form, merging.options))
            }

            fn summary(&self) -> Summary {
                let g = &self.geometry;
                Summary {
                    meshes: 1,
                    vertices: g.real.len(),
                    triangles: g.faces.len(),
                    bones: g.bones.len(),
                    notes: vec![counted(g.blends.len() as u64, "blend vertex", "blend vertices")],
                    ..Summary::default()
                }
            }

            const TRAITS: FormatTraits =
                FormatTraits { paletted: $paletted, needs_skeleton: true, ..FormatTraits::NONE };

            fn picture(material: &Material) -> Option<&str> {
                // Textures of The Sims Online are found by number, with their meshes.
                texture_name(&material.name).filter(|_| $paletted)
            }

            fn texture(&self, _: usize, name: &str) -> Option<String> {
                texture_name(name).map(str::to_owned)
            }

            fn validate_with(&self, companions: &Companions) -> Report {
                let mut report = self.validate();
                if let Some(skeleton) = companions.one::<Skel>() {
                    report.append(self.geometry.validate_with(skeleton));
                }
                report
            }

    own_checks!($strategy);
        }
    )+};
}

meshes! {
    Mesh: |m, work| work.mesh(m), Mesh, false, meshwright_tso::strategy::mesh();
    Bmf: |m, work| work.mesh_of_sims1(Converted::new(m.clone(), Vec::new())), Bmf, true, meshwright_tso::strategy::bmf();
    Skn: |m, work| work.mesh_of_sims1(m.to_bmf()), Skn, true, meshwright_tso::strategy::skn();
}

impl Kind for Skel {
    own_fields!();

    fn to_scene(&self, name: &str, companions: &Companions, options: &SceneOptions) -> SceneResult {
        figure(name, None, companions).with_skeleton(Some(self)).to_scene(options)
    }

    fn write_scene(scene: &Scene, stem: &str, options: &WriteOptions) -> FilesResult {
        let lost = bare(scene, false)?;
        let mut made = Self::from_scene(scene, &options.for_format(options.tso.clone()))?;
        made.losses.extend(lost);
        single(stem, made)
    }

    fn transcribe(&self, work: &Transcription<'_>) -> Transcribed {
        work.skeleton(self)
    }

    #[cfg(feature = "gltf")]
    fn merge(&self, merging: &Merging<'_>) -> FilesResult {
        sims_merge::merge_figure(self.clone().into(), merging, as_parts(merging.options))
    }

    fn summary(&self) -> Summary {
        Summary { bones: self.bones.len(), ..Summary::default() }
    }

    own_checks!(meshwright_tso::strategy::skel(meshwright_tso::strategy::finite()));
}

impl Kind for Anim {
    const TRAITS: FormatTraits = FormatTraits { is_clip: true, ..FormatTraits::NONE };
    const MENDED: &'static [(&'static str, &'static str)] =
        &[("duration-seconds", "the duration is in milliseconds")];

    own_fields!();

    fn mend(&mut self, finding: &Finding) -> bool {
        let seconds = finding.rule.code == "duration-seconds";
        if seconds {
            self.duration = (self.duration.get() * 1000.0).into();
        }
        seconds
    }

    fn to_scene(&self, name: &str, companions: &Companions, options: &SceneOptions) -> SceneResult {
        if companions.one::<Skel>().is_none() {
            let message = "an animation moves a skeleton, and none is in the tree: --skeleton names one, --root the folder of the game";
            return Err(ConvertError::unsupported("file", message));
        }
        let mut figure = figure(name, None, companions);
        figure.animations.insert(0, self);
        figure.to_scene(options)
    }

    fn write_scene(scene: &Scene, stem: &str, options: &WriteOptions) -> FilesResult {
        let lost = bare(scene, true)?;
        let mut made = Self::from_scene(scene, &options.for_format(options.tso.clone()))?;
        made.losses.extend(lost);
        single(stem, made)
    }

    fn transcribe(&self, work: &Transcription<'_>) -> Transcribed {
        work.animation(self)
    }

    /// Merges edits; the animation itself is the first clip of its scene.
    #[cfg(feature = "gltf")]
    fn merge(&self, merging: &Merging<'_>) -> FilesResult {
        sims_merge::merge_animation(self, merging, TsoSceneOptions::default())
    }

    fn summary(&self) -> Summary {
        Summary {
            bones: self.motions.len(),
            clips: 1,
            frames: Some(self.motions.iter().map(|m| m.frames as usize).max().unwrap_or(0)),
            notes: vec![self.name.text()],
            ..Summary::default()
        }
    }

    own_checks!({
        use meshwright_tso::strategy::{anim, finite, name};
        anim(finite(), name())
    });
}

impl Kind for Cfp {
    const TRAITS: FormatTraits = FormatTraits { owner: Some(Format::TsoAnimation), ..FormatTraits::NONE };

    fn options(settings: &ReadSettings) -> CfpOptions {
        let options = CfpOptions::from(settings.read);
        settings
            .key_counts
            .map_or(options, |(translations, rotations)| options.with_counts(translations, rotations))
    }

    fn takes(_: &str, field: &str, value: &Extra) -> bool {
        is_written(field, value)
    }

    /// Writes the keys of a clip, and the record of the skill. Without the record, the keys are only numbers.
    fn write_scene(scene: &Scene, stem: &str, options: &WriteOptions) -> FilesResult {
        let lost = bare(scene, true)?;
        let mut made = Anim::from_scene(scene, &options.for_format(options.tso.clone()))?;
        made.losses.extend(lost);
        let (skill, keys) = Skill::from_anim(&made.value, Name::from_text(stem).0);
        let record = Cmx::new(Character { skills: vec![skill], ..Character::default() });
        let mut files = OutputFiles::single(format!("{stem}.cfp"), keys.to_bytes().map_err(invalid_file)?);
        files.push(format!("{stem}.cmx"), record.to_bytes().map_err(invalid_file)?);
        Ok(Converted::new(files, made.losses))
    }

    fn summary(&self) -> Summary {
        Summary { notes: vec![counted(self.values.len() as u64, "number", "numbers")], ..Summary::default() }
    }

    own_checks!(meshwright_tso::strategy::cfp());
}

impl Kind for Bnd {
    fn summary(&self) -> Summary {
        Summary { notes: vec![self.bone.text()], ..Summary::default() }
    }

    own_checks!(meshwright_tso::strategy::bnd());
}
