package conformance

import (
	"bytes"
	"encoding/hex"
)

// keysetsKey is twox_128("Duet") ‖ twox_128("Keysets").
var keysetsKey, _ = hex.DecodeString("ae5a543b37564ca242e71af4200f32a19dcb75a6220d974dec966d1500eff350")

// endedKey is twox_128("Duet") ‖ twox_128("Ended").
var endedKey, _ = hex.DecodeString("ae5a543b37564ca242e71af4200f32a188bc74ebbbfe468237fcb5eaf26af21c")

// trustedSet is a set that is trusted, with its keys where they are known.
type trustedSet struct {
	commitment keysetCommitment
	keys       *keyset
}

// trusted is the state of a light client. It is never changed: a proof leads to another one.
type trusted struct {
	genesisHash Hex
	keepsKeys   bool
	number      uint32
	hash        Hex
	// What the proof of the newest block signs; nil at a start.
	proof   *commitment
	signing trustedSet
	next    *trustedSet
}

// follows is LIGHT-5: a set is followed by itself, or by the one with the next id.
func follows(current, next keysetCommitment) bool {
	return next.equals(current) || current.ID+1 == next.ID && next.ID != 0 && next.hasMembers()
}

func begin(genesisHash Hex, keepsKeys bool, number uint32, hash Hex, sets keysets) *trusted {
	t := &trusted{
		genesisHash: genesisHash, keepsKeys: keepsKeys, number: number, hash: hash, signing: trustedSet{commitment: sets.Current},
	}
	if !sets.Next.equals(sets.Current) {
		t.next = &trustedSet{commitment: sets.Next}
	}
	return t
}

// canStart is the second half of LIGHT-1: the trusted block is the genesis, or a later one.
func canStart(head header, isGenesis bool) bool {
	if isGenesis {
		return head.number == 0 && bytes.Equal(head.parentHash, make([]byte, 32))
	}
	return head.number > 0
}

// setsIn is LIGHT-2: the sets in the state of the start block, none of which was ended; at the genesis none can be.
func setsIn(nodes []Hex, head header) (keysets, error) {
	keys := []Hex{keysetsKey}
	if head.number > 0 {
		keys = append(keys, endedKey)
	}
	values, err := readState(nodes, head.stateRoot, keys, "LIGHT-2")
	if err != nil {
		return keysets{}, err
	}
	if head.number > 0 && values[1] != nil && !bytes.Equal(values[1], []byte{0}) {
		return keysets{}, Broken("LIGHT-2")
	}
	sets, err := decodeAll(values[0], readKeysets)
	if err != nil {
		return keysets{}, Broken("LIGHT-2")
	}
	return sets, nil
}

// fromStart is LIGHT-1 to LIGHT-3.
func fromStart(genesisHash, startHash, encoded []byte, keepsKeys bool) (*trusted, error) {
	proof, err := decode("StartProof", encoded, readStartProof)
	if err != nil {
		return nil, err
	}
	head, isHeader := readHeader(proof.Header)
	if !bytes.Equal(blake2(proof.Header), startHash) || !isHeader || !canStart(head, bytes.Equal(startHash, genesisHash)) {
		return nil, Broken("LIGHT-1")
	}
	sets, err := setsIn(proof.Nodes, head)
	if err != nil {
		return nil, err
	}
	keys, err := checkKeys(sets.Current, proof.Keys)
	if err != nil {
		return nil, Broken("LIGHT-3")
	}
	if !follows(sets.Current, sets.Next) {
		return nil, Broken("LIGHT-2")
	}
	t := begin(genesisHash, keepsKeys, head.number, startHash, sets)
	if keepsKeys {
		t.signing.keys = keys
	}
	return t, nil
}

func fromCheckpoint(encoded []byte, keepsKeys bool) (*trusted, error) {
	point, err := decodeAll(encoded, readCheckpoint)
	if err != nil {
		return nil, err
	}
	for _, set := range []keysetCommitment{point.Current, point.Next} {
		if !set.hasMembers() {
			return nil, Broken("SET-1")
		}
		if _, err := readG1(set.Apk1); err != nil {
			return nil, Broken("KEY-1")
		}
	}
	if !follows(point.Current, point.Next) {
		return nil, Broken("LIGHT-5")
	}
	return begin(point.GenesisHash, keepsKeys, point.BlockNumber, point.BlockHash, point.keysets), nil
}

func (t *trusted) sets() []trustedSet {
	if t.next == nil {
		return []trustedSet{t.signing}
	}
	return []trustedSet{t.signing, *t.next}
}

func (t *trusted) set(id U64) *trustedSet {
	for _, set := range t.sets() {
		if set.commitment.ID == id {
			return &set
		}
	}
	return nil
}

// withKeys adds the keys of a trusted set. (LIGHT-3)
func (t *trusted) withKeys(id U64, keys []Hex) (*trusted, error) {
	set := t.set(id)
	if set == nil || !t.keepsKeys {
		return nil, Broken("LIGHT-3")
	}
	known, err := checkKeys(set.commitment, keys)
	if err != nil {
		return nil, Broken("LIGHT-3")
	}
	after := *t
	if id == t.signing.commitment.ID {
		after.signing.keys = known
	} else {
		after.next = &trustedSet{set.commitment, known}
	}
	return &after, nil
}

// update is a proof in one of its forms.
type update struct {
	justification justification
	// The keys of the next set, in a handoff proof.
	handoff *handoffProof
	// What a proof for clients without keys has besides.
	stateless *statelessProof
}

