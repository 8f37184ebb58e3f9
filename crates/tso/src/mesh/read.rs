//! Reads `.mesh`, and the geometry within `.bmf`.

use super::model::{Binding, BlendVertex, Geometry, Mesh, RealVertex, Total};
use super::places::Places;
use super::rules;
use crate::common::{Findings, Step, file, name, pstr, trailing, version};
use meshwright_core::num::Q1_15;
use meshwright_core::{Budget, Confidence, Cursor, F32, Parsed, Path, ReadError, ReadOptions};
use nom::Parser as _;
use nom::error::context;
use nom::number::complete::{be_u32, le_u32};

/// The order of the bytes of integers. Floats are little endian in either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// `.mesh`.
    Big,
    /// `.bmf`.
    Little,
}

impl Order {
    fn u32(self, i: &[u8]) -> Step<'_, u32> {
        match self {
            Self::Big => be_u32(i),
            Self::Little => le_u32(i),
        }
    }

    fn word(self, bytes: [u8; 4]) -> u32 {
        match self {
            Self::Big => u32::from_be_bytes(bytes),
            Self::Little => u32::from_le_bytes(bytes),
        }
    }

    /// A binding, 20 bytes.
    fn binding(self, i: &[u8]) -> Step<'_, Binding> {
        let u32 = |i| self.u32(i);
        let (i, bone) = context("bone", u32).parse(i)?;
        let (i, first_real) = context("first_real", u32).parse(i)?;
        let (i, real_count) = context("real_count", u32).parse(i)?;
        let (i, first_blend) = context("first_blend", u32).parse(i)?;
        let (i, blend_count) = context("blend_count", u32).parse(i)?;
        Ok((i, Binding { bone, first_real, real_count, first_blend, blend_count }))
    }
}

impl Mesh {
    /// Reads a file that keeps all rules, within the default limits.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::parse_with(bytes, &ReadOptions::default()).map(|p| p.model)
    }

    /// Reads a file. Leniently, every rule but those on sizes and version may be broken: the values are kept, and
    /// whoever interprets them makes do as [`Geometry`]'s methods say.
    pub fn parse_with(bytes: &[u8], options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        let budget = Budget::new(options.limits);
        let source = file(bytes, &budget);
        let mut cursor = source.start();
        version(&mut cursor, 2)?;
        let at = cursor.offset();
        let geometry = geometry(&mut cursor, Order::Big)?;
        let mesh = Self { geometry, trailing: trailing(&cursor)? };
        source.charge(&Path::ROOT, at, "rules", rules::memory(&mesh.geometry), 1)?;
        let mut findings = Findings::reading(options);
        rules::check(&mesh.geometry, &Places::Binary(at), &mut findings);
        findings.trailing(cursor.offset(), &mesh.trailing);
        Ok(Parsed::new(mesh, findings.settle()?))
    }

    /// How likely these are the bytes of a `.mesh`. There is no magic: the sizes of all tables are held against
    /// the size of the file.
    pub fn sniff(bytes: &[u8]) -> Confidence {
        match bytes.split_first_chunk() {
            Some(([0, 0, 0, 2], rest)) => sniff_geometry(rest, Order::Big),
            _ => Confidence::No,
        }
    }
}

