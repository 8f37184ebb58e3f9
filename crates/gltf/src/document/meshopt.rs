//! Decodes `EXT_meshopt_compression`: views whose bytes are stored as streams of small differences.
//!
//! Source: the extension's text in the Khronos registry (bitstreams of version 0 for attributes, 1 for triangles and
//! indices, and the three filters).

use super::model::{Compressed, CompressionFilter, CompressionMode};

/// The reason why a stream is rejected.
pub(super) type Fault = &'static str;

const CUT: Fault = "the stream ends before its elements";
const HEADER: Fault = "the stream does not begin as its mode says";
const REST: Fault = "bytes are left after the elements";

/// Decodes a stream. The caller has checked that `out` may have `count * stride` bytes.
pub(super) fn decode(stream: &[u8], view: &Compressed, out: &mut Vec<u8>) -> Result<(), Fault> {
    match view.mode {
        CompressionMode::Attributes => attributes(stream, view.count, view.stride, out)?,
        CompressionMode::Triangles => triangles(stream, view.count, view.stride, out)?,
        CompressionMode::Indices => indices(stream, view.count, view.stride, out)?,
    }
    match view.filter {
        CompressionFilter::None => {}
        CompressionFilter::Octahedral if view.stride == 4 => octahedral8(out),
        CompressionFilter::Octahedral => octahedral16(out),
        CompressionFilter::Quaternion => quaternion(out),
        CompressionFilter::Exponential => exponential(out),
    }
    Ok(())
}

/// Bytes that are read in sequence.
struct Input<'b>(&'b [u8]);

impl<'b> Input<'b> {
    fn take(&mut self, n: usize) -> Result<&'b [u8], Fault> {
        let (taken, rest) = self.0.split_at_checked(n).ok_or(CUT)?;
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, Fault> {
        let (&byte, rest) = self.0.split_first().ok_or(CUT)?;
        self.0 = rest;
        Ok(byte)
    }

    /// Reads a number of at most 32 bits: seven bits per byte, the lowest first.
    fn number(&mut self) -> Result<u32, Fault> {
        let mut number = 0;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte()?;
            number |= u32::from(byte & 127).wrapping_shl(shift);
            if byte < 128 {
                return Ok(number);
            }
        }
        Err("a number is longer than 32 bits")
    }
}

/// Decodes a difference whose lowest bit is the sign.
const fn signed(number: u32) -> u32 {
    (number >> 1) ^ (number & 1).wrapping_neg()
}

const GROUP: usize = 16;

fn attributes(stream: &[u8], count: usize, stride: usize, out: &mut Vec<u8>) -> Result<(), Fault> {
    let mut input = Input(stream);
    if input.byte()? != 0xa0 {
        return Err(HEADER);
    }
    let tail = input.0.len().checked_sub(stride.max(32)).ok_or(CUT)?;
    let (data, tail) = input.0.split_at_checked(tail).ok_or(CUT)?;
    let first = tail.len().checked_sub(stride).and_then(|at| tail.get(at..)).ok_or(CUT)?;
    let mut last = [0_u8; 256];
    let last = last.get_mut(..stride).ok_or(HEADER)?;
    last.copy_from_slice(first);
    let block = (8192_usize.checked_div(stride).unwrap_or(0) & !(GROUP.wrapping_sub(1))).clamp(GROUP, 256);
    let mut input = Input(data);
    let mut bytes = [0_u8; 256];
    let mut left = count;
    while left > 0 {
        let elements = left.min(block);
        let start = out.len();
        out.resize(start.saturating_add(elements.saturating_mul(stride)), 0);
        let target = out.get_mut(start..).unwrap_or_default();
        for (k, last) in last.iter_mut().enumerate() {
            let differences = bytes.get_mut(..elements.next_multiple_of(GROUP)).unwrap_or_default();
            groups(&mut input, differences)?;
            let column = target.iter_mut().skip(k).step_by(stride);
            for (to, difference) in column.zip(differences.iter()) {
                *last = last.wrapping_add((difference >> 1) ^ (difference & 1).wrapping_neg());
                *to = *last;
            }
        }
        left = left.saturating_sub(elements);
    }
    if input.0.is_empty() { Ok(()) } else { Err(REST) }
}