func readUpdate(form string, encoded []byte) (update, error) {
	switch form {
	case "handoff":
		proof, err := decode("HandoffProof", encoded, readHandoff)
		return update{justification: proof.Justification, handoff: &proof}, err
	case "stateless":
		proof, err := decode("StatelessProof", encoded, readStateless)
		return update{justification: proof.Justification, stateless: &proof}, err
	default:
		proof, err := decode("Justification", encoded, readJustification)
		return update{justification: proof}, err
	}
}

func (t *trusted) wellFormed(set *trustedSet, u update) (*prepared, error) {
	if u.stateless != nil {
		proof := *u.stateless
		proof.Justification = u.justification
		return prepareStateless(t.genesisHash, set.commitment, proof)
	}
	if set.keys == nil {
		return nil, Broken("LIGHT-3")
	}
	return prepare(t.genesisHash, set.keys, u.justification)
}

func (t *trusted) beforeEquation(u update) (*trustedSet, *prepared, error) {
	signed := u.justification.Commitment
	if signed.BlockNumber < t.number {
		return nil, nil, Broken("LIGHT-4")
	}
	if signed.SetID < t.signing.commitment.ID {
		return nil, nil, Broken("LIGHT-5")
	}
	set := t.set(signed.SetID)
	if set == nil {
		return nil, nil, Broken("LIGHT-6")
	}
	one, err := t.wellFormed(set, u)
	return set, one, err
}

// conflict is the rule that two signed commitments break together; nil when there is none.
func conflict(earlier, later commitment) error {
	if earlier.equals(later) {
		return nil
	}
	if earlier.BlockNumber == later.BlockNumber {
		return Broken("LIGHT-4")
	}
	if earlier.BlockNumber > later.BlockNumber {
		earlier, later = later, earlier
	}
	behind := earlier.SetID > later.SetID
	other := earlier.SetID == later.SetID && earlier.isHandoff() && !earlier.Next.equals(later.Next)
	if behind || other {
		return Broken("LIGHT-5")
	}
	return nil
}

// contradiction compares with the proof of the newest block, or with the start.
func (t *trusted) contradiction(signed commitment) error {
	if t.proof != nil {
		return conflict(*t.proof, signed)
	}
	if signed.BlockNumber == t.number && !bytes.Equal(signed.BlockHash, t.hash) {
		return Broken("LIGHT-4")
	}
	if t.next != nil && signed.SetID == t.signing.commitment.ID && !signed.Next.equals(t.next.commitment) {
		return Broken("LIGHT-5")
	}
	return nil
}

// successor is the set that follows, with its keys where they are known.
func (t *trusted) successor(u update) (*trustedSet, error) {
	signed := u.justification.Commitment
	if u.handoff == nil {
		if !signed.isHandoff() {
			return nil, nil
		}
		if known := t.set(signed.Next.ID); known != nil && known.commitment.equals(signed.Next) {
			return known, nil
		}
		return &trustedSet{commitment: signed.Next}, nil
	}
	if !signed.isHandoff() {
		return nil, Broken("LIGHT-5")
	}
	keys, err := checkKeys(signed.Next, u.handoff.NextKeys)
	if err != nil {
		return nil, Broken("LIGHT-3")
	}
	if !t.keepsKeys {
		keys = nil
	}
	return &trustedSet{signed.Next, keys}, nil
}

// afterEquation is what the validators signed, and the state that it leads to: nil when the block is known.
func (t *trusted) afterEquation(set *trustedSet, u update) (*trusted, error) {
	signed := u.justification.Commitment
	if !follows(set.commitment, signed.Next) {
		return nil, Broken("LIGHT-5")
	}
	if err := t.contradiction(signed); err != nil {
		return nil, err
	}
	next, err := t.successor(u)
	if err != nil || signed.BlockNumber == t.number {
		return nil, err
	}
	after := *t
	after.number, after.hash, after.proof = signed.BlockNumber, signed.BlockHash, &signed
	after.signing, after.next = *set, next
	return &after, nil
}

// idIsChanged is LIGHT-7: the proof holds for a trusted set that it does not name.
func (t *trusted) idIsChanged(u update) bool {
	for _, set := range t.sets() {
		renamed := u
		renamed.justification.Commitment.SetID = set.commitment.ID
		one, err := t.wellFormed(&set, renamed)
		if err == nil && one.verify() == nil {
			return true
		}
	}
	return false
}

// verify gives the state after a proof, nil when its block is known.
func (t *trusted) verify(u update) (*trusted, error) {
	set, one, err := t.beforeEquation(u)
	if err == Broken("LIGHT-6") && t.idIsChanged(u) {
		return nil, Broken("LIGHT-7")
	}
	if err != nil {
		return nil, err
	}
	if err := one.verify(); err != nil {
		return nil, err
	}
	return t.afterEquation(set, u)
}

// verifyTogether gives the states after the first proofs that hold, by one equation. (JUST-6)
func (t *trusted) verifyTogether(updates []update) []*trusted {
	var states []*trusted
	var all []*prepared
	before := t
	for _, u := range updates {
		set, one, err := before.beforeEquation(u)
		if err != nil {
			break
		}
		after, err := before.afterEquation(set, u)
		if err != nil || after == nil {
			break
		}
		states, all, before = append(states, after), append(all, one), after
	}
	if !allHold(all) {
		for i, one := range all {
			if one.verify() != nil {
				return states[:i]
			}
		}
	}
	return states
}

func (t *trusted) newest() block {
	b := block{number: t.number, hash: t.hash}
	if t.proof != nil {
		b.history = t.proof.MmrRoot
	}
	return b
}
