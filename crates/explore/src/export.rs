//! The result table as CSV and Parquet.
//!
//! One row for each design and trace: number, levels, spec, trace, every
//! integer of [`Measures::COLUMNS`], the derived shares, and whether the design
//! is on the front. No times: two explorations of one trace give the same bytes.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use heapsmith_replay::Measures;
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use crate::exploration::{Exploration, Row};
use crate::space::FACTORS;

/// A derived column: its name, and how it is derived.
type Share = (&'static str, fn(&Measures) -> f64);

const SHARES: [Share; 3] = [
    ("fragmentation", Measures::fragmentation),
    ("internal_fragmentation", Measures::internal_fragmentation),
    ("external_fragmentation", Measures::external_fragmentation),
];

/// A row of the table: a design on a trace.
struct Line<'a> {
    row: &'a Row,
    trace: &'a str,
    measures: &'a Measures,
    on_front: bool,
}

fn lines(exploration: &Exploration) -> impl Iterator<Item = Line<'_>> {
    exploration.rows.iter().enumerate().flat_map(move |(index, row)| {
        let on_front = exploration.front.binary_search(&index).is_ok();
        let each = row.measures.iter().zip(&exploration.traces);
        each.map(move |(measures, trace)| Line { row, trace, measures, on_front })
    })
}

fn integers(line: &Line<'_>) -> Vec<u64> {
    let design = &line.row.design;
    let levels = (0..FACTORS.len()).map(|factor| u64::from(design.level(factor)));
    let head = [u64::from(design.number)].into_iter().chain(levels);
    head.chain(line.measures.to_row()).chain([u64::from(line.on_front)]).collect()
}

fn integer_names() -> Vec<&'static str> {
    let levels = FACTORS.iter().map(|factor| factor.name);
    let names = ["number"].into_iter().chain(levels).chain(Measures::COLUMNS.iter().copied());
    names.chain(["on_front"]).collect()
}

/// Writes the table as CSV.
pub fn write_csv(exploration: &Exploration, out: impl Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    let names = integer_names().into_iter().chain(SHARES.map(|(name, _)| name)).chain(["heap", "trace"]);
    writer.write_record(names)?;
    for line in lines(exploration) {
        let shares = SHARES.map(|(_, share)| format!("{:.6}", share(line.measures)));
        let texts = [line.row.design.spec.to_string(), line.trace.to_owned()];
        let integers = integers(&line).into_iter().map(|value| value.to_string());
        writer.write_record(integers.chain(shares).chain(texts))?;
    }
    writer.flush()
}

/// Writes the table as Parquet, through a temporary file beside `path`.
pub fn write_parquet(exploration: &Exploration, path: &Path) -> io::Result<()> {
    let unfinished = path.with_extension("parquet.unfinished");
    parquet_file(exploration, File::create(&unfinished)?).map_err(io::Error::other)?;
    std::fs::rename(&unfinished, path)
}

fn parquet_file(exploration: &Exploration, file: File) -> parquet::errors::Result<()> {
    let columns: String = integer_names()
        .iter()
        .map(|name| format!("required int64 {name}; "))
        .chain(SHARES.iter().map(|(name, _)| format!("required double {name}; ")))
        .collect();
    let schema = format!("message results {{ {columns} required binary heap (UTF8); required binary trace (UTF8); }}");
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let schema = Arc::new(parse_message_type(&schema)?);
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    write_columns(exploration, &mut group)?;
    group.close()?;
    writer.close()?;
    Ok(())
}

fn write_columns(
    exploration: &Exploration,
    group: &mut SerializedRowGroupWriter<'_, File>,
) -> parquet::errors::Result<()> {
    let table: Vec<Vec<u64>> = lines(exploration).map(|line| integers(&line)).collect();
    for column in 0..integer_names().len() {
        let values: Vec<i64> = table.iter().map(|row| row[column] as i64).collect();
        write_column::<Int64Type>(group, &values)?;
    }
    for (_, share) in SHARES {
        let values: Vec<f64> = lines(exploration).map(|line| share(line.measures)).collect();
        write_column::<DoubleType>(group, &values)?;
    }
    let heaps: Vec<ByteArray> =
        lines(exploration).map(|line| line.row.design.spec.to_string().as_str().into()).collect();
    write_column::<ByteArrayType>(group, &heaps)?;
    let traces: Vec<ByteArray> = lines(exploration).map(|line| line.trace.into()).collect();
    write_column::<ByteArrayType>(group, &traces)
}

fn write_column<T: parquet::data_type::DataType>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    values: &[T::T],
) -> parquet::errors::Result<()> {
    let missing = || parquet::errors::ParquetError::General("the table has fewer columns than its schema".to_owned());
    let mut column = group.next_column()?.ok_or_else(missing)?;
    column.typed::<T>().write_batch(values, None, None)?;
    column.close()
}
