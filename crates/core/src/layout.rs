//! The layout of a file that was read: its sections, and the bytes that nothing refers to.

use crate::error::WriteError;
use crate::path::FieldPath;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

/// The layout of the file that a model came from. Models keep it private. `None` and `Canonical` compare
/// equal.
#[derive(Clone, Default)]
pub enum Retained<L> {
    /// The model was not read from a file.
    #[default]
    None,
    /// The file has the layout that the writer chooses by itself. It is kept for the offsets of findings.
    Canonical(Box<L>),
    /// Any other layout.
    Own(Box<L>),
}

impl<L: PartialEq> Retained<L> {
    /// Compares the layout of a file with the one that the writer would choose.
    pub fn compared(layout: L, canonical: Option<&L>) -> Self {
        if canonical == Some(&layout) {
            Self::Canonical(Box::new(layout))
        } else {
            Self::Own(Box::new(layout))
        }
    }
}

impl<L> Retained<L> {
    /// Returns the layout of the file that was read.
    pub fn get(&self) -> Option<&L> {
        match self {
            Self::None => None,
            Self::Canonical(layout) | Self::Own(layout) => Some(layout),
        }
    }

    /// Returns the layout if it is not the one that the writer chooses.
    pub fn original(&self) -> Option<&L> {
        match self {
            Self::Own(layout) => Some(layout),
            Self::None | Self::Canonical(_) => None,
        }
    }
}

impl<L: PartialEq> PartialEq for Retained<L> {
    fn eq(&self, other: &Self) -> bool {
        self.original() == other.original()
    }
}

impl<L: Eq> Eq for Retained<L> {}

impl<L> fmt::Debug for Retained<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.original().is_some() { "own" } else { "canonical" })
    }
}

/// Assigns offsets to sections, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planner {
    end: u64,
}

impl Planner {
    /// Starts at the first offset to assign.
    pub const fn from(start: u64) -> Self {
        Self { end: start }
    }

    /// Returns the end of the sections planned so far.
    pub const fn end(&self) -> u64 {
        self.end
    }

    /// Assigns an offset to the next `len` bytes.
    ///
    /// # Errors
    /// If the offset does not fit into 32 bits; the error names `path`.
    pub fn take(&mut self, path: &FieldPath<'_>, len: u64) -> Result<u32, WriteError> {
        let start = WriteError::fit(path, "offset", self.end, u32::MAX)?;
        self.end = self.end.saturating_add(len);
        Ok(start)
    }

    /// Moves the end up to a multiple of `alignment`.
    pub const fn align(&mut self, alignment: u64) {
        if let Some(aligned) = self.end.checked_next_multiple_of(alignment) {
            self.end = aligned;
        }
    }
}

/// The bytes of a file that no structure covers, each run with its offset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gaps {
    /// The start of each run in the file, and the end of its bytes in `bytes`.
    runs: Vec<(u64, usize)>,
    bytes: Vec<u8>,
}

impl Gaps {
    /// Returns the runs in ascending order of offset.
    pub fn runs(&self) -> impl ExactSizeIterator<Item = (u64, &[u8])> {
        let mut from = 0;
        self.runs.iter().map(move |&(at, to)| {
            let run = self.bytes.get(from..to).unwrap_or_default();
            from = to;
            (at, run)
        })
    }

    /// Returns only runs that hold more than zeros. An [`Image`] begins as zeros, so padding need not be
    /// kept.
    #[must_use]
    pub fn without_padding(&self) -> Self {
        let holds = |run: &[u8]| run.iter().any(|b| *b != 0);
        let counted = self.runs().filter(|(_, run)| holds(run));
        let (runs, len) = counted.fold((0_usize, 0_usize), |(n, len), (_, run)| {
            (n.saturating_add(1), len.saturating_add(run.len()))
        });
        let mut kept = Self { runs: Vec::with_capacity(runs), bytes: Vec::with_capacity(len) };
        for (at, run) in self.runs().filter(|(_, run)| holds(run)) {
            kept.bytes.extend_from_slice(run);
            kept.runs.push((at, kept.bytes.len()));
        }
        kept
    }

    /// Returns the number of bytes in all runs.
    pub fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Returns whether structures cover every byte.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }
}

/// Collects the bytes of a file that structures cover.
#[derive(Clone, Debug, Default)]
pub struct Coverage(Vec<(u64, u64)>);

impl Coverage {
    /// The memory charged per section while the list of sections grows.
    pub const SECTION: usize = 3 * size_of::<(u64, u64)>();

    /// Starts with nothing covered.
    pub fn new() -> Self {
        Self::default()
    }

