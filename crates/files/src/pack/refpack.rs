//! RefPack: the compression of members of FAR version 3.

use super::far::rules;
use meshwright_core::Rule;

/// The maximum output per input byte: a command of 4 bytes copies at most 1028.
pub(crate) const MOST: u64 = 257;

meshwright_core::record! {
    /// The fields before the commands.
    pub(crate) mod header: 18 {
        /// Always 1.
        BODY = "body type": 0, u8;
        /// The decompressed size, as in the manifest.
        LENGTH = "decompressed size": 1, u32;
        /// The stored size minus 9.
        STREAM = "stream size": 5, u32;
        /// The stored size minus 9, repeated.
        STREAM_AGAIN = "stream size": 9, u32;
        /// The magic 0x10 0xFB.
        COMPRESSOR = "compressor": 13, [u8; 2];
        /// Big endian, the low bits of the decompressed size.
        LENGTH_AGAIN = "decompressed size": 15, [u8; 3];
    }
}

/// The body type of compressed members.
const BODY: u8 = 1;
/// The magic of RefPack.
const COMPRESSOR: [u8; 2] = [0x10, 0xfb];

/// The reason why a member is not decompressed: the broken rule, the offset in the member, and a message.
pub(crate) type Broken = (&'static Rule, usize, String);

/// A command: literal bytes that follow it, then a copy of earlier output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Command {
    length: usize,
    literals: usize,
    count: usize,
    distance: usize,
    stop: bool,
}

impl Command {
    /// Reads the command at the front; `None` if it is incomplete.
    #[expect(clippy::arithmetic_side_effects, reason = "fields of at most 17 bits")]
    fn read(bytes: &[u8]) -> Option<Self> {
        let b = |i: usize| bytes.get(i).map(|b| usize::from(*b));
        let b0 = b(0)?;
        let copy =
            |length, literals, count, distance| Self { length, literals, count, distance, stop: false };
        Some(match b0 {
            0x00..=0x7f => copy(2, b0 & 3, (b0 >> 2 & 7) + 3, ((b0 & 0x60) << 3 | b(1)?) + 1),
            0x80..=0xbf => copy(3, b(1)? >> 6, (b0 & 63) + 4, ((b(1)? & 63) << 8 | b(2)?) + 1),
            0xc0..=0xdf => {
                let distance = ((b0 & 16) << 12 | b(1)? << 8 | b(2)?) + 1;
                copy(4, b0 & 3, ((b0 & 12) << 6 | b(3)?) + 5, distance)
            }
            0xe0..=0xfb => copy(1, ((b0 & 31) + 1) * 4, 0, 0),
            _ => Self { length: 1, literals: b0 & 3, count: 0, distance: 0, stop: true },
        })
    }
}

/// Checks that the header and the entry agree.
fn check(member: &[u8], size: u32) -> Result<(), Broken> {
    if member.len() < header::SIZE {
        return Err((rules::REFPACK_TRUNCATED, member.len(), "the member ends in its header".into()));
    }
    let word = |at: u64| {
        let from = usize::try_from(at).unwrap_or(usize::MAX);
        let bytes = member.get(from..).and_then(<[u8]>::first_chunk::<4>).copied().unwrap_or_default();
        u32::from_le_bytes(bytes)
    };
    let byte = |at: usize| member.get(at).copied().unwrap_or(0);
    let place = |field: meshwright_core::record::Field| usize::try_from(field.offset_in(0)).unwrap_or(0);
    let stream = u32::try_from(member.len().saturating_sub(9)).unwrap_or(u32::MAX);
    let persist = |field, found: u32, wanted: u32| {
        if found == wanted {
            return Ok(());
        }
        Err((rules::PERSIST, place(field), format!("{found} is said, it should be {wanted}")))
    };
    persist(header::BODY, byte(0).into(), BODY.into())?;
    persist(header::LENGTH, word(header::LENGTH.offset_in(0)), size)?;
    persist(header::STREAM, word(header::STREAM.offset_in(0)), stream)?;
    persist(header::STREAM_AGAIN, word(header::STREAM_AGAIN.offset_in(0)), stream)?;
    for (i, wanted) in COMPRESSOR.into_iter().enumerate() {
        let at = place(header::COMPRESSOR).saturating_add(i);
        if byte(at) != wanted {
            let message = format!("compressor {:#04x}, RefPack has {wanted:#04x} there", byte(at));
            return Err((rules::COMPRESSOR, at, message));
        }
    }
    let at = place(header::LENGTH_AGAIN);
    let again = u32::from_be_bytes([0, byte(at), byte(at.saturating_add(1)), byte(at.saturating_add(2))]);
    persist(header::LENGTH_AGAIN, again, size & 0x00ff_ffff)
}

