//! Finds the parts of a character among the files of a game.

mod game_files;
mod index;
mod outfits;
mod skeletons;
mod skin_textures;
mod state;

pub use game_files::GameFiles;
pub use index::{GameFolder, GameIndex};
pub use outfits::{OutfitPart, OutfitRecord};
pub use skeletons::FoundSkeleton;
pub use state::{CharacterSearch, CharacterStyle, DuplicateFile};