    /// Marks `len` bytes from `start` on as covered. Sections may overlap and come in any order.
    pub fn add(&mut self, start: u64, len: u64) {
        if len > 0 {
            self.0.push((start, start.saturating_add(len)));
        }
    }

    /// Returns the pairs of sections that overlap without being the same, as their starts. Each section is
    /// compared only with the one before it, so that the answer is no longer than the list.
    pub fn overlaps(&mut self) -> Vec<(u64, u64)> {
        self.0.sort_unstable();
        self.0.dedup();
        self.0
            .windows(2)
            .filter_map(|w| match w {
                [a, b] if b.0 < a.1 => Some((a.0, b.0)),
                _ => None,
            })
            .collect()
    }

    /// Returns the memory that [`gaps`](Self::gaps) needs for a file of `len` bytes.
    pub fn gap_memory(&mut self, len: u64) -> u64 {
        self.0.sort_unstable();
        let run = size_of::<(u64, usize)>() as u64;
        self.gaps_within(len)
            .fold(0, |n, (from, to)| n.saturating_add(to.saturating_sub(from)).saturating_add(run))
    }

    /// Returns the bytes of `file` that no section covers.
    pub fn gaps(mut self, file: &[u8]) -> Gaps {
        self.0.sort_unstable();
        let all = file.len() as u64;
        let slices = || {
            let range = |(from, to)| usize::try_from(from).ok().zip(usize::try_from(to).ok());
            self.gaps_within(all)
                .filter_map(move |r| Some((r.0, range(r).and_then(|(a, b)| file.get(a..b))?)))
        };
        let (runs, len) = slices().fold((0_usize, 0_usize), |(n, len), (_, run)| {
            (n.saturating_add(1), len.saturating_add(run.len()))
        });
        let mut gaps = Gaps { runs: Vec::with_capacity(runs), bytes: Vec::with_capacity(len) };
        for (at, run) in slices() {
            gaps.bytes.extend_from_slice(run);
            gaps.runs.push((at, gaps.bytes.len()));
        }
        gaps
    }

    /// Returns the runs between the sorted sections of a file of `len` bytes.
    fn gaps_within(&self, len: u64) -> impl Iterator<Item = (u64, u64)> {
        let mut at = 0_u64;
        self.0.iter().copied().chain([(len, len)]).filter_map(move |(start, end)| {
            let run = (at, start.min(len));
            at = at.max(end);
            (run.0 < run.1).then_some(run)
        })
    }
}

/// Returns a zeroed buffer, or `None` if memory does not suffice.
pub fn zeros(len: usize) -> Option<Vec<u8>> {
    // `resize` on a reserved vector would write every page before its content is known. The reservation only checks
    // that the memory is available.
    let mut probe: Vec<u8> = Vec::new();
    probe.try_reserve_exact(len).ok()?;
    drop(core::hint::black_box(probe));
    Some(alloc::vec![0; len])
}

/// A file image of known size that sections are copied into. Sections may overlap only if their shared bytes
/// are equal, so that an edit of a shared section is never lost silently.
#[derive(Debug)]
pub struct Image {
    bytes: Vec<u8>,
    placed: Vec<(u64, u64)>,
}

impl Image {
    /// Creates an image of `len` zero bytes and fills in the gaps. Returns `None` if memory does not suffice or a gap
    /// is outside the image.
    pub fn new(len: u64, gaps: &Gaps) -> Option<Self> {
        let bytes = zeros(usize::try_from(len).ok()?)?;
        let mut image = Self { bytes, placed: Vec::new() };
        for (at, run) in gaps.runs() {
            image.place(at, run)?;
        }
        Some(image)
    }

    /// Copies a section to its offset. Returns `None` if the section is outside the image.
    pub fn place(&mut self, start: u64, section: &[u8]) -> Option<()> {
        let from = usize::try_from(start).ok()?;
        let to = from.checked_add(section.len())?;
        self.bytes.get_mut(from..to)?.copy_from_slice(section);
        self.placed.push((start, section.len() as u64));
        Some(())
    }

    /// Returns whether the bytes from `start` on are those of `section`.
    pub fn holds(&self, start: u64, section: &[u8]) -> bool {
        let from = usize::try_from(start).unwrap_or(usize::MAX);
        self.bytes.get(from..).is_some_and(|rest| rest.starts_with(section))
    }

    /// Returns whether sections overlap, so that each must be checked with [`holds`](Self::holds) before the
    /// image is used.
    pub fn has_overlaps(&mut self) -> bool {
        self.placed.sort_unstable();
        self.placed.windows(2).any(|w| matches!(w, [a, b] if b.0 < a.0.saturating_add(a.1)))
    }

