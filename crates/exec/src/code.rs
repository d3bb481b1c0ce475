//! Machine code in memory: written once, then executable and never writable again.
//!
//! It must not know what the code computes; who calls an entry promises the calling convention.

use std::fmt::Write as _;
use std::ptr::NonNull;
use std::sync::Arc;

use tfjit_base::{Error, Result};
use tfjit_plan::{Artifact, Entry};

/// The calling convention of `tfjit_plan::kernel::abi`.
#[cfg(target_arch = "x86_64")]
pub(crate) type EntryFn = unsafe extern "sysv64" fn(*const u64);
/// The calling convention of `tfjit_plan::kernel::abi`.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) type EntryFn = unsafe extern "C" fn(*const u64);

/// What loading code does besides.
#[derive(Clone, Copy, Debug, Default)]
pub struct CodeOptions {
    /// Whether to append the entries to `/tmp/perf-PID.map`, where Linux' `perf` looks for names.
    pub perf_map: bool,
}

/// Pages with the code of an artifact; unmapped when the last owner lets go.
#[derive(Debug)]
pub struct LoadedCode {
    pages: NonNull<u8>,
    bytes: usize,
    entries: Vec<Entry>,
}

// SAFETY: the pages are never written after they were made.
unsafe impl Send for LoadedCode {}
// SAFETY: as above.
unsafe impl Sync for LoadedCode {}

/// Alignment of entries.
const ENTRY_ALIGNMENT: usize = 64;

