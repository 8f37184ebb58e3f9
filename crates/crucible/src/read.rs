//! Reading, in the order of the description. Headers of all streams are read and held against each other
//! before the first block is decoded.

use crate::lz4::{self, Broken};
use crate::model::{AttributeStream, CModel, Chunk, Stream};
use crate::packed::{AttributeFlag, Dialect, IndexSize};
use crate::shape::{Place, Shape};
use crate::skeleton::QuaternionOrder;
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use meshwright_core::{
    Budget, Codes, Cursor, Fault, Finding, Parsed, Path, ReadError, ReadOptions, Report, Source,
    Stream as Part,
};
use nom::bytes::complete::tag;
use nom::error::context;
use nom::number::complete::{le_i32, le_u8, le_u16, le_u32, le_u64};
use nom::{IResult, Parser as _};

pub(crate) type Step<'a, T> = IResult<&'a [u8], T, Fault<'a>>;

pub(crate) const CODES: Codes = Codes {
    short: &meshwright_core::Rule::error("Truncated", meshwright_core::Kind::Truncated, "", ""),
    count: &meshwright_core::Rule::error("Truncated", meshwright_core::Kind::BadCount, "", ""),
    limit: &meshwright_core::Rule::error("LimitExceeded", meshwright_core::Kind::Limit, "", ""),
};

/// The magic of a `.cmodel` file.
pub(crate) const MAGIC: &[u8; 7] = b"cmodel\n";

/// The bytes of a chunk that holds nothing: header, a block of one byte, count.
const SMALLEST_CHUNK: u64 = 11;

/// How a Crucible file is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CrucibleOptions {
    /// Limits and strictness. Forgiven are an index beyond the vertices (`IndexRange`), a reserved flag
    /// (`ReservedFlag`), a partial last vertex or index (`StreamSize`), and a block that holds less than it
    /// states (`Lz4OutputTooShort`), which the engine fills up with zeros.
    pub read: ReadOptions,
    /// What the attribute flags mean; `None` lets the bytes decide.
    pub dialect: Option<Dialect>,
    /// How rotations of a skeleton chunk are stored.
    pub quaternions: QuaternionOrder,
    parallel: bool,
}

impl CrucibleOptions {
    /// The same options with a dialect that the bytes cannot overrule.
    #[must_use]
    pub const fn with_dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = Some(dialect);
        self
    }

    /// The same options with another order of the floats of a rotation.
    #[must_use]
    pub const fn with_quaternions(mut self, order: QuaternionOrder) -> Self {
        self.quaternions = order;
        self
    }

    /// The same options; streams are decoded on the threads of the current rayon pool, with the same result.
    #[cfg(feature = "rayon")]
    #[must_use]
    pub const fn with_threads(mut self, parallel: bool) -> Self {
        self.parallel = parallel;
        self
    }
}

impl From<ReadOptions> for CrucibleOptions {
    fn from(read: ReadOptions) -> Self {
        Self { read, ..Self::default() }
    }
}

/// What a block takes besides its bytes: in the lists of blocks, of results, of streams and of shapes.
const BLOCK: usize = 4 * size_of::<(&Block<'_>, AttributeFlag, u64)>()
    + size_of::<Result<Vec<u8>, Broken>>()
    + size_of::<AttributeStream<'_>>();

/// An LZ4 block whose sizes have been checked and whose decoded size has been charged.
pub(crate) struct Block<'a> {
    pub(crate) packed: &'a [u8],
    pub(crate) size: usize,
    at: u64,
}

/// The bytes of `file` that were seen as `section` at `offset`; they outlive the reader that saw them.
fn kept<'a>(file: &'a [u8], section: &[u8], offset: u64) -> &'a [u8] {
    let rest = usize::try_from(offset).ok().and_then(|at| file.get(at..));
    rest.and_then(|rest| rest.get(..section.len())).unwrap_or_default()
}

/// Sizes of a block, as stored: compressed, decoded.
pub(crate) type Sizes = (i32, i32);

