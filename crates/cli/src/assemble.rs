//! Several TSO files that make up one figure.

use crate::args::ConvertArgs;
use crate::input::Input;
use crate::load::{self, Refusal, load, say_forgiven};
use meshwright::{AnyModel, Companions, FigurePart, Format};

/// The file that the figure is named after, its model, and everything that goes with it.
pub(crate) type Figure = (Input, AnyModel, Companions);

/// Puts meshes, a skeleton and animations together. The first mesh leads, else the skeleton, else the first
/// animation. Of anything else there is only one, with files around it that are no models. What is refused comes
/// with the input that it is about.
pub(crate) fn assemble(
    inputs: &[Input],
    args: &ConvertArgs,
    forced: Option<Format>,
) -> Result<Figure, (Input, Refusal)> {
    let (mut meshes, mut skeletons, mut animations) = (Vec::new(), Vec::new(), Vec::new());
    let mut others = Vec::new();
    for input in inputs {
        let loaded = match load(input, &args.read, forced) {
            Ok(loaded) => loaded,
            Err(Refusal::Unknown) if input.below.is_some() => continue,
            Err(refusal) => return Err((input.clone(), refusal)),
        };
        say_forgiven(&input.shown(), &loaded, args.read.quiet);
        let kind = match &loaded.model {
            AnyModel::TsoMesh(_) | AnyModel::Bmf(_) | AnyModel::Skn(_) => &mut meshes,
            AnyModel::TsoSkeleton(_) => &mut skeletons,
            AnyModel::TsoAnimation(_) => &mut animations,
            _ => &mut others,
        };
        kind.push((input, loaded.model));
    }
    let parts = meshes.len() + skeletons.len() + animations.len();
    if let Some((other, _)) = others.first().filter(|_| parts + others.len() > 1) {
        let why = "several inputs need a folder as output (end it in / or create it); only meshes, skeletons and \
                   animations of The Sims go into one file together";
        return Err(((*other).clone(), Refusal::Argument(why.into())));
    }
    if skeletons.len() + usize::from(args.companions.skeleton.is_some()) > 1 {
        let second = skeletons.last().map_or(&inputs[0], |s| s.0);
        return Err((second.clone(), Refusal::Argument("a figure has one skeleton".into())));
    }
    let mut all = meshes.into_iter().chain(skeletons).chain(animations).chain(others);
    let Some((lead, lead_model)) = all.next() else {
        return Err((inputs[0].clone(), Refusal::Unknown));
    };
    let mut companions = load::companions(&lead_model, lead, &args.companions, &args.read)
        .map_err(|refusal| (lead.clone(), refusal))?;
    for (input, model) in all {
        match model {
            AnyModel::TsoSkeleton(skeleton) => companions.skeleton = Some(*skeleton),
            AnyModel::TsoAnimation(animation) => companions.animations.push(*animation),
            mesh => {
                let name = input.name().unwrap_or_default();
                let stem = name.split('.').next().unwrap_or_default();
                let texture = load::texture_beside(input, &args.read);
                companions.parts.push(FigurePart::new(stem, mesh).with_texture(texture));
            }
        }
    }
    Ok((lead.clone(), lead_model, companions))
}
