// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ClientState} from "./ClientState.sol";
import {DuetLightClient} from "./DuetLightClient.sol";
import {FinalityProof} from "./FinalityProof.sol";

/// @title The calls of a light client that are rare.
/// @notice Deployed once on a chain, and shared by its light clients, because a chain may charge for each byte of their code. It
/// has no storage, no owner and no code but its own, so nobody can change what it does.
/// @dev A client calls it by DELEGATECALL: it reads and writes the storage of the client, which begins with `ClientState.Store`,
/// and `address(this)` is the client. The compiler lets it refuse other calls that write. Events and errors are the client's.
library RareCalls {
    /// @notice Begins at the checkpoint of a new client.
    /// @param checkpoint See `DuetLightClient`.
    function begin(DuetLightClient.Checkpoint calldata checkpoint) external {
        if (!FinalityProof.precompilesWork()) revert DuetLightClient.NoPrecompiles();
        ClientState.Store storage c = _store();
        // A slot that was written before costs less: from the first block on each costs the same.
        c.nextSet = bytes32(uint256(1));
        c.pair = bytes32(uint256(1));
        _begin(c, checkpoint);
    }

    /// @notice Forgets all blocks and sets and begins anew, frozen or not. Whether the caller may is for the client to check.
    /// @param checkpoint See `OwnedDuetLightClient`.
    function restart(DuetLightClient.Checkpoint calldata checkpoint) external {
        if (checkpoint.genesisHash != _genesisHash()) revert DuetLightClient.BadCheckpoint();
        ClientState.Store storage c = _store();
        delete c.state;
        _begin(c, checkpoint);
    }

    /// @notice The rest of `submit`, of a client that takes proofs: one of a block that is not newer than the newest one, or that
    /// names another successor than the known one, or none. It is known, too old or a contradiction, and changes nothing else.
    /// @param proof See `FinalityProof`.
    function judge(bytes calldata proof) external {
        ClientState.Store storage c = _store();
        ClientState.State memory s = c.state;
        uint256 place = ClientState.offset(proof);
        uint32 number = uint32(FinalityProof.u32(place));
        bytes32 wanted = ClientState.hashOfBlock(number, ClientState.word(place + 4), ClientState.word(place + 36));
        if (number < s.number) {
            if (proof.length >= 596 && ClientState.isKept(c, s, wanted)) return;
            revert DuetLightClient.Rule_LIGHT_4(s.number, number);
        }
        if (number == s.number && _repeats(c, s, proof, wanted)) return;
        (uint64 id, uint64 next) = _check(c, s, proof, s.signing);
        if (!_contradicts(c, s, proof, id, next, wanted)) return;
        c.state.isFrozen = true;
        emit DuetLightClient.Frozen(c.blocks[(s.count - 1) % ClientState.KEPT], ClientState.hash(place, 168));
    }

    /// @notice See `DuetLightClient`.
    /// @param proofs See `FinalityProof`.
    function submitMany(bytes[] calldata proofs) external {
        ClientState.Store storage c = _store();
        ClientState.State memory s = _awake(c);
        uint256 n = proofs.length;
        if (n == 0) revert FinalityProof.Rule_ENC_6();
        bytes32 genesisHash = _genesisHash();
        uint256 batch = FinalityProof.newBatch(n);
        bytes32 signing = c.signingSet;
        bytes32 named = c.nextSet;
        bytes32 shown;
        for (uint256 i; i < n; ++i) {
            bytes calldata proof = proofs[i];
            uint32 number = uint32(FinalityProof.u32(ClientState.offset(proof)));
            if (number <= s.number) revert DuetLightClient.Rule_LIGHT_4(s.number, number);
            (uint64 id, uint64 next) = ClientState.ids(s, proof);
            if (id < s.signing || (i != 0 && id == s.signing)) revert DuetLightClient.Rule_LIGHT_5_OldSet(s.signing, id);
            bytes32 wanted = id == s.signing ? signing : named;
            if (ClientState.hash(ClientState.offset(proof) + 168, 140) != wanted) revert DuetLightClient.Rule_LIGHT_3();
            shown = FinalityProof.addToBatch(batch, FinalityProof.read(proof, genesisHash));
            if (next == id) revert DuetLightClient.Rule_LIGHT_5_Successor();
            ClientState.checkNext(ClientState.offset(proof), id, next);
            bytes32 successor = keccak256(ClientState.named(proof));
            if (id != s.signing) {
                if (n - i <= ClientState.KEPT_SETS) ClientState.keep(c, s.signing, signing);
            } else if (s.hasNext && successor != named) {
                revert DuetLightClient.Rule_LIGHT_5_Successor();
            }
            (signing, named) = (wanted, successor);
            (s.number, s.signing, s.hasNext) = (number, id, true);
        }
        if (!FinalityProof.batchHolds(batch)) {
            uint256 culprit;
            while (FinalityProof.equationHolds(FinalityProof.read(proofs[culprit], genesisHash))) ++culprit;
            revert DuetLightClient.Rule_JUST_5_At(culprit);
        }
        c.pair = shown;
        c.signingSet = signing;
        emit DuetLightClient.SetChanged(s.signing);
        c.nextSet = ClientState.announce(proofs[n - 1]);
        ClientState.take(c, s, ClientState.offset(proofs[n - 1]));
    }

    /// @notice See `DuetLightClient`.
    /// @param first A proof; see `FinalityProof`.
    /// @param second Another one.
    function reportMisbehaviour(bytes calldata first, bytes calldata second) external {
        ClientState.Store storage c = _store();
        ClientState.State memory s = _awake(c);
        uint64 oldest = s.signing > ClientState.KEPT_SETS ? s.signing - uint64(ClientState.KEPT_SETS) : 0;
        (uint64 one, uint64 oneNext) = _check(c, s, first, oldest);
        (uint64 other, uint64 otherNext) = _check(c, s, second, oldest);
        uint256 a = FinalityProof.u32(ClientState.offset(first));
        uint256 b = FinalityProof.u32(ClientState.offset(second));
        bytes32 firstHash = ClientState.hash(ClientState.offset(first), 168);
        bytes32 secondHash = ClientState.hash(ClientState.offset(second), 168);
        bool contradiction;
        if (a == b) {
            contradiction = firstHash != secondHash;
        } else {
            if (a > b) (one, oneNext, other, otherNext) = (other, otherNext, one, oneNext);
            contradiction = one > other
                || (one == other && oneNext != one && _successorOf(first) != _successorOf(second));
        }
        if (!contradiction) revert DuetLightClient.NoContradiction();
        c.state.isFrozen = true;
        emit DuetLightClient.Frozen(firstHash, secondHash);
    }

    /// @dev What the client knows, if it takes proofs. (LIGHT-9)
    function _awake(ClientState.Store storage c) private view returns (ClientState.State memory s) {
        s = c.state;
        ClientState.checkAwake(s, _trustingPeriod());
    }

    /// @dev The hash of a set before the signing one that is remembered; zero when it was replaced too long ago.
    function _replaced(ClientState.Store storage c, uint64 id) private view returns (bytes32) {
        uint256 slot = id % ClientState.KEPT_SETS;
        uint256 since = uint64(c.replacedAt >> (64 * slot));
        return block.timestamp - since > _trustingPeriod() ? bytes32(0) : c.replaced[slot];
    }

    /// @dev All rules on one proof that do not compare it with other blocks. Evidence may be of a set that was replaced: of
    /// `oldest`, or a later one.
    function _check(ClientState.Store storage c, ClientState.State memory s, bytes calldata proof, uint64 oldest)
        private
        view
        returns (uint64 id, uint64 next)
    {
        (id, next) = ClientState.ids(s, proof);
        bytes32 wanted = id == s.signing ? c.signingSet : c.nextSet;
        if (id < s.signing) {
            wanted = id < oldest ? bytes32(0) : _replaced(c, id);
            if (wanted == 0) revert DuetLightClient.Rule_LIGHT_5_OldSet(s.signing, id);
            // Behind a reset, the set that is kept in this place may have another id.
            if (FinalityProof.u64(ClientState.offset(proof) + 168) != id) revert DuetLightClient.Rule_LIGHT_3();
        }
        // slither-disable-next-line unused-return
        ClientState.check(proof, id, next, wanted, _genesisHash(), c.pair);
    }

    /// @dev The hash of the 92 bytes by which a proof names a successor.
    function _successorOf(bytes calldata proof) private pure returns (bytes32) {
        return ClientState.hash(ClientState.offset(proof) + 76, 92);
    }

    /// @dev Whether a proof, valid or not, says of the newest block what is known of it, and nothing else.
    function _repeats(ClientState.Store storage c, ClientState.State memory s, bytes calldata proof, bytes32 wanted)
        private
        view
        returns (bool)
    {
        if (s.isCheckpoint || proof.length < 596 || wanted != c.blocks[(s.count - 1) % ClientState.KEPT]) return false;
        uint256 place = ClientState.offset(proof);
        if (FinalityProof.u64(place + 68) != s.signing || ClientState.hash(place + 168, 140) != c.signingSet) return false;
        if (ClientState.namesItself(place)) return !s.hasNext;
        return s.hasNext && proof.length >= 644 && keccak256(ClientState.successor(proof)) == c.nextSet;
    }

    /// @dev Whether a valid proof contradicts the newest block or what its set said about its successor.
    function _contradicts(
        ClientState.Store storage c,
        ClientState.State memory s,
        bytes calldata proof,
        uint64 id,
        uint64 next,
        bytes32 wanted
    ) private view returns (bool) {
        if (FinalityProof.u32(ClientState.offset(proof)) == s.number) {
            bytes32 kept = c.blocks[(s.count - 1) % ClientState.KEPT];
            if (s.isCheckpoint) {
                if (ClientState.word(ClientState.offset(proof) + 4) != kept) return true;
            } else if (wanted != kept || id != s.signing || (next != id) != s.hasNext) {
                return true;
            }
        }
        if (id != s.signing || !s.hasNext) return false;
        if (next == id) return true;
        return keccak256(ClientState.named(proof)) != c.nextSet;
    }

    function _begin(ClientState.Store storage c, DuetLightClient.Checkpoint calldata checkpoint) private {
        (uint64 id, bytes32 hash) = _trusted(checkpoint.current);
        c.signingSet = hash;
        bool hasNext = checkpoint.next.length != 0;
        if (hasNext) {
            uint64 next;
            (next, hash) = _trusted(checkpoint.next);
            if (id == type(uint64).max || next != id + 1) revert DuetLightClient.BadCheckpoint();
            c.nextSet = hash;
            emit DuetLightClient.SetAnnounced(next, checkpoint.next);
        }
        for (uint256 i; i < ClientState.KEPT; ++i) c.blocks[i] = bytes32(uint256(1));
        // Sets of a history that was given up, or forged, are no witnesses against the new one.
        for (uint256 i; i < ClientState.KEPT_SETS; ++i) c.replaced[i] = bytes32(uint256(1));
        c.replacedAt = 1;
        ClientState.State memory s = c.state;
        s.number = checkpoint.blockNumber;
        s.signing = id;
        s.hasNext = hasNext;
        s.isCheckpoint = true;
        s.taken = uint40(block.timestamp);
        c.blocks[s.count % ClientState.KEPT] = checkpoint.blockHash;
        s.count += 1;
        c.state = s;
        emit DuetLightClient.SetAnnounced(id, checkpoint.current);
        emit DuetLightClient.SetChanged(id);
    }

    /// @dev Id and hash of a set that a checkpoint names, after a check of its form.
    function _trusted(bytes calldata set) private view returns (uint64 id, bytes32 hash) {
        if (set.length != 140) revert DuetLightClient.BadCheckpoint();
        uint256 word = uint256(bytes32(set));
        uint256 len;
        for (uint256 i = 12; i > 8; --i) len = (len << 8) | ((word >> (256 - 8 * i)) & 0xff);
        for (uint256 i = 8; i > 0; --i) id = (id << 8) | uint64((word >> (256 - 8 * i)) & 0xff);
        if (len == 0 || len > ClientState.MAX_VALIDATORS) revert DuetLightClient.BadCheckpoint();
        ClientState.checkTotal(set);
        return (id, keccak256(set));
    }

    /// @dev These two are part of the client's code, which it is asked for.
    function _genesisHash() private view returns (bytes32) {
        return DuetLightClient(address(this)).genesisHash();
    }

    function _trustingPeriod() private view returns (uint256) {
        return DuetLightClient(address(this)).trustingPeriod();
    }

    /// @dev The storage of the client.
    function _store() private pure returns (ClientState.Store storage c) {
        assembly ("memory-safe") {
            c.slot := 0
        }
    }
}
