//! Reads `.anim`.

use super::model::{Anim, Motion, Nesting, TimeProperty};
use super::validate::check;
use crate::common::{Findings, Flag, Step, file, name, pstr, pstr16, trailing, version, wide};
use crate::props::{counted, property_list, property_lists, table};
use alloc::vec::Vec;
use meshwright_core::{Budget, Confidence, Cursor, F32, Fault, Parsed, Path, ReadError, ReadOptions};
use nom::Parser as _;
use nom::error::context;
use nom::number::complete::{be_u32, le_u32, u8};

fn float(i: &[u8]) -> Step<'_, F32> {
    le_u32(i).map(|(i, bits)| (i, F32::from_bits(bits)))
}

/// Floats between the name and the keys, 9 bytes.
fn header(i: &[u8]) -> Step<'_, (F32, F32, Flag)> {
    let (i, duration) = context("duration", float).parse(i)?;
    let (i, distance) = context("distance", float).parse(i)?;
    let (i, moving) = context("moving", u8).parse(i)?;
    Ok((i, (duration, distance, Flag(moving))))
}

/// What of a motion stands between its bone and its properties, 18 bytes.
fn keys(i: &[u8]) -> Step<'_, Motion> {
    let (i, frames) = context("frames", be_u32).parse(i)?;
    let (i, duration) = context("duration", float).parse(i)?;
    let (i, has_translation) = context("has_translation", u8).parse(i)?;
    let (i, has_rotation) = context("has_rotation", u8).parse(i)?;
    let (i, first_translation) = context("first_translation", be_u32).parse(i)?;
    let (i, first_rotation) = context("first_rotation", be_u32).parse(i)?;
    let motion = Motion {
        frames,
        duration,
        has_translation: Flag(has_translation),
        has_rotation: Flag(has_rotation),
        first_translation,
        first_rotation,
        ..Motion::default()
    };
    Ok((i, motion))
}

