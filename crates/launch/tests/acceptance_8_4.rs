//! Clients, options and platform information (behaviour, 8.4).
#![allow(clippy::unwrap_used, reason = "failing is what tests do")]

mod common;

use std::sync::Arc;

use common::*;
use tfjit_base::{Code, DType};
use tfjit_bridge::Arg;
use tfjit_client::{Alias, CompileOptions, ExecuteOptions};
use tfjit_launch::ops::registry::{MemoryType, memory_types, must_compile, registrations};
use tfjit_launch::{
    CompileMode, DeviceApi, Family, OpFamily, PlatformInfo, build_options, single_op_function,
    visible_devices,
};
use tfjit_model::{AttrList, AttrValue, Attrs, Endpoint, FuncRef, Graph};

fn lowered(args: &[Arg]) -> tfjit_bridge::Lowered {
    let function = assign_add();
    let library = library(&[&function]);
    tfjit_bridge::lower(&library, &function, args, tfjit_bridge::Options::default()).unwrap()
}

fn assign_args() -> [Arg; 2] {
    let ty = tfjit_hlo::TensorType::new(DType::F32, &[3]);
    [parameter(DType::F32, &[3]), Arg::Variable("v".to_owned(), Some(ty))]
}

#[test]
fn acceptance_8_4_1_the_device_is_the_options_or_else_the_clients() {
    let lowered = lowered(&assign_args());
    let device = |options: &CompileOptions, count| build_options(options, count, &lowered).device;
    let asked = CompileOptions { device: Some(3), ..CompileOptions::default() };
    assert_eq!(device(&asked, 1), Some(3));
    assert_eq!(device(&CompileOptions::default(), 1), Some(0));
    assert_eq!(device(&CompileOptions::default(), 0), None);
}

#[test]
fn acceptance_8_4_1_options_are_passed_on() {
    let lowered = lowered(&assign_args());
    for flag in [false, true] {
        let options = CompileOptions {
            alias_passthrough: flag,
            detailed_logging: flag,
            keep_text: true,
            replicas: 4,
            ..CompileOptions::default()
        };
        let built = build_options(&options, 1, &lowered);
        assert_eq!((built.alias_passthrough, built.detailed_logging), (flag, flag));
        // What is dumped does not depend on what is logged.
        assert!(built.keep_text);
        assert_eq!(built.replicas, 4);
    }
}

#[test]
fn acceptance_8_4_1_new_values_of_variables_may_take_their_memory() {
    let built = build_options(&CompileOptions::default(), 1, &lowered(&assign_args()));
    assert_eq!(built.may_alias, [Alias { result: 0, parameter: 1 }]);
}

#[test]
fn acceptance_8_4_2_clients_build_serialize_and_load() {
    for (name, client) in clients() {
        let module = lowered(&assign_args()).module;
        let options = CompileOptions::default();
        let built = client.compile(module, &options).unwrap();
        let bytes = built.serialize().unwrap();
        assert!(!bytes.is_empty());
        let loaded = client.deserialize(&bytes, &options).unwrap();
        assert_eq!(loaded.parameters(), built.parameters(), "{name}");
        let run = |executable: &dyn tfjit_client::Executable| {
            let arguments = [floats(&[1.0, 2.0, 3.0]), floats(&[4.0, 5.0, 6.0])];
            let argument = |tensor| tfjit_client::Argument {
                buffer: client.buffer(&tensor, 0).unwrap(),
                donate: false,
            };
            let arguments = arguments.into_iter().map(argument).collect();
            let results = executable.execute(arguments, &ExecuteOptions::default()).unwrap();
            results[0].to_host().unwrap()
        };
        assert_eq!(run(&*built), floats(&[5.0, 7.0, 9.0]));
        assert_eq!(run(&*loaded), floats(&[5.0, 7.0, 9.0]));
        assert!(client.deserialize(&[], &options).is_err());
    }
}

