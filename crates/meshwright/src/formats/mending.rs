//! Helpers of the repairs of formats: the places that findings are about.

use meshwright_core::Finding;

/// Corrects the file size in the header, if the finding is about it.
pub(super) fn stated_size(bytes: &mut [u8], finding: &Finding, number: fn(u32) -> [u8; 4]) -> bool {
    let Ok(size) = u32::try_from(bytes.len()) else { return false };
    let at = finding
        .offset
        .and_then(|at| usize::try_from(at).ok())
        .filter(|_| finding.path.to_string() == "filesize");
    let field = at.and_then(|at| bytes.get_mut(at..at.checked_add(4)?));
    field.is_some_and(|field| {
        field.copy_from_slice(&number(size));
        true
    })
}

/// Returns the number of the item of a list that a finding is about: 3 of `meshes[3].flags`.
pub(super) fn item(finding: &Finding, list: &str) -> Option<usize> {
    let path = finding.path.to_string();
    let (number, _) = path.strip_prefix(list)?.strip_prefix('[')?.split_once(']')?;
    number.parse().ok()
}

/// Returns the number of an item within one of a list: 5 of `meshes[3].tris[5]`.
#[cfg(feature = "bmd")]
pub(super) fn inner(finding: &Finding, list: &str) -> Option<usize> {
    let path = finding.path.to_string();
    let (_, rest) = path.split_once(&format!("].{list}["))?;
    rest.split_once(']')?.0.parse().ok()
}

/// Returns the name of the field that a finding is about.
pub(super) fn field(finding: &Finding) -> String {
    let path = finding.path.to_string();
    path.rsplit_once('.').map_or(path.clone(), |(_, field)| field.to_owned())
}
