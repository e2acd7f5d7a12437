//! Writes the conformance vectors, or compares the files with them.

use std::{env, fs, process::ExitCode};

fn main() -> ExitCode {
    let check = match env::args().nth(1).as_deref() {
        None => false,
        Some("--check") => true,
        Some(other) => {
            eprintln!("duet-conformance: unknown argument {other}; expected --check or none");
            return ExitCode::FAILURE;
        }
    };
    let folder = duet_conformance::folder();
    let mut differs = false;
    for file in duet_conformance::files() {
        let path = folder.join(format!("{}.json", file.name));
        let text = file.to_json();
        let same = fs::read_to_string(&path).is_ok_and(|found| found == text);
        if check {
            if !same {
                eprintln!(
                    "{} differs from the output of the generator",
                    path.display()
                );
            }
        } else if !same {
            fs::write(&path, &text).expect("the folder of the vectors can be written");
        }
        differs |= !same;
        println!(
            "{}: {} cases, {} bytes",
            file.name,
            file.cases.len(),
            text.len()
        );
    }
    if check && differs {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
