//! The rules of archives of The Sims.

meshwright_core::rules! {
    error MAGIC = "bad-magic" ("E_MAGIC"), BadMagic [Refuses],
        "The file does not begin as an archive of The Sims does.",
        "Take it from its source again, or name it by what it is.";
    error VERSION = "bad-version" ("E_VERSION"), Unsupported,
        "The archive is of an unknown version.",
        "Pack the files as version 1 or 3.";
    error TRUNCATED = "truncated" ("E_TRUNCATED"), Truncated,
        "The archive ends in its header, within an entry or within a name.",
        "Take it from its source again.";
    error MANIFEST_OFFSET = "manifest-offset" ("E_MANIFEST_OFFSET"), OutOfBounds,
        "The manifest is in the header or after the end.",
        "Take the archive from its source again.";
    error COUNT = "bad-count" ("E_COUNT"), BadCount,
        "The manifest claims more entries than the rest of the file can hold.",
        "Take the archive from its source again.";
    error ENTRY_RANGE = "entry-range" ("E_ENTRY_RANGE"), OutOfBounds,
        "A member is outside of the archive.",
        "Take the archive from its source again; other members can be read.";
    error ENTRY_SIZE = "entry-size" ("E_ENTRY_SIZE"), BadSize [Tolerated],
        "A member that is not compressed has another size than it is stored with.",
        "Pack it again; other members can be read.";
    error DATA_TYPE = "unknown-storage" ("E_DATA_TYPE"), BadValue,
        "A member is neither stored nor compressed, by what its entry says.",
        "Pack it again; other members can be read.";
    error LIMIT = "limit-exceeded" ("E_LIMIT"), Limit [NoEngine],
        "A member says that it has more bytes than its commands could make.",
        "Take the archive from its source again; other members can be read.";
    error PERSIST = "member-header" ("E_PERSIST"), BadSize,
        "The header of a compressed member says other sizes than its entry.",
        "Pack it again; other members can be read.";
    error COMPRESSOR = "unknown-compression" ("E_COMPRESSOR"), Unsupported,
        "A member is compressed in a way that no game knows.",
        "Pack it again; other members can be read.";
    error REFPACK_TRUNCATED = "refpack-truncated" ("E_REFPACK_TRUNCATED"), Truncated,
        "The commands of a compressed member end before they say so.",
        "Take the archive from its source again; other members can be read.";
    error REFPACK_OFFSET = "refpack-offset" ("E_REFPACK_OFFSET"), OutOfBounds,
        "A command copies from before the first byte.",
        "Take the archive from its source again; other members can be read.";
    error REFPACK_OVERRUN = "refpack-overrun" ("E_REFPACK_OVERRUN"), BadSize [Tolerated],
        "More bytes come out of a compressed member than it says.",
        "Take the archive from its source again; other members can be read.";
    error REFPACK_SHORT = "refpack-short" ("E_REFPACK_SHORT"), BadSize,
        "Fewer bytes come out of a compressed member than it says.",
        "Take the archive from its source again; other members can be read.";
    error REFPACK_TRAILING = "refpack-trailing" ("E_REFPACK_TRAILING"), Unused [Ignored],
        "Extra bytes come after the last command of a compressed member.",
        "Pack it again; other members can be read.";
    warning ENTRY_OVERLAP = "entry-overlap" ("W_ENTRY_OVERLAP"), Overlap,
        "Members share bytes, or reach into the manifest.",
        "Pack the files again.";
    warning TRAILING = "trailing-bytes" ("W_TRAILING"), Unused [Ignored],
        "Extra bytes come after the manifest.",
        "Cut them off.";
    warning NAME_DUP = "duplicate-name" ("W_NAME_DUP"), Duplicate [Tolerated],
        "Two members have one name, ignoring letter case: the later one counts.",
        "Remove one of them; programs do not agree which they take.";
    warning ID_DUP = "duplicate-id" ("W_ID_DUP"), Duplicate [Refuses],
        "Two members have the same numbers of file and type.",
        "Remove one of them; programs do not agree which they take.";
    warning NAME_ENCODING = "name-encoding" ("W_NAME_ENCODING"), BadName,
        "A name is not plain ASCII: it is read as Windows-1252.",
        "Use letters, digits and signs of ASCII.";
    warning NAME_PATH = "name-path" ("W_NAME_PATH"), BadName [Refuses],
        "A name leaves the archive: it is absolute, has `..`, a colon, control characters, or nothing at all.",
        "Pack the file under a plain name; it is never found under this one, and never written.";
}
