//! Selects the shader for a name, and its material stage.

use super::{ColourSource, Shader, ShaderScript};
use alloc::vec::Vec;
use meshwright_core::SortedMap;

impl Shader {
    /// Returns the stage whose texture is the base colour of the material. The engine has one material layer; other
    /// stages are effects. `None` for a shader without stages.
    pub fn material_stage(&self) -> Option<usize> {
        let stages = &self.stages;
        if let [first, second, ..] = stages.as_slice()
            && second.alpha_of_vertex
            && first.is_opaque()
            && !first.alpha_test
            && (second.is_blended() || (second.is_opaque() && second.alpha_test))
        {
            // Terrain: the second stage is blended over the first one.
            return Some(1);
        }
        let last = |colour: ColourSource| stages.iter().rposition(|stage| stage.colour == colour);
        let lightmap = stages.iter().rposition(super::Stage::is_lightmap);
        let chosen = match lightmap {
            Some(at) => at.checked_sub(1).or(Some(1)),
            None => last(ColourSource::Vertex).or_else(|| last(ColourSource::LightingDiffuse)),
        };
        chosen.filter(|at| *at < stages.len()).or_else(|| (!stages.is_empty()).then_some(0))
    }
}

/// The shaders of all scripts of a game, by name.
#[derive(Clone, Debug, Default)]
pub struct Shaders {
    shaders: Vec<(Shader, usize)>,
    /// The shaders by name in lower case.
    by_name: SortedMap<Vec<u8>, usize>,
    scripts: usize,
}

impl Shaders {
    /// Creates an empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a script. If a shader has the name of an earlier one, it is ignored, unless the earlier one is
    /// disabled.
    pub fn add(&mut self, script: ShaderScript) {
        for shader in script.shaders {
            let name = shader.name.to_ascii_lowercase();
            match self.by_name.get(&name).and_then(|at| self.shaders.get_mut(*at)) {
                Some(known) if known.0.killed => *known = (shader, self.scripts),
                Some(_) => {}
                None => {
                    self.by_name.insert(name, self.shaders.len());
                    self.shaders.push((shader, self.scripts));
                }
            }
        }
        self.scripts = self.scripts.saturating_add(1);
    }

    /// Returns the shader with this name, ignoring case, and the number of its script.
    pub fn get(&self, name: &[u8]) -> Option<(&Shader, usize)> {
        let at = self.by_name.get(&name.to_ascii_lowercase())?;
        self.shaders.get(*at).map(|(shader, script)| (shader, *script))
    }

    /// Returns the number of shaders.
    pub fn len(&self) -> usize {
        self.shaders.len()
    }

    /// Returns true if the number of shaders is 0.
    pub fn is_empty(&self) -> bool {
        self.shaders.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BlendFactor;
    use alloc::format;
    use alloc::string::String;
    use meshwright_core::{Budget, Limits};
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    fn parse(text: &str) -> ShaderScript {
        ShaderScript::parse(text.as_bytes(), &Budget::new(Limits::default())).unwrap()
    }

    fn codes(script: &ShaderScript) -> Vec<&'static str> {
        script.report.totals().map(|t| t.0).collect()
    }

    fn one(body: &str) -> Shader {
        let mut script = parse(&format!("a\n{{\n{body}\n}}\n"));
        assert_eq!(script.shaders.len(), 1, "{body}");
        script.shaders.remove(0)
    }

    #[test]
    fn stages_say_what_they_show() {
        let shader = one(
            "CULL none\ndeformVertexes wave\n{\nAnimMap 4 x y z\nblendFunc gl_one GL_SRC_COLOR\nalphaFunc GE128\n\
             tcMod scroll 1 1\n}\n{\nclampmap q\nblendfunc Add\nrgbgen const\n}",
        );
        assert!(shader.two_sided && shader.deforms && !shader.sky && !shader.killed);
        let [first, second] = shader.stages.as_slice() else { panic!("{shader:?}") };
        assert_eq!((first.maps.len(), first.map(), first.fps.unwrap().get()), (3, &b"x"[..], 4.0));
        assert!(first.alpha_test && first.moves && !first.clamp);
        assert_eq!(first.blend.map(BlendFactor::name), ["one", "src_color"]);
        assert!(second.clamp && second.fps.is_none() && !second.moves);
        assert_eq!((second.blend, second.colour), ([BlendFactor::One; 2], ColourSource::Other));
    }

