//! Words that are not used any more: `words.txt` lists them with the field's words for them.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// What may have an old word in it, and is text.
const TEXTS: &[&str] = &["c", "h", "ipynb", "js", "md", "py", "pyi", "rs", "snap", "sv", "toml", "txt"];

/// The list and this test, which have to name the words.
const OWN: &[&str] = &["xtask/tests/words.txt", "xtask/tests/words.rs"];

/// What an old word is looked for in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A part of an identifier.
    Part,
    /// A whole identifier.
    Name,
    /// An option of the command.
    Option,
    /// Words that follow one another.
    Phrase,
}

/// A word that is not used any more.
#[derive(Debug)]
struct Old {
    kind: Kind,
    word: String,
    instead: String,
    /// Where it may be: a file, a folder or an identifier.
    exceptions: Vec<String>,
}

#[test]
fn old_words_are_not_brought_back() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace");
    let list = std::fs::read_to_string(root.join("xtask/tests/words.txt")).expect("the list of words");
    let words = old_words(&list);
    assert!(words.len() > 40, "the list was read");
    let (mut found, mut needed) = (Vec::new(), BTreeSet::new());
    let files = files(root);
    assert!(files.len() > 500, "the files were found");
    for file in files {
        let Ok(text) = std::fs::read_to_string(root.join(&file)) else { continue };
        look_through(&file, &text, &words, &mut found, &mut needed);
    }
    assert!(found.is_empty(), "old words:\n{}", found.join("\n"));
    for (index, old) in words.iter().enumerate() {
        for exception in &old.exceptions {
            assert!(needed.contains(&(index, exception.clone())), "nothing needs the exception {exception} of {old:?}");
        }
    }
}

#[test]
fn every_kind_of_word_is_found_where_it_is_and_nowhere_else() {
    let words = old_words(
        "part least => min\n  except at_least: plain English\nname Home => Arena\noption --live => --max-live\n\
         phrase one who => a program that\n",
    );
    let found = |file: &str, text: &str| {
        let mut found = Vec::new();
        look_through(file, text, &words, &mut found, &mut BTreeSet::new());
        found.len()
    };
    assert_eq!(found("a.rs", "let least_block = 1; struct LeastBlock; fn at_least() {}"), 2);
    assert_eq!(found("a.rs", "// at least a comment\nlet text = \"the least\"; let pleased = 1;"), 0);
    assert_eq!(found("a.rs", "let home = Home::new(); let homely = \"Home\";"), 1);
    assert_eq!(found("a.rs", "let quote = '\"'; let least = '\\'';"), 1);
    assert_eq!(found("a.md", "heapsmith bound --live 20K --live-bytes --max-live 3"), 1);
    assert_eq!(found("a.rs", "/// What one\n/// who knows the end\nfn none_who() {}"), 1);
    assert_eq!(found("a.md", "None who; one whole"), 0);
}

/// The list, read.
fn old_words(list: &str) -> Vec<Old> {
    let mut words: Vec<Old> = Vec::new();
    for line in list.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        if let Some(exception) = line.strip_prefix("  except ") {
            let (place, reason) = exception.split_once(": ").unwrap_or_else(|| panic!("no reason: {line}"));
            assert!(!reason.trim().is_empty(), "no reason: {line}");
            words.last_mut().expect("an exception follows its word").exceptions.push(place.to_owned());
            continue;
        }
        let (kind, rest) = line.split_once(' ').unwrap_or_else(|| panic!("no word: {line}"));
        let (word, instead) = rest.split_once("=>").unwrap_or_else(|| panic!("nothing instead: {line}"));
        let kind = match kind {
            "part" => Kind::Part,
            "name" => Kind::Name,
            "option" => Kind::Option,
            "phrase" => Kind::Phrase,
            _ => panic!("no kind of word: {line}"),
        };
        words.push(Old {
            kind,
            word: word.trim().to_owned(),
            instead: instead.trim().to_owned(),
            exceptions: Vec::new(),
        });
    }
    words
}

/// The files of the repository that are text and ours.
fn files(root: &Path) -> Vec<String> {
    let listing = ["ls-files", "--cached", "--others", "--exclude-standard"];
    let output = Command::new("git").args(listing).current_dir(root).output().expect("git lists the files");
    assert!(output.status.success(), "git lists the files");
    let names = String::from_utf8(output.stdout).expect("names are text");
    let ours = |name: &&str| {
        let end = Path::new(name).extension().and_then(|end| end.to_str()).unwrap_or_default();
        let foreign = name.starts_with("samples/") || name.ends_with(".min.js");
        TEXTS.contains(&end) && !OWN.contains(name) && !foreign
    };
    names.lines().filter(ours).map(str::to_owned).collect()
}

