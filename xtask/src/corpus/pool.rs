//! Worker processes: each runs units one after the other and reports cases on its output.
//!
//! Processes and not threads, because a case may hang, run out of stack or abort: then only its
//! worker is lost, the case has failed, and a new worker goes on behind it.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

use super::sink::{MARK, within};

/// How a case ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// As it should.
    Passed,
    /// With this reason.
    Failed(String),
    /// It was not run, for this reason.
    Skipped(String),
}

/// How workers are started and how long a case may take.
#[derive(Default)]
pub(crate) struct Pool {
    /// The program with its arguments.
    pub(crate) command: Vec<String>,
    /// How many workers.
    pub(crate) jobs: usize,
    /// Time for one case.
    pub(crate) limit: Duration,
    /// Virtual memory of a worker in KiB, if bounded.
    pub(crate) memory_kib: Option<u64>,
    /// What passing cases told of what came out, by their ids.
    pub(crate) told: Mutex<BTreeMap<String, String>>,
    /// How many kernels the workers compared.
    pub(crate) kernels: AtomicUsize,
}

impl Pool {
    /// Runs `units` (group and name) and gives back all cases in no particular order.
    pub(crate) fn run(&self, units: Vec<(String, String)>) -> Result<Vec<(String, Outcome)>> {
        let queue = Mutex::new(VecDeque::from(units));
        let results = Mutex::new(Vec::new());
        let failure = Mutex::new(None);
        thread::scope(|scope| {
            for _ in 0..self.jobs {
                scope.spawn(|| {
                    let outcome = self.work(&queue, &results);
                    if let Err(e) = outcome {
                        lock(&failure).get_or_insert(e);
                    }
                });
            }
        });
        match lock(&failure).take() {
            Some(e) => Err(e),
            None => Ok(std::mem::take(&mut *lock(&results))),
        }
    }

    fn work(
        &self,
        queue: &Mutex<VecDeque<(String, String)>>,
        results: &Mutex<Vec<(String, Outcome)>>,
    ) -> Result<()> {
        let mut worker = None;
        loop {
            let Some((group, name)) = lock(queue).pop_front() else { return Ok(()) };
            let mut run = UnitRun { unit: format!("{group}/{name}"), ..UnitRun::default() };
            while !run.finished {
                let mut alive = match worker.take() {
                    Some(alive) => alive,
                    None => Worker::start(self)?,
                };
                alive.ask(&format!("{group}\t{name}\t{}", run.after));
                if alive.follow(&mut run, self.limit) {
                    worker = Some(alive);
                }
            }
            lock(results).extend(run.cases);
            lock(&self.told).extend(run.told);
            self.kernels.fetch_add(run.kernels, Ordering::Relaxed);
        }
    }
}

/// Locks, whatever became of an earlier holder.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// What is known of a unit so far.
#[derive(Default)]
struct UnitRun {
    unit: String,
    current: Option<String>,
    after: String,
    cases: Vec<(String, Outcome)>,
    told: Vec<(String, String)>,
    kernels: usize,
    finished: bool,
}

impl UnitRun {
    /// Takes in one line of the protocol.
    fn line(&mut self, line: &str) {
        let mut fields = line.split('\t');
        let (verb, id) = (fields.next().unwrap_or(""), fields.next().unwrap_or("").to_owned());
        let text = fields.next().unwrap_or("").to_owned();
        let outcome = match verb {
            "start" => {
                self.current = Some(id);
                return;
            }
            "done" => {
                self.finished = true;
                return;
            }
            "kernels" => {
                self.kernels += text.parse::<usize>().unwrap_or(0);
                return;
            }
            "none" => {
                self.current = None;
                return;
            }
            "pass" => {
                if !text.is_empty() {
                    self.told.push((id.clone(), text));
                }
                Outcome::Passed
            }
            "skip" => Outcome::Skipped(text),
            "fail" => Outcome::Failed(text),
            _ => return,
        };
        self.current = None;
        self.cases.push((id, outcome));
    }

    /// The worker is gone: the case that it was at has failed, or the whole unit.
    fn lost(&mut self, reason: &str) {
        match self.current.take() {
            Some(id) => {
                self.after.clone_from(&id);
                self.cases.push((id, Outcome::Failed(reason.to_owned())));
            }
            None => {
                self.cases.push((self.unit.clone(), Outcome::Failed(reason.to_owned())));
                self.finished = true;
            }
        }
    }
}

struct Worker {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
}

