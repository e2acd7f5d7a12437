package conformance

import (
	"bytes"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"golang.org/x/crypto/sha3"
)

func threshold(members uint32) uint32 { return members - (members-1)/3 }

func keccak(parts ...[]byte) Hex {
	hasher := sha3.NewLegacyKeccak256()
	hasher.Write(concat(parts...))
	return hasher.Sum(nil)
}

func leafHash(key []byte) Hex { return keccak([]byte{0}, key) }

func nodeHash(left, right []byte) Hex { return keccak([]byte{1}, left, right) }

// layers are those of the tree of SET-2, the leaves' first.
func layers(keys []Hex) [][]Hex {
	layer := make([]Hex, len(keys))
	for i, key := range keys {
		layer[i] = leafHash(key)
	}
	all := [][]Hex{layer}
	for len(layer) > 1 {
		var above []Hex
		for i := 0; i < len(layer); i += 2 {
			if i+1 < len(layer) {
				above = append(above, nodeHash(layer[i], layer[i+1]))
			} else {
				above = append(above, layer[i])
			}
		}
		layer = above
		all = append(all, layer)
	}
	return all
}

func rootOf(keys []Hex) Hex {
	if len(keys) == 0 {
		return make(Hex, 32)
	}
	all := layers(keys)
	return all[len(all)-1][0]
}

// wantedNodes are the nodes whose hashes a multiproof carries, for each layer in ascending order. (SET-2)
func wantedNodes(positions []uint32, len uint32) [][]uint32 {
	var all [][]uint32
	known := positions
	for width := len; width > 1; width = (width + 1) / 2 {
		inside := map[uint32]bool{}
		for _, node := range known {
			inside[node] = true
		}
		var wanted, above []uint32
		last := uint32(1 << 31)
		for _, node := range known {
			if sibling := node ^ 1; sibling < width && !inside[sibling] {
				wanted = append(wanted, sibling)
			}
			if node/2 != last {
				above = append(above, node/2)
				last = node / 2
			}
		}
		all = append(all, wanted)
		known = above
	}
	return all
}

func checkMultiproof(root []byte, len_ uint32, positions []uint32, keys, hashes []Hex) error {
	for i, position := range positions {
		if position >= len_ || len_ > maxValidators || i > 0 && positions[i-1] >= position {
			return Broken("SET-2")
		}
	}
	wanted := wantedNodes(positions, len_)
	expected := 0
	for _, layer := range wanted {
		expected += len(layer)
	}
	if len(hashes) != expected {
		return Broken("SET-2")
	}
	if len(positions) == 0 {
		return nil
	}
	nodes := map[uint32]Hex{}
	for i, position := range positions {
		nodes[position] = leafHash(keys[i])
	}
	width := len_
	for _, layer := range wanted {
		for _, node := range layer {
			nodes[node], hashes = hashes[0], hashes[1:]
		}
		above := map[uint32]Hex{}
		for node := range nodes {
			left := node &^ 1
			if left+1 < width {
				above[node/2] = nodeHash(nodes[left], nodes[left+1])
			} else {
				above[node/2] = nodes[left]
			}
		}
		nodes, width = above, (width+1)/2
	}
	if !bytes.Equal(nodes[0], root) {
		return Broken("SET-2")
	}
	return nil
}

func proveMembers(keys []Hex, positions []uint32) []Hex {
	hashes := []Hex{}
	if len(positions) == 0 {
		return hashes
	}
	all := layers(keys)
	for i, layer := range wantedNodes(positions, uint32(len(keys))) {
		for _, node := range layer {
			hashes = append(hashes, all[i][node])
		}
	}
	return hashes
}

// readMembers is SET-1, for keys that the chain has checked.
func readMembers(keys []Hex) ([]bls.G1Affine, error) {
	if len(keys) == 0 || len(keys) > maxValidators {
		return nil, Broken("SET-1")
	}
	points := make([]bls.G1Affine, len(keys))
	for i, key := range keys {
		if i > 0 && bytes.Compare(keys[i-1], key) >= 0 {
			return nil, Broken("SET-1")
		}
	}
	for i, key := range keys {
		point, err := readRegistered(key)
		if err != nil {
			return nil, Broken("SET-1")
		}
		points[i] = point
	}
	return points, nil
}

// keyset is a set with the points of its keys.
type keyset struct {
	commitment keysetCommitment
	points     []bls.G1Affine
}

func commitToKeys(id uint64, keys []Hex) (keysetCommitment, error) {
	points, err := readMembers(keys)
	if err != nil {
		return keysetCommitment{}, err
	}
	total := sum(points)
	if total.IsInfinity() {
		return keysetCommitment{}, Broken("SET-3")
	}
	return keysetCommitment{ID: U64(id), Len: uint32(len(keys)), Root: rootOf(keys), Apk1: encodeG1(total)}, nil
}

// checkKeys is SET-3.
func checkKeys(set keysetCommitment, keys []Hex) (*keyset, error) {
	if uint32(len(keys)) != set.Len || !bytes.Equal(rootOf(keys), set.Root) {
		return nil, Broken("SET-3")
	}
	points, err := readMembers(keys)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(encodeG1(sum(points)), set.Apk1) {
		return nil, Broken("SET-3")
	}
	if _, err := readG1(set.Apk1); err != nil {
		return nil, Broken("SET-3")
	}
	return &keyset{set, points}, nil
}
