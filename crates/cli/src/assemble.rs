//! Several TSO files that make up one figure.

use crate::Fail;
use crate::args::ConvertArgs;
use crate::input::Input;
use crate::load::{self, Refusal, load, say_forgiven};
use meshwright::{AnyModel, Companions, FigurePart, Format};

/// The file that the figure is named after, its model, and everything that goes with it.
pub(crate) type Figure = (Input, AnyModel, Companions);

/// Puts meshes, a skeleton and animations together. The first mesh leads, else the skeleton, else the first
/// animation.
///
/// The outer error is one of the arguments, the inner one of a file.
pub(crate) fn assemble(
    inputs: &[Input],
    args: &ConvertArgs,
    forced: Option<Format>,
) -> Result<Result<Figure, (String, Refusal)>, Fail> {
    let (mut meshes, mut skeletons, mut animations) = (Vec::new(), Vec::new(), Vec::new());
    for input in inputs {
        let shown = input.shown();
        let loaded = match load(input, &args.read, forced) {
            Ok(loaded) => loaded,
            Err(refusal) => return Ok(Err((shown, refusal))),
        };
        say_forgiven(&shown, &loaded, args.read.quiet);
        match &loaded.model {
            AnyModel::TsoMesh(_) | AnyModel::Bmf(_) | AnyModel::Skn(_) => meshes.push((input, loaded.model)),
            AnyModel::TsoSkeleton(_) => skeletons.push((input, loaded.model)),
            AnyModel::TsoAnimation(_) => animations.push((input, loaded.model)),
            _ => {
                return Err(Fail::Usage(format!(
                    "{} inputs need a folder as output (end it in / or create it); only TSO meshes, skeletons and \
                     animations go into one file together",
                    inputs.len()
                )));
            }
        }
    }
    if skeletons.len() + usize::from(args.companions.skeleton.is_some()) > 1 {
        return Err(Fail::Usage("a figure has one skeleton".into()));
    }
    let mut all = meshes.into_iter().chain(skeletons).chain(animations);
    let Some((input, lead)) = all.next() else { return Err(Fail::Usage("no input".into())) };
    let mut companions = match load::companions(&lead, input, &args.companions, &args.read) {
        Ok(companions) => companions,
        Err(refusal) => return Ok(Err((input.shown(), refusal))),
    };
    for (input, model) in all {
        match model {
            AnyModel::TsoSkeleton(skeleton) => companions.skeleton = Some(*skeleton),
            AnyModel::TsoAnimation(animation) => companions.animations.push(*animation),
            mesh => {
                let name = input.name().unwrap_or_default();
                let stem = name.split('.').next().unwrap_or_default().to_owned();
                companions.parts.push(FigurePart::new(stem, mesh));
            }
        }
    }
    Ok(Ok((input.clone(), lead, companions)))
}
