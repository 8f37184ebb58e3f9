//! Opens inputs as models with their companion files.

mod companion_lines;
mod search_path;

use crate::args::{CompanionArgs, ConvertArgs, ReadArgs};
use crate::input::Input;
use crate::messages::say;
use crate::pattern::NamePattern;
use crate::refusal::{Broken, Fail, Refusal};
use crate::{messages, render};
use meshwright::files::output::{FileId, Plan};
use meshwright::files::{FilesError, Tree, TreePath};
use meshwright::tso::Wear;
use meshwright::{
    Budget, Confidence, Finder, Format, Limits, Model, NamedFile, Opener, ReadOptions, Role, Target, foreign,
};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::slice;
use std::sync::Mutex;

/// Reads the inputs of a command as its arguments say, and records every file that took part.
#[derive(Debug)]
pub(crate) struct Reader {
    quiet: bool,
    /// Prints which companions of a model are used.
    names_companions: bool,
    /// The output is made for the skeleton that `--skeleton` names.
    made_for: bool,
    options: Opener,
    /// The format that `--as` names.
    format: Option<Format>,
    /// The choices of a conversion for its input: the rate of clips, and the normals.
    conversion: Option<(Option<f32>, bool, bool)>,
    /// The models that `--onto` names, into which edits are imported.
    onto: Vec<PathBuf>,
    /// A named companion that cannot be read.
    missing: Option<Refusal>,
    /// The files that the run reads and writes.
    plan: Plan,
    /// The file that standard output writes to, if it is a file that is not empty.
    stdout: Option<FileId>,
    /// The folders that `--root` names, which replace every other search path.
    roots: Option<Finder>,
    /// The folder of the last named file: the next file is often in the same one.
    last: Mutex<Option<(PathBuf, Finder)>>,
    /// The last tree with packs that was walked, and the same tree layered over the folders of `--root`.
    over: Mutex<Option<(Finder, Finder)>>,
}

impl Reader {
    /// Checks the arguments, and reads the companions that they name.
    pub(crate) fn new(args: &ReadArgs, companions: &CompanionArgs) -> Result<Self, Fail> {
        let read = if args.lenient { ReadOptions::lenient() } else { ReadOptions::default() };
        let read = read.with_limits(Limits::default().with_memory(args.max_memory));
        let right = companions.gesture.first().copied().unwrap_or_default();
        let left = companions.gesture.get(1).copied().unwrap_or(right);
        let options = Opener::from(read)
            .dialect(args.dialect)
            .quaternions(args.quaternions())
            .format(args.read_as)
            .companions(!args.no_companions)
            .clip_names(companions.clip_names.unwrap_or_default())
            .look(companions.tone, [right, left])
            .colors(companions.colors)
            .wear(companions.wear.iter().map(|text| wear(text)).collect::<Result<_, _>>()?);
        let mut reader = Self {
            quiet: args.quiet,
            names_companions: !args.quiet,
            made_for: false,
            options,
            format: args.read_as,
            conversion: None,
            onto: Vec::new(),
            missing: None,
            plan: Plan::default(),
            stdout: stdout(),
            roots: search_path::roots(&args.root)?,
            last: Mutex::default(),
            over: Mutex::default(),
        };
        for (role, path) in named(args, companions) {
            let pattern = companions.anim_name.as_ref();
            if role == Role::Animation && (pattern.is_some() || holds_several(path)) {
                match reader.motions(path, pattern) {
                    Ok(files) => reader.options = files.into_iter().fold(reader.options, Opener::named),
                    Err(refusal) => {
                        reader.missing = reader.missing.or_else(|| Some(refusal.of_companion(path)));
                    }
                }
                continue;
            }
            match reader.read_named(path) {
                Ok(bytes) => {
                    let file = NamedFile::new(role, path.to_string_lossy(), bytes);
                    reader.options = reader.options.named(file);
                }
                Err(refusal) => reader.missing = reader.missing.or(Some(refusal)),
            }
        }
        Ok(reader)
    }

    /// Returns a reader that takes the textures of this skin.
    pub(crate) fn with_skin(mut self, skin: Option<u32>) -> Self {
        self.options = self.options.skin(skin);
        self
    }

    /// Returns a reader that shows players in colours, also if the arguments name none.
    pub(crate) fn in_colors(mut self) -> Self {
        self.options = self.options.in_colors();
        self
    }

