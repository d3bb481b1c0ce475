//! What every compiler and device looks like from above: a client compiles modules to executables
//! and holds buffers; an executable turns buffers into buffers.
//!
//! Three implementations stand behind these traits: the reference interpreter, the embedded CPU
//! compiler, and PJRT plugins. Nothing above may ask which one it holds. This crate must not know
//! TensorFlow, and it does no work of its own.
//!
//! Read first: [`Client`], [`Executable`], [`Buffer`].

mod outside;

pub use outside::{
    Collectives, Meeting, Member, Participation, Session, TransferChannel, Transfers, Work,
};

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use smallvec::SmallVec;
use tfjit_base::{Bytes, DType, Result, Shape, Tensor};
use tfjit_hlo::{Module, TensorType};

/// A compiler together with the devices its executables run on.
pub trait Client: Send + Sync {
    /// Short name of the platform: `eval`, `cpu`, `cuda`.
    fn platform(&self) -> &str;

    /// Whatever makes an executable of one client unusable in another: compiler version, processor
    /// features, plugin fingerprint. Part of the key of the persistent cache.
    fn fingerprint(&self) -> String;

    /// Number of devices; ordinals count from 0.
    fn device_count(&self) -> usize;

    /// Compiles the entry of `module`, whose signature is static.
    ///
    /// # Errors
    /// UNIMPLEMENTED for what the client can't compile, RESOURCE_EXHAUSTED for what is too large.
    fn compile(&self, module: Module, options: &CompileOptions) -> Result<Arc<dyn Executable>>;

    /// Loads what [`Executable::serialize`] of a client with the same fingerprint wrote.
    ///
    /// Bytes that hold machine code are trusted: they must come from where only the user writes.
    ///
    /// # Errors
    /// UNIMPLEMENTED when the client has no such form, DATA_LOSS when the bytes are damaged,
    /// FAILED_PRECONDITION when they are of a client with another fingerprint.
    fn deserialize(&self, bytes: &[u8], options: &CompileOptions) -> Result<Arc<dyn Executable>>;

    /// The same with bytes that the executable may keep, say of a mapped file: large constants need
    /// not be copied. Nobody may change them while they are kept.
    ///
    /// # Errors
    /// As [`Client::deserialize`].
    fn deserialize_shared(
        &self,
        bytes: &Bytes,
        options: &CompileOptions,
    ) -> Result<Arc<dyn Executable>> {
        self.deserialize(bytes.as_ref(), options)
    }

    /// Puts a tensor on a device. Host platforms share its memory.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for an unknown device or strings, RESOURCE_EXHAUSTED.
    fn buffer(&self, tensor: &Tensor, device: usize) -> Result<Buffer>;
}

/// A compiled module.
pub trait Executable: Send + Sync {
    /// A stable name, as it shows in profiles.
    fn name(&self) -> &str;

    /// Types of the parameters.
    fn parameters(&self) -> &[TensorType];

    /// Types of the results.
    fn results(&self) -> &[TensorType];

    /// Runs it. Arguments marked as donated may be overwritten; all others are left alone.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when number, types or shapes of the arguments are wrong, CANCELLED when the
    /// flag in the options was raised, and what the program itself reports.
    fn execute(&self, arguments: Arguments, options: &ExecuteOptions) -> Result<Vec<Buffer>>;

    /// Which results are written into the memory of a parameter when its argument is donated.
    /// Nothing can fail any more once that has begun. None where nothing is reused.
    fn aliases(&self) -> &[Alias] {
        &[]
    }

    /// A form that [`Client::deserialize`] loads.
    ///
    /// # Errors
    /// UNIMPLEMENTED when there is none.
    fn serialize(&self) -> Result<Vec<u8>>;

    /// The text of a stage of compilation (`optimise`, `plan`, `kernels`, `asm`), if it was kept.
    fn text(&self, stage: &str) -> Option<String>;

    /// Memory it holds and needs.
    fn memory(&self) -> Memory;

    /// What it does, step by step, by the numbers that a [`Profile`] is told; steps inside of loops
    /// and branches follow the one they are in. Empty when it can't be watched.
    fn steps(&self) -> Vec<StepInfo> {
        Vec::new()
    }
}

/// A step of an executable.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StepInfo {
    /// In how many loops and branches it is.
    pub depth: usize,
    /// What it is, in a word: `loop`, `matmul`.
    pub kind: String,
    /// What runs: the kernel, with `+` before one that follows a library kernel, or sizes.
    pub kernel: String,
    /// Operations on elements each time it runs, counted, not measured; a multiplication with its
    /// addition is two.
    pub flops: u64,
    /// Bytes of memory that it reads and writes each time it runs, likewise.
    pub bytes: u64,
}

