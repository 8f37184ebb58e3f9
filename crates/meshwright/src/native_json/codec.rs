//! Compressed blocks of formats that have them.

/// Returns true if a block of `packed` bytes can hold `size` bytes.
pub(super) const fn fits(packed: usize, size: usize) -> bool {
    size <= packed.saturating_mul(255)
}

/// Decodes a block. It is `None` if the block does not hold this many bytes.
#[cfg(feature = "crucible")]
pub(super) fn decode(packed: &[u8], size: usize) -> Option<Vec<u8>> {
    meshwright_crucible::decode_block(packed, size)
}

/// Encodes a block.
#[cfg(feature = "crucible")]
pub(super) fn encode(data: &[u8]) -> Vec<u8> {
    meshwright_crucible::encode_block(data)
}

#[cfg(not(feature = "crucible"))]
pub(super) const fn decode(_: &[u8], _: usize) -> Option<Vec<u8>> {
    None
}

#[cfg(not(feature = "crucible"))]
pub(super) fn encode(data: &[u8]) -> Vec<u8> {
    data.to_vec()
}
