package conformance

import bls "github.com/consensys/gnark-crypto/ecc/bls12-381"

var recoverySuites = suites{recoverySuite, recoveryPossessionSuite}

// The objects of recovery.
type (
	drill struct {
		BlockNumber uint32
		BlockHash   Hex
		Signature   Hex
	}
	recoveryTerms struct {
		Set   keysetCommitment
		Delay uint64
	}
	recoveryStatement struct {
		RecoverySet uint64
		BlockNumber uint32
		BlockHash   Hex
		Ended       uint64
		ResetNumber uint32
		ResetHash   Hex
		Set         keysetCommitment
	}
	recoveryVote struct {
		Statement recoveryStatement
		Signer    uint32
		Pk2       Hex
		Signature Hex
	}
	recoveryProof struct {
		Statement  recoveryStatement
		Signers    Hex
		Signature  Hex
		Apk2       Hex
		NonSigners []Hex
		Multiproof []Hex
	}
	// recoveryAccusation has a vote or a proof.
	recoveryAccusation struct {
		Vote       *recoveryVote
		Proof      *recoveryProof
		Positions  []uint32
		Keys       []Hex
		Membership []Hex
	}
)

func readDrill(r *reader) drill {
	return drill{BlockNumber: r.u32(), BlockHash: r.take(32), Signature: r.take(112)}
}

func readRecoveryTerms(r *reader) recoveryTerms {
	return recoveryTerms{Set: readKeysetCommitment(r), Delay: r.u64()}
}

func readRecoveryStatement(r *reader) recoveryStatement {
	return recoveryStatement{
		RecoverySet: r.u64(), BlockNumber: r.u32(), BlockHash: r.take(32), Ended: r.u64(), ResetNumber: r.u32(),
		ResetHash: r.take(32), Set: readKeysetCommitment(r),
	}
}

func readRecoveryVote(r *reader) recoveryVote {
	return recoveryVote{Statement: readRecoveryStatement(r), Signer: r.u32(), Pk2: r.take(96), Signature: r.take(48)}
}

func readRecoveryProof(r *reader) recoveryProof {
	return recoveryProof{
		Statement: readRecoveryStatement(r), Signers: r.byteList(maxValidators / 8), Signature: r.take(48),
		Apk2: r.take(96), NonSigners: r.list(48, maxNonSigners), Multiproof: readHashes(r).Hashes,
	}
}

// readRecoveryAccusation reads an accusation of RECOVER-9.
func readRecoveryAccusation(r *reader) recoveryAccusation {
	var accusation recoveryAccusation
	switch r.u8() {
	case 0:
		vote := readRecoveryVote(r)
		accusation.Vote = &vote
	case 1:
		proof := readRecoveryProof(r)
		accusation.Proof = &proof
	default:
		r.failed = true
	}
	for _, item := range r.list(52, maxAccused) {
		one := reader{rest: item}
		accusation.Positions = append(accusation.Positions, one.u32())
		accusation.Keys = append(accusation.Keys, one.take(48))
	}
	accusation.Membership = readHashes(r).Hashes
	return accusation
}

func (s recoveryStatement) encode() []byte {
	return concat(
		littleEndian64(s.RecoverySet), littleEndian32(s.BlockNumber), s.BlockHash, littleEndian64(s.Ended),
		littleEndian32(s.ResetNumber), s.ResetHash, s.Set.encode(),
	)
}

// point is H(m). (RECOVER-5)
func (s recoveryStatement) point(genesisHash []byte) bls.G1Affine {
	return hashToG1(recoverySuite, concat([]byte("duet-recovery-v1/statement"), genesisHash, s.encode()))
}

// hasForm is SET-1 for the length and KEY-1 for the total.
func (set keysetCommitment) hasForm() bool {
	_, err := readG1(set.Apk1)
	return set.hasMembers() && err == nil
}

// check is RECOVER-6 for the recovery set, then RECOVER-5: whether the statement is well-formed.
func (s recoveryStatement) check(set keysetCommitment) error {
	if s.RecoverySet != uint64(set.ID) {
		return Broken("RECOVER-6")
	}
	if s.ResetNumber <= s.BlockNumber || uint64(s.Set.ID) <= s.Ended || !s.Set.hasForm() {
		return Broken("RECOVER-5")
	}
	return nil
}

// check is RECOVER-6; it gives how many signed.
func (p recoveryProof) check(genesisHash []byte, set keysetCommitment) (int, error) {
	if err := p.Statement.check(set); err != nil {
		return 0, err
	}
	signers, nonSigners, err := checkSigners(set, p.Signers)
	if err != nil {
		return 0, err
	}
	apk1, err := signersSum(set, nonSigners, p.NonSigners, p.Multiproof)
	if err != nil {
		return 0, err
	}
	one, err := equation(p.Statement.point(genesisHash), p.Signature, p.Apk2, apk1)
	if err != nil {
		return 0, err
	}
	return len(signers), one.verify()
}

