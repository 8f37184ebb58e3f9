//! Conversions between formats with the same records, without a scene.

use super::{Companions, FilesResult, Format, WriteOptions};
use meshwright_scene::Converted;

/// Files with the same records; the main one is first. It is `None` if the other format has other records.
pub type Transcribed = Option<FilesResult>;

/// The conversion of a file to another format with the same records, with its companions.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Transcription<'a> {
    /// The format to write.
    pub to: Format,
    /// The name of the main file without its extension.
    pub stem: &'a str,
    /// The companions of the model.
    pub companions: &'a Companions,
    /// The options for writing files.
    pub options: &'a WriteOptions,
}

#[cfg(feature = "tso")]
mod sims {
    use super::{Converted, FilesResult, Format, Transcribed, Transcription};
    use crate::formats::companions::{keys, keys_file};
    use crate::formats::invalid_file;
    use crate::formats::write::single;
    use meshwright_tso::{Anim, Bcf, Bmf, Bnd, Character, Cmx, Mesh, Name, ResourceId, Skel, Skn};

    /// The maximum number of characters of a clip in the name of the file of its keys.
    const LONGEST_SKILL: usize = 64;

    /// Adds a file to a result.
    fn with_file(made: FilesResult, name: String, bytes: Vec<u8>) -> FilesResult {
        made.map(|mut made| {
            made.value.push(name, bytes);
            made
        })
    }

    /// Writes the records of a character as text or in binary.
    fn spelled(made: Converted<Character>, work: &Transcription<'_>) -> Transcribed {
        match work.to {
            Format::Bcf => Some(single(work.stem, made.map(Bcf::new))),
            Format::Cmx => Some(single(work.stem, made.map(Cmx::new))),
            _ => None,
        }
    }

    impl Transcription<'_> {
        /// Converts a character file: to its `other` form, with unchanged keys of its skills, or to one of its records.
        pub(in crate::formats) fn character(
            &self,
            character: &Character,
            other: impl FnOnce() -> FilesResult,
        ) -> Transcribed {
            let files = &self.companions.files;
            match self.to {
                Format::Bcf | Format::Cmx => {
                    let mut made = other();
                    let named = character.skills.iter().filter_map(|skill| keys_file(files, &skill.keys));
                    for file in named {
                        let name = file.file_name();
                        if made.as_ref().is_ok_and(|made| made.value.get(&name).is_none()) {
                            let bytes = match file.source.as_ref().and_then(|source| source.bytes.as_ref()) {
                                Some(bytes) => Ok(bytes.to_vec()),
                                None => file.model.to_bytes().map_err(invalid_file),
                            };
                            made = bytes.and_then(|bytes| with_file(made, name, bytes));
                        }
                    }
                    Some(made)
                }
                Format::TsoSkeleton => Some(single(self.stem, character.to_skel()?)),
                Format::TsoAnimation => Some(single(self.stem, character.to_anim(|name| keys(files, name))?)),
                _ => None,
            }
        }

        /// Writes a skeleton as the record of a character file.
        pub(in crate::formats) fn skeleton(&self, skel: &Skel) -> Transcribed {
            spelled(Character::from_skel(skel), self)
        }

        /// Writes an animation as the record of a character file, with a file for its keys.
        pub(in crate::formats) fn animation(&self, anim: &Anim) -> Transcribed {
            if !matches!(self.to, Format::Bcf | Format::Cmx) {
                return None;
            }
            // The record has the name of the file byte by byte.
            let is_plain = |c: &char| c.is_ascii_alphanumeric() || "-_. ".contains(*c);
            let plain = |text: &str| text.chars().filter(is_plain).take(LONGEST_SKILL).collect::<String>();
            let own = plain(&anim.name.text());
            let name = format!("xskill-{}", if own.is_empty() { plain(self.stem) } else { own });
            let Converted { value: (character, cfp), losses, .. } =
                Character::from_anim(anim, Name::from_text(&name).0);
            let record = spelled(Converted::new(character, losses), self)?;
            Some(
                cfp.to_bytes()
                    .map_err(invalid_file)
                    .and_then(|keys| with_file(record, format!("{name}.cfp"), keys)),
            )
        }

        /// Converts a mesh of The Sims 1.
        pub(in crate::formats) fn mesh_of_sims1(&self, bmf: Converted<Bmf>) -> Transcribed {
            match self.to {
                Format::Bmf => Some(single(self.stem, bmf)),
                Format::Skn => Some(single(self.stem, bmf.map(Skn::from))),
                Format::TsoMesh => {
                    let number = self.options.tso.id;
                    let Converted { value: (mesh, bound), losses, .. } = bmf.value.to_mesh(self.stem, number);
                    let losses = bmf.losses.into_iter().chain(losses).collect();
                    let made = single(self.stem, Converted::new(mesh, losses));
                    Some(match bound {
                        Some(bound) => bound
                            .to_bytes()
                            .map_err(invalid_file)
                            .and_then(|bytes| with_file(made, format!("{}.bnd", self.stem), bytes)),
                        None => made,
                    })
                }
                _ => None,
            }
        }

        /// Converts a mesh of The Sims Online, with the texture of its binding.
        pub(in crate::formats) fn mesh(&self, mesh: &Mesh) -> Transcribed {
            let bound = || self.companions.one::<Bnd>()?.texture.as_ref().map(ResourceId::tag);
            let texture = self.companions.texture.clone().or_else(bound);
            let bmf = || mesh.to_bmf(self.stem, texture.as_deref());
            match self.to {
                Format::Bmf => Some(single(self.stem, bmf())),
                Format::Skn => Some(single(self.stem, bmf().map(Skn::from))),
                _ => None,
            }
        }
    }
}
