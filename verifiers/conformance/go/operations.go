package conformance

import (
	"encoding/hex"
	"strings"
)

// input is that of a case, with the data of its file.
type input struct {
	fields map[string]any
	data   map[string]string
}

func (in input) has(name string) bool { return in.fields[name] != nil }

func (in input) at(name string) input { return input{in.fields[name].(map[string]any), in.data} }

func (in input) text(name string) string { return in.fields[name].(string) }

func (in input) u32(name string) uint32 { return uint32(in.fields[name].(float64)) }

func (in input) u64(name string) uint64 {
	var number uint64
	for _, digit := range in.text(name) {
		number = 10*number + uint64(digit-'0')
	}
	return number
}

func (in input) toBytes(value any) Hex {
	text := value.(string)
	if strings.HasPrefix(text, "$") {
		text = in.data[text[1:]]
	}
	decoded, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	if err != nil {
		panic(err)
	}
	return decoded
}

func (in input) bytes(name string) Hex { return in.toBytes(in.fields[name]) }

func (in input) byteList(name string) []Hex {
	list := []Hex{}
	for _, item := range in.fields[name].([]any) {
		list = append(list, in.toBytes(item))
	}
	return list
}

func (in input) u32List(name string) []uint32 {
	var list []uint32
	for _, item := range in.fields[name].([]any) {
		list = append(list, uint32(item.(float64)))
	}
	return list
}

func (in input) steps(name string) []input {
	var steps []input
	for _, item := range in.fields[name].([]any) {
		steps = append(steps, input{item.(map[string]any), in.data})
	}
	return steps
}

func (in input) keys(name string) ([]Hex, error) {
	list, err := decode("Keys", in.bytes(name), readKeys)
	return list.Keys, err
}

func (in input) set() (keysetCommitment, error) {
	return decodeAll(in.bytes("commitment"), readKeysetCommitment)
}

// trustedKeys is the set of a case, which is trusted.
func (in input) trustedKeys() (*keyset, error) {
	set, err := in.set()
	if err != nil {
		return nil, err
	}
	keys, err := in.keys("keys")
	if err != nil {
		return nil, err
	}
	return checkKeys(set, keys)
}

// outputs are what an operation gives, by name.
type outputs map[string]any

