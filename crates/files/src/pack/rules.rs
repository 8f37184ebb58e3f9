//! The rules of packs.

meshwright_core::rules! {
    error MAGIC = "bad-magic", BadMagic [Refuses],
        "The file does not begin as a pack of its kind does.",
        "Take it from its source again, or name it by what it is.";
    error TRUNCATED = "truncated", Truncated,
        "The pack ends before its directory does, or in its header.",
        "Take it from its source again.";
    error DIRECTORY = "bad-directory", OutOfBounds,
        "The directory is not where the pack says, or does not hold what the pack says.",
        "Pack the files again.";
    error VOLUMES = "multi-volume", Unsupported,
        "The archive is one of several volumes.",
        "Join the volumes with the tool that made them.";
    error FILES = "too-many-files", Limit [NoEngine],
        "The pack has more files than any game has.",
        "Pack fewer files.";
    error DEEP = "too-deep", Limit [NoEngine],
        "Folders of the pack lie in more than 64 others.",
        "Pack the files again.";
    error LIMIT = "limit", Limit [NoEngine],
        "The pack's directory takes more memory than the caller allows.",
        "Allow more memory, if the pack is trusted.";
    error UNSAFE = "unsafe-name", BadName [Refuses],
        "A name leaves the pack: it is absolute, has `..`, a colon, control characters, or nothing at all.",
        "Pack the file under a plain name; it is never found under this one, and never written.";
    warning ODD_NAME = "odd-name", BadName,
        "A name has backslashes, doubled slashes or parts that mean nothing.",
        "Nothing needs to be done: the name is read as it is meant.";
    warning OLD_ENCODING = "old-encoding", BadName [Ignored],
        "A name is not UTF-8 and does not claim to be: it is read as code page 437.",
        "Pack the files again with a tool that writes UTF-8.";
    warning NOT_UTF8 = "not-utf8", BadName [Ignored],
        "A name claims to be UTF-8 and is not.",
        "Pack the file again.";
    warning UNTERMINATED = "unterminated-name", BadName [Tolerated],
        "A name fills its field, so that nothing ends it: engines cut its last byte.",
        "Shorten the name.";
    warning DUPLICATE = "duplicate-name", Duplicate [Tolerated],
        "Two files have one name, maybe spelled in another case: the later one counts.",
        "Remove one of them; engines do not agree which they take.";
    error OVERLAP = "overlap", Overlap,
        "Two files of a pack share a part of their bytes, or two entries of a zip archive any, which no archiver writes.",
        "Pack the files again.";
    error OUTSIDE = "out-of-file", OutOfBounds,
        "A file is outside of the pack.",
        "Take the pack from its source again.";
    error LOCAL_HEADER = "bad-local-header", BadMagic [Refuses],
        "There is no header where the directory says that a file begins.",
        "Take the pack from its source again.";
    warning LOCAL_DIFFERS = "local-differs", Ambiguous [Ignored],
        "The header before a file says something else than the directory, which counts.",
        "Pack the files again.";
    error ENCRYPTED = "encrypted", Unsupported [Refuses],
        "The file is encrypted.",
        "Decrypt it with the tool that packed it.";
    error METHOD = "unsupported-method", Unsupported [Refuses],
        "The file is compressed in a way that engines do not read.",
        "Pack it stored or deflated.";
    error LINK = "symlink", Unsupported [Tolerated],
        "The file is a symbolic link.",
        "Pack the file that it leads to.";
    error TOO_LARGE = "too-large", Limit [NoEngine],
        "The file says that it has more than 512 MiB.",
        "Nothing that is read here is that large.";
    error UNPACKED = "unpacked-limit", Limit [NoEngine],
        "The files of the pack have more bytes together than 32 times those of the pack and 256 MiB.",
        "If the pack is trusted, unpack it with --max-output, and read the files.";
    error LYING_SIZE = "lying-size", BadSize,
        "The file has more or fewer bytes than the directory says.",
        "Pack it again.";
    error DEFLATE = "bad-deflate", BadValue,
        "The compressed bytes make no sense, or end too early.",
        "Take the pack from its source again.";
    error CHECKSUM = "bad-crc", BadValue [Ignored],
        "The file's bytes are not those that were packed: their checksum is another.",
        "Take the pack from its source again.";
    error LZ41 = "bad-lz41", BadValue,
        "The compressed blocks make no sense, or end too early.",
        "Take the pack from its source again.";
    warning ZIP64 = "zip64", Compatibility [Refuses],
        "The archive has the fields of zip64, which engines do not read.",
        "Pack the files with a tool that leaves them out.";
    warning PREPENDED = "prepended-bytes", Unused [Ignored],
        "Extra bytes come before the archive.",
        "Nothing needs to be done: offsets are counted from where it begins.";
    warning TRAILING = "trailing-bytes", Unused [Ignored],
        "Extra bytes come after the end of the pack.",
        "Cut them off.";
    warning VERSION = "bad-version", Unsupported [Ignored],
        "The pack is of an unknown version.",
        "Nothing needs to be done where its files open.";
    warning UPS = "too-many-ups", BadHierarchy [Tolerated],
        "The pack leaves more folders than it enters: it stays at its top.",
        "Pack the files again.";
    warning UNCLOSED = "unclosed-directory", BadHierarchy,
        "The pack ends within a folder.",
        "Pack the files again.";
}
