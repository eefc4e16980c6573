//! Links of the pages that people read lead somewhere: to a file of the repository, and to a heading of it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_owned()
}

/// The pages of the repository.
fn pages() -> Vec<PathBuf> {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard", "*.md"])
        .current_dir(root())
        .output()
        .expect("git lists files");
    let listed = String::from_utf8(listed.stdout).expect("names are text");
    listed.lines().map(PathBuf::from).filter(|page| root().join(page).exists()).collect()
}

/// The text outside of blocks of code.
fn prose(page: &str) -> Vec<&str> {
    let mut in_code = false;
    let mut prose = Vec::new();
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            prose.push(line);
        }
    }
    prose
}

/// Where the links of a line lead.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| rest.split(')').next())
}

/// The anchor of a heading, as forges and mdBook make it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

fn anchors(page: &str) -> BTreeSet<String> {
    prose(page)
        .iter()
        .filter_map(|line| line.strip_prefix('#'))
        .map(|line| anchor(line.trim_start_matches('#')))
        .collect()
}

/// Why a link leads nowhere; none if it does not.
fn broken(page: &Path, link: &str) -> Option<String> {
    if link.is_empty() || link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (file, heading) = link.split_once('#').unwrap_or((link, ""));
    let target = match file {
        "" => root().join(page),
        _ => root().join(page).parent().expect("a folder").join(file),
    };
    if !target.exists() {
        return Some(format!("{}: there is no {link}", page.display()));
    }
    let is_named =
        heading.is_empty() || anchors(&std::fs::read_to_string(&target).unwrap_or_default()).contains(heading);
    (!is_named).then(|| format!("{}: {file} has no heading {heading}", page.display()))
}

#[test]
fn every_link_leads_somewhere() {
    let pages = pages();
    assert!(pages.len() > 20, "the pages were found");
    let mut wrong = Vec::new();
    for page in pages {
        let text = std::fs::read_to_string(root().join(&page)).expect("a page");
        wrong.extend(prose(&text).into_iter().flat_map(links).filter_map(|link| broken(&page, link)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_page_of_the_book_is_in_its_contents() {
    let contents = std::fs::read_to_string(root().join("docs/SUMMARY.md")).expect("the contents");
    let listed: BTreeSet<&str> = contents.lines().flat_map(links).collect();
    let outside = ["docs/SUMMARY.md"];
    let absent: Vec<String> = pages()
        .iter()
        .filter_map(|page| page.to_str().filter(|name| !outside.contains(name))?.strip_prefix("docs/"))
        .filter(|page| !listed.contains(page))
        .map(str::to_owned)
        .collect();
    assert!(absent.is_empty(), "not in docs/SUMMARY.md: {absent:?}");
}

#[test]
fn a_broken_link_is_found() {
    let page = Path::new("README.md");
    assert_eq!(broken(page, "ARCHITECTURE.md#rooms"), None);
    assert!(broken(page, "ARCHITECTURE.md#no-such-heading").is_some());
    assert!(broken(page, "docs/no-such-page.md").is_some());
}
