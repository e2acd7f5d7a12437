//! Bytes and texts from outside: what is pinned, and what is refused.

mod support;

use duet_sequential::{testing::secret_key, BadPublicKey, Suite, Time};
use duet_vouch::{
    public_key_from_pem, secret_key_from_pem, BadLine, BadList, BadPem, List, NotAStatement,
    Statement, Vouched, MAX_NAME, MAX_PEM,
};
use support::{fingerprint, key, subject, vouched, BEGIN};

fn statement(suite: Suite) -> Statement {
    Statement {
        subject: subject(),
        signed_at: Time(BEGIN),
        key: secret_key(suite, 0).public().clone(),
    }
}

/// A change here is a change of the format: it needs a decision and another tag.
#[test]
fn the_bytes_of_a_statement_and_a_record_are_pinned() {
    let hash = |bytes: &[u8]| hex::encode(openssl::sha::sha256(bytes));
    let pinned = [
        hash(&statement(Suite::Rsa2048).to_bytes()),
        hash(&statement(Suite::Rsa3072).to_bytes()),
        hash(&vouched(&[0, 1, 2]).to_bytes()),
    ];
    let expected = [
        "f7dd14d8667ada3a0b399760942b43b74b6407318564a301cf6f5de7565e6d45",
        "495192a1de12318c413c76f741592a4c744944fcdc661ecd5ceda4eeb7f42a2c",
        "17a3fa11871e0cd078f9420c799e461ce753df78fa5d1f77468c130355f10648",
    ];
    assert_eq!(pinned, expected);
}

#[test]
fn three_vouchers_have_the_promised_size() {
    // Record, envelope, number and hash; then key, statement and place of each hop; then its randomness and bits.
    let expected = (9 + 4 + 256 + 32) + 3 * (256 + 85 + 36 + 16) + 1;
    assert_eq!(expected, 1_481);
    assert_eq!(vouched(&[0, 1, 2]).to_bytes().len(), expected);
}

#[test]
fn a_statement_is_tag_chain_checkpoint_time_and_key() {
    let bytes = statement(Suite::Rsa2048).to_bytes();
    assert_eq!(&bytes[..13], b"DUET-VOUCH-V1");
    assert_eq!(bytes[13..45], [7; 32]);
    assert_eq!(bytes[45..77], openssl::sha::sha256(b"a checkpoint"));
    assert_eq!(bytes[77..85], BEGIN.to_be_bytes());
    assert_eq!(&bytes[85..], key(0).public().as_bytes());
}

#[test]
fn a_statement_has_one_of_two_lengths() {
    for suite in Suite::ALL {
        let whole = statement(suite);
        let bytes = whole.to_bytes();
        assert_eq!(Statement::from_bytes(&bytes), Ok(whole));
        for len in 13..bytes.len() {
            let got = Statement::from_bytes(&bytes[..len]);
            // What is left of a longer key may be as long as a shorter one.
            if len == 85 + 256 {
                assert_eq!(
                    got,
                    Err(NotAStatement::Key(BadPublicKey::SmallFactor { factor: 3 }))
                );
            } else {
                assert_eq!(got, Err(NotAStatement::Length { got: len }));
            }
        }
        for len in 0..13 {
            assert_eq!(
                Statement::from_bytes(&bytes[..len]),
                Err(NotAStatement::Tag)
            );
        }
        let longer = [bytes.as_slice(), &[0]].concat();
        let got = longer.len();
        assert_eq!(
            Statement::from_bytes(&longer),
            Err(NotAStatement::Length { got })
        );
    }
}

#[test]
fn a_statement_with_a_key_that_is_none_is_refused() {
    let mut bytes = statement(Suite::Rsa2048).to_bytes();
    bytes[85] &= 0x7f;
    let short = BadPublicKey::Short { expected: 2048 };
    assert_eq!(
        Statement::from_bytes(&bytes),
        Err(NotAStatement::Key(short))
    );
}