    /// Returns the finished file.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Writes sections into an [`Image`], or compares them with it in a second pass.
#[derive(Debug)]
pub struct Placer {
    image: Image,
    comparing: bool,
}

impl Placer {
    /// Writes a section at its offset. Returns `None` if it is outside the file, or if it differs from a section that
    /// shares bytes with it.
    pub fn write_section(&mut self, start: impl Into<u64>, section: &[u8]) -> Option<()> {
        if self.comparing {
            self.image.holds(start.into(), section).then_some(())
        } else {
            self.image.place(start.into(), section)
        }
    }
}

/// Builds a file of `len` bytes: `place` writes the sections at their offsets, and the gaps are filled in.
///
/// If sections overlap, `place` is called a second time to check that each section is intact. Returns `None` if
/// memory does not suffice, a section is outside the file, or overlapping sections differ: then the layout cannot be
/// preserved.
pub fn emit(len: u64, gaps: &Gaps, mut place: impl FnMut(&mut Placer) -> Option<()>) -> Option<Vec<u8>> {
    let mut placer = Placer { image: Image::new(len, gaps)?, comparing: false };
    place(&mut placer)?;
    if placer.image.has_overlaps() {
        placer.comparing = true;
        place(&mut placer)?;
    }
    Some(placer.image.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sections_and_gaps_together_are_the_file(
            file in proptest::collection::vec(any::<u8>(), 0..200),
            cuts in proptest::collection::vec((0_usize..200, 0_usize..60), 0..8),
        ) {
            let sections: Vec<_> = cuts.into_iter()
                .map(|(a, n)| (a.min(file.len()), n.min(file.len() - a.min(file.len()))))
                .collect();
            let mut coverage = Coverage::new();
            for &(a, n) in &sections {
                coverage.add(a as u64, n as u64);
            }
            let memory = coverage.gap_memory(file.len() as u64);
            let gaps = coverage.gaps(&file);
            prop_assert_eq!(gaps.len() + (size_of::<(u64, usize)>() * gaps.runs().len()) as u64, memory);
            let mut image = Image::new(file.len() as u64, &gaps).unwrap();
            for &(a, n) in &sections {
                image.place(a as u64, &file[a..a + n]).unwrap();
            }
            for &(a, n) in &sections {
                prop_assert!(image.holds(a as u64, &file[a..a + n]));
            }
            prop_assert_eq!(&image.into_bytes(), &file);
            let kept = gaps.without_padding();
            prop_assert!(kept.runs().all(|(_, run)| run.iter().any(|b| *b != 0)));
            let mut image = Image::new(file.len() as u64, &kept).unwrap();
            for &(a, n) in &sections {
                image.place(a as u64, &file[a..a + n]).unwrap();
            }
            prop_assert_eq!(image.into_bytes(), file);
        }
    }

    #[test]
    fn a_layout_is_kept_as_long_as_shared_bytes_agree() {
        let file = |second: &'static [u8]| {
            emit(4, &Gaps::default(), |p| {
                p.write_section(0_u32, &[1, 2, 3])?;
                p.write_section(2_u64, second)
            })
        };
        assert_eq!(file(&[3, 4]), Some(alloc::vec![1, 2, 3, 4]));
        assert_eq!(file(&[9, 4]), None, "an edit of shared bytes");
        assert_eq!(file(&[3, 4, 5]), None, "outside");
    }

    #[test]
    fn only_a_layout_of_its_own_tells_models_apart() {
        let own = |l| Retained::compared(l, Some(&1));
        assert_eq!(own(1), Retained::None);
        assert_ne!(own(2), Retained::None);
        assert_ne!(own(2), own(3));
        assert_eq!((own(1).get(), own(2).original(), own(1).original()), (Some(&1), Some(&2), None));
    }

    #[test]
    fn overlaps_are_seen() {
        let mut coverage = Coverage::new();
        for (a, n) in [(10, 5), (0, 4), (10, 5), (12, 10)] {
            coverage.add(a, n);
        }
        assert_eq!(coverage.overlaps(), [(10, 12)]);
        let mut image = Image::new(10, &Gaps::default()).unwrap();
        image.place(0, &[1, 2, 3]).unwrap();
        assert!(!image.has_overlaps());
        image.place(2, &[4, 5]).unwrap();
        assert!(image.has_overlaps());
        assert!(!image.holds(0, &[1, 2, 3]));
        assert!(image.place(9, &[0, 0]).is_none());
    }
}
