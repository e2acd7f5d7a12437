// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {DuetLightClient} from "./DuetLightClient.sol";
import {RareCalls} from "./RareCalls.sol";

/// @title The light client with an owner who can begin it anew.
/// @notice For applications that cannot move to another client when the chain was reset (LIGHT-8), when this one is frozen, or
/// when nobody fed it for too long. Whoever uses it trusts the owner with everything: it can make any block a verified one.
/// A contract with a delay and several signers is what such an owner should be. Nothing else is the owner's: anybody brings
/// proofs, and nobody can stop them.
contract OwnedDuetLightClient is DuetLightClient {
    /// The owner began anew at this block.
    event Restarted(uint32 indexed number, bytes32 blockHash);
    /// The owner offered to hand over.
    event OwnershipTransferStarted(address indexed previousOwner, address indexed newOwner);
    /// Another owner, or none.
    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);

    /// The caller is not the owner, or not the one to whom it was offered.
    error NotTheOwner(address caller);
    /// Nobody cannot be made the owner: see `renounceOwnership`.
    error NoOwner();

    /// @notice Who can begin anew; zero when nobody can.
    address public owner;
    /// @notice To whom ownership was offered.
    address public pendingOwner;

    modifier onlyOwner() {
        if (msg.sender != owner) revert NotTheOwner(msg.sender);
        _;
    }

    /// @notice Begins at a checkpoint, as `DuetLightClient` does.
    /// @param checkpoint The newest block that is trusted, and the sets from there on.
    /// @param period The trusting period, in seconds.
    /// @param firstOwner Who can begin anew.
    constructor(Checkpoint memory checkpoint, uint256 period, address firstOwner) DuetLightClient(checkpoint, period) {
        if (firstOwner == address(0)) revert NoOwner();
        _setOwner(firstOwner);
    }

    /// @notice Begins anew at a checkpoint of the same chain, frozen or not, and however long it slept. All blocks of before are forgotten.
    /// @param checkpoint The newest block that is trusted, and the sets from there on.
    function restart(Checkpoint calldata checkpoint) external onlyOwner {
        _forward(address(RareCalls), RareCalls.restart.selector);
        emit Restarted(checkpoint.blockNumber, checkpoint.blockHash);
    }

    /// @notice Offers ownership, which takes effect when it is accepted. Zero takes the offer back.
    /// @param newOwner Who may accept.
    function transferOwnership(address newOwner) external onlyOwner {
        // Zero takes an offer back.
        // slither-disable-next-line missing-zero-check
        pendingOwner = newOwner;
        emit OwnershipTransferStarted(owner, newOwner);
    }

    /// @notice Accepts ownership.
    function acceptOwnership() external {
        if (msg.sender != pendingOwner) revert NotTheOwner(msg.sender);
        _setOwner(msg.sender);
    }

    /// @notice Gives ownership up for good.
    function renounceOwnership() external onlyOwner {
        _setOwner(address(0));
    }

    function _setOwner(address newOwner) private {
        emit OwnershipTransferred(owner, newOwner);
        owner = newOwner;
        delete pendingOwner;
    }
}
