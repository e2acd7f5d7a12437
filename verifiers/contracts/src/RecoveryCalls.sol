// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ClientState} from "./ClientState.sol";
import {DuetLightClient} from "./DuetLightClient.sol";
import {FinalityProof} from "./FinalityProof.sol";
import {RecoverableDuetLightClient} from "./RecoverableDuetLightClient.sol";
import {StateProof} from "./StateProof.sol";

/// @title The calls of a light client that crosses resets.
/// @notice Deployed once on a chain, and shared by its light clients with recovery. As `RareCalls`, it works on the storage of
/// the client, which begins with `Store`, and nobody can change what it does.
library RecoveryCalls {
    /// @notice See `RecoverableDuetLightClient`.
    bytes32 internal constant TERMS_KEY = 0xf98d87fedb930c085fe9062d895db0517e2ad36ede81c5f827ff99e77a07696d;

    uint256 private constant TERMS = 100;
    uint256 private constant STATEMENT = 180;
    /// Where the set in the statement is, and y of its total in a proof.
    uint256 private constant NEW_SET = 88;
    uint256 private constant NEW_Y = 608;

    /// What a client waits for.
    struct Pending {
        /// How many blocks were remembered then: with a newer block it is over.
        uint32 count;
        bool contradicted;
        /// When the wait is over, in seconds.
        uint64 crossableAt;
        /// Keccak-256 of the statement and y of its set's total.
        bytes32 announced;
    }

    /// The storage of a client with recovery, from its first slot on.
    struct Store {
        ClientState.Store client;
        Pending pending;
    }

    /// @notice See `RecoverableDuetLightClient`.
    /// @param header The header of the newest block.
    /// @param mmrRoot The root that was proven with that block.
    /// @param nodes The trie nodes.
    /// @param proof The statement and its proof.
    function announceRecovery(bytes calldata header, bytes32 mmrRoot, bytes[] calldata nodes, bytes calldata proof) external {
        (bytes32 statement, bool isKnown) = prepare(mmrRoot, proof);
        bytes32 root = StateProof.stateRoot(header, ClientState.word(ClientState.offset(proof) + 12));
        announce(nodes, root, proof, statement, isKnown);
    }

    /// @notice See `RecoverableDuetLightClient`.
    /// @param statement The announced statement, and y of its set's total.
    function crossRecovery(bytes calldata statement) external {
        Store storage c = _store();
        ClientState.State memory s = _awake(c);
        Pending storage a = c.pending;
        if (a.count != s.count || keccak256(statement) != a.announced) {
            revert RecoverableDuetLightClient.Rule_RECOVER_8_Nothing();
        }
        if (a.contradicted) revert RecoverableDuetLightClient.Rule_RECOVER_8_Contradicted();
        if (block.timestamp < a.crossableAt) revert RecoverableDuetLightClient.Rule_RECOVER_8_Early(a.crossableAt);
        ClientState.keep(c.client, s.signing, c.client.signingSet);
        if (s.hasNext) ClientState.keep(c.client, s.signing + 1, c.client.nextSet);
        uint256 place = ClientState.offset(statement);
        bytes memory set = statement[NEW_SET:];
        uint64 id = uint64(FinalityProof.u64(place + NEW_SET));
        bytes32 blockHash = ClientState.word(place + 56);
        c.client.signingSet = keccak256(set);
        s.signing = id;
        s.hasNext = false;
        s.number = uint32(FinalityProof.u32(place + 52));
        s.isCheckpoint = true;
        c.client.blocks[s.count % ClientState.KEPT] = blockHash;
        s.count += 1;
        c.client.state = s;
        emit DuetLightClient.SetAnnounced(id, set);
        emit DuetLightClient.SetChanged(id);
        emit RecoverableDuetLightClient.RecoveryCrossed(s.number, blockHash);
    }

    /// @dev LIGHT-9, RECOVER-7. Returns what is said, and whether something else is announced.
    function prepare(bytes32 mmrRoot, bytes calldata proof) internal view returns (bytes32 statement, bool isKnown) {
        Store storage c = _store();
        ClientState.State memory s = _awake(c);
        if (proof.length < NEW_Y + 48) revert FinalityProof.Rule_ENC_6();
        uint256 place = ClientState.offset(proof);
        _checkBlock(c.client, s, place, mmrRoot);
        Pending storage a = c.pending;
        statement = keccak256(bytes.concat(proof[:STATEMENT], proof[NEW_Y:NEW_Y + 48]));
        isKnown = a.count == s.count;
        if (isKnown) {
            if (a.contradicted) revert RecoverableDuetLightClient.Rule_RECOVER_8_Contradicted();
            if (statement == a.announced) revert RecoverableDuetLightClient.Rule_RECOVER_7_Known();
        } else {
            _checkSets(s, place);
        }
    }

    /// @dev STATE-2, RECOVER-4 to RECOVER-6: begins the wait, or shows the contradiction.
    function announce(bytes[] calldata nodes, bytes32 root, bytes calldata proof, bytes32 statement, bool isKnown) internal {
        Store storage c = _store();
        uint256 place = ClientState.offset(proof);
        uint256 delay = _checkTerms(StateProof.read(nodes, root, TERMS_KEY, TERMS), proof);
        _checkForm(proof);
        FinalityProof.verifyRecovery(proof, DuetLightClient(address(this)).genesisHash());
        uint32 number = uint32(FinalityProof.u32(place + 8));
        if (isKnown) {
            c.pending.contradicted = true;
            emit RecoverableDuetLightClient.RecoveryContradicted(number, proof);
            return;
        }
        // A delay that no clock reaches is one that is never over.
        uint256 crossableAt = block.timestamp + delay;
        if (crossableAt > type(uint64).max) crossableAt = type(uint64).max;
        c.pending = Pending(c.client.state.count, false, uint64(crossableAt), statement);
        emit RecoverableDuetLightClient.RecoveryAnnounced(
            number,
            uint32(FinalityProof.u32(place + 52)),
            ClientState.word(place + 56),
            uint64(FinalityProof.u64(place + NEW_SET)),
            crossableAt,
            proof
        );
    }

    /// @dev RECOVER-7: the statement is about the newest block.
    function _checkBlock(ClientState.Store storage c, ClientState.State memory s, uint256 place, bytes32 mmrRoot)
        private
        view
    {
        uint32 number = uint32(FinalityProof.u32(place + 8));
        bytes32 blockHash = ClientState.word(place + 12);
        bytes32 kept = c.blocks[(s.count - 1) % ClientState.KEPT];
        bytes32 wanted = s.isCheckpoint ? blockHash : ClientState.hashOfBlock(number, blockHash, mmrRoot);
        if (number != s.number || wanted != kept) revert RecoverableDuetLightClient.Rule_RECOVER_7_OtherBlock();
    }

    /// @dev RECOVER-7: the ended set is the signing one or its successor, and the new one is above both.
    function _checkSets(ClientState.State memory s, uint256 place) private pure {
        uint64 ended = uint64(FinalityProof.u64(place + 44));
        uint64 latest = s.hasNext ? s.signing + 1 : s.signing;
        if ((ended != s.signing && ended != latest) || FinalityProof.u64(place + NEW_SET) <= latest) {
            revert RecoverableDuetLightClient.Rule_RECOVER_7_Sets(latest);
        }
    }

    /// @dev RECOVER-4, RECOVER-6: the terms name the set that the proof brings, and can be followed. Returns the delay.
    function _checkTerms(uint256 terms, bytes calldata proof) private view returns (uint256 delay) {
        delay = FinalityProof.u64(terms + 92);
        if (delay == 0 || !_isLength(FinalityProof.u32(terms + 8))) revert RecoverableDuetLightClient.Rule_RECOVER_4();
        bytes memory set = proof[STATEMENT:STATEMENT + 140];
        bytes32 named;
        assembly ("memory-safe") {
            let m := mload(0x40)
            calldatacopy(m, terms, 92)
            named := keccak256(m, 92)
        }
        bool isOfSet = FinalityProof.u64(ClientState.offset(proof)) == FinalityProof.u64(terms);
        if (!isOfSet || keccak256(proof[STATEMENT:STATEMENT + 92]) != named) revert RecoverableDuetLightClient.Rule_RECOVER_6();
        ClientState.checkTotal(set);
    }

    /// @dev RECOVER-5.
    function _checkForm(bytes calldata proof) private view {
        uint256 place = ClientState.offset(proof);
        bool isOrdered = FinalityProof.u32(place + 52) > FinalityProof.u32(place + 8)
            && FinalityProof.u64(place + NEW_SET) > FinalityProof.u64(place + 44);
        if (!isOrdered || !_isLength(FinalityProof.u32(place + NEW_SET + 8))) revert RecoverableDuetLightClient.Rule_RECOVER_5();
        ClientState.checkTotal(bytes.concat(proof[NEW_SET:STATEMENT], proof[NEW_Y:NEW_Y + 48]));
    }

    /// @dev SET-1.
    function _isLength(uint256 length) private pure returns (bool) {
        return length != 0 && length <= ClientState.MAX_VALIDATORS;
    }

    /// @dev What the client knows, if it takes proofs. (LIGHT-9)
    function _awake(Store storage c) private view returns (ClientState.State memory s) {
        s = c.client.state;
        ClientState.checkAwake(s, DuetLightClient(address(this)).trustingPeriod());
    }

    /// @dev The storage of the client.
    function _store() private pure returns (Store storage c) {
        assembly ("memory-safe") {
            c.slot := 0
        }
    }
}
