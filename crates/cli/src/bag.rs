//! The outputs of a conversion as a bag of RFC 8493 (BagIt).

use crate::args::ConvertArgs;
use crate::conversion_output::settle;
use crate::output::{self, content_of};
use crate::refusal::{Fail, Refusal};
use crate::status::Status;
use crate::{convert, manifest, render};
use meshwright::Order as _;
use meshwright::files::output::{OutputName, Place, Plan, Replace};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// The folder of the outputs in the bag.
const DATA: &str = "data";
/// The manifest of the conversion in the bag.
const MANIFEST: &str = "meshwright.json";
const AGENT: &str = concat!("meshwright ", env!("CARGO_PKG_VERSION"));

/// Converts into the folder `data` of a bag, and writes the files of the bag around it.
pub(crate) fn run(args: &ConvertArgs) -> Result<Status, Fail> {
    let (args, folder) = &settle(args)?;
    let refused =
        |path: &Path, e: &io::Error| Fail::Refused(render::path(path), Refusal::unwritable(path, e));
    // A folder that is not a bag may hold files that are not payload.
    let is_bag =
        fs::read_to_string(folder.join("bagit.txt")).is_ok_and(|text| text.starts_with("BagIt-Version:"));
    let is_empty = fs::read_dir(folder).map_or(true, |mut files| files.next().is_none());
    if !is_bag && !is_empty {
        let why = "exists and is not a bag; --bag needs a new folder or a bag of an earlier run";
        return Err(Fail::Usage(format!("{}: {why}", render::path(folder))));
    }
    let mut own = args.clone();
    own.bag = false;
    // The separator at the end says that it is a folder.
    own.output = Some(folder.join(DATA).join(""));
    own.manifest = Some(folder.join(MANIFEST));
    if !args.write.dry_run {
        let data = folder.join(DATA);
        fs::create_dir_all(&data).map_err(|e| refused(&data, &e))?;
    }
    let status = convert::run(&own)?;
    if args.write.dry_run {
        return Ok(status);
    }
    let (mut payload, mut bytes) = (BTreeMap::new(), 0);
    walk(&folder.join(DATA), DATA, &mut payload, &mut bytes).map_err(|e| refused(folder, &e))?;
    // A date would make every bag another.
    let info = format!("Bag-Software-Agent: {AGENT}\nPayload-Oxum: {bytes}.{}\n", payload.len());
    let declaration = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n";
    let mut tags = vec![
        ("bag-info.txt", info.into_bytes()),
        ("bagit.txt", declaration.as_bytes().to_vec()),
        ("manifest-sha256.txt", lines(&payload)),
    ];
    let mut sums = BTreeMap::new();
    for (name, bytes) in &tags {
        sums.insert((*name).to_owned(), manifest::hash(bytes));
    }
    if let Ok(bytes) = fs::read(folder.join(MANIFEST)) {
        sums.insert(MANIFEST.to_owned(), manifest::hash(&bytes));
    }
    tags.push(("tagmanifest-sha256.txt", lines(&sums)));
    let place = |name: &str| Place::below(folder, [&OutputName::cleaned(name)]);
    let files = tags.iter().map(|(name, bytes)| output::main(place(name), content_of(bytes)));
    let plan = Plan::default().with_replace(if is_bag { Replace::All } else { Replace::Named });
    output::write(files.collect(), &plan).map_err(|e| Fail::Refused(render::path(folder), e))?;
    Ok(status)
}

/// Hashes every file of a folder, by its path in the bag.
fn walk(folder: &Path, name: &str, found: &mut BTreeMap<String, String>, bytes: &mut u64) -> io::Result<()> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    entries.order();
    for path in entries {
        let below = format!("{name}/{}", path.file_name().unwrap_or_default().to_string_lossy());
        let kind = path.symlink_metadata()?.file_type();
        if kind.is_dir() {
            walk(&path, &below, found, bytes)?;
        } else if kind.is_file() {
            let (mut file, mut hash) = (fs::File::open(&path)?, Sha256::new());
            let mut buffer = vec![0; 1 << 16];
            loop {
                let count = file.read(&mut buffer)?;
                let Some(part) = buffer.get(..count).filter(|part| !part.is_empty()) else { break };
                hash.update(part);
                *bytes = bytes.saturating_add(count as u64);
            }
            found.insert(below, manifest::hex(&hash.finalize()));
        }
    }
    Ok(())
}

/// Returns the lines of a manifest: the hash, two spaces, the path with its line ends and percent signs escaped.
fn lines(sums: &BTreeMap<String, String>) -> Vec<u8> {
    let escaped = |path: &str| path.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let line = |(path, sum): (&String, &String)| format!("{sum}  {}\n", escaped(path));
    sums.iter().map(line).collect::<String>().into_bytes()
}
