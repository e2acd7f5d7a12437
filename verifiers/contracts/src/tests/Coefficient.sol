// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {FinalityProof} from "../FinalityProof.sol";

/// @title The coefficient of a proof, for a known answer: an honest proof holds with any.
contract Coefficient {
    /// @notice `t` of JUST-5.
    function coefficient(bytes calldata proof, bytes32 genesisHash) external view returns (uint256) {
        return FinalityProof.coefficient(FinalityProof.read(proof, genesisHash));
    }
}
