// Package conformance is a second verifier of Duet's proofs, which follows docs/spec.
package conformance

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"strconv"
)

// Broken is the rule of docs/spec that something breaks.
type Broken string

func (rule Broken) Error() string { return string(rule) }

// under reports rule, whatever rule err is about.
func under(rule Broken, err error) error {
	if err != nil {
		return rule
	}
	return nil
}

// malformed is what every object breaks that does not decode.
const malformed = Broken("ENC-6")

// Hex is written as hex with a prefix.
type Hex []byte

// MarshalJSON writes the bytes in hex.
func (bytes Hex) MarshalJSON() ([]byte, error) {
	return json.Marshal("0x" + hex.EncodeToString(bytes))
}

// U64 is written as a decimal string.
type U64 uint64

// MarshalJSON writes the number in decimal.
func (number U64) MarshalJSON() ([]byte, error) {
	return json.Marshal(strconv.FormatUint(uint64(number), 10))
}

// reader reads SCALE. After the first fault it reads zeros, and failed says so.
type reader struct {
	rest   []byte
	failed bool
}

func (r *reader) take(length int) Hex {
	if r.failed || length > len(r.rest) {
		r.failed = true
		return Hex{}
	}
	taken := r.rest[:length]
	r.rest = r.rest[length:]
	return taken
}

// padded is like take, and gives zeros after a fault.
func (r *reader) padded(length int) []byte {
	bytes := make([]byte, length)
	copy(bytes, r.take(length))
	return bytes
}

func (r *reader) u8() byte { return r.padded(1)[0] }

func (r *reader) u16() uint16 { return binary.LittleEndian.Uint16(r.padded(2)) }

func (r *reader) u32() uint32 { return binary.LittleEndian.Uint32(r.padded(4)) }

func (r *reader) u64() uint64 { return binary.LittleEndian.Uint64(r.padded(8)) }

// compact reads a number of at most 32 bits in as few bytes as it needs.
func (r *reader) compact() uint32 {
	first := uint32(r.u8())
	var number, least uint32
	switch first & 3 {
	case 0:
		return first >> 2
	case 1:
		number, least = first>>2|uint32(r.u8())<<6, 1<<6
	case 2:
		rest := r.padded(3)
		number = first>>2 | uint32(rest[0])<<6 | uint32(rest[1])<<14 | uint32(rest[2])<<22
		least = 1 << 14
	default:
		if first != 3 {
			r.failed = true
		}
		number, least = r.u32(), 1<<30
	}
	if number < least {
		r.failed = true
	}
	return number
}

// list reads a list of items with the same length each.
func (r *reader) list(length int, limit uint32) []Hex {
	count := r.compact()
	if r.failed || count > limit || uint64(count)*uint64(length) > uint64(len(r.rest)) {
		r.failed = true
		return []Hex{}
	}
	items := make([]Hex, count)
	for i := range items {
		items[i] = r.take(length)
	}
	return items
}

func (r *reader) byteList(limit uint32) Hex {
	count := r.compact()
	if r.failed || count > limit || uint64(count) > uint64(len(r.rest)) {
		r.failed = true
		return Hex{}
	}
	return r.take(int(count))
}

// decodeAll reads an object that is all of the bytes.
func decodeAll[T any](bytes []byte, read func(*reader) T) (T, error) {
	r := reader{rest: bytes}
	object := read(&r)
	if r.failed || len(r.rest) > 0 {
		var none T
		return none, malformed
	}
	return object, nil
}

func littleEndian32(number uint32) []byte {
	return binary.LittleEndian.AppendUint32(nil, number)
}

func littleEndian64(number uint64) []byte {
	return binary.LittleEndian.AppendUint64(nil, number)
}

func concat(parts ...[]byte) []byte {
	var all []byte
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}
