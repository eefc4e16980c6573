//! The result table as CSV and Parquet.
//!
//! One row for each design and trace: number, family, levels, spec, trace, every
//! integer of [`Measures::COLUMNS`], the derived shares, and whether the design
//! is on the front. No times: two explorations of one trace give the same bytes.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use heapsmith_output::Output;
use heapsmith_replay::Measures;
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use crate::exploration::Exploration;
use crate::rows::Row;

/// A derived column: its name, and how it is derived.
type Share = (&'static str, fn(&Measures) -> f64);

const SHARES: [Share; 3] = [
    ("fragmentation", Measures::fragmentation),
    ("internal_fragmentation", Measures::internal_fragmentation),
    ("external_fragmentation", Measures::external_fragmentation),
];

/// The texts at the end of a row.
const TEXTS: [&str; 3] = ["heap", "trace", "family"];

/// A row of the table: a design on a trace.
struct Line<'a> {
    row: &'a Row,
    heap: Rc<str>,
    trace: &'a str,
    measures: &'a Measures,
    /// The measures as integers, in the order of [`Measures::COLUMNS`].
    integers: Vec<u64>,
    on_front: bool,
}

fn lines(exploration: &Exploration) -> Vec<Line<'_>> {
    let mut lines = Vec::with_capacity(exploration.rows.len() * exploration.traces.len());
    for (index, row) in exploration.rows.iter().enumerate() {
        let on_front = exploration.front.binary_search(&index).is_ok();
        let heap: Rc<str> = row.design.spec.to_string().into();
        for (measures, trace) in row.measures.iter().zip(&exploration.traces) {
            let (heap, integers) = (Rc::clone(&heap), measures.to_row());
            lines.push(Line { row, heap, trace, measures, integers, on_front });
        }
    }
    lines
}

/// What a column holds.
enum Column<'a> {
    /// Integers of a design on a trace.
    Integer(&'static str, fn(&Line<'_>, usize) -> u64, usize),
    /// The level of a factor that is a number wherever it is one.
    Number(&'a str),
    /// The level of a factor as it is written.
    Text(&'a str),
}

impl Column<'_> {
    fn name(&self) -> String {
        match self {
            Column::Integer(name, ..) => (*name).to_owned(),
            // A name of the spec language has hyphens, which Parquet's schemas have not.
            Column::Number(name) | Column::Text(name) => name.replace('-', "_"),
        }
    }
}

/// The columns before the shares: number, family, levels, every measure, whether it is on the front.
fn columns(exploration: &Exploration) -> Vec<Column<'_>> {
    let level = |name| {
        let levels = exploration.families.0.iter().flat_map(|family| &family.factors);
        let mut own = levels.filter(|factor| factor.name == name).flat_map(|factor| &factor.levels);
        if own.all(|level| level.parse::<i64>().is_ok()) { Column::Number(name) } else { Column::Text(name) }
    };
    let number = Column::Integer("number", |line, _| u64::from(line.row.design.number), 0);
    let measure =
        |(place, name): (usize, &&'static str)| Column::Integer(name, |line, place| line.integers[place], place);
    let on_front = Column::Integer("on_front", |line, _| u64::from(line.on_front), 0);
    let levels = exploration.families.factors().into_iter().map(level);
    let measures = Measures::COLUMNS.iter().enumerate().map(measure);
    [number].into_iter().chain(levels).chain(measures).chain([on_front]).collect()
}

/// The level of a line's design, as it is written; empty where its family has no such factor.
fn level<'a>(exploration: &'a Exploration, line: &Line<'_>, name: &str) -> &'a str {
    exploration.families.level(&line.row.design, name).unwrap_or_default()
}

/// Writes the table as CSV.
pub fn write_csv(exploration: &Exploration, out: impl Write) -> io::Result<()> {
    write_lines(exploration, &lines(exploration), out)
}

fn write_lines(exploration: &Exploration, lines: &[Line<'_>], out: impl Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    let columns = columns(exploration);
    let shares = SHARES.map(|(name, _)| name.to_owned());
    let names = columns.iter().map(Column::name).chain(shares).chain(TEXTS.map(str::to_owned));
    writer.write_record(names)?;
    for line in lines {
        let shares = SHARES.map(|(_, share)| format!("{:.6}", share(line.measures)));
        let value = |column: &Column<'_>| match column {
            Column::Integer(_, value, place) => value(line, *place).to_string(),
            Column::Number(name) | Column::Text(name) => level(exploration, line, name).to_owned(),
        };
        let family = exploration.families.family(&line.row.design).name.clone();
        let texts = [line.heap.to_string(), line.trace.to_owned(), family];
        writer.write_record(columns.iter().map(value).chain(shares).chain(texts))?;
    }
    writer.flush()
}