/// Decodes one byte of each element of a block, in groups of 16.
fn groups(input: &mut Input<'_>, out: &mut [u8]) -> Result<(), Fault> {
    let count = out.len().div_euclid(GROUP);
    let header = input.take(count.div_ceil(4))?;
    for (g, group) in out.chunks_exact_mut(GROUP).enumerate() {
        let modes = header.get(g.div_euclid(4)).copied().unwrap_or(0);
        let bits = match (modes >> (g.rem_euclid(4).saturating_mul(2))) & 3 {
            0 => {
                group.fill(0);
                continue;
            }
            1 => 2,
            2 => 4,
            _ => {
                group.copy_from_slice(input.take(GROUP)?);
                continue;
            }
        };
        let packed = input.take(2_usize.saturating_mul(bits))?;
        // The largest small number means that a whole byte follows.
        let escape = (1_u8 << bits).wrapping_sub(1);
        let per_byte = 8_usize.div_euclid(bits);
        for (chunk, byte) in group.chunks_mut(per_byte).zip(packed) {
            let mut byte = *byte;
            for to in chunk {
                let small = byte.rotate_left(u32::try_from(bits).unwrap_or(0)) & escape;
                byte = byte.wrapping_shl(u32::try_from(bits).unwrap_or(0));
                *to = if small == escape { input.byte()? } else { small };
            }
        }
    }
    Ok(())
}

/// The last 16 items.
#[derive(Default)]
struct Ring<T> {
    items: [T; 16],
    at: usize,
}

impl<T: Copy + Default> Ring<T> {
    /// Returns the item that came `back` items before the next one.
    fn get(&self, back: u8) -> T {
        let at = self.at.wrapping_sub(usize::from(back)) & 15;
        self.items.get(at).copied().unwrap_or_default()
    }

    fn push(&mut self, item: T) {
        if let Some(slot) = self.items.get_mut(self.at & 15) {
            *slot = item;
        }
        self.at = self.at.wrapping_add(1);
    }
}

/// Decodes triangles. Most consist of an edge of an earlier triangle and one more vertex.
#[derive(Default)]
struct Strip {
    edges: Ring<(u32, u32)>,
    vertices: Ring<u32>,
    next: u32,
    last: u32,
}

impl Strip {
    fn fresh(&mut self) -> u32 {
        let vertex = self.next;
        self.next = vertex.wrapping_add(1);
        vertex
    }

    fn coded(&mut self, input: &mut Input<'_>) -> Result<u32, Fault> {
        self.last = self.last.wrapping_add(signed(input.number()?));
        Ok(self.last)
    }

    /// Decodes the third vertex of a triangle on a known edge.
    fn apex(&mut self, code: u8, input: &mut Input<'_>) -> Result<u32, Fault> {
        let vertex = match code {
            0 => self.fresh(),
            1..=12 => return Ok(self.vertices.get(code.wrapping_add(1))),
            13 => {
                self.last = self.last.wrapping_sub(1);
                self.last
            }
            14 => {
                self.last = self.last.wrapping_add(1);
                self.last
            }
            _ => self.coded(input)?,
        };
        self.vertices.push(vertex);
        Ok(vertex)
    }

    fn edges_of(&mut self, [a, b, c]: [u32; 3]) {
        self.edges.push((b, a));
        self.edges.push((c, b));
        self.edges.push((a, c));
    }

    /// Reads a triangle that shares no edge. `aux` states the sources of its second and third vertex.
    /// Without `input`, no vertex has its own code.
    fn read_separately(
        &mut self,
        first: u8,
        aux: u8,
        input: Option<&mut Input<'_>>,
    ) -> Result<[u32; 3], Fault> {
        let codes = [first, aux >> 4, aux & 15];
        let is_coded = |code| code == 15 && input.is_some();
        let kinds = codes.map(is_coded);
        // New and remembered vertices are resolved before coded ones.
        let mut corners = [0; 3];
        for (corner, code) in corners.iter_mut().zip(codes) {
            *corner = if code == 0 { self.fresh() } else { self.vertices.get(code) };
        }
        if let Some(input) = input {
            for (corner, _) in corners.iter_mut().zip(kinds).filter(|(_, coded)| *coded) {
                *corner = self.coded(input)?;
            }
        }
        for ((corner, code), coded) in corners.iter().zip(codes).zip(kinds) {
            if code == 0 || coded {
                self.vertices.push(*corner);
            }
        }
        self.edges_of(corners);
        Ok(corners)
    }
}

fn triangles(stream: &[u8], count: usize, size: usize, out: &mut Vec<u8>) -> Result<(), Fault> {
    let mut input = Input(stream);
    if input.byte()? != 0xe1 {
        return Err(HEADER);
    }
    let codes = input.take(count.div_euclid(3))?;
    let data = input.0.len().checked_sub(16).ok_or(CUT)?;
    let (data, table) = input.0.split_at_checked(data).ok_or(CUT)?;
    let mut input = Input(data);
    let mut strip = Strip::default();
    for &code in codes {
        let corners = match code {
            0..0xf0 => {
                let (a, b) = strip.edges.get((code >> 4).wrapping_add(1));
                let c = strip.apex(code & 15, &mut input)?;
                strip.edges.push((c, b));
                strip.edges.push((a, c));
                [a, b, c]
            }
            0xf0..0xfe => {
                let aux = table.get(usize::from(code & 15)).copied().ok_or(CUT)?;
                strip.read_separately(0, aux, None)?
            }
            _ => {
                let aux = input.byte()?;
                if aux == 0 {
                    strip.next = 0;
                }
                strip.read_separately(if code == 0xfe { 0 } else { 15 }, aux, Some(&mut input))?
            }
        };
        corners.into_iter().try_for_each(|corner| push(out, corner, size))?;
    }
    if input.0.is_empty() { Ok(()) } else { Err(REST) }
}