    #[test]
    fn the_material_stage_is_the_engines() {
        let light = "{\nmap $Lightmap\n}";
        let plain = "{\nmap a\n}";
        let vertex = "{\nmap v\nrgbgen vertex\n}";
        let diffuse = "{\nmap d\nrgbgen lightingDiffuse\n}";
        let terrain = "{\nmap t\nalphagen vertex\nblendfunc blend\n}";
        for (stages, chosen) in [
            (&[][..], None),
            (&[plain], Some(0)),
            (&[plain, plain], Some(0)),
            (&[light, plain], Some(1)),
            (&[light], Some(0)),
            (&[plain, light], Some(0)),
            (&[plain, vertex, light, diffuse], Some(1)),
            (&[plain, vertex, diffuse], Some(1)),
            (&[plain, diffuse, plain], Some(1)),
            (&[diffuse, vertex, vertex], Some(2)),
            (&[plain, terrain, light], Some(1)),
            (&[terrain, plain], Some(0)),
        ] {
            assert_eq!(one(&stages.join("\n")).material_stage(), chosen, "{stages:?}");
        }
    }

    #[test]
    fn conditions_kill() {
        for (line, killed) in [
            ("dp_shaderkillifcvarzero x", true),
            ("dpshaderkillifcvar x", false),
            ("dpshaderkillifcvar x == 0", true),
            ("dpshaderkillifcvar x >= 1", false),
            ("dpshaderkillifcvar x < 1", true),
            ("dpshaderkillifcvarzero x\ndpnoshaderkillifcvarzero x", false),
        ] {
            let shader = one(&format!("{line}\n{{\nmap a\n}}"));
            assert_eq!((shader.killed, shader.stages.is_empty()), (killed, killed), "{line}");
        }
    }

    #[test]
    fn the_first_that_is_not_killed_counts() {
        let mut shaders = Shaders::new();
        shaders.add(parse("a {\n{\nmap 1\n}\n}\nb\n{\ndpshaderkillifcvarzero x\n}\n"));
        shaders.add(parse("A {\n{\nmap 2\n}\n}\nB {\n{\nmap 3\n}\n}\nb {\n}\n"));
        let map = |name: &[u8]| shaders.get(name).map(|(s, from)| (s.stages[0].map().to_vec(), from));
        assert_eq!((map(b"A"), map(b"b")), (Some((b"1".to_vec(), 0)), Some((b"3".to_vec(), 1))));
        assert_eq!((shaders.len(), shaders.get(b"c")), (2, None));
    }

    #[test]
    fn odd_texts_are_read_as_far_as_they_go() {
        let script = parse("a {\n{ map x\nblendfunc add }\n{\nmap y\n}\n}\nb {\n}\nc d\ne {\n}");
        let names: Vec<_> =
            script.shaders.iter().map(|s| String::from_utf8_lossy(&s.name).into_owned()).collect();
        assert_eq!(
            (names, codes(&script)),
            (["a", "b"].map(String::from).into(), ["brace-on-line", "no-brace"].into())
        );
        assert_eq!(script.shaders[0].stages.len(), 2);
        assert_eq!(codes(&parse("a {\n{\nmap x")), ["unclosed-shader"]);
        let many = parse(&format!("{} {{\n{}\n}}", "n".repeat(70), "{\nmap a\n}\n".repeat(9)));
        assert_eq!((many.shaders[0].stages.len(), many.shaders[0].name.len()), (8, 63));
        assert_eq!(codes(&many), ["name-cut", "too-many-stages"]);
        let small = Budget::new(Limits::default().with_memory(64));
        assert!(ShaderScript::parse(b"a {\n}", &small).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_a_script(text in "(a|map|animmap|blendfunc|[{}\n \"*/]){0,40}") {
            let mut shaders = Shaders::new();
            let script = parse(&text);
            for shader in &script.shaders {
                prop_assert!(shader.material_stage().is_none_or(|at| at < shader.stages.len()));
            }
            shaders.add(script);
        }
    }
}
