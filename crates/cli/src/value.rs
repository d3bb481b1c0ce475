//! Values for inputs: what the user wrote, as a tensor of the type and shape the input has.
//!
//! It must not know models; an input is a name, an element type and a partly known shape.

mod cast;
mod image;
mod literal;
mod random;

use std::path::Path;

use tfjit_base::{DType, Error, PartialShape, Result, Shape, Tensor, limits};
use tfjit_model::mapped;

use crate::compat::FeedSource;
use crate::numpy::{self, Npz};
use crate::python;

pub(crate) use cast::cast;
pub(crate) use image::PixelRange;
pub(crate) use random::random;

/// An input that wants a value.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) name: String,
    pub(crate) dtype: DType,
    pub(crate) shape: PartialShape,
}

impl Slot {
    /// The tensor, converted to the slot's type where that loses nothing but precision.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when type or shape do not fit.
    fn accept(&self, tensor: &Tensor) -> Result<Tensor> {
        let tensor = cast(tensor, self.dtype)?;
        if !self.shape.accepts(tensor.shape()) {
            return Err(Error::invalid_argument(format!(
                "the value has the shape {}, the input takes {}",
                tensor.shape(),
                self.shape
            )));
        }
        Ok(tensor)
    }

    /// Sets an unknown first extent.
    pub(crate) fn set_batch(&mut self, batch: usize) {
        if let Some([None, rest @ ..]) = self.shape.dims() {
            let dims = std::iter::once(Some(batch)).chain(rest.iter().copied());
            self.shape = PartialShape::new(dims.collect());
        }
    }

    /// Sets the whole shape.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when the input does not take it.
    pub(crate) fn set_shape(&mut self, shape: &Shape) -> Result<()> {
        if !self.shape.accepts(shape) {
            return Err(Error::invalid_argument(format!(
                "the shape {shape} is given, the input takes {}",
                self.shape
            ))
            .at(format!("input {}", self.name)));
        }
        self.shape = PartialShape::known(shape);
        Ok(())
    }

    /// The shape with 1 for what is unknown; `None` when even the rank is.
    pub(crate) fn filled_shape(&self) -> Option<Shape> {
        Some(self.shape.dims()?.iter().map(|d| d.unwrap_or(1)).collect())
    }
}

/// The tensor for `slot` that `text` describes.
///
/// # Errors
/// Naming the input: no such file, a broken one, a literal that is none, or a type or shape that
/// does not fit.
pub(crate) fn parse_value(text: &str, slot: &Slot, pixels: PixelRange) -> Result<Tensor> {
    value(text, slot, pixels).map_err(|e| e.at(format!("input {}", slot.name)))
}

fn value(text: &str, slot: &Slot, pixels: PixelRange) -> Result<Tensor> {
    if let Some(seed) = text.strip_prefix("random:") {
        let seed = seed.parse().map_err(|_| {
            Error::invalid_argument(format!("{seed:?} is no seed: random: takes a whole number"))
        })?;
        let shape = slot.filled_shape().ok_or_else(|| {
            Error::invalid_argument("a random value needs a shape, and the input's rank is unknown")
                .help(format!("give one: --shape {}=1,2,3", slot.name))
        })?;
        return random(slot.dtype, &shape, seed);
    }
    if let Some(path) = text.strip_prefix('@') {
        return slot.accept(&one_string(read_file(Path::new(path))?.to_vec())?);
    }
    if let Some((path, array)) = npz_path(text) {
        return slot.accept(&read_array(path, array, slot.dtype)?);
    }
    if has_extension(text, &["npy"]) {
        return slot.accept(&read_array(text, None, slot.dtype)?);
    }
    if has_extension(text, image::EXTENSIONS) {
        let bytes = read_file(Path::new(text))?;
        return match slot.dtype {
            // Models that decode images themselves take the file.
            DType::String => slot.accept(&filled_string(bytes.to_vec(), slot)?),
            _ => slot.accept(&image::decode(&bytes, slot, pixels)?),
        };
    }
    literal_value(text, slot)
}

fn literal_value(text: &str, slot: &Slot) -> Result<Tensor> {
    match python::parse(text, true) {
        Ok(literal) => slot.accept(&literal::tensor(&literal, slot.dtype)?),
        // A bare word is a string where strings are wanted.
        Err(_) if slot.dtype == DType::String && !text.starts_with(['[', '(', '\'', '"']) => {
            slot.accept(&filled_string(text.as_bytes().to_vec(), slot)?)
        }
        Err(e) if Path::new(text).exists() => Err(e.help(format!(
            "there is a file {text}; files are known by .npy, .npz, .png, .jpg, .gif, .bmp, and \
             @FILE is the contents of any file"
        ))),
        Err(e) => Err(e.help(
            "a value is a literal such as [[1.0, 2.0]], a file .npy, .npz:array, .png, .jpg, .gif \
             or .bmp, random:SEED, or @FILE",
        )),
    }
}

/// The tensor for `slot` from one of saved_model_cli's flags.
///
/// # Errors
/// As [`parse_value`].
pub(crate) fn feed_value(source: &FeedSource, slot: &Slot) -> Result<Tensor> {
    let value = match source {
        FeedSource::File { path, array } => read_array(path, array.as_deref(), slot.dtype),
        FeedSource::Literal(literal) => literal::tensor(literal, slot.dtype),
    };
    value.and_then(|t| slot.accept(&t)).map_err(|e| e.at(format!("input {}", slot.name)))
}

/// `file.npz` or `file.npz:array`.
fn npz_path(text: &str) -> Option<(&str, Option<&str>)> {
    if has_extension(text, &["npz"]) {
        return Some((text, None));
    }
    let at = text.find(".npz:")? + 4;
    Some((&text[..at], Some(&text[at + 1..])))
}

