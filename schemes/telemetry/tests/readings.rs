//! Readings of several nodes, found, added up and decrypted.

use duet_searchable::{Bound, Ciphertext, DiscreteLog, Term};
use duet_telemetry::{
    testing::TestGroup, Batch, BatchError, Group, GroupError, Hour, MOST_IN_BATCH, READINGS,
};
use rand_chacha::{rand_core::SeedableRng, ChaCha20Rng};

const HOUR: Hour = Hour(494_321);

fn rng() -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(3)
}

#[test]
fn a_collector_finds_and_adds_what_the_group_decrypts() {
    let (test, mut rng) = (TestGroup::new("local"), rng());
    let mut kept: Vec<Ciphertext> = Vec::new();
    for (hour, peers) in [(HOUR, 3), (HOUR, 4), (HOUR.next(), 100)] {
        let figures = [("peers", peers), ("memory", 1000)];
        let sent = test.group().encrypt(hour, &figures, &mut rng).unwrap();
        let received = Batch::check(sent.as_bytes().to_vec()).unwrap();
        assert_eq!(received, sent);
        kept.extend(Batch::read(received.as_bytes()).unwrap());
    }
    assert_eq!(kept.len(), 9);

    let log = DiscreteLog::new(Bound::new(10_000), 1 << 20, &()).unwrap();
    for (metric, sum) in [("peers", 7), ("memory", 2000), (READINGS, 2)] {
        let keyword = test.group().keyword(metric, HOUR).unwrap();
        let trapdoor = test.master().trapdoor(&keyword).unwrap();
        let found = kept.iter().filter_map(|one| trapdoor.test(one).ok());
        let found: Vec<_> = found.collect();
        assert_eq!(found.len(), 2, "{metric}");
        let terms: Vec<_> = found.iter().map(|one| Term::tested(1, one)).collect();
        let added = trapdoor.evaluate(&terms, 0, &mut rng).unwrap();
        let decrypted = test.master().decrypt(&keyword, added.ciphertext()).unwrap();
        assert_eq!(log.find(&decrypted), Ok(sum), "{metric}");
    }
}

#[test]
fn what_is_no_batch_is_refused() {
    let test = TestGroup::new("local");
    let batch = test.group().encrypt(HOUR, &[("peers", 3)], &mut rng());
    let batch = batch.unwrap();
    let refuse = |content: Vec<u8>| Batch::check(content).unwrap_err();
    assert_eq!(refuse(vec![]), BatchError::Length { got: 0 });
    let mut longer = batch.as_bytes().to_vec();
    longer.push(0);
    let got = longer.len();
    assert_eq!(refuse(longer), BatchError::Length { got });
    let many = batch.as_bytes()[..977].repeat(MOST_IN_BATCH + 1);
    let got = many.len();
    assert_eq!(refuse(many), BatchError::Length { got });
    for (at, index) in [(0, 0), (977 + 500, 1)] {
        let mut bad = batch.as_bytes().to_vec();
        bad[at] ^= 1;
        let error = refuse(bad);
        assert!(
            matches!(error, BatchError::Ciphertext { index: of, .. } if of == index),
            "{error}"
        );
    }
}

#[test]
fn a_key_is_read_from_its_file_or_folder_and_a_bad_one_is_named() {
    let test = TestGroup::new("local");
    let by_file = Group::read(&test.path("public"), "local".into()).unwrap();
    assert_eq!(
        by_file.public().fingerprint(),
        test.group().public().fingerprint()
    );
    let missing = Group::read(&test.path("none"), "local".into());
    assert!(matches!(missing, Err(GroupError::File { .. })));
    std::fs::write(test.path("public"), "no key").unwrap();
    let error = Group::read(&test.path(""), "local".into()).unwrap_err();
    assert!(matches!(error, GroupError::Key { .. }));
    assert!(error.to_string().contains("public"), "{error}");
}