impl Worker {
    fn start(pool: &Pool) -> Result<Worker> {
        let mut command = match pool.memory_kib.filter(|_| cfg!(unix)) {
            None => Command::new(&pool.command[0]),
            Some(kib) => {
                let mut shell = Command::new("sh");
                shell.args(["-c", &format!("ulimit -v {kib}; exec \"$0\" \"$@\"")]);
                shell.arg(&pool.command[0]);
                shell
            }
        };
        command.args(&pool.command[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().context("start of a worker")?;
        let stdin = child.stdin.take().context("a worker's input")?;
        let stdout = child.stdout.take().context("a worker's output")?;
        let (send, lines) = channel();
        thread::spawn(move || {
            let mut reader = BufReader::new(stdout);
            let mut line = Vec::new();
            while reader.read_until(b'\n', &mut line).is_ok_and(|n| n > 0) {
                let text = String::from_utf8_lossy(&line).into_owned();
                // A program may have printed without a newline in front of our mark.
                let message = text.split_once(MARK).map(|(_, m)| m.trim_end().to_owned());
                if message.is_some_and(|message| send.send(message).is_err()) {
                    return;
                }
                line.clear();
            }
        });
        Ok(Worker { child, stdin, lines })
    }

    fn ask(&mut self, line: &str) {
        // A worker that is already dead shows as the end of its lines.
        let _ = writeln!(self.stdin, "{line}").and_then(|()| self.stdin.flush());
    }

    /// Reads lines until the unit is done; gives back whether the worker can go on.
    fn follow(&mut self, run: &mut UnitRun, limit: Duration) -> bool {
        while !run.finished {
            match self.lines.recv_timeout(limit) {
                Ok(line) => run.line(&line),
                Err(RecvTimeoutError::Timeout) => {
                    let _ = self.child.kill();
                    let _ = self.child.wait();
                    run.lost(&format!("timed out after {} s", limit.as_secs()));
                    return false;
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let status = self.child.wait().map(|status| status.to_string());
                    run.lost(&format!("the process died: {}", status.unwrap_or_default()));
                    return false;
                }
            }
        }
        true
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether the case `wanted` may be in the unit `unit`, or is all of it.
pub(crate) fn concerns(unit: &str, wanted: &str) -> bool {
    within(wanted, unit) || within(unit, wanted)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    /// A pool whose workers are a shell script that answers each unit.
    fn pool(script: &str, limit: Duration) -> Pool {
        let script = format!("while read -r group name after; do {script}; done");
        Pool {
            command: ["sh", "-c", &script].map(str::to_owned).to_vec(),
            jobs: 2,
            limit,
            memory_kib: None,
            ..Pool::default()
        }
    }

    fn outcomes(script: &str) -> Vec<(String, Outcome)> {
        within_time(script, Duration::from_secs(60))
    }

    fn within_time(script: &str, limit: Duration) -> Vec<(String, Outcome)> {
        let units = vec![("g".to_owned(), "u".to_owned())];
        let mut all = pool(script, limit).run(units).unwrap();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }

    fn say(line: &str) -> String {
        format!("printf '{MARK}%b\\n' '{line}'")
    }

    #[test]
    fn cases_are_collected() {
        let script =
            [say("start\\tg/u/a"), say("pass\\tg/u/a"), say("fail\\tg/u/b\\twhy"), say("done")];
        let want = [
            ("g/u/a".to_owned(), Outcome::Passed),
            ("g/u/b".to_owned(), Outcome::Failed("why".to_owned())),
        ];
        assert_eq!(outcomes(&script.join("; ")), want);
    }

    #[test]
    fn a_dead_worker_fails_one_case_only() {
        let first = format!("{}; kill -9 $$", say("start\\tg/u/a"));
        let second = format!("{}; {}", say("pass\\tg/u/b"), say("done"));
        let script = format!("if [ \"$after\" = g/u/a ]; then {second}; else {first}; fi");
        let all = outcomes(&script);
        assert!(matches!(&all[0].1, Outcome::Failed(why) if why.contains("signal")), "{all:?}");
        assert_eq!(all[1], ("g/u/b".to_owned(), Outcome::Passed));
    }

    #[test]
    fn a_hanging_worker_times_out() {
        let all = within_time("exec sleep 30", Duration::from_millis(300));
        let want = Outcome::Failed("timed out after 0 s".to_owned());
        assert_eq!(all, [("g/u".to_owned(), want)]);
    }

    #[test]
    fn units_and_cases() {
        assert!(concerns("ops/Abs", "ops/Abs/plain") && concerns("ops/Abs", "ops"));
        assert!(!concerns("ops/AbsX", "ops/Abs/plain"));
    }
}
