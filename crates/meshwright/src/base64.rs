//! Encodes bytes as base64.

/// Returns the base64 form of RFC 4648, with padding.
pub(crate) fn encoded(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digit = |six: u8| DIGITS.get(usize::from(six & 63)).copied().unwrap_or(b'=');
    let four = |[a, b, c]: [u8; 3]| [a >> 2, a << 4 | b >> 4, b << 2 | c >> 6, c].map(digit);
    let (threes, rest) = bytes.as_chunks::<3>();
    let mut out = Vec::with_capacity(bytes.len().div_ceil(3).saturating_mul(4));
    threes.iter().for_each(|three| out.extend_from_slice(&four(*three)));
    match *rest {
        [a] => {
            let [a, b, ..] = four([a, 0, 0]);
            out.extend_from_slice(&[a, b, b'=', b'=']);
        }
        [a, b] => {
            let [a, b, c, _] = four([a, b, 0]);
            out.extend_from_slice(&[a, b, c, b'=']);
        }
        _ => {}
    }
    String::from_utf8(out).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::encoded;

    #[test]
    fn base64_is_that_of_rfc_4648() {
        let words = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let coded = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        assert_eq!(words.map(|w| encoded(w.as_bytes())), coded);
    }
}