/// A geometry from its number of bones on.
pub(crate) fn geometry(cursor: &mut Cursor<'_, '_>, order: Order) -> Result<Geometry, ReadError> {
    let count = |cursor: &mut Cursor<'_, '_>, path: &Path<'_>| {
        let at = cursor.offset();
        Ok::<_, ReadError>((at, u64::from(cursor.read(path, |i| order.u32(i))?)))
    };
    let root = Path::ROOT;

    let path = root.field("bones");
    let (at, n) = count(cursor, &path)?;
    let mut bones = cursor.reserve(&path, at, n, 1)?;
    for i in 0..usize::try_from(n).unwrap_or(usize::MAX) {
        bones.push(name(cursor, &path.index(i), pstr)?);
    }

    let path = root.field("faces");
    let (at, n) = count(cursor, &path)?;
    let mut faces = cursor.reserve(&path, at, n, 12)?;
    let words = |bytes: &[u8; 12]| {
        let (words, _) = bytes.as_chunks();
        let mut words = words.iter().map(|w| order.word(*w));
        core::array::from_fn(|_| words.next().unwrap_or(0))
    };
    faces.extend(chunks::<12>(cursor.bytes(&path, n.saturating_mul(12))?).iter().map(words));

    let path = root.field("bindings");
    let (at, n) = count(cursor, &path)?;
    let bindings = cursor.table(&path, at, n, 20, |i| order.binding(i))?;

    // A real vertex stands in two tables: its texture coordinates here, the rest behind the blends.
    let path = root.field("real");
    let (at, real_count) = count(cursor, &path)?;
    let mut real = cursor.reserve(&path, at, real_count, 32)?;
    let uvs = cursor.bytes(&root.field("uvs"), real_count.saturating_mul(8))?;

    let path_blends = root.field("blends");
    let (at, blend_count) = count(cursor, &path_blends)?;
    let mut blends = cursor.reserve(&path_blends, at, blend_count, 32)?;
    let pulls = cursor.bytes(&root.field("blend_properties"), blend_count.saturating_mul(8))?;

    let total = cursor.read(&root.field("total"), |i| order.u32(i))?;

    let vertices = chunks::<24>(cursor.bytes(&path, real_count.saturating_mul(24))?);
    real.extend(chunks::<8>(uvs).iter().zip(vertices).map(|(uv, vertex)| {
        let ([u, v], [x, y, z, nx, ny, nz]) = (floats(uv), floats(vertex));
        RealVertex { uv: [u, v], position: [x, y, z], normal: [nx, ny, nz] }
    }));
    let vertices = chunks::<24>(cursor.bytes(&path_blends, blend_count.saturating_mul(24))?);
    blends.extend(chunks::<8>(pulls).iter().zip(vertices).map(|(pull, vertex)| {
        let (words, _) = pull.as_chunks();
        let mut words = words.iter().map(|w| order.word(*w));
        let [x, y, z, nx, ny, nz] = floats(vertex);
        BlendVertex {
            weight: Q1_15::from_bits(words.next().unwrap_or(0)),
            target: words.next().unwrap_or(0),
            position: [x, y, z],
            normal: [nx, ny, nz],
        }
    }));
    Ok(Geometry { bones, faces, bindings, total: Total::of(total, real.len(), blends.len()), real, blends })
}

impl Total {
    /// What a stored number counts.
    pub(crate) fn of(stored: u32, real: usize, blends: usize) -> Self {
        let stored_wide = u64::from(stored);
        let real = crate::common::wide(real);
        if stored_wide == real.saturating_add(crate::common::wide(blends)) {
            Self::All
        } else if stored_wide == real {
            Self::RealOnly
        } else {
            Self::Other(stored)
        }
    }
}

fn chunks<const N: usize>(bytes: &[u8]) -> &[[u8; N]] {
    bytes.as_chunks().0
}

/// Little-endian floats; `M` is four times `N`.
fn floats<const M: usize, const N: usize>(bytes: &[u8; M]) -> [F32; N] {
    let (words, _) = bytes.as_chunks::<4>();
    let mut words = words.iter().map(|w| F32::from_bits(u32::from_le_bytes(*w)));
    core::array::from_fn(|_| words.next().unwrap_or_default())
}

/// Walks the tables of a geometry without looking into them.
pub(crate) fn sniff_geometry(bytes: &[u8], order: Order) -> Confidence {
    fn skip(bytes: &[u8], count: u32, size: u64) -> Option<&[u8]> {
        bytes.get(usize::try_from(u64::from(count).checked_mul(size)?).ok()?..)
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
            rest = skip(rest, 1, 1 + u64::from(*rest.first()?))?;
        }
        for size in [12, 20] {
            let n = word(&mut rest)?;
            rest = skip(rest, n, size)?;
        }
        let real = word(&mut rest)?;
        rest = skip(rest, real, 8)?;
        let blends = word(&mut rest)?;
        rest = skip(rest, blends, 8)?;
        let total = u64::from(word(&mut rest)?);
        rest = skip(skip(rest, real, 24)?, blends, 24)?;
        let all = u64::from(real).saturating_add(u64::from(blends));
        Some(rest.is_empty() && (total == all || total == u64::from(real)))
    };
    match walk() {
        Some(true) => Confidence::Likely,
        Some(false) => Confidence::Possible,
        None => Confidence::No,
    }
}
