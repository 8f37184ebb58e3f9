//! Kinds of file that are not read here, by their first bytes, for messages.

/// What files of other kinds begin with, and what they are called.
const KNOWN: &[(&[u8], &str)] = &[
    (b"glTF", "a GLB, which is written here and not read"),
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
    let known = KNOWN.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|known| known.1);
    known.or_else(|| is_gltf_text(bytes).then_some("a glTF scene, which is written here and not read"))
}

/// An object with glTF's two first words.
fn is_gltf_text(bytes: &[u8]) -> bool {
    const LOOKED_AT: usize = 4096;
    let text = bytes.get(..LOOKED_AT.min(bytes.len())).unwrap_or_default().trim_ascii_start();
    let has = |word: &[u8]| text.windows(word.len()).any(|w| w == word);
    text.starts_with(b"{") && has(b"\"asset\"") && has(b"\"version\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_empty_or_unknown_is_told() {
        assert_eq!(foreign(b""), Some("empty"));
        assert_eq!(foreign(b"nothing known"), None);
        assert_eq!(
            foreign(b" { \"asset\": { \"version\": \"2.0\" } }"),
            foreign(b"{\"asset\":{\"version\":")
        );
        assert!(
            foreign(b"{\"asset\":1,\"version\":2}").is_some()
                && foreign(b"[\"asset\", \"version\"]").is_none()
        );
    }
}
