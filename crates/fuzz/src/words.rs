//! Settings for libFuzzer for each target: a dictionary, the longest input, and flags.

use super::targets::{Action, Input, Target};

/// The byte order of the numbers of a kind of file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    Little,
    Big,
    Both,
    /// Decimal text.
    Text,
}
use Numbers::{Big, Both, Little, Text};

/// Extension, byte order, length of the longest useful input, and words of the format. Short inputs are quick, and break
/// in all the ways that long ones do. Words are separated by blanks; `\x20` is a blank.
const KINDS: &[(&str, Numbers, usize, &str)] = &[
    ("bmd", Little, 512, r"BMD1 #8090A0 \xf8 \xf9 \xfa \xfb \xfd \x0f \xff\xff\xff\x7f"),
    ("cmesh", Little, 400, CRUCIBLE),
    ("cmodel", Little, 400, CRUCIBLE),
    ("cskel", Little, 300, r"\xff\xff \x00\x00\x80\x3f"),
    ("lz4", Little, 200, r"\x0f \xf0 \xff \xff\xff\xff\xff \x01\x00 \x1f\x00\x01\x00"),
    ("dpm", Big, 1100, r"DARKPLACESMODEL\x00 \x00\x00\x00\x02 textures/ root\x00"),
    ("zym", Big, 1200, r"ZYMOTICMODEL \x00\x00\x00\x01 \x00\x00\x00\x18 \xff\xff\xff\xff"),
    ("framegroups", Text, 160, r"// /* */ \x22 \x5cn { } 1\x206\x206\x201\x20idle\x0a"),
    (
        "iqm",
        Little,
        1200,
        r"INTERQUAKEMODEL\x00 \x02\x00\x00\x00 \x01\x00\x00\x00 \x07\x00\x00\x00\x03\x00\x00\x00 FTE_EVENT\x00 FTE_MESH\x00",
    ),
    ("fom", Little, 400, r"FSOMODEL\x01\x00\x00\x00 VDAT INDX MESH"),
    (
        "json",
        Text,
        512,
        "\"materials\" \"meshes\" \"root_node\" \"name\" \"diffuse_texture\" \"offset\" \"count\" \"base_index\" \
         \"min_index\" \"max_index\" \"material_index\" \"transform\" \"children\" true false null \\x5cu0000 \
         \\x5cud800 \\x5cudc00 [[ ]] {} [1,0,0,0]",
    ),
    ("mesh", Both, 400, TSO),
    ("skel", Both, 300, TSO),
    ("anim", Both, 300, TSO),
    ("bnd", Big, 100, TSO),
    ("bmf", Little, 400, TSO),
    ("apr", Big, 100, TSO),
    ("oft", Big, 60, TSO),
    ("hag", Big, 160, TSO),
    ("po", Big, 60, TSO),
    ("col", Big, 100, TSO),
    ("bcf", Little, 500, SIMS),
    (
        "cmx",
        Text,
        800,
        r"version\x20300\x0d\x0a //\x20x\x0d\x0a NULL\x0d\x0a |\x200\x200\x200\x20|\x0d\x0a -1\x0d\x0a 1\x0d\x0a",
    ),
    ("cfp", Little, 200, r"\xff \xfe \xfd \xfe\xff\xff \xff\x00\x00\x80\x3f"),
    ("skn", Text, 300, r"\x0a \x0d\x0a ROOT\x0a 2\x0a -1\x0a 0\x201\x200\x200\x200\x201\x0a"),
    (
        "glb",
        Both,
        4096,
        "glTF JSON BIN\\x00 \"accessors\" \"bufferViews\" \"byteOffset\" \"componentType\" 5126 5121 \"count\" \"sparse\" \
         \"VEC3\" \"MAT4\" \"SCALAR\" \"nodes\" \"children\" \"skin\" \"joints\" \"primitives\" \"attributes\" \"JOINTS_0\" \
         \"WEIGHTS_0\" \"animations\" \"samplers\" \"interpolation\" \"CUBICSPLINE\" \"byteStride\": \"mode\":5 \
         \"EXT_meshopt_compression\" \"images\" \"uri\"",
    ),
];

