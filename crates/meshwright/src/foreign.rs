//! Kinds of file that are not read here, by their first bytes, for messages.

/// What files of other kinds begin with, and what they are called.
const KNOWN: &[(&[u8], &str)] = &[
    (b"IDP3", "an MD3 model"),
    (b"IDP2", "a Quake II model (MD2)"),
    (b"IDPO", "a Quake model (MDL)"),
    (b"IDST", "a Half-Life model (MDL)"),
    (b"IDSP", "a Quake sprite"),
    (b"IDS2", "a Quake II sprite"),
    (b"INTERQUAKEMODEL\0", "an IQM model"),
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
];

/// What a file of another kind is, where its first bytes say so: a phrase like `an MD3 model`.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_empty_or_unknown_is_told() {
        assert_eq!(foreign(b""), Some("empty"));
        assert_eq!(foreign(b"nothing known"), None);
    }
}
