// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {RecoverableDuetLightClient} from "../RecoverableDuetLightClient.sol";
import {AnyHeaderCalls} from "./AnyHeaderCalls.sol";

/// @title The client with recovery, which takes any header for that of its newest block: the hashes of blocks in the
/// conformance vectors are those of no header.
contract AnyHeader is RecoverableDuetLightClient {
    constructor(Checkpoint memory checkpoint, uint256 period) RecoverableDuetLightClient(checkpoint, period) {}

    /// @notice What the client keeps of its newest block: the hash, at a checkpoint and after a crossing.
    function newest() external view returns (bytes32) {
        return store.blocks[(store.state.count - 1) % KEPT];
    }

    /// @inheritdoc RecoverableDuetLightClient
    function announceRecovery(bytes calldata, bytes32, bytes[] calldata, bytes calldata) external override {
        _forward(address(AnyHeaderCalls), AnyHeaderCalls.announceRecovery.selector);
    }
}
