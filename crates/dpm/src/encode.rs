//! Encodes arrays.
#![allow(clippy::arithmetic_side_effects, reason = "capacities for what is in memory already")]

use crate::bone::BonePose;
use crate::record::{WORD, matrix};
use alloc::vec::Vec;
use meshwright_core::{ByteWriter, F32};

/// Encodes records one after the other.
pub(crate) fn table<'t, T: 't>(
    items: impl IntoIterator<Item = &'t T>,
    put: fn(&mut ByteWriter, &T),
) -> Vec<u8> {
    let mut w = ByteWriter::new();
    items.into_iter().for_each(|item| put(&mut w, item));
    w.into_bytes()
}

/// Encodes floats in big-endian order.
pub(crate) fn floats(values: &[F32]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(values.len() * WORD);
    for v in values {
        bytes.extend_from_slice(&v.to_bits().to_be_bytes());
    }
    bytes
}

/// Encodes integers in big-endian order.
pub(crate) fn words(values: &[u32]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(values.len() * WORD);
    for v in values {
        bytes.extend_from_slice(&v.to_be_bytes());
    }
    bytes
}

/// Encodes bone poses in big-endian order.
pub(crate) fn poses(poses: &[BonePose]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(poses.len() * matrix::SIZE);
    for v in poses.iter().flat_map(|p| p.0.as_flattened()) {
        bytes.extend_from_slice(&v.to_bits().to_be_bytes());
    }
    bytes
}
