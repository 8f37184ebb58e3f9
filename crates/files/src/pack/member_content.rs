//! Reads the content of a member.

#[cfg(feature = "lz4")]
use super::member::LARGEST;
use super::member::{Coding, Fault, Member};
use super::refpack;
use super::rules;
use super::zip::{LOCAL, local, local_header};
use crate::byte_source::ByteSource;
use crate::error::Refused;
#[cfg(feature = "lz4")]
use lz4_flex::block::decompress_into;
use meshwright_core::{Budget, FieldPath, Limits, Report, Rule};
#[cfg(feature = "deflate")]
use miniz_oxide::inflate::TINFLStatus;
#[cfg(feature = "deflate")]
use miniz_oxide::inflate::core::inflate_flags::{
    TINFL_FLAG_HAS_MORE_INPUT, TINFL_FLAG_IGNORE_ADLER32, TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF,
};
#[cfg(feature = "deflate")]
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

const LZ41: &[u8] = b"LZ41";
/// The number of compressed bytes that are read at a time.
#[cfg(feature = "deflate")]
const CHUNK: u64 = 64 << 10;

/// The location of the bytes of a member.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub start: u64,
    pub end: u64,
}

/// The state of reading one member.
pub(super) struct MemberReader<'p> {
    pub source: &'p dyn ByteSource,
    pub member: &'p Member,
    pub budget: &'p Budget,
}