fn look_through(
    file: &str,
    text: &str,
    words: &[Old],
    found: &mut Vec<String>,
    needed: &mut BTreeSet<(usize, String)>,
) {
    let is_code = [".rs", ".c", ".h", ".py", ".pyi", ".sv", ".js"].iter().any(|end| file.ends_with(end));
    let names = if is_code { identifiers(text, file.ends_with(".py") || file.ends_with(".pyi")) } else { Vec::new() };
    let (flat, lines) = flattened(text);
    for (index, old) in words.iter().enumerate() {
        let mut note = |line: usize, what: &str| {
            let excuse =
                |place: &&String| *place == what || file == place.as_str() || file.starts_with(&format!("{place}/"));
            match old.exceptions.iter().find(excuse) {
                Some(place) => drop(needed.insert((index, place.clone()))),
                None => found.push(format!("{file}:{line}: {what}: write {}", old.instead)),
            }
        };
        match old.kind {
            Kind::Name => names.iter().filter(|(_, name)| *name == old.word).for_each(|(line, name)| note(*line, name)),
            Kind::Part => {
                names.iter().filter(|(_, name)| has_part(name, &old.word)).for_each(|(line, name)| note(*line, name))
            }
            Kind::Option => {
                for (line, text) in text.lines().enumerate() {
                    if whole_words(text, &old.word, |next| next == '-' || next.is_alphanumeric()).next().is_some() {
                        note(line + 1, &old.word);
                    }
                }
            }
            Kind::Phrase => whole_words(&flat, &old.word, |next| next.is_alphanumeric() || next == '_')
                .for_each(|at| note(lines[lines.partition_point(|&(start, _)| start <= at) - 1].1, &old.word)),
        }
    }
}

/// The places of `word` with nothing around it that `continues` a word.
fn whole_words(text: &str, word: &str, continues: impl Fn(char) -> bool) -> impl Iterator<Item = usize> {
    let alone = |at: usize| {
        !text[..at].chars().next_back().is_some_and(&continues)
            && !text[at + word.len()..].chars().next().is_some_and(&continues)
    };
    text.match_indices(word).map(|(at, _)| at).filter(|&at| alone(at)).collect::<Vec<_>>().into_iter()
}

/// Whether an identifier has a part: `least` is one of `least_block`, `LEAST_BLOCK` and `LeastBlock`.
fn has_part(name: &str, part: &str) -> bool {
    name.split('_').any(|piece| {
        piece.eq_ignore_ascii_case(part) && (piece == part || piece.chars().all(char::is_uppercase))
            || camel(piece).any(|hump| hump.eq_ignore_ascii_case(part))
    })
}

/// The humps of `CamelCase`.
fn camel(piece: &str) -> impl Iterator<Item = &str> {
    let mut starts: Vec<usize> = piece.char_indices().filter(|(_, c)| c.is_uppercase()).map(|(at, _)| at).collect();
    if starts.first() != Some(&0) {
        starts.insert(0, 0);
    }
    let ends: Vec<usize> = starts[1..].iter().copied().chain([piece.len()]).collect();
    starts.into_iter().zip(ends).map(move |(start, end)| &piece[start..end])
}

/// The identifiers of a source file with their lines, those in comments and strings left out.
fn identifiers(text: &str, is_python: bool) -> Vec<(usize, &str)> {
    let mut names = Vec::new();
    let (bytes, mut at, mut line) = (text.as_bytes(), 0, 1);
    while at < bytes.len() {
        let start = at;
        let left = &text[at..];
        at += match bytes[at] {
            b'/' if !is_python && left.starts_with("//") => left.find('\n').unwrap_or(left.len()),
            b'/' if !is_python && left.starts_with("/*") => left.find("*/").map_or(left.len(), |end| end + 2),
            b'#' if is_python => left.find('\n').unwrap_or(left.len()),
            b'"' if is_python && left.starts_with("\"\"\"") => {
                left[3..].find("\"\"\"").map_or(left.len(), |end| end + 6)
            }
            b'r' if left.starts_with("r\"") || left.starts_with("r#") => raw_string(left),
            b'"' => quoted(left, b'"'),
            b'\'' if is_python || is_character(left) => quoted(left, b'\''),
            first if first == b'_' || first.is_ascii_alphabetic() => {
                let length = left.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(left.len());
                names.push((line, &left[..length]));
                length
            }
            first if first.is_ascii_digit() => {
                left.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(left.len())
            }
            _ => left.chars().next().map_or(1, char::len_utf8),
        };
        line += bytes[start..at].iter().filter(|&&byte| byte == b'\n').count();
    }
    names
}

/// Bytes of a raw string of Rust, or of the `r` that begins none.
fn raw_string(left: &str) -> usize {
    let hashes = left[1..].bytes().take_while(|&byte| byte == b'#').count();
    if left.as_bytes().get(1 + hashes) != Some(&b'"') {
        return 1 + hashes;
    }
    let end = format!("\"{}", "#".repeat(hashes));
    let from = 2 + hashes;
    left[from..].find(&end).map_or(left.len(), |at| from + at + end.len())
}

/// Bytes of a string between quotes.
fn quoted(left: &str, quote: u8) -> usize {
    let mut escaped = false;
    for (at, byte) in left.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            byte if byte == quote => return at + 1,
            _ => {}
        }
    }
    left.len()
}

/// Whether a quote begins a character, not a lifetime.
fn is_character(left: &str) -> bool {
    let mut following = left.chars().skip(1);
    match following.next() {
        Some('\\') => true,
        Some(_) => following.next() == Some('\''),
        None => false,
    }
}

/// The text in small letters and on one line, without the marks of comments, and where its lines begin in it.
fn flattened(text: &str) -> (String, Vec<(usize, usize)>) {
    let (mut flat, mut lines) = (String::with_capacity(text.len()), Vec::new());
    for (number, line) in text.lines().enumerate() {
        lines.push((flat.len(), number + 1));
        let line = line.trim_start();
        let line = ["///", "//!", "//", "* ", "# "].iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line);
        for word in line.trim_end_matches('\\').replace("\\n", " ").split_whitespace() {
            flat.push_str(&word.to_lowercase());
            flat.push(' ');
        }
    }
    lines.push((flat.len(), 0));
    (flat, lines)
}
