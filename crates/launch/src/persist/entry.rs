//! One file of the cache: TensorFlow's message (a key, the program, the executable) with fields of
//! ours behind TensorFlow's numbers.
//!
//! | field | what |
//! |---|---|
//! | 1 | the key: 1 signature, 2 cluster, 3 device type, 4 prefix, 5 PJRT; |
//! |   | ours: 16 compiler, 17 client, 18 plugin, 19 options |
//! | 2 | the program as text |
//! | 3 | the executable; starts at a multiple of 64 bytes in files that we write |
//! | 16 | how the executable belongs to the function, see [`super::Metadata`] |
//! | 17 | CRC-32C over fields 1, 16, 18, 19 and 3 (fixed32) |
//! | 18, 19 | the function's name and the signature, for people |
//! | 20 | fingerprint of field 2 (fixed64) |
//! | 21 | microseconds that compiling took |
//! | 30 | the mark that the file is ours (fixed32), at the start of the file |
//! | 31 | padding |

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use tfjit_base::{Bytes, Error, Result, Storage};

use super::fingerprint::bytes64;
use super::wire::{Reader, Writer, damaged};
use super::{Key, Metadata};

/// The first bytes of our files: the tag of field 30 and its number.
pub(super) const MARK: [u8; 6] = [0xf5, 0x01, b't', b'f', b'j', b'1'];
/// Alignment of the executable in the file, which is that of tensors.
const ALIGN: usize = 64;

/// What is to be saved.
#[derive(Clone, Debug)]
pub struct NewEntry<'a> {
    /// The program as text; may be empty.
    pub hlo: &'a str,
    /// The serialized executable.
    pub executable: &'a [u8],
    /// How the executable belongs to the function.
    pub metadata: &'a Metadata,
    /// The function's name, for people.
    pub function: &'a str,
    /// The signature, for people.
    pub signature: &'a str,
    /// Microseconds that compiling took.
    pub compile_micros: u64,
}

impl NewEntry<'_> {
    /// The file for this entry.
    pub fn encode(&self, key: &Key) -> Vec<u8> {
        let key = key.encode();
        let metadata = self.metadata.encode();
        let small = key.len() + metadata.len() + self.function.len() + self.signature.len();
        let room = small + self.hlo.len() + self.executable.len() + 4 * ALIGN;
        let mut w = Writer::with_capacity(room);
        w.fixed32(30, u32::from_le_bytes([MARK[2], MARK[3], MARK[4], MARK[5]]));
        w.bytes(1, &key);
        w.text(2, self.hlo);
        w.bytes(16, &metadata);
        let parts: [&[u8]; 5] =
            [&key, &metadata, self.function.as_bytes(), self.signature.as_bytes(), self.executable];
        w.fixed32(17, checksum(parts));
        w.text(18, self.function);
        w.text(19, self.signature);
        w.fixed64(20, bytes64(self.hlo.as_bytes()));
        w.varint(21, self.compile_micros);
        w.pad(31, self.executable.len(), ALIGN);
        w.bytes(3, self.executable);
        w.finish()
    }
}

/// CRC-32C over the parts one after another.
fn checksum(parts: [&[u8]; 5]) -> u32 {
    parts.iter().fold(0, |crc, part| crc32c::crc32c_append(crc, part))
}

/// What was found in a file.
#[derive(Clone)]
pub struct Entry {
    /// The key it was saved under.
    pub key: Key,
    /// The function's name.
    pub function: String,
    /// The signature as text.
    pub signature: String,
    /// Microseconds that compiling took.
    pub compile_micros: u64,
    hlo_fingerprint: Option<u64>,
    checksum: Option<u32>,
    file: Arc<dyn Storage>,
    key_bytes: Range<usize>,
    hlo: Range<usize>,
    executable: Range<usize>,
    metadata: Range<usize>,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Entry({} of {} bytes)", self.function, self.file_bytes())
    }
}

