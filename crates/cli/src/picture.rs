//! `meshwright render`: renders models into images.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "counts of pictures, places in lists of inputs"
)]

pub(crate) mod difference;

use crate::args::{OutputFormat, RenderArgs};
use crate::batch::Workers;
use crate::destination::{Destination, UniquePlaces};
use crate::figure::Figure;
use crate::input::{Input, expand, refuse_unasked_figure};
use crate::losses::{self, Detail};
use crate::output::{self, Outputs, content_of};
use crate::reader::Reader;
use crate::refusal::{Fail, Refusal};
use crate::render;
use crate::results::Results;
use crate::status::Status;
use meshwright::files::output::{OutputName, Place};
use meshwright::render::{
    AnimationEncoder, Bounds, Camera, EncodeError, Overlays, RenderOptions, Rendering, ScenePose, Texture,
    contact_sheet, visible_bounds,
};
use meshwright::scene::{Budget, Clip, ConvertError, Levels, Loss, Scene, SceneOptions};
use meshwright::{ClipFrame, Format, Model, render as raster, textures};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most images of a clip or a turntable.
const MOST_PICTURES: usize = 2000;
/// The most images per second of an animation.
const MOST_PER_SECOND: f64 = 30.0;
/// The duration of one turn of a turntable.
const TURN_MILLISECONDS: f64 = 4000.0;
/// The default size of an image in pixels, and of an image on a sheet.
const SIZE: u32 = 512;
const SHEET_SIZE: u32 = 160;
/// A smaller image on a sheet would be useless.
const SMALLEST_CELL: u32 = 24;

pub(crate) fn run(args: &RenderArgs) -> Result<Status, Fail> {
    let mut results = Results::new("drawn", &args.many, &args.files, args.format, &args.read)?;
    let several = !args.sheet && results.is_over_several();
    let destination =
        if several { Destination::of_several(&args.output) } else { Destination::new(&args.output) };
    check(args, &destination)?;
    let reader = Reader::new(&args.read, &args.companions)?.with_skin(args.skin).in_colors();
    let work = RenderRun { args, reader, outputs: Outputs::new(&destination) };
    let workers = Workers::new(args.many.jobs, work.reader.limits().memory);
    let is_model = |input: &mut Input| work.reader.is_model(input, Format::holds_model);
    let (inputs, others) =
        results.models(expand(results.selection(), destination.folder()), workers, is_model)?;
    others.iter().for_each(|input| results.skip(input));
    work.reader.expect(&inputs)?;
    if args.sheet {
        work.sheet(&inputs, &mut results);
    } else if inputs.len() > 1 && !matches!(destination, Destination::Folder(_)) {
        refuse_unasked_figure(&inputs, args.figure, &args.output)?;
        results.one_of_several();
        match work.figure(&inputs) {
            Ok(done) => {
                work.wrote(&done.output, &mut results);
                work.report(&inputs[0], &done, &mut results);
            }
            Err((i, refusal)) => results.refuse(&inputs[i], &refusal),
        }
    } else {
        let jobs: Vec<(&Input, Place)> = inputs.iter().zip(places(&inputs, &destination)).collect();
        let drawn = |(input, place): &(&Input, Place)| {
            let is_drawable = |lenient: Reader| {
                let opened = lenient.open(input);
                opened.is_ok_and(|opened| opened.scene_with(&SceneOptions::default()).is_ok())
            };
            work.reader.hinted(input, work.one(input, place), is_drawable)
        };
        results.over(
            workers,
            &jobs,
            |job| job.0,
            drawn,
            |results, (input, _), drawn| {
                match drawn {
                    Ok(done) => {
                        work.wrote(&done.output, results);
                        work.report(input, &done, results);
                    }
                    Err(refusal) => results.refuse(input, &refusal),
                }
                Ok(())
            },
        )?;
    }
    results.finish()
}

/// Refuses arguments that contradict each other.
fn check(args: &RenderArgs, destination: &Destination) -> Result<(), Fail> {
    let usage = |why: &str| Err(Fail::Usage(why.to_owned()));
    if args.strip.is_some() && args.clip.is_none() && args.turntable.is_none() {
        return usage("--strip needs --clip or --turntable");
    }
    destination.refuse_document(args.format)?;
    match destination {
        Destination::Folder(_) if args.sheet => usage("--sheet makes one image; name a file with -o"),
        Destination::File(path) => is_picture(path),
        _ => Ok(()),
    }
}

