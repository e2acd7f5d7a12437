//! The instructions that our container file uses. Others are refused, so that none goes untested.

use crate::result::Result;

/// The image that a container file builds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Image {
    /// The Debian suite of the base image.
    pub(crate) suite: String,
    /// The build steps, in order.
    pub(crate) steps: Vec<Step>,
    /// The user that runs the program.
    pub(crate) user: String,
    /// The program and its first arguments.
    pub(crate) entrypoint: Vec<String>,
}

/// An instruction that changes the image.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Copies the given package there.
    Copy(String),
    /// A shell command.
    Run(String),
}

/// The name of the package in our file.
const GIVEN: &str = "${PACKAGE}";

impl Image {
    /// Reads a container file.
    ///
    /// # Errors
    /// Names an unknown instruction, or the missing part.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let mut image = Self {
            suite: String::new(),
            steps: Vec::new(),
            user: String::new(),
            entrypoint: Vec::new(),
        };
        let text = text.replace("\\\n", " ");
        let lines = text
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        for line in lines {
            let (instruction, rest) = line.split_once(' ').unwrap_or((line, ""));
            let unknown = || format!("unsupported instruction: `{line}`");
            match instruction {
                "FROM" => {
                    let suite = rest
                        .strip_prefix("debian:")
                        .and_then(|tag| tag.strip_suffix("-slim"));
                    image.suite = suite.ok_or_else(unknown)?.to_owned();
                }
                "COPY" => {
                    let to = rest.strip_prefix(GIVEN).ok_or_else(unknown)?;
                    image.steps.push(Step::Copy(to.trim().to_owned()));
                }
                "RUN" => image.steps.push(Step::Run(rest.to_owned())),
                "USER" => image.user = rest.to_owned(),
                "ENTRYPOINT" => image.entrypoint = serde_json::from_str(rest)?,
                // These only inform the image's users.
                "ARG" | "EXPOSE" | "VOLUME" => {}
                _ => return Err(unknown().into()),
            }
        }
        if image.suite.is_empty() || image.user.is_empty() || image.entrypoint.is_empty() {
            return Err("a container file needs FROM, USER and ENTRYPOINT".into());
        }
        Ok(image)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# How\nFROM debian:trixie-slim\nCOPY ${PACKAGE} /tmp/a\nRUN b && \\\n  c\nUSER d\nENTRYPOINT [\"/e\", \"-f\"]\n";

    #[test]
    fn instructions_keep_their_order() {
        let image = Image::parse(FILE).expect("known");
        let steps = [Step::Copy("/tmp/a".into()), Step::Run("b &&    c".into())];
        let entrypoint = vec!["/e".into(), "-f".into()];
        assert_eq!(
            image,
            Image {
                suite: "trixie".into(),
                steps: steps.into(),
                user: "d".into(),
                entrypoint
            }
        );
    }

    #[test]
    fn an_unknown_instruction_is_refused() {
        let error = Image::parse(&format!("{FILE}ADD x y\n")).expect_err("unknown");
        assert_eq!(error.to_string(), "unsupported instruction: `ADD x y`");
    }

    #[test]
    fn a_file_without_a_user_is_refused() {
        let error = Image::parse(&FILE.replace("USER d\n", "")).expect_err("incomplete");
        assert_eq!(
            error.to_string(),
            "a container file needs FROM, USER and ENTRYPOINT"
        );
    }
}
