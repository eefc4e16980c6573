//! Arguments of `check` and `compare`.

use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, ValueEnum};

use super::examples::{self, both};
use super::{Format, Reading};

/// The format of a check's report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ReportFormat {
    /// A table for people
    #[default]
    Text,
    /// JUnit XML, by the schema published for Apache Ant's junitreport
    Junit,
    /// SARIF 2.1.0 (OASIS), with what failed at its line of FILE
    Sarif,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
#[command(after_help = examples::CHECK, after_long_help = both(examples::CHECK, examples::CHECK_MORE))]
pub struct Check {
    /// The check file (TOML)
    #[arg(required_unless_present = "print_example")]
    pub file: Option<PathBuf>,
    /// What max_growth and max_drop compare with
    ///
    /// In place of the base that FILE names: figures that --save wrote, or a folder with other versions of the traces at the
    /// same relative paths.
    #[arg(long, value_name = "DIR|FILE")]
    pub base: Option<PathBuf>,
    /// Save the figures, as a base for later
    ///
    /// They are saved whether assertions fail or not.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Format of the report
    #[arg(long, value_enum, default_value_t)]
    pub format: ReportFormat,
    /// Write the report to FILE, and the table to standard output
    ///
    /// - (standard output), devices and FIFOs are written to as streams, links are refused.
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Print a check file with comments and exit
    ///
    /// It passes as it is.
    #[arg(long, exclusive = true)]
    pub print_example: bool,
}

/// The options that say how a trace is read, where a file names them.
#[derive(Debug, Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct ReadingOptions {
    #[command(flatten)]
    reading: Reading,
}

impl Reading {
    /// Reads options without their dashes, with their values.
    ///
    /// # Errors
    ///
    /// What is wrong, in one line, and the options that there are.
    pub fn of_options(options: &[(String, String)]) -> Result<Reading, String> {
        let command = ReadingOptions::command();
        let known: Vec<&str> = command.get_arguments().filter_map(|argument| argument.get_long()).collect();
        if let Some((key, _)) = options.iter().find(|(key, _)| !known.contains(&key.as_str())) {
            return Err(format!("{key:?} is no option of reading a trace: write one of {}", known.join(", ")));
        }
        let words = options.iter().map(|(key, value)| format!("--{key}={value}"));
        ReadingOptions::try_parse_from(words).map(|options| options.reading).map_err(|error| {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            first.strip_prefix("error: ").unwrap_or(first).to_owned()
        })
    }
}

/// Arguments of `compare`.
#[derive(Debug, Args)]
#[command(after_help = examples::COMPARE, after_long_help = both(examples::COMPARE, examples::COMPARE_MORE))]
pub struct Compare {
    /// The folder of the exploration to compare with
    #[arg(value_name = "OLD")]
    pub old: PathBuf,
    /// The folder of the exploration to compare
    #[arg(value_name = "NEW")]
    pub new: PathBuf,
    /// Also write a page with the picks then and now
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(pairs: &[(&str, &str)]) -> Result<Reading, String> {
        Reading::of_options(
            &pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect::<Vec<_>>(),
        )
    }

    #[test]
    fn options_of_a_file_are_those_of_the_command() {
        let reading = options(&[("as", "drr"), ("set", "a=b"), ("set", "c=d"), ("slice", "..10")]).expect("options");
        assert_eq!((reading.input_format.as_deref(), reading.set.len()), (Some("drr"), 2));
        assert!(options(&[("help", "")]).expect_err("no such option").contains("as, set, slice"));
        assert!(options(&[("limit", "-5")]).expect_err("no number").contains("-5"));
        assert!(options(&[("limit", "5"), ("slice", "..5")]).is_err());
    }
}
