//! Reports, answers and evidence: what holds, and what each rule refuses.

mod answers;
mod evidence;
mod mutations;
mod reports;
mod support;
