//! What came of it, as text and CSV.

use std::fmt::Write;

use super::deployed::Spread;
use super::verdict::{CLAIMS, Pairs, better_than_pick, is_wrong, spearman};
use super::{Arguments, Compared};

const MIB: f64 = 1024.0 * 1024.0;

/// How it was measured.
pub fn head(rounds: usize, how: &Arguments) -> String {
    let space = if how.classic { "the classic space" } else { "a space of 56 designs" };
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split_whitespace().next().unwrap_or("not known").to_owned();
    let advice = if how.quick { "; reference allocators were not measured, so there is no advice" } else { "" };
    format!(
        "# Explored and deployed\n\n`cargo xtask bench truth`: picks of {space} and heaps of the catalogue; {rounds} rounds in turns, \
         medians with their intervals; load of the machine at the end {load}{advice}.\n\n"
    )
}

/// A program on all heaps.
pub fn of_program(compared: &Compared) -> String {
    let mut text = format!("## {}: {} operations\n\n", compared.program, compared.operations);
    text += "| heap | accesses/op | cost/op | replay ns | touched MiB | mean MiB | time, ms | peak MiB | mean MiB | mean pages, MiB | spec |\n";
    text += "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|\n";
    let time =
        |spread: Spread| format!("{:.0} ({:.0} to {:.0})", spread.median * 1e3, spread.low * 1e3, spread.high * 1e3);
    for (heap, predicted, deployed) in &compared.rows {
        let _ = writeln!(
            text,
            "| {} | {:.2} | {:.1} | {:.1} | {:.2} | {:.2} | {} | {:.2} | {:.2} | {:.2} | `{}` |",
            heap.name,
            predicted.accesses,
            predicted.cost,
            predicted.nanoseconds,
            predicted.touched / MIB,
            predicted.footprint / MIB,
            time(deployed.time),
            deployed.peak.median / MIB,
            deployed.mean.median / MIB,
            deployed.touched.median / MIB,
            short(&heap.spec),
        );
    }
    let glibc = &compared.baseline;
    let (peak, mean) = (glibc.peak.median / MIB, glibc.mean.median / MIB);
    let _ = writeln!(text, "| glibc | | | | | | {} | {peak:.2} | {mean:.2} | | |\n", time(glibc.time));
    text
}

/// A spec without a long list of sizes.
fn short(spec: &str) -> String {
    match spec.strip_prefix("freelists(").and_then(|rest| rest.split_once(')')) {
        Some((sizes, rest)) if sizes.split(',').count() > 4 => {
            format!("freelists({} sizes){rest}", sizes.split(',').count())
        }
        _ => spec.to_owned(),
    }
}

/// What is so of what was predicted, over all programs.
pub fn summary(all: &[Compared]) -> String {
    let mut text = "## Ordered as predicted\n\nPairs of heaps whose deployed intervals are apart; Spearman's correlation of ranks.\n\n".to_owned();
    text += "| predicted | deployed |";
    all.iter().for_each(|compared| text += &format!(" {} |", compared.program));
    text += " all |\n|---|---|";
    text += &"---|".repeat(all.len() + 1);
    text.push('\n');
    for claim in CLAIMS {
        let _ = write!(text, "| {} | {} |", claim.predicted, claim.deployed);
        let mut sum = Pairs::default();
        let mut ranks = 0.0;
        for compared in all {
            let (pairs, rank) = (Pairs::of(claim, compared), spearman(claim, compared));
            let _ = write!(text, " {} of {}, {rank:.2} |", pairs.right, pairs.all);
            (sum, ranks) = (sum.and(pairs), ranks + rank);
        }
        let _ = writeln!(text, " {:.0}%, {:.2} |", sum.share() * 100.0, ranks / all.len().max(1) as f64);
    }
    text + &advice(all) + &preferences(all)
}

fn advice(all: &[Compared]) -> String {
    let (mut counts, mut wrong) = ([0; 3], Vec::new());
    for compared in all {
        for advised in &compared.advised {
            let kind = ["keep", "change"].iter().position(|&kind| kind == advised.advice).unwrap_or(2);
            counts[kind] += 1;
            let pick = compared.rows.iter().find(|(heap, _, _)| heap.spec == advised.heap);
            if pick.is_some_and(|(_, _, pick)| is_wrong(&advised.advice, pick, &compared.baseline)) {
                wrong.push(format!("{} for {} ({})", advised.advice, compared.program, advised.preference));
            }
        }
    }
    let list = if wrong.is_empty() { String::new() } else { format!(": {}", wrong.join(", ")) };
    let [keep, change, none] = counts;
    format!(
        "\nAdvice about glibc: {keep} times keep, {change} times change, {none} times none; {} wrong{list}\n",
        wrong.len()
    )
}

fn preferences(all: &[Compared]) -> String {
    let mut text = String::new();
    for (preference, what) in [("speed", "fastest"), ("memory", "smallest")] {
        for compared in all {
            let better = better_than_pick(compared, preference);
            let verdict = if better.is_empty() { "yes".to_owned() } else { format!("no: {}", better.join(", ")) };
            let _ = writeln!(text, "\n--prefer {preference} is the {what} on {}: {verdict}", compared.program);
        }
    }
    text
}

/// Every figure.
pub fn csv(all: &[Compared]) -> String {
    let mut text =
        "program,heap,operations,accesses,cost,replay_ns,visits,first_misses,second_misses,touched,footprint_mean,footprint_over_time,\
                    time_low,time,time_high,peak_low,peak,peak_high,mean_low,mean,mean_high,\
                    pages_low,pages,pages_high,spec\n"
            .to_owned();
    for compared in all {
        let three = |spread: Spread| format!("{},{},{}", spread.low, spread.median, spread.high);
        for (heap, predicted, deployed) in &compared.rows {
            let [visits, first, second] = predicted.parts;
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{visits},{first},{second},{},{},{},{},{},{},{},\"{}\"",
                compared.program,
                heap.name,
                compared.operations,
                predicted.accesses,
                predicted.cost,
                predicted.nanoseconds,
                predicted.touched,
                predicted.footprint,
                predicted.over_time,
                three(deployed.time),
                three(deployed.peak),
                three(deployed.mean),
                three(deployed.touched),
                heap.spec,
            );
        }
        let glibc = &compared.baseline;
        let (program, operations) = (compared.program, compared.operations);
        let figures = [three(glibc.time), three(glibc.peak), three(glibc.mean)].join(",");
        let _ = writeln!(text, "{program},glibc,{operations},,,,,,,,,,{figures},,,,");
    }
    text
}