impl Entry {
    /// Reads a file. Only its form is checked here, see [`Entry::verify`].
    ///
    /// # Errors
    /// DATA_LOSS when the bytes are no entry.
    pub fn decode(file: Arc<dyn Storage>) -> Result<Entry> {
        let mut entry = Entry {
            key: Key::default(),
            function: String::new(),
            signature: String::new(),
            compile_micros: 0,
            hlo_fingerprint: None,
            checksum: None,
            file: Arc::clone(&file),
            key_bytes: 0..0,
            hlo: 0..0,
            executable: 0..0,
            metadata: 0..0,
        };
        let mut reader = Reader::new(file.bytes());
        let mut key = None;
        while let Some((field, value)) = reader.field()? {
            let range = || value.bytes().map(|bytes| reader.last_range(bytes.len()));
            match field {
                1 => {
                    entry.key_bytes = range()?;
                    key = Some(Key::decode(value.bytes()?)?);
                }
                2 => {
                    value.text()?;
                    entry.hlo = range()?;
                }
                3 => entry.executable = range()?,
                16 => entry.metadata = range()?,
                17 => entry.checksum = u32::try_from(value.number()?).ok(),
                18 => entry.function = value.text()?.to_owned(),
                19 => entry.signature = value.text()?.to_owned(),
                20 => entry.hlo_fingerprint = Some(value.number()?),
                21 => entry.compile_micros = value.number()?,
                _ => {}
            }
        }
        entry.key = key.ok_or_else(|| damaged("there is no key"))?;
        Ok(entry)
    }

    fn part(&self, range: &Range<usize>) -> &[u8] {
        self.file.bytes().get(range.clone()).unwrap_or_default()
    }

    /// The serialized executable.
    pub fn executable(&self) -> &[u8] {
        self.part(&self.executable)
    }

    /// The serialized executable, to be kept; it starts at a multiple of 64 bytes if we wrote it.
    ///
    /// # Errors
    /// None: the range was taken from the file itself.
    pub fn executable_shared(&self) -> Result<Bytes> {
        Bytes::view(Arc::clone(&self.file), self.executable.clone())
    }

    /// The program as text.
    pub fn hlo(&self) -> &str {
        std::str::from_utf8(self.part(&self.hlo)).unwrap_or_default()
    }

    /// How the executable belongs to the function.
    ///
    /// # Errors
    /// DATA_LOSS when the bytes are none.
    pub fn metadata(&self) -> Result<Metadata> {
        Metadata::decode(self.part(&self.metadata))
    }

    /// Bytes of the whole file.
    pub fn file_bytes(&self) -> usize {
        self.file.bytes().len()
    }

    /// Whether this is what was asked for, and undamaged.
    ///
    /// # Errors
    /// INVALID_ARGUMENT with TensorFlow's words for a key that is not `wanted` (the hint names the
    /// parts that differ), for a program that was changed (unless `check_hlo` is false) and for an
    /// entry without executable; DATA_LOSS for a checksum that does not fit.
    pub fn verify(&self, wanted: &Key, check_hlo: bool) -> Result<()> {
        let differences = self.key.differences(wanted);
        if !differences.is_empty() {
            let parts: Vec<String> = differences.iter().map(ToString::to_string).collect();
            return Err(Error::invalid_argument("Serialized cache key does not match.")
                .help(parts.join("; ")));
        }
        self.verify_content(check_hlo)
    }

    /// As [`Entry::verify`], whatever was asked for.
    ///
    /// # Errors
    /// Those of [`Entry::verify`] but for the key.
    pub fn verify_content(&self, check_hlo: bool) -> Result<()> {
        let hlo = self.part(&self.hlo);
        if check_hlo && self.hlo_fingerprint.is_none_or(|want| bytes64(hlo) != want) {
            return Err(hlo_differs().help("the program in the file was changed"));
        }
        if self.executable.is_empty() {
            return Err(Error::invalid_argument("No binary found in serialized entry."));
        }
        let parts = [
            self.part(&self.key_bytes),
            self.part(&self.metadata),
            self.function.as_bytes(),
            self.signature.as_bytes(),
            self.executable(),
        ];
        let want = self.checksum.ok_or_else(|| damaged("there is no checksum"))?;
        let got = checksum(parts);
        if got != want {
            let text = format!("the checksum is {got:08x}, not {want:08x} as written");
            return Err(Error::data_loss(text));
        }
        self.metadata().map(drop)
    }

