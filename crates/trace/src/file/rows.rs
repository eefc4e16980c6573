//! Events as columns, and back.

use parquet::data_type::ByteArray;

use crate::{Action, ActionColumns, Event, Nanoseconds};

/// A column that may hold nulls, as Parquet stores it: which rows have a value, and the
/// values that there are.
#[derive(Debug, Default)]
pub(super) struct Optional<T> {
    pub levels: Vec<i16>,
    pub values: Vec<T>,
}

impl<T: Copy> Optional<T> {
    fn push(&mut self, value: Option<T>) {
        self.levels.push(i16::from(value.is_some()));
        self.values.extend(value);
    }

    fn iter(&self) -> impl Iterator<Item = Option<T>> {
        let mut values = self.values.iter().copied();
        self.levels.iter().map(move |&level| if level > 0 { values.next() } else { None })
    }
}

/// The columns of a number of events. Unsigned numbers travel in Parquet's signed physical
/// types, bit for bit.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub time: Vec<i64>,
    pub thread: Vec<i32>,
    pub action: Vec<ByteArray>,
    pub id: Optional<i64>,
    pub size: Optional<i64>,
    pub alignment: Optional<i64>,
    pub label: Optional<i32>,
    pub site: Optional<i32>,
}

impl Rows {
    pub fn of(events: &[Event]) -> Rows {
        let names = Action::NAMES.map(ByteArray::from);
        let mut rows = Rows::default();
        for event in events {
            let (name, ActionColumns { id, size, alignment, label }) = event.action.columns();
            rows.time.push(event.time.0 as i64);
            rows.thread.push(event.thread as i32);
            rows.action.push(names[name].clone());
            rows.id.push(id.map(|id| id as i64));
            rows.size.push(size.map(|size| size as i64));
            rows.alignment.push(alignment.map(|bytes| bytes as i64));
            rows.label.push(label.map(|label| label as i32));
            rows.site.push(event.site.map(|site| site as i32));
        }
        rows
    }

    /// Appends the events that these rows hold. On the first row that is no event, gives
    /// its number (from 0) within these rows and what is wrong with it.
    pub fn append_to(&self, events: &mut Vec<Event>) -> Result<(), (u64, String)> {
        let mut id = self.id.iter();
        let mut size = self.size.iter();
        let mut alignment = self.alignment.iter();
        let mut label = self.label.iter();
        let mut site = self.site.iter();
        for (row, action) in self.action.iter().enumerate() {
            let columns = ActionColumns {
                id: id.next().flatten().map(|id| id as u64),
                size: size.next().flatten().map(|size| size as u64),
                alignment: alignment.next().flatten().map(|bytes| bytes as u64),
                label: label.next().flatten().map(|label| label as u32),
            };
            let action = columns.action(action.data()).map_err(|cause| (row as u64, cause))?;
            events.push(Event {
                time: Nanoseconds(self.time[row] as u64),
                thread: self.thread[row] as u32,
                site: site.next().flatten().map(|site| site as u32),
                action,
            });
        }
        Ok(())
    }
}
