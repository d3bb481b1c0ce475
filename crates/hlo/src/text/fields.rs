//! Access to the attributes an operation is written with, whichever of MLIR's forms they have.

use tfjit_base::{Error, Result};

use crate::{Attr, Attrs, Dims, Precision};

/// Elements of a list of dimension numbers or groups; keeps splats from standing for gigabytes.
const LIST_MAX: usize = 1 << 20;

/// The attributes of one operation, taken one by one; what is left is discardable.
pub(super) struct Fields<'a> {
    op: &'a str,
    attrs: &'a mut Attrs,
}

/// An enumeration's variants by their text.
pub(super) type FromText<T> = fn(&str) -> Option<T>;

impl<'a> Fields<'a> {
    pub(super) fn new(op: &'a str, attrs: &'a mut Attrs) -> Fields<'a> {
        Fields { op, attrs }
    }

    /// Takes an attribute.
    pub(super) fn take(&mut self, key: &str) -> Option<Attr> {
        self.attrs.shift_remove(key)
    }

    /// Takes all attributes that are left.
    pub(super) fn rest(&mut self) -> Attrs {
        std::mem::take(self.attrs)
    }

    /// Takes an attribute.
    pub(super) fn require(&mut self, key: &str) -> Result<Attr> {
        self.take(key).ok_or_else(|| {
            Error::invalid_argument(format!("{} needs the attribute {key}", self.op))
        })
    }

    /// An error about the attribute `key`.
    pub(super) fn wrong(&self, key: &str, what: &str) -> Error {
        Error::invalid_argument(format!("the attribute {key} of {} must be {what}", self.op))
    }

    /// Takes an integer.
    pub(super) fn int(&mut self, key: &str) -> Result<i64> {
        match self.require(key)? {
            Attr::Int(value, _) => Ok(value),
            _ => Err(self.wrong(key, "an integer")),
        }
    }

    /// Takes an integer that may be absent.
    pub(super) fn int_or(&mut self, key: &str, default: i64) -> Result<i64> {
        if self.attrs.contains_key(key) { self.int(key) } else { Ok(default) }
    }

    /// Takes a 32-bit integer that may be absent.
    pub(super) fn i32_or(&mut self, key: &str, default: i32) -> Result<i32> {
        let value = self.int_or(key, i64::from(default))?;
        i32::try_from(value).map_err(|_| self.wrong(key, "a 32-bit integer"))
    }

    /// Takes a flag; an absent one is `default`.
    pub(super) fn bool_or(&mut self, key: &str, default: bool) -> Result<bool> {
        match self.take(key) {
            None => Ok(default),
            Some(Attr::Unit) => Ok(true),
            Some(Attr::Bool(value)) => Ok(value),
            Some(_) => Err(self.wrong(key, "true or false")),
        }
    }

    /// Takes a float.
    pub(super) fn f32(&mut self, key: &str) -> Result<f32> {
        match self.require(key)? {
            Attr::Float(value, _) => Ok(value as f32),
            Attr::Int(value, _) => Ok(value as f32),
            _ => Err(self.wrong(key, "a number")),
        }
    }

    /// Takes a string; an absent one is empty.
    pub(super) fn text_or_empty(&mut self, key: &str) -> Result<String> {
        match self.take(key) {
            None => Ok(String::new()),
            Some(Attr::Str(text)) => Ok(text),
            Some(_) => Err(self.wrong(key, "a string")),
        }
    }

    /// Takes a symbol (or, as older texts have it, a string).
    pub(super) fn symbol(&mut self, key: &str) -> Result<String> {
        match self.require(key)? {
            Attr::Symbol(name) | Attr::Str(name) => Ok(name),
            _ => Err(self.wrong(key, "a symbol")),
        }
    }

    /// Takes a list of integers.
    pub(super) fn dims(&mut self, key: &str) -> Result<Dims> {
        let attr = self.require(key)?;
        self.as_dims(key, &attr)
    }

    /// Takes a list of integers that may be absent.
    pub(super) fn optional_dims(&mut self, key: &str) -> Result<Option<Dims>> {
        match self.take(key) {
            None => Ok(None),
            Some(attr) => self.as_dims(key, &attr).map(Some),
        }
    }

    /// Takes a list of integers; an absent one is `default` in each of `rank` places.
    pub(super) fn dims_or(&mut self, key: &str, default: i64, rank: usize) -> Result<Dims> {
        Ok(self.optional_dims(key)?.unwrap_or_else(|| Dims::from_elem(default, rank)))
    }

    fn as_dims(&self, key: &str, attr: &Attr) -> Result<Dims> {
        integers(attr).map(Dims::from_vec).ok_or_else(|| self.wrong(key, "a list of integers"))
    }

    /// Takes a list of flags; absent ones are false in each of `rank` places.
    pub(super) fn flags_or_false(&mut self, key: &str, rank: usize) -> Result<Vec<bool>> {
        match self.take(key) {
            None => Ok(vec![false; rank]),
            Some(attr) => integers(&attr)
                .map(|values| values.into_iter().map(|v| v != 0).collect())
                .ok_or_else(|| self.wrong(key, "a list of true and false")),
        }
    }

    /// Takes pairs of integers that may be absent.
    pub(super) fn optional_pairs(&mut self, key: &str) -> Result<Option<Vec<[i64; 2]>>> {
        let Some(attr) = self.take(key) else { return Ok(None) };
        let rows = rows(&attr).ok_or_else(|| self.wrong(key, "pairs of integers"))?;
        let flat: Vec<i64> = rows.into_iter().flatten().collect();
        if !flat.len().is_multiple_of(2) {
            return Err(self.wrong(key, "pairs of integers"));
        }
        Ok(Some(flat.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect()))
    }

    /// Takes pairs of integers; absent ones are zeros in each of `rank` places.
    pub(super) fn pairs_or_zero(&mut self, key: &str, rank: usize) -> Result<Vec<[i64; 2]>> {
        Ok(self.optional_pairs(key)?.unwrap_or_else(|| vec![[0, 0]; rank]))
    }

    /// The rows of integers that an attribute holds.
    pub(super) fn as_rows(&self, key: &str, attr: &Attr) -> Result<Vec<Vec<i64>>> {
        rows(attr).ok_or_else(|| self.wrong(key, "rows of integers"))
    }

    /// Takes an enumeration's variant.
    pub(super) fn variant<T>(&mut self, key: &str, from_text: FromText<T>) -> Result<T> {
        let attr = self.require(key)?;
        variant(&attr, from_text).ok_or_else(|| self.wrong(key, "one of its variants"))
    }

    /// Takes an enumeration's variant that may be absent.
    pub(super) fn variant_or<T>(
        &mut self,
        key: &str,
        from_text: FromText<T>,
        default: T,
    ) -> Result<T> {
        if self.attrs.contains_key(key) { self.variant(key, from_text) } else { Ok(default) }
    }

    /// Takes `precision_config`.
    pub(super) fn precision(&mut self) -> Result<Vec<Precision>> {
        let Some(attr) = self.take("precision_config") else { return Ok(Vec::new()) };
        let Attr::Array(items) = &attr else {
            return Err(self.wrong("precision_config", "a list"));
        };
        let parsed: Option<Vec<Precision>> =
            items.iter().map(|item| variant(item, Precision::from_text)).collect();
        parsed.ok_or_else(|| self.wrong("precision_config", "a list of precisions"))
    }

    /// Takes a dialect attribute as text.
    pub(super) fn dialect(&mut self, key: &str) -> Result<String> {
        match self.require(key)? {
            Attr::Opaque(text) => Ok(text),
            _ => Err(self.wrong(key, "a dialect attribute")),
        }
    }

    /// Takes a dialect attribute as text that may be absent.
    pub(super) fn optional_dialect(&mut self, key: &str) -> Result<Option<String>> {
        if self.attrs.contains_key(key) { self.dialect(key).map(Some) } else { Ok(None) }
    }

    /// Takes a list of symbols; an absent one is empty.
    pub(super) fn symbols(&mut self, key: &str) -> Result<Vec<String>> {
        let items = match self.take(key) {
            None => return Ok(Vec::new()),
            Some(Attr::Array(items)) => items,
            Some(_) => return Err(self.wrong(key, "a list of symbols")),
        };
        let names: Option<Vec<String>> = items
            .into_iter()
            .map(|item| match item {
                Attr::Symbol(name) | Attr::Str(name) => Some(name),
                _ => None,
            })
            .collect();
        names.ok_or_else(|| self.wrong(key, "a list of symbols"))
    }
}

