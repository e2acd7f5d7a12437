// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Leaves of a chain's Merkle mountain range, and messages under them.
/// @notice A block's proof signs the root of the range that ends at the block's parent. Each leaf names an earlier block, and
/// has 32 bytes of the chain's own: here the root of a tree of the messages that the chain sent in that block. (MMR-1)
library MmrLeaf {
    /// The leaf cannot be one of the range under this block's root. STATE-3
    error Rule_STATE_3();
    /// The path does not lead to the root of the range. STATE-3
    error Rule_STATE_3_Path();
    /// The path of the message does not lead to the leaf's root, or the message could be a node.
    error NoMessage();

    /// @notice A leaf and its path.
    struct Leaf {
        /// The block that it is about.
        uint32 number;
        bytes32 blockHash;
        /// Root of the messages of that block.
        bytes32 messages;
        /// Its position, and how many leaves the range has.
        uint64 index;
        uint64 count;
        /// The peaks to the left, the siblings from below, and what the peaks to the right add up to, if there are any.
        bytes32[] path;
    }

    /// @notice A message and its path.
    struct Message {
        bytes data;
        /// Its position, and how many messages the block has.
        uint64 index;
        uint64 count;
        /// Its siblings from below. A node without one moves up.
        bytes32[] path;
    }

    /// @notice Reverts unless the leaf is in the range under the root that was signed with block `number`. STATE-3
    /// @param number The verified block.
    /// @param mmrRoot What its proof says.
    function check(Leaf calldata leaf, uint32 number, bytes32 mmrRoot) internal pure {
        // One leaf for each block since the first, about its parent.
        if (leaf.index >= leaf.count || leaf.count > number || uint256(number) - leaf.count + leaf.index != leaf.number) {
            revert Rule_STATE_3();
        }
        if (_root(leaf) != mmrRoot) revert Rule_STATE_3_Path();
    }

    /// @notice Reverts unless the message is under the root. The tree is that of the crate `binary-merkle-tree` with
    /// Keccak-256: a leaf is the hash of a message. 64 bytes are refused, because they could be two hashes. The position is not
    /// proven, because the root does not say how many messages there are: who takes each once must not go by it.
    function check(Message calldata message, bytes32 root) internal pure {
        if (message.data.length == 64 || message.index >= message.count) revert NoMessage();
        bytes32 node = keccak256(message.data);
        uint256 position = message.index;
        uint256 used;
        for (uint256 width = message.count; width > 1; width = (width + 1) / 2) {
            bool isRight = position & 1 == 1;
            if (isRight || position + 1 < width) {
                if (used == message.path.length) revert NoMessage();
                bytes32 other = message.path[used++];
                node = isRight ? _hash(other, node) : _hash(node, other);
            }
            position >>= 1;
        }
        if (used != message.path.length || node != root) revert NoMessage();
    }

    function _root(Leaf calldata leaf) private pure returns (bytes32 node) {
        // The mountains have the sizes of the binary digits of the count, the largest first.
        uint256 left;
        uint256 position = leaf.index;
        uint256 height = 63;
        while (true) {
            uint256 size = 1 << height;
            if (leaf.count & size != 0) {
                if (position < size) break;
                position -= size;
                ++left;
            }
            --height;
        }
        bool hasRight = leaf.count & ((1 << height) - 1) != 0;
        if (leaf.path.length != left + height + (hasRight ? 1 : 0)) revert Rule_STATE_3_Path();
        node = keccak256(abi.encodePacked(uint8(0), _littleEndian(leaf.number), leaf.blockHash, leaf.messages));
        for (uint256 i; i < height; ++i) {
            bytes32 other = leaf.path[left + i];
            node = (position >> i) & 1 == 1 ? _hash(other, node) : _hash(node, other);
        }
        // Peaks are added up from the right, and what is to the right comes first.
        if (hasRight) node = _hash(leaf.path[left + height], node);
        while (left > 0) node = _hash(node, leaf.path[--left]);
    }

    function _littleEndian(uint32 n) private pure returns (uint32) {
        return (n >> 24) | ((n >> 8) & 0xff00) | ((n & 0xff00) << 8) | (n << 24);
    }

    function _hash(bytes32 one, bytes32 other) private pure returns (bytes32 node) {
        assembly ("memory-safe") {
            mstore(0, one)
            mstore(32, other)
            node := keccak256(0, 64)
        }
    }
}
