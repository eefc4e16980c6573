//! Recipes for public captures: where each is, under which licence, and what its file must be.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::network::applications::QUEUE;

const RECIPES: &str = include_str!("../../captures/000.toml");

/// Packets of a capture that are taken, as many as the paper has.
const PACKETS: &str = "50000";

/// Where a capture is, and what it must be.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Recipe {
    /// Its name in tables.
    pub name: String,
    /// The file in the folder.
    pub file: String,
    /// What kind of network it is of.
    pub kind: String,
    /// What was captured.
    pub what: String,
    /// Where it is.
    pub address: String,
    /// Under which licence.
    pub licence: String,
    /// What was done with it before the checksum was taken.
    pub prepared: String,
    /// SHA-256 of the file, in hexadecimal digits; none of one that was never run.
    pub sha256: Option<String>,
    /// The workloads that it is an input of.
    pub applications: Vec<String>,
    /// Bytes of a frame before its IP packet, where they are not those of Ethernet.
    #[serde(default)]
    link_bytes: Option<String>,
    /// Whether it was ever run.
    pub verified: bool,
}

#[derive(Deserialize)]
struct Recipes {
    capture: Vec<Recipe>,
}

/// Every recipe, in the order of the file.
pub(crate) fn recipes() -> Vec<Recipe> {
    let read: Recipes = toml::from_str(RECIPES).expect("a test reads it");
    read.capture
}

impl Recipe {
    /// The settings of an application.
    pub fn settings(&self, application: &str) -> Vec<(&str, &str)> {
        let packets = (application != "url").then_some(("packets", PACKETS));
        let queue = QUEUE.iter().copied().filter(|_| application == "drr");
        let link = self.link_bytes.as_deref().filter(|_| application == "netbench-url");
        packets.into_iter().chain(queue).chain(link.map(|bytes| ("link-bytes", bytes))).collect()
    }

    /// The file of a folder, if it is there and is the recipe's.
    pub fn found(&self, dir: &Path) -> Result<PathBuf, &'static str> {
        let path = dir.join(&self.file);
        let Some(wanted) = &self.sha256 else { return Err("unverified: never run") };
        let Ok(bytes) = std::fs::read(&path) else { return Err("not in the folder") };
        let sum: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        if sum == *wanted { Ok(path) } else { Err("another file than the recipe's: its checksum differs") }
    }
}

#[cfg(test)]
mod tests {
    use heapsmith_output::Output;

    use super::*;

    #[test]
    fn a_recipe_that_was_run_has_a_checksum_and_one_that_was_not_has_none() {
        let recipes = recipes();
        assert!(recipes.iter().any(|recipe| recipe.verified) && recipes.iter().any(|recipe| !recipe.verified));
        for recipe in &recipes {
            assert_eq!(recipe.verified, recipe.sha256.is_some(), "{}", recipe.name);
            assert!(recipe.address.starts_with("https://") && !recipe.licence.is_empty(), "{}", recipe.name);
        }
    }

    #[test]
    fn a_file_that_is_another_is_not_taken() {
        let dir = tempfile::tempdir().expect("a folder");
        let recipe = Recipe { file: "a".into(), ..recipes().remove(0) };
        assert_eq!(recipe.found(dir.path()), Err("not in the folder"));
        let write = |text| Output::create(dir.path().join("a")).and_then(|output| output.put(text));
        write("another").expect("a file");
        assert!(recipe.found(dir.path()).expect_err("another file").starts_with("another"));
        let sum = "cd42404d52ad55ccfa9aca4adc828aa5800ad9d385a0671fbcbf724118320619";
        let own = Recipe { sha256: Some(sum.to_owned()), ..recipe };
        write("value").expect("a file");
        assert_eq!(own.found(dir.path()), Ok(dir.path().join("a")));
    }
}
