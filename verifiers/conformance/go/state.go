package conformance

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"golang.org/x/crypto/blake2b"
)

func blake2(input []byte) Hex {
	digest := blake2b.Sum256(input)
	return digest[:]
}

type header struct {
	parentHash, stateRoot, extrinsicsRoot Hex
	number                                uint32
}

func readHeader(encoded []byte) (header, bool) {
	r := reader{rest: encoded}
	head := header{parentHash: r.take(32), number: r.compact(), stateRoot: r.take(32), extrinsicsRoot: r.take(32)}
	return head, !r.failed && len(r.rest) > 0
}

// block is a block that is final; history is the root over those before it, where a proof signs one.
type block struct {
	number  uint32
	hash    Hex
	history Hex
}

// checkHeader is STATE-1.
func (b block) checkHeader(encoded []byte) (header, error) {
	head, isHeader := readHeader(encoded)
	if !bytes.Equal(blake2(encoded), b.hash) || !isHeader || head.number != b.number {
		return head, Broken("STATE-1")
	}
	return head, nil
}

// trieNode is a node of Substrate's trie, as docs/spec/formats.md has it.
type trieNode struct {
	partial  []byte
	hasValue bool
	value    Hex
	hashed   bool
	children [16]Hex
}

func nibbles(encoded []byte) []byte {
	var all []byte
	for _, value := range encoded {
		all = append(all, value>>4, value&15)
	}
	return all
}

func readNode(encoded []byte) (trieNode, bool) {
	r := reader{rest: encoded}
	var node trieNode
	first := r.u8()
	leaf, width := false, 2
	switch {
	case first == 0:
		return node, !r.failed
	case first>>6 == 0b01:
		leaf, node.hasValue = true, true
	case first>>6 == 0b11:
		node.hasValue = true
	case first>>6 == 0b10:
	case first>>5 == 0b001:
		leaf, node.hasValue, node.hashed, width = true, true, true, 3
	case first>>4 == 0b0001:
		node.hasValue, node.hashed, width = true, true, 4
	default:
		return node, false
	}
	most := byte(0xff) >> width
	count := int(first & most)
	for more := first&most == most; more && !r.failed; {
		next := r.u8()
		count += int(next)
		more = next == 0xff
	}
	node.partial = nibbles(r.take((count + 1) / 2))
	if count%2 == 1 && len(node.partial) > 0 {
		if node.partial[0] != 0 {
			return node, false
		}
		node.partial = node.partial[1:]
	}
	var bitmap uint16
	if !leaf {
		bitmap = binary.LittleEndian.Uint16(r.padded(2))
	}
	if node.hashed {
		node.value = r.take(32)
	} else if node.hasValue {
		node.value = r.byteList(1 << 31)
	}
	for i := range node.children {
		if bitmap>>i&1 == 1 {
			node.children[i] = r.byteList(1 << 31)
		}
	}
	return node, !r.failed
}

// trie is a proof: nodes by their hashes, and which of them were needed.
type trie struct {
	nodes map[string]Hex
	used  map[string]bool
}

func (t *trie) load(hash []byte) (Hex, bool) {
	node, found := t.nodes[string(hash)]
	if found {
		t.used[string(hash)] = true
	}
	return node, found
}

// find gives the value under a key, nil when there is none, and whether the nodes say so.
func (t *trie) find(root, key []byte) (Hex, bool) {
	rest := nibbles(key)
	encoded, ok := t.load(root)
	for ok {
		node, isNode := readNode(encoded)
		if !isNode {
			return nil, false
		}
		if !bytes.HasPrefix(rest, node.partial) {
			return nil, true
		}
		rest = rest[len(node.partial):]
		if len(rest) == 0 {
			if node.hashed {
				return t.load(node.value)
			}
			return node.value, true
		}
		child := node.children[rest[0]]
		rest = rest[1:]
		if child == nil {
			return nil, true
		}
		encoded = child
		if len(child) == 32 {
			encoded, ok = t.load(child)
		}
	}
	return nil, false
}

// The most bytes of all nodes of a storage proof. (STATE-2)
const maxStateBytes = 8 << 20

// readState is STATE-2, and LIGHT-2 at genesis: the values under these keys, nil where there is none.
func readState(nodes []Hex, root []byte, keys []Hex, rule Broken) ([]Hex, error) {
	t := trie{map[string]Hex{}, map[string]bool{}}
	size := 0
	for _, node := range nodes {
		if size += len(node); size > maxStateBytes {
			return nil, rule
		}
		t.nodes[string(blake2(node))] = node
	}
	values := make([]Hex, len(keys))
	for i, key := range keys {
		value, ok := t.find(root, key)
		if !ok {
			return nil, rule
		}
		values[i] = value
	}
	if len(t.used) != len(nodes) {
		return nil, rule
	}
	return values, nil
}

// rangeRoot is the root of a Merkle mountain range to which a proof of one leaf leads; nil when it has too few hashes or too
// many.
func rangeRoot(leaf []byte, index, leaves uint64, hashes []Hex) Hex {
	// One mountain for each bit of the number of leaves, the highest first.
	var before, after int
	var height int
	rest := index
	found := false
	for bit := 63; bit >= 0; bit-- {
		size := uint64(1) << bit
		switch {
		case leaves&size == 0:
		case found:
			after = 1
		case rest < size:
			height, found = bit, true
		default:
			rest -= size
			before++
		}
	}
	if before != bits.OnesCount64(leaves>>height)-1 || len(hashes) != before+height+after {
		return nil
	}
	node := keccak(leaf)
	for _, sibling := range hashes[before : before+height] {
		if rest%2 == 1 {
			node = keccak(sibling, node)
		} else {
			node = keccak(node, sibling)
		}
		rest /= 2
	}
	// From the right: the hash of what is on the right comes first.
	if after == 1 {
		node = keccak(hashes[before+height], node)
	}
	for i := before - 1; i >= 0; i-- {
		node = keccak(node, hashes[i])
	}
	return node
}

// checkOlder is STATE-3.
func (b block) checkOlder(leafBytes []byte, index, leaves uint64, hashes []Hex) (block, error) {
	leaf, err := decodeAll(leafBytes, readLeaf)
	newest := uint64(b.number)
	if err != nil || b.history == nil || leaves > newest || index >= leaves || len(hashes) > 64 {
		return block{}, Broken("STATE-3")
	}
	if newest-leaves+index != uint64(leaf.ParentNumber) {
		return block{}, Broken("STATE-3")
	}
	if !bytes.Equal(rangeRoot(leafBytes, index, leaves, hashes), b.history) {
		return block{}, Broken("STATE-3")
	}
	return block{number: leaf.ParentNumber, hash: leaf.ParentHash}, nil
}
