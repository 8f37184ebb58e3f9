//! Reads `.anim`.

use super::model::{Anim, Motion, Nesting, TimeProperty};
use super::record::{COUNT, EVENT_MIN, MOTION_MIN, ROTATION, TRANSLATION, VERSION, read_header, read_keys};
use super::rules;
use crate::fields::{file, flag, name, pstr, pstr16, trailing, version, wide};
use crate::props::{counted, property_list, property_lists, table};
use alloc::vec::Vec;
use meshwright_core::{
    Budget, Confidence, Cursor, F32, Fault, FieldPath, Findings, Limits, Parsed, ReadError, ReadOptions,
    Report, bulk,
};
use nom::number::complete::be_u32;

/// Reads the events of a motion at one time.
fn time_property(cursor: &mut Cursor<'_, '_>, path: &FieldPath<'_>) -> Result<TimeProperty, ReadError> {
    let time = cursor.read(&path.field("time"), be_u32::<&[u8], Fault<'_>>)?;
    Ok(TimeProperty { time, lists: property_lists(cursor, &path.field("lists"))? })
}

/// Returns a motion.
fn motion(cursor: &mut Cursor<'_, '_>, path: &FieldPath<'_>, nesting: Nesting) -> Result<Motion, ReadError> {
    let unknown = cursor.read(&path.field("unknown"), be_u32::<&[u8], Fault<'_>>)?;
    let bone = name(cursor, &path.field("bone"), pstr)?;
    let mut motion = Motion { unknown, bone, ..cursor.read(path, read_keys)? };
    motion.has_properties = cursor.read(&path.field("has_properties"), flag)?;
    if motion.has_properties.is_set() {
        motion.properties = table(cursor, &path.field("properties"), wide(COUNT), |c, p| match nesting {
            Nesting::Three => property_lists(c, p),
            Nesting::Two => {
                let mut one = c.reserve(p, c.offset(), 1, wide(COUNT))?;
                one.push(property_list(c, p)?);
                Ok(one)
            }
        })?;
    }
    let path_flag = path.field("has_time_properties");
    motion.has_time_properties = cursor.read(&path_flag, flag)?;
    if motion.has_time_properties.is_set() {
        let list = |c: &mut Cursor<'_, '_>, p: &FieldPath<'_>| table(c, p, wide(EVENT_MIN), time_property);
        motion.time_properties = table(cursor, &path.field("time_properties"), wide(COUNT), list)?;
    }
    Ok(motion)
}

/// Returns a table of keys of `N` floats, `M` bytes each.
fn key_table<const N: usize, const M: usize>(
    cursor: &mut Cursor<'_, '_>,
    path: &FieldPath<'_>,
) -> Result<Vec<[F32; N]>, ReadError> {
    let (at, n) = counted(cursor, path)?;
    let mut items = cursor.reserve(path, at, n, wide(M))?;
    const { assert!(M == 4 * N, "a float has four bytes") };
    bulk::extend_le_f32s(cursor.bytes(path, n.saturating_mul(wide(M)))?, &mut items);
    Ok(items)
}

impl Anim {
    /// Reads a file strictly, within the default limits.
    ///
    /// # Errors
    /// The first rule that the file breaks.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::parse_with(bytes, &ReadOptions::default()).map(|p| p.model)
    }

    /// Reads a file. A lenient reader accepts faults of every rule but those on sizes and version, and keeps the
    /// values, and a motion's channel whose keys lie outside the arrays has no effect.
    ///
    /// Properties of motions are taken as lists of lists; only where that does not fit are they taken as lists.
    ///
    /// # Errors
    /// When the file breaks a rule that the options do not pass over, or would take more memory than they allow.
    pub fn parse_with(bytes: &[u8], options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        // Only one of the two readings is held at a time.
        let refusal = match attempt(bytes, options, Nesting::Three) {
            Ok(read) if read.is_clean() || !read.anim.has_properties() => return read.conclude(),
            Ok(_) => None,
            Err(e) => Some(e),
        };
        match (attempt(bytes, options, Nesting::Two), refusal) {
            (Ok(read), _) if read.is_clean() => read.conclude(),
            (Ok(read), Some(_)) if options.is_lenient() => read.conclude(),
            (_, Some(e)) => Err(e),
            (_, None) => attempt(bytes, options, Nesting::Three)?.conclude(),
        }
    }

    /// Returns how likely the bytes are those of an `.anim`. The format has no magic: the tables of keys and the
    /// first motion must fit the size of the file.
    pub fn sniff(bytes: &[u8]) -> Confidence {
        let walk = || -> Option<bool> {
            let budget = Budget::new(Limits::default().with_memory(1 << 20));
            let (_, rest) = bytes.split_first_chunk::<4>().filter(|(v, _)| **v == VERSION.to_be_bytes())?;
            let (rest, own) = pstr16(rest).ok()?;
            let (rest, (.., moving)) = read_header(rest).ok()?;
            let plain = own.iter().all(|b| (0x20..=0x7e).contains(b)) && moving.0 <= 1;
            let mut rest = rest;
            for size in [TRANSLATION, ROTATION] {
                let (n, tail) = rest.split_first_chunk()?;
                let n = u64::from(u32::from_be_bytes(*n));
                rest = tail.get(usize::try_from(n.checked_mul(wide(size))?).ok()?..)?;
            }
            let (n, rest) = rest.split_first_chunk()?;
            if u32::from_be_bytes(*n) == 0 {
                return Some(plain && rest.is_empty());
            }
            let source = file(rest, &budget);
            let fits = |nesting| motion(&mut source.start(), &FieldPath::ROOT, nesting).is_ok();
            (fits(Nesting::Three) || fits(Nesting::Two)).then_some(plain)
        };
        match walk() {
            Some(true) => Confidence::Likely,
            Some(false) => Confidence::Possible,
            None => Confidence::No,
        }
    }

    /// Returns true if some motion has properties, for which the nesting matters.
    fn has_properties(&self) -> bool {
        self.motions.iter().any(|m| !m.properties.is_empty())
    }
}

/// A file that could be read in one of the nestings.
struct Reading {
    anim: Anim,
    /// The result of the rules.
    verdict: Result<Report, ReadError>,
}

impl Reading {
    /// Returns true if no rule is broken.
    fn is_clean(&self) -> bool {
        self.verdict.as_ref().is_ok_and(Report::is_empty)
    }

    fn conclude(self) -> Result<Parsed<Anim>, ReadError> {
        self.verdict.map(|forgiven| Parsed::new(self.anim, forgiven))
    }
}

fn attempt(bytes: &[u8], options: &ReadOptions, nesting: Nesting) -> Result<Reading, ReadError> {
    let budget = Budget::new(options.limits);
    let source = file(bytes, &budget);
    let (mut cursor, root) = (source.start(), FieldPath::ROOT);
    version(&mut cursor, VERSION)?;
    let own = name(&mut cursor, &root.field("name"), pstr16)?;
    let (duration, distance, moving) = cursor.read(&root, read_header)?;
    let translations = key_table::<3, TRANSLATION>(&mut cursor, &root.field("translations"))?;
    let rotations = key_table::<4, ROTATION>(&mut cursor, &root.field("rotations"))?;
    let path = root.field("motions");
    let motions = table(&mut cursor, &path, wide(MOTION_MIN), |c, p| motion(c, p, nesting))?;
    let trailing = trailing(&cursor)?;
    let anim =
        Anim { name: own, duration, distance, moving, translations, rotations, motions, nesting, trailing };
    source.charge(&path, 0, "rules", wide(anim.motions.len()), size_of::<u64>())?;
    let mut findings = Findings::reading(options);
    let verdict = rules::check(&anim, &mut findings).map(|()| findings.into_report());
    Ok(Reading { anim, verdict })
}
