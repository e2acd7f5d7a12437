package conformance

import (
	"math/big"
	"math/bits"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
)

func signedBytes(genesisHash []byte, c commitment) Hex {
	return concat([]byte("duet-v1"), genesisHash, c.encode())
}

func messagePoint(genesisHash []byte, c commitment) bls.G1Affine {
	return hashToG1(ordinarySuite, signedBytes(genesisHash, c))
}

// checkVote is VOTE-1 to VOTE-3; it gives H(m).
func checkVote(genesisHash []byte, set *keyset, v vote) (bls.G1Affine, error) {
	if v.Commitment.SetID != set.commitment.ID {
		return bls.G1Affine{}, Broken("VOTE-1")
	}
	if v.Signer >= set.commitment.Len {
		return bls.G1Affine{}, Broken("VOTE-2")
	}
	hash := messagePoint(genesisHash, v.Commitment)
	_, err := checkSignature(set.points[v.Signer], hash, v.Signature)
	return hash, under("VOTE-3", err)
}

func digestOf(tag string, fields ...[]byte) Hex {
	var all []byte
	for _, field := range append([][]byte{[]byte(tag)}, fields...) {
		all = append(append(all, littleEndian64(uint64(len(field)))...), field...)
	}
	return sha(all)
}

// coefficient is the first half of a digest, and one when that is zero. (JUST-5)
func coefficient(digest []byte) *big.Int {
	t := fromLittleEndian(digest[:16])
	if t.Sign() == 0 {
		t.SetUint64(1)
	}
	return t
}

// possession is what a proof of possession is made of. (POP-3, POP-4)
type possession struct {
	Point  Hex `json:"point"`
	T      Hex `json:"t"`
	Digest Hex `json:"digest"`
}

func checkKey(key []byte) (bls.G1Affine, bls.G2Affine, error) {
	pk1, err := readG1(key[:48])
	if err != nil {
		return pk1, bls.G2Affine{}, Broken("KEY-1")
	}
	pk2, err := readG2(key[48:])
	return pk1, pk2, under("KEY-1", err)
}

// suites are those of the two parts of a proof of possession.
type suites struct{ ownership, possession string }

var votingSuites = suites{ordinarySuite, possessionSuite}

// checkPossession is POP-1 to POP-3.
func checkPossession(key, owner, proof []byte, suites suites) (*possession, error) {
	pk1, pk2, err := checkKey(key)
	if err != nil {
		return nil, err
	}
	owned := hashToG1(suites.ownership, concat([]byte("POP_"), owner))
	if _, err := checkSignature(pk1, owned, proof[:112]); err != nil {
		return nil, Broken("POP-1")
	}
	hash := hashToG1(suites.possession, key[48:])
	sigma, err := checkSignature(pk1, hash, proof[112:])
	if err != nil {
		return nil, Broken("POP-2")
	}
	point := encodeG1(hash)
	t := hashToScalar(point, key[48:], key[:48], proof[112:160])
	left, right := add(sigma, times(pk1, t)), add(hash, times(generatorG1, t))
	if !equationHolds(left, []pair{{right, pk2}}) {
		return nil, Broken("POP-3")
	}
	digest := digestOf("duet-v1/possession/r", point, key[:48], key[48:], proof[112:160])
	return &possession{point, scalarBytes(t), digest}, nil
}

// prepared is a proof whose equation is not checked yet.
type prepared struct {
	signers, nonSigners []uint32
	left, right         bls.G1Affine
	apk2                bls.G2Affine
	point, apk1, digest Hex
	t                   *big.Int
}

// checkForm is JUST-1 to JUST-4; it gives who signed and who did not.
func checkForm(set keysetCommitment, proof justification) (signers, nonSigners []uint32, err error) {
	if proof.Commitment.SetID != set.ID {
		return nil, nil, Broken("JUST-1")
	}
	return checkSigners(set, proof.Signers)
}

// checkSigners is JUST-2 to JUST-4.
func checkSigners(set keysetCommitment, bitfield Hex) (signers, nonSigners []uint32, err error) {
	if uint32(len(bitfield)) != (set.Len+7)/8 {
		return nil, nil, Broken("JUST-2")
	}
	count := 0
	for _, eight := range bitfield {
		count += bits.OnesCount8(eight)
	}
	for position := uint32(0); position < set.Len; position++ {
		if bitfield[position/8]>>(position%8)&1 == 1 {
			signers = append(signers, position)
		} else {
			nonSigners = append(nonSigners, position)
		}
	}
	if count != len(signers) {
		return nil, nil, Broken("JUST-3")
	}
	if uint32(count) < threshold(set.Len) {
		return nil, nil, Broken("JUST-4")
	}
	return signers, nonSigners, nil
}

// equation reads the points of JUST-5, and works out its two sides.
func equation(hash bls.G1Affine, signature, apk2Bytes Hex, apk1 bls.G1Affine) (*prepared, error) {
	sigma, err := readG1(signature)
	if err != nil {
		return nil, err
	}
	apk2, err := readG2(apk2Bytes)
	if err != nil {
		return nil, err
	}
	point, key := encodeG1(hash), encodeG1(apk1)
	digest := digestOf("duet-v1/justification/t", point, key, apk2Bytes, signature)
	t := coefficient(digest)
	return &prepared{
		left: add(sigma, times(apk1, t)), right: add(hash, times(generatorG1, t)), apk2: apk2,
		point: point, apk1: key, digest: digest, t: t,
	}, nil
}

func equationOf(genesisHash []byte, proof justification, apk1 bls.G1Affine) (*prepared, error) {
	return equation(messagePoint(genesisHash, proof.Commitment), proof.Signature, proof.Apk2, apk1)
}

