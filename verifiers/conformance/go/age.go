package conformance

import (
	"encoding/binary"
	"encoding/hex"
)

// timeKey is twox_128("Timestamp") ‖ twox_128("Now").
var timeKey, _ = hex.DecodeString("f0c365c3cf59d671eb72da0e7a4113c49f1f0515f462cdcf84e0f1d6045dfcbb")

// periodKey is twox_128("Duet") ‖ twox_128("TrustingPeriod").
var periodKey, _ = hex.DecodeString("ae5a543b37564ca242e71af4200f32a14adf4fdc3989e54fece7695f453e9454")

// readNumber gives the u64 that a value is, and whether it is one.
func readNumber(value []byte) (uint64, bool) {
	if len(value) != 8 {
		return 0, false
	}
	return binary.LittleEndian.Uint64(value), true
}

// isOver says whether more milliseconds have passed than the period has, which is in seconds.
func isOver(passed, period uint64) bool {
	return passed/1000 > period || passed/1000 == period && passed%1000 > 0
}

// passedSince is LIGHT-9: the milliseconds since a time, which are within all periods, in seconds.
func passedSince(time, now uint64, periods []uint64) (uint64, error) {
	var passed uint64
	if now > time {
		passed = now - time
	}
	for _, period := range periods {
		if isOver(passed, period) {
			return 0, Broken("LIGHT-9")
		}
	}
	return passed, nil
}

// checkAge is LIGHT-9: what the state of a block says of its age, unless it is too old.
func checkAge(in input) (any, error) {
	newest := block{number: in.u32("block_number"), hash: in.bytes("block_hash")}
	head, err := newest.checkHeader(in.bytes("header"))
	if err != nil {
		return nil, err
	}
	values, err := readState(in.byteList("nodes"), head.stateRoot, []Hex{timeKey, periodKey}, "STATE-2")
	if err != nil {
		return nil, err
	}
	time, hasTime := readNumber(values[0])
	stated, hasPeriod := readNumber(values[1])
	if !hasTime || values[1] != nil && !hasPeriod {
		return nil, Broken("LIGHT-9")
	}
	var periods []uint64
	var shownPeriod any
	// 0 in the state is no period.
	if stated > 0 {
		shownPeriod = U64(stated)
		periods = append(periods, stated)
	}
	if in.has("given") {
		periods = append(periods, in.u64("given"))
	}
	passed, err := passedSince(time, in.u64("now"), periods)
	return outputs{"time": U64(time), "trusting_period": shownPeriod, "age": U64(passed / 1000)}, err
}
