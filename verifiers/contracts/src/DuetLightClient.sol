// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {FinalityProof} from "./FinalityProof.sol";

/// @title A light client of a chain that Duet finalizes.
/// @notice Anybody may bring proofs. Nobody can change, stop or upgrade it. Two valid proofs that contradict each other
/// freeze it for good. So does sleep: once no newer block came for longer than the trusting period, it takes no proof any more
/// (LIGHT-9). It crosses no reset (LIGHT-8).
/// @dev Sets and blocks are kept as hashes: of a set 92 signed bytes and y of its total, of a block its number, hash and MMR
/// root. Whoever needs them brings them; the events have them.
contract DuetLightClient {
    /// A newer block is final.
    event BlockVerified(uint32 indexed number, bytes32 blockHash, bytes32 mmrRoot, uint64 indexed set);
    /// A set named its successor: 92 signed bytes and y of its total.
    event SetAnnounced(uint64 indexed id, bytes set);
    /// A set signs for the first time.
    event SetChanged(uint64 indexed id);
    /// Two proofs contradict each other. This client accepts nothing any more.
    event Frozen(bytes32 first, bytes32 second);

    /// The block is older than the newest one.
    error Rule_LIGHT_4(uint32 best, uint32 got);
    /// The set has been replaced.
    error Rule_LIGHT_5_OldSet(uint64 signing, uint64 got);
    /// What is named as the next set cannot be it.
    error Rule_LIGHT_5_Successor();
    /// The set is beyond the trusted ones: handoffs are missing.
    error Rule_LIGHT_6(uint64 latest, uint64 got);
    /// The set that came along is not the trusted one of this id.
    error Rule_LIGHT_3();
    /// The newest block came too long ago: its signers may have their stake back. Another client has to be deployed, at a
    /// younger checkpoint.
    error Rule_LIGHT_9(uint256 newest, uint256 trustingPeriod);
    /// The client is frozen.
    error IsFrozen();
    /// The equation does not hold for the proof at this place; those before it are valid. (JUST-5)
    error Rule_JUST_5_At(uint256 place);
    /// The two proofs do not contradict each other.
    error NoContradiction();
    /// The chain lacks the precompiles of EIP-2537.
    error NoPrecompiles();
    /// The checkpoint cannot be one. (SET-1, LIGHT-5)
    error BadCheckpoint();
    /// Nothing would ever be trusted. (LIGHT-9)
    error BadTrustingPeriod();

    /// @notice How many blocks are remembered.
    uint256 public constant KEPT = 8;
    uint32 internal constant MAX_VALIDATORS = 100_000;

    /// @notice How many sets before the signing one are remembered, so that their contradictions are evidence.
    uint256 public constant KEPT_SETS = 4;

    /// @notice Which chain.
    bytes32 public immutable genesisHash;
    /// @notice For how many seconds after its newest block the client goes on: less than the chain's validators wait for
    /// their stake. (LIGHT-9)
    uint256 public immutable trustingPeriod;

    struct State {
        uint32 number;
        uint64 signing;
        bool hasNext;
        bool isFrozen;
        /// The best block is a checkpoint: of its payload nothing is known.
        bool isCheckpoint;
        /// How many blocks were remembered.
        uint32 count;
        /// When the newest block came, in seconds.
        uint40 taken;
    }

    State internal state;
    /// Hash of the set that signs, and of its successor.
    bytes32 internal signingSet;
    bytes32 internal nextSet;
    bytes32[KEPT] internal blocks;
    /// Hashes of the sets before the signing one, each at its id modulo `KEPT_SETS`.
    bytes32[KEPT_SETS] private replaced;
    /// When each of them was replaced: 64 bits for each.
    uint256 private replacedAt;
    /// Hash of the last pair (apk1, apk2) for which the equation held. That does not depend on the set. (JUST-9)
    bytes32 private pair;

    struct Checkpoint {
        bytes32 genesisHash;
        uint32 blockNumber;
        bytes32 blockHash;
        /// 92 bytes of the set's commitment, then 48 bytes y of its total.
        bytes current;
        /// The same of its successor; empty when none is named.
        bytes next;
    }

    /// @notice Begins at a checkpoint, which is trusted without proof: whoever uses the client has to check it.
    /// @param checkpoint The newest block that is trusted, and the sets from there on. It has to be young: the trusting period
    /// begins with the deployment.
    /// @param period The trusting period, in seconds.
    constructor(Checkpoint memory checkpoint, uint256 period) {
        if (!FinalityProof.precompilesWork()) revert NoPrecompiles();
        if (period == 0) revert BadTrustingPeriod();
        genesisHash = checkpoint.genesisHash;
        trustingPeriod = period;
        // A slot that was written before costs less: from the first block on each costs the same.
        nextSet = bytes32(uint256(1));
        for (uint256 i; i < KEPT; ++i) blocks[i] = bytes32(uint256(1));
        for (uint256 i; i < KEPT_SETS; ++i) replaced[i] = bytes32(uint256(1));
        replacedAt = 1;
        pair = bytes32(uint256(1));
        _begin(checkpoint);
    }

    /// @notice What the client knows.
    /// @return number The newest final block.
    /// @return signing The set that signs.
    /// @return hasNext Whether its successor is known.
    /// @return isFrozen Whether two proofs contradicted each other, so that it takes none any more.
    /// @return trustedUntil Until when it takes proofs if no newer block comes, in seconds. (LIGHT-9)
    function status()
        external
        view
        returns (uint32 number, uint64 signing, bool hasNext, bool isFrozen, uint256 trustedUntil)
    {
        State memory s = state;
        return (s.number, s.signing, s.hasNext, s.isFrozen, s.taken + trustingPeriod);
    }

    /// @notice The sets that are trusted, as hashes: Keccak-256 of 92 signed bytes and y of the total.
    /// @return signing The set that signs.
    /// @return next Its successor; zero while none is known.
    function sets() external view returns (bytes32 signing, bytes32 next) {
        return (signingSet, state.hasNext ? nextSet : bytes32(0));
    }

    /// @notice Whether a block with this MMR root was proven and is one of the last `KEPT`.
    /// A frozen client says no, because it cannot tell which of the blocks before are on the chain that lasts.
    /// @param number The block's number.
    /// @param blockHash Its hash.
    /// @param mmrRoot The root of the range that ends at its parent.
    /// @return Whether the client vouches for it.
    function isVerified(uint32 number, bytes32 blockHash, bytes32 mmrRoot) public view returns (bool) {
        State memory s = state;
        return !s.isFrozen && _isKept(s, _block(number, blockHash, mmrRoot));
    }

    /// @notice Takes a proof of a newer block, or of the newest one, when it says the same or contradicts. What says all that is
    /// known of the newest block, or names an older one of the last `KEPT`, is not verified, because nothing changes: whoever
    /// comes second pays little. So success shows nothing; `isVerified` does.
    /// Rules: LIGHT-9, LIGHT-4, LIGHT-5, LIGHT-6, JUST-2 to JUST-5, STATELESS-1, -2, LIGHT-5, SET-3, contradictions. (JUST-1 is the
    /// choice of the set.)
    /// @param proof See `FinalityProof`.
    function submit(bytes calldata proof) external {
        if (_offset(proof) != 68 || msg.data.length != 68 + ((proof.length + 31) & ~uint256(31))) revert FinalityProof.Rule_ENC_6();
        State memory s = state;
        _checkAwake(s);
        uint256 place = _offset(proof);
        uint32 number = uint32(FinalityProof.u32(place));
        bytes32 wanted = _block(number, _word(place + 4), _word(place + 36));
        if (number < s.number) {
            if (proof.length >= 596 && _isKept(s, wanted)) return;
            revert Rule_LIGHT_4(s.number, number);
        }
        if (number == s.number && _repeats(s, proof, wanted)) return;
        bytes32 known = pair;
        (uint64 id, uint64 next, bytes32 shown) = _check(s, proof, s.signing, known);
        if (_contradicts(s, proof, number, id, next, wanted)) {
            state.isFrozen = true;
            emit Frozen(blocks[(s.count - 1) % KEPT], _hash(place, 168));
            return;
        }
        if (number == s.number) return;
        if (shown != known) pair = shown;
        if (id != s.signing) {
            _keep(s.signing, signingSet);
            signingSet = nextSet;
            s.signing = id;
            s.hasNext = false;
            emit SetChanged(id);
        }
        if (next != id && !s.hasNext) {
            nextSet = _announce(proof);
            s.hasNext = true;
        }
        s.number = number;
        _store(s, proof);
    }

    /// @notice Takes consecutive handoffs, for a client that is behind: each proof names the set that signs the next one. All are
    /// taken or none, and only the block of the last one is remembered. Each of many costs two thirds of what `submit` costs, and
    /// a third when the same validators have signed them. A proof that contradicts what is known is refused: it is for `submit`.
    /// Rules: those of `submit`, with JUST-10. An error that names no place is found by leaving out the last proofs.
    /// @param proofs See `FinalityProof`.
    function submitMany(bytes[] calldata proofs) external {
        State memory s = state;
        _checkAwake(s);
        uint256 n = proofs.length;
        if (n == 0) revert FinalityProof.Rule_ENC_6();
        uint256 batch = FinalityProof.newBatch(n);
        bytes32 signing = signingSet;
        bytes32 named = nextSet;
        bytes32 shown;
        for (uint256 i; i < n; ++i) {
            bytes calldata proof = proofs[i];
            uint32 number = uint32(FinalityProof.u32(_offset(proof)));
            if (number <= s.number) revert Rule_LIGHT_4(s.number, number);
            (uint64 id, uint64 next) = _ids(s, proof);
            if (id < s.signing || (i != 0 && id == s.signing)) revert Rule_LIGHT_5_OldSet(s.signing, id);
            bytes32 wanted = id == s.signing ? signing : named;
            if (_hash(_offset(proof) + 168, 140) != wanted) revert Rule_LIGHT_3();
            shown = FinalityProof.addToBatch(batch, FinalityProof.read(proof, genesisHash));
            if (next == id) revert Rule_LIGHT_5_Successor();
            _checkNext(proof, id, next);
            bytes32 successor = keccak256(_named(proof));
            if (id != s.signing) {
                if (n - i <= KEPT_SETS) _keep(s.signing, signing);
            } else if (s.hasNext && successor != named) {
                revert Rule_LIGHT_5_Successor();
            }
            (signing, named) = (wanted, successor);
            (s.number, s.signing, s.hasNext) = (number, id, true);
        }
        if (!FinalityProof.batchHolds(batch)) {
            uint256 culprit;
            while (FinalityProof.equationHolds(FinalityProof.read(proofs[culprit], genesisHash))) ++culprit;
            revert Rule_JUST_5_At(culprit);
        }
        pair = shown;
        signingSet = signing;
        nextSet = named;
        emit SetChanged(s.signing);
        _announce(proofs[n - 1]);
        _store(s, proofs[n - 1]);
    }

    /// @notice Freezes the client when both proofs hold, by sets that it trusts, and contradict each other. They may be of
    /// older blocks, and of the last `KEPT_SETS` sets before the signing one that were replaced within the trusting period.
    /// @param first A proof; see `FinalityProof`.
    /// @param second Another one.
    function reportMisbehaviour(bytes calldata first, bytes calldata second) external {
        State memory s = state;
        _checkAwake(s);
        uint64 oldest = s.signing > KEPT_SETS ? s.signing - uint64(KEPT_SETS) : 0;
        bytes32 known = pair;
        (uint64 one, uint64 oneNext,) = _check(s, first, oldest, known);
        (uint64 other, uint64 otherNext,) = _check(s, second, oldest, known);
        uint256 a = FinalityProof.u32(_offset(first));
        uint256 b = FinalityProof.u32(_offset(second));
        bytes32 firstHash = _hash(_offset(first), 168);
        bytes32 secondHash = _hash(_offset(second), 168);
        bool contradiction;
        if (a == b) {
            contradiction = firstHash != secondHash;
        } else {
            if (a > b) (one, oneNext, other, otherNext) = (other, otherNext, one, oneNext);
            contradiction = one > other
                || (one == other && oneNext != one
                    && _hash(_offset(first) + 76, 92) != _hash(_offset(second) + 76, 92));
        }
        if (!contradiction) revert NoContradiction();
        state.isFrozen = true;
        emit Frozen(firstHash, secondHash);
    }

    /// @dev Whether the client takes proofs. (LIGHT-9)
    function _checkAwake(State memory s) internal view {
        if (s.isFrozen) revert IsFrozen();
        // A chain's time does not run backwards; if it did, the difference would be long.
        unchecked {
            if (block.timestamp - s.taken > trustingPeriod) revert Rule_LIGHT_9(s.taken, trustingPeriod);
        }
    }

    /// @dev Remembers a signing set, which is replaced now.
    function _keep(uint64 id, bytes32 set) internal {
        uint256 slot = id % KEPT_SETS;
        uint256 shift = 64 * slot;
        replaced[slot] = set;
        // In a loop at most `KEPT_SETS` times.
        // slither-disable-next-line costly-loop
        replacedAt = (replacedAt & ~(uint256(type(uint64).max) << shift)) | (block.timestamp << shift);
    }

    /// @dev The hash of a set before the signing one that is remembered; zero when it was replaced too long ago.
    function _replaced(uint64 id) private view returns (bytes32) {
        uint256 slot = id % KEPT_SETS;
        uint256 since = uint64(replacedAt >> (64 * slot));
        return block.timestamp - since > trustingPeriod ? bytes32(0) : replaced[slot];
    }

    /// @dev All rules on one proof that do not compare it with other blocks. Evidence may be of a set that was replaced: of
    /// `oldest`, or a later one.
    function _check(State memory s, bytes calldata proof, uint64 oldest, bytes32 known)
        private
        view
        returns (uint64 id, uint64 next, bytes32 shown)
    {
        (id, next) = _ids(s, proof);
        bytes32 wanted = id == s.signing ? signingSet : nextSet;
        if (id < s.signing) {
            wanted = id < oldest ? bytes32(0) : _replaced(id);
            if (wanted == 0) revert Rule_LIGHT_5_OldSet(s.signing, id);
        }
        uint256 place = _offset(proof);
        if (_hash(place + 168, 140) != wanted) revert Rule_LIGHT_3();
        shown = FinalityProof.verify(proof, genesisHash, known);
        if (next != id) _checkNext(proof, id, next);
        else if (!_namesItself(place)) revert Rule_LIGHT_5_Successor();
    }

    /// @dev The set that signs and the one that is named next. The first is none beyond the trusted ones.
    function _ids(State memory s, bytes calldata proof) private pure returns (uint64 id, uint64 next) {
        if (proof.length < 596) revert FinalityProof.Rule_ENC_6();
        uint256 place = _offset(proof);
        id = uint64(FinalityProof.u64(place + 68));
        next = uint64(FinalityProof.u64(place + 76));
        uint64 latest = s.hasNext ? s.signing + 1 : s.signing;
        if (id > latest) revert Rule_LIGHT_6(latest, id);
    }

    /// @dev Whether the set that a handoff names can be the next one.
    function _checkNext(bytes calldata proof, uint64 id, uint64 next) private pure {
        uint256 len = FinalityProof.u32(_offset(proof) + 84);
        unchecked {
            if (next != id + 1 || next == 0 || len == 0 || len > MAX_VALIDATORS) revert Rule_LIGHT_5_Successor();
        }
    }

    /// @dev Whether a block is one of the last `KEPT`. The newest comes first: each of the others costs a slot more.
    function _isKept(State memory s, bytes32 wanted) private view returns (bool) {
        for (uint256 i = 1; i <= KEPT; ++i) {
            if (blocks[(s.count + KEPT - i) % KEPT] == wanted) return true;
        }
        return false;
    }

    /// @dev Whether a proof, valid or not, says of the newest block what is known of it, and nothing else.
    function _repeats(State memory s, bytes calldata proof, bytes32 wanted) private view returns (bool) {
        if (s.isCheckpoint || proof.length < 596 || wanted != blocks[(s.count - 1) % KEPT]) return false;
        uint256 place = _offset(proof);
        if (FinalityProof.u64(place + 68) != s.signing || _hash(place + 168, 140) != signingSet) return false;
        if (_namesItself(place)) return !s.hasNext;
        return s.hasNext && proof.length >= 644 && keccak256(_successor(proof)) == nextSet;
    }

    /// @dev Whether a valid proof contradicts the newest block or what its set said about its successor.
    function _contradicts(State memory s, bytes calldata proof, uint32 number, uint64 id, uint64 next, bytes32 wanted)
        private
        view
        returns (bool)
    {
        if (number == s.number) {
            bytes32 kept = blocks[(s.count - 1) % KEPT];
            if (s.isCheckpoint) {
                if (_word(_offset(proof) + 4) != kept) return true;
            } else if (wanted != kept || id != s.signing || (next != id) != s.hasNext) {
                return true;
            }
        }
        if (id != s.signing || !s.hasNext) return false;
        if (next == id) return true;
        return keccak256(_named(proof)) != nextSet;
    }

    /// @dev Remembers the block of a valid proof, and when it came.
    function _store(State memory s, bytes calldata proof) private {
        uint256 place = _offset(proof);
        (bytes32 blockHash, bytes32 mmrRoot) = (_word(place + 4), _word(place + 36));
        s.taken = uint40(block.timestamp);
        s.isCheckpoint = false;
        blocks[s.count % KEPT] = _block(s.number, blockHash, mmrRoot);
        s.count += 1;
        state = s;
        emit BlockVerified(s.number, blockHash, mmrRoot, s.signing);
    }

    /// @dev Announces the successor that a handoff names, and hashes it.
    function _announce(bytes calldata proof) private returns (bytes32) {
        bytes memory set = _named(proof);
        emit SetAnnounced(uint64(FinalityProof.u64(_offset(proof) + 76)), set);
        return keccak256(set);
    }

    /// @dev The successor that a proof names: 92 signed bytes and y. y that is wrong is the sender's lie, not a contradiction.
    function _named(bytes calldata proof) private view returns (bytes memory set) {
        set = _successor(proof);
        _checkTotal(set);
    }

    /// @dev The same of a proof of 644 bytes or more, whose y may be wrong.
    function _successor(bytes calldata proof) private pure returns (bytes memory set) {
        assembly ("memory-safe") {
            set := mload(0x40)
            mstore(0x40, add(set, 192))
            mstore(set, 140)
            calldatacopy(add(set, 32), add(proof.offset, 76), 92)
            calldatacopy(add(set, 124), add(proof.offset, 596), 48)
        }
    }

    /// @dev Whether a proof names the set that signs as the next one, too.
    function _namesItself(uint256 place) private pure returns (bool) {
        return _hash(place + 76, 92) == _hash(place + 168, 92);
    }

    function _begin(Checkpoint memory checkpoint) internal {
        (uint64 id, bytes32 hash) = _trusted(checkpoint.current);
        signingSet = hash;
        bool hasNext = checkpoint.next.length != 0;
        if (hasNext) {
            uint64 next;
            (next, hash) = _trusted(checkpoint.next);
            if (id == type(uint64).max || next != id + 1) revert BadCheckpoint();
            nextSet = hash;
            emit SetAnnounced(next, checkpoint.next);
        }
        State memory s = state;
        s.number = checkpoint.blockNumber;
        s.signing = id;
        s.hasNext = hasNext;
        s.isCheckpoint = true;
        s.taken = uint40(block.timestamp);
        blocks[s.count % KEPT] = checkpoint.blockHash;
        s.count += 1;
        state = s;
        emit SetAnnounced(id, checkpoint.current);
        emit SetChanged(id);
    }

    /// @dev Forgets all blocks and begins anew, frozen or not. Nothing here calls it; `OwnedDuetLightClient` does.
    function _restart(Checkpoint memory checkpoint) internal {
        if (checkpoint.genesisHash != genesisHash) revert BadCheckpoint();
        delete state;
        for (uint256 i; i < KEPT; ++i) blocks[i] = bytes32(uint256(1));
        _begin(checkpoint);
    }

    /// @dev Id and hash of a set that a checkpoint names, after a check of its form.
    function _trusted(bytes memory set) private view returns (uint64 id, bytes32 hash) {
        if (set.length != 140) revert BadCheckpoint();
        uint256 word = uint256(bytes32(set));
        uint256 len;
        for (uint256 i = 12; i > 8; --i) len = (len << 8) | ((word >> (256 - 8 * i)) & 0xff);
        for (uint256 i = 8; i > 0; --i) id = (id << 8) | uint64((word >> (256 - 8 * i)) & 0xff);
        if (len == 0 || len > MAX_VALIDATORS) revert BadCheckpoint();
        _checkTotal(set);
        return (id, keccak256(set));
    }

    function _checkTotal(bytes memory set) internal view {
        uint256 from;
        assembly ("memory-safe") {
            from := add(set, 76)
        }
        FinalityProof.checkTotal(from);
    }

    function _block(uint32 number, bytes32 blockHash, bytes32 mmrRoot) internal pure returns (bytes32) {
        return keccak256(abi.encode(number, blockHash, mmrRoot));
    }

    /// @dev Keccak-256 of so many bytes of the calldata, which has them.
    function _hash(uint256 place, uint256 length) internal pure returns (bytes32 hash) {
        assembly ("memory-safe") {
            let m := mload(0x40)
            calldatacopy(m, place, length)
            hash := keccak256(m, length)
        }
    }

    function _offset(bytes calldata proof) internal pure returns (uint256 place) {
        assembly ("memory-safe") {
            place := proof.offset
        }
    }

    function _word(uint256 place) internal pure returns (bytes32 word) {
        assembly ("memory-safe") {
            word := calldataload(place)
        }
    }
}
