//! What a check says, as it stands in a file: its outputs, or the rule that broke and who is to blame.

use duet_light_client::{
    BodyError, Error, NextStep, RecoverError, StateError, StateProofError, TooOld,
};
use duet_primitives::{
    AggregateError, Culprit, EquivocationError, JustificationError, KeyError, KeysetError,
    MerkleError, PointError, PossessionError, RecoveryError, SignatureError, StatelessError,
    VoteError,
};
use serde_json::{json, Value};

/// Why something was refused.
#[derive(Clone, Debug)]
pub(crate) struct Broken {
    /// The rule.
    rule: String,
    /// The rules that the message names besides, from the outside to the inside.
    cause: Vec<String>,
    blame: Option<Culprit>,
    next_step: Option<NextStep>,
}

/// The outputs, or what broke.
pub(crate) type Verdict = Result<Value, Broken>;

impl Broken {
    /// What is wrong according to a message that names its rules.
    fn said(message: &str, blame: Option<Culprit>) -> Self {
        let mut rules = rules_in(message).into_iter();
        Self {
            rule: rules.next().expect("every message names its rule"),
            cause: rules.collect(),
            blame,
            next_step: None,
        }
    }

    /// The bytes are not those of the object. (ENC-6)
    pub(crate) fn malformed() -> Self {
        Self {
            rule: "ENC-6".into(),
            cause: vec![],
            blame: Some(Culprit::Sender),
            next_step: None,
        }
    }

    /// A block whose state has no time is too old. (LIGHT-9)
    pub(crate) fn undated() -> Self {
        Self::said("LIGHT-9", None)
    }

    /// No recovery follows terms that are not those of RECOVER-4.
    pub(crate) fn without_terms() -> Self {
        Self::said("RECOVER-4", None)
    }

    fn fields(&self) -> Value {
        let mut fields = json!({ "valid": false, "rule": self.rule });
        if !self.cause.is_empty() {
            fields["cause"] = json!(self.cause);
        }
        if let Some(blame) = self.blame {
            fields["blame"] = json!(name_of(blame));
        }
        if let Some(step) = self.next_step {
            fields["next_step"] = json!(step_name(step));
        }
        fields
    }
}

/// The expected answer of a case.
pub(crate) fn expected(verdict: Verdict) -> Value {
    match verdict {
        Ok(mut outputs) => {
            outputs["valid"] = json!(true);
            outputs
        }
        Err(broken) => broken.fields(),
    }
}

fn name_of(culprit: Culprit) -> &'static str {
    match culprit {
        Culprit::Sender => "sender",
        Culprit::Validators => "validators",
        Culprit::Caller => "caller",
        Culprit::Nobody => "nobody",
    }
}

fn step_name(step: NextStep) -> &'static str {
    match step {
        NextStep::LeaveSender => "leave sender",
        NextStep::CheckTrustedHash => "check trusted hash",
        NextStep::FetchHandoffProofs { .. } => "fetch handoff proofs",
        NextStep::FetchKeys { .. } => "fetch keys",
        NextStep::NewCheckpoint => "new checkpoint",
        NextStep::GoOn => "go on",
        NextStep::Stop => "stop",
    }
}

/// The ids of rules in a text, in their order.
fn rules_in(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '-'));
    words
        .filter(|word| is_rule(word))
        .map(String::from)
        .collect()
}

fn is_rule(word: &str) -> bool {
    let Some((prefix, number)) = word.split_once('-') else {
        return false;
    };
    let letters = |text: &str| text.len() > 1 && text.bytes().all(|byte| byte.is_ascii_uppercase());
    letters(prefix) && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

macro_rules! blames {
    ($($error:ty),*) => {$(
        impl From<$error> for Broken {
            fn from(error: $error) -> Self {
                Self::said(&error.to_string(), Some(error.culprit()))
            }
        }
    )*};
}

blames!(
    BodyError,
    EquivocationError,
    JustificationError,
    KeyError,
    KeysetError,
    MerkleError,
    PossessionError,
    RecoveryError,
    SignatureError,
    StatelessError,
    StateProofError,
    VoteError
);

impl From<PointError> for Broken {
    fn from(error: PointError) -> Self {
        Self::said(&error.to_string(), None)
    }
}

impl From<TooOld> for Broken {
    fn from(error: TooOld) -> Self {
        Self::said(&error.to_string(), None)
    }
}

impl From<RecoverError> for Broken {
    fn from(error: RecoverError) -> Self {
        let rule = error.rule();
        let named = rules_in(&error.to_string()).into_iter();
        Self {
            rule: rule.into(),
            cause: named.filter(|named| named != rule).collect(),
            blame: Some(error.culprit()),
            next_step: None,
        }
    }
}

/// Sums of votes, where nobody is to blame: whoever adds up takes what holds.
impl From<AggregateError> for Broken {
    fn from(error: AggregateError) -> Self {
        let rule = match error {
            // Not what the justification lacks.
            AggregateError::OtherMessage { .. } => "JUST-8".into(),
            _ => Self::said(&error.to_string(), None).rule,
        };
        Self {
            rule,
            cause: vec![],
            blame: None,
            next_step: None,
        }
    }
}

/// A checkpoint: whoever vouched for it is to blame.
impl From<StateError> for Broken {
    fn from(error: StateError) -> Self {
        Self::said(&error.to_string(), Some(Culprit::Caller))
    }
}

impl From<Error> for Broken {
    fn from(error: Error) -> Self {
        let rule = error.rule();
        let named = rules_in(&error.to_string()).into_iter();
        Self {
            rule: rule.into(),
            cause: named.filter(|named| named != rule).collect(),
            blame: Some(error.culprit()),
            next_step: Some(error.next_step()),
        }
    }
}
