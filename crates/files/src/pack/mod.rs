//! Packs: files that contain many files and a directory.

pub(crate) mod far;
mod member;
mod member_content;
mod name;
pub(crate) mod pak;
mod refpack;
mod rules;
pub(crate) mod scan;
pub(crate) mod shared_bytes;
mod vp;
pub(crate) mod zip;

pub use far::FarVersion;
pub use member::{Coding, Member};

use crate::byte_source::ByteSource;
use crate::error::{FilesError, Refused};
use crate::listing::{Listing, folders};
use crate::path::TreePath;
use member::{Entry, LARGEST};
use member_content::MemberReader;
use meshwright_core::description::Table;
use meshwright_core::text::Escaped;
use meshwright_core::{Budget, FieldPath, Limits, Report, Rule, SortedMap, SortedSet};
use name::Oddity;
use scan::Scan;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Declares [`PackKind`].
macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident: $title:literal, $module:ident, $extensions:expr, $magics:expr;)+) => {
        /// A kind of pack.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum PackKind {
            $($(#[$doc])* $variant,)+
        }

        impl PackKind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the name of the kind for messages.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$variant => $title,)+ }
            }

            /// Returns the usual extensions in lower case, the most common first.
            pub const fn extensions(self) -> &'static [&'static str] {
                match self { $(Self::$variant => $extensions,)+ }
            }

            /// Returns the short name, as used in JSON.
            pub const fn id(self) -> &'static str {
                match self { $(Self::$variant => stringify!($module),)+ }
            }

            const fn magics(self) -> &'static [&'static [u8]] {
                match self { $(Self::$variant => $magics,)+ }
            }

            fn entries(self, scan: &mut Scan<'_>) -> Result<Vec<Entry>, Refused> {
                match self { $(Self::$variant => $module::read(scan),)+ }
            }
        }
    };
}

kinds! {
    /// Zip archives, as DarkPlaces, Quake III and Doom 3 use them.
    Zip: "zip archive", zip, &["pk3", "pk4", "dpk", "obb", "zip"], &[b"PK\x03\x04", b"PK\x05\x06"];
    /// Quake's packs.
    Pak: "Quake pack", pak, &["pak"], &[pak::MAGIC];
    /// The Sims' archives.
    Far: "archive of The Sims", far, &["far", "dat"], &[far::HEAD];
    /// FreeSpace's packs.
    Vp: "FreeSpace pack", vp, &["vp", "vpc"], &[vp::MAGIC];
}

impl PackKind {
    /// Returns the kind of pack for a file name.
    pub fn from_name(name: &[u8]) -> Option<Self> {
        let dot = name.iter().rposition(|b| *b == b'.')?;
        let extension = name.get(dot.saturating_add(1)..)?;
        let has =
            |kind: &&Self| kind.extensions().iter().any(|e| extension.eq_ignore_ascii_case(e.as_bytes()));
        Self::ALL.iter().find(has).copied()
    }

    /// Returns whether the extension alone identifies a pack. Other files use some of the extensions too;
    /// their first bytes decide.
    pub(crate) fn is_telling(name: &[u8]) -> bool {
        !name.to_ascii_lowercase().ends_with(b".dat")
    }

    /// Returns the rules for faulty names.
    const fn name_rules(self) -> [&'static Rule; 2] {
        match self {
            Self::Far => [far::rules::NAME_PATH, far::rules::NAME_DUP],
            _ => [rules::UNSAFE, rules::DUPLICATE],
        }
    }

    /// Returns the kind of a file that begins with these bytes.
    pub fn from_magic(head: &[u8]) -> Option<Self> {
        Self::ALL.iter().find(|kind| kind.magics().iter().any(|magic| head.starts_with(magic))).copied()
    }
}

impl fmt::Display for PackKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