#[test]
fn acceptance_8_4_2_a_client_refuses_what_another_made() {
    let [(_, local), (_, eval)] = clients();
    let options = CompileOptions::default();
    let bytes = |client: &dyn tfjit_client::Client| {
        client.compile(lowered(&assign_args()).module, &options).unwrap().serialize().unwrap()
    };
    let error = eval.deserialize(&bytes(&*local), &options).err().unwrap();
    assert!(matches!(error.code(), Code::FailedPrecondition | Code::DataLoss), "{error}");
    // The compiler leaves programs of unknown sizes to the interpreter, and so loads its.
    assert!(local.deserialize(&bytes(&*eval), &options).is_ok());
}

fn xla_device(device_type: &str) -> PlatformInfo {
    PlatformInfo {
        device_type: device_type.to_owned(),
        xla_device: Some("XLA_CPU_JIT".to_owned()),
        ..PlatformInfo::default()
    }
}

fn gpu() -> PlatformInfo {
    PlatformInfo {
        device_type: "GPU".to_owned(),
        platform: Some("CUDA".to_owned()),
        ordinal: Some(1),
        ..PlatformInfo::default()
    }
}

#[test]
fn acceptance_8_4_3_each_device_is_compiled_for_its_own_type() {
    assert_eq!(PlatformInfo::cpu().compilation_device().unwrap(), "XLA_CPU_JIT");
    assert_eq!(gpu().compilation_device().unwrap(), "XLA_GPU_JIT");
    assert_eq!(xla_device("XLA_CPU").compilation_device().unwrap(), "XLA_CPU_JIT");
    let plugin = PlatformInfo {
        device_type: "FPGA".to_owned(),
        pjrt_device: Some("XLA_FPGA_JIT".to_owned()),
        ..PlatformInfo::default()
    };
    assert_eq!(plugin.compilation_device().unwrap(), "XLA_FPGA_JIT");
    let unknown = PlatformInfo { device_type: "FPGA".to_owned(), ..PlatformInfo::default() };
    let error = unknown.compilation_device().unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert!(error.message().contains("No JIT device registered"));
}

#[test]
fn acceptance_8_4_3_reference_variables_and_xla_devices_alias_nothing() {
    let cpu = PlatformInfo::cpu();
    assert!(cpu.alias_passthrough(false, Family::Local));
    assert!(!cpu.alias_passthrough(true, Family::Local));
    assert!(!cpu.alias_passthrough(false, Family::Pjrt));
    assert!(!xla_device("XLA_CPU").alias_passthrough(false, Family::Local));
}

#[test]
fn acceptance_8_4_4_the_cache_on_disk_serves_the_devices_it_lists() {
    let list = |types: &[&str]| types.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>();
    let tpu = PlatformInfo { device_type: "TPU".to_owned(), ..PlatformInfo::default() };
    for device in [PlatformInfo::cpu(), gpu(), tpu.clone()] {
        assert!(device.is_cached_on_disk(&[]));
    }
    let both = list(&["GPU", "CPU"]);
    assert!(PlatformInfo::cpu().is_cached_on_disk(&both));
    assert!(gpu().is_cached_on_disk(&both));
    assert!(!tpu.is_cached_on_disk(&both));
    assert!(gpu().is_cached_on_disk(&list(&["XLA_GPU_JIT"])));
    assert!(!PlatformInfo::cpu().is_cached_on_disk(&list(&["XLA_GPU_JIT"])));
    assert_eq!(tpu.compilation_device().unwrap(), "XLA_TPU_JIT");
}

#[test]
fn acceptance_8_4_4_visible_devices_are_numbers() {
    assert_eq!(visible_devices("").unwrap(), None);
    assert_eq!(visible_devices("1, 0").unwrap(), Some(vec![1, 0]));
    assert_eq!(visible_devices("1,x").unwrap_err().code(), Code::InvalidArgument);
}

