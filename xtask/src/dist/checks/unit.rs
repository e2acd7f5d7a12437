//! How systemd would start the node: the lines of the unit that say it, and the flags in the file that it names.

use crate::result::Result;
use std::collections::BTreeMap;

/// What a unit says about starting.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) user: String,
    /// The file with variables.
    pub(crate) environment: String,
    /// The executable and its arguments, of which `$NAME` stands for the words of a variable.
    command: Vec<String>,
}

impl Unit {
    /// Reads a unit.
    ///
    /// # Errors
    /// Names the line that is missing.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let value = |key: &str| {
            let mut lines = text.lines().filter_map(|line| line.split_once('='));
            let found = lines.find(|(name, _)| *name == key);
            found
                .map(|(_, value)| value.to_owned())
                .ok_or_else(|| format!("the unit has no {key}"))
        };
        Ok(Self {
            user: value("User")?,
            environment: value("EnvironmentFile")?,
            command: value("ExecStart")?
                .split_whitespace()
                .map(str::to_owned)
                .collect(),
        })
    }

    /// The words that are run, with the content of [`Self::environment`].
    ///
    /// # Errors
    /// When it lacks a variable.
    pub(crate) fn words(&self, environment: &str) -> Result<Vec<String>> {
        let lines = environment.lines().filter(|line| !line.starts_with('#'));
        let variables: BTreeMap<_, _> = lines.filter_map(|line| line.split_once('=')).collect();
        let mut words = Vec::new();
        for word in &self.command {
            match word.strip_prefix('$') {
                None => words.push(word.clone()),
                Some(name) => {
                    let value = variables
                        .get(name)
                        .ok_or_else(|| format!("{} has no {name}", self.environment))?;
                    words.extend(
                        value
                            .trim_matches('"')
                            .split_whitespace()
                            .map(str::to_owned),
                    );
                }
            }
        }
        Ok(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: &str = "[Service]\nUser=a\nEnvironmentFile=/etc/b\nExecStart=/bin/c --d $FLAGS\n";

    #[test]
    fn flags_of_the_file_become_words() {
        let unit = Unit::parse(UNIT).expect("complete");
        assert_eq!(
            (unit.user.as_str(), unit.environment.as_str()),
            ("a", "/etc/b")
        );
        let words = unit
            .words("# FLAGS=\"no\"\nFLAGS=\"--e f\"\n")
            .expect("known");
        assert_eq!(words, ["/bin/c", "--d", "--e", "f"]);
    }

    #[test]
    fn a_unit_without_a_user_is_refused() {
        let error = Unit::parse(&UNIT.replace("User=a\n", "")).expect_err("incomplete");
        assert_eq!(error.to_string(), "the unit has no User");
    }

    #[test]
    fn a_file_without_the_flags_is_refused() {
        let unit = Unit::parse(UNIT).expect("complete");
        let error = unit.words("OTHER=1\n").expect_err("unknown");
        assert_eq!(error.to_string(), "/etc/b has no FLAGS");
    }
}