/// Writes `results.csv` and `results.parquet` into the folder of an exploration.
///
/// # Errors
///
/// The path that cannot be written, and why.
pub fn write_tables(exploration: &Exploration, dir: &Path) -> Result<(), (PathBuf, io::Error)> {
    let lines = lines(exploration);
    let in_dir = |name: &str, write: &dyn Fn(Output) -> io::Result<()>| {
        let path = dir.join(name);
        Output::create(&path).and_then(write).map_err(|error| (path, error))
    };
    in_dir("results.csv", &|mut output| {
        write_lines(exploration, &lines, &mut output)?;
        output.finish()
    })?;
    in_dir("results.parquet", &|output| {
        parquet_file(exploration, &lines, output.handle()?).map_err(io::Error::other)?;
        output.finish()
    })
}

fn parquet_file(exploration: &Exploration, lines: &[Line<'_>], file: File) -> parquet::errors::Result<()> {
    let field = |column: &Column<'_>| match column {
        Column::Integer(..) => format!("required int64 {}; ", column.name()),
        Column::Number(_) => format!("optional int64 {}; ", column.name()),
        Column::Text(_) => format!("optional binary {} (UTF8); ", column.name()),
    };
    let columns: String = columns(exploration).iter().map(field).collect();
    let shares: String = SHARES.iter().map(|(name, _)| format!("required double {name}; ")).collect();
    let texts: String = TEXTS.iter().map(|name| format!("required binary {name} (UTF8); ")).collect();
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let schema = Arc::new(parse_message_type(&format!("message results {{ {columns} {shares} {texts} }}"))?);
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    write_columns(exploration, lines, &mut group)?;
    group.close()?;
    writer.close()?;
    Ok(())
}

fn write_columns(
    exploration: &Exploration,
    lines: &[Line<'_>],
    group: &mut SerializedRowGroupWriter<'_, File>,
) -> parquet::errors::Result<()> {
    for column in columns(exploration) {
        match column {
            Column::Integer(_, value, place) => {
                let values: Vec<i64> = lines.iter().map(|line| value(line, place) as i64).collect();
                write_column::<Int64Type>(group, &values, None)?;
            }
            Column::Number(name) => {
                let levels = lines.iter().map(|line| level(exploration, line, name).parse().ok());
                write_optional::<Int64Type>(group, levels.collect())?;
            }
            Column::Text(name) => {
                let levels = lines.iter().map(|line| level(exploration, line, name));
                write_optional::<ByteArrayType>(
                    group,
                    levels.map(|level| (!level.is_empty()).then(|| level.into())).collect(),
                )?;
            }
        }
    }
    for (_, share) in SHARES {
        let values: Vec<f64> = lines.iter().map(|line| share(line.measures)).collect();
        write_column::<DoubleType>(group, &values, None)?;
    }
    let heaps: Vec<ByteArray> = lines.iter().map(|line| (*line.heap).into()).collect();
    write_column::<ByteArrayType>(group, &heaps, None)?;
    let traces: Vec<ByteArray> = lines.iter().map(|line| line.trace.into()).collect();
    write_column::<ByteArrayType>(group, &traces, None)?;
    let family = |line: &Line<'_>| exploration.families.family(&line.row.design).name.as_str().into();
    let families: Vec<ByteArray> = lines.iter().map(family).collect();
    write_column::<ByteArrayType>(group, &families, None)
}

fn write_optional<T: parquet::data_type::DataType>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    values: Vec<Option<T::T>>,
) -> parquet::errors::Result<()> {
    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    let values: Vec<T::T> = values.into_iter().flatten().collect();
    write_column::<T>(group, &values, Some(&levels))
}

fn write_column<T: parquet::data_type::DataType>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> parquet::errors::Result<()> {
    let missing = || parquet::errors::ParquetError::General("the table has fewer columns than its schema".to_owned());
    let mut column = group.next_column()?.ok_or_else(missing)?;
    column.typed::<T>().write_batch(values, levels, None)?;
    column.close()
}
