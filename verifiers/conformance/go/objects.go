package conformance

import (
	"bytes"
	"math"
)

const (
	maxValidators = 100_000
	maxNonSigners = 33_333
	maxMultiproof = 50_000
	maxAccused    = 256
	maxTrieNodes  = 97
	maxTrieBytes  = 65_536
)

// The objects of docs/spec/formats.md, with their fields under the names of the vectors.
type (
	keysetCommitment struct {
		ID   U64    `json:"id"`
		Len  uint32 `json:"len"`
		Root Hex    `json:"root"`
		Apk1 Hex    `json:"apk1"`
	}
	keysets struct {
		Current keysetCommitment `json:"current"`
		Next    keysetCommitment `json:"next"`
	}
	commitment struct {
		BlockNumber uint32           `json:"block_number"`
		BlockHash   Hex              `json:"block_hash"`
		MmrRoot     Hex              `json:"mmr_root"`
		SetID       U64              `json:"validator_set_id"`
		Next        keysetCommitment `json:"next"`
	}
	commitmentPayload struct {
		MmrRoot Hex              `json:"mmr_root"`
		SetID   U64              `json:"validator_set_id"`
		Next    keysetCommitment `json:"next"`
	}
	mmrLeaf struct {
		Version      byte   `json:"version"`
		ParentNumber uint32 `json:"parent_number"`
		ParentHash   Hex    `json:"parent_hash"`
		Extra        Hex    `json:"extra"`
	}
	vote struct {
		Commitment commitment `json:"commitment"`
		Signer     uint32     `json:"signer"`
		Signature  Hex        `json:"signature"`
	}
	justification struct {
		Commitment commitment `json:"commitment"`
		Signers    Hex        `json:"signers"`
		Signature  Hex        `json:"signature"`
		Apk2       Hex        `json:"apk2"`
	}
	hashList struct {
		Hashes []Hex `json:"hashes"`
	}
	keyList struct {
		Keys []Hex `json:"keys"`
	}
	statelessProof struct {
		Justification justification `json:"justification"`
		NonSigners    []Hex         `json:"non_signers"`
		Multiproof    []Hex         `json:"multiproof"`
	}
	handoffProof struct {
		Justification justification `json:"justification"`
		NextKeys      []Hex         `json:"next_keys"`
	}
	startProof struct {
		Header Hex   `json:"header"`
		Nodes  []Hex `json:"nodes"`
		Keys   []Hex `json:"keys"`
	}
	signedCommitment struct {
		Commitment commitment `json:"commitment"`
		Signature  Hex        `json:"signature"`
	}
	evidence struct {
		Signer     uint32           `json:"signer"`
		Key        Hex              `json:"key"`
		Membership []Hex            `json:"membership"`
		First      signedCommitment `json:"first"`
		Second     signedCommitment `json:"second"`
	}
	checkpoint struct {
		GenesisHash Hex    `json:"genesis_hash"`
		BlockNumber uint32 `json:"block_number"`
		BlockHash   Hex    `json:"block_hash"`
		keysets
	}
	gossipMessage struct {
		Vote          *vote          `json:"vote,omitempty"`
		Justification *justification `json:"justification,omitempty"`
	}
	request struct {
		FirstSet U64  `json:"first_set"`
		Count    byte `json:"count"`
	}
	historyRequest struct {
		FirstSetProof bool `json:"first_set_proof,omitempty"`
		*request
	}
	digestItem struct {
		Planned   *keysetCommitment `json:"planned,omitempty"`
		Activated *U64              `json:"activated,omitempty"`
		Reset     *reset            `json:"reset,omitempty"`
		Payload   Hex               `json:"payload,omitempty"`
		Rules     *votingRules      `json:"rules,omitempty"`
		Pardoned  *pardon           `json:"pardoned,omitempty"`
	}
	pardon struct {
		FirstBlock uint32 `json:"first_block"`
		LastBlock  uint32 `json:"last_block"`
		FirstSet   U64    `json:"first_set"`
		LastSet    U64    `json:"last_set"`
	}
	votingRules struct {
		Version  uint16 `json:"version"`
		MinDelta uint32 `json:"min_delta"`
	}
	reset struct {
		Ended U64              `json:"ended"`
		Set   keysetCommitment `json:"set"`
	}
)