/// The flags of attributes and of index sizes.
const CRUCIBLE: &str = r"cmodel\x0a \x01\x00 \x02\x00 \x04\x00 \x08\x00 \x10\x00 \x20\x00 \x40\x00 \x01\x10\x00 \x00\x00\x80\x3f";
/// Versions, and names after their lengths.
const TSO: &str =
    r"\x00\x00\x00\x01 \x00\x00\x00\x02 \x00\x00\x00\x08 \x04NULL \x04ROOT \x00\x04ROOT \x05sound \x06PELVIS";
/// Names after their lengths, long ones, and counts.
const SIMS: &str = r"\x04NULL \x04ROOT \xff\xff\x00\x00\x00 \x01\x00\x00\x00 \xff\xff\xff\xff";

/// Numbers at which counts, offsets and floats turn.
const BOUNDARIES: &[u64] = &[
    0x7f,
    0x80,
    0xff,
    0x100,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fff0,
    0xffff_ffff,
    0x1555_5556,
    0x3f80_0000,
    0x7f80_0000,
    0x7fc0_0000,
    0xff80_0000,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    u64::MAX,
];
const DECIMALS: &str = "-1 255 65535 65536 2147483647 -2147483648 2147483648 4294967295 4294967296 18446744073709551615 \
                        18446744073709551616 1e38 1e39 -1e-46 1e999 nan inf -0 0x10";

/// A scene comes with its companions.
const SCENE: usize = 4096;
/// A model is made from few numbers.
const MODEL: usize = 64;

fn kind(input: Input) -> (Numbers, usize, &'static str) {
    let found = KINDS.iter().find(|kind| kind.0 == input.name());
    found.map_or((Both, 512, ""), |(_, numbers, longest, words)| (*numbers, *longest, words))
}

/// Returns the length of the longest input of a target.
pub(crate) fn longest(target: Target) -> usize {
    match target.action {
        Action::Parse | Action::Round => kind(target.input).1,
        Action::Model | Action::Outputs => MODEL,
        Action::Scene | Action::Document | Action::Program | Action::Pack => SCENE,
    }
}

/// Flags of libFuzzer for a target, one a line, as OSS-Fuzz reads them too. Parsers run by the million: their runs look
/// for new edges only, which is fast.
pub(crate) fn options(target: Target) -> String {
    let fast = if target.action == Action::Parse {
        "entropic = 0\nuse_counters = 0\nreduce_inputs = 0\n"
    } else {
        ""
    };
    format!("[libfuzzer]\nmax_len = {}\ntimeout = 5\nrss_limit_mb = 1024\n{fast}", longest(target))
}

/// Returns the dictionary of a target in libFuzzer's notation. Random numbers have no words.
pub(crate) fn dictionary(target: Target) -> String {
    if matches!(target.action, Action::Model | Action::Outputs) {
        return String::new();
    }
    let (numbers, _, words) = kind(target.input);
    let mut lines: Vec<String> =
        words.split(' ').filter(|w| !w.is_empty()).map(|w| w.replace('"', "\\\"")).collect();
    let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("\\x{b:02x}")).collect::<String>();
    for number in BOUNDARIES {
        let bytes = number.to_be_bytes();
        let width = [2, 4, 8].into_iter().find(|w| number >> (w * 8 - 1) >> 1 == 0).unwrap_or(8);
        let big = &bytes[8 - width..];
        let little: Vec<u8> = big.iter().rev().copied().collect();
        lines.extend(matches!(numbers, Big | Both).then(|| hex(big)));
        lines.extend(matches!(numbers, Little | Both).then(|| hex(&little)));
    }
    if numbers == Text {
        lines.extend(DECIMALS.split(' ').map(str::to_owned));
    }
    lines.iter().map(|line| format!("\"{line}\"\n")).collect()
}