/// Refuses a path whose extension is not `png` or `apng`.
fn is_picture(path: &Path) -> Result<(), Fail> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if ["png", "apng"].contains(&extension.as_str()) {
        return Ok(());
    }
    Err(Fail::Usage(format!("{}: images are written as .png", render::path(path))))
}

/// Returns the path of each input's image. It has the whole name of the input, so only inputs of the same name need a
/// number.
fn places(inputs: &[Input], destination: &Destination) -> Vec<Place> {
    let Some(folder) = destination.folder() else { return vec![destination.place()] };
    let mut places = UniquePlaces::default();
    let name = |input: &Input| OutputName::cleaned(&input.name());
    inputs.iter().map(|input| places.add(folder, input, &name(input), ".png")).collect()
}

/// A model that is ready to be rendered.
struct Prepared {
    scene: Scene,
    textures: Vec<Option<Arc<Texture>>>,
    /// All frames of the file.
    file_clip: Option<Clip>,
    losses: Vec<Loss>,
}

/// The rendering of one input.
struct Done {
    output: PathBuf,
    width: u32,
    height: u32,
    pictures: usize,
    losses: Vec<Loss>,
}

/// One image of several: a frame of a clip, and the camera.
type Shot = (Option<(usize, f64)>, Camera);

/// The images of a model that are to be rendered.
struct Shoot<'m> {
    scene: std::borrow::Cow<'m, Scene>,
    shots: Vec<Shot>,
    /// The duration of each image in milliseconds.
    milliseconds: u16,
    levels: Levels,
    bounds: Option<Bounds>,
}

/// Returns the note on images that show only the background.
fn nothing_visible() -> Loss {
    Loss::note("nothing-visible", "", "no pixel of the image shows the model")
}

fn unencoded(e: EncodeError) -> Refusal {
    Refusal::Argument(format!("--size: {e}"))
}

struct RenderRun<'a> {
    args: &'a RenderArgs,
    reader: Reader,
    outputs: Outputs,
}

