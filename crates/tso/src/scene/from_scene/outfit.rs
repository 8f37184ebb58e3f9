//! Converts a scene to an outfit of The Sims Online: records, meshes and textures, each with its number.

use super::figure::{Made, MadeMesh, main_first, twins};
use super::files::{File, Files, extension};
use super::options::{MeshForm, TsoSceneOptions};
use crate::bnd::ResourceId;
use crate::mesh::Mesh;
use crate::outfit::model::kinds;
use crate::outfit::{Apr, FileRef, Hag, Oft, Region, Side};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::{FileFormat, SortedSet};
use meshwright_scene::{ConvertError, Converted, FromSceneOptions, Loss, OutputFiles, Scene};

/// The bones of a hand, without the letter of the side before them.
const HAND: [&str; 2] = ["_HAND", "_FINGER"];
/// The bone of a head.
const HEAD: &str = "HEAD";

/// Converts a scene to a new outfit: the `.oft` first, an `.apr` for all tones of skin, a `.bnd` and a `.mesh` for each
/// drawn mesh, and the textures. Meshes with bones of one hand only become the hands of a body, with a `.hag` and an
/// `.apr` for each hand. Skeleton and clips are not written.
///
/// The [options](TsoSceneOptions::id), or the number in `stem`, give the number of the outfit and of the first file of
/// each type. File names consist of a name and the numbers, as in `rose.0000002a0000000d.oft`.
///
/// # Errors
/// As [`write_scene`](crate::write_scene), and if neither options nor name give a number.
pub fn write_outfit(
    scene: &Scene,
    stem: &str,
    options: &FromSceneOptions<TsoSceneOptions>,
) -> Result<Converted<OutputFiles>, ConvertError> {
    let (budget, mut losses) = (options.budget(), Vec::new());
    scene.validate()?;
    let in_name = ResourceId::in_name(stem).filter(|id| id.kind == kinds::OUTFIT);
    let number = in_name.map(|id| id.file).or(options.format.id);
    let number = number.ok_or_else(|| {
        ConvertError::unsupported("name", "the game finds an outfit by its number: --tso-id gives one")
    })?;
    let stem = options.format.name.as_deref().unwrap_or(untagged(stem));
    let mut options = options.clone();
    options.format.id = Some(number);
    options.format.name = Some(stem.into());
    (options.format.meshes, options.format.character) = (MeshForm::Mesh, None);
    let twins = twins(scene, &budget)?;
    let scene = Scene::with_one_skeleton(Cow::Borrowed(scene), twins.others(), &budget, &mut losses)?;
    let mut files = Files::new(stem, &budget);
    let made = Made::new(&scene, stem, &twins, &options, (&mut files, &mut losses))?;
    if !made.clips.is_empty() {
        let message = "an outfit has no clips";
        let loss = Loss::new("clips-dropped", "clips", message);
        losses.push(loss.with_count(made.clips.len(), "clip", "clips"));
    }
    let region = region(&made.meshes);
    let (mut looks, mut pictures) = ([Apr::default(), Apr::default(), Apr::default()], SortedSet::new());
    let mut numbered = NumberedFiles { first: number, files };
    for (n, mesh) in (0..).zip(made.meshes) {
        let hand = hand(&mesh).filter(|_| region == Region::BODY);
        let look = &mut looks[hand.map_or(0, |side| side as usize + 1)];
        let name = untagged(&mesh.stem);
        let unbound =
            || ConvertError::unsupported(format!("meshes[{n}]"), "an outfit needs meshes with bones");
        look.bindings.push(numbered.push(name, n, kinds::BINDING, &mesh.binding.ok_or_else(unbound)?)?);
        numbered.push(name, n, ResourceId::MESH, &Mesh::from(mesh.geometry))?;
        if let Some((_, id, image)) = mesh.picture.filter(|(material, ..)| pictures.insert(*material)) {
            numbered.files.picture(&id, image)?;
        }
    }
    let [look, right, left] = looks;
    if look.bindings.is_empty() {
        return Err(ConvertError::unsupported("meshes", "an outfit needs a mesh that is not of a hand"));
    }
    let mut hands = [FileRef::default(); 2];
    for (n, (side, look)) in (1..).zip([(Side::Right, right), (Side::Left, left)]) {
        if !look.bindings.is_empty() {
            hands[side as usize] = numbered.push(&format!("{stem}-{side}"), n, kinds::APPEARANCE, &look)?;
        }
    }
    let mut outfit = Oft { unknown: 1, region, ..Oft::default() };
    outfit.appearances = [numbered.push(stem, 0, kinds::APPEARANCE, &look)?; 3];
    if hands != [FileRef::default(); 2] {
        // By tone, side and gesture.
        let appearances = core::array::from_fn(|i| hands[i / 3 % 2]);
        outfit.hands = numbered.push(stem, 0, kinds::HANDS, &Hag { appearances, ..Hag::default() })?.file;
    } else if region == Region::BODY {
        outfit.hands = options.format.hands.unwrap_or_default();
    }
    let main = numbered.push(stem, 0, kinds::OUTFIT, &outfit)?;
    let main = format!("{stem}.{}.{}", main.id().unwrap_or_default().tag(), extension::<Oft>());
    Ok(Converted::new(main_first(numbered.files.finish(), &main), losses))
}

/// Returns a name without the numbers of a file at its end.
fn untagged(name: &str) -> &str {
    let has_tag = ResourceId::from_file_name(&format!("{name}.")).is_some();
    name.rsplit_once('.').filter(|_| has_tag).map_or(name, |(name, _)| name)
}

/// Files with numbers in their names.
struct NumberedFiles<'s, 'b> {
    first: u32,
    files: Files<'s, 'b>,
}

impl NumberedFiles<'_, '_> {
    /// Writes the file `n` of a type.
    fn push<T: File + FileFormat>(
        &mut self,
        name: &str,
        n: u32,
        kind: u32,
        file: &T,
    ) -> Result<FileRef, ConvertError> {
        let number = FileRef { file: self.first.wrapping_add(n), kind };
        let tag = ResourceId { group: 0, file: number.file, kind }.tag();
        self.files.push(&format!("{name}.{tag}"), extension::<T>(), file)?;
        Ok(number)
    }
}

/// Returns the hand that a mesh is, if each of its bones is of that hand.
fn hand(mesh: &MadeMesh<'_>) -> Option<Side> {
    let side = |letter: &str| {
        let is_own = |bone: String| {
            let rest = bone.strip_prefix(letter).unwrap_or_default();
            HAND.iter().any(|part| rest.starts_with(part))
        };
        let bones = &mesh.geometry.bones;
        !bones.is_empty() && bones.iter().all(|bone| is_own(bone.text().to_ascii_uppercase()))
    };
    [("R", Side::Right), ("L", Side::Left)].into_iter().find(|(letter, _)| side(letter)).map(|(_, side)| side)
}

/// Returns the part of a character that meshes cover: the head, if all follow its bone.
fn region(meshes: &[MadeMesh<'_>]) -> Region {
    let is_head = |mesh: &MadeMesh<'_>| mesh.geometry.bones.iter().all(|bone| bone.matches(&HEAD.into()));
    if meshes.iter().all(is_head) { Region::HEAD } else { Region::BODY }
}
