//! The supported methods, and how far each answer is verified: `methods.json`.
//!
//! The provider for JavaScript reads the same file, as `verifiers/web/provider/src/table.js`, and
//! `docs/light-clients/methods.md` shows it. `DUET_REGENERATE=1 cargo test -p duet-light table` writes both.

use serde::{de::IgnoredAny, Deserialize};
use std::{collections::BTreeMap, sync::LazyLock};

/// How far an answer is verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Class {
    /// Checked under a proof that was verified.
    Verified,
    /// The answer of an endpoint, unchecked.
    Passed,
    /// Not answered.
    Refused,
}

impl Class {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Passed => "passed",
            Self::Refused => "refused",
        }
    }
}

/// The row of a method.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// The method, or another of its names: the one by which it is answered.
    pub(crate) method: &'static str,
    pub(crate) class: Class,
    /// What is checked, or why nothing is.
    pub(crate) why: &'static str,
}

/// The row of methods that are not in the table.
const UNKNOWN: Row = Row {
    method: "*",
    class: Class::Refused,
    why: "not supported",
};

const STRICT: &str = "nothing proves the answer, and --strict was given";

/// A row of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    methods: Vec<&'static str>,
    class: Option<Class>,
    /// The class with `--strict`.
    strict: Option<Class>,
    check: &'static str,
    pushes: Option<&'static str>,
    #[serde(default)]
    ends: Vec<&'static str>,
    /// Where the answers of this server differ from those of the provider.
    #[serde(default)]
    serve: Own,
    #[serde(rename = "provider")]
    _provider: Option<IgnoredAny>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Own {
    class: Option<Class>,
    strict: Option<Class>,
    check: Option<&'static str>,
}

/// One method with all its names, or several methods that are all passed on, or all refused.
#[derive(Debug)]
pub(crate) struct Known {
    /// The first name, by which the method is answered.
    pub(crate) name: &'static str,
    pub(crate) methods: Vec<&'static str>,
    /// Of a subscription: the name of its messages.
    pub(crate) pushes: Option<&'static str>,
    /// Of a subscription: the methods that end it, one for each name.
    pub(crate) ends: Vec<&'static str>,
    class: Class,
    strict: Class,
    check: &'static str,
}

impl Known {
    /// How far an answer is verified, with `--strict` or without.
    pub(crate) fn class(&self, strict: bool) -> Class {
        match strict {
            true => self.strict,
            false => self.class,
        }
    }
}

impl From<Written> for Known {
    fn from(written: Written) -> Self {
        let own = written.serve;
        let class = own.class.or(written.class).unwrap_or(Class::Verified);
        let usual = match class {
            Class::Passed => Class::Refused,
            class => class,
        };
        Self {
            name: written.methods.first().copied().unwrap_or_default(),
            methods: written.methods,
            pushes: written.pushes,
            ends: written.ends,
            class,
            strict: own.strict.or(written.strict).unwrap_or(usual),
            check: own.check.unwrap_or(written.check),
        }
    }
}

const FILE: &str = include_str!("methods.json");

static TABLE: LazyLock<Vec<Known>> = LazyLock::new(|| {
    // The tests read the same text.
    let written: Vec<Written> = serde_json::from_str(FILE).unwrap_or_default();
    written.into_iter().map(Known::from).collect()
});

/// The row of each name.
static NAMES: LazyLock<BTreeMap<&str, &Known>> = LazyLock::new(|| {
    let names = |known: &'static Known| {
        let all = known.methods.iter().chain(&known.ends);
        all.map(move |name| (*name, known))
    };
    TABLE.iter().flat_map(names).collect()
});

/// The row of a method. Methods that cannot be verified are refused when `strict`.
pub(crate) fn row(method: &str, strict: bool) -> Row {
    let Some((&method, known)) = NAMES.get_key_value(method) else {
        return UNKNOWN;
    };
    let class = known.class(strict);
    let why = match known.class {
        Class::Passed if class == Class::Refused => STRICT,
        _ => known.check,
    };
    Row { method, class, why }
}