/// A pack: one file that contains many files. Opening it reads its directory; members are read on request.
///
/// ```
/// use meshwright_core::{Budget, Limits};
/// use meshwright_files::Pack;
///
/// let pack = b"PACK\x0f\0\0\0\x40\0\0\0hi!a.txt\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x0c\0\0\0\x03\0\0\0";
/// let budget = Budget::new(Limits::default());
/// let pack = Pack::open(pack.to_vec(), "x.pak", &budget)?;
/// let (path, member) = pack.files().next().unwrap();
/// assert_eq!((path.text().as_ref(), member.size()), ("a.txt", 3));
/// assert_eq!(pack.read(member, &budget)?, b"hi!");
/// # Ok::<(), meshwright_files::FilesError>(())
/// ```
#[derive(Debug)]
pub struct Pack {
    /// The name of the pack in messages.
    name: String,
    kind: PackKind,
    source: Arc<dyn ByteSource>,
    members: Vec<Member>,
    by_path: SortedMap<TreePath, usize>,
    folders: SortedMap<TreePath, Arc<Listing>>,
    report: Report,
    /// The limit for all members together whose size the directory does not state.
    most_unpacked: u64,
    /// The total size of those members that were read.
    unpacked: AtomicU64,
}

impl Pack {
    /// Opens a pack. Its first bytes decide its kind, otherwise its name. The memory of its directory is
    /// charged.
    ///
    /// # Errors
    /// If it is not a pack, if its directory breaks a rule of its kind, or if its directory needs more
    /// memory than the budget allows.
    pub fn open(source: impl ByteSource + 'static, name: &str, budget: &Budget) -> Result<Self, FilesError> {
        let most = shared_bytes::allowance(source.size());
        Self::open_shared(Arc::new(source), name, budget, most)
    }

    pub(crate) fn open_shared(
        source: Arc<dyn ByteSource>,
        name: &str,
        budget: &Budget,
        most_unpacked: u64,
    ) -> Result<Self, FilesError> {
        let refused = |e: Refused| FilesError::from_refusal(name, e, budget.remaining());
        let mut head = [0; 4];
        let head = match head.get_mut(..usize::try_from(source.size().min(4)).unwrap_or(0)) {
            Some(head) => {
                source.read_at(0, head).map_err(|e| refused(e.into()))?;
                &*head
            }
            None => &[],
        };
        let kind = PackKind::from_magic(head).or_else(|| PackKind::from_name(name.as_bytes()));
        let none = || refused(scan::broken(rules::MAGIC, 0, "is no pack of a kind that is known"));
        let kind = kind.ok_or_else(none)?;
        let mut scan = Scan::new(&*source, budget);
        let mut entries = kind.entries(&mut scan).map_err(refused)?;
        // In archives of The Sims, shared bytes are only a warning, unless the members together are larger
        // than the archive.
        let packed = entries.iter().fold(0_u64, |all, entry| all.saturating_add(entry.packed));
        if !matches!(kind, PackKind::Zip | PackKind::Far) || kind == PackKind::Far && packed > source.size() {
            shared_bytes::refuse_overlaps(&mut entries);
        }
        shared_bytes::refuse_bomb(&entries, most_unpacked).map_err(refused)?;
        let members = members(&mut scan, entries, kind);
        let report = scan.findings.into_report();
        let paths = || members.iter().enumerate().filter_map(|(i, m)| Some((m.path()?, i)));
        let folders = folders(paths().map(|(path, _)| path));
        let by_path = paths().map(|(path, i)| (path.clone(), i)).collect();
        let unpacked = AtomicU64::new(0);
        Ok(Self {
            name: name.to_owned(),
            kind,
            source,
            members,
            by_path,
            folders,
            report,
            most_unpacked,
            unpacked,
        })
    }

    /// Returns the kind of pack.
    pub fn kind(&self) -> PackKind {
        self.kind
    }

    /// Returns the size in bytes.
    pub fn size(&self) -> u64 {
        self.source.size()
    }