#[test]
fn a_record_that_is_cut_or_longer_is_refused() {
    let bytes = vouched(&[0, 1]).to_bytes();
    for len in 0..bytes.len() {
        assert!(Vouched::from_bytes(&bytes[..len]).is_err(), "{len} bytes");
    }
    let longer = [bytes.as_slice(), &[0]].concat();
    assert!(Vouched::from_bytes(&longer).is_err());
    assert_eq!(
        Vouched::from_bytes(&bytes).map(|read| read.to_bytes()),
        Ok(bytes)
    );
}

#[test]
fn a_record_that_names_more_than_it_has_allocates_nothing_for_it() {
    let mut bytes = vouched(&[0]).to_bytes();
    let message = bytes.len() - (85 + 256);
    bytes[message - 4..message].copy_from_slice(&u32::MAX.to_be_bytes());
    assert!(Vouched::from_bytes(&bytes).is_err());
}

fn problem(text: &str) -> BadList {
    List::from_text(text).expect_err("a list that is wrong")
}

#[test]
fn a_list_names_the_line_that_is_wrong() {
    let alice = fingerprint(0);
    let at = |line, problem| BadList { line, problem };
    let cases = [
        ("Alice".to_owned(), at(1, BadLine::Fingerprint)),
        (format!("#\n\n{alice}0 Alice"), at(3, BadLine::Fingerprint)),
        (
            format!("{} Alice", &alice.to_string()[1..]),
            at(1, BadLine::Fingerprint),
        ),
        (
            format!("{} Alice", &alice.to_string()[2..]),
            at(1, BadLine::Fingerprint),
        ),
        (format!("{alice}00 Alice"), at(1, BadLine::Fingerprint)),
        (
            format!("+{} Alice", &alice.to_string()[1..]),
            at(1, BadLine::Fingerprint),
        ),
        (
            format!("ü{} Alice", &alice.to_string()[2..]),
            at(1, BadLine::Fingerprint),
        ),
        (format!("{alice}"), at(1, BadLine::NoName)),
        (format!("{alice}   "), at(1, BadLine::NoName)),
        (format!("{alice} A\u{1b}[2K"), at(1, BadLine::Control)),
        (
            format!("{alice} {}", "ä".repeat(MAX_NAME + 1)),
            at(1, BadLine::LongName { got: MAX_NAME + 1 }),
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(problem(&text), expected, "{text:?}");
    }
    let twice = problem(&format!("{alice} Alice\n{alice} Bob"));
    let BadLine::Twice { fingerprint, name } = twice.problem else {
        panic!("{twice}")
    };
    assert_eq!(
        (twice.line, fingerprint, name.as_str()),
        (2, alice, "Alice")
    );
}

#[test]
fn a_list_takes_names_with_spaces_and_digits_in_either_case() {
    let text = format!(
        "# a list\n\n{}\t Bob, Example Ltd. \r\n{} Zoë",
        fingerprint(0).to_string().to_uppercase(),
        fingerprint(1)
    );
    let list = List::from_text(&text).expect("a list");
    let name = |index| list.name(&fingerprint(index)).map(|name| name.as_str());
    assert_eq!(name(0), Some("Bob, Example Ltd."));
    assert_eq!(name(1), Some("Zoë"));
    assert_eq!(name(2), None);
    assert_eq!(list.names(), 2);
}

#[test]
fn a_pem_that_is_no_key_is_refused() {
    let longest = vec![b'-'; MAX_PEM + 1];
    let got = longest.len();
    assert_eq!(
        secret_key_from_pem(&longest).expect_err("too long"),
        BadPem::TooLong { got }
    );
    assert_eq!(
        public_key_from_pem(&longest).expect_err("too long"),
        BadPem::TooLong { got }
    );
    for text in ["", "Alice", "-----BEGIN PUBLIC KEY-----\n"] {
        let text = text.as_bytes();
        assert_eq!(
            secret_key_from_pem(text).expect_err("no key"),
            BadPem::NotPem
        );
        assert_eq!(
            public_key_from_pem(text).expect_err("no key"),
            BadPem::NotPem
        );
    }
}