func readKeysetCommitment(r *reader) keysetCommitment {
	return keysetCommitment{ID: U64(r.u64()), Len: r.u32(), Root: r.take(32), Apk1: r.take(48)}
}

func readKeysets(r *reader) keysets {
	return keysets{Current: readKeysetCommitment(r), Next: readKeysetCommitment(r)}
}

func readCommitment(r *reader) commitment {
	return commitment{
		BlockNumber: r.u32(), BlockHash: r.take(32), MmrRoot: r.take(32), SetID: U64(r.u64()), Next: readKeysetCommitment(r),
	}
}

func readPayload(r *reader) commitmentPayload {
	return commitmentPayload{MmrRoot: r.take(32), SetID: U64(r.u64()), Next: readKeysetCommitment(r)}
}

func readLeaf(r *reader) mmrLeaf {
	leaf := mmrLeaf{Version: r.u8(), ParentNumber: r.u32(), ParentHash: r.take(32), Extra: r.take(32)}
	r.failed = r.failed || leaf.Version != 0
	return leaf
}

func readVote(r *reader) vote {
	return vote{Commitment: readCommitment(r), Signer: r.u32(), Signature: r.take(112)}
}

func readJustification(r *reader) justification {
	return justification{
		Commitment: readCommitment(r), Signers: r.byteList(maxValidators / 8), Signature: r.take(48), Apk2: r.take(96),
	}
}

func readHashes(r *reader) hashList { return hashList{r.list(32, maxMultiproof)} }

func readKeys(r *reader) keyList { return keyList{r.list(48, maxValidators)} }

func readStateless(r *reader) statelessProof {
	return statelessProof{
		Justification: readJustification(r), NonSigners: r.list(48, maxNonSigners), Multiproof: readHashes(r).Hashes,
	}
}

func readHandoff(r *reader) handoffProof {
	return handoffProof{Justification: readJustification(r), NextKeys: readKeys(r).Keys}
}

func readStartProof(r *reader) startProof {
	header := r.byteList(math.MaxUint32)
	count := r.compact()
	if count > maxTrieNodes {
		r.failed = true
		return startProof{}
	}
	nodes := make([]Hex, count)
	room := uint32(maxTrieBytes)
	for i := range nodes {
		nodes[i] = r.byteList(room)
		room -= uint32(len(nodes[i]))
	}
	return startProof{Header: header, Nodes: nodes, Keys: readKeys(r).Keys}
}

func readSigned(r *reader) signedCommitment {
	return signedCommitment{Commitment: readCommitment(r), Signature: r.take(112)}
}

func readEvidence(r *reader) evidence {
	return evidence{
		Signer: r.u32(), Key: r.take(48), Membership: readHashes(r).Hashes, First: readSigned(r), Second: readSigned(r),
	}
}

func readCheckpoint(r *reader) checkpoint {
	return checkpoint{GenesisHash: r.take(32), BlockNumber: r.u32(), BlockHash: r.take(32), keysets: readKeysets(r)}
}

// readDigestItem reads an announcement of a set. (CHAIN-2, RESET-2)
func readDigestItem(r *reader) digestItem {
	kind, engine := r.u8(), r.take(4)
	log := reader{rest: r.byteList(math.MaxUint32)}
	var item digestItem
	switch log.u8() {
	case 1:
		planned := readKeysetCommitment(&log)
		item.Planned = &planned
	case 2:
		activated := U64(log.u64())
		item.Activated = &activated
	case 3:
		item.Reset = &reset{Ended: U64(log.u64()), Set: readKeysetCommitment(&log)}
	case 4:
		item.Payload = log.take(32)
	case 5:
		item.Rules = &votingRules{Version: log.u16(), MinDelta: log.u32()}
	case 6:
		item.Pardoned = &pardon{
			FirstBlock: log.u32(), LastBlock: log.u32(), FirstSet: U64(log.u64()), LastSet: U64(log.u64()),
		}
	default:
		log.failed = true
	}
	ours := kind == 4 && string(engine) == "DUET"
	r.failed = r.failed || !ours || log.failed || len(log.rest) > 0
	return item
}

