//! Stories about networks of real nodes. One program, and one story at a time: a network has the machine for
//! itself.

mod crashes;
mod demo;
mod joining;
mod support;
