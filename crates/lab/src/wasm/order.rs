//! The order of a module's functions in which it compresses best: similar functions next to each other.

use std::collections::HashMap;

/// The length of a run of bytes that functions are compared by.
const RUN: usize = 5;
/// A run in more functions than this does not make them similar.
const MOST_SHARED: usize = 400;
/// The number of preceding functions that the next one is compared with.
const COMPARED: usize = 8;

/// The numbers of the sections of a module.
const CUSTOM: u8 = 0;
const IMPORTS: u8 = 2;
const CODE: u8 = 10;

/// Names the functions of a module by their place in the order that compresses best, in place of the names they have.
/// The first functions keep their places. An optimizer that sorts functions by name then puts them in this order.
pub(super) fn name_by_order(module: &[u8], kept_first: usize) -> Result<Vec<u8>, String> {
    let broken = || "the module is not WebAssembly as a linker writes it".to_owned();
    let (mut imported, mut bodies) = (0, Vec::new());
    let (mut named, sections) = module.split_at_checked(8).ok_or_else(broken)?;
    let mut kept = named.to_vec();
    named = sections;
    while let Some((&number, mut rest)) = named.split_first() {
        let mut section = sized(&mut rest).ok_or_else(broken)?;
        match number {
            IMPORTS => imported = count_imports(section).ok_or_else(broken)?,
            CODE => {
                let count = number_of(&mut section).ok_or_else(broken)?;
                bodies = (0..count).map(|_| sized(&mut section)).collect::<Option<_>>().ok_or_else(broken)?;
            }
            _ => {}
        }
        let whole = named.len() - rest.len();
        let mut content = section;
        // The section with the features of the module stays: the optimizer reads which instructions it may have.
        if number != CUSTOM || sized(&mut content) != Some(b"name") {
            kept.extend_from_slice(&named[..whole]);
        }
        named = rest;
    }
    let mut names = Vec::new();
    write_number(&mut names, bodies.len());
    let mut places = vec![0; bodies.len()];
    for (place, function) in best_order(&bodies, kept_first).into_iter().enumerate() {
        places[function] = place;
    }
    for (function, place) in places.iter().enumerate() {
        write_number(&mut names, imported + function);
        write_sized(&mut names, format!("f{place:07}").as_bytes());
    }
    let mut section = b"\x04name\x01".to_vec();
    write_sized(&mut section, &names);
    kept.push(CUSTOM);
    write_sized(&mut kept, &section);
    Ok(kept)
}

/// Returns an order of functions in which each shares as many runs of bytes as possible, for its length, with those
/// before it. The first functions keep their places.
fn best_order(bodies: &[&[u8]], kept: usize) -> Vec<usize> {
    let (runs, holders) = shared_runs(bodies);
    let mut order: Vec<usize> = (0..bodies.len().min(kept)).collect();
    let mut is_placed: Vec<bool> = (0..bodies.len()).map(|f| f < kept).collect();
    while order.len() < bodies.len() {
        let mut seen: Vec<u32> = order.iter().rev().take(COMPARED).flat_map(|f| &runs[*f]).copied().collect();
        seen.sort_unstable();
        seen.dedup();
        let mut shared = vec![0_u32; bodies.len()];
        for holder in seen.iter().flat_map(|run| &holders[*run as usize]) {
            shared[*holder as usize] += 1;
        }
        // The addend keeps tiny functions from being placed first.
        let likeness = |f: usize| f64::from(shared[f]) / (bodies[f].len() + 20) as f64;
        let free = (0..bodies.len()).filter(|f| !is_placed[*f]);
        // The first one of the best: `max_by` would return the last.
        let Some(next) = free.rev().max_by(|a, b| likeness(*a).total_cmp(&likeness(*b))) else { break };
        is_placed[next] = true;
        order.push(next);
    }
    order
}

/// Returns the runs that each function shares with others, and the functions that hold each run.
fn shared_runs(bodies: &[&[u8]]) -> (Vec<Vec<u32>>, Vec<Vec<u32>>) {
    let mut holders: HashMap<&[u8], Vec<u32>> = HashMap::new();
    for (function, body) in (0_u32..).zip(bodies) {
        for run in body.windows(RUN) {
            let holders = holders.entry(run).or_default();
            if holders.last() != Some(&function) {
                holders.push(function);
            }
        }
    }
    let mut holders: Vec<_> =
        holders.into_values().filter(|held| (2..=MOST_SHARED).contains(&held.len())).collect();
    holders.sort_unstable();
    let mut runs = vec![Vec::new(); bodies.len()];
    for (run, held) in (0_u32..).zip(&holders) {
        held.iter().for_each(|function| runs[*function as usize].push(run));
    }
    (runs, holders)
}

/// Counts the functions in a section of imports, which holds nothing else in a module for the page.
fn count_imports(mut section: &[u8]) -> Option<usize> {
    let count = number_of(&mut section)?;
    for _ in 0..count {
        sized(&mut section)?;
        sized(&mut section)?;
        let (_, rest) = section.split_first().filter(|(kind, _)| **kind == 0)?;
        section = rest;
        number_of(&mut section)?;
    }
    Some(count)
}

/// Reads a number of seven bits in each byte.
fn number_of(bytes: &mut &[u8]) -> Option<usize> {
    let mut number = 0;
    for shift in (0..usize::BITS).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Reads bytes after their number.
fn sized<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let size = number_of(bytes)?;
    let (first, rest) = bytes.split_at_checked(size)?;
    *bytes = rest;
    Some(first)
}

#[allow(clippy::cast_possible_truncation, reason = "seven bits")]
fn write_number(out: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn write_sized(out: &mut Vec<u8>, bytes: &[u8]) {
    write_number(out, bytes.len());
    out.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEATURES: &[u8] = b"\x0ftarget_features\0";

    /// Returns a module with an imported function, functions of some bodies, and the section of features.
    fn module(bodies: &[&[u8]]) -> Vec<u8> {
        let mut code = Vec::new();
        write_number(&mut code, bodies.len());
        bodies.iter().for_each(|body| write_sized(&mut code, body));
        let mut module = b"\0asm\x01\0\0\0".to_vec();
        let name = b"\x04name\x01\x01\0".to_vec();
        let imports = b"\x01\x01a\x01b\0\0".to_vec();
        for (number, content) in
            [(IMPORTS, imports), (CODE, code), (CUSTOM, FEATURES.to_vec()), (CUSTOM, name)]
        {
            module.push(number);
            write_sized(&mut module, &content);
        }
        module
    }

    #[test]
    fn similar_functions_follow_each_other() {
        let bodies: [&[u8]; 4] =
            [b"first function", b"others in a row", b"first functions", b"others in a line"];
        assert_eq!(best_order(&bodies, 1), [0, 2, 1, 3]);
    }

    #[test]
    fn functions_are_named_by_their_place_after_the_imported_ones() {
        let bodies: [&[u8]; 3] = [b"first function", b"others in a row", b"first functions"];
        let named = name_by_order(&module(&bodies), 1).unwrap();
        let mut wanted = b"\x04name\x01\x1f\x03".to_vec();
        for (function, name) in [(1, "f0000000"), (2, "f0000002"), (3, "f0000001")] {
            write_number(&mut wanted, function);
            write_sized(&mut wanted, name.as_bytes());
        }
        assert!(named.ends_with(&wanted) && named.starts_with(b"\0asm"));
        assert!(named.windows(FEATURES.len()).any(|part| part == FEATURES));
        assert_eq!(named.len(), module(&bodies).len() - 10 + 2 + wanted.len());
        assert!(name_by_order(&module(&bodies)[..30], 1).is_err());
    }
}
