//! The register of claims on the page: the summary that is seen first, and a row per claim with choices above.

use crate::html::{Cell, Section, Table, escape, section};

/// A verdict in words, and how many claims have it for which cause.
pub type CountedVerdict = (String, Vec<(String, usize)>);

/// How many claims have which verdict: of all papers, and of each.
#[derive(Debug, Clone, Default)]
pub struct ClaimsSummary {
    /// What is counted, in words (`hold`, `do not hold`), and by which causes, where there are some.
    pub verdicts: Vec<CountedVerdict>,
    /// A paper's number and its counts; the first row is all papers together.
    pub papers: Vec<(String, Vec<usize>)>,
}

/// A row of the register.
#[derive(Debug, Clone, Default)]
pub struct ClaimRow {
    /// The number of its paper.
    pub paper: String,
    /// Its whole name.
    pub name: String,
    /// Where the paper makes it, and what it is.
    pub place: String,
    /// Whether it is a question of this project instead of the paper's claim.
    pub is_ours: bool,
    /// What it says.
    pub says: String,
    /// What is measured to test it.
    pub measure: Option<String>,
    /// What was found; none where nothing tests it, or it was not run.
    pub found: Option<String>,
    /// Printed values: a name, the paper's, the one found here.
    pub printed: Vec<(String, String, Option<String>)>,
    /// The verdict in words.
    pub verdict: String,
    /// Whether the verdict is good, bad, or neither.
    pub good: Option<bool>,
    /// Why it does not hold, in a word.
    pub cause: Option<String>,
    /// What is to be said of it.
    pub why: Option<String>,
    /// The command that takes the suspected cause away, or in which it was sought.
    pub ablation: Option<String>,
    /// The experiment that tests it, which has a section of this name.
    pub test: Option<String>,
}

/// What is seen first: how many claims have which verdict.
pub(super) fn summary(summary: &ClaimsSummary) -> String {
    let Some((_, all)) = summary.papers.first() else { return String::new() };
    let card = |((words, causes), count): (&CountedVerdict, &usize)| {
        let causes: Vec<String> = causes.iter().map(|(cause, count)| format!("{} {count}", escape(cause))).collect();
        let small = if causes.is_empty() { String::new() } else { format!("<small>{}</small>", causes.join(", ")) };
        format!("<div><dt>{}</dt><dd>{count}{small}</dd></div>\n", escape(words))
    };
    let cards: String = summary.verdicts.iter().zip(all).map(card).collect();
    let mut columns = vec!["paper", "claims"];
    columns.extend(summary.verdicts.iter().map(|(words, _)| words.as_str()));
    let mut table = Table::new("", &columns);
    for (paper, counts) in &summary.papers[1..] {
        let number = |count: usize| Cell::number(count.to_string(), count as f64);
        let mut cells = vec![Cell::html(format!("<a href=\"#paper-{0}\">{0}</a>", escape(paper)))];
        cells.push(number(counts.iter().sum()));
        cells.extend(counts.iter().map(|&count| number(count)));
        table.row("", cells);
    }
    format!(
        "<section id=\"summary\" class=\"answer\" aria-labelledby=\"summary-h\">\n<h2 id=\"summary-h\">{} claims of {} \
         papers</h2>\n<dl class=\"cards\">\n{cards}</dl>\n{}</section>\n",
        all.iter().sum::<usize>(),
        summary.papers.len() - 1,
        table.render()
    )
}

/// A row per claim, and what it is filtered by.
pub(super) fn register(claims: &[ClaimRow]) -> Section {
    let of = |value: fn(&ClaimRow) -> Option<&str>| {
        let mut values: Vec<&str> = claims.iter().filter_map(value).collect();
        values.sort_unstable();
        values.dedup();
        values.iter().map(|value| format!("<option>{}</option>", escape(value))).collect::<String>()
    };
    let choice = |name: &str, options: String| {
        format!(
            "<label>{name} <select data-filter=\"{name}\"><option value=\"\">all</option>{options}</select></label>\n"
        )
    };
    let choices = [
        choice("paper", of(|claim| Some(&claim.paper))),
        choice("verdict", of(|claim| Some(&claim.verdict))),
        choice("cause", of(|claim| claim.cause.as_deref())),
    ];
    let rows: String = claims.iter().map(row).collect();
    let body = format!(
        "<p>What each paper claims, in the words of this project, and what became of it. A verdict about a paper is made \
         of its own claims; questions of this project are marked. What does not hold has a cause, and the command that \
         takes the suspected cause away; it is unexplained where none that was tried makes the claim hold.</p>\n<p class=\"choices\">{}<output data-shown>{} rows</output></p>\n\
         <div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table class=\"claims\">\n<thead><tr>\
         <th scope=\"col\">claim</th><th scope=\"col\">the paper</th><th scope=\"col\">here</th>\
         <th scope=\"col\">verdict</th></tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n",
        choices.concat(),
        claims.len()
    );
    section("claims", "The register of claims", &body)
}