impl MemberReader<'_> {
    fn fault(&self, rule: &'static Rule, message: impl Into<String>) -> Refused {
        Fault::new(rule, message).to_error(self.member.place).into()
    }

    /// Reads the first `most` bytes of the member. If these are all its bytes, the checksum is verified.
    /// Findings are added to the report.
    pub(super) fn read(&self, most: u64, report: &mut Report) -> Result<Vec<u8>, Refused> {
        let member = self.member;
        if let Some(fault) = &member.fault {
            return Err(fault.to_error(member.place).into());
        }
        let extent = self.extent(report)?;
        let wanted = member.size.min(most);
        let bytes = match member.coding {
            Coding::Stored | Coding::ZipStored => self.raw(extent, wanted)?,
            Coding::Deflated => self.inflated(extent, wanted)?,
            Coding::RefPack => self.unpacked(extent, wanted)?,
            Coding::MaybeLz41 => {
                let magic = LZ41.len() as u64;
                if member.size >= magic && self.peek(extent.start, magic)? == LZ41 {
                    self.unblocked(extent, most)?
                } else {
                    self.raw(extent, wanted)?
                }
            }
        };
        if wanted == member.size
            && let Some(wanted) = member.checksum
            && crc32fast::hash(&bytes) != wanted
        {
            let message =
                format!("the checksum is {:#010x}, it should be {wanted:#010x}", crc32fast::hash(&bytes));
            return Err(self.fault(rules::CHECKSUM, message));
        }
        Ok(bytes)
    }

    /// Returns the location of the stored bytes. In a zip archive they follow a header that the directory
    /// points to.
    pub(super) fn extent(&self, report: &mut Report) -> Result<Extent, Refused> {
        let member = self.member;
        let ends = |start: u64| Extent { start, end: start.saturating_add(member.packed) };
        if !matches!(member.coding, Coding::Deflated | Coding::ZipStored) {
            return Ok(ends(member.start));
        }
        let head = self.peek(member.start, local::SIZE as u64)?;
        let header = local_header(&head).ok().filter(|(_, header)| header.signature == LOCAL);
        let Some((_, header)) = header else {
            return Err(self.fault(rules::LOCAL_HEADER, format!("no header at {:#x}", member.start)));
        };
        let behind = member.start.saturating_add(local::SIZE as u64);
        let start = behind.saturating_add(header.name.into()).saturating_add(header.extra.into());
        let extent = ends(start);
        if extent.end > self.source.size() {
            let message = format!("{} bytes at {start:#x} reach beyond the pack", member.packed);
            return Err(self.fault(rules::OUTSIDE, message));
        }
        if extent.end > member.end {
            return Err(self.fault(rules::OVERLAP, "reaches into what follows it"));
        }
        let method = if member.coding == Coding::Deflated { 8 } else { 0 };
        let name = self.peek(behind, header.name.into())?;
        if name != member.name || header.method != method {
            let what = if header.method == method { "name" } else { "method" };
            let message = format!("the header before the file has another {what} than the directory");
            report.broken(rules::LOCAL_DIFFERS, &FieldPath::ROOT.field("entry"), Some(member.start), || {
                message
            });
        }
        Ok(extent)
    }

    /// Reads a few bytes whose memory is not charged.
    fn peek(&self, at: u64, count: u64) -> Result<Vec<u8>, Refused> {
        let mut bytes = vec![0; usize::try_from(count).unwrap_or(0)];
        self.source.read_at(at, &mut bytes)?;
        Ok(bytes)
    }

    fn raw(&self, extent: Extent, wanted: u64) -> Result<Vec<u8>, Refused> {
        // The pack contains that many bytes, so they are not just a claim.
        let mut bytes = self.budget.filled("file", usize::try_from(wanted).unwrap_or(usize::MAX), 0_u8)?;
        self.source.read_at(extent.start, &mut bytes)?;
        Ok(bytes)
    }

    /// Decompresses RefPack completely, because only its end shows whether it is valid.
    fn unpacked(&self, extent: Extent, wanted: u64) -> Result<Vec<u8>, Refused> {
        let size = u32::try_from(self.member.size).unwrap_or(u32::MAX);
        let passing = Budget::new(Limits::default().with_memory(self.budget.remaining()));
        let reading = MemberReader { source: self.source, member: self.member, budget: &passing };
        let packed = reading.raw(extent, self.member.packed)?;
        // The output size was checked against the maximum that the commands can produce.
        let mut bytes = self.budget.reserve("file", usize::try_from(size).unwrap_or(usize::MAX))?;
        refpack::decode(&packed, size, &mut bytes).map_err(|(rule, at, message)| {
            let at = extent.start.saturating_add(at as u64);
            Refused::from(Fault::at_offset(rule, at, message).to_error(self.member.place))
        })?;
        bytes.truncate(usize::try_from(wanted).unwrap_or(usize::MAX));
        Ok(bytes)
    }

    #[cfg(not(feature = "deflate"))]
    fn inflated(&self, _: Extent, _: u64) -> Result<Vec<u8>, Refused> {
        Err(self.fault(rules::METHOD, "this build does not read deflated files"))
    }

    /// Decompresses deflate up to the wanted size. The buffer grows with the actual output, whatever the
    /// directory states.
    #[cfg(feature = "deflate")]
    fn inflated(&self, extent: Extent, wanted: u64) -> Result<Vec<u8>, Refused> {
        let whole = wanted == self.member.size;
        let mut output = Output { bytes: Vec::new(), at: 0, most: wanted, budget: self.budget };
        let mut state = Box::<DecompressorOxide>::default();
        let mut input = vec![0; usize::try_from(CHUNK.min(self.member.packed)).unwrap_or(0)];
        let mut at = extent.start;
        loop {
            let count = extent.end.saturating_sub(at).min(input.len() as u64);
            let chunk =
                usize::try_from(count).ok().and_then(|count| input.get_mut(..count)).unwrap_or_default();
            self.source.read_at(at, chunk)?;
            at = at.saturating_add(count);
            let flags = TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF | TINFL_FLAG_IGNORE_ADLER32;
            let flags = if at < extent.end { flags | TINFL_FLAG_HAS_MORE_INPUT } else { flags };
            let mut chunk: &[u8] = chunk;
            loop {
                let (status, read, written) =
                    decompress(&mut state, chunk, &mut output.bytes, output.at, flags);
                chunk = chunk.get(read..).unwrap_or_default();
                output.at = output.at.saturating_add(written);
                match status {
                    TINFLStatus::Done => return self.ended(output, whole),
                    TINFLStatus::HasMoreOutput if output.grow()? => {}
                    TINFLStatus::HasMoreOutput if !whole => return Ok(output.finish()),
                    TINFLStatus::HasMoreOutput => {
                        let message =
                            format!("more comes out than the {} bytes that were said", self.member.size);
                        return Err(self.fault(rules::LYING_SIZE, message));
                    }
                    TINFLStatus::NeedsMoreInput if at < extent.end => break,
                    _ => return Err(self.fault(rules::DEFLATE, "the compressed bytes make no sense")),
                }
            }
        }
    }

    #[cfg(feature = "deflate")]
    fn ended(&self, output: Output<'_>, whole: bool) -> Result<Vec<u8>, Refused> {
        let (size, came) = (self.member.size, output.at as u64);
        if whole && came != size || came > size {
            return Err(self.fault(rules::LYING_SIZE, format!("{came} bytes come out, {size} were said")));
        }
        Ok(output.finish())
    }

    #[cfg(not(feature = "lz4"))]
    fn unblocked(&self, _: Extent, _: u64) -> Result<Vec<u8>, Refused> {
        Err(self.fault(rules::METHOD, "this build does not read LZ4 blocks"))
    }

    /// Decompresses LZ4 blocks. The file has a magic, the blocks, their offsets, and finally their number,
    /// the total size and the block size.
    #[cfg(feature = "lz4")]
    fn unblocked(&self, extent: Extent, most: u64) -> Result<Vec<u8>, Refused> {
        const TAIL: usize = 12;
        let bad = |message: &'static str| self.fault(rules::LZ41, message);
        let packed = self.raw(extent, self.member.packed)?;
        let (rest, tail) = packed.split_last_chunk::<TAIL>().ok_or_else(|| bad("ends within its header"))?;
        let mut words = tail.as_chunks::<4>().0.iter().map(|word| i32::from_le_bytes(*word));
        let mut word = || words.next().and_then(|word| usize::try_from(word).ok()).unwrap_or(usize::MAX);
        let (count, size, block) = (word(), word(), word());
        if size as u64 > LARGEST {
            return Err(self.fault(rules::TOO_LARGE, format!("{size} bytes are announced")));
        }
        let offsets = count.checked_mul(4).and_then(|length| rest.len().checked_sub(length));
        let offsets =
            offsets.and_then(|at| rest.get(at..)).ok_or_else(|| bad("has no room for its offsets"))?;
        let offsets: Vec<usize> = offsets
            .as_chunks::<4>()
            .0
            .iter()
            .map(|word| usize::try_from(i32::from_le_bytes(*word)).unwrap_or(usize::MAX))
            .collect();
        let wanted = size.min(usize::try_from(most).unwrap_or(usize::MAX));
        let mut bytes = Vec::new();
        let ends = offsets.iter().skip(1);
        for (from, to) in offsets.iter().zip(ends) {
            if bytes.len() >= wanted {
                break;
            }
            let packed = packed.get(*from..*to).ok_or_else(|| bad("a block is elsewhere"))?;
            let room = block.min(size.saturating_sub(bytes.len()));
            // An LZ4 block decodes to at most 255 times its size.
            let room = room.min(packed.len().saturating_mul(255).saturating_add(64));
            self.budget.charge("file", room as u64)?;
            let before = bytes.len();
            bytes.resize(before.saturating_add(room), 0);
            let into = bytes.get_mut(before..).unwrap_or_default();
            let came = decompress_into(packed, into).map_err(|_| bad("a block makes no sense"))?;
            bytes.truncate(before.saturating_add(came));
            if came == 0 {
                break;
            }
        }
        if bytes.len() < wanted {
            return Err(bad("fewer bytes come out than were said"));
        }
        bytes.truncate(wanted);
        Ok(bytes)
    }
}

/// Decompressed bytes, in a buffer that grows with them.
#[cfg(feature = "deflate")]
struct Output<'b> {
    bytes: Vec<u8>,
    at: usize,
    most: u64,
    budget: &'b Budget,
}

#[cfg(feature = "deflate")]
impl Output<'_> {
    /// Enlarges the buffer. Returns false if the wanted size is reached.
    fn grow(&mut self) -> Result<bool, Refused> {
        const FIRST: u64 = 16 << 10;
        let have = self.bytes.len() as u64;
        let size = have.saturating_mul(2).max(FIRST).min(self.most);
        if size <= have {
            return Ok(false);
        }
        let more = size.saturating_sub(have);
        self.budget.charge("file", more)?;
        let count = usize::try_from(more).unwrap_or(usize::MAX);
        let limit = || meshwright_core::LimitExceeded::bytes("file", size, self.budget.remaining());
        self.bytes.try_reserve_exact(count).map_err(|_| limit())?;
        self.bytes.resize(self.bytes.len().saturating_add(count), 0);
        Ok(true)
    }

    fn finish(mut self) -> Vec<u8> {
        self.bytes.truncate(self.at);
        self.bytes
    }
}