/// Events of one motion, at least 8 bytes each.
fn time_property(cursor: &mut Cursor<'_, '_>, path: &Path<'_>) -> Result<TimeProperty, ReadError> {
    let time = cursor.read(&path.field("time"), be_u32::<&[u8], Fault<'_>>)?;
    Ok(TimeProperty { time, lists: property_lists(cursor, &path.field("lists"))? })
}

/// A motion, at least 25 bytes.
fn motion(cursor: &mut Cursor<'_, '_>, path: &Path<'_>, nesting: Nesting) -> Result<Motion, ReadError> {
    let unknown = cursor.read(&path.field("unknown"), be_u32::<&[u8], Fault<'_>>)?;
    let bone = name(cursor, &path.field("bone"), pstr)?;
    let mut motion = Motion { unknown, bone, ..cursor.read(path, keys)? };
    motion.has_properties = Flag(cursor.read(&path.field("has_properties"), u8::<&[u8], Fault<'_>>)?);
    if motion.has_properties.is_set() {
        motion.properties = table(cursor, &path.field("properties"), 4, |c, p| match nesting {
            Nesting::Three => property_lists(c, p),
            Nesting::Two => {
                let mut one = c.reserve(p, c.offset(), 1, 4)?;
                one.push(property_list(c, p)?);
                Ok(one)
            }
        })?;
    }
    let path_flag = path.field("has_time_properties");
    motion.has_time_properties = Flag(cursor.read(&path_flag, u8::<&[u8], Fault<'_>>)?);
    if motion.has_time_properties.is_set() {
        let list = |c: &mut Cursor<'_, '_>, p: &Path<'_>| table(c, p, 8, time_property);
        motion.time_properties = table(cursor, &path.field("time_properties"), 4, list)?;
    }
    Ok(motion)
}

/// A table of keys of `N` floats.
fn key_table<const N: usize, const M: usize>(
    cursor: &mut Cursor<'_, '_>,
    path: &Path<'_>,
) -> Result<Vec<[F32; N]>, ReadError> {
    const { assert!(M == 4 * N, "a float has four bytes") };
    let (at, n) = counted(cursor, path)?;
    let size = M as u64;
    let mut items = cursor.reserve(path, at, n, size)?;
    let (records, _) = cursor.bytes(path, n.saturating_mul(size))?.as_chunks::<M>();
    items.extend(records.iter().map(|record| {
        let (words, _) = record.as_chunks::<4>();
        let mut words = words.iter().map(|w| F32::from_bits(u32::from_le_bytes(*w)));
        core::array::from_fn(|_| words.next().unwrap_or_default())
    }));
    Ok(items)
}

impl Anim {
    /// Reads a file that keeps all rules, within the default limits.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::parse_with(bytes, &ReadOptions::default()).map(|p| p.model)
    }

    /// Reads a file. Leniently, every rule but those on sizes and version may be broken: the values are kept, and
    /// a motion's channel whose keys lie outside the arrays has no effect.
    ///
    /// Properties of motions are taken as lists of lists; only where that does not fit are they taken as lists.
    pub fn parse_with(bytes: &[u8], options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        let refusal = match attempt(bytes, options, Nesting::Three) {
            Ok((anim, findings)) if findings.first.is_none() || !anim.has_properties() => {
                return conclude(anim, findings);
            }
            // Only one of the two readings is held at a time.
            Ok(_) => None,
            Err(e) => Some(e),
        };
        match (attempt(bytes, options, Nesting::Two), refusal) {
            (Ok((anim, findings)), _) if findings.first.is_none() => conclude(anim, findings),
            (Ok((anim, findings)), Some(_)) if options.is_lenient() => conclude(anim, findings),
            (_, Some(e)) => Err(e),
            (_, None) => {
                let (anim, findings) = attempt(bytes, options, Nesting::Three)?;
                conclude(anim, findings)
            }
        }
    }

    /// How likely these are the bytes of an `.anim`. There is no magic: the tables of keys and the first motion
    /// are held against the size of the file.
    pub fn sniff(bytes: &[u8]) -> Confidence {
        let walk = || -> Option<bool> {
            let budget = Budget::new(meshwright_core::Limits::default().with_memory(1 << 20));
            let (_, rest) = bytes.split_first_chunk::<4>().filter(|(v, _)| **v == [0, 0, 0, 2])?;
            let (rest, own) = pstr16(rest).ok()?;
            let (rest, (.., moving)) = header(rest).ok()?;
            let plain = own.iter().all(|b| (0x20..=0x7e).contains(b)) && moving.0 <= 1;
            let mut rest = rest;
            for size in [12_u64, 16] {
                let (n, tail) = rest.split_first_chunk()?;
                let n = u64::from(u32::from_be_bytes(*n));
                rest = tail.get(usize::try_from(n.checked_mul(size)?).ok()?..)?;
            }
            let (n, rest) = rest.split_first_chunk()?;
            if u32::from_be_bytes(*n) == 0 {
                return Some(plain && rest.is_empty());
            }
            let source = file(rest, &budget);
            let fits = |nesting| motion(&mut source.start(), &Path::ROOT, nesting).is_ok();
            (fits(Nesting::Three) || fits(Nesting::Two)).then_some(plain)
        };
        match walk() {
            Some(true) => Confidence::Likely,
            Some(false) => Confidence::Possible,
            None => Confidence::No,
        }
    }

    /// True when some motion has properties, so that it matters how they are nested.
    fn has_properties(&self) -> bool {
        self.motions.iter().any(|m| !m.properties.is_empty())
    }
}

fn attempt(bytes: &[u8], options: &ReadOptions, nesting: Nesting) -> Result<(Anim, Findings), ReadError> {
    let budget = Budget::new(options.limits);
    let source = file(bytes, &budget);
    let (mut cursor, root) = (source.start(), Path::ROOT);
    version(&mut cursor, 2)?;
    let own = name(&mut cursor, &root.field("name"), pstr16)?;
    let (duration, distance, moving) = cursor.read(&root, header)?;
    let translations = key_table::<3, 12>(&mut cursor, &root.field("translations"))?;
    let rotations = key_table::<4, 16>(&mut cursor, &root.field("rotations"))?;
    let motions = table(&mut cursor, &root.field("motions"), 25, |c, p| motion(c, p, nesting))?;
    let trailing = trailing(&cursor)?;
    let anim =
        Anim { name: own, duration, distance, moving, translations, rotations, motions, nesting, trailing };
    source.charge(&root.field("motions"), 0, "rules", wide(anim.motions.len()), size_of::<u64>())?;
    let mut findings = Findings::reading(options);
    check(&anim, &mut findings);
    Ok((anim, findings))
}

fn conclude(anim: Anim, findings: Findings) -> Result<Parsed<Anim>, ReadError> {
    Ok(Parsed::new(anim, findings.settle()?))
}
