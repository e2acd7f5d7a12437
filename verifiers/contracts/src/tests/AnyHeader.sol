// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {RecoverableDuetLightClient} from "../RecoverableDuetLightClient.sol";
import {StateProof} from "../StateProof.sol";

/// @title The client with recovery, which takes any header for that of its newest block: the hashes of blocks in the
/// conformance vectors are those of no header.
contract AnyHeader is RecoverableDuetLightClient {
    constructor(Checkpoint memory checkpoint, uint256 period) RecoverableDuetLightClient(checkpoint, period) {}

    /// @notice What the client keeps of its newest block: the hash, at a checkpoint and after a crossing.
    function newest() external view returns (bytes32) {
        return blocks[(state.count - 1) % KEPT];
    }

    function _stateRoot(bytes calldata header, bytes32) internal view override returns (bytes32) {
        return StateProof.stateRoot(header, StateProof.blake2b(_offset(header), header.length));
    }
}
