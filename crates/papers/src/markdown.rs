//! `papers.md`: the summary of the register, and of each paper its claims, its tables and its figures.

use std::fmt::Write;

use heapsmith_report::{ClaimRow, ClaimsSummary};

use crate::experiment::{Experiment, Paper, papers};
use crate::outcome::Kept;
use crate::page::says;
use crate::shown::Shown;

/// The page; figures and data lie in the folder `inside`.
pub(crate) fn markdown(
    kept: &[(&Experiment, Kept)],
    summary: &ClaimsSummary,
    register: &[ClaimRow],
    inside: &str,
) -> String {
    let mut page = String::from(
        "# The papers, reproduced\n\n\
         Written by `heapsmith reproduce`, which makes all of it again: this page, the same as \
         [papers.html](papers.html) for a browser, and the data and figures in [papers](papers). What the papers found \
         is cited; what is found here is computed from the data, and so is whether a conclusion holds. Nothing is \
         tuned to agree. What is counted (accesses, visits, bytes) is the same on every machine; times belong to the \
         machine that ran the command.\n",
    );
    counts(&mut page, summary);
    contents(&mut page, kept);
    for paper in papers() {
        let of_paper: Vec<_> = kept.iter().filter(|(experiment, _)| experiment.paper == paper).collect();
        if of_paper.is_empty() {
            continue;
        }
        let _ = write!(page, "\n## {}\n\n{}\n\n", title_of(paper), paper.citation);
        claims(&mut page, register.iter().filter(|row| row.paper == paper.number));
        page.push_str("\n| table or figure | the paper found | found here | the conclusion | the set-up differs |\n");
        page.push_str("|---|---|---|---|---|\n");
        for (experiment, kept) in &of_paper {
            let row = [
                &format!("[{}](#{})", experiment.place, anchor(&heading(experiment))),
                experiment.claim,
                &kept.found,
                &format!("**{}**", kept.verdict().words()),
                experiment.differs,
            ];
            let _ = writeln!(page, "| {} |", row.map(cell).join(" | "));
        }
        for (experiment, kept) in &of_paper {
            section(&mut page, experiment, kept, inside);
        }
    }
    page
}

/// How many claims have which verdict.
fn counts(page: &mut String, summary: &ClaimsSummary) {
    let verdicts: Vec<&str> = summary.verdicts.iter().map(|(words, _)| words.as_str()).collect();
    let _ = write!(page, "\n| paper | claims | {} |\n", verdicts.join(" | "));
    page.push_str(&format!("|---|---:|{}\n", "---:|".repeat(summary.verdicts.len())));
    for (paper, counts) in &summary.papers {
        let numbers: Vec<String> = counts.iter().map(usize::to_string).collect();
        let _ = writeln!(page, "| {paper} | {} | {} |", counts.iter().sum::<usize>(), numbers.join(" | "));
    }
    for (words, causes) in summary.verdicts.iter().filter(|(_, causes)| !causes.is_empty()) {
        let causes: Vec<String> = causes.iter().map(|(cause, count)| format!("{cause} {count}")).collect();
        let _ = write!(page, "\nThe claims that {words}, by cause: {}.\n", causes.join(", "));
    }
}

/// Links to the papers.
fn contents(page: &mut String, kept: &[(&Experiment, Kept)]) {
    page.push('\n');
    for paper in papers().into_iter().filter(|paper| kept.iter().any(|(experiment, _)| experiment.paper == *paper)) {
        let _ = writeln!(page, "- [Paper {}: {}](#{})", paper.number, paper.title, anchor(&title_of(paper)));
    }
}

/// The heading of a paper.
fn title_of(paper: &Paper) -> String {
    format!("Paper {}: {}", paper.number, paper.title)
}