/// The variant that `#stablehlo<kind VARIANT>`, or a string as in older texts, names.
fn variant<T>(attr: &Attr, from_text: FromText<T>) -> Option<T> {
    match attr {
        Attr::Str(text) => from_text(text),
        Attr::Opaque(text) => {
            let inner = text.trim_end_matches('>').rsplit(['<', ' ']).next()?;
            from_text(inner.trim_matches('"'))
        }
        _ => None,
    }
}

/// The integers of `array<i64: …>`, of `dense<…>`, or of a list.
fn integers(attr: &Attr) -> Option<Vec<i64>> {
    match attr {
        Attr::DenseArray(_, values) => Some(values.clone()),
        Attr::Dense(literal) => {
            let small = literal.shape().elements() <= LIST_MAX;
            small.then(|| literal.to_tensor().and_then(|t| t.to_i64s()).ok()).flatten()
        }
        Attr::Array(items) => items
            .iter()
            .map(|item| match item {
                Attr::Int(value, _) => Some(*value),
                Attr::Bool(value) => Some(i64::from(*value)),
                _ => None,
            })
            .collect(),
        _ => None,
    }
}

/// The rows of a matrix of integers, `dense<[[…], […]]>` or `[[…], […]]`.
fn rows(attr: &Attr) -> Option<Vec<Vec<i64>>> {
    match attr {
        Attr::Array(items) if items.iter().all(|i| matches!(i, Attr::Array(_))) => {
            items.iter().map(integers).collect()
        }
        Attr::Dense(literal) => {
            let values = integers(attr)?;
            let &[count, width] = literal.shape().dims() else { return Some(vec![values]) };
            if width == 0 {
                return (count <= LIST_MAX).then(|| vec![Vec::new(); count]);
            }
            Some(values.chunks_exact(width).map(<[i64]>::to_vec).collect())
        }
        _ => integers(attr).map(|values| vec![values]),
    }
}
