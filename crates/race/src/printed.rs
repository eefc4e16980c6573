//! What a program printed, compared with what it prints as it is.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

/// The standard output of a run, in a file without a name.
#[derive(Debug)]
pub struct Printed(File);

impl Printed {
    /// An empty one.
    pub fn new() -> io::Result<Printed> {
        tempfile::tempfile().map(Printed)
    }

    /// A handle for a program to print to.
    pub fn handle(&self) -> io::Result<File> {
        self.0.try_clone()
    }

    fn reader(&self) -> io::Result<BufReader<File>> {
        let mut file = self.0.try_clone()?;
        file.seek(SeekFrom::Start(0))?;
        Ok(BufReader::new(file))
    }

    /// As text.
    pub fn text(&self) -> io::Result<String> {
        let mut bytes = Vec::new();
        self.reader()?.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The last line that is not blank, for a message; none of an empty output.
    pub fn last_line(&self) -> Option<String> {
        let text = self.text().ok()?;
        text.lines().rev().find(|line| !line.trim().is_empty()).map(|line| shortened(line.as_bytes()))
    }

    /// The first difference to what should have been printed, in words.
    pub fn difference(&self, right: &Printed) -> io::Result<Option<String>> {
        let (mut own, mut right) = (self.reader()?, right.reader()?);
        let (mut line, mut expected) = (Vec::new(), Vec::new());
        for number in 1_u64.. {
            line.clear();
            expected.clear();
            own.read_until(b'\n', &mut line)?;
            right.read_until(b'\n', &mut expected)?;
            if line != expected {
                let shown =
                    |line: &[u8]| if line.is_empty() { "nothing".to_owned() } else { format!("{:?}", shortened(line)) };
                return Ok(Some(format!("line {number} is {}, not {}", shown(&line), shown(&expected))));
            }
            if line.is_empty() {
                break;
            }
        }
        Ok(None)
    }
}

/// The beginning of a line.
fn shortened(line: &[u8]) -> String {
    const SHOWN: usize = 60;
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn printed(text: &str) -> Printed {
        let printed = Printed::new().expect("a file");
        printed.handle().expect("a handle").write_all(text.as_bytes()).expect("room");
        printed
    }

    #[test]
    fn the_first_line_that_differs_is_named() {
        let right = printed("one\ntwo\nthree");
        assert_eq!(printed("one\ntwo\nthree").difference(&right).expect("files"), None);
        let differs = |text: &str| printed(text).difference(&right).expect("files").expect("a difference");
        assert_eq!(differs("one\n2\nthree"), "line 2 is \"2\", not \"two\"");
        assert_eq!(differs("one\ntwo\n"), "line 3 is nothing, not \"three\"");
        assert_eq!(printed("\n end \n\n").last_line().as_deref(), Some(" end"));
    }
}
