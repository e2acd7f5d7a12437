//! `duet-schemes research-forgeable-polynomial`. All output warns that the scheme is insecure.

mod args;
mod formats;

pub(crate) use args::Command;

use crate::{
    failure::Failure,
    files,
    keys::{check_new, NewKey},
    object,
    output::Output,
};
use args::{Claim, Data, Evaluate, Forge, Keygen, Kind, Sign, Stats, Verify};
use duet_armour::{
    kinds::{RESEARCH_PUBLIC_KEY, RESEARCH_SECRET_KEY},
    Object,
};
use duet_polynomial::{
    research::{
        forgery::Forger,
        register::{FileFault, FileRegister, RegisterError},
        Dimension, EvaluateError, KeyGeneration, Limits, NormBound, Polynomial, PublicKey,
        SecretKey, SignError, Signer, SigningKey, Tag,
    },
    Assurance, Statistic,
};
use formats::{
    read_public, read_signature, read_signatures, read_tag, read_values, register_failure,
    write_signatures, WARNING,
};
use num_bigint::BigInt;
use rand_core::{OsRng, RngCore};
use serde_json::{json, Value};
use std::{num::NonZeroUsize, path::Path};
use zeroize::Zeroizing;

/// An upper bound on the length of a secret key: two generators of 128 coefficients, and a seed.
const MOST_SECRET_LEN: usize = 1 << 12;

pub(crate) fn run(command: Command, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Keygen(args) => keygen(&args, output),
        Command::Sign(args) => sign(&args, output),
        Command::Evaluate(args) => evaluate(&args, output),
        Command::Verify(args) => verify(&args, output),
        Command::Stats(Stats::Mean(data)) => stats(Kind::Mean, &data, output),
        Command::Stats(Stats::Variance(data)) => stats(Kind::Variance, &data, output),
        Command::Stats(Stats::Deviation(data)) => stats(Kind::Deviation, &data, output),
        Command::Forge(args) => forge(&args, output),
    }
}

fn keygen(args: &Keygen, output: &Output) -> Result<(), Failure> {
    let dimension = Dimension::new(args.dimension).map_err(Failure::input)?;
    let limits = match args.coefficient {
        Some(coefficient) => Limits::new(args.values, args.degree, coefficient),
        None => Limits::for_statistics(args.values)
            .and_then(|limits| Limits::new(args.values, args.degree, limits.coefficient())),
    };
    let limits = limits.map_err(Failure::input)?;
    // Checked before the search, which takes long. Writing checks again.
    check_new(&args.key, Some(&args.register))?;
    let mut seed = Zeroizing::new([0; 32]);
    OsRng.try_fill_bytes(&mut *seed).map_err(Failure::input)?;
    // The expected number of candidates; the actual one is not known in advance.
    let bar = output.progress(2 * dimension.get() as u64, "candidates");
    let generated = KeyGeneration {
        tested: &|| bar.inc(1),
        ..KeyGeneration::default()
    }
    .run(&seed, dimension, limits);
    bar.finish_and_clear();

    let public = generated.signing.public();
    let new = NewKey {
        folder: &args.key,
        fingerprint: *public.fingerprint().as_bytes(),
        secret: (&RESEARCH_SECRET_KEY, &generated.secret.expose()),
        public: (&RESEARCH_PUBLIC_KEY, &public.to_bytes()),
    };
    let register = args.register.paths(&args.key);
    new.write(|together| {
        FileRegister::create(&register, public.fingerprint())
            .map_err(|error| register_failure(&register, &error))?;
        together.made(&register.journal);
        together.made(&register.anchor);
        Ok(())
    })?;
    let fingerprint = hex::encode(public.fingerprint().as_bytes());
    let candidates = generated.candidates;
    result(
        output,
        json!({
            "fingerprint": fingerprint,
            "folder": args.key,
            "dimension": dimension.get(),
            "candidates": candidates,
        }),
        &format!("key {fingerprint}, found after {candidates} candidates"),
    )
}