    /// Returns a reader with the choices of a conversion. Its originals are read without the choices for the input.
    pub(crate) fn converting(mut self, args: &ConvertArgs, to: Target) -> Self {
        self.made_for = to.is_made_for_skeleton();
        self.onto.clone_from(&args.onto);
        self.conversion = Some((args.fps, args.recompute_normals, args.blend_normals));
        self.options = self.options.skin(args.skin).all_frames(args.all_frames);
        self
    }

    /// Reads the animations of a file or a folder whose names match. In a folder, files that cannot be read are
    /// reported and left out.
    fn motions(&self, path: &Path, pattern: Option<&NamePattern>) -> Result<Vec<NamedFile>, Refusal> {
        let finder = Finder::new(Tree::open(path).map_err(|e| Refusal::unopened(path, &e))?);
        let named = finder.tree().start().cloned();
        let files = match &named {
            Some(start) => vec![start.clone()],
            None => finder.tree().walk().files.into_iter().flatten().filter(is_motion).collect(),
        };
        let (mut found, mut refused) = (Vec::new(), None);
        for file in files {
            let options = self.options.clone().without_named().format(None);
            match options.open_in(&finder, &file).map(Model::into_motions) {
                Ok(motions) => {
                    // A folder may hold the same record as text, as binary, and in a collection.
                    let matches = |name: &str| pattern.is_none_or(|pattern| pattern.matches(name));
                    for motion in motions.into_iter().filter(|motion| matches(&motion.name)) {
                        if !found.iter().any(|f: &NamedFile| f.name == motion.name && f.bytes == motion.bytes)
                        {
                            found.push(motion);
                        }
                    }
                    finder.tree().container(&file).iter().for_each(|path| self.plan.reads(path));
                }
                Err(e) if named.is_some() => {
                    return Err(match Broken::of_model(&e, &finder, &file, &options) {
                        Some(broken) => {
                            let companion = Some(path.to_string_lossy().into_owned());
                            Refusal::Broken(Box::new(Broken { companion, ..broken }))
                        }
                        None => e.into(),
                    });
                }
                Err(e) => refused = refused.or_else(|| Some(format!("{file}: {e}"))),
            }
        }
        if let Some(why) = refused.filter(|_| !self.quiet) {
            say(&format!("{}: {}", render::path(path), render::plain(&why)));
        }
        Ok(found)
    }

    /// Returns a reader that prints the companions of each model only if `names` is set.
    pub(crate) fn naming_companions(mut self, names: bool) -> Self {
        self.names_companions &= names;
        self
    }

    /// Reads the models that edits are imported into.
    pub(crate) fn originals(&self) -> Result<Vec<Model>, Refusal> {
        let open = |path: &PathBuf| {
            let opened = self.open_with(&Input::named(path), self.options.clone(), None);
            opened.map_err(|refusal| refusal.of_companion(path))
        };
        self.onto.iter().map(open).collect()
    }

    /// Opens a file that an option names, without the named companions.
    pub(crate) fn open_named(&self, path: &Path) -> Result<Model, Refusal> {
        let options = self.options.clone().without_named();
        let opened = self.open_with(&Input::named(path), options, None).map_err(|e| e.of_companion(path))?;
        self.note(opened.sources());
        Ok(opened)
    }

    /// Reads the bytes of a file that an option names.
    pub(crate) fn read_named(&self, path: &Path) -> Result<Vec<u8>, Refusal> {
        let read = |tree: Tree| {
            let start = tree.start().cloned().unwrap_or_default();
            Ok(tree.read(&start, &Budget::new(self.limits()))?.into_owned())
        };
        let bytes = Tree::open(path).and_then(read);
        let bytes = bytes.map_err(|e: FilesError| Refusal::unopened(path, &e).of_companion(path))?;
        self.plan.reads(path);
        Ok(bytes)
    }

    /// Lists the files in the folders that `--root` names.
    pub(crate) fn root_names(&self) -> Vec<String> {
        let walk = self.roots.as_ref().map(|roots| roots.tree().walk().files);
        walk.into_iter().flatten().flatten().map(|path| path.to_string()).collect()
    }

    /// Sets the memory limit of one file with its results, in bytes.
    pub(crate) fn set_memory(&mut self, bytes: u64) {
        self.options = self.options.clone().limits(self.limits().with_memory(bytes));
    }

    /// Returns the limits for reading and converting one file.
    pub(crate) fn limits(&self) -> Limits {
        self.options.read_settings().read.limits
    }