/// Whether a path, and no literal, ends in one of these extensions.
fn has_extension(text: &str, extensions: &[&str]) -> bool {
    let Some((stem, extension)) = text.rsplit_once('.') else { return false };
    !stem.is_empty()
        && !text.starts_with(['[', '(', '\'', '"', '{'])
        && extensions.iter().any(|e| extension.eq_ignore_ascii_case(e))
}

/// An array from a `.npy` or `.npz` file, whatever its name.
fn read_array(path: &str, array: Option<&str>, wanted: DType) -> Result<Tensor> {
    let bytes = read_file(Path::new(path))?;
    let raw = Some(wanted);
    if bytes.starts_with(numpy::NPY_MAGIC) {
        // A name is ignored, as NumPy's single arrays have none.
        return numpy::read_npy(&bytes, raw).map_err(|e| e.context(path));
    }
    if !bytes.starts_with(numpy::ZIP_MAGIC) && !bytes.starts_with(b"PK\x05\x06") {
        return Err(Error::invalid_argument(format!("{path} is neither a .npy nor a .npz file"))
            .help("pickle files are never read"));
    }
    let npz = Npz::open(&bytes).map_err(|e| e.context(path))?;
    let names: Vec<&str> = npz.names().collect();
    let name = match (array, names.as_slice()) {
        (Some(name), names) if names.contains(&name) => name,
        (Some(name), names) => {
            return Err(Error::not_found(format!(
                "Input file {path} does not contain variable with name \"{name}\"."
            ))
            .help(format!("it contains {}", names.join(", "))));
        }
        (None, [only]) => only,
        (None, []) => return Err(Error::not_found(format!("{path} contains no array"))),
        (None, names) => {
            return Err(Error::invalid_argument(format!(
                "Input file {path} contains more than one ndarrays. Please specify the name of \
                 ndarray to use."
            ))
            .help(format!("it contains {}", names.join(", "))));
        }
    };
    npz.read(name, raw).map_err(|e| e.context(path))
}

/// The bytes of a file, mapped.
pub(crate) struct FileBytes(std::sync::Arc<dyn tfjit_base::Storage>);

impl std::ops::Deref for FileBytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        self.0.bytes()
    }
}

/// Maps a file of the user's.
///
/// # Errors
/// What the system says, and RESOURCE_EXHAUSTED above [`limits::INPUT_FILE_BYTES_MAX`].
pub(crate) fn read_file(path: &Path) -> Result<FileBytes> {
    let length = mapped::file_length(path)?;
    if length > limits::INPUT_FILE_BYTES_MAX {
        return Err(Error::resource_exhausted(format!("{} has {length} bytes", path.display())));
    }
    Ok(FileBytes(mapped::map_file(path)?))
}

fn one_string(bytes: Vec<u8>) -> Result<Tensor> {
    Tensor::strings(Shape::scalar(), vec![bytes])
}

/// One string in the shape of the slot, if that takes one element.
fn filled_string(bytes: Vec<u8>, slot: &Slot) -> Result<Tensor> {
    match slot.filled_shape() {
        Some(shape) if shape.elements() == 1 => Tensor::strings(shape, vec![bytes]),
        _ => one_string(bytes),
    }
}

/// A shape from `--shape`: extents with commas; empty for a scalar.
///
/// # Errors
/// INVALID_ARGUMENT when it is not that.
pub(crate) fn parse_shape(text: &str) -> Result<Shape> {
    let trimmed = text.trim_matches(['[', ']', '(', ')']);
    let dims: Vec<i64> = trimmed
        .split([',', 'x'])
        .map(str::trim)
        .filter(|d| !d.is_empty())
        .map(|d| {
            d.parse().map_err(|_| {
                Error::invalid_argument(format!("{text:?} is no shape: write 1,224,224,3"))
            })
        })
        .collect::<Result<_>>()?;
    Shape::from_i64(&dims)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(dtype: DType, dims: &[Option<usize>]) -> Slot {
        Slot { name: "x".into(), dtype, shape: PartialShape::new(dims.to_vec()) }
    }

    fn parse(text: &str, slot: &Slot) -> Result<Tensor> {
        parse_value(text, slot, PixelRange::default())
    }

    #[test]
    fn forms_are_told_apart() {
        let x = slot(DType::F32, &[None, Some(2)]);
        assert_eq!(parse("[[1, 2.5]]", &x).unwrap().to_vec::<f32>().unwrap(), [1.0, 2.5]);
        assert_eq!(parse("random:3", &x).unwrap().shape().dims(), [1, 2]);
        let code = |text: &str| parse(text, &x).unwrap_err().code();
        assert_eq!(code("nowhere.npy"), tfjit_base::Code::NotFound);
        assert_eq!(code("nowhere.npz:a"), tfjit_base::Code::NotFound);
        assert_eq!(code("nowhere.PNG"), tfjit_base::Code::NotFound);
        assert_eq!(code("[1, 2]"), tfjit_base::Code::InvalidArgument);
        assert_eq!(code("random:x"), tfjit_base::Code::InvalidArgument);
        let s = slot(DType::String, &[None]);
        assert_eq!(parse("hello world", &s).unwrap().as_strings().unwrap()[0], b"hello world");
        assert_eq!(parse("['a', b'b']", &s).unwrap().shape().dims(), [2]);
    }

    #[test]
    fn shapes() {
        assert_eq!(parse_shape("1,224,224,3").unwrap().dims(), [1, 224, 224, 3]);
        assert_eq!(parse_shape("[2, 3]").unwrap().dims(), [2, 3]);
        assert_eq!(parse_shape("").unwrap().rank(), 0);
        assert!(parse_shape("1,a").is_err());
        assert!(parse_shape("-1").is_err());
    }
}
