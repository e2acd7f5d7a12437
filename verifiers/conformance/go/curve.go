package conformance

import (
	"crypto/sha256"
	"math/big"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

const (
	ordinarySuite   = "BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
	possessionSuite = "BLS_POP_BLS12381G1_XMD:SHA-256_SSWU_RO_POP_"

	recoverySuite           = "BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_DUET_RECOVERY_"
	recoveryPossessionSuite = "BLS_POP_BLS12381G1_XMD:SHA-256_SSWU_RO_DUET_RECOVERY_POP_"
)

var (
	order                          = fr.Modulus()
	_, _, generatorG1, generatorG2 = bls.Generators()
)

// readFlags checks ENC-1 and ENC-2, and gives the coordinates of x and the sign.
func readFlags(encoded []byte) ([]fp.Element, bool, error) {
	rest := append([]byte{}, encoded...)
	rest[0] &= 0x1f
	sign := encoded[0]&0x20 != 0
	if encoded[0]&0x80 == 0 {
		return nil, false, Broken("ENC-1")
	}
	if encoded[0]&0x40 != 0 {
		if sign || new(big.Int).SetBytes(rest).Sign() != 0 {
			return nil, false, Broken("ENC-1")
		}
		return nil, false, Broken("ENC-2")
	}
	numbers := make([]fp.Element, len(rest)/48)
	for i := range numbers {
		if numbers[i].SetBytesCanonical(rest[48*i:48*i+48]) != nil {
			return nil, false, Broken("ENC-1")
		}
	}
	return numbers, sign, nil
}

// readRegistered reads a point of G1 without the check of the subgroup, which the chain has done. (SET-5)
func readRegistered(encoded []byte) (bls.G1Affine, error) {
	var point bls.G1Affine
	numbers, sign, err := readFlags(encoded)
	if err != nil {
		return point, err
	}
	var square, four fp.Element
	four.SetUint64(4)
	point.X = numbers[0]
	square.Square(&point.X).Mul(&square, &point.X).Add(&square, &four)
	if point.Y.Sqrt(&square) == nil {
		return point, Broken("ENC-3")
	}
	if point.Y.LexicographicallyLargest() != sign {
		point.Y.Neg(&point.Y)
	}
	return point, nil
}

func readG1(encoded []byte) (bls.G1Affine, error) {
	point, err := readRegistered(encoded)
	if err == nil && !point.IsInSubGroup() {
		err = Broken("ENC-4")
	}
	return point, err
}

func readG2(encoded []byte) (bls.G2Affine, error) {
	var point bls.G2Affine
	numbers, sign, err := readFlags(encoded)
	if err != nil {
		return point, err
	}
	var square, four bls.E2
	four.A0.SetUint64(4)
	four.A1.SetUint64(4)
	point.X = bls.E2{A0: numbers[1], A1: numbers[0]}
	square.Square(&point.X).Mul(&square, &point.X).Add(&square, &four)
	if square.Legendre() == -1 {
		return point, Broken("ENC-3")
	}
	point.Y.Sqrt(&square)
	if point.Y.LexicographicallyLargest() != sign {
		point.Y.Neg(&point.Y)
	}
	if !point.IsInSubGroup() {
		return point, Broken("ENC-4")
	}
	return point, nil
}

func encodeG1(point bls.G1Affine) []byte {
	encoded := point.Bytes()
	return encoded[:]
}

func times(point bls.G1Affine, scalar *big.Int) bls.G1Affine {
	var product bls.G1Affine
	product.ScalarMultiplication(&point, scalar)
	return product
}

func add(one, other bls.G1Affine) bls.G1Affine {
	var sum bls.G1Affine
	sum.Add(&one, &other)
	return sum
}

func sum(points []bls.G1Affine) bls.G1Affine {
	var total bls.G1Jac
	total.FromAffine(&bls.G1Affine{})
	for i := range points {
		total.AddMixed(&points[i])
	}
	var affine bls.G1Affine
	affine.FromJacobian(&total)
	return affine
}

// hashToG1 is MSG-1.
func hashToG1(suite string, message []byte) bls.G1Affine {
	point, err := bls.HashToG1(concat([]byte(suite), message), []byte{1})
	if err != nil {
		panic(err)
	}
	return point
}

// pair is one side of an equation: a point of G1 and one of G2.
type pair struct {
	right bls.G1Affine
	point bls.G2Affine
}

// equationHolds says whether e(left, g2) is the product of the pairings of all pairs.
func equationHolds(left bls.G1Affine, pairs []pair) bool {
	g1s, g2s := []bls.G1Affine{left}, []bls.G2Affine{generatorG2}
	for _, one := range pairs {
		var negative bls.G1Affine
		negative.Neg(&one.right)
		g1s, g2s = append(g1s, negative), append(g2s, one.point)
	}
	holds, err := bls.PairingCheck(g1s, g2s)
	return err == nil && holds
}

func sha(parts ...[]byte) []byte {
	digest := sha256.Sum256(concat(parts...))
	return digest[:]
}

// hashToScalar is the Hash of docs/spec/proofs.md.
func hashToScalar(parts ...[]byte) *big.Int {
	b0 := sha(make([]byte, 48), concat(parts...), []byte{0, 48, 0, 0})
	b1 := sha(b0, []byte{1, 0})
	mixed := make([]byte, 32)
	for i := range mixed {
		mixed[i] = b0[i] ^ b1[i]
	}
	b2 := sha(mixed, []byte{2, 0})
	wide := new(big.Int).SetBytes(concat(b1, b2[:16]))
	return wide.Mod(wide, order)
}

// fromLittleEndian reads a number with its least significant byte first.
func fromLittleEndian(encoded []byte) *big.Int {
	reversed := make([]byte, len(encoded))
	for i, value := range encoded {
		reversed[len(encoded)-1-i] = value
	}
	return new(big.Int).SetBytes(reversed)
}

func scalarBytes(number *big.Int) Hex {
	encoded := number.FillBytes(make([]byte, 32))
	for i := 0; i < 16; i++ {
		encoded[i], encoded[31-i] = encoded[31-i], encoded[i]
	}
	return encoded
}

// checkSignature is DLEQ-2; it gives the signature's point.
func checkSignature(key, hash bls.G1Affine, signature []byte) (bls.G1Affine, error) {
	c, s := fromLittleEndian(signature[48:80]), fromLittleEndian(signature[80:])
	if c.Cmp(order) >= 0 || s.Cmp(order) >= 0 {
		return bls.G1Affine{}, Broken("ENC-5")
	}
	sigma, err := readG1(signature[:48])
	if err != nil {
		return sigma, err
	}
	a := add(times(generatorG1, s), times(key, c))
	b := add(times(hash, s), times(sigma, c))
	if challenge(hash, key, sigma, a, b).Cmp(c) != 0 {
		return sigma, Broken("DLEQ-2")
	}
	return sigma, nil
}

// challenge is DLEQ-1.
func challenge(points ...bls.G1Affine) *big.Int {
	parts := make([][]byte, len(points))
	for i, point := range points {
		parts[i] = encodeG1(point)
	}
	return hashToScalar(parts...)
}
