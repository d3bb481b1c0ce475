//! `--profile`: which steps the time of launches goes to, as a table.
//!
//! It must not know how steps are run or measured; the library tells.

use std::time::{Duration, Instant};

use tfjit::{Options, ProgramProfile, StepProfile};
use tfjit_base::Result;

use crate::console::{Console, Style};
use crate::failure::Failure;
use crate::table::{Align, Table, count_text, scaled_text, seconds_text};

/// Time that is spent on launches that are measured, when nobody says how many.
const TIME_MAX: Duration = Duration::from_secs(1);
/// Launches that are measured at most then.
const LAUNCHES_MAX: usize = 1000;

/// Launches until the times of steps say something: once to warm up, then for a second.
///
/// # Errors
/// Those of the launch.
pub(super) fn collect(options: &Options, mut launch: impl FnMut() -> Result<()>) -> Result<()> {
    launch()?;
    take(options);
    let start = Instant::now();
    for _ in 0..LAUNCHES_MAX {
        launch()?;
        if start.elapsed() > TIME_MAX {
            break;
        }
    }
    Ok(())
}

/// What was measured since it was last taken.
pub(super) fn take(options: &Options) -> Vec<ProgramProfile> {
    let Some(profiler) = &options.profiler else { return Vec::new() };
    let programs = profiler.programs();
    profiler.clear();
    programs
}

/// Takes what was measured and prints it, if that was asked for.
///
/// # Errors
/// When stdout cannot be written.
pub(super) fn print(options: &Options, console: &mut Console) -> Result<(), Failure> {
    let programs = take(options);
    if programs.is_empty() && options.profiler.is_some() {
        console.note(&format!("the backend {} has no steps to measure", options.backend));
    }
    print_tables(&programs, console)
}

/// Prints a table for each executable.
///
/// # Errors
/// When stdout cannot be written.
pub(super) fn print_tables(
    programs: &[ProgramProfile],
    console: &mut Console,
) -> Result<(), Failure> {
    for program in programs {
        let launches = match program.launches {
            1 => "1 launch".to_owned(),
            n => format!("{n} launches"),
        };
        let each = seconds_text(per_launch(program, program.time));
        let title = console.style(Style::Heading, &format!("profile {}", program.function));
        let steps = count_text(program.steps.len(), "step");
        console.line(format!("{title}  {steps}, {launches}, {each} each"))?;
        let text = table(program).text(0);
        let (head, rows) = text.split_once('\n').unwrap_or((&text, ""));
        let head = console.style(Style::Heading, head);
        console.line(head)?;
        console.print(rows)?;
    }
    Ok(())
}

/// Seconds a launch.
fn per_launch(program: &ProgramProfile, time: Duration) -> f64 {
    time.as_secs_f64() / program.launches.max(1) as f64
}

/// The steps in order, what is between them, and all together. Numbers are those of one launch.
fn table(program: &ProgramProfile) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new(&[Right, Left, Right, Right, Right, Right, Right, Right, Left]);
    table.row(["step", "kind", "FLOP", "bytes", "time", "share", "GFLOP/s", "GB/s", "kernel"]);
    let whole = per_launch(program, program.time);
    let share = |seconds: f64| format!("{:.1} %", 100.0 * seconds / whole.max(1e-12));
    let (mut flops, mut bytes, mut inside) = (0.0, 0.0, 0.0);
    for (number, step) in program.steps.iter().enumerate() {
        let seconds = per_launch(program, step.time);
        let StepProfile { info, calls, .. } = step;
        if info.depth == 0 {
            inside += seconds;
        }
        let kind = format!("{}{}", "  ".repeat(info.depth), info.kind);
        // The work of a loop is that of the steps in it, which have rows of their own.
        let has_inner = program.steps.get(number + 1).is_some_and(|s| s.info.depth > info.depth);
        let times = *calls as f64 / program.launches.max(1) as f64;
        let cells = match (has_inner, *calls) {
            (_, 0) => ["", "", "not run", "", "", ""].map(str::to_owned),
            (true, _) => {
                ["", "", &seconds_text(seconds), &share(seconds), "", ""].map(str::to_owned)
            }
            (false, _) => {
                let work = [info.flops as f64 * times, info.bytes as f64 * times];
                flops += work[0];
                bytes += work[1];
                cells(work, seconds, share(seconds))
            }
        };
        let row = [number.to_string(), kind].into_iter().chain(cells);
        table.row(row.chain([info.kernel.clone()]));
    }
    let between = (whole - inside).max(0.0);
    let names = |name: &str| [String::new(), name.to_owned()].into_iter();
    let outside = ["", "", &seconds_text(between), &share(between)].map(str::to_owned);
    table.row(names("between").chain(outside));
    table.row(names("all").chain(cells([flops, bytes], whole, share(whole))));
    table
}

/// Work, time, share and rates; a rate of nothing is left out.
fn cells([flops, bytes]: [f64; 2], seconds: f64, share: String) -> [String; 6] {
    let rate = |amount: f64| match amount > 0.0 && seconds > 0.0 {
        true => format!("{:.1}", amount / seconds / 1e9),
        false => String::new(),
    };
    let amount = |n: f64| if n > 0.0 { scaled_text(n, "") } else { String::new() };
    [amount(flops), amount(bytes), seconds_text(seconds), share, rate(flops), rate(bytes)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use tfjit::StepInfo;

    #[test]
    fn shares_are_of_launches_and_loops_are_not_counted_twice() {
        let step = |depth, kind: &str, flops, calls, micros| StepProfile {
            info: StepInfo {
                depth,
                kind: kind.to_owned(),
                kernel: "@k".to_owned(),
                flops,
                bytes: 0,
            },
            calls,
            time: Duration::from_micros(micros),
        };
        let program = ProgramProfile {
            function: "f".to_owned(),
            launches: 2,
            time: Duration::from_micros(400),
            steps: vec![
                step(0, "loop", 100_000, 2, 100),
                step(0, "while", 10_000, 2, 200),
                step(1, "loop", 10_000, 20, 160),
                step(1, "copy", 0, 0, 0),
            ],
        };
        let want = "\
step  kind      FLOP  bytes     time    share  GFLOP/s  GB/s  kernel
   0  loop     100 k         50.0 us   25.0 %      2.0        @k
   1  while                   100 us   50.0 %                 @k
   2    loop   100 k         80.0 us   40.0 %      1.2        @k
   3    copy                 not run                          @k
      between                50.0 us   25.0 %
      all      200 k          200 us  100.0 %      1.0
";
        assert_eq!(table(&program).text(0), want);
    }
}
