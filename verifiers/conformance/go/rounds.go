package conformance

import (
	"bytes"
	"sort"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
)

// dualKeyset is a set with both halves of its keys.
type dualKeyset struct {
	*keyset
	seconds []Hex
}

func (in input) dualSet() (dualKeyset, error) {
	keys, err := decodeAll(in.bytes("dual_keys"), func(r *reader) []Hex { return r.list(144, maxValidators) })
	if err != nil {
		return dualKeyset{}, err
	}
	firsts, seconds := make([]Hex, len(keys)), make([]Hex, len(keys))
	for i, key := range keys {
		firsts[i], seconds[i] = key[:48], key[48:]
	}
	set, err := in.set()
	if err != nil {
		return dualKeyset{}, err
	}
	checked, err := checkKeys(set, firsts)
	return dualKeyset{checked, seconds}, err
}

func (in input) votes() ([]vote, error) {
	var votes []vote
	for _, encoded := range in.byteList("votes") {
		one, err := decodeAll(encoded, readVote)
		if err != nil {
			return nil, err
		}
		votes = append(votes, one)
	}
	return votes, nil
}

func (in input) dualSetAndVotes() (dualKeyset, []vote, error) {
	set, err := in.dualSet()
	if err != nil {
		return set, nil, err
	}
	votes, err := in.votes()
	return set, votes, err
}

// sums are what signers add to a proof, by their positions; points and keys are those of signers who are in it already.
type sums struct {
	sigmas  map[uint32]bls.G1Affine
	signers []uint32
	points  []bls.G1Affine
	keys    []bls.G2Affine
}

// proof adds up.
func (set dualKeyset) proof(c commitment, of sums) (justification, error) {
	for signer, sigma := range of.sigmas {
		second, err := readG2(set.seconds[signer])
		if err != nil {
			return justification{}, err
		}
		of.signers, of.points, of.keys = append(of.signers, signer), append(of.points, sigma), append(of.keys, second)
	}
	if uint32(len(of.signers)) < threshold(set.commitment.Len) {
		return justification{}, Broken("JUST-4")
	}
	signature := sum(of.points)
	if signature.IsInfinity() {
		return justification{}, Broken("ENC-2")
	}
	var total bls.G2Jac
	total.FromAffine(&bls.G2Affine{})
	for i := range of.keys {
		total.AddMixed(&of.keys[i])
	}
	var apk2 bls.G2Affine
	second := apk2.FromJacobian(&total).Bytes()
	signers := make(Hex, (set.commitment.Len+7)/8)
	for _, signer := range of.signers {
		signers[signer/8] |= 1 << (signer % 8)
	}
	return justification{Commitment: c, Signers: signers, Signature: encodeG1(signature), Apk2: second[:]}, nil
}

// firstOfEach is what read makes of the first vote of each signer that it does not refuse.
func firstOfEach(votes []vote, read func(vote) (bls.G1Affine, error)) map[uint32]bls.G1Affine {
	found := map[uint32]bls.G1Affine{}
	for _, one := range votes {
		if _, known := found[one.Signer]; known {
			continue
		}
		if sigma, err := read(one); err == nil {
			found[one.Signer] = sigma
		}
	}
	return found
}

// addVotes is JUST-7.
func addVotes(genesisHash []byte, set dualKeyset, c commitment, votes []vote) (justification, error) {
	if c.SetID != set.commitment.ID {
		return justification{}, Broken("JUST-1")
	}
	var fit []vote
	for _, one := range votes {
		if one.Commitment.equals(c) && one.Signer < set.commitment.Len {
			fit = append(fit, one)
		}
	}
	// The subgroup is checked in the sum.
	unchecked := firstOfEach(fit, func(one vote) (bls.G1Affine, error) { return readRegistered(one.Signature[:48]) })
	if proof, err := set.proof(c, sums{sigmas: unchecked}); err == nil {
		one, err := prepare(genesisHash, set.keyset, proof)
		if err == nil && one.verify() == nil {
			return proof, nil
		}
	}
	hash := messagePoint(genesisHash, c)
	checked := firstOfEach(fit, func(one vote) (bls.G1Affine, error) {
		return checkSignature(set.points[one.Signer], hash, one.Signature)
	})
	return set.proof(c, sums{sigmas: checked})
}

// extend is JUST-8.
func extend(genesisHash []byte, set dualKeyset, proof justification, votes []vote) (justification, error) {
	one, err := prepare(genesisHash, set.keyset, proof)
	if err != nil {
		return justification{}, err
	}
	if err := one.verify(); err != nil {
		return justification{}, err
	}
	for _, late := range votes {
		if _, err := checkVote(genesisHash, set.keyset, late); err != nil {
			return justification{}, err
		}
	}
	more := sums{sigmas: map[uint32]bls.G1Affine{}, signers: one.signers}
	for _, late := range votes {
		if !late.Commitment.equals(proof.Commitment) {
			return justification{}, Broken("JUST-8")
		}
		if _, known := more.sigmas[late.Signer]; known {
			return justification{}, Broken("JUST-4")
		}
		if more.sigmas[late.Signer], err = readG1(late.Signature[:48]); err != nil {
			return justification{}, err
		}
	}
	for _, signer := range one.signers {
		delete(more.sigmas, signer)
	}
	signature, err := readG1(proof.Signature)
	if err != nil {
		return justification{}, err
	}
	more.points, more.keys = []bls.G1Affine{signature}, []bls.G2Affine{one.apk2}
	return set.proof(proof.Commitment, more)
}

// publishers is ROUND-6.
func publishers(c commitment, members uint32) []uint32 {
	seed := sha([]byte("duet-schedule-v1"), c.encode())
	order, places := make([]uint32, members), make([][]byte, members)
	for i := range order {
		order[i] = uint32(i)
		places[i] = sha(seed, littleEndian32(uint32(i)))
	}
	sort.SliceStable(order, func(one, other int) bool { return bytes.Compare(places[order[one]], places[order[other]]) < 0 })
	return order
}

func made(proof justification, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	signers := 0
	for _, eight := range proof.Signers {
		for ; eight > 0; eight >>= 1 {
			signers += int(eight & 1)
		}
	}
	encoded := concat(proof.Commitment.encode(), asList(proof.Signers), proof.Signature, proof.Apk2)
	return outputs{"justification": Hex(encoded), "signers": signers}, nil
}

// operationsOfRounds are those that nodes do and light clients do not.
var operationsOfRounds = map[string]func(input) (any, error){
	"add_votes": func(in input) (any, error) {
		set, votes, err := in.dualSetAndVotes()
		if err != nil {
			return nil, err
		}
		c, err := decodeAll(in.bytes("message"), readCommitment)
		if err != nil {
			return nil, err
		}
		return made(addVotes(in.bytes("genesis_hash"), set, c, votes))
	},
	"extend": func(in input) (any, error) {
		set, votes, err := in.dualSetAndVotes()
		if err != nil {
			return nil, err
		}
		proof, err := decode("Justification", in.bytes("justification"), readJustification)
		if err != nil {
			return nil, err
		}
		return made(extend(in.bytes("genesis_hash"), set, proof, votes))
	},
	"publishers": func(in input) (any, error) {
		c, err := decodeAll(in.bytes("commitment"), readCommitment)
		return outputs{"order": publishers(c, in.u32("members"))}, err
	},
}