impl RenderRun<'_> {
    fn budget(&self) -> Budget {
        Budget::new(self.reader.limits())
    }

    /// Renders one file.
    fn one(&self, input: &Input, place: &Place) -> Result<Done, Refusal> {
        let opened = self.reader.open(input)?;
        self.reader.note(opened.sources());
        self.reader.say_used(input, &opened);
        self.render_to(opened, place)
    }

    /// Renders one character of several files. An error has the index of its input.
    fn figure(&self, inputs: &[Input]) -> Result<Done, (usize, Refusal)> {
        let Figure { model, lead } = Figure::open(&self.reader, inputs)?;
        self.render_to(model, &Place::named(&self.args.output)).map_err(|refusal| (lead, refusal))
    }

    fn render_to(&self, opened: Model, place: &Place) -> Result<Done, Refusal> {
        let model = self.model(opened)?;
        let size = self.args.size.unwrap_or((SIZE, SIZE));
        let shoot = self.shoot(&model)?;
        let (count, mut is_blank) = (shoot.shots.len(), true);
        let bytes = match self.args.strip {
            Some(_) => {
                let kept = self.budget();
                let mut pictures = Vec::new();
                self.each_picture(&model, &shoot, size, |picture| {
                    is_blank &= self.is_blank(&picture);
                    self.charge(&kept, size)?;
                    pictures.push(picture);
                    Ok(())
                })?;
                let row: Vec<_> = pictures.iter().map(|p| (p, "")).collect();
                let columns = u32::try_from(row.len()).unwrap_or(u32::MAX);
                contact_sheet(&row, columns, self.background(), &self.budget())?
                    .to_png()
                    .map_err(unencoded)?
            }
            None => {
                let (kept, alpha) = (self.budget(), self.background()[3] < u8::MAX);
                let frames = u32::try_from(count).unwrap_or(u32::MAX);
                let delay = (shoot.milliseconds, 1000);
                let mut file = AnimationEncoder::new(size, frames, delay, alpha).map_err(unencoded)?;
                self.each_picture(&model, &shoot, size, |picture| {
                    is_blank &= self.is_blank(&picture);
                    let before = file.bytes();
                    file.add(&picture).map_err(unencoded)?;
                    kept.charge_items("pictures", file.bytes() - before, 1).map_err(ConvertError::from)?;
                    Ok(())
                })?;
                file.finish().map_err(unencoded)?
            }
        };
        self.deliver(place, &bytes)?;
        let mut losses = model.losses;
        losses.extend(is_blank.then(nothing_visible));
        let (width, height) = size;
        Ok(Done { output: place.path().to_owned(), width, height, pictures: count, losses })
    }

    /// Returns whether an image shows only the background.
    fn is_blank(&self, picture: &Rendering) -> bool {
        let background = self.background();
        picture.pixels().iter().all(|pixel| *pixel == background)
    }

    /// Charges an image that is kept.
    fn charge(&self, kept: &Budget, (width, height): (u32, u32)) -> Result<(), Refusal> {
        let pixels = u64::from(width) * u64::from(height);
        Ok(kept.charge_items("pictures", pixels, size_of::<[u8; 4]>()).map_err(ConvertError::from)?)
    }

    fn deliver(&self, place: &Place, bytes: &[u8]) -> Result<(), Refusal> {
        if *self.outputs.destination() == Destination::Stdout {
            return output::print(content_of(bytes));
        }
        let files = [output::main(place.clone(), content_of(bytes))];
        self.outputs.write(files.into(), self.reader.plan()).map(drop)
    }

    fn model(&self, mut opened: Model) -> Result<Prepared, Refusal> {
        let options = SceneOptions::default().with_memory(self.reader.limits().memory);
        let mut scene = opened.scene_with(&options)?;
        if !self.args.no_textures {
            opened.add_textures(&mut scene);
            self.reader.note(opened.sources());
        }
        let textures = textures(&scene.value, &self.budget())?;
        // Losses that do not change the image are not reported.
        let shown = |loss: &Loss| {
            ["texture", "companion", "skeleton", "skin-"].iter().any(|about| loss.code.starts_with(about))
        };
        let losses = scene.losses.into_iter().filter(shown).collect();
        Ok(Prepared { scene: scene.value, textures, file_clip: opened.model().file_clip(), losses })
    }

    /// Plans the images of a model.
    fn shoot<'m>(&self, model: &'m Prepared) -> Result<Shoot<'m>, Refusal> {
        let mut scene = std::borrow::Cow::Borrowed(&model.scene);
        let at = match &self.args.frame {
            Some(text) => {
                let wrong = |why| Refusal::Argument(format!("--frame {text}: {why}"));
                let (clip, frame) =
                    ClipFrame::in_clip(text, &scene, model.file_clip.as_ref()).map_err(wrong)?;
                if let Some(all) = model.file_clip.as_ref().filter(|_| clip == scene.clips.len()) {
                    scene.to_mut().clips.push(all.clone());
                }
                Some((clip, f64::from(frame)))
            }
            None => None,
        };
        let (shots, milliseconds) = self.shots(&scene, at)?;
        let levels = self.levels(&scene)?;
        let bounds = self.bounds(&scene, &shots, levels)?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let milliseconds = milliseconds.clamp(1.0, 65_535.0) as u16;
        Ok(Shoot { scene, shots, milliseconds, levels, bounds })
    }

    /// Renders the images of a model, one after another.
    fn each_picture(
        &self,
        model: &Prepared,
        shoot: &Shoot<'_>,
        size: (u32, u32),
        mut take: impl FnMut(Rendering) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let scene = &*shoot.scene;
        let mut last: Option<(Option<(usize, f64)>, ScenePose)> = None;
        for &(at, camera) in &shoot.shots {
            let budget = self.budget();
            let posed = match last.take() {
                Some((known, posed)) if known == at => posed,
                _ => ScenePose::sample(scene, at, &budget)?,
            };
            let mut options = self.options(size, camera);
            // A model without meshes is shown by its bones.
            options.overlays.bones |= scene.meshes.is_empty();
            let options = options.with_frame(shoot.bounds).with_levels(shoot.levels);
            take(raster::render(scene, &posed, &model.textures, &options, &budget)?)?;
            last = Some((at, posed));
        }
        Ok(())
    }

    /// Returns the frame and camera of each image, and for how many thousandths of a second each is shown.
    fn shots(&self, scene: &Scene, at: Option<(usize, f64)>) -> Result<(Vec<Shot>, f64), Refusal> {
        let args = self.args;
        let camera = args.camera;
        let many = |n: usize| {
            let why = || Refusal::Argument(format!("{n} images; at most {MOST_PICTURES} are rendered"));
            (1..=MOST_PICTURES).contains(&n).then_some(n).ok_or_else(why)
        };
        let angle = |i: usize, n: usize| match args.turntable {
            #[expect(clippy::cast_precision_loss, reason = "at most 2000")]
            Some(_) => camera.rotate(360.0 * i as f64 / n as f64),
            None => camera,
        };
        if let Some(name) = &args.clip {
            let number = meshwright::find_clip(name, scene)
                .map_err(|why| Refusal::Argument(format!("--clip {name}: {why}")))?;
            let clip = &scene.clips[number];
            let rate = f64::from(clip.rate).max(0.001);
            let step = (rate / MOST_PER_SECOND).ceil().max(1.0);
            let frames = f64::from(clip.frames.max(1));
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "of 32 bits")]
            let all = (frames / step).ceil() as usize;
            let n = many(args.strip.map_or(all, |n| n as usize))?;
            #[expect(clippy::cast_precision_loss, reason = "at most 2000")]
            let frame = |i: usize| match args.strip {
                Some(_) => (frames * i as f64 / n as f64).floor(),
                None => i as f64 * step,
            };
            let shots = (0..n).map(|i| (Some((number, frame(i))), angle(i, n)));
            return Ok((shots.collect(), 1000.0 * step / rate));
        }
        let n = match args.turntable {
            Some(n) => many(args.strip.unwrap_or(n) as usize)?,
            None => 1,
        };
        #[expect(clippy::cast_precision_loss, reason = "at most 2000")]
        let milliseconds = TURN_MILLISECONDS / n as f64;
        Ok(((0..n).map(|i| (at, angle(i, n))).collect(), milliseconds))
    }

    fn levels(&self, scene: &Scene) -> Result<Levels, Refusal> {
        match self.args.level {
            None => Ok(Levels::Finest),
            Some(0) if scene.levels.is_empty() => Ok(Levels::Finest),
            Some(n) if n < scene.levels.len() => Ok(Levels::Only(n)),
            Some(n) => Err(Refusal::Argument(format!("--level {n}: the model has {}", scene.levels.len()))),
        }
    }

    /// Returns bounds that hold the model in all images, so that its size does not change between them.
    fn bounds(&self, scene: &Scene, shots: &[Shot], levels: Levels) -> Result<Option<Bounds>, Refusal> {
        if shots.len() < 2 {
            return Ok(None);
        }
        let mut all: Option<Bounds> = None;
        let mut last = None;
        for (at, _) in shots {
            if last == Some(at) {
                continue;
            }
            let budget = self.budget();
            let posed = ScenePose::sample(scene, *at, &budget)?;
            let own = visible_bounds(scene, &posed, levels, &budget)?;
            all = all.into_iter().chain(own).reduce(Bounds::union);
            last = Some(at);
        }
        Ok(if self.args.turntable.is_some() { all.map(|b| b.spun()) } else { all })
    }

    fn background(&self) -> [u8; 4] {
        self.args.background.unwrap_or(RenderOptions::BACKGROUND)
    }

    fn options(&self, (width, height): (u32, u32), camera: Camera) -> RenderOptions {
        let mut overlays = Overlays::default();
        self.args.overlay.iter().for_each(|set| set(&mut overlays));
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        RenderOptions::new(width, height)
            .with_camera(camera)
            .with_background(self.background())
            .with_view(self.args.view)
            .with_overlays(overlays)
            .with_threads(threads)
    }

    /// Renders all inputs into one image.
    fn sheet(&self, inputs: &[Input], results: &mut Results) {
        let size = self.args.size.unwrap_or_else(|| cell(inputs.len(), self.reader.limits().memory));
        let kept = self.budget();
        let mut cells: Vec<(Rendering, String)> = Vec::new();
        let mut shown: Vec<(&Input, (u32, u32))> = Vec::new();
        for input in inputs {
            if let Err(refusal) = self.charge(&kept, size) {
                results.refuse(input, &refusal);
                continue;
            }
            let picture = match self.sheet_cell(input, size) {
                Ok((picture, losses)) => {
                    self.say(input, &losses);
                    shown.push((input, size));
                    Ok(picture)
                }
                Err(refusal) => {
                    results.refuse(input, &refusal);
                    self.explain_empty(size, refusal.json()["code"].as_str().unwrap_or("error"))
                }
            };
            let name = input.below.as_deref().map_or_else(|| input.name(), |b| b.display().to_string());
            cells.extend(picture.ok().map(|picture| (picture, name)));
        }
        let Some((first, _)) = shown.first() else { return };
        let named: Vec<_> = cells.iter().map(|(picture, name)| (picture, name.as_str())).collect();
        let columns = u32::try_from(named.len().isqrt()).unwrap_or(u32::MAX);
        let columns = if named.len() > (columns as usize).pow(2) { columns + 1 } else { columns };
        let page = contact_sheet(&named, columns, self.background(), &self.budget()).map_err(Refusal::from);
        let bytes =
            page.and_then(|page| page.to_png().map_err(|e| Refusal::Argument(format!("--size: {e}"))));
        let path = &self.args.output;
        match bytes.and_then(|bytes| self.deliver(&Place::named(path), &bytes)) {
            Ok(()) => {
                self.wrote(path, results);
                for (input, (width, height)) in shown {
                    let output = path.clone();
                    let done = Done { output, width, height, pictures: 1, losses: Vec::new() };
                    self.report(input, &done, results);
                }
            }
            Err(refusal) => results.refuse(first, &refusal),
        }
    }

    /// Renders the image of one input of a sheet. An image without a visible pixel says so.
    fn sheet_cell(&self, input: &Input, size: (u32, u32)) -> Result<(Rendering, Vec<Loss>), Refusal> {
        let opened = self.reader.open(input)?;
        self.reader.note(opened.sources());
        self.reader.say_passed_over(input, &opened);
        let model = self.model(opened)?;
        let mut made = None;
        self.each_picture(&model, &self.shoot(&model)?, size, |picture| {
            made = Some(picture);
            Ok(())
        })?;
        let mut losses = model.losses;
        match made {
            Some(picture) if !self.is_blank(&picture) => Ok((picture, losses)),
            _ => {
                losses.push(nothing_visible());
                Ok((self.explain_empty(size, "nothing-visible")?, losses))
            }
        }
    }

    /// Returns an image of a sheet that shows the code of the reason why it has no model.
    fn explain_empty(&self, (width, height): (u32, u32), code: &str) -> Result<Rendering, Refusal> {
        let mut cell = Rendering::filled(width, height, self.background(), &self.budget())
            .map_err(ConvertError::from)?;
        cell.draw_centred(code);
        Ok(cell)
    }

    fn say(&self, input: &Input, losses: &[Loss]) {
        if self.args.format == OutputFormat::Text {
            losses::say_all(&input.display_path(), losses, Detail::from(&self.args.read), "");
        }
    }

    /// Says or counts the image that was written, unless it went to standard output.
    fn wrote(&self, image: &Path, results: &mut Results) {
        if self.args.format == OutputFormat::Text && *self.outputs.destination() != Destination::Stdout {
            results.wrote_files(&[image.to_owned()], &self.args.read);
        }
    }

    fn report(&self, input: &Input, done: &Done, results: &mut Results) {
        self.say(input, &done.losses);
        results.add(Status::Fine, || {
            json!({
                "file": input.exact(),
                "output": render::exact(&done.output),
                "width": done.width,
                "height": done.height,
                "pictures": done.pictures,
                "losses": done.losses.iter().map(losses::document).collect::<Vec<_>>(),
            })
        });
    }
}

/// Returns the size of one of `count` images on a sheet, so that the images and the sheet fit into memory.
fn cell(count: usize, memory: u64) -> (u32, u32) {
    let each = memory / 3 / size_of::<[u8; 4]>() as u64 / (count as u64).max(1);
    let side = u32::try_from(each.isqrt()).unwrap_or(u32::MAX).clamp(SMALLEST_CELL, SHEET_SIZE);
    (side, side)
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn a_sheet_of_many_has_small_pictures() {
        let memory = 256 << 20;
        assert_eq!(cell(1, memory), (160, 160));
        assert_eq!(cell(500, memory), (160, 160));
        let (side, _) = cell(10_000, memory);
        assert!((40..50).contains(&side), "{side}");
        assert!(10_000 * u64::from(side).pow(2) * 4 < memory);
        assert_eq!(cell(usize::MAX, memory).0, 24);
    }
}
