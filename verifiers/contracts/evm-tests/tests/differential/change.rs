//! Calls with valid proofs, and changes of them: of fields, of points, of bytes, and of the places in calldata.

use crate::{
    common::GENESIS,
    mutate::{mutated, Random},
    reading::{g1, g2, MANY, REPORT, SUBMIT},
    world::{Signed, Situation, World},
};
use ark_bls12_381::G1Affine;
use ark_ec::{AffineRepr, CurveGroup};
use codec::{DecodeAll, Encode};
use duet_calldata::abi;
use duet_curve::testing::{compress, small_g1, small_g2, G1, G2};
use duet_light_client::decode;
use duet_primitives::{
    testing::TestSet, Bitfield, BlockNumber, Commitment, MerkleProof, Pk1Bytes, RoundMessage,
    SetId, StatelessProof, H256,
};

/// The modulus of the coordinates.
const P: [u8; 48] = [
    0x1a, 0x01, 0x11, 0xea, 0x39, 0x7f, 0xe6, 0x9a, 0x4b, 0x1b, 0xa7, 0xb6, 0x43, 0x4b, 0xac, 0xd7,
    0x64, 0x77, 0x4b, 0x84, 0xf3, 0x85, 0x12, 0xbf, 0x67, 0x30, 0xd2, 0xa0, 0xf6, 0xb0, 0xf6, 0x24,
    0x1e, 0xab, 0xff, 0xfe, 0xb1, 0x53, 0xff, 0xff, 0xb9, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xaa, 0xab,
];

/// Where the fields of a proof begin in the bytes for the contract, up to what has another length each time.
const FIELDS: [usize; 16] = [
    0, 4, 36, 68, 76, 84, 88, 120, 168, 176, 180, 212, 260, 308, 404, 596,
];
/// Where coordinates begin there, those of non-signers behind a bitfield of one byte or three.
const COORDINATES: [usize; 14] = [
    260, 308, 356, 404, 452, 500, 548, 596, 597, 599, 645, 647, 693, 695,
];

pub(crate) struct Maker<'a> {
    pub(crate) world: &'a World,
    pub(crate) situation: &'a Situation,
    pub(crate) random: Random,
}