#[test]
fn acceptance_8_4_5_a_single_op_is_a_function_of_its_arguments() {
    let mut graph = Graph::new();
    let x = x_plus_y();
    let args: Vec<Endpoint> = x.params.iter().map(|p| Endpoint::new(p.node, 0)).collect();
    let source = x.graph.iter().find(|(_, node)| &*node.op == "AddV2").unwrap().1;
    let _ = (&mut graph, args);
    let function = single_op_function(source, &[F32, F32]).unwrap();
    let names: Vec<&str> = function.graph.iter().map(|(_, node)| &*node.name).collect();
    assert_eq!(names, ["_arg0", "_arg1", &*source.name]);
    assert_eq!(&*function.results[0].name, "_retval0");
    let node = function.graph.find(&source.name).unwrap();
    assert_eq!(function.graph.get(node).unwrap().attrs, source.attrs);
    // Equal ops share what is compiled, wherever they are.
    let mut elsewhere = source.clone();
    elsewhere.name = "elsewhere".into();
    elsewhere.attrs = elsewhere.attrs.with("_class", AttrValue::List(AttrList::Empty));
    assert_eq!(single_op_function(&elsewhere, &[F32, F32]).unwrap().name, function.name);
}

#[test]
fn acceptance_8_4_5_plugins_are_used_where_flag_and_list_agree() {
    let listed = || DeviceApi {
        xla_launch_devices: vec!["CPU".to_owned(), "GPU".to_owned()],
        ..DeviceApi::default()
    };
    let families = [OpFamily::XlaLaunch, OpFamily::CompileOnDemand, OpFamily::AutoJit];
    for family in families {
        assert_eq!(DeviceApi::default().family(family, "CPU"), Family::Local);
        let everywhere = DeviceApi { everywhere: true, ..DeviceApi::default() };
        assert_eq!(everywhere.family(family, "CPU"), Family::Pjrt);
    }
    assert_eq!(listed().family(OpFamily::XlaLaunch, "CPU"), Family::Pjrt);
    assert_eq!(listed().family(OpFamily::AutoJit, "CPU"), Family::Local);
    let off = DeviceApi { xla_launch: false, ..listed() };
    assert_eq!(off.family(OpFamily::XlaLaunch, "CPU"), Family::Local);
    let veto = DeviceApi { gpu: false, ..listed() };
    assert_eq!(veto.family(OpFamily::XlaLaunch, "GPU"), Family::Local);
    assert_eq!(veto.family(OpFamily::XlaLaunch, "CPU"), Family::Pjrt);
}

#[test]
fn acceptance_8_4_5_resources_are_named_by_device() {
    let cpu = PlatformInfo::cpu();
    assert_eq!(cpu.compiler_name(Family::Local), "xla_device_compiler");
    assert_eq!(cpu.compiler_name(Family::Pjrt), "pjrt_device_compiler_CPU");
    assert_eq!(cpu.profiler_name(Family::Local), "device_compilation_profiler");
    assert_eq!(gpu().profiler_name(Family::Pjrt), "pjrt_device_compilation_profiler_GPU");
}

#[test]
fn acceptance_8_4_5_compiling_gives_result_executable_and_client() {
    for (_, client) in clients() {
        let compiler = compiler(Arc::clone(&client));
        let args = [parameter(DType::F32, &[2]), parameter(DType::F32, &[2])];
        let ready = request(&compiler, &x_plus_y(), &args, CompileMode::Strict).unwrap().unwrap();
        assert_eq!(ready.result.rets.len(), 1);
        assert_eq!(ready.executable.parameters().len(), 2);
        assert!(Arc::ptr_eq(compiler.client(), &client));
    }
}

/// A call of `function` with these attributes.
fn call(graph: &mut Graph, function: &str, attrs: &[(&str, bool)]) -> Endpoint {
    let x = op(graph, "Placeholder", &[], &[dtype(F32)]);
    let v = op(
        graph,
        "VarHandleOp",
        &[],
        &[dtype(F32), ("shape", AttrValue::Shape(tfjit_base::PartialShape::unknown()))],
    );
    let types = |list: &[tfjit_model::TfType]| AttrValue::List(AttrList::Types(list.to_vec()));
    let func = AttrValue::Func(FuncRef { name: function.into(), attrs: Attrs::new() });
    let mut all = vec![("Tin", types(&[F32, RESOURCE])), ("Tout", types(&[F32])), ("f", func)];
    all.extend(attrs.iter().map(|(name, value)| (*name, AttrValue::Bool(*value))));
    op(graph, "StatefulPartitionedCall", &[x, v], &all)
}