fn indices(stream: &[u8], count: usize, size: usize, out: &mut Vec<u8>) -> Result<(), Fault> {
    let mut input = Input(stream);
    if input.byte()? != 0xd1 {
        return Err(HEADER);
    }
    let (mut even, mut odd) = (0_u32, 0_u32);
    for _ in 0..count {
        let number = input.number()?;
        let last = if number & 1 == 0 { &mut even } else { &mut odd };
        *last = last.wrapping_add(signed(number >> 1));
        push(out, *last, size)?;
    }
    if input.0.len() == 4 { Ok(()) } else { Err(REST) }
}

fn push(out: &mut Vec<u8>, index: u32, size: usize) -> Result<(), Fault> {
    if size == 2 {
        let index = u16::try_from(index).map_err(|_| "an index is beyond 16 bits")?;
        out.extend_from_slice(&index.to_le_bytes());
    } else {
        out.extend_from_slice(&index.to_le_bytes());
    }
    Ok(())
}

#[expect(clippy::cast_possible_truncation, reason = "of length 1 times what the type holds")]
fn rounded(v: f32) -> i32 {
    (v + 0.5_f32.copysign(v)) as i32
}

/// Decodes an octahedral vector: two coordinates and their unit. Returns a unit vector times `scale`.
fn unfolded([x, y, one]: [f32; 3], scale: f32) -> [i32; 3] {
    let z = one - x.abs() - y.abs();
    let fold = z.min(0.0);
    let x = x + if x >= 0.0 { fold } else { -fold };
    let y = y + if y >= 0.0 { fold } else { -fold };
    let length = (x * x + y * y + z * z).sqrt();
    let by = if length > 0.0 { scale / length } else { 0.0 };
    [x, y, z].map(|c| rounded(c * by))
}

fn octahedral8(bytes: &mut [u8]) {
    for element in bytes.as_chunks_mut::<4>().0 {
        let [x, y, one, _] = element.map(|b| f32::from(b.cast_signed()));
        let vector = unfolded([x, y, one], 127.0);
        for (to, c) in element.iter_mut().zip(vector) {
            *to = i8::try_from(c).unwrap_or(0).cast_unsigned();
        }
    }
}

fn shorts(element: [u8; 8]) -> [i16; 4] {
    let [a, b, c, d, e, f, g, h] = element;
    [[a, b], [c, d], [e, f], [g, h]].map(i16::from_le_bytes)
}

fn bytes_of(shorts: [i16; 4]) -> [u8; 8] {
    let [[a, b], [c, d], [e, f], [g, h]] = shorts.map(i16::to_le_bytes);
    [a, b, c, d, e, f, g, h]
}

fn octahedral16(bytes: &mut [u8]) {
    for element in bytes.as_chunks_mut::<8>().0 {
        let [x, y, one, w] = shorts(*element);
        let [x, y, z] = unfolded([x, y, one].map(f32::from), 32767.0).map(|c| i16::try_from(c).unwrap_or(0));
        *element = bytes_of([x, y, z, w]);
    }
}

/// Decodes unit quaternions from three components. The fourth component is the largest and is computed; two
/// bits next to the scale are its index.
fn quaternion(bytes: &mut [u8]) {
    for element in bytes.as_chunks_mut::<8>().0 {
        let [x, y, z, last] = shorts(*element);
        let unit = core::f32::consts::FRAC_1_SQRT_2 / f32::from(last | 3);
        let parts = [x, y, z].map(|c| f32::from(c) * unit);
        let rest = 1.0 - parts.iter().map(|c| c * c).sum::<f32>();
        let [x, y, z] = parts.map(|c| i16::try_from(rounded(c * 32767.0)).unwrap_or(0));
        let w = i16::try_from(rounded(rest.max(0.0).sqrt() * 32767.0)).unwrap_or(0);
        let mut turned = [w, x, y, z];
        turned.rotate_right(usize::from((last & 3).unsigned_abs()));
        *element = bytes_of(turned);
    }
}

/// Decodes floats from a 24-bit mantissa and an exponent.
fn exponential(bytes: &mut [u8]) {
    for element in bytes.as_chunks_mut::<4>().0 {
        let [a, b, c, exponent] = *element;
        let sign = if c & 0x80 == 0 { 0 } else { 0xff };
        let mantissa = f64::from(i32::from_le_bytes([a, b, c, sign]));
        let power = f64::exp2(f64::from(exponent.cast_signed()));
        #[expect(clippy::cast_possible_truncation, reason = "24 bits, exact unless beyond the range")]
        let number = (mantissa * power) as f32;
        *element = number.to_le_bytes();
    }
}
