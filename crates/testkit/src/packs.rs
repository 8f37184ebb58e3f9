//! Builds packs byte by byte. Their content need not be valid.

use crate::Builder;

/// The storage of a file in an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Stored without compression.
    Stored,
    /// As deflate, in blocks without compression.
    Deflated,
}

/// Computes the checksum of zip archives, bit by bit.
pub fn checksum(bytes: &[u8]) -> u32 {
    let step = |sum: u32, _| if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 };
    !bytes.iter().fold(u32::MAX, |sum, b| (0..8).fold(sum ^ u32::from(*b), step))
}

fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap()
}

/// Returns a deflate stream whose blocks are not compressed.
pub fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut blocks: Vec<&[u8]> = bytes.chunks(0xffff).collect();
    if blocks.is_empty() {
        blocks.push(&[]);
    }
    let last = blocks.len() - 1;
    let mut stream = Builder::new();
    for (i, block) in blocks.into_iter().enumerate() {
        let length = u16::try_from(block.len()).unwrap();
        stream = stream.bytes(&[u8::from(i == last)]).le_u16(&[length, !length]).bytes(block);
    }
    stream.build()
}

/// Returns a zip archive of files with their names.
pub fn zip(files: &[(&str, &[u8])], method: Method) -> Vec<u8> {
    let (mut archive, mut directory) = (Builder::new(), Builder::new());
    let code = u16::from(method == Method::Deflated) * 8;
    for (name, bytes) in files {
        let start = number(archive.clone().build().len());
        let packed = if method == Method::Deflated { deflated(bytes) } else { bytes.to_vec() };
        let sizes = [checksum(bytes), number(packed.len()), number(bytes.len())];
        let names = u16::try_from(name.len()).unwrap();
        let head = |b: Builder| b.le_u16(&[20, 0, code, 0, 0x5a21]).le_u32(&sizes).le_u16(&[names]);
        archive = head(archive.bytes(b"PK\x03\x04")).le_u16(&[0]).bytes(name.as_bytes()).bytes(&packed);
        directory = head(directory.bytes(b"PK\x01\x02").le_u16(&[20]))
            .le_u16(&[0, 0, 0, 0])
            .le_u32(&[0, start])
            .bytes(name.as_bytes());
    }
    let (archive, directory) = (archive.build(), directory.build());
    let count = u16::try_from(files.len()).unwrap();
    Builder::new()
        .bytes(&archive)
        .bytes(&directory)
        .bytes(b"PK\x05\x06")
        .le_u16(&[0, 0, count, count])
        .le_u32(&[number(directory.len()), number(archive.len())])
        .le_u16(&[0])
        .build()
}

/// Returns a Quake pack of files with their names.
pub fn pak(files: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut data, mut directory) = (Vec::new(), Builder::new());
    for (name, bytes) in files {
        let mut field = name.as_bytes().to_vec();
        field.resize(56, 0);
        directory = directory.bytes(&field).le_u32(&[number(12 + data.len()), number(bytes.len())]);
        data.extend_from_slice(bytes);
    }
    let directory = directory.build();
    Builder::new()
        .bytes(b"PACK")
        .le_u32(&[number(12 + data.len()), number(directory.len())])
        .bytes(&data)
        .bytes(&directory)
        .build()
}

/// Returns a FreeSpace pack of files with their paths. Each file opens its folders again.
pub fn vp(files: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut data, mut index, mut count) = (Vec::new(), Builder::new(), 0);
    let mut entry = |index: Builder, start: usize, size: usize, name: &str| {
        count += 1;
        let mut field = name.as_bytes().to_vec();
        field.resize(32, 0);
        index.le_u32(&[number(start), number(size)]).bytes(&field).le_u32(&[0])
    };
    for (path, bytes) in files {
        let names: Vec<_> = path.split('/').collect();
        let (name, folders) = names.split_last().unwrap();
        for folder in folders {
            index = entry(index, 16 + data.len(), 0, folder);
        }
        index = entry(index, 16 + data.len(), bytes.len(), name);
        for _ in folders {
            index = entry(index, 16 + data.len(), 0, "..");
        }
        data.extend_from_slice(bytes);
    }
    Builder::new()
        .bytes(b"VPVP")
        .le_u32(&[2, number(16 + data.len()), count])
        .bytes(&data)
        .bytes(&index.build())
        .build()
}

