//! Reads and writes extensions of FTE: events of anims, and properties of meshes.

use super::text::{Text, decoded};
use crate::model::{Iqm, IqmExtension};
use alloc::string::ToString;
use alloc::vec::Vec;
use meshwright_scene::{Clip, Extra, LimitExceeded, Mesh};

pub(super) const MESH: &[u8] = b"FTE_MESH";
pub(super) const EVENT: &[u8] = b"FTE_EVENT";
/// The words of a mesh's properties; the last two are floats.
const FIELDS: [&str; 7] =
    ["contents", "surfaceflags", "surfaceid", "geomset", "geomid", "mindist", "maxdist"];

fn words(data: &[u8]) -> impl Iterator<Item = u32> {
    data.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w))
}

/// Returns true for the extensions that a scene can hold.
pub(super) fn is_known(name: &[u8]) -> bool {
    [MESH, EVENT].iter().any(|known| name.eq_ignore_ascii_case(known))
}

fn data<'m>(model: &'m Iqm, name: &[u8]) -> Option<&'m [u8]> {
    let found = model.extensions.iter().find(|e| model.str(e.name).eq_ignore_ascii_case(name));
    found.map(|e| e.data.as_slice())
}

/// Returns the properties of a mesh as native fields.
pub(super) fn mesh(model: &Iqm, mesh: usize) -> Option<Extra> {
    let row: Vec<u32> = words(data(model, MESH)?).skip(mesh.checked_mul(7)?).take(7).collect();
    if row.len() < 7 {
        return None;
    }
    let value = |(i, (name, word)): (usize, (&str, u32))| {
        let value = if i < 5 { Extra::from(word) } else { Extra::from(f32::from_bits(word)) };
        (name.to_string(), value)
    };
    let fields = FIELDS.into_iter().zip(row).enumerate().map(value).collect();
    Some(Extra::Map(alloc::vec![("fte_mesh".into(), Extra::Map(fields))]))
}

/// Returns the events of an anim as native fields, and their number.
pub(super) fn events(model: &Iqm, anim: usize) -> Option<(Extra, usize)> {
    let mut events = Vec::new();
    for event in data(model, EVENT)?.as_chunks::<16>().0 {
        let row: Vec<u32> = words(event).collect();
        let [number, seconds, code, text] = *row.as_slice() else { continue };
        if number as usize == anim {
            events.push(Extra::Map(alloc::vec![
                ("seconds".into(), f32::from_bits(seconds).into()),
                ("code".into(), code.into()),
                ("text".into(), Extra::Text(decoded(model.str(crate::model::TextId(text))))),
            ]));
        }
    }
    let count = events.len();
    (count > 0).then(|| (Extra::Map(alloc::vec![("events".into(), Extra::List(events))]), count))
}

fn unsigned_value(extra: Option<&Extra>) -> u32 {
    extra.and_then(Extra::as_u32).unwrap_or(0)
}

fn real(extra: Option<&Extra>) -> f32 {
    extra.and_then(Extra::as_f32).unwrap_or(0.0)
}

/// Returns the extension with the events of all clips. `anims` has the anim of each clip.
pub(super) fn of_clips<'c>(
    clips: impl Iterator<Item = (u32, &'c Clip)>,
    text: &mut Text<'_>,
) -> Result<Option<IqmExtension>, LimitExceeded> {
    let mut data = Vec::new();
    for (anim, clip) in clips {
        let events = clip.extras.as_ref().and_then(|extras| extras.get("events"));
        // Events of other games have other fields.
        let is_own = |event: &&Extra| event.get("seconds").is_some();
        for event in events.map_or(&[][..], Extra::items).iter().filter(is_own) {
            let name = event.get("text").and_then(Extra::as_str).unwrap_or_default().replace('\0', "?");
            let id = text.add(name.as_bytes())?;
            let seconds = real(event.get("seconds")).to_bits();
            for word in [anim, seconds, unsigned_value(event.get("code")), id.0] {
                data.extend_from_slice(&word.to_le_bytes());
            }
        }
    }
    if data.is_empty() {
        return Ok(None);
    }
    Ok(Some(IqmExtension { name: text.add(EVENT)?, data }))
}

/// Returns the extension with the properties of meshes, if some mesh has any.
pub(super) fn of_meshes<'m>(
    meshes: impl Iterator<Item = Option<&'m Mesh>>,
    text: &mut Text<'_>,
) -> Result<Option<IqmExtension>, LimitExceeded> {
    let (mut data, mut any) = (Vec::new(), false);
    for mesh in meshes {
        let own = mesh.and_then(|m| m.extras.as_ref()).and_then(|extras| extras.get("fte_mesh"));
        any |= own.is_some();
        for (i, name) in FIELDS.into_iter().enumerate() {
            let value = own.and_then(|own| own.get(name));
            let word = if i < 5 { unsigned_value(value) } else { real(value).to_bits() };
            data.extend_from_slice(&word.to_le_bytes());
        }
    }
    if !any {
        return Ok(None);
    }
    Ok(Some(IqmExtension { name: text.add(MESH)?, data }))
}
