//! Many rounds: every scheme, set size and share of garbage senders, each with several seeds.

use crate::{
    case::Case,
    costs::{CostTable, Costs},
    model::{Model, ModelError},
    plan::Plan,
    report::{Report, Row},
    round::{Outcome, Round},
    sizes::MessageSizes,
    Scheme,
};
use duet_primitives::threshold;
use std::{
    num::{NonZeroU32, NonZeroUsize},
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

/// What is simulated.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// The assumptions. How many votes travel together is set for each size, see [`Matrix::exact_up_to`].
    pub model: Model,
    /// Sizes of sets.
    pub validators: Vec<u32>,
    /// Shares of validators that send garbage, in percent.
    pub garbage: Vec<u32>,
    /// One network for each.
    pub seeds: Vec<u64>,
    /// Sets of at most so many validators have every vote travel alone.
    pub exact_up_to: u32,
    /// In larger sets, that many votes travel together that there are as many batches at most.
    pub batches: NonZeroU32,
}

/// Why a matrix cannot be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatrixError {
    /// The model or a size does not fit.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// There are no costs for a set size.
    #[error("no costs for {validators} validators")]
    NoCosts {
        /// The size.
        validators: u32,
    },
    /// There is no seed, no size or no share.
    #[error("no set size, no share of garbage senders or no seed is given")]
    Empty,
}

/// One network of a case.
struct Job<'a> {
    case: Case,
    seed: u64,
    model: &'a Model,
    costs: &'a Costs,
}

impl Matrix {
    /// Whether all of this can be played.
    ///
    /// # Errors
    /// [`MatrixError`], without a look at the costs.
    pub fn check(&self) -> Result<(), MatrixError> {
        if self.seeds.is_empty() || self.validators.is_empty() || self.garbage.is_empty() {
            return Err(MatrixError::Empty);
        }
        for validators in &self.validators {
            for garbage in &self.garbage {
                self.model.check_case(*validators, *garbage)?;
            }
        }
        Ok(())
    }

    /// Plays everything on so many threads; `progress` is called after each network of each case.
    ///
    /// Memory: below 500 MiB per thread for 10 000 validators and 500 batches. The result does not depend on
    /// the number of threads.
    ///
    /// # Errors
    /// [`MatrixError`], before anything is played.
    pub fn run(
        &self,
        costs: &CostTable,
        threads: NonZeroUsize,
        progress: &mut dyn FnMut(Case, u64),
    ) -> Result<Report, MatrixError> {
        self.check()?;
        let models: Vec<_> = self
            .validators
            .iter()
            .map(|it| self.model_for(*it))
            .collect();
        let mut jobs = Vec::new();
        for model in &models {
            let (validators, model) = model;
            let costs = costs.of(*validators).ok_or(MatrixError::NoCosts {
                validators: *validators,
            })?;
            for garbage in &self.garbage {
                let case = Case {
                    validators: *validators,
                    garbage: *garbage,
                };
                for seed in &self.seeds {
                    jobs.push(Job {
                        case,
                        seed: *seed,
                        model,
                        costs,
                    });
                }
            }
        }
        let outcomes = play(&jobs, threads, progress)?;
        let cases = jobs
            .chunks(self.seeds.len())
            .zip(outcomes.chunks(self.seeds.len()));
        let rows = cases
            .flat_map(|(jobs, outcomes)| rows(jobs, outcomes))
            .collect();
        Ok(Report {
            model: self.model.clone(),
            seeds: self.seeds.clone(),
            costs: costs.clone(),
            rows,
        })
    }

    fn model_for(&self, validators: u32) -> (u32, Model) {
        let votes_per_batch = if validators <= self.exact_up_to {
            1
        } else {
            validators.div_ceil(self.batches.get())
        };
        let model = Model {
            votes_per_batch,
            ..self.model.clone()
        };
        (validators, model)
    }
}

/// What came of one network: an outcome per scheme, in the order of [`Scheme::ALL`].
type Outcomes = Vec<Outcome>;

fn play(
    jobs: &[Job<'_>],
    threads: NonZeroUsize,
    progress: &mut dyn FnMut(Case, u64),
) -> Result<Vec<Outcomes>, MatrixError> {
    let (next, (sender, receiver)) = (&AtomicUsize::new(0), mpsc::channel());
    let mut done: Vec<Option<Outcomes>> = jobs.iter().map(|_| None).collect();
    thread::scope(|scope| {
        for _ in 0..threads.get() {
            let sender = sender.clone();
            scope.spawn(move || loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(job) = jobs.get(index) else { break };
                if sender.send((index, job.play())).is_err() {
                    break;
                }
            });
        }
        drop(sender);
        for (index, outcomes) in receiver {
            progress(jobs[index].case, jobs[index].seed);
            done[index] = Some(outcomes?);
        }
        Ok::<_, MatrixError>(())
    })?;
    Ok(done.into_iter().flatten().collect())
}

impl Job<'_> {
    fn play(&self) -> Result<Outcomes, MatrixError> {
        let Case {
            validators,
            garbage,
        } = self.case;
        let plan = Plan::new(self.model, validators, garbage, self.seed)?;
        let round = |scheme| Round {
            plan: &plan,
            model: self.model,
            costs: self.costs.of(scheme),
            message: self.costs.message,
            sizes: MessageSizes::new(scheme, validators),
            threshold: threshold(validators),
        };
        Ok(Scheme::ALL.map(|scheme| round(scheme).run()).into())
    }
}

/// The rows of one case, from its networks.
fn rows(jobs: &[Job<'_>], networks: &[Outcomes]) -> Vec<Row> {
    let Some(job) = jobs.first() else {
        return Vec::new();
    };
    let of = |scheme: Scheme| {
        let at = Scheme::ALL.iter().position(|it| *it == scheme);
        let outcomes = networks.iter().filter_map(|network| network.get(at?));
        outcomes.collect::<Vec<_>>()
    };
    Scheme::ALL
        .into_iter()
        .filter_map(|scheme| {
            Row::new(
                scheme,
                job.case,
                job.model.votes_per_batch,
                job.costs.message,
                &of(scheme),
            )
        })
        .collect()
}
