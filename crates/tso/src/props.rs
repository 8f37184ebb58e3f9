//! Property lists: pairs of key and value that bones and motions carry.

use crate::fields::{count, name, pstr, put_pstr, wide};
use crate::name::Name;
use alloc::vec::Vec;
use meshwright_core::{ByteWriter, Cursor, Fault, FieldPath, ReadError, WriteError};

/// Pairs of key and value, in the file's order; keys may repeat.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PropertyList(pub Vec<(Name, Name)>);

impl PropertyList {
    /// Returns the value of the first pair with this key, ignoring letter case.
    pub fn get(&self, key: &str) -> Option<&Name> {
        let key = Name::from(key);
        self.0.iter().find(|(k, _)| k.matches(&key)).map(|(_, v)| v)
    }

    pub(crate) fn size(&self) -> u64 {
        let pair = |(k, v): &(Name, Name)| wide(k.bytes().len()).saturating_add(wide(v.bytes().len()));
        self.0.iter().fold(4_u64, |n, p| n.saturating_add(pair(p)).saturating_add(2))
    }
}

/// Reads a count of 32 bits, and returns it with its offset.
pub(crate) fn counted(cursor: &mut Cursor<'_, '_>, path: &FieldPath<'_>) -> Result<(u64, u64), ReadError> {
    let at = cursor.offset();
    let n = cursor.read(path, nom::number::complete::be_u32::<&[u8], Fault<'_>>)?;
    Ok((at, u64::from(n)))
}

/// Reads a counted table of items that are read with the cursor.
pub(crate) fn table<'a, 's, T>(
    cursor: &mut Cursor<'a, 's>,
    path: &FieldPath<'_>,
    min_size: u64,
    mut item: impl FnMut(&mut Cursor<'a, 's>, &FieldPath<'_>) -> Result<T, ReadError>,
) -> Result<Vec<T>, ReadError> {
    let (at, n) = counted(cursor, path)?;
    let mut items = cursor.reserve(path, at, n, min_size)?;
    for i in 0..usize::try_from(n).unwrap_or(usize::MAX) {
        items.push(item(cursor, &path.index(i))?);
    }
    Ok(items)
}

/// Reads a property list; each pair has at least 2 bytes.
pub(crate) fn property_list(
    cursor: &mut Cursor<'_, '_>,
    path: &FieldPath<'_>,
) -> Result<PropertyList, ReadError> {
    let pair = |c: &mut Cursor<'_, '_>, p: &FieldPath<'_>| {
        Ok((name(c, &p.field("key"), pstr)?, name(c, &p.field("value"), pstr)?))
    };
    table(cursor, path, 2, pair).map(PropertyList)
}

/// Reads property lists; each has at least 4 bytes.
pub(crate) fn property_lists(
    cursor: &mut Cursor<'_, '_>,
    path: &FieldPath<'_>,
) -> Result<Vec<PropertyList>, ReadError> {
    table(cursor, path, 4, property_list)
}

pub(crate) fn put_property_list(
    w: &mut ByteWriter,
    path: &FieldPath<'_>,
    list: &PropertyList,
) -> Result<(), WriteError> {
    w.be_u32(count(path, list.0.len())?);
    for (i, (key, value)) in list.0.iter().enumerate() {
        let path = path.index(i);
        put_pstr(w, &path.field("key"), key)?;
        put_pstr(w, &path.field("value"), value)?;
    }
    Ok(())
}

pub(crate) fn put_property_lists(
    w: &mut ByteWriter,
    path: &FieldPath<'_>,
    lists: &[PropertyList],
) -> Result<(), WriteError> {
    w.be_u32(count(path, lists.len())?);
    lists.iter().enumerate().try_for_each(|(i, list)| put_property_list(w, &path.index(i), list))
}
