//! What happens while a look goes on.

use tokio::sync::mpsc::UnboundedSender;

/// Where it is told at once: to nobody at first.
#[derive(Clone, Debug)]
pub struct News<T>(pub(crate) Option<UnboundedSender<T>>);

impl<T> Default for News<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> News<T> {
    /// Tells of one thing.
    pub fn tell(&self, what: T) {
        if let Some(listener) = &self.0 {
            // Nobody listens any more when the relayer ends.
            let _ = listener.send(what);
        }
    }
}
