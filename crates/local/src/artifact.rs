//! Executables as files: sections for a plan, its kernels, their machine code and constants; for
//! the interpreter, the text of the module.
//!
//! Machine code of a file runs as it is: checksums find damage, they do not keep out who means it.
//! Whoever keeps artifacts must see to it that nobody else can write them. All else in a file is
//! checked before it is used.

use tfjit_base::{Bytes, Error, Result};
use tfjit_exec::{KernelCode, LoadOptions, Loaded, StoredBytes, StoredConstants, read_constants};
use tfjit_hlo::Module;
use tfjit_plan::Plan;
use tfjit_plan::artifact::container::{ALIGN, Builder, Sections, append, damaged};
use tfjit_plan::artifact::{Reader, Writer, read_kernels, read_plan, write_kernels, write_plan};

use crate::kernels::{CODE_ALIGN, Kernels};

/// Kinds of sections. The first of a file says whose it is.
const FINGERPRINT: u32 = 1;
const PLAN: u32 = 2;
const KERNELS: u32 = 3;
const FUNCTIONS: u32 = 4;
const CODE: u32 = 5;
const CONSTANTS: u32 = 6;
const ELEMENTS: u32 = 7;
const TEXT: u32 = 8;
const MODULE: u32 = 16;

/// Sections of every plan; a text may follow.
const OF_A_PLAN: [u32; 7] = [FINGERPRINT, PLAN, KERNELS, FUNCTIONS, CODE, CONSTANTS, ELEMENTS];

/// A file with an executable.
#[derive(Clone, Copy)]
pub(crate) enum File<'f> {
    /// What is needed of it is copied.
    Borrowed(&'f [u8]),
    /// Constants may stay in it.
    Shared(&'f Bytes),
}

impl<'f> File<'f> {
    fn bytes(self) -> &'f [u8] {
        match self {
            File::Borrowed(bytes) => bytes,
            File::Shared(bytes) => bytes.as_ref(),
        }
    }
}

/// A plan that was read; its constants are elsewhere.
pub(crate) struct Read<'f> {
    pub(crate) plan: Plan,
    pub(crate) constants: StoredConstants,
    /// Code of each kernel, nothing where it is interpreted.
    functions: Vec<Option<&'f [u8]>>,
    /// The optimised module's text, if it was kept.
    pub(crate) text: Option<&'f str>,
}

/// An executable of the compiler as a file.
///
/// # Errors
/// RESOURCE_EXHAUSTED when memory is short.
pub(crate) fn write(
    fingerprint: &str,
    loaded: &Loaded,
    code: &[KernelCode],
    text: Option<&str>,
) -> Result<Vec<u8>> {
    let plan = loaded.plan();
    let mut file = Builder::new(OF_A_PLAN.len() + usize::from(text.is_some()));
    file.bytes(FINGERPRINT, fingerprint.as_bytes())?;
    let mut w = Writer::new();
    write_plan(&mut w, plan);
    file.bytes(PLAN, &w.into_bytes())?;
    let mut w = Writer::new();
    write_kernels(&mut w, &plan.kernels);
    file.bytes(KERNELS, &w.into_bytes())?;
    let functions: Vec<&[u8]> = code.iter().map(|code| function(code).unwrap_or(&[])).collect();
    let mut w = Writer::new();
    functions.iter().for_each(|function| w.size(function.len()));
    file.bytes(FUNCTIONS, &w.into_bytes())?;
    file.section(CODE, |file| {
        for function in &functions {
            file.resize(file.len().next_multiple_of(CODE_ALIGN), 0);
            append(file, function)?;
        }
        Ok(())
    })?;
    let pieces = loaded.constant_pieces();
    file.bytes(CONSTANTS, &pieces.table)?;
    file.section(ELEMENTS, |file| pieces.append_to(file))?;
    if let Some(text) = text {
        file.bytes(TEXT, text.as_bytes())?;
    }
    file.finish()
}

/// The machine code of a kernel; nothing when it is interpreted.
pub(crate) fn function(code: &KernelCode) -> Option<&[u8]> {
    match code {
        KernelCode::Native(code, entry) => code.function(*entry),
        KernelCode::Interpreted(_) => None,
    }
}

