//! Every integration test of the crate, as one program: a file of tests is a module here.

mod colors;
mod corpus;
mod document;
mod export;
mod finite;
mod hostile;
mod import;
mod interpolation;
mod motion;
mod playback;
mod reread;
mod round;
mod tools;
mod validator;
mod weights;
