//! The page on which a browser verifies: the modules, the package around them, and the served folder.

use crate::{
    cargo::{self, root},
    result::Result,
    tools,
};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

const MANIFEST: &str = "light-client/wasm/Cargo.toml";
const TARGET: &str = "wasm32-unknown-unknown";
/// The build folder, in the target directory.
const FOLDER: &str = "light-client-wasm";
/// The modules: the verifier, what executes calls of a runtime, and what reads outcomes. Pages load the last two when they
/// ask for the first.
const MODULES: [(&str, &str); 3] = [
    ("duet-light-wasm", "duet_light_wasm"),
    ("duet-calls-wasm", "duet_calls_wasm"),
    ("duet-outcomes-wasm", "duet_outcomes_wasm"),
];
/// The copied parts of the package, beside the module.
const PACKAGE: [&str; 5] = [
    "index.d.ts",
    "chains.d.ts",
    "package.json",
    "README.md",
    "src",
];

/// Builds the modules, their JavaScript, the package and the page. Leaves `verifiers/web/dist` as it was when
/// something fails.
pub(crate) fn build() -> Result {
    tools::rustup_target(TARGET)?;
    let web = root().join("verifiers/web");
    let bindings = web.join("light-client/wasm");
    for (package, name) in MODULES {
        let module = module(package, name)?;
        let mut bind = in_workspace("run");
        bind.args(["--quiet", "--package", "duet-wasm-bindgen", "--"]);
        cargo::run(bind.arg(&module).arg(&bindings))?;
    }

    let package = web.join("dist/light-client");
    let page = web.join("dist/page");
    for folder in [&package, &page] {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
    }
    for name in PACKAGE {
        copy(&web.join("light-client").join(name), &package.join(name))?;
    }
    copy(&bindings, &package.join("wasm"))?;
    // Of the module for calls.
    copy(
        &root().join("light-client/calls/LICENSE-GPL3"),
        &package.join("wasm/LICENSE-GPL3"),
    )?;
    copy(&web.join("page"), &page)?;
    copy(&package, &page.join("light-client"))?;
    println!("The page: {}", page.display());
    Ok(())
}

fn module(package: &str, name: &str) -> Result<PathBuf> {
    let mut build = in_workspace("build");
    build.args(["--release", "--lib", "--package", package]);
    build.args(["--target", TARGET]);
    cargo::run(build.env("CARGO_ENCODED_RUSTFLAGS", without_paths()))?;
    let folder = target_directory().join(TARGET).join("release");
    Ok(folder.join(name).with_extension("wasm"))
}

/// Flags that keep this machine's folders out of the module: they are meaningless to its users.
fn without_paths() -> String {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")));
    let registries = home.and_then(|home| fs::read_dir(home.join("registry/src")).ok());
    let mut folders = vec![root().to_owned()];
    folders.extend(
        registries
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path()),
    );
    let flags = folders
        .iter()
        .map(|folder| format!("--remap-path-prefix={}=.", folder.display()));
    flags.collect::<Vec<_>>().join("\u{1f}")
}

fn in_workspace(verb: &str) -> Command {
    cargo::apart(verb, MANIFEST, FOLDER)
}

fn target_directory() -> PathBuf {
    cargo::target_directory().join(FOLDER)
}

/// Copies a file, or a folder with all of its content.
fn copy(from: &Path, to: &Path) -> Result {
    if !from.is_dir() {
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        let failed = |error| format!("copying {}: {error}", from.display());
        if from.extension().is_some_and(|ending| ending == "js") {
            let text = fs::read_to_string(from).map_err(failed)?;
            fs::write(to, without_comments(&text)).map_err(failed)?;
        } else {
            fs::copy(from, to).map_err(failed)?;
        }
        return Ok(());
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

/// Strips indentation and whole-line comments from JavaScript, so that browsers load less. None of our string
/// literals spans several lines.
fn without_comments(text: &str) -> String {
    let mut is_comment = false;
    let mut kept = String::with_capacity(text.len());
    for line in text.lines() {
        let words = line.trim();
        if is_comment || words.starts_with("/*") {
            is_comment = !words.ends_with("*/");
        } else if !words.is_empty() && !words.starts_with("//") {
            kept.push_str(words);
            kept.push('\n');
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_go_and_code_stays() {
        let text = "// one\n/** two\n * three */\nconst url = \"ws://a\"; // stays\n\n  f(/* four */);\n/* five */\nend\n";
        assert_eq!(
            without_comments(text),
            "const url = \"ws://a\"; // stays\nf(/* four */);\nend\n"
        );
    }
}
