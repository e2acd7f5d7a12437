package conformance

import "bytes"

// waiting is a client in front of a reset.
type waiting struct {
	genesisHash Hex
	number      uint32
	hash        Hex
	// sets are the ids of the signing set and of its successor, if there is one.
	sets []uint64
	// time is that of the newest block, nil when it is not proven.
	time    *uint64
	periods []uint64
}

func clientOf(in input) waiting {
	numbers := func(names ...string) []uint64 {
		var found []uint64
		for _, name := range names {
			if in.has(name) {
				found = append(found, in.u64(name))
			}
		}
		return found
	}
	client := waiting{
		genesisHash: in.bytes("genesis_hash"), number: in.u32("block_number"), hash: in.bytes("block_hash"),
		sets: numbers("signing", "next"), periods: numbers("trusting_period"),
	}
	if time := numbers("time"); time != nil {
		client.time = &time[0]
	}
	return client
}

// isAt is RECOVER-7: the statement is about the client's newest block.
func (w waiting) isAt(s recoveryStatement) error {
	if s.BlockNumber != w.number || !bytes.Equal(s.BlockHash, w.hash) {
		return Broken("RECOVER-7")
	}
	return nil
}

// isYoung is LIGHT-9 for the client's newest block.
func (w waiting) isYoung(now uint64) error {
	if w.time == nil {
		return Broken("LIGHT-9")
	}
	_, err := passedSince(*w.time, now, w.periods)
	return err
}

// isMeasuredBy is RECOVER-7: the client's newest block is not more than 60 seconds ahead of its clock.
func (w waiting) isMeasuredBy(now uint64) error {
	if w.time != nil && *w.time > now && *w.time-now > 60_000 {
		return Broken("RECOVER-7")
	}
	return nil
}

// announce is RECOVER-7 for the first proof.
func (w waiting) announce(terms recoveryTerms, proof recoveryProof, now uint64) error {
	s := proof.Statement
	if err := w.isAt(s); err != nil {
		return err
	}
	isTrusted := false
	for _, id := range w.sets {
		isTrusted = isTrusted || s.Ended == id
		if uint64(s.Set.ID) <= id {
			return Broken("RECOVER-7")
		}
	}
	if !isTrusted {
		return Broken("RECOVER-7")
	}
	if _, err := proof.check(w.genesisHash, terms.Set); err != nil {
		return Broken("RECOVER-6")
	}
	if err := w.isYoung(now); err != nil {
		return err
	}
	return w.isMeasuredBy(now)
}

// isContradicted is RECOVER-8: a second valid proof, with another statement about the same block.
func (w waiting) isContradicted(terms recoveryTerms, statement recoveryStatement, other recoveryProof) error {
	if err := w.isAt(other.Statement); err != nil {
		return err
	}
	if _, err := other.check(w.genesisHash, terms.Set); err != nil {
		return Broken("RECOVER-6")
	}
	if !bytes.Equal(other.Statement.encode(), statement.encode()) {
		return Broken("RECOVER-8")
	}
	return nil
}

func outcomeOf(outcome string, number uint32, hash Hex, signing uint64, next []uint64) outputs {
	shown := outputs{
		"outcome": outcome, "block_number": number, "block_hash": hash, "signing": U64(signing), "next": nil,
	}
	if len(next) > 0 {
		shown["next"] = U64(next[0])
	}
	return shown
}

// cross is RECOVER-4, RECOVER-7 and RECOVER-8: it announces a recovery at one time, and tries to cross at another, both
// in milliseconds.
func (w waiting) cross(termsBytes Hex, proof recoveryProof, other *recoveryProof, announced, now uint64) (any, error) {
	terms, err := decodeAll(termsBytes, readRecoveryTerms)
	if err != nil || terms.Delay == 0 || !terms.Set.hasForm() {
		return nil, Broken("RECOVER-4")
	}
	if err := w.announce(terms, proof, announced); err != nil {
		return nil, err
	}
	s := proof.Statement
	if other != nil {
		if err := w.isContradicted(terms, s, *other); err != nil {
			return nil, err
		}
	}
	if err := w.isMeasuredBy(now); err != nil {
		return nil, err
	}
	if now < announced {
		return outcomeOf("restarted", w.number, w.hash, w.sets[0], w.sets[1:]), nil
	}
	if (now-announced)/1000 < terms.Delay {
		return nil, Broken("RECOVER-8")
	}
	if err := w.isYoung(now); err != nil {
		return nil, err
	}
	return outcomeOf("crossed", s.ResetNumber, s.ResetHash, uint64(s.Set.ID), nil), nil
}
