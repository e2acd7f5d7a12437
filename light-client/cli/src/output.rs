//! Output: lines for people, or one JSON object per line for programs.
//!
//! Proven results go to standard output, progress to standard error. With `--json` everything goes to standard
//! output.

use crate::event::Event;
use duet_primitives::BlockNumber;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Where events go. Clones share the progress bar.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    json: bool,
    quiet: bool,
    /// Only answers go to standard output.
    answers: bool,
    bar: ProgressBar,
}

impl Output {
    pub(crate) fn new(json: bool, quiet: bool) -> Self {
        let target = if json {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let bar = ProgressBar::with_draw_target(None, target);
        let style = "{bar:32} block {pos} of {len}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        Self {
            json,
            quiet,
            answers: false,
            bar,
        }
    }

    /// For commands that answer a question: the answer alone goes to standard output.
    pub(crate) fn of_answers(json: bool, quiet: bool) -> Self {
        Self {
            answers: true,
            ..Self::new(json, quiet)
        }
    }

    /// Shows something that happened.
    pub(crate) fn event(&self, event: &Event<'_>) {
        // There may be many a second: they are for programs that want them.
        if matches!(event, Event::Request { .. }) && (self.quiet || !self.json) {
            return;
        }
        if self.json {
            match serde_json::to_string(event) {
                Ok(line) => self.print(&line),
                Err(error) => self.warn(&error.to_string()),
            }
        } else if !event.is_result() || (self.answers && !event.is_answer()) {
            if !(self.quiet && event.is_result()) {
                self.warn(&event.text());
            }
        } else if !(self.quiet && matches!(event, Event::Proof { .. })) {
            self.print(&event.text());
        }
    }

    /// Writes to standard output.
    pub(crate) fn print(&self, text: &str) {
        self.bar.suspend(|| duet_process::tell(text));
    }

    fn warn(&self, text: &str) {
        self.bar.suspend(|| duet_process::warn(text));
    }

    /// Moves the progress bar.
    pub(crate) fn progress(&self, block: BlockNumber, head: BlockNumber) {
        self.bar.set_length(u64::from(head.max(block).get()));
        self.bar.set_position(u64::from(block.get()));
    }

    /// Removes the progress bar.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