    /// Reads a file and its companions, without textures.
    pub(crate) fn open(&self, input: &Input) -> Result<Model, Refusal> {
        if let Some(refusal) = &self.missing {
            return Err(refusal.clone());
        }
        let mut options = self.options.clone();
        if !self.onto.is_empty() {
            options = options.without_named();
        }
        if let Some((rate, recompute, blend)) = self.conversion {
            options = options.fps(rate).recompute_normals(recompute).blend_normals(blend);
        }
        self.open_with(input, options, self.format)
    }

    /// Returns whether a companion that an option names cannot be read, so that no file is opened.
    pub(crate) fn lacks_companion(&self) -> bool {
        self.missing.is_some()
    }

    /// Returns the options with which files are opened.
    pub(crate) fn options(&self) -> &Opener {
        &self.options
    }

    /// Reads a file as [`open`](Self::open) does, with other options.
    pub(crate) fn open_like(&self, input: &Input, options: Opener) -> Result<Model, Refusal> {
        self.open_with(input, options, self.format)
    }

    fn open_with(&self, input: &Input, options: Opener, format: Option<Format>) -> Result<Model, Refusal> {
        let (finder, path) = self.place(input)?;
        let format = format.or(input.met.as_ref().and_then(|met| met.format));
        let options = options.in_folder(input.met.is_some()).format(format);
        let opened = options.open_in(&finder, &path).map_err(|e| {
            if e.code() == "unknown-format" && input.met.is_some() {
                return Refusal::NotAModel;
            }
            if e.code() == "unknown-format" {
                let head = finder.tree().read_head(&path, 4096, &Budget::new(self.limits()));
                return Refusal::unknown(&head.unwrap_or_default(), path.extension());
            }
            if let Some(broken) = Broken::of_model(&e, &finder, &path, &options) {
                // A file that has only the extension of a format may have the magic bytes of a foreign one.
                let bytes = &broken.bytes;
                let is_unlike = |format: Format| format.sniff(bytes) <= Confidence::Possible;
                if self.format.is_none()
                    && !bytes.is_empty()
                    && broken.format.is_some_and(is_unlike)
                    && foreign(bytes).is_some()
                {
                    return Refusal::unknown(bytes, path.extension());
                }
                return Refusal::Broken(Box::new(broken));
            }
            let companion = e.file().and_then(|name| finder.tree().shown_path(&TreePath::new(name).ok()?));
            let refusal = Refusal::from(e);
            companion.map_or(refusal.clone(), |path| refusal.of_companion(&path))
        })?;
        self.spare_stdout(&opened)?;
        Ok(opened)
    }

    /// Creates a reader for one named file.
    pub(crate) fn for_one(
        args: &ReadArgs,
        companions: &CompanionArgs,
        file: &OsStr,
    ) -> Result<(Self, Input), Fail> {
        let (reader, input) = (Self::new(args, companions)?, Input::named(file));
        reader.expect(slice::from_ref(&input))?;
        Ok((reader, input))
    }

    /// Runs `work`. If the input breaks a rule, the refusal says whether `work` would succeed with `--lenient`.
    pub(crate) fn attempt<T>(
        &self,
        input: &Input,
        work: impl Fn(&Self) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        self.hinted(input, work(self), |lenient| work(&lenient).is_ok())
    }

    /// Adds to a refusal whether the command would succeed with `--lenient`: `again` runs it once more, without
    /// writing or printing anything.
    pub(crate) fn hinted<T>(
        &self,
        input: &Input,
        result: Result<T, Refusal>,
        again: impl FnOnce(Self) -> bool,
    ) -> Result<T, Refusal> {
        let is_strict = !self.options.read_settings().read.is_lenient();
        match result {
            // Standard input cannot be read twice.
            Err(Refusal::Broken(mut broken)) if is_strict && !input.is_stdin() => {
                let lenient = self.lenient();
                broken.leniently = messages::muted(|| again(lenient));
                Err(Refusal::Broken(broken))
            }
            result => result,
        }
    }

    /// Returns a lenient reader with an empty plan, so that it protects no file of this run.
    fn lenient(&self) -> Self {
        let options = self.options.clone().lenient(true);
        Self {
            quiet: true,
            names_companions: false,
            made_for: self.made_for,
            options,
            format: self.format,
            conversion: self.conversion,
            onto: self.onto.clone(),
            missing: self.missing.clone(),
            plan: Plan::default(),
            stdout: self.stdout.clone(),
            roots: self.roots.clone(),
            last: Mutex::default(),
            over: Mutex::default(),
        }
    }

