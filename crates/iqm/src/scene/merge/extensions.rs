//! Updates FTE's data for meshes and for anims, if their numbers changed.

use super::{AnimOrigin, IqmMerge, Text};
use crate::model::{Iqm, TextId};
use crate::scene::fte::{EVENT, MESH};
use alloc::vec::Vec;
use meshwright_edit::apply::{Origin, Records};
use meshwright_scene::ConvertError;

const SKINS: &[u8] = b"FTE_SKINS";
/// The size of a mesh's properties, and of an event, in bytes.
const SIZES: [usize; 2] = [28, 16];

fn data<'m>(model: &'m Iqm, name: &[u8]) -> Option<&'m [u8]> {
    let found = model.extensions.iter().find(|e| model.str(e.name).eq_ignore_ascii_case(name));
    found.map(|e| e.data.as_slice())
}

fn word(record: &[u8], at: usize) -> u32 {
    let bytes = record.get(at * 4..).and_then(|b| b.first_chunk::<4>()).copied();
    u32::from_le_bytes(bytes.unwrap_or_default())
}

/// Updates the skins of each mesh. The data has two counts, the number of skins of each mesh, the frames of
/// all skins, and the offsets of each skin's frames.
fn skins(data: &[u8], native: usize, meshes: &Records) -> Option<Vec<u8>> {
    let count = |at: usize| usize::try_from(word(data, at)).unwrap_or(usize::MAX);
    let (frames, all) = (count(0), count(1));
    let counts: Vec<usize> = (0..native).map(|m| count(2 + m)).collect();
    let start = (2 + native) * 4;
    let rows = start.checked_add(frames.checked_mul(8)?)?;
    let size = rows.checked_add(all.checked_mul(12)?)?;
    // Data with another structure is not known to be skins.
    if data.len() != size || counts.iter().try_fold(0_usize, |sum, n| sum.checked_add(*n)) != Some(all) {
        return None;
    }
    let firsts: Vec<usize> = counts
        .iter()
        .scan(0, |sum, n| {
            let first = *sum;
            *sum += n;
            Some(first)
        })
        .collect();
    let own =
        |o: &Origin| o.original.and_then(|n| Some((*firsts.get(n)?, *counts.get(n)?))).unwrap_or((0, 0));
    let kept: Vec<(usize, usize)> = meshes.list.iter().map(own).collect();
    let mut made = data.get(..4)?.to_vec();
    let mut put = |n: usize| made.extend(u32::try_from(n).unwrap_or(u32::MAX).to_le_bytes());
    put(kept.iter().map(|k| k.1).sum());
    kept.iter().for_each(|k| put(k.1));
    made.extend(data.get(start..rows)?);
    for (first, n) in kept {
        made.extend(data.get(rows + first * 12..rows + (first + n) * 12)?);
    }
    Some(made)
}

/// Moves properties with their meshes, and events with their anims. `anims` gives the index of each anim in the
/// original and among the made ones.
pub(super) fn write_extensions(
    work: &IqmMerge<'_>,
    meshes: &Records,
    anims: &[AnimOrigin],
    model: &mut Iqm,
    text: &mut Text<'_>,
) -> Result<(), ConvertError> {
    let (native, after) = (work.original, &work.made.model);
    let [mesh_size, event_size] = SIZES;
    for extension in &mut model.extensions {
        let name = native.str(extension.name);
        if name.eq_ignore_ascii_case(MESH) && !meshes.is_original() {
            let new = data(after, MESH).unwrap_or_default();
            let row = |all: &[u8], at: usize| {
                all.get(at * mesh_size..(at + 1) * mesh_size)
                    .map_or(alloc::vec![0; mesh_size], <[u8]>::to_vec)
            };
            let own = core::mem::take(&mut extension.data);
            for origin in &meshes.list {
                extension.data.extend(match origin.original {
                    Some(n) => row(&own, n),
                    None => origin.made.map_or(alloc::vec![0; mesh_size], |a| row(new, a)),
                });
            }
        } else if name.eq_ignore_ascii_case(SKINS) && !meshes.is_original() {
            if let Some(data) = skins(&extension.data, native.meshes.len(), meshes) {
                extension.data = data;
            }
        } else if name.eq_ignore_ascii_case(EVENT) {
            let count = native.anims.len();
            let edited = |a: &AnimOrigin| {
                a.1.and_then(|m| work.clips.edited_clip(m)).is_some_and(|(_, own)| own.extras)
            };
            let still = anims.len() == count && anims.iter().enumerate().all(|(i, a)| a.0 == Some(i));
            if still && !anims.iter().any(edited) {
                continue;
            }
            let own = core::mem::take(&mut extension.data);
            let number = |of: &dyn Fn(&AnimOrigin) -> bool| {
                anims.iter().position(of).and_then(|i| u32::try_from(i).ok())
            };
            let mut list: Vec<(u32, Vec<u8>)> = Vec::new();
            for event in own.chunks_exact(event_size) {
                let anim = word(event, 0) as usize;
                if let Some(at) = number(&|a| a.0 == Some(anim) && !edited(a)) {
                    list.push((at, event.to_vec()));
                }
            }
            for event in data(after, EVENT).unwrap_or_default().chunks_exact(event_size) {
                let anim = word(event, 0) as usize;
                if let Some(at) = number(&|a| a.1 == Some(anim) && (a.0.is_none() || edited(a))) {
                    let id = text.add(after.str(TextId(word(event, 3))))?;
                    let mut event = event.to_vec();
                    event.truncate(12);
                    event.extend(id.0.to_le_bytes());
                    list.push((at, event));
                }
            }
            for (at, event) in list {
                extension.data.extend(at.to_le_bytes());
                extension.data.extend(event.iter().skip(4));
            }
        }
    }
    Ok(())
}