impl Maker<'_> {
    /// One of a few, by chance.
    fn any<'b, T>(&mut self, list: &'b [T]) -> &'b T {
        &list[self.random.below(list.len())]
    }

    fn one_in(&mut self, sides: usize) -> bool {
        self.random.below(sides) == 0
    }

    pub(crate) fn calldata(&mut self) -> Vec<u8> {
        let mut calldata = match self.random.below(10) {
            0 => self.many(),
            1 => self.report(),
            _ => {
                let proof = self.proof();
                abi::call(SUBMIT, &[self.bytes(proof)])
            }
        };
        if self.one_in(12) {
            self.change_calldata(&mut calldata);
        }
        calldata
    }

    fn many(&mut self) -> Vec<u8> {
        let from = self.situation.signing() + self.random.below(2);
        let until = from + 1 + self.random.below(4);
        let sets = self.world.proofs.iter().take(until).skip(from);
        let mut list: Vec<_> = sets.map(|proofs| proofs[3].clone()).collect();
        // A list of the others, at times, is none.
        let place = self
            .random
            .below(list.len() + 1)
            .min(list.len().saturating_sub(1));
        match self.random.below(9) {
            0 if list.len() > 1 => list.swap(place, 0),
            1 if !list.is_empty() => drop(list.remove(place)),
            2 if !list.is_empty() => list.insert(place, list[place].clone()),
            3 => list.insert(place, self.proof()),
            // Errors that cancel each other out in a plain sum.
            4 if list.len() > 1 => {
                let other = self.random.below(list.len());
                let signature = list[place].proof.justification.signature;
                list[place].proof.justification.signature =
                    list[other].proof.justification.signature;
                list[other].proof.justification.signature = signature;
            }
            5 if list.len() > 1 => {
                let other = self.random.below(list.len());
                let apk2 = list[place].proof.justification.apk2;
                list[place].proof.justification.apk2 = list[other].proof.justification.apk2;
                list[other].proof.justification.apk2 = apk2;
            }
            6 | 7 if !list.is_empty() => self.change_proof(&mut list[place].proof),
            _ => {}
        }
        let mut proofs: Vec<_> = list.iter().map(|signed| self.world.bytes(signed)).collect();
        if self.one_in(6) && !proofs.is_empty() {
            let place = place.min(proofs.len() - 1);
            self.change_bytes(&mut proofs[place]);
        }
        [
            abi::selector(MANY).to_vec(),
            abi::word(32).to_vec(),
            abi::list(&proofs),
        ]
        .concat()
    }

    fn report(&mut self) -> Vec<u8> {
        // One of the sets up to the successor, or one that was replaced, or two of them.
        let latest = self.situation.signing() + self.random.below(3);
        let by = latest
            .saturating_sub(self.random.below(4))
            .min(self.world.sets.len() - 1);
        let other = if self.one_in(4) {
            by.saturating_sub(1)
        } else {
            by
        };
        let proofs = [by, other].map(|by| {
            let mut signed = match self.random.below(6) {
                0 => self.fresh(by),
                _ => self.any(&self.world.proofs[by]).clone(),
            };
            if self.one_in(4) {
                self.change_proof(&mut signed.proof);
            }
            let mut bytes = self.world.bytes(&signed);
            if self.one_in(8) {
                self.change_bytes(&mut bytes);
            }
            bytes
        });
        abi::call(REPORT, &proofs)
    }

    /// A proof by a set that may sign, more often than not, with none, one or a few changes.
    fn proof(&mut self) -> Signed {
        let last = self.world.sets.len() - 1;
        let signing = self.situation.signing();
        let by = match self.random.below(10) {
            0 => self.random.below(last + 1),
            1 | 2 => last.min(signing + 1),
            _ => signing,
        };
        let mut signed = match self.random.below(5) {
            0 => self.fresh(by),
            _ => self.any(&self.world.proofs[by]).clone(),
        };
        let changes = [0, 1, 1, 1, 1, 1, 2, 3][self.random.below(8)];
        for _ in 0..changes {
            self.change_proof(&mut signed.proof);
        }
        signed
    }

    /// The bytes of a proof, changed at times.
    fn bytes(&mut self, signed: Signed) -> Vec<u8> {
        let mut bytes = self.world.bytes(&signed);
        if self.one_in(3) {
            self.change_bytes(&mut bytes);
        }
        bytes
    }

    /// A statement that nobody should sign, signed by enough.
    fn fresh(&mut self, by: usize) -> Signed {
        let World { sets, others, .. } = self.world;
        let set = &sets[by];
        if set.secrets.len() > 20 {
            return self.any(&self.world.proofs[by]).clone();
        }
        let next = match self.random.below(3) {
            0 => set,
            1 => sets.get(by + 1).unwrap_or(set),
            _ => others.get(by + 1).unwrap_or(set),
        };
        let best = self.situation.state.trusted.best_number().get();
        let number = *self.any(&[0, 1, best, best + 1, best + 7, 210, u32::MAX]);
        let mut commitment = set.commitment(number, &next.set);
        if self.one_in(2) {
            self.change_commitment(&mut commitment);
            commitment.validator_set_id = set.set.commitment().id;
        }
        Signed {
            proof: self.sign(set, commitment),
            by,
        }
    }

    fn sign(&mut self, set: &TestSet, commitment: Commitment) -> StatelessProof {
        let len = set.set.commitment().len;
        let most = usize::try_from((len - 1) / 3).expect("few");
        let absent = self.random.below(most + 1);
        let from = self.random.below(set.secrets.len());
        let is_away = |i: &u32| (*i as usize + from) % set.secrets.len() < absent;
        let signers = (0..len).filter(|i| !is_away(i));
        let justification = set.justify(&RoundMessage::new(GENESIS, commitment), signers);
        StatelessProof::new(&justification, set.set.keyset()).expect("members")
    }

    fn any_proof(&mut self) -> StatelessProof {
        let signing = self.situation.signing();
        let by = if self.one_in(3) {
            self.random.below(self.world.sets.len())
        } else {
            signing
        };
        self.any(&self.world.proofs[by]).proof.clone()
    }

    fn change_commitment(&mut self, said: &mut Commitment) {
        let other = self.any_proof().justification.commitment;
        let best = self.situation.state.trusted.best_number().get();
        let near = |id: SetId, by: u64| SetId::new(id.get().wrapping_add(by).wrapping_sub(1));
        match self.random.below(12) {
            0 => *said = other,
            1 => said.next = other.next,
            2 => said.block_hash = other.block_hash,
            3 => said.mmr_root = other.mmr_root,
            4 => said.block_hash.0[self.random.below(32)] ^= 1,
            5 => said.block_number = BlockNumber::new(*self.any(&[0, best, best + 1, u32::MAX])),
            6 => said.validator_set_id = near(said.validator_set_id, self.random.below(3) as u64),
            7 => said.next.id = near(said.next.id, self.random.below(3) as u64),
            8 => said.next.len = *self.any(&[0, 1, 100_000, 100_001, u32::MAX]),
            9 => said.next.root = H256::repeat_byte(9),
            10 => said.next.apk1 = Pk1Bytes(self.other_g1(said.next.apk1.0)),
            _ => said.next.id = *self.any(&[SetId::new(0), SetId::new(u64::MAX)]),
        }
    }

    fn change_proof(&mut self, proof: &mut StatelessProof) {
        let other = self.any_proof();
        let just = &mut proof.justification;
        match self.random.below(14) {
            0 => just.signature = other.justification.signature,
            1 => just.apk2 = other.justification.apk2,
            2 => {
                just.signature = other.justification.signature;
                just.apk2 = other.justification.apk2;
            }
            3 => just.signers = other.justification.signers,
            4 => proof.non_signers = other.non_signers,
            5 => proof.proof = other.proof,
            // Others claim to have signed.
            6 => {
                just.signers = other.justification.signers;
                (proof.non_signers, proof.proof) = (other.non_signers, other.proof);
            }
            7 | 8 => self.change_commitment(&mut just.commitment),
            9 => just.signature.0 = self.other_g1(just.signature.0),
            10 => just.apk2.0 = self.other_g2(just.apk2.0),
            11 => self.change_non_signers(proof),
            12 => self.change_bits(&mut just.signers),
            _ => {
                // The bytes as they travel.
                let corpus = [proof.encode(), other.encode()];
                if let Ok(changed) = decode(&mutated(&corpus, &mut self.random)) {
                    *proof = changed;
                }
            }
        }
    }

    fn change_non_signers(&mut self, proof: &mut StatelessProof) {
        let mut hashes = proof.proof.hashes().to_vec();
        let (keys, random) = (&mut proof.non_signers, &mut self.random);
        let (key, hash) = (random.below(keys.len() + 1), random.below(hashes.len() + 1));
        match random.below(8) {
            0 if key < keys.len() => keys.swap(0, key),
            1 if key < keys.len() => drop(keys.remove(key)),
            2 if key < keys.len() => keys.insert(0, keys[key]),
            3 | 4 if key < keys.len() => keys[key].0 = self.other_g1(keys[key].0),
            5 if hash < hashes.len() => hashes.swap(0, hash),
            6 if hash < hashes.len() => drop(hashes.remove(hash)),
            7 if hash < hashes.len() => hashes[hash].0[hash % 32] ^= 1,
            _ => hashes.insert(hash, H256::repeat_byte(3)),
        }
        proof.proof = MerkleProof::decode_all(&mut &hashes.encode()[..]).expect("few hashes");
    }

    fn change_bits(&mut self, signers: &mut Bitfield) {
        let mut bytes = signers.as_bytes().to_vec();
        let last = bytes.len().saturating_sub(1);
        match self.random.below(5) {
            0 => bytes.push(0),
            1 => drop(bytes.pop()),
            // Padding, if there is some, or a signer.
            2 => bytes.iter_mut().skip(last).for_each(|byte| *byte ^= 0x80),
            3 => bytes.fill(0xff),
            _ => {
                let place = self.random.below(bytes.len().max(1));
                let bit = 1 << self.random.below(8);
                bytes
                    .iter_mut()
                    .skip(place)
                    .take(1)
                    .for_each(|byte| *byte ^= bit);
            }
        }
        *signers = Bitfield::from_bytes(bytes);
    }

    fn other_g1(&mut self, bytes: [u8; 48]) -> [u8; 48] {
        let Some(point) = g1(&duet_calldata::g1(&bytes)) else {
            return self.any(&G1).bytes;
        };
        let small = small_g1(self.random.below(5));
        match self.random.below(5) {
            0 => compress(&-point),
            1 => compress(&(point + point).into_affine()),
            2 => compress(&(point + small).into_affine()),
            3 => compress(&(point + G1Affine::generator()).into_affine()),
            _ => self.any(&G1).bytes,
        }
    }

    fn other_g2(&mut self, bytes: [u8; 96]) -> [u8; 96] {
        let Some(point) = g2(&duet_calldata::g2(&bytes)) else {
            return self.any(&G2).bytes;
        };
        let small = small_g2(self.random.below(5));
        match self.random.below(4) {
            0 => compress(&-point),
            1 => compress(&(point + point).into_affine()),
            2 => compress(&(point + small).into_affine()),
            _ => self.any(&G2).bytes,
        }
    }

    /// The bytes for the contract, in forms that the library does not make.
    fn change_bytes(&mut self, bytes: &mut Vec<u8>) {
        let by = self.random.below(self.world.sets.len());
        let other = self.any(&self.world.proofs[by]).clone();
        let other = self.world.bytes(&other);
        let random = &mut self.random;
        let coordinate = COORDINATES[random.below(COORDINATES.len())];
        let len = bytes.len();
        match random.below(11) {
            0 => bytes.truncate(len - random.below(len.min(200) + 1)),
            1 => bytes.extend(vec![0; [1, 31, 32, 64, 96][random.below(5)]]),
            2 => {
                let place = random.below(FIELDS.len() - 1);
                replace(bytes, &other, FIELDS[place]..FIELDS[place + 1]);
            }
            3 => replace(bytes, &other, 596..other.len()),
            4 => change_coordinate(bytes, coordinate, plus_p),
            5 | 6 => change_coordinate(bytes, coordinate, minus_in_p),
            7 => change_coordinate(bytes, coordinate, |bytes| bytes.fill(0)),
            8 => change_coordinate(bytes, coordinate, |bytes| bytes[0] |= 0x80),
            9 => {
                let place = random.below(len.max(1));
                let bit = 1 << random.below(8);
                bytes
                    .iter_mut()
                    .skip(place)
                    .take(1)
                    .for_each(|byte| *byte ^= bit);
            }
            _ => *bytes = mutated(&[bytes.clone(), other], random),
        }
    }

    /// Places and lengths in calldata, and what is behind them.
    fn change_calldata(&mut self, calldata: &mut Vec<u8>) {
        let random = &mut self.random;
        let words = (calldata.len() - 4) / 32;
        // The places and lengths are among the first words.
        let at = 4 + 32 * random.below(words.clamp(1, 8));
        match random.below(7) {
            0 => calldata.extend(vec![1; 1 + random.below(64)]),
            1 => calldata.truncate(4 + random.below(calldata.len() - 3)),
            2 => calldata
                .iter_mut()
                .rev()
                .take(1)
                .for_each(|byte| *byte ^= 1),
            3 => calldata[random.below(4)] ^= 1,
            kind => {
                let Some(word) = calldata.get_mut(at..at + 32) else {
                    return;
                };
                let low = u64::from_be_bytes(*word.last_chunk().expect("32 bytes"));
                let change = [1, 31, 32, 64, u64::MAX, 32_u64.wrapping_neg(), 1 << 40];
                let number = match kind {
                    4 => low.wrapping_add(change[random.below(change.len())]),
                    _ => change[random.below(change.len())],
                };
                word.fill(if random.below(4) == 0 { 0xff } else { 0 });
                word[24..].copy_from_slice(&number.to_be_bytes());
            }
        }
    }
}

