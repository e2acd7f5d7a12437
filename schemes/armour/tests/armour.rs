//! The format: what is written is read, each rule refuses, and nothing that is damaged gets through.

use duet_armour::{
    armoured_len, encode, kinds, read_all, read_one, ArmourError, Kind, Problem, Reader,
};
use pem_rfc7468::{Error, LineEnding};
use rand_chacha::ChaCha20Rng;
use rand_core::{RngCore, SeedableRng};

const RECORD: Kind = kinds::SEQUENTIAL_RECORD;

fn text(kind: &Kind, content: &[u8]) -> String {
    encode(kind, &kind.digest(content), content).to_string()
}

fn problem(text: &str) -> (usize, Problem) {
    let ArmourError { line, problem } = read_one(&RECORD, text.as_bytes())
        .and_then(|object| object.content().map(drop))
        .unwrap_err();
    (line, problem)
}

#[test]
fn every_type_and_length_is_read_as_it_was_written() {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    for kind in kinds::ALL {
        for length in [0, 1, 2, 3, 47, 48, 49, 95, 96, 97, 1000] {
            let mut content = vec![0; length];
            rng.fill_bytes(&mut content);
            let text = encode(&kind, &kind.digest(&content), &content);
            assert!((text.len()..=text.len() + 1).contains(&armoured_len(&kind, length)));
            assert_eq!(text.capacity(), text.len(), "the text was reallocated");
            let object = read_one(&kind, text.as_bytes()).unwrap();
            assert_eq!(**object.content().unwrap(), content);
            assert_eq!(*object.kind(), kind);
        }
    }
}

#[test]
fn the_text_of_an_object_is_this() {
    assert_eq!(
        text(&RECORD, &[7; 50]),
        "-----BEGIN DUET SEQUENTIAL RECORD-----\n\
         AAGZXFkxmmb8JugfqYtNPqMdMe2XRhlmNhj9GfeZvDawXQcHBwcHBwcHBwcHBwcH\n\
         BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH\n\
         -----END DUET SEQUENTIAL RECORD-----\n"
    );
}

#[test]
fn names_are_different_and_of_capital_letters() {
    for (index, kind) in kinds::ALL.iter().enumerate() {
        let is_plain = |byte: u8| byte.is_ascii_uppercase() || byte == b' ';
        assert!(kind.name().bytes().all(is_plain), "{}", kind.name());
        let others = kinds::ALL.get(..index).unwrap();
        assert!(others.iter().all(|other| other.name() != kind.name()));
        let digests = others.iter().map(|other| other.digest(b"content"));
        assert!(digests
            .into_iter()
            .all(|digest| digest != kind.digest(b"content")));
    }
}

#[test]
fn several_objects_comments_and_the_ends_of_lines_of_windows_are_read() {
    let one = text(&RECORD, b"one").replace('\n', "\r\n");
    let two = text(&RECORD, b"two");
    let joined = format!("# a comment\r\n\r\n{one}\n{}", two.trim_end());
    let read = read_all(&RECORD, joined.as_bytes()).unwrap();
    let contents: Vec<_> = read
        .iter()
        .map(|it| it.content().unwrap().to_vec())
        .collect();
    assert_eq!(contents, [b"one", b"two"]);
    assert_eq!((read[0].line(), read[1].line()), (3, 7));
    assert_eq!(*read[0].text(), text(&RECORD, b"one"));
    assert_eq!(problem(&joined), (7, Problem::Second));
    assert_eq!(read_all(&RECORD, b"# nothing\n").unwrap().len(), 0);
}

/// Takes a valid text, changes one thing, and expects one error.
#[test]
fn each_rule_refuses_with_its_line() {
    let valid = text(&RECORD, &[7; 48]);
    let pem = |text: &str| Problem::Pem(pem_rfc7468::decode_vec(text.as_bytes()).unwrap_err());
    let base64 = || pem("-----BEGIN A-----\n!!!!\n-----END A-----\n");
    let last = "-----END DUET SEQUENTIAL RECORD-----";
    let cases = [
        ("-----BEGIN", "----BEGIN", Problem::Outside),
        (
            "BEGIN DUET SEQ",
            "BEGIN DUET SUB",
            Problem::Pem(Error::PostEncapsulationBoundary),
        ),
        (
            "END DUET SEQ",
            "END DUET SUB",
            Problem::Pem(Error::PostEncapsulationBoundary),
        ),
        (last, "", Problem::Pem(Error::PreEncapsulationBoundary)),
        (
            "RECORD-----\nA",
            "RECORD----\nA",
            Problem::Pem(Error::Label),
        ),
        (
            "RECORD-----\nA",
            "RECORD-----\nVersion: 1\n\nA",
            Problem::Pem(Error::HeaderDisallowed),
        ),
        ("RECORD-----\nA", "RECORD-----\n\nA", base64()),
        ("BwcH\nB", "BwcHB", base64()),
        ("BwcH\nB", "Bwc\nHB", base64()),
        ("BwcH\nB", "BwcH\n\nB", base64()),
        ("BwcH\nB", "Bwc=\nB", base64()),
        ("Bw==\n", "Bx==\n", base64()),
        ("Bw==\n", "Bw=\n", base64()),
        ("Bw==\n", "Bw\n", base64()),
        ("Bw==\n", "Bw== \n", base64()),
        ("Bw==\n", "B-==\n", base64()),
    ];
    for (from, to, expected) in cases {
        assert!(valid.contains(from), "{from}");
        let changed = valid.replacen(from, to, 1);
        assert_eq!(problem(&changed), (1, expected), "{from:?} to {to:?}");
    }
    assert_eq!(problem(&format!("{valid}text\n")), (5, Problem::Outside));
    let expected = RECORD.name();
    assert_eq!(problem(""), (1, Problem::None { expected }));
    let other = text(&kinds::MKLHS_RECORD, b"content");
    let got = kinds::MKLHS_RECORD.name();
    assert_eq!(problem(&other), (1, Problem::OtherKind { expected, got }));
}

