//! Writes files: checked file names, one table of all inputs and outputs of a run, and outputs that appear complete
//! or not at all.
//!
//! ```
//! # #[cfg(feature = "output")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use meshwright_files::output::{NameSource, Output, OutputName, OutputRole, Place, Plan, Writer};
//!
//! let folder = std::env::temp_dir().join(format!("meshwright-doc-{}", std::process::id()));
//! let main = Place::below(&folder, [&OutputName::new("a.dpm", &["dpm"])?]);
//! // A name out of a document is checked, and replaces nothing.
//! let skin = main.beside(&OutputName::new("skin.png", &["png"])?, NameSource::Content);
//! assert!(OutputName::new(".bash_profile", &["png"]).is_err());
//! let file = |place, role, bytes: &'static [u8]| Output {
//!     place,
//!     role,
//!     content: Box::new(move |out: &mut dyn std::io::Write| out.write_all(bytes)) as _,
//! };
//! let plan = Plan::default();
//! let mut staged = Writer::default()
//!     .stage([file(skin, OutputRole::Companion, b"picture"), file(main, OutputRole::Main, b"model")])
//!     .map_err(|(_, e)| e)?;
//! plan.enter(&mut staged, None)?;
//! staged.appear().map_err(|(_, e)| e)?;
//! assert_eq!(std::fs::read(folder.join("skin.png"))?, b"picture");
//! # std::fs::remove_dir_all(folder)?;
//! # Ok(()) }
//! # #[cfg(not(feature = "output"))]
//! # fn main() {}
//! ```

#[cfg(feature = "output")]
mod file_id;
#[cfg(feature = "output")]
mod measured;
mod name;
#[cfg(feature = "output")]
mod output_path;
#[cfg(feature = "output")]
mod plan;
#[cfg(feature = "output")]
mod temporary;
#[cfg(feature = "output")]
mod writer;

#[cfg(feature = "output")]
pub use file_id::FileId;
pub use name::{BadName, OutputName};
#[cfg(feature = "output")]
pub use output_path::{NameSource, Place};
#[cfg(feature = "output")]
pub(crate) use plan::without_links;
#[cfg(feature = "output")]
pub use plan::{Clash, Left, Plan, Replace};
#[cfg(feature = "output")]
pub use temporary::{Abandoned, abandon, is_temporary};
#[cfg(feature = "output")]
pub use writer::{Content, Failed, Output, OutputRole, Staged, Writer};