/// The rows of methods that are answered.
pub(crate) fn answered(strict: bool) -> impl Iterator<Item = &'static Known> {
    let rows = TABLE.iter();
    rows.filter(move |known| known.class(strict) != Class::Refused)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::{env, fs, path::Path};

    /// Compares a file of the repository with its expected text, or writes it.
    fn assert_committed(path: &str, expected: impl Fn(&str) -> String) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join(path);
        let found = fs::read_to_string(&path).unwrap_or_default();
        let expected = expected(&found);
        if env::var_os("DUET_REGENERATE").is_some() {
            fs::write(&path, &expected).unwrap();
        } else {
            let path = path.display();
            assert!(found == expected, "{path} is not what methods.json says");
        }
    }

    /// How far one program verifies a row's answers: the class, and after a stroke that of strict mode if it differs.
    fn worth(row: &Value, program: &str) -> String {
        let of = |field| row[program].get(field).or(row.get(field));
        let class = of("class").map_or("verified", |class| class.as_str().unwrap());
        let usual = match class {
            "passed" => "refused",
            class => class,
        };
        let strict = of("strict").map_or(usual, |strict| strict.as_str().unwrap());
        match class == strict {
            true => class.to_owned(),
            false => format!("{class} / {strict}"),
        }
    }

    /// A row as the documentation shows it.
    fn shown(row: &Value) -> String {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let methods: Vec<_> = row["methods"]
            .as_array()
            .unwrap()
            .iter()
            .map(text)
            .collect();
        let mut checks = text(&row["check"]);
        for program in ["serve", "provider"] {
            if let Some(own) = row[program].get("check") {
                checks += &format!(". *{program}*: {}", text(own));
            }
        }
        format!(
            "| `{}` | {} | {} | {} |\n",
            methods.join("`, `"),
            worth(row, "serve"),
            worth(row, "provider"),
            checks
        )
    }

    #[test]
    fn the_documentation_shows_this_table() {
        const HEAD: &str = "| --- | --- | --- | --- |\n";
        let rows: Vec<Value> = serde_json::from_str(FILE).unwrap();
        let table: String = rows.iter().map(shown).collect();
        assert_committed("docs/light-clients/methods.md", |page| {
            let (before, rest) = page.split_once(HEAD).expect("the page has a table");
            let after = rest.lines().skip_while(|line| line.starts_with('|'));
            let after: String = after.map(|line| format!("{line}\n")).collect();
            format!("{before}{HEAD}{table}{after}")
        });
    }

    #[test]
    fn the_provider_has_this_table() {
        assert_committed("verifiers/web/provider/src/table.js", |_| {
            format!(
                "// Made from light-client/cli/src/serve/methods.json by the test of its table.\n\n\
                 export const ROWS = {};\n",
                FILE.trim_end()
            )
        });
    }

    #[test]
    fn every_name_is_there_once_and_has_what_its_kind_needs() {
        let names = TABLE
            .iter()
            .flat_map(|known| known.methods.iter().chain(&known.ends));
        assert_eq!(names.count(), NAMES.len());
        for known in TABLE.iter() {
            let ends = known.pushes.map_or(0, |_| known.methods.len());
            assert_eq!(known.ends.len(), ends, "{:?}", known.methods);
        }
    }

    #[test]
    fn a_method_has_its_class_by_each_of_its_names() {
        let class = |method| row(method, false).class;
        assert_eq!(class("state_getStorage"), Class::Verified);
        assert_eq!(class("state_getStorageAt"), Class::Verified);
        assert_eq!(class("subscribe_newHead"), Class::Verified);
        assert_eq!(class("author_submitExtrinsic"), Class::Passed);
        for refused in ["author_rotateKeys", "chainHead_v2_follow", "none", "*"] {
            assert_eq!(class(refused), Class::Refused, "{refused}");
        }
        assert_eq!(row("none", false).why, UNKNOWN.why);
    }

    #[test]
    fn what_cannot_be_verified_is_refused_when_strict_but_transactions_are_passed_on() {
        let passed = TABLE.iter().filter(|known| known.class == Class::Passed);
        for method in passed.flat_map(|known| &known.methods) {
            let strict = row(method, true);
            let is_submission = method.contains("ubmit") || method.starts_with("transaction_");
            let expected = match is_submission {
                true => Class::Passed,
                false => Class::Refused,
            };
            assert_eq!(strict.class, expected, "{method}");
            assert_eq!(strict.why == STRICT, !is_submission, "{method}");
        }
        let is_answered = |method, strict| {
            let mut rows = answered(strict);
            rows.any(|known| known.methods.contains(&method))
        };
        assert!(!is_answered("system_chain", true));
        assert!(is_answered("system_chain", false));
        assert!(is_answered("state_call", true));
    }
}