/// Writes a part of other bytes over the same part, or behind the end.
fn replace(bytes: &mut Vec<u8>, other: &[u8], range: std::ops::Range<usize>) {
    let end = range.end.min(bytes.len()).max(range.start.min(bytes.len()));
    if let Some(part) = other.get(range.clone()) {
        bytes.splice(range.start.min(end)..end, part.iter().copied());
    }
}

fn change_coordinate(bytes: &mut [u8], at: usize, change: impl Fn(&mut [u8])) {
    if let Some(coordinate) = bytes.get_mut(at..at + 48) {
        change(coordinate);
    }
}

/// Another encoding of the same residue.
fn plus_p(bytes: &mut [u8]) {
    let mut carry = 0;
    for (byte, p) in bytes.iter_mut().zip(P).rev() {
        let sum = u16::from(*byte) + u16::from(p) + carry;
        *byte = sum.to_le_bytes()[0];
        carry = sum >> 8;
    }
}

/// The other root, of a y.
fn minus_in_p(bytes: &mut [u8]) {
    let mut borrow = 0;
    for (byte, p) in bytes.iter_mut().zip(P).rev() {
        let difference = 256 + i16::from(p) - i16::from(*byte) - borrow;
        *byte = difference.to_le_bytes()[0];
        borrow = i16::from(difference < 256);
    }
}
