//! What a launch has around it: who watches, the rendezvous its host transfers go through, and the
//! group its collectives meet in.
//!
//! It must not know where arguments come from.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};

use tfjit_base::{Error, Result};
use tfjit_client::{Arguments, Buffer, Client, Executable, ExecuteOptions, Profile, Transfers};
use tfjit_runtime::StepContext;

use crate::args::DevicePlace;
use crate::compiler::panicked;
use crate::values::{Sources, populate_inputs, take_checks};
use crate::{
    CollectiveInfo, CollectivePool, Compiled, Profiler, RendezvousTransfers, RunId,
    join_collective, trace,
};

/// What is around a launch.
pub(super) struct Surroundings<'r> {
    pub(super) client: &'r dyn Client,
    /// Name of the function, for profiles and traces.
    pub(super) function: &'r str,
    pub(super) profiler: Option<&'r Profiler>,
    pub(super) place: &'r DevicePlace,
    /// The key of its closure, which names its transfers with the host.
    pub(super) closure: Option<&'r str>,
}

/// Populates the inputs, runs, and looks at the checks.
pub(super) fn run(
    compiled: &Compiled,
    around: &Surroundings<'_>,
    sources: &mut dyn Sources,
    context: &StepContext<'_>,
) -> Result<Vec<Buffer>> {
    let arguments = populate_inputs(compiled, around.client, sources)?;
    let watch = around.profiler.and_then(|p| p.launch(around.function, &compiled.executable));
    let mut options = ExecuteOptions {
        threads: context.threads,
        cancel: context.cancel.cloned(),
        profile: watch.clone().map(|watch| watch as Arc<dyn Profile>),
        ..ExecuteOptions::default()
    };
    if let Some(key) = around.closure {
        options.transfers = Some(transfers(key, around.place, context)?);
    }
    let span = trace::phase("Run", || around.function.to_owned());
    let mut outputs = match &compiled.result.collective {
        None => execute(&*compiled.executable, arguments, &options)?,
        Some(info) => {
            let stop = || context.cancelled();
            let executor = around.place.collectives.as_deref();
            let run = RunId::Next;
            join_collective(executor, info, &around.place.device, run, &stop, &mut options)?;
            together(info, &compiled.executable, arguments, options)?
        }
    };
    drop(span);
    if let Some(watch) = watch {
        watch.stop();
    }
    take_checks(compiled, &mut outputs)?;
    Ok(outputs)
}

fn transfers(
    key: &str,
    place: &DevicePlace,
    context: &StepContext<'_>,
) -> Result<Arc<dyn Transfers>> {
    let rendezvous = Arc::clone(context.step.rendezvous());
    Ok(Arc::new(RendezvousTransfers::new(rendezvous, &place.device, key)?))
}

/// A panic is an error of this launch: the process goes on.
fn execute(
    executable: &dyn Executable,
    arguments: Arguments,
    options: &ExecuteOptions,
) -> Result<Vec<Buffer>> {
    let run = || executable.execute(arguments, options);
    catch_unwind(AssertUnwindSafe(run))
        .unwrap_or_else(|panic| Err(panicked("running a launch", &*panic)))
}

/// Runs on a thread of the group's pool, where all members can wait for each other at once.
fn together(
    info: &CollectiveInfo,
    executable: &Arc<dyn Executable>,
    arguments: Arguments,
    options: ExecuteOptions,
) -> Result<Vec<Buffer>> {
    let (tell, told) = mpsc::sync_channel(1);
    let executable = Arc::clone(executable);
    let job = move || {
        // Nobody waits any more only when the launch was given up.
        let _ = tell.send(execute(&*executable, arguments, &options));
    };
    CollectivePool::of(info).run(job)?;
    told.recv().unwrap_or_else(|_| Err(Error::internal("a collective launch was lost")))
}