/// PEM of any label and bytes, in the second and following lines of a text.
fn problem_of(label: &str, bytes: &[u8]) -> Problem {
    let pem = pem_rfc7468::encode_string(label, LineEnding::LF, bytes).unwrap();
    let (line, problem) = problem(&format!("# a comment\n{pem}"));
    assert_eq!(line, 2);
    problem
}

#[test]
fn bytes_without_a_known_type_version_and_fingerprint_are_refused() {
    let label = "DUET SEQUENTIAL RECORD";
    for other in ["CERTIFICATE", "SEQUENTIAL RECORD", "DUET RECORD"] {
        assert_eq!(problem_of(other, &[0; 34]), Problem::UnknownKind, "{other}");
    }
    for got in [1, 2, 33] {
        assert_eq!(problem_of(label, &vec![0; got]), Problem::Short { got });
    }
    let (expected, got) = (1, 0x0201);
    let newer = [&[2, 1][..], &[0; 32]].concat();
    assert_eq!(
        problem_of(label, &newer),
        Problem::Version { expected, got }
    );
    let damaged = [&[0, 1][..], &[0; 32]].concat();
    let refused = problem_of(label, &damaged);
    assert!(matches!(refused, Problem::Fingerprint { .. }), "{refused}");
}

#[test]
fn a_key_has_the_fingerprint_that_its_scheme_says() {
    let kind = kinds::SEQUENTIAL_PUBLIC_KEY;
    let object = |fingerprint| read_one(&kind, encode(&kind, &fingerprint, b"key").as_bytes());
    let read = |fingerprint| {
        object(fingerprint)
            .unwrap()
            .key(|bytes| Ok::<_, ArmourError>(bytes.to_vec()), |_| [5; 32])
    };
    assert_eq!(read([5; 32]).unwrap(), b"key");
    let refused = read([6; 32]).unwrap_err().problem;
    assert!(matches!(refused, Problem::Fingerprint { .. }), "{refused}");
}

#[test]
fn no_flipped_bit_and_no_cut_gets_through() {
    let content: Vec<u8> = (0..=99).collect();
    let valid = text(&RECORD, &content).into_bytes();
    let read = |bytes: &[u8]| {
        let object = read_one(&RECORD, bytes)?;
        object.content().map(|content| content.to_vec())
    };
    assert_eq!(read(&valid).unwrap(), content);
    for bit in 0..8 * valid.len() {
        let mut flipped = valid.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(read(&flipped).is_err(), "bit {bit}");
    }
    // The end of the last line may be missing.
    for cut in 0..valid.len() - 1 {
        assert!(read(&valid[..cut]).is_err(), "cut at {cut}");
    }
    assert_eq!(read(&valid[..valid.len() - 1]).unwrap(), content);
}

#[test]
fn a_damaged_object_does_not_hide_the_next_one() {
    let three = ["one", "two", "three"].map(|content| text(&RECORD, content.as_bytes()));
    let [one, two, three] = three;
    let without_end = two.replace("-----END", "-----ENDE");
    for damaged in [
        &two.replace("-----\nA", "-----\n?"),
        &without_end,
        &two[40..],
    ] {
        let joined = [&one, damaged, &three].concat();
        let read: Vec<_> = Reader::new(joined.as_bytes()).collect();
        let good: Vec<_> = read
            .iter()
            .flatten()
            .map(|it| it.content().unwrap().to_vec())
            .collect();
        assert_eq!(good, [b"one".to_vec(), b"three".to_vec()], "{damaged}");
        assert!(read.iter().any(Result::is_err));
    }
}

/// Each beginning is looked at once: otherwise this would look at 50 GB.
#[test]
fn many_beginnings_without_an_end_are_read_once() {
    let begin = text(&RECORD, &[1; 100]);
    let (begin, _) = begin.split_once("-----END").unwrap();
    let many = begin.repeat(20_000);
    let errors = Reader::new(many.as_bytes()).filter(Result::is_err).count();
    assert_eq!(errors, 20_000);
}
