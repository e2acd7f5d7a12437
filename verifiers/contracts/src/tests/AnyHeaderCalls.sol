// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ClientState} from "../ClientState.sol";
import {RecoveryCalls} from "../RecoveryCalls.sol";
import {StateProof} from "../StateProof.sol";

/// @title The announcement of a recovery with any header for that of the newest block.
library AnyHeaderCalls {
    /// @notice See `RecoveryCalls`.
    function announceRecovery(bytes calldata header, bytes32 mmrRoot, bytes[] calldata nodes, bytes calldata proof) external {
        (bytes32 statement, bool isKnown) = RecoveryCalls.prepare(mmrRoot, proof);
        bytes32 itself = StateProof.blake2b(ClientState.offset(header), header.length);
        RecoveryCalls.announce(nodes, StateProof.stateRoot(header, itself), proof, statement, isKnown);
    }
}