#[test]
fn acceptance_8_4_6_a_function_that_must_be_compiled_becomes_a_launch() {
    let function = add_variable();
    let library = library(&[&function]);
    let mut graph = Graph::new();
    let node = call(&mut graph, "AddVariable", &[("_XlaMustCompile", true)]);
    let node = graph.get(node.node).unwrap();
    let launch = must_compile(node, &function, &library).unwrap();
    assert_eq!(launch.inputs, [MemoryType::Device, MemoryType::Host]);
    assert_eq!(launch.outputs, [MemoryType::Device]);
    assert_eq!((launch.constants, launch.resources), (vec![], vec![1]));
}

#[test]
fn acceptance_8_4_6_without_the_attribute_it_is_invalid() {
    let function = add_variable();
    let library = library(&[&function]);
    for attrs in [&[][..], &[("_XlaMustCompile", false)]] {
        let mut graph = Graph::new();
        let node = call(&mut graph, "AddVariable", attrs);
        let error = must_compile(graph.get(node.node).unwrap(), &function, &library).unwrap_err();
        assert_eq!(error.code(), Code::Internal);
        assert!(error.message().contains("Invalid node"));
    }
}

#[test]
fn acceptance_8_4_7_threads_are_those_of_the_caller() {
    assert_eq!(ExecuteOptions::default().threads, 1);
    let resources = tfjit_runtime::ResourceManager::new();
    in_step(&resources, |context| assert_eq!(context.threads, 1));
}

#[test]
fn registrations_are_those_of_the_table() {
    use MemoryType::{Device, Host};
    let mut graph = Graph::new();
    let x = op(&mut graph, "Placeholder", &[], &[dtype(F32)]);
    let n = op(&mut graph, "Placeholder", &[], &[dtype(I32)]);
    let v = op(
        &mut graph,
        "VarHandleOp",
        &[],
        &[dtype(F32), ("shape", AttrValue::Shape(tfjit_base::PartialShape::unknown()))],
    );
    let types = |list: &[tfjit_model::TfType]| AttrValue::List(AttrList::Types(list.to_vec()));
    let func = AttrValue::Func(FuncRef { name: "f".into(), attrs: Attrs::new() });
    let groups = [
        ("Tconstants", types(&[I32])),
        ("Targs", types(&[F32])),
        ("Nresources", AttrValue::Int(1)),
        ("function", func),
    ];
    let with = |more: (&'static str, AttrValue)| {
        let mut all = groups.to_vec();
        all.push(more);
        all
    };
    let launch = op(&mut graph, "XlaLaunch", &[n, x, v], &with(("Tresults", types(&[F32]))));
    let compile =
        op(&mut graph, "_XlaCompile", &[n, x, v], &with(("must_compile", AttrValue::Bool(true))));
    let places =
        |endpoint: Endpoint, device| memory_types(graph.get(endpoint.node).unwrap(), device);
    // Handles are in host memory whatever the row says.
    assert_eq!(places(launch, "CPU").unwrap(), (vec![Device, Device, Host], vec![Device]));
    assert_eq!(places(launch, "GPU").unwrap(), (vec![Host, Device, Host], vec![Device]));
    assert_eq!(places(launch, "FPGA").unwrap_err().code(), Code::NotFound);
    assert_eq!(places(compile, "FPGA").unwrap(), (vec![Host, Device, Host], vec![Host, Host]));
    let on = |op: &str| -> Vec<&str> {
        registrations().iter().filter(|row| row.op == op).map(|row| row.device).collect()
    };
    assert_eq!(on("XlaLaunch"), ["CPU", "GPU", "XLA_CPU", "XLA_GPU"]);
    assert_eq!(on("XlaLaunchV2"), ["CPU"]);
    assert_eq!(on("_XlaCompile"), ["CPU", "GPU", "DEFAULT", "XLA_CPU", "XLA_GPU"]);
    assert_eq!(on("_XlaRun"), ["CPU", "GPU", "DEFAULT", "XLA_CPU", "XLA_GPU"]);
    assert_eq!(on("_XlaMerge"), ["CPU", "GPU", "DEFAULT"]);
}
