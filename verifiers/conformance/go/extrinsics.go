package conformance

import "bytes"

// kind is the first bits of a trie node, and how many they are.
type kind struct{ first, bits byte }

var (
	leafKind       = kind{0b01, 2}
	leafByHashKind = kind{0b001, 3}
	branchKind     = kind{0b10, 2}
)

// longestInline is the length from which on state version 1 keeps values as nodes of their own.
const longestInline = 32

// entry is what a trie has under a path of nibbles.
type entry struct{ path, value []byte }

func atMost(limit, number int) int {
	if number > limit {
		return limit
	}
	return number
}

// front is the kind of a node and its part of the path.
func front(of kind, partial []byte) []byte {
	most := 0xff >> of.bits
	encoded := []byte{of.first<<(8-of.bits) | byte(atMost(most, len(partial)))}
	for rest := len(partial) - most; rest >= 0; rest -= 0xff {
		encoded = append(encoded, byte(atMost(0xff, rest)))
	}
	if len(partial)%2 == 1 {
		partial = append([]byte{0}, partial...)
	}
	for i := 0; i < len(partial); i += 2 {
		encoded = append(encoded, partial[i]<<4|partial[i+1])
	}
	return encoded
}

func asList(value []byte) []byte { return concat(compact(len(value)), value) }

func encodeLeaf(partial, value []byte, version int) []byte {
	if version == 0 || len(value) <= longestInline {
		return concat(front(leafKind, partial), asList(value))
	}
	return concat(front(leafByHashKind, partial), blake2(value))
}

// encodeNode is the node above these entries, whose paths are the same up to from. No position begins with another one.
func encodeNode(entries []entry, from, version int) []byte {
	path := entries[0].path
	if len(entries) == 1 {
		return encodeLeaf(path[from:], entries[0].value, version)
	}
	to := from
	var below [16][]entry
	for {
		below = [16][]entry{}
		for _, one := range entries {
			below[one.path[to]] = append(below[one.path[to]], one)
		}
		if len(below[path[to]]) < len(entries) {
			break
		}
		to++
	}
	var bitmap uint16
	var children []byte
	for nibble, entries := range below {
		if len(entries) == 0 {
			continue
		}
		bitmap |= 1 << nibble
		child := encodeNode(entries, to+1, version)
		if len(child) >= 32 {
			child = blake2(child)
		}
		children = append(children, asList(child)...)
	}
	return concat(front(branchKind, path[from:to]), []byte{byte(bitmap), byte(bitmap >> 8)}, children)
}

func extrinsicsRoot(extrinsics []Hex, version int) []byte {
	if len(extrinsics) == 0 {
		return blake2([]byte{0})
	}
	entries := make([]entry, len(extrinsics))
	for position, value := range extrinsics {
		entries[position] = entry{nibbles(compact(position)), value}
	}
	return blake2(encodeNode(entries, 0, version))
}

// checkExtrinsics is STATE-4.
func checkExtrinsics(root []byte, extrinsics []Hex) error {
	for _, version := range []int{0, 1} {
		if bytes.Equal(extrinsicsRoot(extrinsics, version), root) {
			return nil
		}
	}
	return Broken("STATE-4")
}

// positionOf is that of the first extrinsic with this hash; nil when there is none.
func positionOf(hash []byte, extrinsics []Hex) any {
	for position, extrinsic := range extrinsics {
		if bytes.Equal(blake2(extrinsic), hash) {
			return position
		}
	}
	return nil
}
