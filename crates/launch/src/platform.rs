//! Devices as the launch system sees them: their type, the family of executables that runs there,
//! and the names of what they own.
//!
//! The rules are TensorFlow's. It must not know clients, nor compile anything.

use std::fmt;

use tfjit_base::{Error, Result};

/// A family of executables: what compiles, and what closures hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Family {
    /// The client that is built in.
    #[default]
    Local = 0,
    /// A plugin behind the PJRT C API.
    Pjrt = 1,
}

/// The groups of ops that choose their family each on their own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OpFamily {
    /// `XlaLaunch`, `XlaLaunchV2` and functions that must be compiled.
    XlaLaunch,
    /// Single ops.
    CompileOnDemand,
    /// `_XlaCompile` and `_XlaRun`.
    AutoJit,
}

/// Which families are used where: the flags `--tf_xla_use_device_api…`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceApi {
    /// Plugins everywhere, whatever the lists say.
    pub everywhere: bool,
    /// Plugins for launches, where the device's type is listed.
    pub xla_launch: bool,
    /// Plugins for single ops, likewise.
    pub compile_on_demand: bool,
    /// Plugins for auto-clustering, likewise.
    pub auto_jit: bool,
    /// Off keeps GPUs from plugins in any case.
    pub gpu: bool,
    /// Types of devices that were allowed for launches.
    pub xla_launch_devices: Vec<String>,
    /// Types of devices that were allowed for single ops.
    pub compile_on_demand_devices: Vec<String>,
    /// Types of devices that were allowed for auto-clustering.
    pub auto_jit_devices: Vec<String>,
}

impl Default for DeviceApi {
    /// TensorFlow's: all families may, no device is listed.
    fn default() -> DeviceApi {
        DeviceApi {
            everywhere: false,
            xla_launch: true,
            compile_on_demand: true,
            auto_jit: true,
            gpu: true,
            xla_launch_devices: Vec::new(),
            compile_on_demand_devices: Vec::new(),
            auto_jit_devices: Vec::new(),
        }
    }
}

impl DeviceApi {
    /// The family that runs ops of `family` on devices of this type.
    pub fn family(&self, family: OpFamily, device_type: &str) -> Family {
        let (flag, list) = match family {
            OpFamily::XlaLaunch => (self.xla_launch, &self.xla_launch_devices),
            OpFamily::CompileOnDemand => (self.compile_on_demand, &self.compile_on_demand_devices),
            OpFamily::AutoJit => (self.auto_jit, &self.auto_jit_devices),
        };
        let listed = list.iter().any(|listed| listed == device_type);
        let wanted = self.everywhere || (flag && listed);
        let vetoed = device_type == "GPU" && !self.gpu;
        if wanted && !vetoed { Family::Pjrt } else { Family::Local }
    }
}

/// What a device says about itself, as TensorFlow's devices do.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlatformInfo {
    /// The device's type: `CPU`.
    pub device_type: String,
    /// The platform under it: `Host`, `CUDA`; `None` for devices that are only known by a plugin.
    pub platform: Option<String>,
    /// Of devices that are themselves compilers' devices: the type that is compiled for.
    pub xla_device: Option<String>,
    /// Of devices of a plugin: the type that is compiled for.
    pub pjrt_device: Option<String>,
    /// Number of the device on its platform.
    pub ordinal: Option<usize>,
    /// Whether it has an allocator of its own, which executables must use.
    pub has_allocator: bool,
}

impl PlatformInfo {
    /// The processor that the process runs on.
    pub fn cpu() -> PlatformInfo {
        PlatformInfo {
            device_type: "CPU".to_owned(),
            platform: Some("Host".to_owned()),
            ..PlatformInfo::default()
        }
    }

    /// The type that is compiled for: `XLA_CPU_JIT`.
    ///
    /// # Errors
    /// INVALID_ARGUMENT when nothing compiles for the device.
    pub fn compilation_device(&self) -> Result<&str> {
        if let Some(device) = self.xla_device.as_deref().or(self.pjrt_device.as_deref()) {
            return Ok(device);
        }
        match &*self.device_type {
            "CPU" | "XLA_CPU" => Ok("XLA_CPU_JIT"),
            "GPU" | "XLA_GPU" => Ok("XLA_GPU_JIT"),
            "TPU" => Ok("XLA_TPU_JIT"),
            other => Err(Error::invalid_argument(format!("No JIT device registered for {other}"))),
        }
    }

    /// Whether parameters that are passed through may share memory with results.
    pub fn alias_passthrough(&self, has_ref_vars: bool, family: Family) -> bool {
        !has_ref_vars && self.xla_device.is_none() && family == Family::Local
    }

    /// The name, among a device's resources, of its compiler.
    pub fn compiler_name(&self, family: Family) -> String {
        match family {
            Family::Local => "xla_device_compiler".to_owned(),
            Family::Pjrt => format!("pjrt_device_compiler_{}", self.device_type),
        }
    }

    /// The name, among a device's resources, of what decides when to compile.
    pub fn profiler_name(&self, family: Family) -> String {
        match family {
            Family::Local => "device_compilation_profiler".to_owned(),
            Family::Pjrt => format!("pjrt_device_compilation_profiler_{}", self.device_type),
        }
    }

    /// Whether the cache on disk serves this device: `types` is empty or lists its type, the one
    /// that is compiled for, or its platform.
    pub fn is_cached_on_disk(&self, types: &[String]) -> bool {
        let compilation = self.compilation_device().unwrap_or_default();
        let platform = match self.platform.as_deref() {
            Some("Host") => "CPU",
            Some("CUDA" | "ROCM") => "GPU",
            other => other.unwrap_or_default(),
        };
        let names = [&*self.device_type, compilation, platform];
        types.is_empty() || types.iter().any(|t| !t.is_empty() && names.contains(&&**t))
    }
}

impl fmt::Display for PlatformInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.device_type)
    }
}

/// Parses the list of devices a session may use: comma-separated numbers, empty for all.
///
/// # Errors
/// INVALID_ARGUMENT for an entry that is no number.
pub fn visible_devices(list: &str) -> Result<Option<Vec<usize>>> {
    if list.trim().is_empty() {
        return Ok(None);
    }
    let entry = |entry: &str| {
        entry.trim().parse().map_err(|_| {
            let text = format!("Could not parse entry '{entry}' in visible_device_list: {list}");
            Error::invalid_argument(text)
        })
    };
    list.split(',').map(entry).collect::<Result<_>>().map(Some)
}
