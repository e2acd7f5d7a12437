// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Entries of the state of a Substrate chain, by BLAKE2b-256 over the precompile of EIP-152.
/// @notice A block's header has the root of a trie with 16 children in each branch; each node is known by its hash. The path to
/// an entry is proven by the nodes on it, as `state_getReadProof` returns them, in any order. (STATE-1, STATE-2)
library StateProof {
    /// The header is not that of the block, or is no header.
    error Rule_STATE_1();
    /// The nodes do not lead from the root to a value of the wanted length, or one is not needed.
    error Rule_STATE_2();
    /// The chain lacks the precompile of EIP-152.
    error NoBlake2();

    // The state of BLAKE2b-256 before the first block, in the precompile's byte order.
    bytes32 private constant START_HIGH = 0x28c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5;
    bytes32 private constant START_LOW = 0xd182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b;

    /// Nibbles of a key of 32 bytes.
    uint256 private constant NIBBLES = 64;

    /// @dev The state root in a header, whose hash is compared. (STATE-1)
    function stateRoot(bytes calldata header, bytes32 blockHash) internal view returns (bytes32 root) {
        uint256 from = _offset(header);
        if (blake2b(from, header.length) != blockHash || header.length < 32 + 1 + 32) revert Rule_STATE_1();
        // The parent, then the number: 1, 2, 4 or 5 bytes, as its two lowest bits say.
        uint256 mode = _byte(from + 32) & 3;
        uint256 size = mode == 0 ? 1 : mode == 1 ? 2 : mode == 2 ? 4 : 5;
        if (32 + size + 32 > header.length) revert Rule_STATE_1();
        return _word(from + 32 + size);
    }

    /// @dev Where the value under a key is in the calldata. It has this length, which is above 32 and below 2^14. (STATE-2)
    function read(bytes[] calldata nodes, bytes32 root, bytes32 key, uint256 length) internal view returns (uint256) {
        // No path to one key of 32 bytes has more.
        if (nodes.length > NIBBLES + 2) revert Rule_STATE_2();
        bytes32[] memory hashes = new bytes32[](nodes.length);
        for (uint256 i; i < nodes.length; ++i) hashes[i] = blake2b(_offset(nodes[i]), nodes[i].length);
        uint256 depth;
        for (uint256 used = 1;; ++used) {
            (uint256 place, uint256 end) = _find(nodes, hashes, root);
            bool isLeaf;
            bool hasValue;
            bool isHashed;
            uint256 count;
            (isLeaf, hasValue, isHashed, count, place) = _header(place);
            depth = _match(place, count, uint256(key), depth);
            place += (count + 1) / 2;
            if (!isLeaf) {
                if (depth == NIBBLES) revert Rule_STATE_2();
                root = _child(place, hasValue, isHashed, (uint256(key) >> (4 * (NIBBLES - 1 - depth))) & 15);
                ++depth;
                continue;
            }
            if (depth != NIBBLES) revert Rule_STATE_2();
            if (isHashed) {
                if (place + 32 != end) revert Rule_STATE_2();
                (place, end) = _find(nodes, hashes, _word(place));
                ++used;
            } else {
                (uint256 found, uint256 size) = _compact(place);
                place += size;
                if (found != end - place) revert Rule_STATE_2();
            }
            if (end - place != length || used != nodes.length) revert Rule_STATE_2();
            return place;
        }
        // Not reached: each node leads one nibble further, or ends.
        revert Rule_STATE_2();
    }

    /// @dev BLAKE2b-256 of bytes of the calldata.
    function blake2b(uint256 from, uint256 length) internal view returns (bytes32 hash) {
        uint256 s;
        assembly ("memory-safe") {
            s := mload(0x40)
            // 12 rounds, the state, 128 bytes, how many were taken so far, and whether they are the last.
            mstore(s, shl(224, 12))
            mstore(add(s, 4), START_HIGH)
            mstore(add(s, 36), START_LOW)
        }
        uint256 done;
        while (length - done > 128) {
            assembly ("memory-safe") {
                calldatacopy(add(s, 68), add(from, done), 128)
            }
            done += 128;
            _compress(s, done, 0);
        }
        assembly ("memory-safe") {
            calldatacopy(add(s, 68), calldatasize(), 128)
            calldatacopy(add(s, 68), add(from, done), sub(length, done))
        }
        _compress(s, length, 1);
        assembly ("memory-safe") {
            hash := mload(add(s, 4))
        }
    }

    function _compress(uint256 s, uint256 taken, uint256 isLast) private view {
        bool ok;
        assembly ("memory-safe") {
            // Little-endian; no calldata has 2^24 bytes.
            mstore(
                add(s, 196),
                or(shl(248, and(taken, 0xff)), or(shl(240, and(shr(8, taken), 0xff)), shl(232, and(shr(16, taken), 0xff))))
            )
            mstore8(add(s, 212), isLast)
            ok := and(eq(returndatasize(), 64), staticcall(gas(), 0x09, s, 213, add(s, 4), 64))
        }
        if (!ok) revert NoBlake2();
    }

    /// @dev The node with this hash, from its first byte to behind its last.
    function _find(bytes[] calldata nodes, bytes32[] memory hashes, bytes32 wanted)
        private
        pure
        returns (uint256 place, uint256 end)
    {
        for (uint256 i; i < hashes.length; ++i) {
            if (hashes[i] == wanted) {
                place = _offset(nodes[i]);
                return (place, place + nodes[i].length);
            }
        }
        revert Rule_STATE_2();
    }

    /// @dev What a node is, how many nibbles of the key it has, and where they begin.
    function _header(uint256 place)
        private
        pure
        returns (bool isLeaf, bool hasValue, bool isHashed, uint256 count, uint256 next)
    {
        uint256 first = _byte(place);
        next = place + 1;
        uint256 most = 63;
        if (first >> 6 == 1) {
            isLeaf = true;
        } else if (first >> 6 == 3) {
            hasValue = true;
        } else if (first >> 5 == 1) {
            (isLeaf, isHashed, most) = (true, true, 31);
        } else if (first >> 4 == 1) {
            (hasValue, isHashed, most) = (true, true, 15);
        } else if (first >> 6 != 2) {
            revert Rule_STATE_2();
        }
        count = first & most;
        if (count == most) {
            count += _byte(next);
            ++next;
        }
        if (count > NIBBLES) revert Rule_STATE_2();
    }

    /// @dev Compares nibbles of a node with the key from a depth on; returns the depth behind them.
    function _match(uint256 place, uint256 count, uint256 key, uint256 depth) private pure returns (uint256) {
        if (depth + count > NIBBLES) revert Rule_STATE_2();
        // An odd number begins with a nibble of zero, which is none of the key's. Halves are rounded up, as meant.
        // slither-disable-next-line divide-before-multiply
        uint256 nibbles = uint256(_word(place)) >> (256 - 8 * ((count + 1) / 2));
        uint256 wanted = count == 0 ? 0 : (key << (4 * depth)) >> (256 - 4 * count);
        if (count != 0 && nibbles != wanted) revert Rule_STATE_2();
        return depth + count;
    }

    /// @dev The hash of a branch's child. A child that is not a hash is too short for the wanted value.
    function _child(uint256 place, bool hasValue, bool isHashed, uint256 nibble) private pure returns (bytes32) {
        uint256 bitmap = _byte(place) | (_byte(place + 1) << 8);
        if ((bitmap >> nibble) & 1 == 0) revert Rule_STATE_2();
        place += 2;
        if (isHashed) {
            place += 32;
        } else if (hasValue) {
            (uint256 length, uint256 size) = _compact(place);
            place += size + length;
        }
        for (uint256 i; i < nibble; ++i) if ((bitmap >> i) & 1 == 1) place += 1 + (_byte(place) >> 2);
        if (_byte(place) != 32 << 2) revert Rule_STATE_2();
        return _word(place + 1);
    }

    /// @dev A length below 2^30, and how many bytes it takes.
    function _compact(uint256 place) private pure returns (uint256 value, uint256 size) {
        uint256 first = _byte(place);
        if (first & 3 == 0) return (first >> 2, 1);
        if (first & 3 == 1) return ((first | (_byte(place + 1) << 8)) >> 2, 2);
        if (first & 3 == 3) revert Rule_STATE_2();
        uint256 four = first | (_byte(place + 1) << 8) | (_byte(place + 2) << 16) | (_byte(place + 3) << 24);
        return (four >> 2, 4);
    }

    function _offset(bytes calldata data) private pure returns (uint256 place) {
        assembly ("memory-safe") {
            place := data.offset
        }
    }

    function _byte(uint256 place) private pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := byte(0, calldataload(place))
        }
    }

    function _word(uint256 place) private pure returns (bytes32 word) {
        assembly ("memory-safe") {
            word := calldataload(place)
        }
    }
}