/// Checks and takes the block at the cursor: sign, what is left, ratio, limit, in this order. The sizes stand
/// at `sizes_at`.
pub(crate) fn block<'a>(
    cursor: &mut Cursor<'a, '_>,
    path: &Path<'_>,
    sizes_at: u64,
    (packed, size): Sizes,
) -> Result<Block<'a>, ReadError> {
    let source = cursor.source();
    let size_at = sizes_at.saturating_add(4);
    let of = |value: i32, field, at| {
        u64::try_from(value).map_err(|_| {
            source.malformed("NegativeSize", &path.field(field), at, format!("a size of {value} bytes"))
        })
    };
    let packed = of(packed, "packed", sizes_at)?;
    let size = of(size, "size", size_at)?;
    if packed > cursor.remaining() {
        let message = format!("{packed} bytes wanted, {} left", cursor.remaining());
        return Err(source.malformed(CODES.short, &path.field("packed"), sizes_at, message));
    }
    if size > lz4::most_from(packed) {
        let message = format!("{packed} bytes of LZ4 cannot hold {size}");
        return Err(source.malformed("ImpossibleRatio", &path.field("size"), size_at, message));
    }
    source.charge(&path.field("size"), size_at, "decoded stream", size, 1)?;
    source.charge(path, sizes_at, "stream", 1, BLOCK)?;
    let at = cursor.offset();
    let bytes = cursor.bytes(path, packed)?;
    let size = usize::try_from(size).map_err(|_| {
        source.malformed(CODES.limit, &path.field("size"), size_at, "more than this machine holds")
    })?;
    Ok(Block { packed: bytes, size, at })
}

/// The decoded blocks, in order, up to the first that is broken.
fn decode(blocks: &[&Block<'_>], parallel: bool) -> Vec<Result<Vec<u8>, Broken>> {
    #[cfg(feature = "rayon")]
    if parallel {
        use rayon::prelude::*;
        return blocks.par_iter().map(|b| lz4::decode(b.packed, b.size)).collect();
    }
    let _ = parallel;
    let mut decoded = Vec::with_capacity(blocks.len());
    for block in blocks {
        let data = lz4::decode(block.packed, block.size);
        let stop = matches!(data, Err(Broken::Block(_) | Broken::TooLong | Broken::Memory));
        decoded.push(data);
        if stop {
            break;
        }
    }
    decoded
}

/// The headers of a chunk.
struct Draft<'a> {
    start: u64,
    index_size: IndexSize,
    index_sizes_at: u64,
    indices: Block<'a>,
    streams: Vec<(StreamHeader, u64, Block<'a>)>,
    tail: &'a [u8],
    tail_at: u64,
}

/// The 9 bytes at the start of a chunk.
struct IndexHeader {
    index_size: u8,
    sizes: Sizes,
}

fn index_header(i: &[u8]) -> Step<'_, IndexHeader> {
    let (i, index_size) = context("index_size", le_u8).parse(i)?; // 0
    let (i, sizes) = (
        context("indices", context("packed", le_i32)), // 1
        context("indices", context("size", le_i32)),   // 5
    )
        .parse(i)?;
    Ok((i, IndexHeader { index_size, sizes }))
}

/// The 10 bytes before an attribute's block.
#[derive(Clone, Copy)]
struct StreamHeader {
    flag: AttributeFlag,
    sizes: Sizes,
}

fn stream_header(i: &[u8]) -> Step<'_, StreamHeader> {
    let (i, flag) = context("flag", le_u16).parse(i)?; // 0
    let (i, sizes) = (context("packed", le_i32), context("size", le_i32)).parse(i)?; // 2, 6
    Ok((i, StreamHeader { flag: AttributeFlag(flag), sizes }))
}

/// What reading a chunk may forgive, and what it did.
pub(crate) struct Mercy {
    lenient: bool,
    forgiven: Report,
}

impl Mercy {
    /// Nothing is forgiven.
    pub(crate) fn none() -> Self {
        Self { lenient: false, forgiven: Report::new() }
    }

    fn new(options: &CrucibleOptions) -> Self {
        Self { lenient: options.read.is_lenient(), forgiven: Report::new() }
    }