/// Decompresses a member to the size that its entry states. `out` has room for that many bytes.
pub(crate) fn decode(member: &[u8], size: u32, out: &mut Vec<u8>) -> Result<(), Broken> {
    check(member, size)?;
    let room = usize::try_from(size).unwrap_or(usize::MAX);
    let mut at = header::SIZE;
    let cut = |at: usize| (rules::REFPACK_TRUNCATED, at, "the commands are cut short".to_owned());
    loop {
        let rest = member.get(at..).unwrap_or_default();
        let command = Command::read(rest).ok_or_else(|| cut(at))?;
        let behind = command.length.saturating_add(command.literals);
        let literals = rest.get(command.length..behind).ok_or_else(|| cut(at))?;
        let over = || (rules::REFPACK_OVERRUN, at, format!("more than {size} bytes come out"));
        let come = out.len().saturating_add(command.literals);
        if come.saturating_add(command.count) > room {
            return Err(over());
        }
        out.extend_from_slice(literals);
        if command.count > 0 {
            let Some(from) = come.checked_sub(command.distance) else {
                let message = format!("{} back after {come} bytes", command.distance);
                return Err((rules::REFPACK_OFFSET, at, message));
            };
            // If the distance is shorter than the count, copied bytes are copied again.
            for i in 0..command.count {
                let byte = out.get(from.saturating_add(i)).copied().unwrap_or(0);
                out.push(byte);
            }
        }
        at = at.saturating_add(behind);
        if !command.stop {
            continue;
        }
        if out.len() < room {
            let message = format!("{} bytes come out, {size} were said", out.len());
            return Err((rules::REFPACK_SHORT, at, message));
        }
        let left = member.len().saturating_sub(at);
        if left > 0 {
            return Err((rules::REFPACK_TRAILING, at, format!("{left} bytes after the last command")));
        }
        return Ok(());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(size: u32, commands: &[u8]) -> Vec<u8> {
        let stream = u32::try_from(commands.len() + 9).unwrap().to_le_bytes();
        let be = size.to_be_bytes();
        let parts: [&[u8]; 7] =
            [&[1], &size.to_le_bytes(), &stream, &stream, &[0x10, 0xfb], &be[1..], commands];
        parts.concat()
    }

    fn run(size: u32, commands: &[u8]) -> Result<Vec<u8>, (&'static str, usize)> {
        let mut out = Vec::new();
        decode(&member(size, commands), size, &mut out).map(|()| out).map_err(|(rule, at, _)| (rule.code, at))
    }

    #[test]
    fn every_command_does_what_it_says() {
        // Two literals, then three bytes from distance 1.
        assert_eq!(run(5, &[2, 0, b'a', b'b', 0xfc]).unwrap(), b"abbbb");
        // Four literals, then four bytes from distance 3 with the longer command.
        assert_eq!(run(8, &[0xe0, b'a', b'b', b'c', b'd', 0x80, 0, 2, 0xfc]).unwrap(), b"abcdbcdb");
        // One literal, 1028 copies of it with the longest command, and one more literal at the stop.
        let long = run(1030, &[0xdd & !0x10, 0, 0, 0xff, b'x', 0xfd, b'y']).unwrap();
        assert_eq!((long.len(), long[1028], long[1029]), (1030, b'x', b'y'));
        assert_eq!(run(0, &[0xfc]).unwrap(), b"");
    }

    #[test]
    fn lies_are_refused_where_they_stand() {
        assert_eq!(run(4, &[0x00, 1, 0xfc]), Err(("refpack-offset", 18)));
        assert_eq!(run(2, &[0xe0, 1, 2, 3, 4, 0xfc]), Err(("refpack-overrun", 18)));
        assert_eq!(run(8, &[0xe0, 1, 2, 3, 4, 0xfc]), Err(("refpack-short", 24)));
        assert_eq!(run(4, &[0xe0, 1, 2, 3, 4, 0xfc, 0]), Err(("refpack-trailing", 24)));
        assert_eq!(run(4, &[0xe0, 1, 2, 3, 4]), Err(("refpack-truncated", 23)));
        assert_eq!(run(8, &[0xe1, 1, 2, 3, 4]), Err(("refpack-truncated", 18)));
        assert_eq!(run(8, &[0xc0, 1]), Err(("refpack-truncated", 18)));
    }
}