// operations are those of verifiers/conformance/README.md that give outputs or break a rule.
var operations = map[string]func(input) (any, error){
	"point": func(in input) (any, error) {
		var err error
		if in.text("group") == "G1" {
			_, err = readG1(in.bytes("bytes"))
		} else {
			_, err = readG2(in.bytes("bytes"))
		}
		return outputs{}, err
	},
	"key": func(in input) (any, error) {
		_, _, err := checkKey(in.bytes("key"))
		return outputs{}, err
	},
	"message_point": func(in input) (any, error) {
		suite := map[string]string{
			"ordinary": ordinarySuite, "possession": possessionSuite,
			"recovery": recoverySuite, "recovery possession": recoveryPossessionSuite,
		}[in.text("suite")]
		return outputs{"point": Hex(encodeG1(hashToG1(suite, in.bytes("message"))))}, nil
	},
	"signed_message": func(in input) (any, error) {
		c, err := decodeAll(in.bytes("commitment"), readCommitment)
		genesis := in.bytes("genesis_hash")
		return outputs{"signed_bytes": signedBytes(genesis, c), "point": Hex(encodeG1(messagePoint(genesis, c)))}, err
	},
	"scalar_hash": func(in input) (any, error) {
		var parts [][]byte
		for _, part := range in.byteList("parts") {
			parts = append(parts, part)
		}
		return outputs{"scalar": scalarBytes(hashToScalar(parts...))}, nil
	},
	"weights": func(in input) (any, error) {
		shown := []map[string]string{}
		for _, weight := range weights(in.byteList("digests")) {
			shown = append(shown, map[string]string{"a": weight.a.String(), "b": weight.b.String()})
		}
		return outputs{"weights": shown}, nil
	},
	"signing": func(in input) (any, error) {
		c, err := decodeAll(in.bytes("commitment"), readCommitment)
		return sign(in.bytes("seed"), in.bytes("genesis_hash"), c), err
	},
	"possession": func(in input) (any, error) {
		return checkPossession(in.bytes("key"), in.bytes("owner"), in.bytes("proof"), votingSuites)
	},
	"threshold": func(in input) (any, error) { return outputs{"signers": threshold(in.u32("members"))}, nil },
	"keyset": func(in input) (any, error) {
		set, err := in.trustedKeys()
		if err != nil {
			return nil, err
		}
		return outputs{"threshold": threshold(set.commitment.Len)}, nil
	},
	"commit_to_keys": func(in input) (any, error) {
		keys, err := in.keys("keys")
		if err != nil {
			return nil, err
		}
		set, err := commitToKeys(in.u64("id"), keys)
		return outputs{"commitment": Hex(set.encode())}, err
	},
	"prove_members": func(in input) (any, error) {
		keys, err := in.keys("keys")
		hashes := proveMembers(keys, in.u32List("positions"))
		encoded := compact(len(hashes))
		for _, hash := range hashes {
			encoded = append(encoded, hash...)
		}
		return outputs{"proof": Hex(encoded)}, err
	},
	"multiproof": func(in input) (any, error) {
		keys, err := in.keys("keys")
		if err != nil {
			return nil, err
		}
		proof, err := decode("MerkleProof", in.bytes("proof"), readHashes)
		if err != nil {
			return nil, err
		}
		return outputs{}, checkMultiproof(in.bytes("root"), in.u32("len"), in.u32List("positions"), keys, proof.Hashes)
	},
	"vote": func(in input) (any, error) {
		set, err := in.trustedKeys()
		if err != nil {
			return nil, err
		}
		v, err := decodeAll(in.bytes("vote"), readVote)
		if err != nil {
			return nil, err
		}
		hash, err := checkVote(in.bytes("genesis_hash"), set, v)
		return outputs{"signer": v.Signer, "point": Hex(encodeG1(hash))}, err
	},
	"evidence": func(in input) (any, error) {
		found, err := decodeAll(in.bytes("evidence"), readEvidence)
		if err != nil {
			return nil, err
		}
		set, err := in.set()
		if err != nil {
			return nil, err
		}
		shown := outputs{"signer": found.Signer, "key": found.Key, "block_number": found.First.Commitment.BlockNumber}
		return shown, checkEvidence(in.bytes("genesis_hash"), set, found)
	},
	"justification":   checkJustification,
	"stateless_proof": checkStateless,
	"object":          func(in input) (any, error) { return fieldsOf(in) },
	"read":            func(in input) (any, error) { return read(in) },
	"age":             checkAge,
}

func fieldsOf(in input) (any, error) {
	fields, err := objects[in.text("type")](in.bytes("bytes"))
	return outputs{"fields": fields}, err
}

// compact is a number below 2³⁰ in as few bytes as it needs.
func compact(number int) []byte {
	switch {
	case number < 1<<6:
		return []byte{byte(number * 4)}
	case number < 1<<14:
		return []byte{byte(number*4 + 1), byte(number >> 6)}
	default:
		return littleEndian32(uint32(number)*4 + 2)
	}
}

func checkJustification(in input) (any, error) {
	proof, err := decode("Justification", in.bytes("justification"), readJustification)
	if err != nil {
		return nil, err
	}
	set, err := in.trustedKeys()
	if err != nil {
		return nil, err
	}
	one, err := prepare(in.bytes("genesis_hash"), set, proof)
	if err != nil {
		return nil, err
	}
	return outputs{
		"signers": len(one.signers), "point": one.point, "apk1": one.apk1, "digest": one.digest, "t": one.t.String(),
	}, one.verify()
}

func checkStateless(in input) (any, error) {
	proof, err := decode("StatelessProof", in.bytes("proof"), readStateless)
	if err != nil {
		return nil, err
	}
	set, err := in.set()
	if err != nil {
		return nil, err
	}
	one, err := prepareStateless(in.bytes("genesis_hash"), set, proof)
	if err != nil {
		return nil, err
	}
	return outputs{"signers": len(one.signers), "non_signers": len(one.nonSigners)}, one.verify()
}
