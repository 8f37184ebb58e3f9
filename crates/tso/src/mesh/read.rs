//! Reads `.mesh`, and the geometry within `.bmf`.

use super::model::{BlendVertex, Geometry, Mesh, RealVertex, Total};
use super::record::{self, Order, binding, face, position_and_normal, pull, uv, vertex};
use super::rules;
use crate::fields::{file, name, pstr, trailing, version, wide, words};
use meshwright_core::num::Q1_15;
use meshwright_core::{
    Budget, Confidence, Cursor, FieldPath, Findings, Parsed, ReadError, ReadOptions, bulk,
};

impl Mesh {
    /// Reads a file strictly, within the default limits.
    ///
    /// # Errors
    /// The first rule that the file breaks.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::parse_with(bytes, &ReadOptions::default()).map(|p| p.model)
    }

    /// Reads a file. A lenient reader accepts faults of every rule but those on sizes and version. It keeps the
    /// values; the methods of [`Geometry`] document their treatment.
    ///
    /// # Errors
    /// If the file breaks a rule that the options do not accept, or would take more memory than they allow.
    pub fn parse_with(bytes: &[u8], options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        let budget = Budget::new(options.limits);
        let source = file(bytes, &budget);
        let mut cursor = source.start();
        version(&mut cursor, record::VERSION)?;
        let at = cursor.offset();
        let geometry = geometry(&mut cursor, Order::Big)?;
        let mesh = Self { geometry, trailing: trailing(&cursor)? };
        source.charge(&FieldPath::ROOT, at, "rules", rules::memory(&mesh.geometry), 1)?;
        let mut findings = Findings::reading(options);
        rules::mesh(&mesh, &mut findings)?;
        Ok(Parsed::new(mesh, findings.into_report()))
    }

    /// Returns how likely the bytes are those of a `.mesh`. The format has no magic: the sizes of all tables must fit
    /// the size of the file.
    pub fn sniff(bytes: &[u8]) -> Confidence {
        match bytes.split_first_chunk() {
            Some((version, rest)) if Order::Big.word(*version) == record::VERSION => {
                sniff_geometry(rest, Order::Big)
            }
            _ => Confidence::No,
        }
    }
}

/// Reads a geometry, beginning with its number of bones.
pub(crate) fn geometry(cursor: &mut Cursor<'_, '_>, order: Order) -> Result<Geometry, ReadError> {
    let count = |cursor: &mut Cursor<'_, '_>, path: &FieldPath<'_>| {
        let at = cursor.offset();
        Ok::<_, ReadError>((at, u64::from(cursor.read(path, |i| order.u32(i))?)))
    };
    let root = FieldPath::ROOT;

    let path = root.field("bones");
    let (at, n) = count(cursor, &path)?;
    let mut bones = cursor.reserve(&path, at, n, 1)?;
    for i in 0..usize::try_from(n).unwrap_or(usize::MAX) {
        bones.push(name(cursor, &path.index(i), pstr)?);
    }

    let path = root.field("faces");
    let (at, n) = count(cursor, &path)?;
    let mut faces = cursor.reserve(&path, at, n, wide(face::SIZE))?;
    let corners = cursor.bytes(&path, n.saturating_mul(wide(face::SIZE)))?;
    match order {
        Order::Big => bulk::extend_be_u32s(corners, &mut faces),
        Order::Little => bulk::extend_le_u32s(corners, &mut faces),
    };

    let path = root.field("bindings");
    let (at, n) = count(cursor, &path)?;
    let bindings = cursor.table(&path, at, n, wide(binding::SIZE), |i| order.binding(i))?;

    // A real vertex is stored in two tables: its texture coordinates here, the rest after the blend vertices.
    let path = root.field("real");
    let (at, real_count) = count(cursor, &path)?;
    let mut real = cursor.reserve(&path, at, real_count, wide(record::REAL))?;
    let uvs = table::<{ uv::SIZE }>(cursor, &root.field("uvs"), real_count)?;

    let path_blends = root.field("blends");
    let (at, blend_count) = count(cursor, &path_blends)?;
    let mut blends = cursor.reserve(&path_blends, at, blend_count, wide(record::BLEND))?;
    let pulls = table::<{ pull::SIZE }>(cursor, &root.field("blend_properties"), blend_count)?;

    let total = cursor.read(&root.field("total"), |i| order.u32(i))?;

    let vertices = table::<{ vertex::SIZE }>(cursor, &path, real_count)?;
    real.extend(uvs.iter().zip(vertices).map(|(uv, vertex)| {
        let (position, normal) = position_and_normal(vertex);
        RealVertex { uv: words(uv), position, normal }
    }));
    let vertices = table::<{ vertex::SIZE }>(cursor, &path_blends, blend_count)?;
    blends.extend(pulls.iter().zip(vertices).map(|(pull, vertex)| {
        let (position, normal) = position_and_normal(vertex);
        let (words, _) = pull.as_chunks();
        let mut words = words.iter().map(|w| order.word(*w));
        let weight = Q1_15::from_bits(words.next().unwrap_or(0));
        BlendVertex { weight, target: words.next().unwrap_or(0), position, normal }
    }));
    Ok(Geometry {
        bones,
        faces,
        bindings,
        total: Total::classify(total, real.len(), blends.len()),
        real,
        blends,
    })
}

/// Returns all records of a table as one slice.
fn table<'a, const N: usize>(
    cursor: &mut Cursor<'a, '_>,
    path: &FieldPath<'_>,
    n: u64,
) -> Result<&'a [[u8; N]], ReadError> {
    Ok(cursor.bytes(path, n.saturating_mul(wide(N)))?.as_chunks().0)
}

impl Total {
    /// Classifies a stored number of vertices.
    pub(crate) fn classify(stored: u32, real: usize, blends: usize) -> Self {
        let stored_wide = u64::from(stored);
        let real = wide(real);
        if stored_wide == real.saturating_add(wide(blends)) {
            Self::All
        } else if stored_wide == real {
            Self::RealOnly
        } else {
            Self::Other(stored)
        }
    }
}

/// Checks the sizes of a geometry's tables without reading their content.
pub(crate) fn sniff_geometry(bytes: &[u8], order: Order) -> Confidence {
    fn skip(bytes: &[u8], count: u32, size: usize) -> Option<&[u8]> {
        bytes.get(usize::try_from(u64::from(count).checked_mul(wide(size))?).ok()?..)
    }
    let walk = || -> Option<bool> {
        let word = |bytes: &mut &[u8]| {
            let (first, rest) = bytes.split_first_chunk()?;
            *bytes = rest;
            Some(order.word(*first))
        };
        let mut rest = bytes;
        let bones = word(&mut rest)?;
        for _ in 0..bones {
            rest = skip(rest, 1, 1 + usize::from(*rest.first()?))?;
        }
        for size in [face::SIZE, binding::SIZE] {
            let n = word(&mut rest)?;
            rest = skip(rest, n, size)?;
        }
        let real = word(&mut rest)?;
        rest = skip(rest, real, uv::SIZE)?;
        let blends = word(&mut rest)?;
        rest = skip(rest, blends, pull::SIZE)?;
        let total = u64::from(word(&mut rest)?);
        rest = skip(skip(rest, real, vertex::SIZE)?, blends, vertex::SIZE)?;
        let all = u64::from(real).saturating_add(u64::from(blends));
        Some(rest.is_empty() && (total == all || total == u64::from(real)))
    };
    match walk() {
        Some(true) => Confidence::Likely,
        Some(false) => Confidence::Possible,
        None => Confidence::No,
    }
}