fn sign(args: &Sign, output: &Output) -> Result<(), Failure> {
    let public = read_public(args.public.as_ref().unwrap_or(&args.key.key))?;
    let path = args.key.secret();
    let object = object::read_secret(&path, &RESEARCH_SECRET_KEY, MOST_SECRET_LEN)?;
    // A secret with the fingerprint of a public key that does not belong to it is refused when the two are joined.
    let stated = *object.fingerprint();
    let key = object
        .key(object::input(SecretKey::from_bytes), |_| stated)
        .and_then(|secret| SigningKey::restore(&secret, &public).map_err(Failure::input))
        .map_err(|failure| failure.in_file(&path))?;
    let tag = read_tag(&args.tag)?;
    let values = read_values(&args.values)?;
    let files = args.register.paths(&args.key.key);
    files::check_outputs(&[&args.to.path], output.existing())?;
    let register = output
        .when_free(
            || FileRegister::open(&files, public.fingerprint()),
            |error| matches!(error, RegisterError::File(file) if matches!(file.fault, FileFault::InUse)),
        )
        .map_err(|error| register_failure(&files, &error))?;
    let mut signer = Signer::new(key, register).map_err(Failure::input)?;
    let workers = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let signed = signer.sign_data_set(&tag, &values, workers);
    let signatures = signed.map_err(|error| match error {
        SignError::Register(error) => register_failure(&files, &error),
        other => Failure::input(other),
    })?;
    write_signatures(&args.to.path, &signatures, output)?;
    report(
        output,
        &args.to.path,
        json!({ "signatures": signatures.len() }),
        &format!("{} values signed", signatures.len()),
    )
}

/// The type of an object of this scheme.
pub(crate) fn describe(object: &Object) -> Result<(Value, String), Failure> {
    let kind = object.kind();
    if *kind == RESEARCH_SECRET_KEY {
        // The public key has to be searched for again, and nothing else would tell whether it is the stated one.
        Ok((json!({}), "a secret, unverified".to_owned()))
    } else if *kind == RESEARCH_PUBLIC_KEY {
        let dimension = formats::public(object)?.dimension().get();
        Ok((
            json!({ "dimension": dimension }),
            format!("dimension {dimension}"),
        ))
    } else {
        let bytes = object.content()?.len();
        Ok((
            json!({ "bytes": bytes }),
            format!("{bytes} bytes, unverified"),
        ))
    }
}

fn evaluate(args: &Evaluate, output: &Output) -> Result<(), Failure> {
    let public = read_public(&args.public)?;
    let signatures = read_signatures(&args.signatures, &public)?;
    let count = u32::try_from(signatures.len()).map_err(Failure::input)?;
    let function = Polynomial::parse(count, &args.function).map_err(Failure::input)?;
    let result = public
        .evaluate(&function, &signatures, args.range)
        .map_err(Failure::input)?;
    write_signatures(&args.to.path, &[result.signature], output)?;
    report(
        output,
        &args.to.path,
        json!({ "value": result.value.to_string(), "function": function.to_string() }),
        &format!("{} (not verified)", result.value),
    )
}

fn verify(args: &Verify, output: &Output) -> Result<(), Failure> {
    let claim = args.claim.read()?;
    let signature = read_signature(&args.signature, &claim.public)?;
    let range = args.range;
    if !claim.public.is_exact(&claim.function, range) {
        return Err(Failure::refused(EvaluateError::ResultOutOfRange { range }));
    }
    let bound = if args.paper_bound {
        NormBound::Paper
    } else {
        NormBound::Tight
    };
    let verified = claim
        .public
        .verify_within(
            bound,
            &claim.tag,
            &claim.function,
            &args.claim.value,
            &signature,
        )
        .map_err(Failure::refused)?;
    let (mut fields, text) = match args.claim.what.stat {
        Some(kind) => result_of(kind, args.claim.count, verified.value())?,
        None => (json!({}), verified.value().to_string()),
    };
    fields["value"] = verified.value().to_string().into();
    result(output, fields, &format!("{text} is verified"))
}

