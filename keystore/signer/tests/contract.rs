//! What `Signer` promises, through a real Unix socket and through real mutual TLS.

mod support;

use duet_keystore::{Fault, KeyStore, KeyStoreError, Signer, SignerError};
use duet_primitives::{
    ownership_statement, BlockNumber, DualKeyBytes, Pk1Bytes, PossessionProof, RoundMessage,
    SignatureError, SignerIndex, UncheckedVote, H256,
};
use duet_remote_signer::{RemoteError, MAX_OWNER_LEN};
use duet_signer::Generate;
use std::{fs, sync::Arc, thread};
use support::{key, message, position, remote_error, set, vote, Site, BOTH, GENESIS};

const OTHER: Pk1Bytes = Pk1Bytes([9; 48]);

#[test]
fn votes_are_those_of_the_key_store_and_hold() {
    for transport in BOTH {
        let mut site = Site::new(transport);
        let _running = site.start();
        let client = site.client();
        let message = message(7, 1);
        let signed = vote(&client, &message).unwrap();
        assert_eq!(signed, vote(&client, &message).unwrap(), "the same bytes");
        let local = KeyStore::in_memory();
        local.insert_ephemeral(duet_primitives::testing::secret(0));
        assert_eq!(signed, vote(&local, &message).unwrap());
        let vote = signed.check(set().set.keyset(), &message).unwrap();
        assert_eq!(vote.signer(), position());
    }
}

#[test]
fn keys_are_listed_and_those_that_are_made_are_among_them() {
    for transport in BOTH {
        let mut site = Site::new(transport);
        site.policy.generate = Generate::Allowed;
        let _running = site.start();
        let client = site.client();
        let first = client.keys().unwrap();
        assert_eq!(
            first.iter().map(DualKeyBytes::pk1).collect::<Vec<_>>(),
            [key()]
        );
        let made = client.generate().unwrap();
        let mut expected = vec![first[0], made];
        expected.sort();
        assert_eq!(client.keys().unwrap(), expected);
        let owner = ownership_statement(GENESIS, &"account");
        let proof = client.prove_possession(&made.pk1(), &owner).unwrap();
        made.check_possession(&owner, &proof).unwrap();
    }
}

#[test]
fn keys_are_not_made_unless_it_is_allowed() {
    for transport in BOTH {
        let mut site = Site::new(transport);
        let _running = site.start();
        let client = site.client();
        let error = client.generate().unwrap_err();
        assert!(matches!(error, SignerError::CannotGenerate), "{error}");
        assert_eq!(client.keys().unwrap().len(), 1);
    }
}

fn assert_voted(result: Result<UncheckedVote, SignerError>, at: u32) {
    let error = result.unwrap_err();
    assert!(
        matches!(error, SignerError::AlreadyVoted { key: of, block }
            if of == key() && block == BlockNumber::new(at)),
        "{error}"
    );
}

#[test]
fn what_must_not_be_signed_is_refused_with_the_errors_of_the_key_store() {
    for transport in BOTH {
        let mut site = Site::new(transport);
        let _running = site.start();
        let client = site.client();
        vote(&client, &message(1, 1)).unwrap();
        assert_voted(vote(&client, &message(1, 2)), 1);
        // More votes than are remembered one by one.
        for block in 2..=80 {
            vote(&client, &message(block, 1)).unwrap();
        }
        let error = vote(&client, &message(1, 1)).unwrap_err();
        let block = BlockNumber::new(1);
        assert!(
            matches!(error, SignerError::TooOld { key: of, block: at } if of == key() && at == block),
            "{error}"
        );
        let error = client
            .sign_vote(&OTHER, position(), &message(90, 1))
            .unwrap_err();
        assert!(matches!(error, SignerError::NoKey(OTHER)), "{error}");
        let error = client.prove_possession(&OTHER, b"owner").unwrap_err();
        assert!(matches!(error, SignerError::NoKey(OTHER)), "{error}");
    }
}

#[test]
fn a_record_that_cannot_be_read_is_an_error_with_its_text() {
    for transport in BOTH {
        let mut site = Site::new(transport);
        let store = KeyStore::open(site.dir.path().join("keys"), None).unwrap();
        fs::write(store.records().path_of(&key(), GENESIS).unwrap(), "damaged").unwrap();
        drop(store);
        let _running = site.start();
        let error = remote_error(vote(&site.client(), &message(1, 1)).unwrap_err());
        assert!(matches!(error, RemoteError::KeyStore(_)), "{error}");
        assert!(
            error
                .to_string()
                .contains("record of a key's votes is corrupt"),
            "{error}"
        );
    }
}

/// A signer whose processor errs, and that has no key files any more.
struct Broken;

const FAULT: Fault = Fault::Vote(SignatureError::ProofFails);

impl Signer for Broken {
    fn keys(&self) -> Result<Vec<DualKeyBytes>, SignerError> {
        Err(KeyStoreError::EmptyPassword.into())
    }

    fn sign_vote(
        &self,
        key: &Pk1Bytes,
        _: SignerIndex,
        _: &RoundMessage,
    ) -> Result<UncheckedVote, SignerError> {
        let (key, fault) = (*key, FAULT);
        Err(SignerError::Faulty { key, fault })
    }

