//! Code of kernels, by their text: what is emitted once serves every later program.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use tfjit_base::Result;
use tfjit_codegen::Target;
use tfjit_exec::{CodeOptions, KernelCode, LoadedCode, Program};
use tfjit_plan::Plan;
use tfjit_plan::kernel::Kernel;

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

/// All code that was made.
pub(crate) struct Kernels {
    target: Option<Target>,
    perf_map: bool,
    known: Mutex<FxHashMap<String, KernelCode>>,
    emitted: AtomicU64,
}

/// The code of a plan's kernels.
pub(crate) struct Code {
    /// One a kernel of the plan.
    pub(crate) kernels: Vec<KernelCode>,
    /// Bytes of machine code that were made for it.
    pub(crate) bytes: u64,
}

impl Kernels {
    pub(crate) fn new(codegen: bool, perf_map: bool) -> Kernels {
        let target = if codegen { host_target() } else { None };
        Kernels { target, perf_map, known: Mutex::default(), emitted: AtomicU64::new(0) }
    }

    /// What kernels are made into.
    pub(crate) fn target(&self) -> &'static str {
        self.target.map_or("interpreted", Target::name)
    }

    pub(crate) fn emitted(&self) -> u64 {
        self.emitted.load(Ordering::Relaxed)
    }

    /// The code of a plan's kernels; what is not known yet is made in one piece.
    pub(crate) fn of(&self, plan: &Plan) -> Result<Code> {
        let keys: Vec<String> = plan.kernels.iter().map(|(_, k)| k.fingerprint()).collect();
        let mut found: Vec<Option<KernelCode>> = {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            keys.iter().map(|key| known.get(key).cloned()).collect()
        };
        let missing: Vec<usize> = (0..keys.len()).filter(|&i| found[i].is_none()).collect();
        let kernels: Vec<&Kernel> = plan.kernels.iter().map(|(_, k)| k).collect();
        let expanded = missing.iter().map(|&i| {
            // Wrong code could do anything; a wrong kernel is an error.
            kernels[i].verify()?;
            kernels[i].expand()
        });
        let expanded = expanded.collect::<Result<Vec<Kernel>>>()?;
        let (made, bytes) = self.make(&expanded)?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() + made.len() > KEPT_MAX {
            known.clear();
        }
        for (i, code) in missing.into_iter().zip(made) {
            known.insert(keys[i].clone(), code.clone());
            found[i] = Some(code);
        }
        Ok(Code { kernels: found.into_iter().flatten().collect(), bytes })
    }

    /// Code of expanded kernels; what the emitter can't do is interpreted.
    fn make(&self, kernels: &[Kernel]) -> Result<(Vec<KernelCode>, u64)> {
        self.emitted.fetch_add(kernels.len() as u64, Ordering::Relaxed);
        let mut made: Vec<Option<KernelCode>> = vec![None; kernels.len()];
        let mut bytes = 0;
        if let Some(target) = self.target.filter(|_| !kernels.is_empty()) {
            let list: Vec<&Kernel> = kernels.iter().collect();
            let emitted = tfjit_codegen::emit(&list, target)?;
            let code = LoadedCode::new(&emitted.artifact, CodeOptions { perf_map: self.perf_map })?;
            bytes = code.len() as u64;
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
        Ok((whole.collect::<Result<_>>()?, bytes))
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
