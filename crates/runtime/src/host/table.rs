//! Tables: values by key, filled once or changed at will, which live as long as the session.

use std::any::Any;
use std::fs;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use rustc_hash::FxHashMap;
use tfjit_base::{DType, Element, Error, Result, Shape, Tensor, limits};
use tfjit_model::Node;

use super::strings::strip;
use super::tensors::tensor;
use super::variable_identity;
use super::{HostRow, row};
use crate::{Kernel, Object, StepContext, Value};

pub(super) const ROWS: &[HostRow] = &[
    row("HashTableV2", "a table that is filled once", make_table),
    row("InitializeTableFromTextFileV2", "fills a table from a file's lines", make_from_file),
    row("InitializeTableV2", "fills a table", |_| Ok(Box::new(Fill { once: true }))),
    row("LookupTableExportV2", "all keys and values", |_| Ok(Box::new(Export))),
    row("LookupTableFindV2", "values of keys", |_| Ok(Box::new(Find))),
    row("LookupTableImportV2", "replaces all of a table", |_| Ok(Box::new(Fill { once: false }))),
    row("LookupTableInsertV2", "adds to a table", |_| Ok(Box::new(Insert))),
    row("LookupTableRemoveV2", "takes keys out of a table", |_| Ok(Box::new(Remove))),
    row("LookupTableSizeV2", "number of keys", |_| Ok(Box::new(Size))),
    row("MutableHashTableV2", "a table that changes", make_mutable),
];

type Entries = FxHashMap<Vec<u8>, Vec<u8>>;

#[derive(Debug)]
struct Table {
    key: DType,
    value: DType,
    mutable: bool,
    /// `None` until filled.
    entries: RwLock<Option<Entries>>,
}

impl Object for Table {
    fn kind(&self) -> &'static str {
        "table"
    }
    fn as_any(&self) -> &(dyn Any + Send + Sync) {
        self
    }
}

/// The elements one by one: strings, or bytes.
fn elements(t: &Tensor) -> Vec<Vec<u8>> {
    match t.as_strings() {
        Some(strings) => strings.to_vec(),
        None => t.bytes().chunks_exact(t.dtype().size().max(1)).map(<[u8]>::to_vec).collect(),
    }
}

/// A tensor of elements.
fn collect(dtype: DType, shape: Shape, values: Vec<Vec<u8>>) -> Result<Tensor> {
    match dtype {
        DType::String => Tensor::strings(shape, values),
        _ => Tensor::from_raw(dtype, shape, &values.concat()),
    }
}

impl Table {
    fn read(&self) -> RwLockReadGuard<'_, Option<Entries>> {
        self.entries.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn check(&self, keys: &Tensor, values: Option<&Tensor>) -> Result<()> {
        let wrong = |what: &str, got: DType, want: DType| {
            Err(Error::invalid_argument(format!("{what} must be type {want} but got {got}")))
        };
        if keys.dtype() != self.key {
            return wrong("Key", keys.dtype(), self.key);
        }
        match values {
            Some(v) if v.dtype() != self.value => wrong("Value", v.dtype(), self.value),
            Some(v) if v.elements() != keys.elements() => Err(Error::invalid_argument(format!(
                "Expected as many values as keys: {} and {}",
                v.shape(),
                keys.shape()
            ))),
            _ => Ok(()),
        }
    }

    /// Fills an empty table; one that is filled must hold the same.
    fn fill(&self, fresh: Entries, once: bool) -> Result<()> {
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        match &*entries {
            Some(old) if once && !self.mutable && *old != fresh => {
                Err(Error::failed_precondition("Table already initialized."))
            }
            _ => {
                *entries = Some(fresh);
                Ok(())
            }
        }
    }
}

fn table(inputs: &[Value]) -> Result<&Table> {
    inputs.first().ok_or_else(|| Error::internal("no table"))?.object()
}

#[derive(Debug)]
struct Make {
    container: String,
    name: String,
    key: DType,
    value: DType,
    mutable: bool,
}

impl Kernel for Make {
    fn run(&self, _: &[Value], context: &StepContext<'_>) -> Result<Vec<Value>> {
        let make = || {
            let entries = RwLock::new(self.mutable.then(Entries::default));
            let Make { key, value, mutable, .. } = *self;
            Arc::new(Table { key, value, mutable, entries }) as Arc<dyn Object>
        };
        let objects = context.resources.objects();
        Ok(vec![Value::Object(objects.lookup_or_create(&self.container, &self.name, make))])
    }
}

fn make_table(node: &Node) -> Result<Box<dyn Kernel>> {
    make(node, false)
}

fn make_mutable(node: &Node) -> Result<Box<dyn Kernel>> {
    make(node, true)
}

fn make(node: &Node, mutable: bool) -> Result<Box<dyn Kernel>> {
    let (container, name) = variable_identity(node);
    let (key, value) = (node.attr_dtype("key_dtype")?, node.attr_dtype("value_dtype")?);
    Ok(Box::new(Make { container, name, key, value, mutable }))
}