/// The register of a paper.
fn claims<'r>(page: &mut String, rows: impl Iterator<Item = &'r ClaimRow>) {
    page.push_str("| claim | the paper | here | verdict |\n|---|---|---|---|\n");
    for row in rows {
        let line = |(name, paper, here): &(String, String, Option<String>)| {
            format!("{name}: {paper} in the paper, {} here", here.as_deref().unwrap_or("nothing"))
        };
        let found = row.found.iter().cloned().chain(row.printed.iter().map(line)).collect::<Vec<_>>().join("; ");
        let ours = if row.is_ours { " (a question of this project)" } else { "" };
        let cause = row.cause.as_ref().map(|cause| format!(": {cause}")).unwrap_or_default();
        let ablation = row.ablation.as_ref().map(|text| format!(" Ablation: `{text}`")).unwrap_or_default();
        let verdict = format!("**{}{cause}** {}{ablation}", row.verdict, row.why.as_deref().unwrap_or_default());
        let measure = row.measure.as_ref().map(|text| format!(" Measured: {text}")).unwrap_or_default();
        let says = format!("{}{ours}{measure}", row.says);
        let cells = [format!("{} `{}`", row.place, row.name), says, found, verdict];
        let _ = writeln!(page, "| {} |", cells.map(|text| cell(text.trim())).join(" | "));
    }
}

fn section(page: &mut String, experiment: &Experiment, kept: &Kept, inside: &str) {
    let _ = write!(page, "\n### {}\n\n", heading(experiment));
    let _ = write!(page, "> {}\n\n**{}**: {}\n", experiment.claim, kept.verdict().words(), kept.found);
    for (file, caption) in &kept.figures {
        let _ = write!(page, "\n![{caption}]({inside}/{file})\n");
    }
    if !kept.statements.is_empty() {
        page.push_str("\n| the paper | here | |\n|---|---|---|\n");
        for statement in &kept.statements {
            let (says, answer) = (cell(&says(statement)), statement.answer.words());
            let _ = writeln!(page, "| {says} | {} | {answer} |", cell(&statement.found));
        }
    }
    kept.tables.iter().for_each(|shown| table(page, shown));
    let _ = write!(page, "\nData: [{0}.csv]({inside}/{0}.csv). Again: `heapsmith reproduce {0}`\n", experiment.name);
}

fn table(page: &mut String, shown: &Shown) {
    let _ = write!(
        page,
        "\n{}\n\n| {} |\n|",
        shown.caption,
        shown.columns.iter().map(|name| cell(name)).collect::<Vec<_>>().join(" | ")
    );
    for column in 0..shown.columns.len() {
        let numeric = shown.rows.iter().any(|row| row.get(column).is_some_and(|value| value.number().is_some()));
        page.push_str(if numeric { "---:|" } else { "---|" });
    }
    page.push('\n');
    for row in &shown.rows {
        let cells: Vec<String> = row.iter().map(|value| cell(&value.shown())).collect();
        let _ = writeln!(page, "| {} |", cells.join(" | "));
    }
}

fn heading(experiment: &Experiment) -> String {
    format!("{} {}: {}", experiment.paper.number, experiment.place, experiment.title)
}

/// The anchor that a heading gets: lower case, spaces as hyphens, no punctuation.
fn anchor(heading: &str) -> String {
    let letters = heading.to_lowercase();
    letters.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).collect::<String>().replace(' ', "-")
}

/// Text that stays in its cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_in_its_cell() {
        assert_eq!(cell("a|b\nc"), "a\\|b c");
    }

    #[test]
    fn the_overview_links_to_headings() {
        let experiment = crate::experiments()[0];
        let kept = Kept::of(experiment.name, &crate::Outcome::new::<()>(&[]).expect("no rows"));
        let page = markdown(&[(experiment, kept)], &ClaimsSummary::default(), &[], "papers");
        let title = heading(experiment);
        assert!(page.contains(&format!("\n### {title}\n")));
        assert!(page.contains(&format!("](#{})", anchor(&heading(experiment)))));
        assert!(!anchor(&heading(experiment)).contains([':', ',', '.']));
    }
}
