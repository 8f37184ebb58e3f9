//! Places the parts of a compiled file in the order of their stated offsets, and corrects the offsets.

use super::build::{Build, Built};
use super::values::Misfit;
use meshwright_core::{FieldPath, Order as _};

/// The stated and the actual offset of a run of bytes, and its size.
#[derive(Clone, Copy, Debug)]
struct Moved {
    old: u64,
    new: u64,
    size: u64,
    is_gap: bool,
}

/// The places of all parts with a stated offset.
struct Map(Vec<Moved>);

impl Map {
    /// Returns the actual offset of a stated one.
    fn start(&self, old: u64) -> u64 {
        let after = self.0.partition_point(|m| m.old <= old);
        let Some(last) = after.checked_sub(1).and_then(|i| self.0.get(i)) else { return old };
        // The first of those that state the same offset.
        let first = self.0.partition_point(|m| m.old < last.old);
        let moved = self.0.get(first).filter(|_| last.old == old).unwrap_or(last);
        moved.new.saturating_add(old.saturating_sub(moved.old))
    }

    /// Returns the actual end of what has its end at a stated offset.
    fn end(&self, old: u64) -> u64 {
        let after = self.0.partition_point(|m| m.old < old);
        let Some(last) = after.checked_sub(1).and_then(|i| self.0.get(i)) else { return old };
        match self.0.get(after) {
            Some(next) if next.old != old => last.new.saturating_add(old.saturating_sub(last.old)),
            None if last.is_gap => last.new.saturating_add(old.saturating_sub(last.old).min(last.size)),
            _ => last.new.saturating_add(last.size),
        }
    }
}

impl Build<'_, '_> {
    /// Adds bytes that no part has.
    pub(super) fn gap(&mut self, at: u64, bytes: &[u8], path: &FieldPath<'_>) -> Built {
        let block = self.block(Some(at), 1, false)?;
        if let Some(block) = self.blocks.get_mut(block) {
            block.is_gap = true;
        }
        self.push(block, bytes, path).map(drop)
    }

    /// Places all parts and returns the file.
    pub(super) fn finish(mut self) -> Built<Vec<u8>> {
        let size = |build: &Self, i: usize| build.blocks.get(i).map_or(0, |b| b.bytes.len() as u64);
        let mut stated = Vec::new();
        let mut appended = Vec::new();
        for (i, block) in self.blocks.iter().enumerate().filter(|(_, b)| !b.detached) {
            match block.old {
                _ if block.bytes.is_empty() => {}
                // Only the start of the file is at offset 0.
                Some(0) | None if i > 0 => appended.push(i),
                Some(old) => stated.push((old, i)),
                None => {}
            }
        }
        stated.order();
        let (mut at, mut map) = (0_u64, Vec::new());
        for (old, i) in
            stated.into_iter().map(|(old, i)| (Some(old), i)).chain(appended.into_iter().map(|i| (None, i)))
        {
            let size = size(&self, i);
            let Some(block) = self.blocks.get_mut(i) else { continue };
            if old != Some(at) {
                at = at.checked_next_multiple_of(block.align.max(1)).unwrap_or(at);
            }
            block.new = at;
            if let Some(old) = old {
                map.push(Moved { old, new: at, size, is_gap: block.is_gap });
            }
            at = at.saturating_add(size);
        }
        self.correct_offsets(&Map(map))?;
        self.give_file_size(at)?;
        self.check()?;
        let mut file = Vec::new();
        let mut order: Vec<_> = self.blocks.iter().filter(|b| !b.detached && !b.bytes.is_empty()).collect();
        order.order_by_key(|block| block.new);
        for block in order {
            file.resize(usize::try_from(block.new).unwrap_or(file.len()).max(file.len()), 0);
            file.extend_from_slice(&block.bytes);
        }
        Ok(file)
    }

    /// Sets every offset to that of its part.
    fn correct_offsets(&mut self, map: &Map) -> Built {
        let placed = std::mem::take(&mut self.placed);
        let mut sizes = Vec::new();
        for part in &placed {
            if let (Some(size), Some(old)) = (part.size, self.int(part.frame, part.at))
                && let (Ok(old), Some(Ok(size))) =
                    (u64::try_from(old), self.int(part.frame, size).map(u64::try_from))
            {
                let (start, end) = (map.start(old), map.end(old.saturating_add(size)));
                sizes.push((part, if size == 0 { 0 } else { end.saturating_sub(start) }));
            }
        }
        // The stated offsets of parts without bytes are needed before any field changes.
        let mut wanted = Vec::new();
        for part in &placed {
            let old = self.int(part.frame, part.at).and_then(|old| u64::try_from(old).ok());
            let block = match &part.same {
                Some(target) => Some(self.paths.get(target).copied().ok_or_else(|| {
                    Misfit::new(format!("{}.same_as", part.path), format!("no part {target:?}"))
                })?),
                None => part.block,
            };
            let held = block.and_then(|i| self.blocks.get(i)).filter(|b| !b.bytes.is_empty());
            let new =
                held.map(|b| b.new).or_else(|| old.map(|old| if old == 0 { 0 } else { map.start(old) }));
            if let Some(new) = new {
                wanted.push((part, new));
            }
        }
        // Offsets relative to others come after these.
        for relative in [false, true] {
            for (part, new) in wanted.iter().filter(|(part, _)| (part.at.paths().len() > 1) == relative) {
                if let Some(path) = part.at.paths().last().map(|p| p.to_vec()) {
                    self.solve(part.frame, part.at, &path, i128::from(*new), (&part.path, true))?;
                }
            }
        }
        for (part, size) in sizes {
            if let Some(expression) = part.size
                && let Some(path) = expression.paths().first().map(|p| p.to_vec())
            {
                self.solve(part.frame, expression, &path, i128::from(size), (&part.path, true))?;
            }
        }
        Ok(())
    }

    /// Sets the fields that hold the size of the file.
    fn give_file_size(&mut self, size: u64) -> Built {
        for path in &self.schema.file_sizes {
            self.give(0, path, i128::from(size), ("file", false))?;
        }
        Ok(())
    }

    /// Checks that every field has a value and that parts exist exactly if their conditions hold.
    fn check(&self) -> Built {
        if let Some(path) = self.missing.values().next() {
            return Err(Misfit::new(path, "is missing"));
        }
        for (frame, when, exists, path) in &self.conditions {
            let wanted = self.int(*frame, when).is_some_and(|v| v != 0);
            if wanted && !exists {
                return Err(Misfit::new(path, "is missing"));
            }
            if !wanted && *exists {
                return Err(Misfit::new(path, "must not exist with these values of the fields before it"));
            }
        }
        Ok(())
    }
}
