//! The operator's recovery proof, and what was told of it and of others.

use crate::{
    event::Event,
    recovery::{doubt, RecoveryStatus, Witness},
};
use duet_primitives::{RecoveryProof, RecoveryStatement};

/// The operator's proof, and what was told of it and of others.
#[derive(Debug, Default)]
pub(super) struct Recovering {
    /// The proof.
    pub(super) given: Option<RecoveryProof>,
    /// The last announcement that was told, and whether it was contradicted then.
    announced: Option<(Option<RecoveryStatement>, bool)>,
    /// The last statement that was told to be doubtful.
    doubted: Option<RecoveryStatement>,
    /// Why the proof was not used, when that was told last.
    obstacle: Option<String>,
    news: Vec<Event>,
}

impl Recovering {
    pub(super) fn take_news(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.news)
    }

    /// Tells of an announcement once, and again when it is contradicted.
    pub(super) fn tell_of(&mut self, status: &RecoveryStatus) {
        let announced = status.announced.as_ref();
        let now = announced.map(|it| (it.statement.clone(), it.is_contradicted));
        if self.announced != now {
            self.announced = now;
            let news = announced.map(|announced| Event::announced(status.best, announced));
            self.news.extend(news);
        }
    }

    pub(super) fn tell_of_doubt(&mut self, status: &RecoveryStatus, witnesses: &[Witness]) {
        let announced = status.announced.as_ref();
        let Some(statement) = announced.and_then(|announced| announced.statement.as_ref()) else {
            self.doubted = None;
            return;
        };
        if self.doubted.as_ref() != Some(statement) {
            if let Some(reason) = doubt(statement, witnesses) {
                self.doubted = Some(statement.clone());
                self.news.push(Event::unfounded(statement, reason));
            }
        }
    }

    pub(super) fn tell_of_obstacle(&mut self, obstacle: Option<String>) {
        if self.obstacle == obstacle {
            return;
        }
        self.obstacle.clone_from(&obstacle);
        let given = self.given.as_ref().zip(obstacle);
        self.news
            .extend(given.map(|(given, reason)| Event::NotRecovered {
                block: given.statement.block_number,
                reason,
            }));
    }
}