// prepare is JUST-1 to JUST-5 without the equation.
func prepare(genesisHash []byte, set *keyset, proof justification) (*prepared, error) {
	signers, nonSigners, err := checkForm(set.commitment, proof)
	if err != nil {
		return nil, err
	}
	points := make([]bls.G1Affine, len(signers))
	for i, position := range signers {
		points[i] = set.points[position]
	}
	one, err := equationOf(genesisHash, proof, sum(points))
	if err == nil {
		one.signers, one.nonSigners = signers, nonSigners
	}
	return one, err
}

// signersSum is STATELESS-1 and STATELESS-2; it gives the sum of the signers' keys.
func signersSum(set keysetCommitment, nonSigners []uint32, keys, multiproof []Hex) (none bls.G1Affine, err error) {
	if len(nonSigners) != len(keys) {
		return none, Broken("STATELESS-1")
	}
	if checkMultiproof(set.Root, set.Len, nonSigners, keys, multiproof) != nil {
		return none, Broken("STATELESS-2")
	}
	absent := make([]bls.G1Affine, len(nonSigners))
	for i, key := range keys {
		if absent[i], err = readRegistered(key); err != nil {
			return none, Broken("STATELESS-2")
		}
	}
	total, err := readG1(set.Apk1)
	if err != nil {
		return none, Broken("SET-3")
	}
	missing := sum(absent)
	missing.Neg(&missing)
	return add(total, missing), nil
}

// prepareStateless is STATELESS-1 and STATELESS-2 without the equation.
func prepareStateless(genesisHash []byte, set keysetCommitment, proof statelessProof) (*prepared, error) {
	signers, nonSigners, err := checkForm(set, proof.Justification)
	if err != nil {
		return nil, err
	}
	apk1, err := signersSum(set, nonSigners, proof.NonSigners, proof.Multiproof)
	if err != nil {
		return nil, err
	}
	one, err := equationOf(genesisHash, proof.Justification, apk1)
	if err == nil {
		one.signers, one.nonSigners = signers, nonSigners
	}
	return one, err
}

// verify is the equation of JUST-5.
func (one *prepared) verify() error {
	if !equationHolds(one.left, []pair{{one.right, one.apk2}}) {
		return Broken("JUST-5")
	}
	return nil
}

// weight is `a + b·z²`. (JUST-6)
type weight struct{ a, b *big.Int }

func weights(digests []Hex) []weight {
	all := []byte("duet-v1/justifications/r")
	for _, digest := range digests {
		all = append(all, digest...)
	}
	seed := sha(all)
	weights := make([]weight, len(digests))
	for i := range weights {
		weights[i] = weight{big.NewInt(1), new(big.Int)}
		if i > 0 {
			w := coefficient(sha(seed, littleEndian64(uint64(i))))
			half := new(big.Int).Lsh(big.NewInt(1), 64)
			weights[i].b.DivMod(w, half, weights[i].a)
		}
	}
	return weights
}

var zSquared = new(big.Int).Exp(new(big.Int).SetUint64(0xd201000000010000), big.NewInt(2), nil)

// allHold checks many equations as one. (JUST-6)
func allHold(all []*prepared) bool {
	digests := make([]Hex, len(all))
	for i, one := range all {
		digests[i] = one.digest
	}
	lefts, pairs := make([]bls.G1Affine, len(all)), make([]pair, len(all))
	for i, weight := range weights(digests) {
		r := new(big.Int).Mul(weight.b, zSquared)
		r.Add(r, weight.a).Mod(r, order)
		lefts[i] = times(all[i].left, r)
		pairs[i] = pair{times(all[i].right, r), all[i].apk2}
	}
	return len(all) == 0 || equationHolds(sum(lefts), pairs)
}

// checkEvidence is EQV-1 to EQV-5.
func checkEvidence(genesisHash []byte, set keysetCommitment, found evidence) error {
	first, second := found.First.Commitment, found.Second.Commitment
	if first.SetID != set.ID || second.SetID != set.ID {
		return Broken("EQV-1")
	}
	if first.BlockNumber != second.BlockNumber {
		return Broken("EQV-2")
	}
	if first.equals(second) {
		return Broken("EQV-3")
	}
	if checkMultiproof(set.Root, set.Len, []uint32{found.Signer}, []Hex{found.Key}, found.Membership) != nil {
		return Broken("EQV-4")
	}
	key, err := readRegistered(found.Key)
	if err != nil {
		return Broken("EQV-4")
	}
	for _, vote := range []signedCommitment{found.First, found.Second} {
		if _, err := checkSignature(key, messagePoint(genesisHash, vote.Commitment), vote.Signature); err != nil {
			return Broken("EQV-5")
		}
	}
	return nil
}

// signature is what a signer makes of a seed. (KEY-1, DLEQ-3)
type signature struct {
	Secret    Hex `json:"secret"`
	Key       Hex `json:"key"`
	Signature Hex `json:"signature"`
}

func sign(seed, genesisHash []byte, c commitment) signature {
	secret := hashToScalar(seed)
	var pk2 bls.G2Affine
	pk2.ScalarMultiplication(&generatorG2, secret)
	half := pk2.Bytes()
	pk1, hash := times(generatorG1, secret), messagePoint(genesisHash, c)
	sigma := times(hash, secret)
	k := hashToScalar(sha(scalarBytes(secret)), encodeG1(hash))
	challenge := challenge(hash, pk1, sigma, times(generatorG1, k), times(hash, k))
	s := new(big.Int).Mul(challenge, secret)
	s.Sub(k, s).Mod(s, order)
	return signature{
		Secret:    scalarBytes(secret),
		Key:       concat(encodeG1(pk1), half[:]),
		Signature: concat(encodeG1(sigma), scalarBytes(challenge), scalarBytes(s)),
	}
}