#[derive(Debug)]
struct Find;

impl Kernel for Find {
    fn run(&self, inputs: &[Value], _: &StepContext<'_>) -> Result<Vec<Value>> {
        let (table, keys, default) = (table(inputs)?, tensor(inputs, 1)?, tensor(inputs, 2)?);
        table.check(keys, None)?;
        if default.dtype() != table.value || !matches!(default.elements(), 1) {
            return Err(Error::invalid_argument(format!(
                "Default value must be a scalar of type {}, not {default:?}",
                table.value
            )));
        }
        let entries = table.read();
        let entries =
            entries.as_ref().ok_or_else(|| Error::failed_precondition("Table not initialized."))?;
        let other = elements(default).swap_remove(0);
        let value = |key: Vec<u8>| entries.get(&key).cloned().unwrap_or_else(|| other.clone());
        let values = elements(keys).into_iter().map(value).collect();
        Ok(vec![Value::Tensor(collect(table.value, keys.shape().clone(), values)?)])
    }
}

#[derive(Debug)]
struct Fill {
    once: bool,
}

impl Kernel for Fill {
    fn run(&self, inputs: &[Value], _: &StepContext<'_>) -> Result<Vec<Value>> {
        let (table, keys, values) = (table(inputs)?, tensor(inputs, 1)?, tensor(inputs, 2)?);
        table.check(keys, Some(values))?;
        let mut entries = Entries::default();
        for (key, value) in elements(keys).into_iter().zip(elements(values)) {
            let old = entries.insert(key, value.clone());
            if self.once && old.is_some_and(|old| old != value) {
                return Err(Error::invalid_argument("HashTable has different value for same key."));
            }
        }
        table.fill(entries, self.once)?;
        Ok(Vec::new())
    }
}

#[derive(Debug)]
struct Insert;

impl Kernel for Insert {
    fn run(&self, inputs: &[Value], _: &StepContext<'_>) -> Result<Vec<Value>> {
        let (table, keys, values) = (table(inputs)?, tensor(inputs, 1)?, tensor(inputs, 2)?);
        table.check(keys, Some(values))?;
        if !table.mutable {
            return Err(Error::unimplemented("Insert is not supported by tables filled once"));
        }
        let mut entries = table.entries.write().unwrap_or_else(PoisonError::into_inner);
        let entries = entries.get_or_insert_default();
        entries.extend(elements(keys).into_iter().zip(elements(values)));
        Ok(Vec::new())
    }
}

#[derive(Debug)]
struct Remove;

impl Kernel for Remove {
    fn run(&self, inputs: &[Value], _: &StepContext<'_>) -> Result<Vec<Value>> {
        let (table, keys) = (table(inputs)?, tensor(inputs, 1)?);
        table.check(keys, None)?;
        let mut entries = table.entries.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(entries) = entries.as_mut() {
            elements(keys).iter().for_each(|key| drop(entries.remove(key)));
        }
        Ok(Vec::new())
    }
}

#[derive(Debug)]
struct Size;

impl Kernel for Size {
    fn run(&self, inputs: &[Value], _: &StepContext<'_>) -> Result<Vec<Value>> {
        let count = table(inputs)?.read().as_ref().map_or(0, |entries| entries.len());
        Ok(vec![Value::Tensor(Tensor::scalar(count as i64))])
    }
}

#[derive(Debug)]
struct Export;

impl Kernel for Export {
    fn run(&self, inputs: &[Value], _: &StepContext<'_>) -> Result<Vec<Value>> {
        let table = table(inputs)?;
        let entries = table.read();
        #[allow(clippy::iter_over_hash_type, reason = "sorted at once")]
        let mut sorted: Vec<(&Vec<u8>, &Vec<u8>)> = entries.iter().flatten().collect();
        sorted.sort();
        let shape = Shape::new(&[sorted.len()]);
        let (keys, values): (Vec<_>, Vec<_>) =
            sorted.into_iter().map(|(k, v)| (k.clone(), v.clone())).unzip();
        Ok(vec![
            Value::Tensor(collect(table.key, shape.clone(), keys)?),
            Value::Tensor(collect(table.value, shape, values)?),
        ])
    }
}

/// Where a key or value is on a line.
#[derive(Clone, Copy, Debug)]
enum Column {
    Line,
    Number,
    At(usize),
}

impl Column {
    fn of(node: &Node, attr: &str) -> Result<Column> {
        match node.attr_int(attr)? {
            -2 => Ok(Column::Line),
            -1 => Ok(Column::Number),
            at => usize::try_from(at)
                .map(Column::At)
                .map_err(|_| Error::invalid_argument(format!("{attr} is {at}")).at(&*node.name)),
        }
    }