    fn forgive(&mut self, e: ReadError) -> Result<(), ReadError> {
        if !self.lenient {
            return Err(e);
        }
        self.forgiven.push(Finding::from(&e));
        Ok(())
    }
}

fn draft<'a>(
    cursor: &mut Cursor<'a, '_>,
    path: &Path<'_>,
    mercy: &mut Mercy,
) -> Result<Draft<'a>, ReadError> {
    let start = cursor.offset();
    let header = cursor.read(path, index_header)?;
    let index_sizes_at = start.saturating_add(1);
    let indices = block(cursor, &path.field("indices"), index_sizes_at, header.sizes)?;
    let table = path.field("streams");
    let count_at = cursor.offset();
    let count = cursor.read(&path.field("stream_count"), le_u8)?;
    let mut streams = cursor.reserve(&table, count_at, u64::from(count), 10)?;
    let mut seen = 0_u16;
    for i in 0..usize::from(count) {
        let path = table.index(i);
        let at = cursor.offset();
        let header: StreamHeader = cursor.read(&path, stream_header)?;
        let flag = header.flag;
        let wrong = |code, message| Err(cursor.source().malformed(code, &path.field("flag"), at, message));
        if !flag.is_single() {
            return wrong("AttributeFlag", format!("flag {flag} is not one bit"));
        }
        if seen & flag.0 != 0 {
            return wrong("DuplicateAttribute", format!("a second stream of flag {flag}"));
        }
        seen |= flag.0;
        if flag.0 & AttributeFlag::RESERVED != 0 {
            let message = format!("flag {flag} is reserved in every dialect");
            mercy.forgive(cursor.source().malformed("ReservedFlag", &path.field("flag"), at, message))?;
        }
        let block = block(cursor, &path, at.saturating_add(2), header.sizes)?;
        streams.push((header, at, block));
    }
    let (tail, tail_at) = (cursor.rest(), cursor.offset());
    Ok(Draft {
        start,
        index_size: IndexSize(header.index_size),
        index_sizes_at,
        indices,
        streams,
        tail,
        tail_at,
    })
}

impl<'a> Draft<'a> {
    fn shape(&self) -> Shape {
        Shape {
            index_size: self.index_size,
            index_bytes: self.indices.size as u64,
            streams: self.streams.iter().map(|(h, _, b)| (h.flag, b.size as u64)).collect(),
        }
    }