    fn prove_possession(&self, _: &Pk1Bytes, _: &[u8]) -> Result<PossessionProof, SignerError> {
        Err(SignerError::Unavailable("of another kind".into()))
    }
}

#[test]
fn errors_of_a_broken_signer_reach_the_node() {
    for transport in BOTH {
        let mut site = Site::new(transport);
        site.policy.generate = Generate::Allowed;
        let _running = site.start_with(Arc::new(Broken));
        let client = site.client();
        let error = vote(&client, &message(1, 1)).unwrap_err();
        assert!(
            matches!(error, SignerError::Faulty { key: of, fault } if of == key() && fault == FAULT),
            "{error}"
        );
        let error = client.generate().unwrap_err();
        assert!(matches!(error, SignerError::CannotGenerate), "{error}");
        for (error, says) in [
            (client.keys().unwrap_err(), "the keystore password is empty"),
            (
                client.prove_possession(&key(), b"owner").unwrap_err(),
                "of another kind",
            ),
        ] {
            let error = remote_error(error);
            assert!(matches!(error, RemoteError::KeyStore(_)), "{error}");
            assert!(error.to_string().contains(says), "{error}");
        }
    }
}

#[test]
fn a_chain_that_the_signer_does_not_know_gets_no_votes() {
    for transport in BOTH {
        let mut site = Site::new(transport);
        site.policy.chains = Some([GENESIS].into());
        let _running = site.start();
        let client = site.client();
        vote(&client, &message(1, 1)).unwrap();
        let other = H256::repeat_byte(8);
        let message = RoundMessage::new(other, message(2, 1).commitment().clone());
        let error = remote_error(vote(&client, &message).unwrap_err());
        assert!(
            matches!(error, RemoteError::OtherChain(chain) if chain == other),
            "{error}"
        );
    }
}

#[test]
fn an_owner_may_be_so_long_and_no_longer() {
    for transport in BOTH {
        let mut site = Site::new(transport);
        let _running = site.start();
        let client = site.client();
        let longest = vec![b'o'; MAX_OWNER_LEN as usize];
        let proof = client.prove_possession(&key(), &longest).unwrap();
        client.keys().unwrap()[0]
            .check_possession(&longest, &proof)
            .unwrap();
        let error = client.prove_possession(&key(), &[longest, vec![b'o']].concat());
        let error = remote_error(error.unwrap_err());
        let (limit, got) = (MAX_OWNER_LEN, MAX_OWNER_LEN as usize + 1);
        assert!(
            matches!(error, RemoteError::OwnerTooLong { limit: most, got: has } if most == limit && has == got),
            "{error}"
        );
    }
}

#[test]
fn a_client_connects_anew_when_the_signer_was_restarted() {
    for transport in BOTH {
        let mut site = Site::new(transport);
        let running = site.start();
        let client = site.client();
        vote(&client, &message(1, 1)).unwrap();
        running.stop();
        let _running = site.start();
        vote(&client, &message(2, 1)).unwrap();
        // The record is that of before.
        assert_voted(vote(&client, &message(1, 2)), 1);
    }
}

#[test]
fn a_request_waits_for_a_signer_that_starts_within_the_deadline() {
    for transport in BOTH {
        let mut site = Site::new(transport);
        site.start().stop();
        let client = site.client();
        thread::scope(|scope| {
            let asking = scope.spawn(|| vote(&client, &message(1, 1)));
            let _running = site.start();
            asking.join().unwrap().unwrap();
        });
    }
}

#[test]
fn of_two_clients_with_contradicting_votes_one_is_refused_also_after_a_restart() {
    for transport in BOTH {
        let mut site = Site::new(transport);
        let mut running = site.start();
        let [one, other] = [site.client(), site.client()];
        let clients: [&dyn Signer; 2] = [&one, &other];
        for block in 1..=8 {
            let votes: Vec<_> = thread::scope(|scope| {
                let ask = |(client, variant): (_, u8)| {
                    scope.spawn(move || vote(client, &message(block, variant)))
                };
                let asked: Vec<_> = clients.into_iter().zip([1, 2]).map(ask).collect();
                asked
                    .into_iter()
                    .map(|asked| asked.join().unwrap())
                    .collect()
            });
            let won = votes.iter().position(Result::is_ok).expect("one is signed");
            let lost = 1 - won;
            assert_voted(votes.into_iter().nth(lost).unwrap(), block);
            running.stop();
            running = site.start();
            let variant = |client: usize| u8::try_from(client + 1).unwrap();
            assert_voted(vote(clients[lost], &message(block, variant(lost))), block);
            vote(clients[lost], &message(block, variant(won))).unwrap();
        }
    }
}

#[test]
fn many_callers_share_one_client() {
    for transport in BOTH {
        let mut site = Site::new(transport);
        let _running = site.start();
        let client = site.client();
        thread::scope(|scope| {
            for block in 1..=16 {
                let client = &client;
                scope.spawn(move || {
                    let message = message(block, 1);
                    let signed = vote(client, &message).unwrap();
                    assert_eq!(&signed.commitment, message.commitment());
                    signed.check(set().set.keyset(), &message).unwrap();
                    assert_eq!(client.keys().unwrap().len(), 1);
                });
            }
        });
    }
}