    fn get(self, line: &[u8], number: usize, delimiter: u8, dtype: DType) -> Result<Vec<u8>> {
        let text = match self {
            Column::Number => return number_bytes(dtype, &number.to_string()),
            Column::Line => line,
            Column::At(at) => line.split(|&b| b == delimiter).nth(at).ok_or_else(|| {
                Error::invalid_argument(format!(
                    "Invalid number of columns in line {number}: column {at} is missing"
                ))
            })?,
        };
        if dtype == DType::String {
            return Ok(text.to_vec());
        }
        number_bytes(dtype, &String::from_utf8_lossy(strip(text)))
    }
}

/// A number that is written, as an element.
fn number_bytes(dtype: DType, text: &str) -> Result<Vec<u8>> {
    fn parsed<T: std::str::FromStr + Element>(text: &str) -> Result<Vec<u8>> {
        let wrong =
            |_| Error::invalid_argument(format!("Field {text} in line is not a valid number"));
        Ok(bytemuck::bytes_of(&text.parse::<T>().map_err(wrong)?).to_vec())
    }
    match dtype {
        DType::String => Ok(text.as_bytes().to_vec()),
        DType::I32 => parsed::<i32>(text),
        DType::I64 => parsed::<i64>(text),
        DType::F32 => parsed::<f32>(text),
        DType::F64 => parsed::<f64>(text),
        other => Err(Error::invalid_argument(format!("Key data type {other} not supported."))),
    }
}

#[derive(Debug)]
struct FromFile {
    key: Column,
    value: Column,
    delimiter: u8,
    size: Option<usize>,
    offset: usize,
}

fn make_from_file(node: &Node) -> Result<Box<dyn Kernel>> {
    let delimiter = match node.attr_bytes("delimiter")? {
        [one] => *one,
        _ => {
            let e = Error::invalid_argument("delimiter should be only 1 char");
            return Err(e.at(&*node.name));
        }
    };
    Ok(Box::new(FromFile {
        key: Column::of(node, "key_index")?,
        value: Column::of(node, "value_index")?,
        delimiter,
        size: usize::try_from(node.attr_int("vocab_size")?).ok(),
        offset: usize::try_from(node.attr_int("offset")?).unwrap_or(0),
    }))
}

impl Kernel for FromFile {
    fn run(&self, inputs: &[Value], _: &StepContext<'_>) -> Result<Vec<Value>> {
        let (table, name) = (table(inputs)?, tensor(inputs, 1)?);
        let Some([path]) = name.as_strings() else {
            return Err(Error::invalid_argument("filename should be a single string"));
        };
        let path = String::from_utf8_lossy(path);
        let failed = |e: std::io::Error| Error::not_found(format!("{path}: {e}"));
        if fs::metadata(&*path).map_err(failed)?.len() > limits::INPUT_FILE_BYTES_MAX {
            return Err(Error::resource_exhausted(format!("{path} is too large")));
        }
        let bytes = fs::read(&*path).map_err(failed)?;
        let text = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        let lines: Vec<&[u8]> = match text.is_empty() {
            true => Vec::new(),
            false => text.split(|&b| b == b'\n').skip(self.offset).collect(),
        };
        if self.size.is_some_and(|size| size > lines.len()) {
            return Err(Error::invalid_argument(format!(
                "Invalid vocab_size in {path}: expected {} but got {}",
                self.size.unwrap_or(0),
                lines.len()
            )));
        }
        let mut entries = Entries::default();
        for (number, line) in lines.iter().take(self.size.unwrap_or(usize::MAX)).enumerate() {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let get = |column: Column, dtype| column.get(line, number, self.delimiter, dtype);
            let (key, value) = (get(self.key, table.key)?, get(self.value, table.value)?);
            let old = entries.insert(key, value.clone());
            if old.is_some_and(|old| old != value) {
                return Err(Error::failed_precondition(format!(
                    "HashTable has different value for same key, in line {number} of {path}"
                )));
            }
        }
        table.fill(entries, true)?;
        Ok(Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_a_line() {
        let line = b"a\t 7 \tc";
        let get = |column: Column, dtype| column.get(line, 3, b'\t', dtype);
        assert_eq!(get(Column::At(0), DType::String).unwrap(), b"a");
        assert_eq!(get(Column::At(1), DType::I64).unwrap(), 7i64.to_le_bytes());
        assert_eq!(get(Column::Number, DType::I64).unwrap(), 3i64.to_le_bytes());
        assert_eq!(get(Column::Line, DType::String).unwrap(), line);
        assert!(get(Column::At(3), DType::String).is_err());
        assert!(get(Column::At(0), DType::F32).is_err());
    }

    #[test]
    fn a_table_is_filled_once() {
        let table = Table {
            key: DType::String,
            value: DType::I64,
            mutable: false,
            entries: RwLock::new(None),
        };
        let one: Entries = [(b"a".to_vec(), vec![1])].into_iter().collect();
        let two: Entries = [(b"a".to_vec(), vec![2])].into_iter().collect();
        table.fill(one.clone(), true).unwrap();
        table.fill(one, true).unwrap();
        assert!(table.fill(two.clone(), true).is_err());
        table.fill(two, false).unwrap();
    }
}
