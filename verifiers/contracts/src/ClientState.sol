// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {DuetLightClient} from "./DuetLightClient.sol";
import {FinalityProof} from "./FinalityProof.sol";

/// @title What a light client knows, and the rules on one proof.
/// @notice Clients, and the libraries that they share, compile it in.
library ClientState {
    uint256 internal constant KEPT = 8;
    uint256 internal constant KEPT_SETS = 4;
    uint32 internal constant MAX_VALIDATORS = 100_000;

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

    /// The storage of a client, from its first slot on.
    struct Store {
        State state;
        /// Hash of the set that signs, and of its successor.
        bytes32 signingSet;
        bytes32 nextSet;
        bytes32[KEPT] blocks;
        /// Hashes of the sets before the signing one, each at its id modulo `KEPT_SETS`.
        bytes32[KEPT_SETS] replaced;
        /// When each of them was replaced: 64 bits for each.
        uint256 replacedAt;
        /// Hash of the last pair (apk1, apk2) for which the equation held. That does not depend on the set. (JUST-9)
        bytes32 pair;
    }

    /// @dev Whether the client takes proofs. (LIGHT-9)
    function checkAwake(State memory s, uint256 trustingPeriod) internal view {
        if (s.isFrozen) revert DuetLightClient.IsFrozen();
        // A chain's time does not run backwards; if it did, the difference would be long.
        unchecked {
            if (block.timestamp - s.taken > trustingPeriod) revert DuetLightClient.Rule_LIGHT_9(s.taken, trustingPeriod);
        }
    }

    /// @dev The set that signs and the one that is named next. The first is none beyond the trusted ones.
    function ids(State memory s, bytes calldata proof) internal pure returns (uint64 id, uint64 next) {
        if (proof.length < 596) revert FinalityProof.Rule_ENC_6();
        uint256 place = offset(proof);
        id = uint64(FinalityProof.u64(place + 68));
        next = uint64(FinalityProof.u64(place + 76));
        uint64 latest = s.signing;
        unchecked {
            // `checkNext` has taken a successor only where there is a next id.
            if (s.hasNext) ++latest;
        }
        if (id > latest) revert DuetLightClient.Rule_LIGHT_6(latest, id);
    }

    /// @dev All rules on one proof by a set that do not compare it with other blocks. Returns its pair. (JUST-9)
    function check(bytes calldata proof, uint64 id, uint64 next, bytes32 set, bytes32 genesisHash, bytes32 known)
        internal
        view
        returns (bytes32 shown)
    {
        uint256 place = offset(proof);
        if (hash(place + 168, 140) != set) revert DuetLightClient.Rule_LIGHT_3();
        shown = FinalityProof.verify(proof, genesisHash, known);
        if (next != id) checkNext(place, id, next);
        else if (!namesItself(place)) revert DuetLightClient.Rule_LIGHT_5_Successor();
    }

    /// @dev Whether the set that a handoff names can be the next one.
    function checkNext(uint256 place, uint64 id, uint64 next) internal pure {
        uint256 len = FinalityProof.u32(place + 84);
        unchecked {
            if (next != id + 1 || next == 0 || len == 0 || len > MAX_VALIDATORS) {
                revert DuetLightClient.Rule_LIGHT_5_Successor();
            }
        }
    }

    /// @dev Whether a block is one of the last `KEPT`. The newest comes first: each of the others costs a slot more.
    function isKept(Store storage c, State memory s, bytes32 wanted) internal view returns (bool) {
        unchecked {
            for (uint256 i = 1; i <= KEPT; ++i) {
                if (c.blocks[(s.count + KEPT - i) % KEPT] == wanted) return true;
            }
        }
        return false;
    }

    /// @dev Remembers a signing set, which is replaced now.
    function keep(Store storage c, uint64 id, bytes32 set) internal {
        uint256 slot = id % KEPT_SETS;
        uint256 shift = 64 * slot;
        c.replaced[slot] = set;
        // In a loop at most `KEPT_SETS` times.
        // slither-disable-next-line costly-loop
        c.replacedAt = (c.replacedAt & ~(uint256(type(uint64).max) << shift)) | (block.timestamp << shift);
    }

    /// @dev Remembers the block of a valid proof, and when it came.
    function take(Store storage c, State memory s, uint256 place) internal {
        (bytes32 blockHash, bytes32 mmrRoot) = (word(place + 4), word(place + 36));
        s.taken = uint40(block.timestamp);
        s.isCheckpoint = false;
        c.blocks[s.count % KEPT] = hashOfBlock(s.number, blockHash, mmrRoot);
        s.count += 1;
        c.state = s;
        emit DuetLightClient.BlockVerified(s.number, blockHash, mmrRoot, s.signing);
    }

    /// @dev Announces the successor that a handoff names, and hashes it.
    function announce(bytes calldata proof) internal returns (bytes32) {
        bytes memory set = named(proof);
        emit DuetLightClient.SetAnnounced(uint64(FinalityProof.u64(offset(proof) + 76)), set);
        return keccak256(set);
    }

    /// @dev The successor that a proof names: 92 signed bytes and y. y that is wrong is the sender's lie, not a contradiction.
    function named(bytes calldata proof) internal view returns (bytes memory set) {
        set = successor(proof);
        checkTotal(set);
    }

    /// @dev The same of a proof of 644 bytes or more, whose y may be wrong.
    function successor(bytes calldata proof) internal pure returns (bytes memory set) {
        assembly ("memory-safe") {
            set := mload(0x40)
            mstore(0x40, add(set, 192))
            mstore(set, 140)
            calldatacopy(add(set, 32), add(proof.offset, 76), 92)
            calldatacopy(add(set, 124), add(proof.offset, 596), 48)
        }
    }

    /// @dev Whether a proof names the set that signs as the next one, too.
    function namesItself(uint256 place) internal pure returns (bool) {
        return hash(place + 76, 92) == hash(place + 168, 92);
    }

    function checkTotal(bytes memory set) internal view {
        uint256 from;
        assembly ("memory-safe") {
            from := add(set, 76)
        }
        FinalityProof.checkTotal(from);
    }

    /// @dev Keccak-256 of three words.
    function hashOfBlock(uint256 height, bytes32 blockHash, bytes32 mmrRoot) internal pure returns (bytes32 digest) {
        assembly ("memory-safe") {
            let m := mload(0x40)
            mstore(m, height)
            mstore(add(m, 32), blockHash)
            mstore(add(m, 64), mmrRoot)
            digest := keccak256(m, 96)
        }
    }

    /// @dev Keccak-256 of so many bytes of the calldata, which has them.
    function hash(uint256 place, uint256 length) internal pure returns (bytes32 digest) {
        assembly ("memory-safe") {
            let m := mload(0x40)
            calldatacopy(m, place, length)
            digest := keccak256(m, length)
        }
    }

    function offset(bytes calldata proof) internal pure returns (uint256 place) {
        assembly ("memory-safe") {
            place := proof.offset
        }
    }

    function word(uint256 place) internal pure returns (bytes32 value) {
        assembly ("memory-safe") {
            value := calldataload(place)
        }
    }
}