    /// Returns all members in the order of the directory, including those that no path finds.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Returns the members that have a path, in the order of their paths.
    pub fn files(&self) -> impl Iterator<Item = (&TreePath, &Member)> {
        self.by_path.iter().filter_map(|(path, i)| Some((path, self.members.get(*i)?)))
    }

    /// Returns the member with exactly this path.
    pub fn member(&self, path: &TreePath) -> Option<&Member> {
        self.members.get(*self.by_path.get(path)?)
    }

    /// Returns the member with exactly this path, or the reason why it does not exist.
    pub(crate) fn known(&self, path: &TreePath) -> Result<&Member, FilesError> {
        self.member(path).ok_or_else(|| FilesError::not_found(path.to_string()))
    }

    /// Returns the findings of the directory, including the reasons why broken members cannot be read.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Reads a member. Its bytes are charged while they are read.
    ///
    /// # Errors
    /// If the member breaks a rule, or has more bytes than the budget allows.
    pub fn read(&self, member: &Member, budget: &Budget) -> Result<Vec<u8>, FilesError> {
        self.content(member, u64::MAX, budget, &mut Report::new())
    }

    /// Reads the first bytes of a member, at most `most`. The other bytes are not checked.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_head(&self, member: &Member, most: u64, budget: &Budget) -> Result<Vec<u8>, FilesError> {
        self.content(member, most, budget, &mut Report::new())
    }

    /// Reads a member. Also returns findings about how it is stored.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_checked(&self, member: &Member, budget: &Budget) -> Result<(Vec<u8>, Report), FilesError> {
        let mut report = Report::new();
        let bytes = self.content(member, u64::MAX, budget, &mut report)?;
        Ok((bytes, report))
    }

    fn content(
        &self,
        member: &Member,
        most: u64,
        budget: &Budget,
        report: &mut Report,
    ) -> Result<Vec<u8>, FilesError> {
        let name = member.shown_name();
        let (size, left) = (member.size.min(most), budget.remaining());
        if member.fault.is_none() && size > left {
            return Err(FilesError::TooLarge { path: name, size, left });
        }
        let reading = MemberReader { source: &*self.source, member, budget };
        let mut read = || {
            let bytes = reading.read(most, report)?;
            if member.coding == Coding::MaybeLz41 {
                let more = bytes.len() as u64;
                let all = self.unpacked.fetch_add(more, Ordering::Relaxed).saturating_add(more);
                if all > self.most_unpacked {
                    let message =
                        format!("{all} bytes in its files, at most {} are read", self.most_unpacked);
                    return Err(scan::broken(rules::UNPACKED, member.place, message));
                }
            }
            Ok(bytes)
        };
        read().map_err(|e| FilesError::from_refusal(&name, e, budget.remaining()))
    }

    /// Reads every member and returns all findings of the pack, with the names of the members. Members with
    /// the same bytes are read once.
    pub fn check(&self, budget: &Budget) -> Report {
        let mut report = self.report.clone();
        // Members with the same location are read once.
        let mut known = SortedSet::new();
        let is_new = |m: &&Member| known.insert((m.start, m.packed, m.size, m.checksum));
        for member in self.members.iter().filter(|m| m.fault.is_none()).filter(is_new) {
            let mut own = Report::new();
            // The member's bytes are dropped after the check.
            let passing = Budget::new(Limits::default().with_memory(budget.remaining()));
            match self.content(member, u64::MAX, &passing, &mut own) {
                Err(FilesError::Pack { error, .. }) => own.push((&*error).into()),
                Err(e) => {
                    let message = e.reason();
                    own.broken(rules::LIMIT, &FieldPath::ROOT, Some(member.place), || message);
                }
                Ok(_) => {}
            }
            for mut finding in own {
                finding.message = format!("{}: {}", member.shown_name(), finding.message).into();
                report.push(finding);
            }
        }
        report
    }

    /// Returns the name of the pack in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the source of its bytes.
    pub(crate) fn source(&self) -> &dyn ByteSource {
        &*self.source
    }

    /// Returns the source of its bytes for keeping.
    pub(crate) fn shared_source(&self) -> Arc<dyn ByteSource> {
        Arc::clone(&self.source)
    }

    pub(crate) fn list(&self, folder: &TreePath) -> Result<Arc<Listing>, FilesError> {
        let listing = self.folders.get(folder).map(Arc::clone);
        listing.ok_or_else(|| FilesError::not_found(folder.to_string()))
    }

    /// All rules of packs.
    pub const RULES: &'static [&'static Rule] = ALL_RULES;

    /// The records of packs and of compressed members, by the name of the format.
    pub const RECORDS: &'static [(&'static str, &'static [Table])] = &[
        ("far", &[far::header::TABLE]),
        ("refpack", &[refpack::header::TABLE]),
        ("pak", &[pak::header::TABLE, pak::entry::TABLE]),
        ("vp", &[vp::header::TABLE, vp::entry::TABLE]),
        ("zip", &[zip::local::TABLE, zip::central::TABLE, zip::end::TABLE]),
    ];
}