    fn blocks(&self) -> impl Iterator<Item = &Block<'a>> {
        core::iter::once(&self.indices).chain(self.streams.iter().map(|s| &s.2))
    }

    /// Holds the sizes against each other, as far as they are decided without the indices.
    fn check(
        &self,
        source: &Source<'a>,
        path: &Path<'_>,
        dialect: Dialect,
        mercy: &mut Mercy,
    ) -> Result<(), ReadError> {
        self.shape().check(dialect, |broken| {
            let table = path.field("streams");
            let (at, e) = match broken.place {
                Place::Indices => {
                    let at = self.index_sizes_at.saturating_add(4);
                    (
                        at,
                        source.malformed(
                            broken.code,
                            &path.field("indices").field(broken.field),
                            at,
                            broken.message,
                        ),
                    )
                }
                Place::Stream(i) => {
                    let header = self.streams.get(i).map_or(self.start, |s| s.1);
                    let at = header.saturating_add(if broken.field == "flag" { 0 } else { 6 });
                    let stream = table.index(i);
                    (at, source.malformed(broken.code, &stream.field(broken.field), at, broken.message))
                }
            };
            debug_assert_eq!(at, e.offset());
            match broken.code {
                // Flags that no dialect knows were forgiven with their header.
                "ReservedFlag" if self.is_reserved(broken.place) => Ok(()),
                "ReservedFlag" | "StreamSize" => mercy.forgive(e),
                _ => Err(e),
            }
        })
    }

    fn is_reserved(&self, place: Place) -> bool {
        let Place::Stream(i) = place else { return false };
        self.streams.get(i).is_some_and(|s| s.0.flag.0 & AttributeFlag::RESERVED != 0)
    }

    /// Puts the chunk together; what it borrows comes from `file`.
    fn finish<'f>(
        self,
        file: &'f [u8],
        source: &Source<'a>,
        path: &Path<'_>,
        decoded: impl Iterator<Item = Result<Vec<u8>, Broken>>,
        options: &CrucibleOptions,
        mercy: &mut Mercy,
    ) -> Result<Chunk<'f>, ReadError> {
        let shape = self.shape();
        let table = path.field("streams");
        let mut chunk = Chunk { index_size: self.index_size, ..Chunk::default() };
        chunk.streams.reserve_exact(self.streams.len());
        let mut decoded = decoded;
        chunk.indices = stream(file, source, &path.field("indices"), &self.indices, decoded.next(), mercy)?;
        for (i, (header, _, block)) in self.streams.iter().enumerate() {
            let stream = stream(file, source, &table.index(i), block, decoded.next(), mercy)?;
            chunk.streams.push(AttributeStream { flag: header.flag, stream });
        }
        let highest = chunk.indices().highest();
        chunk.dialect = options.dialect.unwrap_or_else(|| shape.decide(highest));
        self.check(source, path, chunk.dialect, mercy)?;
        let vertices = shape.vertices(chunk.dialect);
        if highest.is_some_and(|h| u64::from(h) >= vertices)
            && let Some((i, index)) = chunk.indices().first_beyond(vertices)
        {
            let field = path.field("indices");
            let at = (i as u64).saturating_mul(chunk.index_size.bytes() as u64);
            let e = source.malformed(
                "IndexRange",
                &field.index(i),
                at,
                format!("index {index} of {vertices} vertices"),
            );
            mercy.forgive(e.in_stream(Part::Part(field.to_owned().to_string().into())))?;
        }
        chunk.tail = Cow::Borrowed(kept(file, self.tail, self.tail_at));
        Ok(chunk)
    }
}

/// The stream of a decoded block.
pub(crate) fn stream<'f>(
    file: &'f [u8],
    source: &Source<'_>,
    path: &Path<'_>,
    block: &Block<'_>,
    decoded: Option<Result<Vec<u8>, Broken>>,
    mercy: &mut Mercy,
) -> Result<Stream<'f>, ReadError> {
    let size = block.size;
    let wrong = |code, message: Cow<'static, str>| source.malformed(code, path, block.at, message);
    match decoded.unwrap_or(Err(Broken::Memory)) {
        Ok(data) => Ok(Stream::decoded(data, kept(file, block.packed, block.at))),
        Err(Broken::Block(why)) => Err(wrong("Lz4", why.into())),
        Err(Broken::TooLong) => {
            Err(wrong("Lz4OutputTooLong", format!("holds more than {size} bytes").into()))
        }
        Err(Broken::TooShort { data, got }) => {
            mercy.forgive(wrong("Lz4OutputTooShort", format!("holds {got} bytes, {size} stated").into()))?;
            Ok(Stream::new(data))
        }
        Err(Broken::Memory) => Err(wrong(CODES.limit.code, format!("no memory for {size} bytes").into())),
    }
}

/// Sizes that no dialect fits, or that the chosen one does not fit, are told before anything is decoded.
fn check_early(
    draft: &Draft<'_>,
    source: &Source<'_>,
    path: &Path<'_>,
    options: &CrucibleOptions,
) -> Result<(), ReadError> {
    if options.read.is_lenient() {
        return Ok(());
    }
    let dialect = options.dialect.unwrap_or_else(|| draft.shape().decide(None));
    let mut strict = Mercy::none();
    draft.check(source, path, dialect, &mut strict)
}

