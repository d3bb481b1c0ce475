//! Code of kernels, by their text: what is emitted once serves every later program.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use tfjit_base::Result;
use tfjit_codegen::Target;
use tfjit_exec::{CodeOptions, KernelCode, LoadedCode, Program};
use tfjit_plan::kernel::Kernel;
use tfjit_plan::{Artifact, Entry, Plan};

/// The emitter for the processor this runs on, if there is one.
fn host_target() -> Option<Target> {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("f16c")
    {
        return Some(Target::X64Avx2);
    }
    None
}

/// Kernels that are kept at most; beyond, those that no executable uses are dropped.
const KEPT_MAX: usize = 16 << 10;

/// Alignment of functions in bytes.
pub(crate) const CODE_ALIGN: usize = 64;

/// All code that was made.
pub(crate) struct Kernels {
    target: Option<Target>,
    perf_map: bool,
    table: Mutex<FxHashMap<String, KernelCode>>,
    emitted: AtomicU64,
}

impl Kernels {
    pub(crate) fn new(codegen: bool, perf_map: bool) -> Kernels {
        let target = if codegen { host_target() } else { None };
        Kernels { target, perf_map, table: Mutex::default(), emitted: AtomicU64::new(0) }
    }

    /// What kernels are made into.
    pub(crate) fn target(&self) -> &'static str {
        self.target.map_or("interpreted", Target::name)
    }

    pub(crate) fn emitted(&self) -> u64 {
        self.emitted.load(Ordering::Relaxed)
    }

    /// The code of a plan's kernels, one each; what is not known yet is made in one piece.
    pub(crate) fn of(&self, plan: &Plan) -> Result<Vec<KernelCode>> {
        let (keys, found) = self.known(plan);
        let missing: Vec<usize> = (0..keys.len()).filter(|&i| found[i].is_none()).collect();
        let kernels: Vec<&Kernel> = plan.kernels.iter().map(|(_, k)| k).collect();
        let expanded = missing.iter().map(|&i| {
            // Wrong code could do anything; a wrong kernel is an error.
            kernels[i].verify()?;
            kernels[i].expand()
        });
        let expanded = expanded.collect::<Result<Vec<Kernel>>>()?;
        let made = self.make(&expanded)?;
        Ok(self.remember(keys, found, missing.into_iter().zip(made)))
    }

    /// What a plan's kernels are known by, and the code of those that are.
    fn known(&self, plan: &Plan) -> (Vec<String>, Vec<Option<KernelCode>>) {
        let keys: Vec<String> = plan.kernels.iter().map(|(_, k)| k.fingerprint()).collect();
        let known = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        let found = keys.iter().map(|key| known.get(key).cloned()).collect();
        (keys, found)
    }

    /// Keeps new code by the positions of its kernels, and gives the code of all.
    fn remember(
        &self,
        keys: Vec<String>,
        mut found: Vec<Option<KernelCode>>,
        made: impl ExactSizeIterator<Item = (usize, KernelCode)>,
    ) -> Vec<KernelCode> {
        let mut known = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() + made.len() > KEPT_MAX {
            known.clear();
        }
        for (i, code) in made {
            known.insert(keys[i].clone(), code.clone());
            found[i] = Some(code);
        }
        found.into_iter().flatten().collect()
    }

    /// Code of a plan's kernels that was stored: `functions` has one a kernel, or nothing where it
    /// is interpreted. What is known is not loaded a second time.
    ///
    /// Kernels are known by what they compute, as read from the file, and not by what the file
    /// says of them.
    ///
    /// # Errors
    /// Those of loading code and of compiling for the interpreter.
    pub(crate) fn load(&self, plan: &Plan, functions: &[Option<&[u8]>]) -> Result<Vec<KernelCode>> {
        let (keys, found) = self.known(plan);
        let mut artifact = Artifact { target: self.target().to_owned(), ..Artifact::default() };
        // Which entry each kernel that is not known is.
        let mut entries: Vec<(usize, Option<usize>)> = Vec::new();
        for (i, ((_, kernel), function)) in plan.kernels.iter().zip(functions).enumerate() {
            if found[i].is_some() {
                continue;
            }
            entries.push((i, function.map(|_| artifact.entries.len())));
            if let Some(function) = function {
                let offset = artifact.code.len().next_multiple_of(CODE_ALIGN);
                artifact.code.resize(offset, 0xCC);
                artifact.code.extend_from_slice(function);
                let (name, bytes) = (kernel.name.clone(), function.len());
                artifact.entries.push(Entry { name, offset, bytes });
            }
        }
        let code = match artifact.entries.is_empty() {
            true => None,
            false => Some(LoadedCode::new(&artifact, CodeOptions { perf_map: self.perf_map })?),
        };
        let kernels: Vec<&Kernel> = plan.kernels.iter().map(|(_, k)| k).collect();
        let made = entries.into_iter().map(|(i, entry)| match (entry, &code) {
            (Some(entry), Some(code)) => Ok((i, KernelCode::Native(Arc::clone(code), entry))),
            _ => {
                let program = Program::compile(&kernels[i].expand()?)?;
                Ok((i, KernelCode::Interpreted(Arc::new(program))))
            }
        });
        let made: Vec<(usize, KernelCode)> = made.collect::<Result<_>>()?;
        Ok(self.remember(keys, found, made.into_iter()))
    }

    /// Code of expanded kernels; what the emitter can't do is interpreted.
    fn make(&self, kernels: &[Kernel]) -> Result<Vec<KernelCode>> {
        self.emitted.fetch_add(kernels.len() as u64, Ordering::Relaxed);
        let mut made: Vec<Option<KernelCode>> = vec![None; kernels.len()];
        if let Some(target) = self.target.filter(|_| !kernels.is_empty()) {
            let list: Vec<&Kernel> = kernels.iter().collect();
            let emitted = tfjit_codegen::emit(&list, target)?;
            let code = LoadedCode::new(&emitted.artifact, CodeOptions { perf_map: self.perf_map })?;
            for (i, entry) in emitted.entries.iter().enumerate() {
                if let Ok(entry) = entry {
                    made[i] = Some(KernelCode::Native(Arc::clone(&code), *entry));
                }
            }
        }
        let whole = kernels.iter().zip(made).map(|(kernel, code)| match code {
            Some(code) => Ok(code),
            None => Ok(KernelCode::Interpreted(Arc::new(Program::compile(kernel)?))),
        });
        whole.collect()
    }

    /// The listing of a plan's machine code.
    pub(crate) fn asm(&self, plan: &Plan) -> Result<String> {
        let Some(target) = self.target else { return Ok(String::new()) };
        let expanded =
            plan.kernels.iter().map(|(_, k)| k.expand()).collect::<Result<Vec<Kernel>>>()?;
        let list: Vec<&Kernel> = expanded.iter().collect();
        Ok(tfjit_codegen::asm_text(&list, target))
    }
}