impl LoadedCode {
    /// Maps the code of an artifact.
    ///
    /// # Errors
    /// FAILED_PRECONDITION when the processor lacks what the code needs, DATA_LOSS when an entry is
    /// not in the code, RESOURCE_EXHAUSTED or PERMISSION_DENIED when the system gives no pages.
    pub fn new(artifact: &Artifact, options: CodeOptions) -> Result<Arc<LoadedCode>> {
        if !runs_here(&artifact.target) {
            let message = format!("this processor does not run code for {}", artifact.target);
            return Err(Error::failed_precondition(message));
        }
        for entry in &artifact.entries {
            let inside = entry.offset.checked_add(entry.bytes);
            let inside = inside.is_some_and(|end| end <= artifact.code.len());
            if !inside || entry.bytes == 0 || entry.offset % ENTRY_ALIGNMENT != 0 {
                let message = format!("the entry of kernel {} is not in the code", entry.name);
                return Err(Error::data_loss(message));
            }
        }
        let code = map(&artifact.code, artifact)?;
        if options.perf_map {
            code.write_perf_map(artifact);
        }
        Ok(Arc::new(code))
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The name of an entry.
    pub fn name(&self, entry: usize) -> Option<&str> {
        self.entries.get(entry).map(|entry| entry.name.as_str())
    }

    /// Instructions and constants of an entry: position-independent, and nothing outside of them is
    /// referred to.
    pub fn function(&self, entry: usize) -> Option<&[u8]> {
        let entry = self.entries.get(entry)?;
        // SAFETY: entries lie in the code, which is initialised, readable and never written again.
        Some(unsafe {
            std::slice::from_raw_parts(self.pages.as_ptr().add(entry.offset), entry.bytes)
        })
    }

    /// The function of an entry.
    pub(crate) fn entry(&self, entry: usize) -> Option<EntryFn> {
        let offset = self.entries.get(entry)?.offset;
        let at = self.pages.as_ptr().wrapping_add(offset).cast_const();
        // SAFETY: the address is that of code of this convention, and the pages are executable. The
        // function must not be called when `self` is gone, which callers see to.
        Some(unsafe { std::mem::transmute::<*const u8, EntryFn>(at) })
    }

    /// A profile lacks names when it cannot be written; nothing else does.
    fn write_perf_map(&self, artifact: &Artifact) {
        use std::io::Write;
        let mut text = String::new();
        for entry in &artifact.entries {
            let at = self.pages.as_ptr().addr() + entry.offset;
            let name = entry.name.replace(char::is_whitespace, "_");
            let _ = writeln!(text, "{at:x} {:x} tfjit::{name}", entry.bytes);
        }
        let path = format!("/tmp/perf-{}.map", std::process::id());
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        if let Ok(mut file) = file {
            let _ = file.write_all(text.as_bytes());
        }
    }
}

/// Whether the processor has the named features.
fn runs_here(target: &str) -> bool {
    match target {
        #[cfg(target_arch = "x86_64")]
        "x86-64-avx2" => {
            std::arch::is_x86_feature_detected!("avx2")
                && std::arch::is_x86_feature_detected!("fma")
                && std::arch::is_x86_feature_detected!("f16c")
                && std::arch::is_x86_feature_detected!("bmi2")
        }
        _ => false,
    }
}

#[cfg(unix)]
fn map(code: &[u8], artifact: &Artifact) -> Result<LoadedCode> {
    let bytes = code.len().max(1).next_multiple_of(4096);
    let refused = |what: &str| {
        let system = std::io::Error::last_os_error();
        Error::resource_exhausted(format!("cannot {what} {bytes} bytes of code: {system}"))
    };
    // SAFETY: a fresh anonymous mapping touches nothing else.
    let pages = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    if pages == libc::MAP_FAILED {
        return Err(refused("map"));
    }
    let Some(pages) = NonNull::new(pages.cast::<u8>()) else { return Err(refused("map")) };
    let entries = artifact.entries.clone();
    // From here on dropping it unmaps the pages.
    let loaded = LoadedCode { pages, bytes, entries };
    // SAFETY: the mapping has room for the code and is writable.
    unsafe { std::ptr::copy_nonoverlapping(code.as_ptr(), pages.as_ptr(), code.len()) };
    // SAFETY: the range is the mapping.
    let done =
        unsafe { libc::mprotect(pages.as_ptr().cast(), bytes, libc::PROT_READ | libc::PROT_EXEC) };
    if done != 0 {
        let system = std::io::Error::last_os_error();
        return Err(Error::new(
            tfjit_base::Code::PermissionDenied,
            format!("the system does not let us run code we made: {system}"),
        )
        .help("turn code generation off"));
    }
    Ok(loaded)
}

#[cfg(not(unix))]
fn map(_: &[u8], _: &Artifact) -> Result<LoadedCode> {
    Err(Error::unimplemented("machine code is not loaded on this system"))
}

impl Drop for LoadedCode {
    fn drop(&mut self) {
        #[cfg(unix)]
        // SAFETY: the range is a mapping of ours; nobody has an entry without owning `self`.
        unsafe {
            libc::munmap(self.pages.as_ptr().cast(), self.bytes);
        }
        #[cfg(not(unix))]
        let _ = self.bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn artifact(code: &[u8]) -> Artifact {
        let entry = Entry { name: "k".into(), offset: 0, bytes: code.len() };
        Artifact { target: "x86-64-avx2".into(), code: code.to_vec(), entries: vec![entry] }
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn code_runs_and_is_not_writable() {
        // mov rax, [rdi]; mov qword ptr [rax], 7; ret
        let bytes = [0x48, 0x8b, 0x07, 0x48, 0xc7, 0x00, 7, 0, 0, 0, 0xc3];
        let code = LoadedCode::new(&artifact(&bytes), CodeOptions::default()).unwrap();
        let mut value = 0u64;
        let frame = [&raw mut value as u64];
        let entry = code.entry(0).unwrap();
        // SAFETY: the code writes to the address in the frame's first word.
        unsafe { entry(frame.as_ptr()) };
        assert_eq!(value, 7);
        assert!(code.entry(1).is_none());
        assert_eq!(code.function(0).unwrap(), bytes);
        assert!(code.function(1).is_none());
        let at = format!("{:x}-", code.pages.as_ptr().addr());
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let line = maps.lines().find(|line| line.starts_with(&at)).unwrap();
        assert!(line.contains("r-xp"), "{line}");
    }

    #[test]
    fn broken_artifacts_are_refused() {
        let mut wrong = artifact(&[0xc3]);
        wrong.entries[0].bytes = 2;
        assert!(LoadedCode::new(&wrong, CodeOptions::default()).is_err());
        let mut wrong = artifact(&[0xc3]);
        wrong.entries[0].offset = usize::MAX;
        assert!(LoadedCode::new(&wrong, CodeOptions::default()).is_err());
        let mut wrong = artifact(&[0xc3]);
        wrong.target = "z80".into();
        assert!(LoadedCode::new(&wrong, CodeOptions::default()).is_err());
    }
}