    /// Whether the stored program is this one: for who lowers before asking, as TensorFlow does.
    ///
    /// # Errors
    /// INVALID_ARGUMENT "Serialized HLO does not match." when it is not.
    pub fn verify_hlo(&self, hlo: &str) -> Result<()> {
        if self.part(&self.hlo) == hlo.as_bytes() { Ok(()) } else { Err(hlo_differs()) }
    }
}

fn hlo_differs() -> Error {
    Error::invalid_argument("Serialized HLO does not match.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tfjit_base::{AlignedBytes, Code};

    fn aligned(bytes: &[u8]) -> Arc<dyn Storage> {
        Arc::new(AlignedBytes::copy_of(bytes).unwrap())
    }

    fn sample(executable: &[u8]) -> (Key, Vec<u8>) {
        let key = Key { signature: 7, cluster: 9, client: "c".to_owned(), ..Key::default() };
        let metadata = Metadata::default();
        let entry = NewEntry {
            hlo: "module {}",
            executable,
            metadata: &metadata,
            function: "f",
            signature: "f,f32 [2]",
            compile_micros: 12,
        };
        let bytes = entry.encode(&key);
        (key, bytes)
    }

    #[test]
    fn what_is_written_is_read() {
        for length in [1usize, 63, 64, 1000, 70_000] {
            let executable = vec![3u8; length];
            let (key, bytes) = sample(&executable);
            assert!(bytes.starts_with(&MARK));
            assert_eq!((bytes.len() - length) % ALIGN, 0);
            let entry = Entry::decode(aligned(&bytes)).unwrap();
            entry.verify(&key, true).unwrap();
            assert_eq!(entry.executable(), executable);
            assert_eq!(entry.executable_shared().unwrap().as_ref(), executable);
            assert_eq!(entry.executable().as_ptr() as usize % ALIGN, 0);
            assert_eq!((entry.hlo(), entry.function.as_str()), ("module {}", "f"));
            assert_eq!((entry.signature.as_str(), entry.compile_micros), ("f,f32 [2]", 12));
            entry.verify_hlo("module {}").unwrap();
            assert!(entry.verify_hlo("module { }").is_err());
        }
    }

    #[test]
    fn no_changed_bit_goes_unnoticed() {
        let (key, bytes) = sample(&[1, 2, 3, 4, 5, 6, 7, 8]);
        for bit in 0..bytes.len() * 8 {
            let mut other = bytes.clone();
            other[bit / 8] ^= 1 << (bit % 8);
            let Ok(entry) = Entry::decode(aligned(&other)) else { continue };
            if entry.verify(&key, true).is_ok() {
                // What is left: the mark, padding, and the time, which nothing depends on.
                assert_eq!(entry.executable(), [1, 2, 3, 4, 5, 6, 7, 8]);
                assert_eq!((entry.hlo(), entry.function.as_str()), ("module {}", "f"));
            }
        }
    }

    #[test]
    fn every_cut_is_an_error_or_a_miss() {
        let (key, bytes) = sample(&[9; 100]);
        for cut in 0..bytes.len() {
            let read = Entry::decode(aligned(&bytes[..cut]));
            assert!(read.and_then(|e| e.verify(&key, true)).is_err(), "{cut}");
        }
    }

    #[test]
    fn tensorflows_words_are_used() {
        let (key, bytes) = sample(&[1]);
        let entry = Entry::decode(aligned(&bytes)).unwrap();
        let other = Key { client: "d".to_owned(), ..key.clone() };
        let error = entry.verify(&other, true).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert_eq!(error.message(), "Serialized cache key does not match.");
        assert_eq!(error.hint(), Some("the client is 'c', not 'd'"));
        let (key, bytes) = sample(&[]);
        let error = Entry::decode(aligned(&bytes)).unwrap().verify(&key, true).unwrap_err();
        assert_eq!(error.message(), "No binary found in serialized entry.");
    }
}