/// Is told when the steps of one launch begin and end, on the thread of the launch.
///
/// Whoever implements it may read the clock; the one who calls must not.
pub trait Profile: Send + Sync + fmt::Debug {
    /// The step with this number, of [`Executable::steps`], begins.
    fn begin(&self, step: usize);

    /// It ended. It is not told of a step that failed.
    fn end(&self, step: usize);
}

/// Memory of an executable, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Memory {
    /// Machine code.
    pub code_bytes: u64,
    /// Constants, including packed weights.
    pub constant_bytes: u64,
    /// How many of these are kept by others too: variables, mapped files, other executables.
    pub shared_constant_bytes: u64,
    /// Temporary memory of one launch.
    pub arena_bytes: u64,
}

/// Memory on a device that is not the host's.
pub trait DeviceBuffer: Send + Sync {
    /// Element type.
    fn dtype(&self) -> DType;

    /// Shape.
    fn shape(&self) -> &Shape;

    /// Waits until it is ready and copies it to the host.
    ///
    /// # Errors
    /// The error of the launch that was to fill it.
    fn to_host(&self) -> Result<Tensor>;
}

/// The value of a parameter or result.
#[derive(Clone)]
pub enum Buffer {
    /// Host memory, shared with the tensor it came from.
    Host(Tensor),
    /// Memory of a device.
    Device(Arc<dyn DeviceBuffer>),
}

impl Buffer {
    /// Element type.
    pub fn dtype(&self) -> DType {
        match self {
            Buffer::Host(t) => t.dtype(),
            Buffer::Device(b) => b.dtype(),
        }
    }

    /// Shape.
    pub fn shape(&self) -> &Shape {
        match self {
            Buffer::Host(t) => t.shape(),
            Buffer::Device(b) => b.shape(),
        }
    }

    /// The value on the host.
    ///
    /// # Errors
    /// As [`DeviceBuffer::to_host`].
    pub fn to_host(&self) -> Result<Tensor> {
        match self {
            Buffer::Host(t) => Ok(t.clone()),
            Buffer::Device(b) => b.to_host(),
        }
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({}{})", self.dtype(), self.shape())
    }
}

/// An argument of a launch.
#[derive(Clone, Debug)]
pub struct Argument {
    /// The value.
    pub buffer: Buffer,
    /// Whether the executable may reuse the memory, because nobody else reads it.
    pub donate: bool,
}

/// The arguments of a launch, in the order of the parameters. A few need no memory of their own.
pub type Arguments = SmallVec<[Argument; 4]>;

/// A result that takes the memory of a donated argument.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Alias {
    /// Number of the result.
    pub result: usize,
    /// Number of the parameter.
    pub parameter: usize,
}

/// How to compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileOptions {
    /// Device the executable is for; `None` means any.
    pub device: Option<usize>,
    /// Number of replicas of a collective program.
    pub replicas: usize,
    /// Results that may take the memory of an argument that is donated, because they are its new
    /// value and nobody else holds the old one.
    pub may_alias: Vec<Alias>,
    /// Whether a result that is a parameter passed through may share its memory.
    pub alias_passthrough: bool,
    /// Whether the client may log at length; has nothing to do with what is dumped.
    pub detailed_logging: bool,
    /// Whether texts of the stages are kept for [`Executable::text`].
    pub keep_text: bool,
}

impl Default for CompileOptions {
    fn default() -> CompileOptions {
        CompileOptions {
            device: None,
            replicas: 1,
            may_alias: Vec::new(),
            alias_passthrough: false,
            detailed_logging: true,
            keep_text: false,
        }
    }
}

/// How to run.
#[derive(Clone, Debug)]
pub struct ExecuteOptions {
    /// Device to run on.
    pub device: usize,
    /// Threads the launch may use, the caller's included.
    pub threads: usize,
    /// Seed of programs that ask the client for random numbers.
    pub seed: u64,
    /// Raised to stop the launch.
    pub cancel: Option<Arc<AtomicBool>>,
    /// Who watches; an executable without steps tells nothing.
    pub profile: Option<Arc<dyn Profile>>,
    /// Where the program's host sends go and its host receives come from.
    pub transfers: Option<Arc<dyn Transfers>>,
    /// How the program reaches the other members of its group.
    pub collectives: Option<Arc<dyn Collectives>>,
    /// Which replica of the program this launch is.
    pub replica: u32,
    /// Which partition of the program this launch is.
    pub partition: u32,
    /// Number of replicas and of partitions.
    pub grid: (u32, u32),
    /// Equal for all members of one collective launch, different for launches that run at the same
    /// time.
    pub run_id: u64,
}

impl Default for ExecuteOptions {
    fn default() -> ExecuteOptions {
        ExecuteOptions {
            device: 0,
            threads: 1,
            seed: 1,
            cancel: None,
            profile: None,
            transfers: None,
            collectives: None,
            replica: 0,
            partition: 0,
            grid: (1, 1),
            run_id: 0,
        }
    }
}
