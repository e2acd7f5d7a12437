//! Stories about networks of real nodes. One program, and one story at a time: a network has the machine for
//! itself.

mod adversaries;
mod crashes;
mod demo;
mod equivocation;
mod forgery;
mod joining;
mod support;
