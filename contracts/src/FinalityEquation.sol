// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Bls12381} from "./Bls12381.sol";

/// @title The equation of a finality proof (JUST-5).
/// @notice Who signed, and with which keys, is the caller's to check first: JUST-1 to JUST-4, STATELESS-1 and -2.
library FinalityEquation {
    using Bls12381 for bytes;

    /// The equation does not hold.
    error Rule_JUST_5();
    /// A point is not 128 bytes in G1 or 256 in G2, or its signature or `apk2` is infinity.
    error Rule_ENC_Form();

    bytes private constant SUITE = "BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";
    bytes private constant TAG = "duet-v1/justification/t";
    bytes private constant G1 =
        hex"0000000000000000000000000000000017f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb0000000000000000000000000000000008b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1";
    /// Minus the generator of G2: y is negated.
    bytes private constant MINUS_G2 =
        hex"00000000000000000000000000000000024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb80000000000000000000000000000000013e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e000000000000000000000000000000000d1b3cc2c7027888be51d9ef691d77bcb679afda66c73f17f9ee3837a55024f78c71363275a75d75d86bab79f74782aa0000000000000000000000000000000013fa4d4a0ad8b1ce186ed5061789213d993923066dddaf1040bc3ff59f825c78df74f2d75467e25e0f55f8a00fa030ed";

    /// @notice Reverts unless `e(s + t*apk1, g2) = e(H(m) + t*g1, apk2)`.
    /// @param signed What was signed: `duet-v1`, genesis hash, commitment. (MSG-2)
    function check(bytes memory signed, bytes memory s, bytes memory apk1, bytes memory apk2) public view {
        if (s.length != 128 || apk1.length != 128 || apk2.length != 256) revert Rule_ENC_Form();
        // The precompiles take infinity; y is never zero in the subgroup.
        if (s.isZero(64) || (apk2.isZero(128) && apk2.isZero(192))) revert Rule_ENC_Form();
        bytes memory hashed = bytes.concat(SUITE, signed).hashToG1();
        uint256 t = coefficient(hashed, s, apk1, apk2);
        // MSM refuses what is outside the subgroup for apk1; the pairing for the sums and apk2.
        bytes memory left = s.add(apk1.multiply(t));
        bytes memory right = hashed.add(G1.multiply(t));
        if (!left.pairsToOne(MINUS_G2, right, apk2)) revert Rule_JUST_5();
    }

    /// @notice The coefficient `t`. Public, since no valid proof notices a wrong one. (JUST-5)
    function coefficient(bytes memory hashed, bytes memory s, bytes memory apk1, bytes memory apk2)
        public
        pure
        returns (uint256)
    {
        bytes32 digest = sha256(
            bytes.concat(
                field(TAG),
                field(hashed.compressG1()),
                field(apk1.compressG1()),
                field(apk2.compressG2()),
                field(s.compressG1())
            )
        );
        uint256 t;
        for (uint256 i; i < 16; ++i) t |= uint256(uint8(digest[i])) << (8 * i);
        return t == 0 ? 1 : t;
    }

    /// Lengths are below 256, so one byte and seven zeros are the length in little-endian.
    function field(bytes memory value) private pure returns (bytes memory) {
        return abi.encodePacked(uint8(value.length), bytes7(0), value);
    }
}