// verify is JUST-5 for one signer.
func (v recoveryVote) verify(genesisHash []byte, key bls.G1Affine) error {
	one, err := equation(v.Statement.point(genesisHash), v.Signature, v.Pk2, key)
	if err != nil {
		return err
	}
	return one.verify()
}

// check is RECOVER-5, RECOVER-6 and RECOVER-9 for the signature of one member.
func (v recoveryVote) check(genesisHash []byte, set *keyset) error {
	if err := v.Statement.check(set.commitment); err != nil {
		return err
	}
	if v.Signer >= set.commitment.Len {
		return Broken("RECOVER-9")
	}
	return v.verify(genesisHash, set.points[v.Signer])
}

// statement is what the accused signed.
func (a recoveryAccusation) statement() recoveryStatement {
	if a.Vote != nil {
		return a.Vote.Statement
	}
	return a.Proof.Statement
}

func (a recoveryAccusation) isSigner(position uint32) bool {
	if a.Vote != nil {
		return position == a.Vote.Signer
	}
	return uint64(position/8) < uint64(len(a.Proof.Signers)) && a.Proof.Signers[position/8]>>(position%8)&1 == 1
}

// check is RECOVER-9: all of the accused signed.
func (a recoveryAccusation) check(genesisHash []byte, set keysetCommitment) error {
	if err := a.statement().check(set); err != nil {
		return err
	}
	if len(a.Positions) == 0 {
		return Broken("RECOVER-9")
	}
	for _, position := range a.Positions {
		if !a.isSigner(position) {
			return Broken("RECOVER-9")
		}
	}
	if checkMultiproof(set.Root, set.Len, a.Positions, a.Keys, a.Membership) != nil {
		return Broken("RECOVER-9")
	}
	if a.Proof != nil {
		_, err := a.Proof.check(genesisHash, set)
		return err
	}
	// Positions ascend, so that there is one.
	key, err := readRegistered(a.Keys[0])
	if err != nil {
		return Broken("STATELESS-2")
	}
	return a.Vote.verify(genesisHash, key)
}

// operationsOfRecovery are those of the file of recovery.
var operationsOfRecovery = map[string]func(input) (any, error){
	"recovery_possession": func(in input) (any, error) {
		owner := concat([]byte("drcv"), in.bytes("genesis_hash"), in.bytes("account"))
		return checkPossession(in.bytes("key"), owner, in.bytes("proof"), recoverySuites)
	},
	"drill": func(in input) (any, error) {
		d, err := decodeAll(in.bytes("drill"), readDrill)
		if err != nil {
			return nil, err
		}
		key, err := readG1(in.bytes("key"))
		if err != nil {
			return nil, err
		}
		message := concat(
			[]byte("duet-recovery-v1/drill"), in.bytes("genesis_hash"), in.bytes("account"),
			littleEndian32(d.BlockNumber), d.BlockHash,
		)
		_, err = checkSignature(key, hashToG1(recoverySuite, message), d.Signature)
		return outputs{"block_number": d.BlockNumber, "block_hash": d.BlockHash}, err
	},
	"recovery_vote": func(in input) (any, error) {
		v, err := decodeAll(in.bytes("vote"), readRecoveryVote)
		if err != nil {
			return nil, err
		}
		set, err := in.trustedKeys()
		if err != nil {
			return nil, err
		}
		genesis := in.bytes("genesis_hash")
		return outputs{"signer": v.Signer, "point": Hex(encodeG1(v.Statement.point(genesis)))}, v.check(genesis, set)
	},
	"recovery_proof": func(in input) (any, error) {
		p, err := decodeAll(in.bytes("proof"), readRecoveryProof)
		if err != nil {
			return nil, err
		}
		set, err := in.set()
		if err != nil {
			return nil, err
		}
		genesis := in.bytes("genesis_hash")
		signers, err := p.check(genesis, set)
		return outputs{
			"signers": signers, "non_signers": len(p.NonSigners), "point": Hex(encodeG1(p.Statement.point(genesis))),
		}, err
	},
	"cross": func(in input) (any, error) {
		proof, err := decodeAll(in.bytes("proof"), readRecoveryProof)
		if err != nil {
			return nil, err
		}
		var other *recoveryProof
		if in.has("other") {
			second, err := decodeAll(in.bytes("other"), readRecoveryProof)
			if err != nil {
				return nil, err
			}
			other = &second
		}
		return clientOf(in).cross(in.bytes("terms"), proof, other, in.u64("announced"), in.u64("now"))
	},
	"recovery_accusation": func(in input) (any, error) {
		a, err := decodeAll(in.bytes("accusation"), readRecoveryAccusation)
		if err != nil {
			return nil, err
		}
		set, err := in.set()
		if err != nil {
			return nil, err
		}
		return outputs{"accused": a.Positions}, a.check(in.bytes("genesis_hash"), set)
	},
}