    /// Records files that took part, which no output may replace.
    pub(crate) fn note(&self, paths: impl IntoIterator<Item = PathBuf>) {
        paths.into_iter().for_each(|path| self.plan.reads(&path));
    }

    /// Refuses a standard output that writes into a file of the model.
    fn spare_stdout(&self, opened: &Model) -> Result<(), Refusal> {
        let Some(out) = &self.stdout else { return Ok(()) };
        let into = opened.sources().find(|path| FileId::of(path).as_ref() == Some(out));
        into.map_or(Ok(()), |path| Err(Refusal::Argument(into_input(&path))))
    }

    /// Returns whether an input may be a model, and detects its format. Other files of a folder do not affect the
    /// names of outputs, and outputs may replace them. `wanted` selects the formats to process.
    pub(crate) fn is_model(&self, input: &mut Input, wanted: impl Fn(Format) -> bool) -> bool {
        let Some(met) = input.met.as_mut().filter(|_| self.format.is_none()) else { return true };
        // A file that cannot be read is reported when it is processed.
        let Ok(found) = met.finder.detect_met(&met.path, self.limits()) else { return true };
        met.format = found.map(|found| found.format);
        met.format.is_some_and(wanted)
    }

    /// Records all inputs, also those that are not read yet. Refuses a standard output that is one of them.
    pub(crate) fn expect(&self, inputs: &[Input]) -> Result<(), Fail> {
        inputs.iter().for_each(|input| self.plan.reads(&input.container()));
        let Some(out) = &self.stdout else { return Ok(()) };
        let is_out = |input: &&Input| match input.is_stdin() {
            true => FileId::of_stream(&io::stdin()).is_some_and(|(file, _)| file == *out),
            false => FileId::of(&input.path).as_ref() == Some(out),
        };
        // A file of a folder may be the log that standard output writes to.
        let into = inputs.iter().filter(is_out).find(|input| self.is_model(&mut (*input).clone(), |_| true));
        into.map_or(Ok(()), |input| Err(Fail::Usage(into_input(&input.path))))
    }

    /// Returns the files that the run reads and writes.
    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the reader with a changed plan.
    pub(crate) fn planning(mut self, change: impl FnOnce(Plan) -> Result<Plan, Fail>) -> Result<Self, Fail> {
        self.plan = change(self.plan)?;
        Ok(self)
    }
}

/// Returns the file that standard output writes to, if it is a file that is not empty. An empty one has nothing to
/// lose.
fn stdout() -> Option<FileId> {
    FileId::of_stream(&io::stdout()).filter(|(_, length)| *length > 0).map(|(file, _)| file)
}

/// Returns the message about a standard output that is an input.
fn into_input(path: &Path) -> String {
    format!("standard output would be written into {}, which is an input", render::path(path))
}

/// Parses a value of `--wear`. Of alternatives the game takes the first.
fn wear(text: &str) -> Result<Wear, Fail> {
    let parts = text.split(';').next().unwrap_or_default().split(',').skip(1).count();
    let wear = Wear::parse(text).into_iter().next();
    let wear = wear.filter(|wear| !wear.suit.is_empty() && parts > 0 && wear.textures.len() == parts);
    let why = || {
        format!(
            "--wear {}: not SUIT,SKIN=TEXTURE as in b001fafit_01,BODY=b001fafitlgt_01",
            render::plain(text)
        )
    };
    wear.ok_or_else(|| Fail::Usage(why()))
}

/// Returns true for a folder, for a pack, and for a file that may hold several animations.
fn holds_several(path: &Path) -> bool {
    let records = |e: &str| e.eq_ignore_ascii_case("cmx") || e.eq_ignore_ascii_case("bcf");
    path.is_dir()
        || Tree::leads_into_pack(path)
        || path.extension().and_then(|e| e.to_str()).is_some_and(records)
}

fn is_motion(path: &TreePath) -> bool {
    matches!(&*path.extension().to_ascii_lowercase(), b"anim" | b"cmx" | b"bcf" | b"iqm")
}

/// Returns the companions that the arguments name.
fn named<'a>(read: &'a ReadArgs, args: &'a CompanionArgs) -> impl Iterator<Item = (Role, &'a PathBuf)> {
    let one = [
        (Role::Clips, &args.framegroups),
        (Role::Skeleton, &args.skeleton),
        (Role::Binding, &args.binding),
        (Role::Metadata, &read.metadata),
    ];
    let one = one.into_iter().filter_map(|(role, path)| Some((role, path.as_ref()?)));
    args.anim.iter().map(|path| (Role::Animation, path)).chain(one)
}
