//! Named figures, broken into lines.

/// Columns of a figure's text.
const WIDTH: usize = 84;
/// Columns of its name, which is before it.
const NAME: usize = 14;

/// Lines of a page, which are also in a comment of C.
#[derive(Default)]
pub struct Lines(pub Vec<String>);

impl Lines {
    /// Adds a figure; a long text goes on in the next line.
    pub fn add(&mut self, name: &str, text: &str) {
        let (mut line, mut begin) = (String::new(), name);
        for word in in_comment(text).split(' ') {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > WIDTH {
                self.0.push(format!("{begin:NAME$}{line}"));
                (line, begin) = (String::new(), "");
            }
            line = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        }
        self.0.push(format!("{begin:NAME$}{line}"));
    }
}

/// A text that neither ends nor begins a comment, as the name of a trace may be any, and has no sign of citations.
fn in_comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *").replace(char::is_control, " ").replace('§', "section ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_figure_goes_on_below_itself() {
        let mut lines = Lines::default();
        lines.add("reserve", &["word"; 20].join(" "));
        assert_eq!(lines.0.len(), 2);
        assert!(lines.0[0].starts_with("reserve       word word") && lines.0[0].len() <= NAME + WIDTH);
        assert!(lines.0[1].starts_with("              word"));
    }

    #[test]
    fn no_name_ends_the_comment_that_it_is_in() {
        let mut lines = Lines::default();
        lines.add("recorded", "a*/b/*/c\nd");
        assert_eq!(lines.0, ["recorded      a* /b/ * /c d"]);
    }
}
