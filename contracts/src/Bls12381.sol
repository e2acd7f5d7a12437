// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Points of BLS12-381, over the precompiles of EIP-2537.
/// @notice A point is given as EIP-2537 has it: 128 bytes in G1, 256 in G2, infinity all zero. An addition checks the
/// curve, a multiplication and a pairing also the subgroup.
library Bls12381 {
    /// A precompile refused its input, or the chain lacks it. The rule is that of valid points.
    error Rule_ENC(address precompile);

    uint256 private constant HALF_HIGH = 0x0d0088f51cbff34d258dd3db21a5d66b;
    uint256 private constant HALF_LOW = 0xb23ba5c279c2895fb39869507b587b120f55ffff58a9ffffdcff7fffffffd555;
    bytes private constant P =
        hex"1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab";

    /// @notice Calls a precompile that answers with `size` bytes.
    function precompile(address target, bytes memory input, uint256 size) internal view returns (bytes memory output) {
        bool ok;
        (ok, output) = target.staticcall(input);
        // A chain without the precompile answers with success and no bytes.
        if (!ok || output.length != size) revert Rule_ENC(target);
    }

    /// @notice The sum of two points of G1.
    function add(bytes memory a, bytes memory b) internal view returns (bytes memory) {
        return precompile(address(0x0b), bytes.concat(a, b), 128);
    }

    /// @notice A point of G1, checked to be in the subgroup, times a scalar.
    function multiply(bytes memory point, uint256 scalar) internal view returns (bytes memory) {
        return precompile(address(0x0c), abi.encodePacked(point, scalar), 128);
    }

    /// @notice Whether `e(a, b) * e(c, d)` is one.
    function pairsToOne(bytes memory a, bytes memory b, bytes memory c, bytes memory d) internal view returns (bool) {
        return abi.decode(precompile(address(0x0f), bytes.concat(a, b, c, d), 32), (uint256)) == 1;
    }

    /// @notice The 48 bytes of a point of G1 that is on the curve and not infinity.
    function compressG1(bytes memory point) internal pure returns (bytes memory) {
        return flagged(slice(point, 16, 48), isLarge(point, 64));
    }

    /// @notice The 96 bytes of a point of G2 that is on the curve and not infinity: the second coordinate comes first.
    function compressG2(bytes memory point) internal pure returns (bytes memory) {
        uint256 decides = isZero(point, 192) ? 128 : 192;
        return flagged(bytes.concat(slice(point, 80, 48), slice(point, 16, 48)), isLarge(point, decides));
    }

    /// @notice Hashes to G1 by RFC 9380 (SHA-256, SSWU, random oracle) with the tag `01`. (MSG-1)
    function hashToG1(bytes memory message) internal view returns (bytes memory) {
        bytes32 zero = sha256(bytes.concat(new bytes(64), message, hex"0080000101"));
        bytes32 one = sha256(bytes.concat(zero, hex"010101"));
        bytes32 two = sha256(bytes.concat(zero ^ one, hex"020101"));
        bytes32 three = sha256(bytes.concat(zero ^ two, hex"030101"));
        bytes32 four = sha256(bytes.concat(zero ^ three, hex"040101"));
        return add(mapped(one, two), mapped(three, four));
    }

    function mapped(bytes32 high, bytes32 low) private view returns (bytes memory) {
        // MODEXP with exponent one reduces the 64 bytes modulo p.
        bytes memory input = abi.encodePacked(uint256(64), uint256(1), uint256(48), high, low, uint8(1), P);
        bytes memory field = precompile(address(0x05), input, 48);
        return precompile(address(0x10), bytes.concat(bytes16(0), field), 128);
    }

    function isLarge(bytes memory point, uint256 offset) private pure returns (bool) {
        (uint256 high, uint256 low) = words(point, offset);
        return high > HALF_HIGH || (high == HALF_HIGH && low > HALF_LOW);
    }

    function isZero(bytes memory point, uint256 offset) internal pure returns (bool) {
        (uint256 high, uint256 low) = words(point, offset);
        return high | low == 0;
    }

    function words(bytes memory point, uint256 offset) private pure returns (uint256 high, uint256 low) {
        assembly ("memory-safe") {
            high := mload(add(add(point, 32), offset))
            low := mload(add(add(point, 64), offset))
        }
    }

    function flagged(bytes memory x, bool large) private pure returns (bytes memory) {
        x[0] |= large ? bytes1(0xa0) : bytes1(0x80);
        return x;
    }

    function slice(bytes memory from, uint256 offset, uint256 size) private pure returns (bytes memory part) {
        part = new bytes(size);
        assembly ("memory-safe") {
            mcopy(add(part, 32), add(add(from, 32), offset), size)
        }
    }
}