/// The rules of all kinds of packs.
const ALL_RULES: &[&Rule] = &{
    let mut all = [rules::MAGIC; rules::RULES.len() + far::rules::RULES.len()];
    let (first, second) = all.split_at_mut(rules::RULES.len());
    first.copy_from_slice(rules::RULES);
    second.copy_from_slice(far::rules::RULES);
    all
};

/// Returns the members with their paths, and reports faulty names.
fn members(scan: &mut Scan<'_>, entries: Vec<Entry>, kind: PackKind) -> Vec<Member> {
    let [unsafe_rule, duplicate_rule] = kind.name_rules();
    let mut members: Vec<Member> = Vec::with_capacity(entries.len());
    let mut last: SortedMap<TreePath, usize> = SortedMap::new();
    for mut entry in entries {
        let (path, odd) = name::clean(entry.shown.as_deref().unwrap_or(&entry.name), entry.encoding);
        let spelled = |entry: &Entry| Escaped(&entry.name).to_string();
        // In archives of The Sims, backslashes separate folders.
        for oddity in odd.into_iter().filter(|_| path.is_ok() && kind != PackKind::Far) {
            let rule = match oddity {
                Oddity::Spelling => rules::ODD_NAME,
                Oddity::OldEncoding => rules::OLD_ENCODING,
                Oddity::NotUtf8 => rules::NOT_UTF8,
            };
            scan.odd(rule, entry.place, spelled(&entry));
        }
        if entry.size > LARGEST {
            entry.refuse(rules::TOO_LARGE, format!("{} bytes are announced", entry.size));
        }
        let unsafe_name = entry.fault.as_ref().is_some_and(|fault| fault.rule.code == rules::UNSAFE.code);
        let path = match path {
            Ok(path) if !unsafe_name => Some(path),
            Ok(_) => None,
            Err(why) => {
                entry.fault = Some(member::Fault::new(unsafe_rule, format!("{} {why}", spelled(&entry))));
                None
            }
        };
        if let Some(fault) = &entry.fault {
            let at = fault.at.unwrap_or(entry.place);
            scan.odd(fault.rule, at, format!("{}: {}", spelled(&entry), fault.message));
        }
        if let Some(path) = &path
            && let Some(before) = last.insert(path.folded(), members.len())
        {
            scan.odd(duplicate_rule, entry.place, spelled(&entry));
            if let Some(before) = members.get_mut(before) {
                before.hidden = true;
            }
        }
        members.push(Member {
            path,
            name: entry.name,
            place: entry.place,
            start: entry.start,
            end: entry.end,
            packed: entry.packed,
            size: entry.size,
            checksum: entry.checksum,
            coding: entry.coding,
            fault: entry.fault,
            hidden: false,
        });
    }
    members
}