// readGossipMessage reads what nodes send to each other about votes and proofs. (GOSSIP-1)
func readGossipMessage(r *reader) gossipMessage {
	switch r.u8() {
	case 0:
		v := readVote(r)
		return gossipMessage{Vote: &v}
	case 1:
		proof := readJustification(r)
		return gossipMessage{Justification: &proof}
	default:
		r.failed = true
		return gossipMessage{}
	}
}

func readRequest(r *reader) request { return request{FirstSet: U64(r.u64()), Count: r.u8()} }

func readHistoryRequest(r *reader) historyRequest {
	switch r.u8() {
	case 0:
		return historyRequest{FirstSetProof: true}
	case 1:
		one := readRequest(r)
		return historyRequest{request: &one}
	default:
		r.failed = true
		return historyRequest{}
	}
}

// limits are the most bytes that are looked at.
var limits = map[string]int{
	"Justification": 13_524, "StatelessProof": 9_600_000, "HandoffProof": 4_813_528, "Keys": 4_800_004, "StartProof": 14_400_000,
}

func decode[T any](name string, input []byte, read func(*reader) T) (T, error) {
	if limit, found := limits[name]; found && len(input) > limit {
		var none T
		return none, malformed
	}
	return decodeAll(input, read)
}

func anyOf[T any](name string, read func(*reader) T) func([]byte) (any, error) {
	return func(input []byte) (any, error) { return decode(name, input, read) }
}

var objects = map[string]func([]byte) (any, error){
	"KeysetCommitment":  anyOf("KeysetCommitment", readKeysetCommitment),
	"Keysets":           anyOf("Keysets", readKeysets),
	"Commitment":        anyOf("Commitment", readCommitment),
	"CommitmentPayload": anyOf("CommitmentPayload", readPayload),
	"MmrLeaf":           anyOf("MmrLeaf", readLeaf),
	"Vote":              anyOf("Vote", readVote),
	"Justification":     anyOf("Justification", readJustification),
	"MerkleProof":       anyOf("MerkleProof", readHashes),
	"Keys":              anyOf("Keys", readKeys),
	"StatelessProof":    anyOf("StatelessProof", readStateless),
	"HandoffProof":      anyOf("HandoffProof", readHandoff),
	"StartProof":        anyOf("StartProof", readStartProof),
	"EquivocationProof": anyOf("EquivocationProof", readEvidence),
	"Checkpoint":        anyOf("Checkpoint", readCheckpoint),
	"DigestItem":        anyOf("DigestItem", readDigestItem),
	"GossipMessage":     anyOf("GossipMessage", readGossipMessage),

	"JustificationsRequest": anyOf("JustificationsRequest", readRequest),
	"HistoryRequest":        anyOf("HistoryRequest", readHistoryRequest),
}

func (set keysetCommitment) encode() []byte {
	return concat(littleEndian64(uint64(set.ID)), littleEndian32(set.Len), set.Root, set.Apk1)
}

func (c commitment) encode() []byte {
	return concat(littleEndian32(c.BlockNumber), c.BlockHash, c.MmrRoot, littleEndian64(uint64(c.SetID)), c.Next.encode())
}

func (set keysetCommitment) equals(other keysetCommitment) bool {
	return bytes.Equal(set.encode(), other.encode())
}

func (c commitment) equals(other commitment) bool { return bytes.Equal(c.encode(), other.encode()) }

func (c commitment) isHandoff() bool { return c.Next.ID != c.SetID }

func (set keysetCommitment) hasMembers() bool { return set.Len >= 1 && set.Len <= maxValidators }