fn stats(kind: Kind, data: &Data, output: &Output) -> Result<(), Failure> {
    let public = read_public(&data.public)?;
    let tag = read_tag(&data.tag)?;
    let signatures = read_signatures(&data.signatures, &public)?;
    let count = u32::try_from(signatures.len()).map_err(Failure::input)?;
    let function = kind.function(count)?;
    let computed = public
        .evaluate(&function, &signatures, data.range)
        .map_err(Failure::input)?;
    let verified = public
        .verify(&tag, &function, &computed.value, &computed.signature)
        .map_err(Failure::refused)?;
    let (mut fields, text) = result_of(kind, count, verified.value())?;
    fields["value"] = verified.value().to_string().into();
    fields["count"] = count.into();
    match &data.output {
        Some(out) => {
            write_signatures(out, &[computed.signature], output)?;
            report(output, out, fields, &text)
        }
        None => result(output, fields, &text),
    }
}

fn forge(args: &Forge, output: &Output) -> Result<(), Failure> {
    if let Some(out) = &args.output {
        files::check_outputs(&[out], output.existing())?;
    }
    let claim = args.claim.read()?;
    let rows = Forger::rows(&claim.public);
    let bar = output.progress(rows as u64, "rows reduced");
    let forger = Forger::new(&claim.public, &|done| bar.set_position(done as u64));
    bar.finish_and_clear();
    let forged = forger
        .forge(&claim.tag, &claim.function, &args.claim.value)
        .map_err(Failure::input)?;
    let verdict = claim
        .public
        .verify(&claim.tag, &claim.function, &args.claim.value, &forged);
    let accepted = verdict.is_ok();
    let text = if accepted {
        "forged from the public key alone, and accepted by the verifier"
    } else {
        "forged from the public key alone, and too long for the verifier"
    };
    let fields = json!({ "accepted": accepted, "value": args.claim.value.to_string() });
    match &args.output {
        Some(out) => {
            write_signatures(out, &[forged], output)?;
            report(output, out, fields, text)
        }
        None => result(output, fields, text),
    }
}

impl Kind {
    fn function(self, count: u32) -> Result<Polynomial, Failure> {
        match self {
            Self::Mean => Polynomial::sum(count),
            Self::Variance | Self::Deviation => Polynomial::variance(count),
        }
        .map_err(Failure::input)
    }
}

/// A claim with decoded parts.
struct ReadClaim {
    public: PublicKey,
    tag: Tag,
    function: Polynomial,
}

impl Claim {
    fn read(&self) -> Result<ReadClaim, Failure> {
        let function = match (&self.what.function, self.what.stat) {
            (Some(text), _) => Polynomial::parse(self.count, text).map_err(Failure::input)?,
            (None, Some(kind)) => kind.function(self.count)?,
            (None, None) => return Err(Failure::input("a function or a statistic is needed")),
        };
        Ok(ReadClaim {
            public: read_public(&self.public)?,
            tag: read_tag(&self.tag)?,
            function,
        })
    }
}

/// A statistic computed from the signed number, as JSON and as text.
fn result_of(kind: Kind, count: u32, value: &BigInt) -> Result<(Value, String), Failure> {
    let count = BigInt::from(count);
    let denominator = match kind {
        Kind::Mean => count,
        Kind::Variance | Kind::Deviation => &count * &count,
    };
    let fraction = Statistic::new(value.clone(), denominator)
        .ok_or_else(|| Failure::input("the data set has no values"))?;
    Ok(match kind {
        Kind::Mean => (
            json!({ "mean": fraction.to_f64() }),
            format!("mean {}", fraction.to_f64()),
        ),
        Kind::Variance => {
            let variance = fraction.to_f64();
            (
                json!({ "variance": variance }),
                format!("variance {variance}"),
            )
        }
        Kind::Deviation => {
            let deviation = fraction
                .square_root()
                .ok_or_else(|| Failure::refused("the variance is negative"))?;
            (
                json!({ "deviation": deviation }),
                format!("standard deviation {deviation}"),
            )
        }
    })
}

/// Prints a result with the warning.
fn result(output: &Output, mut fields: Value, text: &str) -> Result<(), Failure> {
    fields["assurance"] = Assurance::Experimental.to_string().into();
    output.result(&fields, format_args!("{text}\n{WARNING}"))
}

/// Prints a result with the warning, unless the output went to standard output.
fn report(output: &Output, made: &Path, mut fields: Value, text: &str) -> Result<(), Failure> {
    fields["assurance"] = Assurance::Experimental.to_string().into();
    output.made(&[made], &fields, format_args!("{text}\n{WARNING}"))
}
