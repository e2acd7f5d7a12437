// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {DuetLightClient} from "../DuetLightClient.sol";
import {MmrLeaf} from "../MmrLeaf.sol";

/// @title An application that acts on messages of another chain: it posts them.
/// @notice An example. Anybody may bring a message; each is taken once. What is done with it belongs where the event is.
/// Messages of one block are told apart by their bytes and not by their positions: a tree does not say how many leaves it has,
/// so the last of three can also be proven as the second of two. A chain that may say the same twice puts a number into it.
contract MessageBoard {
    /// A message of the other chain, from this block.
    event Posted(uint32 indexed number, bytes message);

    /// The client does not vouch for this block, or no longer.
    error NotVerified();
    /// The message was taken before.
    error Taken();

    /// @notice Who vouches for blocks. Its checkpoint decides which chain this is.
    DuetLightClient public immutable client;

    mapping(bytes32 => bool) private taken;

    /// @notice Trusts a light client, for good.
    /// @param trusted The light client.
    constructor(DuetLightClient trusted) {
        client = trusted;
    }

    /// @notice Takes a message under a verified block.
    /// @param number The verified block, as the client's event `BlockVerified` says it.
    /// @param blockHash Its hash, as said there.
    /// @param mmrRoot Its MMR root, as said there.
    /// @param leaf The block that sent the message, and the path to it.
    /// @param message The message, and the path to it.
    function post(
        uint32 number,
        bytes32 blockHash,
        bytes32 mmrRoot,
        MmrLeaf.Leaf calldata leaf,
        MmrLeaf.Message calldata message
    ) external {
        if (!client.isVerified(number, blockHash, mmrRoot)) revert NotVerified();
        MmrLeaf.check(leaf, number, mmrRoot);
        MmrLeaf.check(message, leaf.messages);
        bytes32 id = keccak256(abi.encode(leaf.blockHash, keccak256(message.data)));
        if (taken[id]) revert Taken();
        taken[id] = true;
        emit Posted(leaf.number, message.data);
    }
}
