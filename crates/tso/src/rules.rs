//! Rules that several kinds of file share.

use crate::name::Name;
use crate::pose::is_unit;
use alloc::format;
use meshwright_core::{
    Codes, F32, FieldPath, Findings, Place, ReadError, ReadOptions, Report, Rule, Strictness, rules,
};

rules! {
    error TRUNCATED = "truncated" ("E_TRUNCATED"), Truncated [Unchecked],
        "The file ends in the middle of a field.",
        "Get a complete copy; the game reads past the end and may crash.";
    error COUNT = "bad-count" ("E_COUNT"), BadCount [Unchecked],
        "A table claims more items than the rest of the file can hold.",
        "Get a complete copy: either the file was cut or the count is damaged.";
    error LIMIT = "limit-exceeded" ("E_LIMIT"), Limit [NoEngine],
        "Reading the file would take more memory than the caller allows.",
        "Allow more memory if the file can be trusted.";
    forgivable TRAILING = "trailing-bytes" ("E_TRAILING"), Unused [Ignored],
        "Bytes follow the last field; no known file has any there.",
        "Remove them, or find out which program appended them; the game does not read them.";
    warning NAME_EMPTY = "empty-name" ("W_NAME_EMPTY"), BadName,
        "A name is empty.",
        "Give it a name: files find bones and textures only by name.";
    warning NAME_ENCODING = "name-encoding" ("W_NAME_ENCODING"), BadName [Tolerated],
        "A name holds bytes that are not plain ASCII, which programs show and write differently.",
        "Use letters, digits and signs of ASCII.";
}

/// Rules that only some kinds of file have.
pub(crate) mod some {
    meshwright_core::rules! {
        error VERSION = "bad-version" ("E_VERSION"), Unsupported [Ignored],
            "The file states an unknown version.",
            "If the rest of the file is valid, set the known version; the game ignores it.";
        forgivable NOT_FINITE = "non-finite" ("E_NOT_FINITE"), NonFinite [Misshown],
            "A number is infinite or NaN.",
            "Replace the number; programs draw or move such a vertex or bone anywhere.";
        forgivable FLAG = "properties-flag" ("E_FLAG"), BadValue,
            "A flag says that no properties follow, but the model has some.",
            "Set the flag or remove the properties, which would be lost in the file.";
        warning BONE_NAME_DUP = "duplicate-bone-name" ("W_BONE_NAME_DUP"), Duplicate [Tolerated],
            "Two bones have the same name, ignoring letter case.",
            "Rename one of them: the game confuses them.";
        warning BONE_MISSING = "bone-missing" ("W_BONE_MISSING"), BadReference [Tolerated],
            "The mesh names a bone that its skeleton does not have.",
            "Use the skeleton that the mesh was made for; the game leaves such vertices at the origin, FreeSO binds them to ROOT.";
        warning TYPE_ID = "type-id" ("W_TYPE_ID"), BadReference,
            "The type number of a file does not match the type of its content.",
            "Correct the number: the game finds files by it.";
        warning EXTENSION = "name-extension" ("W_EXTENSION"), BadName,
            "The file has the extension of another kind of file.",
            "Rename the file; programs that rely on extensions refuse it or misread it.";
        info RESOURCE_NAME = "resource-name" ("W_RESOURCE_NAME"), BadName [Ignored],
            "The name of the file differs from the name that it stores.",
            "Nothing needs to be done: games use the name of the file.";
        warning ROTATION_LENGTH = "rotation-length" ("W_ROTATION_LENGTH"), NotNormalized [Misshown],
            "A rotation is a quaternion whose length is not 1.",
            "Divide it by its length, as players do before they use it.";
    }
}

/// The rules for faults that every reader can meet.
pub(crate) const CODES: Codes = Codes { short: TRUNCATED, count: COUNT, limit: LIMIT };

