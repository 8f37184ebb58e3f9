//! The script `iqm.cfg` in the folder of a model, which lists the model's files in Cube 2 and related games.

use crate::tokens::Tokens;
use alloc::borrow::Cow;
use alloc::vec::Vec;

/// A line of an `iqm.cfg` that refers to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CubeFile<'a> {
    /// `iqmload`, a model. The lines after it belong to this model.
    Model(Cow<'a, [u8]>),
    /// `iqmanim`, a file with clips for the model.
    Clips(Cow<'a, [u8]>),
    /// `exec`, another script.
    Script(Cow<'a, [u8]>),
}

impl<'a> CubeFile<'a> {
    /// Reads the lines of a script that refer to files. Other lines are ignored.
    pub fn parse(script: &'a [u8]) -> Vec<Self> {
        let (mut tokens, mut files) = (Tokens::new(script), Vec::new());
        while let Some(first) = tokens.next() {
            let mut words = Vec::new();
            if !first.is_newline() {
                while let Some(word) = tokens.next().filter(|word| !word.is_newline()) {
                    words.push(word.text);
                }
            }
            let mut words = words.into_iter();
            let file = match &*first.text {
                b"iqmload" => words.next().map(Self::Model),
                // The name of the clip in the game comes first, then the file.
                b"iqmanim" => words.nth(1).map(Self::Clips),
                b"exec" => words.next().map(Self::Script),
                _ => None,
            };
            files.extend(file);
        }
        files
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_by_three_commands() {
        let script = b"iqmload \"Frankie.iqm\" frankie\n\niqmskin \"Body\" a.jpg // .9\n\
            exec \"packages/models/x/anims.cfg\"\r\niqmanim \"attack 1\" \"Kick.iqm\" 30 -1\n\
            //iqmanim \"pain\" \"Revive.iqm\"\niqmanim idle\nloop i 2 [ iqmanim a b ]\n";
        let own = |text: &'static [u8]| Cow::Borrowed(text);
        let wanted = [
            CubeFile::Model(own(b"Frankie.iqm")),
            CubeFile::Script(own(b"packages/models/x/anims.cfg")),
            CubeFile::Clips(own(b"Kick.iqm")),
        ];
        assert_eq!(CubeFile::parse(script), wanted);
        assert!(CubeFile::parse(b"").is_empty());
    }
}
