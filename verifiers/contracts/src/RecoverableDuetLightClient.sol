// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {DuetLightClient} from "./DuetLightClient.sol";
import {RecoveryCalls} from "./RecoveryCalls.sol";
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
    bytes32 public constant TERMS_KEY = RecoveryCalls.TERMS_KEY;

    /// @dev `RecoveryCalls` finds it right behind `store`, so nothing may come before it.
    RecoveryCalls.Pending private pending;

    /// @notice Begins at a checkpoint, as `DuetLightClient` does.
    /// @param checkpoint The newest block that is trusted, and the sets from there on.
    /// @param period The trusting period, in seconds.
    constructor(Checkpoint memory checkpoint, uint256 period) DuetLightClient(checkpoint, period) {
        _demandCode(address(RecoveryCalls));
        // Without this precompile, of EIP-152, no recovery could ever be announced.
        // slither-disable-next-line low-level-calls
        (bool ok, bytes memory got) = address(9).staticcall(new bytes(213));
        if (!ok || got.length != 64) revert StateProof.NoBlake2();
    }

    /// @notice What the client waits for.
    /// @return statement Keccak-256 of the announced statement and y of its set's total; zero when nothing is announced from
    /// the newest block.
    /// @return crossableAt When the wait is over, in seconds.
    /// @return contradicted Whether another statement about the block was signed, so that neither is crossed.
    function recovery() external view returns (bytes32 statement, uint256 crossableAt, bool contradicted) {
        RecoveryCalls.Pending memory a = pending;
        if (a.count != store.state.count) return (0, 0, false);
        return (a.announced, a.crossableAt, a.contradicted);
    }

    /// @notice Announces a recovery and begins the wait, or shows that the recovery set contradicts itself.
    /// Rules: LIGHT-9, RECOVER-7, STATE-1, STATE-2, RECOVER-4, RECOVER-5, RECOVER-6 with JUST-2 to JUST-5, STATELESS-1, -2.
    /// @param header The header of the newest block, in SCALE.
    /// @param mmrRoot The root that was proven with that block; of no meaning at a checkpoint.
    /// @param nodes The trie nodes that prove the terms under the header's state root.
    /// @param proof The statement of 180 bytes, and what `FinalityProof` has of a proof behind the commitment, with y of the
    /// total of the statement's set in every case.
    function announceRecovery(bytes calldata header, bytes32 mmrRoot, bytes[] calldata nodes, bytes calldata proof)
        external
        virtual
    {
        (header, mmrRoot, nodes, proof);
        _forward(address(RecoveryCalls), RecoveryCalls.announceRecovery.selector);
    }

    /// @notice Crosses the reset when the wait is over. The age of the block before counts until the next proof. (RECOVER-8)
    /// @param statement The announced statement of 180 bytes, and the 48 of y of its set's total.
    function crossRecovery(bytes calldata statement) external {
        (statement);
        _forward(address(RecoveryCalls), RecoveryCalls.crossRecovery.selector);
    }
}