/// The fingerprint of the client that wrote a file.
///
/// # Errors
/// As [`Sections::open`].
pub(crate) fn fingerprint(file: File<'_>) -> Result<String> {
    let sections = Sections::open(file.bytes())?;
    Ok(text_of(sections.get(FINGERPRINT)?)?.to_owned())
}

/// # Errors
/// FAILED_PRECONDITION naming both fingerprints when they differ.
pub(crate) fn check_fingerprint(found: &str, wanted: &str) -> Result<()> {
    if found == wanted {
        return Ok(());
    }
    let message = format!("the artifact is of another client: '{found}', and this is '{wanted}'");
    Err(Error::failed_precondition(message))
}

/// Reads a plan and what belongs to it.
///
/// # Errors
/// DATA_LOSS, RESOURCE_EXHAUSTED when memory is short, FAILED_PRECONDITION for another version.
pub(crate) fn read(file: File<'_>) -> Result<Read<'_>> {
    let bytes = file.bytes();
    let sections = Sections::open(bytes)?;
    let kinds: Vec<u32> = sections.kinds().collect();
    let known = kinds.starts_with(&OF_A_PLAN) && matches!(kinds[OF_A_PLAN.len()..], [] | [TEXT]);
    if !known {
        return Err(Error::data_loss(format!("an artifact with sections {kinds:?}")));
    }
    let mut r = Reader::new(sections.get(KERNELS)?);
    let kernels = read_kernels(&mut r)?;
    r.end()?;
    let mut r = Reader::new(sections.get(FUNCTIONS)?);
    let mut code = Reader::new(sections.get(CODE)?);
    let mut functions = Vec::with_capacity(kernels.len());
    for _ in 0..kernels.len() {
        code.align(CODE_ALIGN)?;
        let function = code.raw(r.size()?)?;
        functions.push(if function.is_empty() { None } else { Some(function) });
    }
    r.end()?;
    code.end()?;
    let elements = sections.find(ELEMENTS)?.unwrap_or_default();
    let elements = match file {
        File::Borrowed(bytes) => StoredBytes::Copied(&bytes[elements]),
        File::Shared(bytes) => StoredBytes::Kept(bytes.clone(), elements),
    };
    let mut constants = read_constants(sections.get(CONSTANTS)?, elements)?;
    let mut r = Reader::new(sections.get(PLAN)?);
    let plan = read_plan(&mut r, kernels, std::mem::take(&mut constants.constants))?;
    r.end()?;
    let text = match sections.find(TEXT)? {
        Some(range) => Some(text_of(&bytes[range])?),
        None => None,
    };
    Ok(Read { plan, constants, functions, text })
}

impl Read<'_> {
    /// The code of all kernels.
    ///
    /// # Errors
    /// Those of loading code; DATA_LOSS for kernels that can't be interpreted.
    pub(crate) fn code(&self, kernels: &Kernels) -> Result<Vec<KernelCode>> {
        kernels.load(&self.plan, &self.functions).map_err(damaged)
    }

    /// The plan, ready to run.
    ///
    /// # Errors
    /// DATA_LOSS for a plan that would touch what is not its own, RESOURCE_EXHAUSTED.
    pub(crate) fn load(self, code: Vec<KernelCode>, options: &LoadOptions) -> Result<Loaded> {
        Loaded::with_constants(self.plan, code, options, self.constants).map_err(damaged)
    }
}

fn text_of(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|_| Error::data_loss("a text that is not UTF-8"))
}

/// An executable of the interpreter as a file.
///
/// # Errors
/// RESOURCE_EXHAUSTED when memory is short.
pub(crate) fn write_module(fingerprint: &str, module: &Module) -> Result<Vec<u8>> {
    let mut file = Builder::new(2);
    file.bytes(FINGERPRINT, fingerprint.as_bytes())?;
    file.bytes(MODULE, module.to_string().as_bytes())?;
    file.finish()
}

/// The module of an executable of the interpreter.
///
/// # Errors
/// As [`read`].
pub(crate) fn read_module(file: File<'_>) -> Result<Module> {
    let sections = Sections::open(file.bytes())?;
    if !sections.kinds().eq([FINGERPRINT, MODULE]) {
        return Err(Error::data_loss("an artifact with other sections than a module"));
    }
    tfjit_hlo::parse(text_of(sections.get(MODULE)?)?).map_err(damaged)
}

const _: () = assert!(CODE_ALIGN <= ALIGN, "functions are aligned in the file as in memory");
