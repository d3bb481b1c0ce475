//! A sign of life for work that takes longer than a second, on terminals only.

use std::sync::mpsc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::console::Console;

/// Work shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(100);

/// Does `work`, with a spinner and the seconds gone by while it takes long.
pub(crate) fn during<T>(console: &Console, what: &str, work: impl FnOnce() -> T) -> T {
    if !console.shows_progress() {
        return work();
    }
    let (done, wait) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if wait.recv_timeout(PATIENCE) != Err(mpsc::RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::new_spinner().with_elapsed(PATIENCE);
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
                bar.set_style(style);
            }
            bar.set_message(what.to_owned());
            bar.enable_steady_tick(TICK);
            // Ends when the sender is dropped, also if the work panics.
            let _ = wait.recv();
            bar.finish_and_clear();
        });
        let result = work();
        drop(done);
        result
    })
}