/// Returns the number of rules of all `lists`.
pub(crate) const fn total(mut lists: &[&[&'static Rule]]) -> usize {
    let mut n: usize = 0;
    while let [first, rest @ ..] = lists {
        n = n.saturating_add(first.len());
        lists = rest;
    }
    n
}

/// Returns the `N` rules of all `lists`.
#[allow(clippy::indexing_slicing, reason = "evaluated by the compiler")]
pub(crate) const fn joined<const N: usize>(mut lists: &[&[&'static Rule]]) -> [&'static Rule; N] {
    let mut all = [TRUNCATED; N];
    let mut n: usize = 0;
    while let [first, others @ ..] = lists {
        let mut list = *first;
        while let [rule, rest @ ..] = list {
            all[n] = rule;
            n = n.saturating_add(1);
            list = rest;
        }
        lists = others;
    }
    all
}

/// Declares `ALL` as the rules of one kind of file.
macro_rules! all_rules {
    ($($list:expr),+ $(,)?) => {
        /// Every rule of this kind of file.
        pub(crate) const ALL: &[&meshwright_core::Rule] = {
            const LISTS: &[&[&meshwright_core::Rule]] = &[$crate::rules::RULES, $($list),+];
            &$crate::rules::joined::<{ $crate::rules::total(LISTS) }>(LISTS)
        };
    };
}
pub(crate) use all_rules;

/// Returns the findings of a validation, which goes on after errors.
pub(crate) fn report<T>(check: impl FnOnce(&mut Findings) -> Result<T, ReadError>) -> Report {
    let mut findings = Findings::validating();
    let _ = check(&mut findings);
    findings.into_report()
}

/// Returns the rules of a writer: a lenient writer accepts the same faults as a lenient reader.
pub(crate) fn writing(strictness: Strictness) -> Findings {
    match strictness {
        Strictness::Strict => Findings::writing(),
        Strictness::Lenient => Findings::reading(&ReadOptions::lenient()),
    }
}

/// Reports bytes after the end.
pub(crate) fn trailing(bytes: &[u8], at: u64, findings: &mut Findings) -> Result<(), ReadError> {
    if bytes.is_empty() {
        return Ok(());
    }
    findings.broken(TRAILING, &FieldPath::ROOT.field("trailing"), at, || {
        format!("{} bytes after the last field", bytes.len())
    })
}

/// Checks that the numbers of a field are finite; the first one is at `at`.
pub(crate) fn finite(
    values: &[F32],
    path: &FieldPath<'_>,
    at: u64,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    match values.iter().zip(0_u64..).find(|(v, _)| !v.is_finite()) {
        None => Ok(()),
        Some((value, i)) => not_finite(*value, path, at.saturating_add(i.saturating_mul(4)), findings),
    }
}

/// Reports a number that is NaN or infinite.
pub(crate) fn not_finite(
    value: F32,
    path: &FieldPath<'_>,
    place: impl Into<Place>,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    findings.broken(some::NOT_FINITE, path, place, || format!("{value:?} is not finite"))
}

/// Warns about an empty or unusual name.
pub(crate) fn name(
    name: &Name,
    path: &FieldPath<'_>,
    at: u64,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    if name.bytes().is_empty() {
        findings.broken(NAME_EMPTY, path, at, || "the name is empty")?;
    }
    if !name.is_plain() {
        findings.broken(NAME_ENCODING, path, at, || {
            format!("{name} is not plain ASCII; it is shown by Windows-1252")
        })?;
    }
    Ok(())
}

/// Warns about a quaternion that does not have length 1.
pub(crate) fn rotation(
    q: [F32; 4],
    path: &FieldPath<'_>,
    at: u64,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    if is_unit(q) {
        return Ok(());
    }
    findings.broken(some::ROTATION_LENGTH, path, at, || {
        let [x, y, z, w] = q;
        format!("[{x:?}, {y:?}, {z:?}, {w:?}] is not of length 1")
    })
}
