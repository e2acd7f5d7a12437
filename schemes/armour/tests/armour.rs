//! The format: what is written is read, each rule refuses, and nothing that is damaged gets through.

#[path = "support/decoders.rs"]
mod decoders;

use duet_armour::{
    armoured_len, encode, kinds, read_all, read_one, ArmourError, Kind, Problem, Reader,
};
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
            assert_eq!(text.len(), armoured_len(&kind, length));
            assert_eq!(text.capacity(), text.len(), "the text was reallocated");
            let object = read_one(&kind, text.as_bytes()).unwrap();
            assert_eq!(**object.content().unwrap(), content);
            assert_eq!(*object.kind(), kind);
            assert_eq!(text.contains("Warning: "), kind.warning().is_some());
        }
    }
}

#[test]
fn the_text_of_an_object_is_this() {
    assert_eq!(
        text(&RECORD, &[7; 50]),
        "-----BEGIN DUET SEQUENTIAL RECORD-----\n\
         Version: 1\n\
         Fingerprint: 995c59319a66fc26e81fa98b4d3ea31d31ed974619663618fd19f799bc36b05d\n\
         \n\
         BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH\n\
         Bwc=\n\
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
    let joined = format!("# a comment\n\n{one}\n{}", two.trim_end());
    let read = read_all(&RECORD, joined.as_bytes()).unwrap();
    let contents: Vec<_> = read
        .iter()
        .map(|it| it.content().unwrap().to_vec())
        .collect();
    assert_eq!(contents, [b"one", b"two"]);
    assert_eq!((read[0].line(), read[1].line()), (3, 10));
    assert_eq!(*read[0].text(), text(&RECORD, b"one"));
    assert_eq!(problem(&joined), (10, Problem::Second));
    assert_eq!(read_all(&RECORD, b"# nothing\n").unwrap().len(), 0);
}

/// Takes a valid text, changes one thing, and expects one error.
#[test]
fn each_rule_refuses_with_its_line() {
    let valid = text(&RECORD, &[7; 50]);
    let header = |expected: &str| Problem::Header {
        expected: expected.to_owned(),
    };
    let end = "-----END DUET SEQUENTIAL RECORD-----";
    let cut = || Problem::Cut {
        expected: end.to_owned(),
    };
    let expected = RECORD.name();
    let cases = [
        ("-----BEGIN", "----BEGIN", 1, Problem::Outside),
        ("BEGIN DUET SEQ", "BEGIN DUET SUB", 1, Problem::UnknownKind),
        ("RECORD-----\nV", "RECORD----\nV", 1, Problem::UnknownKind),
        ("Version: 1\n", "", 2, header("Version: ")),
        ("Version: 1", "Version: 01", 2, header("Version: ")),
        ("Version: 1", "Version: 99999", 2, header("Version: ")),
        (
            "Version: 1",
            "Version: 2",
            2,
            Problem::Version {
                expected: 1,
                got: 2,
            },
        ),
        ("Fingerprint: ", "Fingerprint:", 3, header("Fingerprint: ")),
        (
            "Fingerprint: 9",
            "Fingerprint: ",
            3,
            header("Fingerprint: "),
        ),
        ("\n\nBw", "\nBw", 4, header("")),
        ("\n\nBw", "\nWarning: of what\n\nBw", 4, header("")),
        ("BwcHBwcH\nBwc=", "BwcHBwcHBwc=", 5, Problem::Base64),
        ("BwcHBwcH\nBwc=", "BwcHBwc\nHBwc=", 5, Problem::Base64),
        ("BwcHBwcH\nBwc=", "BwcHBwc=\nBwc=", 5, Problem::Base64),
        ("\nBwc=", "\n\nBwc=", 6, Problem::Base64),
        ("\nBwc=", "\nBwd=", 6, Problem::Base64),
        ("\nBwc=", "\nBwc", 6, Problem::Base64),
        ("\nBwc=", "\nBwc= ", 6, Problem::Base64),
        ("\nBwc=", "\nBw-=", 6, Problem::Base64),
        ("Bwc=\n", "Bwc=\n\n", 6, Problem::Base64),
        ("-----END DUET SEQ", "-----END DUET SUB", 1, cut()),
        (end, "", 1, cut()),
        (
            "RECORD-----\n",
            "RECORD-----\ntext\n",
            2,
            header("Version: "),
        ),
    ];
    for (from, to, line, expected) in cases {
        assert!(valid.contains(from), "{from}");
        let changed = valid.replacen(from, to, 1);
        assert_eq!(problem(&changed), (line, expected), "{from:?} to {to:?}");
    }
    assert_eq!(problem(&format!("{valid}text\n")), (8, Problem::Outside));
    assert_eq!(problem(""), (1, Problem::None { expected }));
    // An empty line after a whole one.
    let whole = text(&RECORD, &[7; 48]).replacen("-----END", "\n-----END", 1);
    assert_eq!(problem(&whole), (6, Problem::Base64));
    let other = text(&kinds::MKLHS_RECORD, b"content");
    let got = kinds::MKLHS_RECORD.name();
    assert_eq!(problem(&other), (1, Problem::OtherKind { expected, got }));
}

#[test]
fn an_object_without_its_warning_is_refused() {
    let kind = kinds::RESEARCH_SIGNATURE;
    let valid = text(&kind, b"content");
    for to in ["", "Warning: none\n"] {
        let warning = format!("Warning: {}\n", kinds::FORGEABLE);
        let changed = valid.replacen(&warning, to, 1);
        let refused = read_one(&kind, changed.as_bytes()).unwrap_err();
        assert!(
            matches!(refused.problem, Problem::Header { .. }),
            "{refused}"
        );
    }
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
    for damaged in [&two.replace("Version", "version"), &without_end, &two[40..]] {
        let joined = [&one, damaged, &three].concat();
        let read: Vec<_> = Reader::new(joined.as_bytes()).collect();
        let good: Vec<_> = read
            .iter()
            .flatten()
            .map(|it| it.content().unwrap().to_vec())
            .collect();
        assert_eq!(good, [b"one".to_vec(), b"three".to_vec()], "{damaged}");
        assert!(read.iter().any(Result::is_err));
        let cut = |error: &ArmourError| matches!(error.problem, Problem::Cut { .. });
        let is_cut = read.iter().any(|it| it.as_ref().is_err_and(cut));
        assert_eq!(is_cut, *damaged == without_end, "{damaged}");
    }
}

#[test]
fn whatever_the_bytes_are_reading_ends() {
    let mut rng = ChaCha20Rng::seed_from_u64(2);
    let valid = [
        text(&RECORD, &[1; 100]),
        text(&kinds::RESEARCH_SIGNATURE, &[2; 9]),
    ]
    .concat();
    let mut below = |end: usize| usize::try_from(rng.next_u32()).unwrap() % end;
    let (mut good, mut bad) = (0, 0);
    for _ in 0..3000 {
        let mut bytes = valid.clone().into_bytes();
        for _ in 0..=below(3) {
            let at = below(bytes.len());
            match below(4) {
                0 => bytes.truncate(at.max(1)),
                1 => bytes.insert(at, b'\n'),
                2 => drop(bytes.remove(at)),
                _ => bytes[at] = u8::try_from(below(256)).unwrap(),
            }
        }
        let (contents, errors) = decoders::decode(&bytes);
        let is_valid = |content: &Vec<u8>| *content == [1; 100] || *content == [2; 9];
        assert!(contents.iter().all(is_valid));
        good += contents.len();
        bad += errors;
    }
    assert!(good > 300 && bad > 300, "{good} and {bad}");
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
