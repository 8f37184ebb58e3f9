//! The checksum of zip archives: CRC-32 with the reversed polynomial 0xedb88320.

const TABLES: [[u32; 256]; 8] = tables();

#[expect(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "computed by the compiler, of small numbers"
)]
const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0_u32; 256]; 8];
    let mut i = 0;
    while i < 256 {
        let mut value = i as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { (value >> 1) ^ 0xedb8_8320 } else { value >> 1 };
            bit += 1;
        }
        tables[0][i] = value;
        i += 1;
    }
    let mut n = 1;
    while n < 8 {
        let mut i = 0;
        while i < 256 {
            let value = tables[n - 1][i];
            tables[n][i] = (value >> 8) ^ tables[0][(value & 0xff) as usize];
            i += 1;
        }
        n += 1;
    }
    tables
}

/// Returns the checksum of some bytes.
pub(crate) fn checksum(bytes: &[u8]) -> u32 {
    let at = |table: usize, byte: u8| {
        TABLES.get(table).and_then(|t| t.get(usize::from(byte))).copied().unwrap_or(0)
    };
    let mut sum = u32::MAX;
    let (chunks, rest) = bytes.as_chunks::<8>();
    for [a, b, c, d, e, f, g, h] in chunks {
        let [s, t, u, v] = sum.to_le_bytes();
        sum = at(7, a ^ s)
            ^ at(6, b ^ t)
            ^ at(5, c ^ u)
            ^ at(4, d ^ v)
            ^ at(3, *e)
            ^ at(2, *f)
            ^ at(1, *g)
            ^ at(0, *h);
    }
    for byte in rest {
        let [low, ..] = sum.to_le_bytes();
        sum = (sum >> 8) ^ at(0, low ^ byte);
    }
    !sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_sums() {
        assert_eq!(checksum(b""), 0);
        assert_eq!(checksum(b"123456789"), 0xcbf4_3926);
        assert_eq!(checksum(b"The quick brown fox jumps over the lazy dog"), 0x414f_a339);
    }
}