fn row(claim: &ClaimRow) -> String {
    let ours = if claim.is_ours { "<p class=\"note\">A question of this project.</p>" } else { "" };
    let measure = claim.measure.as_ref().map(|text| format!("<p class=\"note\">Measured: {}</p>", escape(text)));
    let cause = claim.cause.as_ref().map(|cause| format!("<br>cause: {}", escape(cause)));
    let why = claim.why.as_ref().map(|why| format!("<p class=\"note\">{}</p>", escape(why)));
    let ablation =
        claim.ablation.as_ref().map(|text| format!("<p class=\"note\">Ablation: <code>{}</code></p>", escape(text)));
    format!(
        "<tr data-paper=\"{}\" data-verdict=\"{}\" data-cause=\"{}\"><td>{}<br><code>{}</code></td><td>{}{ours}{}</td>\
         <td>{}{}</td><td>{}{}{}{}</td></tr>\n",
        escape(&claim.paper),
        escape(&claim.verdict),
        escape(claim.cause.as_deref().unwrap_or("")),
        escape(&claim.place),
        escape(&claim.name),
        escape(&claim.says),
        measure.unwrap_or_default(),
        found(claim),
        printed(claim),
        super::colored(&claim.verdict, claim.good),
        cause.unwrap_or_default(),
        why.unwrap_or_default(),
        ablation.unwrap_or_default(),
    )
}

fn found(claim: &ClaimRow) -> String {
    match (&claim.found, &claim.test) {
        (Some(found), Some(test)) => format!("{} <a href=\"#{1}\">{1}</a>", escape(found), escape(test)),
        (Some(found), None) => escape(found),
        (None, Some(_)) => "not run".to_owned(),
        (None, None) => "–".to_owned(),
    }
}

/// The paper's figures next to those found here.
fn printed(claim: &ClaimRow) -> String {
    if claim.printed.is_empty() {
        return String::new();
    }
    let line = |(name, paper, here): &(String, String, Option<String>)| {
        let here = here.as_deref().map_or("–".to_owned(), escape);
        format!(
            "<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td class=\"n\">{here}</td></tr>",
            escape(name),
            escape(paper)
        )
    };
    let lines: String = claim.printed.iter().map(line).collect();
    format!(
        "<table class=\"printed\"><thead><tr><td></td><th scope=\"col\" class=\"n\">paper</th>\
         <th scope=\"col\" class=\"n\">here</th></tr></thead><tbody>{lines}</tbody></table>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim() -> ClaimRow {
        ClaimRow {
            paper: "009".into(),
            name: "009:a".into(),
            says: "x < y".into(),
            found: Some("seen".into()),
            verdict: "does not hold".into(),
            good: Some(false),
            cause: Some("workload".into()),
            ablation: Some("heapsmith reproduce 009".into()),
            printed: vec![("swap".into(), "46.0".into(), Some("10.6".into()))],
            ..ClaimRow::default()
        }
    }

    #[test]
    fn a_row_can_be_chosen_by_verdict_and_cause_and_shows_figure_next_to_figure() {
        let page = register(&[claim()]).body;
        assert!(page.contains("data-verdict=\"does not hold\" data-cause=\"workload\""));
        assert!(page.contains("x &lt; y") && page.contains("heapsmith reproduce 009"));
        let (paper, here) = (page.find("46.0").expect("printed"), page.find("10.6").expect("found"));
        assert!(paper < here && page.matches("<option>").count() == 3);
    }

    #[test]
    fn the_summary_counts_and_names_the_causes() {
        let summary = summary(&ClaimsSummary {
            verdicts: vec![("hold".into(), Vec::new()), ("do not hold".into(), vec![("workload".into(), 4)])],
            papers: vec![("all".into(), vec![3, 4]), ("009".into(), vec![3, 4])],
        });
        assert!(summary.contains("7 claims of 1 papers") && summary.contains("workload 4"), "{summary}");
    }
}