/// Returns an archive of The Sims (version 1, in the variant of The Sims 1) of files with their names.
pub fn far(files: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut data, mut manifest) = (Vec::new(), Builder::new().le_u32(&[number(files.len())]));
    for (name, bytes) in files {
        let size = number(bytes.len());
        manifest = manifest.le_u32(&[size, size, number(16 + data.len()), number(name.len())]);
        manifest = manifest.bytes(name.as_bytes());
        data.extend_from_slice(bytes);
    }
    archive(1, &data, &manifest.build())
}

/// A file of a Sims Online archive.
#[derive(Clone, Debug)]
pub struct Numbered<'n> {
    /// The name.
    pub name: &'n str,
    /// The number of its type.
    pub kind: u32,
    /// The file number.
    pub file: u32,
    /// The content.
    pub bytes: Vec<u8>,
}

/// Returns an archive of The Sims Online (version 3) of files that are compressed as RefPack: literal bytes,
/// and copies of repeated bytes.
pub fn dat(files: &[Numbered<'_>]) -> Vec<u8> {
    let (mut data, mut manifest) = (Vec::new(), Builder::new().le_u32(&[number(files.len())]));
    for Numbered { name, kind, file, bytes } in files {
        let member = refpacked(bytes);
        let stored = number(member.len());
        manifest = manifest
            .le_u32(&[number(bytes.len()), stored | 0x8000_0000, number(16 + data.len())])
            .bytes(&[1, 0])
            .le_u16(&[u16::try_from(name.len()).unwrap()])
            .le_u32(&[*kind, *file])
            .bytes(name.as_bytes());
        data.extend(member);
    }
    archive(3, &data, &manifest.build())
}

fn archive(version: u32, data: &[u8], manifest: &[u8]) -> Vec<u8> {
    let head = Builder::new().bytes(b"FAR!byAZ").le_u32(&[version, number(16 + data.len())]);
    head.bytes(data).bytes(manifest).build()
}

/// Returns a compressed member of an archive of The Sims Online.
fn refpacked(bytes: &[u8]) -> Vec<u8> {
    let mut commands = Builder::new();
    let mut literals = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        // A run of one byte is stored as that byte and copies of it.
        let run = bytes[at..].iter().take_while(|b| *b == byte).count();
        literals.push(*byte);
        at += 1;
        if run > 5 {
            let copies = (run - 1).min(67);
            commands = append_fours(commands, &mut literals);
            let rest = u8::try_from(literals.len()).unwrap();
            let count = u8::try_from(copies - 4).unwrap();
            commands = commands.bytes(&[0x80 | count, rest << 6, 0]).bytes(&literals);
            literals.clear();
            at += copies;
        }
    }
    commands = append_fours(commands, &mut literals);
    commands = commands.bytes(&[0xfc | u8::try_from(literals.len()).unwrap()]).bytes(&literals);
    let commands = commands.build();
    let (size, stream) = (number(bytes.len()), number(commands.len() + 9));
    let head = Builder::new().bytes(&[1]).le_u32(&[size, stream, stream]).bytes(&[0x10, 0xfb]);
    head.bytes(&size.to_be_bytes()[1..]).bytes(&commands).build()
}

/// Writes literal bytes in groups of four. At most three remain.
fn append_fours(mut commands: Builder, literals: &mut Vec<u8>) -> Builder {
    while literals.len() > 3 {
        let count = (literals.len() / 4 * 4).min(112);
        let rest = literals.split_off(count);
        commands = commands.bytes(&[0xe0 | u8::try_from(count / 4 - 1).unwrap()]).bytes(literals);
        *literals = rest;
    }
    commands
}
