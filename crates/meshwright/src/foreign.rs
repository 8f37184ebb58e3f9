//! Detects unsupported kinds of files, for messages.

/// The first bytes of unsupported kinds of files, and their names.
const KNOWN: &[(&[u8], &str)] = &[
    (b"IDP3", "an MD3 model"),
    (b"IDP2", "a Quake II model (MD2)"),
    (b"IDPO", "a Quake model (MDL)"),
    (b"IDST", "a Half-Life model (MDL)"),
    (b"IDSP", "a Quake sprite"),
    (b"IDS2", "a Quake II sprite"),
    (b"INTERQUAKEANIM\0", "an IQM animation"),
    (b"PSPO", "a FreeSpace model (POF)"),
    (b"Kaydara FBX Binary", "an FBX scene"),
    (b"BLENDER", "a Blender file"),
    (b"PACK", "a pack (PAK)"),
    (b"PK\x03\x04", "a zip archive"),
    (b"VPVP", "a pack (VP)"),
    (b"FAR!byAZ", "a FAR archive"),
    (b"IBSP", "a Quake map (BSP)"),
    (b"VBSP", "a Source map (BSP)"),
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"DDS ", "a DDS image"),
    (b"RIFF", "a RIFF file (WAV, AVI)"),
    (b"OggS", "an Ogg file"),
    (b"ID3", "an MP3 file"),
    (b"\x7fELF", "a program (ELF)"),
    (b"MZ", "a program (EXE)"),
    (b"%PDF", "a PDF"),
    (APPLE_DOUBLE, "metadata of macOS (AppleDouble)"),
];

const APPLE_DOUBLE: &[u8] = b"\0\x05\x16\x07";

/// Names an unsupported kind of file by its first bytes, with a phrase like `an MD3 model`.
///
/// ```
/// assert_eq!(meshwright::foreign(b"IDP3\x0f\0\0\0"), Some("an MD3 model"));
/// ```
pub fn foreign(bytes: &[u8]) -> Option<&'static str> {
    if bytes.is_empty() {
        return Some("empty");
    }
    KNOWN.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|known| known.1)
}

/// Returns true for the metadata that macOS writes next to a file and into zip archives: `._a.dpm` for `a.dpm`.
pub(crate) fn is_mac_metadata(bytes: &[u8], name: &str) -> bool {
    name.starts_with("._") && bytes.starts_with(APPLE_DOUBLE)
}

/// Extensions of files in packs of games that are never supported models.
const OTHERS: &[&str] = &[
    "tga",
    "jpg",
    "jpeg",
    "png",
    "pcx",
    "dds",
    "ktx",
    "wal",
    "lmp",
    "bmp",
    "gif",
    "ani",
    "eff",
    "wav",
    "ogg",
    "mp3",
    "mod",
    "it",
    "xm",
    "s3m",
    "txt",
    "cfg",
    "md",
    "html",
    "shader",
    "skin",
    "mtr",
    "def",
    "qc",
    "src",
    "lno",
    "map",
    "bsp",
    "ent",
    "lit",
    "rtlights",
    "waypoints",
    "loc",
    "way",
    "rules",
    "mapinfo",
    "dem",
    "cin",
    "roq",
    "avi",
    "ogv",
    "po",
    "ttf",
    "otf",
    "width",
    "zip",
    "pk3",
    "pk4",
    "dpk",
    "pak",
    "vp",
    "vpc",
    "sounds",
    "tbl",
    "tbm",
    "fs2",
    "md3",
    "md2",
    "mdl",
    "mdr",
    "md5mesh",
    "md5anim",
    "psk",
    "psa",
    "pof",
    "spr",
    "sp2",
    "spr32",
];

/// Returns true if files of an extension are never a supported model.
pub(crate) fn is_other(extension: &[u8]) -> bool {
    OTHERS.iter().any(|other| extension.eq_ignore_ascii_case(other.as_bytes()))
}

/// Unsupported model formats: extension, name, and a tool that opens them.
const ELSEWHERE: &[(&str, &str, &str)] = &[
    ("md3", "MD3 models", "Noesis, or Blender with the add-on io_scene_md3"),
    ("md2", "MD2 models", "Noesis"),
    ("mdl", "MDL models", "Noesis, or Crowbar where they are of Half-Life"),
    ("mdr", "MDR models", "Noesis"),
    ("md5mesh", "MD5 meshes", "Noesis, or the iqm compiler"),
    ("md5anim", "MD5 animations", "Noesis, or the iqm compiler"),
    ("psk", "Unreal meshes", "Blender with the add-on io_scene_psk_psa"),
    ("psa", "Unreal animations", "Blender with the add-on io_scene_psk_psa"),
    ("pof", "FreeSpace models", "pof-tools or PCS2"),
];

/// Returns the name of an unsupported model format by its extension, and a tool that opens it.
///
/// ```
/// assert_eq!(meshwright::opened_elsewhere("POF"), Some(("FreeSpace models", "pof-tools or PCS2")));
/// assert_eq!(meshwright::opened_elsewhere("dpm"), None);
/// ```
pub fn opened_elsewhere(extension: &str) -> Option<(&'static str, &'static str)> {
    let known = ELSEWHERE.iter().find(|(known, ..)| extension.eq_ignore_ascii_case(known));
    known.map(|(_, kind, tool)| (*kind, *tool))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_empty_or_unknown_is_told() {
        assert_eq!(foreign(b""), Some("empty"));
        assert_eq!(foreign(b"nothing known"), None);
    }
}
