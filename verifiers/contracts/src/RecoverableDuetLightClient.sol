// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {DuetLightClient} from "./DuetLightClient.sol";
import {FinalityProof} from "./FinalityProof.sol";
import {StateProof} from "./StateProof.sol";

/// @title The light client that crosses a reset by a proof of the chain's recovery keys, after a wait.
/// @notice For chains with the pallet `DuetRecovery`. Anybody announces a recovery, anybody crosses when the wait is over, and
/// nobody owns it. During the wait any proof of a newer block ends the announcement, and a second statement about the same
/// block stops both. So the client is safe while one honest relayer watches it and can get a transaction into a block of this
/// chain within the delay. The wait is measured by the time of this chain's blocks. (RECOVER-4 to RECOVER-8)
contract RecoverableDuetLightClient is DuetLightClient {
    /// The recovery set says that a reset has ended a set. It is crossed from `crossableAt` on, in seconds, unless a newer
    /// block is proven.
    event RecoveryAnnounced(
        uint32 indexed number, uint32 resetNumber, bytes32 resetHash, uint64 indexed set, uint256 crossableAt, bytes proof
    );
    /// The recovery set signed two statements about one block. The client crosses neither.
    event RecoveryContradicted(uint32 indexed number, bytes proof);
    /// The reset was crossed: the newest block is the one of the reset.
    event RecoveryCrossed(uint32 indexed number, bytes32 blockHash);

    /// The state names no recovery set in force, or terms that no recovery can follow.
    error Rule_RECOVER_4();
    /// The statement is not well-formed.
    error Rule_RECOVER_5();
    /// Another recovery set signs the statement than the one in force.
    error Rule_RECOVER_6();
    /// The statement is about another block than the newest one.
    error Rule_RECOVER_7_OtherBlock();
    /// The ended set is not a trusted one, or the new one is not above them.
    error Rule_RECOVER_7_Sets(uint64 latest);
    /// The recovery is announced already.
    error Rule_RECOVER_7_Known();
    /// No recovery from the newest block is announced, or not this one.
    error Rule_RECOVER_8_Nothing();
    /// The recovery set signed two statements about the newest block.
    error Rule_RECOVER_8_Contradicted();
    /// The wait is not over.
    error Rule_RECOVER_8_Early(uint256 crossableAt);

    /// @notice The storage key of the terms: `twox_128("DuetRecovery") ‖ twox_128("Terms")`. (RECOVER-4)
    bytes32 public constant TERMS_KEY = 0xf98d87fedb930c085fe9062d895db0517e2ad36ede81c5f827ff99e77a07696d;

    uint256 private constant TERMS = 100;
    uint256 private constant STATEMENT = 180;
    /// Where the set in the statement is, and y of its total in a proof.
    uint256 private constant NEW_SET = 88;
    uint256 private constant NEW_Y = 608;

    struct Announcement {
        /// How many blocks were remembered then: with a newer block it is over.
        uint32 count;
        bool contradicted;
        /// When the wait is over, in seconds.
        uint64 crossableAt;
    }

    Announcement private announcement;
    /// Keccak-256 of the statement and y of its set's total.
    bytes32 private announced;

    /// @notice Begins at a checkpoint, as `DuetLightClient` does.
    /// @param checkpoint The newest block that is trusted, and the sets from there on.
    /// @param period The trusting period, in seconds.
    constructor(Checkpoint memory checkpoint, uint256 period) DuetLightClient(checkpoint, period) {}

    /// @notice What the client waits for.
    /// @return statement Keccak-256 of the announced statement and y of its set's total; zero when nothing is announced from
    /// the newest block.
    /// @return crossableAt When the wait is over, in seconds.
    /// @return contradicted Whether another statement about the block was signed, so that neither is crossed.
    function recovery() external view returns (bytes32 statement, uint256 crossableAt, bool contradicted) {
        Announcement memory a = announcement;
        if (a.count != state.count) return (0, 0, false);
        return (announced, a.crossableAt, a.contradicted);
    }

    /// @notice Announces a recovery and begins the wait, or shows that the recovery set contradicts itself.
    /// Rules: LIGHT-9, RECOVER-7, STATE-1, STATE-2, RECOVER-4, RECOVER-5, RECOVER-6 with JUST-2 to JUST-5, STATELESS-1, -2.
    /// @param header The header of the newest block, in SCALE.
    /// @param mmrRoot The root that was proven with that block; of no meaning at a checkpoint.
    /// @param nodes The trie nodes that prove the terms under the header's state root.
    /// @param proof The statement of 180 bytes, and what `FinalityProof` has of a proof behind the commitment, with y of the
    /// total of the statement's set in every case.
    function announceRecovery(bytes calldata header, bytes32 mmrRoot, bytes[] calldata nodes, bytes calldata proof) external {
        State memory s = state;
        _checkAwake(s);
        if (proof.length < NEW_Y + 48) revert FinalityProof.Rule_ENC_6();
        uint256 place = _offset(proof);
        _checkBlock(s, place, mmrRoot);
        Announcement memory a = announcement;
        bytes32 statement = keccak256(bytes.concat(proof[:STATEMENT], proof[NEW_Y:NEW_Y + 48]));
        bool isKnown = a.count == s.count;
        if (isKnown) {
            if (a.contradicted) revert Rule_RECOVER_8_Contradicted();
            if (statement == announced) revert Rule_RECOVER_7_Known();
        } else {
            _checkSets(s, place);
        }
        bytes32 root = _stateRoot(header, _word(place + 12));
        uint256 delay = _checkTerms(StateProof.read(nodes, root, TERMS_KEY, TERMS), proof);
        _checkForm(proof);
        FinalityProof.verifyRecovery(proof, genesisHash);
        uint32 number = uint32(FinalityProof.u32(place + 8));
        if (isKnown) {
            announcement.contradicted = true;
            emit RecoveryContradicted(number, proof);
            return;
        }
        // A delay that no clock reaches is one that is never over.
        uint256 crossableAt = block.timestamp + delay;
        if (crossableAt > type(uint64).max) crossableAt = type(uint64).max;
        announcement = Announcement(s.count, false, uint64(crossableAt));
        announced = statement;
        emit RecoveryAnnounced(
            number,
            uint32(FinalityProof.u32(place + 52)),
            _word(place + 56),
            uint64(FinalityProof.u64(place + NEW_SET)),
            crossableAt,
            proof
        );
    }

    /// @notice Crosses the reset when the wait is over. The age of the block before counts until the next proof. (RECOVER-8)
    /// @param statement The announced statement of 180 bytes, and the 48 of y of its set's total.
    function crossRecovery(bytes calldata statement) external {
        State memory s = state;
        _checkAwake(s);
        Announcement memory a = announcement;
        if (a.count != s.count || keccak256(statement) != announced) revert Rule_RECOVER_8_Nothing();
        if (a.contradicted) revert Rule_RECOVER_8_Contradicted();
        if (block.timestamp < a.crossableAt) revert Rule_RECOVER_8_Early(a.crossableAt);
        _keep(s.signing, signingSet);
        if (s.hasNext) _keep(s.signing + 1, nextSet);
        uint256 place = _offset(statement);
        bytes memory set = statement[NEW_SET:];
        uint64 id = uint64(FinalityProof.u64(place + NEW_SET));
        bytes32 blockHash = _word(place + 56);
        signingSet = keccak256(set);
        s.signing = id;
        s.hasNext = false;
        s.number = uint32(FinalityProof.u32(place + 52));
        s.isCheckpoint = true;
        blocks[s.count % KEPT] = blockHash;
        s.count += 1;
        state = s;
        emit SetAnnounced(id, set);
        emit SetChanged(id);
        emit RecoveryCrossed(s.number, blockHash);
    }

    /// @dev RECOVER-7: the statement is about the newest block.
    function _checkBlock(State memory s, uint256 place, bytes32 mmrRoot) private view {
        uint32 number = uint32(FinalityProof.u32(place + 8));
        bytes32 blockHash = _word(place + 12);
        bytes32 kept = blocks[(s.count - 1) % KEPT];
        bytes32 wanted = s.isCheckpoint ? blockHash : _block(number, blockHash, mmrRoot);
        if (number != s.number || wanted != kept) revert Rule_RECOVER_7_OtherBlock();
    }

    /// @dev RECOVER-7: the ended set is the signing one or its successor, and the new one is above both.
    function _checkSets(State memory s, uint256 place) private pure {
        uint64 ended = uint64(FinalityProof.u64(place + 44));
        uint64 latest = s.hasNext ? s.signing + 1 : s.signing;
        if ((ended != s.signing && ended != latest) || FinalityProof.u64(place + NEW_SET) <= latest) {
            revert Rule_RECOVER_7_Sets(latest);
        }
    }

    /// @dev STATE-1. Tests override it: the hashes of blocks in the conformance vectors are those of no header.
    function _stateRoot(bytes calldata header, bytes32 blockHash) internal view virtual returns (bytes32) {
        return StateProof.stateRoot(header, blockHash);
    }

    /// @dev RECOVER-4, RECOVER-6: the terms name the set that the proof brings, and can be followed. Returns the delay.
    function _checkTerms(uint256 terms, bytes calldata proof) private view returns (uint256 delay) {
        delay = FinalityProof.u64(terms + 92);
        if (delay == 0 || !_isLength(FinalityProof.u32(terms + 8))) revert Rule_RECOVER_4();
        bytes memory set = proof[STATEMENT:STATEMENT + 140];
        bytes32 named;
        assembly ("memory-safe") {
            let m := mload(0x40)
            calldatacopy(m, terms, 92)
            named := keccak256(m, 92)
        }
        if (keccak256(proof[STATEMENT:STATEMENT + 92]) != named) revert Rule_RECOVER_6();
        if (FinalityProof.u64(_offset(proof)) != FinalityProof.u64(terms)) revert Rule_RECOVER_6();
        _checkTotal(set);
    }

    /// @dev RECOVER-5.
    function _checkForm(bytes calldata proof) private view {
        uint256 place = _offset(proof);
        bool isOrdered = FinalityProof.u32(place + 52) > FinalityProof.u32(place + 8)
            && FinalityProof.u64(place + NEW_SET) > FinalityProof.u64(place + 44);
        if (!isOrdered || !_isLength(FinalityProof.u32(place + NEW_SET + 8))) revert Rule_RECOVER_5();
        _checkTotal(bytes.concat(proof[NEW_SET:STATEMENT], proof[NEW_Y:NEW_Y + 48]));
    }

    /// @dev SET-1.
    function _isLength(uint256 length) private pure returns (bool) {
        return length != 0 && length <= MAX_VALIDATORS;
    }
}