impl<'a> Chunk<'a> {
    /// Reads a chunk: strictly, within default limits, the dialect as the bytes decide. The chunk borrows the
    /// compressed blocks from `bytes`; [`into_owned`](Self::into_owned) frees it from them.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ReadError> {
        Self::parse_options(bytes, &CrucibleOptions::default()).map(|p| p.model)
    }

    /// Reads a chunk.
    pub fn parse_with(bytes: &'a [u8], options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        Self::parse_options(bytes, &(*options).into())
    }

    /// Reads a chunk with the format's own options.
    pub fn parse_options(bytes: &'a [u8], options: &CrucibleOptions) -> Result<Parsed<Self>, ReadError> {
        let budget = Budget::new(options.read.limits);
        let source = Source::file(bytes, CODES, &budget);
        let mut mercy = Mercy::new(options);
        let draft = draft(&mut source.start(), &Path::ROOT, &mut mercy)?;
        check_early(&draft, &source, &Path::ROOT, options)?;
        let blocks: Vec<_> = draft.blocks().collect();
        let decoded = decode(&blocks, options.parallel);
        let chunk = draft.finish(bytes, &source, &Path::ROOT, decoded.into_iter(), options, &mut mercy)?;
        Ok(Parsed::new(chunk, mercy.forgiven))
    }
}

fn magic(i: &[u8]) -> Step<'_, ()> {
    let short = i.len() < MAGIC.len() && MAGIC.starts_with(i);
    match tag::<_, _, Fault<'_>>(MAGIC.as_slice()).parse(i) {
        Ok((rest, _)) => Ok((rest, ())),
        Err(e) if short => Err(e),
        Err(_) => Err(nom::Err::Error(Fault::reject(i, "Magic", "a .cmodel file starts with \"cmodel\\n\""))),
    }
}

impl<'a> CModel<'a> {
    /// Reads a container: strictly, within default limits, the dialects as the bytes decide. The chunks borrow
    /// their compressed blocks from `bytes`; [`into_owned`](Self::into_owned) frees them.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ReadError> {
        Self::parse_options(bytes, &CrucibleOptions::default()).map(|p| p.model)
    }

    /// Reads a container.
    pub fn parse_with(bytes: &'a [u8], options: &ReadOptions) -> Result<Parsed<Self>, ReadError> {
        Self::parse_options(bytes, &(*options).into())
    }

    /// Reads a container with the format's own options.
    pub fn parse_options(bytes: &'a [u8], options: &CrucibleOptions) -> Result<Parsed<Self>, ReadError> {
        let budget = Budget::new(options.read.limits);
        let source = Source::file(bytes, CODES, &budget);
        let mut mercy = Mercy::new(options);
        let mut cursor = source.start();
        cursor.read(&Path::ROOT.field("magic"), magic)?; // 0
        let table = Path::ROOT.field("meshes");
        let count_at = cursor.offset();
        let count = cursor.read(&Path::ROOT.field("mesh_count"), le_u32)?; // 7
        let smallest = SMALLEST_CHUNK.saturating_add(8);
        let mut drafts: Vec<Draft<'_>> = cursor.reserve(&table, count_at, count.into(), smallest)?;
        let mut meshes = cursor.reserve(&table, count_at, count.into(), smallest)?;
        for i in 0..usize::try_from(count).unwrap_or(usize::MAX) {
            let path = table.index(i);
            let len_at = cursor.offset();
            let len = cursor.read(&path.field("length"), le_u64)?;
            let start = cursor.offset();
            cursor.bytes(&path.field("length"), len).map_err(|_| {
                let message = format!("{len} bytes wanted, {} left", cursor.remaining());
                source.malformed(CODES.short, &path.field("length"), len_at, message)
            })?;
            let mut section = source.section(&path, len_at, start, len, 1)?;
            let draft = draft(&mut section, &path, &mut mercy)?;
            check_early(&draft, &source, &path, options)?;
            drafts.push(draft);
        }
        let tail = kept(bytes, cursor.rest(), cursor.offset());
        let blocks: Vec<_> = drafts.iter().flat_map(Draft::blocks).collect();
        let mut decoded = decode(&blocks, options.parallel).into_iter();
        for (i, draft) in drafts.into_iter().enumerate() {
            let mine = decoded.by_ref().take(draft.streams.len().saturating_add(1));
            meshes.push(draft.finish(bytes, &source, &table.index(i), mine, options, &mut mercy)?);
        }
        Ok(Parsed::new(Self { meshes, tail: Cow::Borrowed(tail) }, mercy.forgiven))
    }
}
