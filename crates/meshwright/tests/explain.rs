//! Tests that every code of every format has an explanation, and an example file if the test data has one.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use meshwright::files::Tree;
use meshwright::{
    Explanation, Finder, Format, Notice, NoticeKind, Opener, ReadOptions, RuleSet, Severity, codes, explain,
};
use meshwright_testkit::testdata;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

#[test]
fn every_rule_has_all_its_texts() {
    let mut told = 0;
    for set in RuleSet::all() {
        assert!(!set.rules.is_empty() && !set.title.is_empty(), "{}", set.id);
        for rule in set.rules {
            let name = format!("{} {}", set.id, rule.code);
            assert!(!rule.code.is_empty() && rule.code.chars().all(|c| c.is_ascii_graphic()), "{name}");
            for text in [rule.cause, rule.mending, &rule.reaction.to_string()] {
                assert!(text.ends_with('.') && text.len() > 6, "{name}: {text}");
            }
            let of_set = |e: &Explanation| match e {
                Explanation::Rule { rule: known, sets, .. } => {
                    known == rule && sets.iter().any(|s| s.id == set.id)
                }
                _ => false,
            };
            assert!(explain(rule.code).iter().any(of_set), "{name}");
            told += 1;
        }
    }
    assert!(told > 400, "{told}");
    for format in Format::ALL {
        assert!(
            RuleSet::all().iter().any(|set| set.id == format.id() && set.rules == format.rules()),
            "{format}"
        );
    }
    let known = codes();
    assert!(known.is_sorted() && known.iter().all(|code| !explain(code).is_empty()));
}

/// Losses, notes, errors and differences are explained too, each code of a kind once.
#[test]
fn every_notice_has_all_its_texts() {
    let mut seen = BTreeSet::new();
    for notice in Notice::all() {
        assert!(seen.insert((notice.code, notice.kind.to_string())), "{} is there twice", notice.code);
        assert!(
            notice.code.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'),
            "{}",
            notice.code
        );
        let texts = [notice.cause, notice.advice];
        let texts = texts.iter().filter(|text| notice.kind != NoticeKind::Difference || !text.is_empty());
        for text in texts {
            assert!(text.ends_with('.') && text.len() > 6, "{}: {text:?}", notice.code);
        }
        assert!(explain(notice.code).iter().any(|e| e.cause() == notice.cause), "{}", notice.code);
    }
}

/// Each rule that a lenient reader accepts has a repair, or a reason why it has none.
#[test]
fn what_may_be_passed_over_is_mended_or_there_is_a_reason() {
    let mut mended = 0;
    for format in Format::ALL {
        for rule in format.rules().iter().filter(|rule| rule.forgivable) {
            match format.mending(rule) {
                Ok(done) => {
                    assert!(!done.is_empty());
                    mended += 1;
                }
                Err(why) => assert!(why.len() > 8, "{format} {}", rule.code),
            }
        }
        for (code, _) in format.mended() {
            assert!(format.rules().iter().any(|rule| rule.code == *code), "{format} {code}");
        }
    }
    assert!(mended > 20, "{mended}");
}

/// Returns the first file of the test data that shows each code of each format.
fn example_files() -> BTreeMap<(String, String), String> {
    let finder = Finder::new(Tree::open(testdata()).unwrap());
    let mut shown = BTreeMap::new();
    for file in finder.tree().walk().files {
        let path = file.unwrap();
        for options in [Opener::new(), ReadOptions::lenient().into()] {
            let options: Opener = options;
            let options = options.in_folder(true);
            let (format, report) = match options.open_in(&finder, &path) {
                Ok(asset) => (asset.format(), asset.check()),
                Err(e) => match e.format() {
                    Some(format) => (format, finder.faults(&path, &options, &e)),
                    None => continue,
                },
            };
            let stranger = |code: &str| !format.rules().iter().any(|rule| rule.code == code);
            for finding in report.findings().iter().filter(|f| !stranger(f.rule.code)) {
                let key = (format.id().to_owned(), finding.rule.code.to_owned());
                shown.entry(key).or_insert_with(|| path.to_string());
            }
        }
    }
    shown
}

/// With `MESHWRIGHT_WRITE=1` in the environment, the test writes the list.
#[test]
fn every_example_shows_its_code() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/explain/examples.rs");
    let kept = fs::read_to_string(&source).unwrap();
    let (head, _) = kept.split_once("EXAMPLES: &[(&str, &str, &str)] = &[\n").unwrap();
    let mut made = format!("{head}EXAMPLES: &[(&str, &str, &str)] = &[\n");
    let shown = example_files();
    for ((format, code), path) in &shown {
        made += &format!("    ({format:?}, {code:?}, {path:?}),\n");
    }
    made += "];\n";
    if std::env::var_os("MESHWRIGHT_WRITE").is_some() {
        fs::write(&source, made).unwrap();
        return;
    }
    assert!(
        kept == made,
        "src/explain/examples.rs differs from the test data: MESHWRIGHT_WRITE=1 updates it"
    );
    for ((_, code), path) in &shown {
        assert!(has_example(code), "{code} {path}");
    }
    let errors = RuleSet::all();
    let errors = errors.iter().flat_map(|set| set.rules).filter(|rule| rule.severity == Severity::Error);
    assert!(errors.filter(|rule| has_example(rule.code)).count() > 100);
}

fn has_example(code: &str) -> bool {
    explain(code).iter().any(|e| matches!(e, Explanation::Rule { example: Some(_), .. }))
}
