// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Stateless finality proofs of Duet, over the precompiles of EIP-2537.
/// @notice The bytes of a proof, in this order, with nothing behind them:
///
///     168   the commitment, SCALE (MSG-2)
///     92    the commitment of the set that signs, SCALE (SET-3)
///     48    y of its total
///     96    the signature: x, y
///     192   apk2: x.c0, x.c1, y.c0, y.c1
///     48    y of the next set's total; only when the commitment names another id as next
///     n/8   the bitfield, rounded up (JUST-2)
///     96 k  the keys of the k non-signers: x, y (STATELESS-1)
///     32 h  the multiproof (STATELESS-2)
///
/// Points come uncompressed, because the EVM cannot find y; bytes that are hashed are compressed here.
/// @dev Subgroups: the multiplication checks apk1, the pairing checks apk2 and `s + t*apk1`, and therefore `s`. Of a known pair
/// apk1 was checked then, and the pairing checks apk2 and `s`. Keys of
/// non-signers are under a trusted root, so the chain checked them (SET-5). The top bits of x are free, because every
/// point goes to a precompile that refuses x above the modulus before the proof is accepted.
library FinalityProof {
    /// A precompile refused its input, or the chain lacks it. ENC-1, ENC-3 or ENC-4.
    error Rule_ENC(uint256 precompile);
    /// A point is infinity.
    error Rule_ENC_2();
    /// The proof is cut, or bytes are left over.
    error Rule_ENC_6();
    /// A bit beyond the set is set.
    error Rule_JUST_3();
    /// Too few signers.
    error Rule_JUST_4();
    /// The equation does not hold.
    error Rule_JUST_5();
    /// The keys of the non-signers are not under the root of the set.
    error Rule_STATELESS_2();
    /// The total of a set is no point, or y is not the one that its sign bit names.
    error Rule_SET_3();

    uint256 internal constant SET = 168;
    uint256 private constant SIGNATURE = 308;
    uint256 private constant APK2 = 404;
    uint256 private constant REST = 596;
    /// How much longer a recovery's statement is than a commitment.
    uint256 private constant RECOVERY = 12;

    // The modulus, and half of it, in 16 and 32 bytes.
    uint256 private constant P_HIGH = 0x1a0111ea397fe69a4b1ba7b6434bacd7;
    uint256 private constant P_LOW = 0x64774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab;
    uint256 private constant HALF_HIGH = 0x0d0088f51cbff34d258dd3db21a5d66b;
    uint256 private constant HALF_LOW = 0xb23ba5c279c2895fb39869507b587b120f55ffff58a9ffffdcff7fffffffd555;

    // Where things are in the working memory. First the input of the pairing: left, -g2, right, apk2.
    uint256 private constant RIGHT = 384;
    uint256 private constant KEY2 = 512;
    uint256 private constant SIGMA = 768;
    uint256 private constant T_APK1 = 896;
    uint256 private constant MESSAGE = 1024;
    uint256 private constant T_G1 = 1152;
    uint256 private constant APK1 = 1280;
    uint256 private constant SCALAR = 1408;
    uint256 private constant SCRATCH = 1440;
    uint256 private constant SIZE = 2048;

    // A batch of n proofs: n, how many terms and groups there are, and the pair of the last group. Then what the pairing takes: a
    // left pair, and one for each group, which begins with the number of its first term until its sum is known. Then up to 2 n
    // terms, each a point with its coefficient, of the left sum, and as many of the right sums.
    uint256 private constant PAIRS = 128;
    uint256 private constant PAIR = 384;
    uint256 private constant TERM = 160;

    /// @notice Reverts unless the proof holds for the set that it brings. The caller compares that set with a trusted one.
    /// Rules: JUST-2 to JUST-5, STATELESS-1, STATELESS-2. What is looped over is paid for as calldata.
    /// @param known What another call returned, of any set; the pair that led to it needs only its signature checked. (JUST-9)
    /// @return pair The hash of (apk1, apk2).
    function verify(bytes calldata proof, bytes32 genesisHash, bytes32 known) internal view returns (bytes32 pair) {
        uint256 m = read(proof, genesisHash);
        pair = _pair(m);
        if (pair == known) _signature(m);
        else _equation(m);
    }

    function _pair(uint256 m) private pure returns (bytes32 pair) {
        assembly ("memory-safe") {
            let s := add(m, SCRATCH)
            mcopy(s, add(m, APK1), 128)
            mcopy(add(s, 128), add(m, KEY2), 256)
            pair := keccak256(s, 384)
        }
    }

    /// @notice The same of a recovery proof: a statement of 180 bytes in place of the commitment, and always y of the total of
    /// the set that it names. (RECOVER-6)
    function verifyRecovery(bytes calldata proof, bytes32 genesisHash) internal view {
        unchecked {
            (uint256 m, uint256 place) = _memory(proof);
            uint256 from = place + RECOVERY;
            // RECOVER-5, KEY-1: nothing uses the new set's total yet. A multiplication by one checks its subgroup.
            _total(m + APK1, place + 132, from + REST);
            assembly ("memory-safe") {
                mstore(add(m, SCALAR), 1)
            }
            _call(0x0c, m + APK1, 160, m + T_APK1, 128);
            _apk1(m, from, from + REST + 48, place + proof.length);
            uint256 s = m + SCRATCH;
            assembly ("memory-safe") {
                mstore(s, 0)
                mstore(add(s, 32), 0)
                mstore(add(s, 64), "BLS_SIG_BLS12381G1_XMD:SHA-256_S")
                mstore(add(s, 96), "SWU_RO_DUET_RECOVERY_duet-recove")
                mstore(add(s, 128), "ry-v1/statement")
                mstore(add(s, 143), genesisHash)
                calldatacopy(add(s, 175), place, 180)
            }
            _hash(m, 355);
            _points(m, from);
            _equation(m);
        }
    }

    /// @dev JUST-5, of the points in the working memory.
    function _equation(uint256 m) private view {
        if (!equationHolds(m)) revert Rule_JUST_5();
    }

    /// @dev The left and the right point of the equation.
    function _terms(uint256 m) private view {
        unchecked {
            uint256 t = coefficient(m);
            assembly ("memory-safe") {
                mstore(add(m, SCALAR), t)
            }
            _call(0x0c, m + APK1, 160, m + T_APK1, 128);
            _g1(m + APK1);
            _generator(m + 128);
            _call(0x0c, m + APK1, 160, m + T_G1, 128);
            _call(0x0b, m + SIGMA, 256, m, 128);
            _call(0x0b, m + MESSAGE, 256, m + RIGHT, 128);
        }
    }

    /// @dev JUST-9: JUST-5 of a pair for which it held before.
    function _signature(uint256 m) private view {
        unchecked {
            _generator(m + 128);
            assembly ("memory-safe") {
                mcopy(m, add(m, SIGMA), 128)
                mcopy(add(m, RIGHT), add(m, MESSAGE), 128)
            }
            if (!_product(m)) revert Rule_JUST_5();
        }
    }

    /// @notice Room for the points of so many proofs. (JUST-10)
    function newBatch(uint256 n) internal pure returns (uint256 batch) {
        assembly ("memory-safe") {
            batch := mload(0x40)
            calldatacopy(batch, calldatasize(), 128)
            mstore(batch, n)
            mstore(0x40, add(batch, add(add(PAIRS, PAIR), mul(n, add(shl(2, TERM), PAIR)))))
        }
    }

    /// @notice Moves the points of a proof from its working memory into a batch, and frees that memory and what was taken after it.
    /// A proof joins the group of the one before when their pairs are the same.
    /// @return pair The hash of (apk1, apk2).
    function addToBatch(uint256 batch, uint256 m) internal pure returns (bytes32 pair) {
        unchecked {
            pair = _pair(m);
            _g1(m + T_G1);
            assembly ("memory-safe") {
                let n := mload(batch)
                let terms := mload(add(batch, 32))
                let left := add(add(batch, add(PAIRS, mul(add(n, 1), PAIR))), mul(terms, TERM))
                let right := add(left, mul(shl(1, n), TERM))
                if xor(pair, mload(add(batch, 96))) {
                    let groups := add(mload(add(batch, 64)), 1)
                    let group := add(batch, add(PAIRS, mul(groups, PAIR)))
                    mstore(group, terms)
                    mcopy(add(group, 128), add(m, KEY2), 256)
                    mcopy(left, add(m, APK1), 128)
                    mcopy(right, add(m, T_G1), 128)
                    left := add(left, TERM)
                    right := add(right, TERM)
                    terms := add(terms, 1)
                    mstore(add(batch, 64), groups)
                    mstore(add(batch, 96), pair)
                }
                mcopy(left, add(m, SIGMA), 128)
                mcopy(right, add(m, MESSAGE), 128)
                mstore(add(batch, 32), add(terms, 1))
                mstore(0x40, m)
            }
        }
    }

    /// @notice JUST-5 of all proofs of a batch, by one product with odd coefficients of 128 bits from a hash over all. (JUST-10)
    function batchHolds(uint256 batch) internal view returns (bool) {
        unchecked {
            uint256 pairs = batch + PAIRS;
            uint256 terms;
            uint256 groups;
            uint256 left;
            uint256 right;
            assembly ("memory-safe") {
                let n := mload(batch)
                terms := mload(add(batch, 32))
                groups := mload(add(batch, 64))
                left := add(pairs, mul(add(n, 1), PAIR))
                right := add(left, mul(shl(1, n), TERM))
                let seed := keccak256(batch, add(sub(right, batch), mul(terms, TERM)))
                for { let i := 0 } lt(i, terms) { i := add(i, 1) } {
                    mstore(0, seed)
                    mstore(32, i)
                    let coefficient_ := or(shr(128, keccak256(0, 64)), 1)
                    let at := add(mul(i, TERM), 128)
                    mstore(add(left, at), coefficient_)
                    mstore(add(right, at), coefficient_)
                }
            }
            uint256 group = pairs;
            uint256 end = right;
            for (uint256 i = 1; i <= groups; ++i) {
                group += PAIR;
                uint256 begin = end;
                end = right + TERM * (i == groups ? terms : uint256(_load(group + PAIR)));
                _call(0x0c, begin, end - begin, group, 128);
            }
            _call(0x0c, left, TERM * terms, pairs, 128);
            _generator(pairs + 128);
            _call(0x0f, pairs, group + PAIR - pairs, pairs, 32);
            return uint256(_load(pairs)) == 1;
        }
    }

    /// @notice Whether JUST-5 holds for the points in the working memory, which it overwrites.
    function equationHolds(uint256 m) internal view returns (bool) {
        _terms(m);
        return _product(m);
    }

    /// @dev Left with minus the generator of G2, and right with apk2.
    function _product(uint256 m) private view returns (bool) {
        _call(0x0f, m, 768, m, 32);
        return uint256(_load(m)) == 1;
    }

    /// @notice Reads the points of a proof into a working memory, and returns where that is. JUST-2 to JUST-4, STATELESS-1, -2.
    function read(bytes calldata proof, bytes32 genesisHash) internal view returns (uint256 m) {
        unchecked {
            uint256 place;
            (m, place) = _memory(proof);
            uint256 rest = place + REST;
            assembly ("memory-safe") {
                // Whether the ids differ does not depend on the order of their bytes.
                if shr(192, xor(calldataload(add(place, 68)), calldataload(add(place, 76)))) { rest := add(rest, 48) }
            }
            _apk1(m, place, rest, place + proof.length);
            uint256 s = m + SCRATCH;
            assembly ("memory-safe") {
                mstore(s, 0)
                mstore(add(s, 32), 0)
                mstore(add(s, 64), "BLS_SIG_BLS12381G1_XMD:SHA-256_S")
                mstore(add(s, 96), "SWU_RO_NUL_duet-v1")
                mstore(add(s, 114), genesisHash)
                calldatacopy(add(s, 146), place, 168)
            }
            _hash(m, 314);
            _points(m, place);
        }
    }

    function _memory(bytes calldata proof) private pure returns (uint256 m, uint256 place) {
        assembly ("memory-safe") {
            place := proof.offset
            m := mload(0x40)
            mstore(0x40, add(m, SIZE))
        }
    }

    function _points(uint256 m, uint256 place) private pure {
        unchecked {
            _point(m + SIGMA, place + SIGNATURE);
            _point(m + KEY2, place + APK2);
            _point(m + KEY2 + 128, place + APK2 + 96);
            if (_isZero(m + SIGMA + 64) || (_isZero(m + KEY2 + 128) && _isZero(m + KEY2 + 192))) revert Rule_ENC_2();
        }
    }

    /// @notice Whether the chain's precompiles answer a known question: a hash to the curve whose bytes are known, a
    /// multiple of it, a product of pairings that is one, and another that is not.
    function precompilesWork() internal view returns (bool) {
        unchecked {
            uint256 m;
            assembly ("memory-safe") {
                m := mload(0x40)
                mstore(0x40, add(m, SIZE))
            }
            _expand(m, bytes32(uint256(1)), bytes32(uint256(2)), bytes32(uint256(3)), bytes32(uint256(4)));
            assembly ("memory-safe") {
                mcopy(add(m, APK1), add(m, MESSAGE), 128)
                mstore(add(m, SCALAR), 2)
                mcopy(add(m, T_G1), add(m, MESSAGE), 128)
            }
            if (_digest(m + MESSAGE) != KNOWN) return false;
            _call(0x0c, m + APK1, 160, m + T_APK1, 128);
            _call(0x0b, m + MESSAGE, 256, m + T_G1, 128);
            if (_digest(m + T_APK1) != _digest(m + T_G1)) return false;
            _generator(m + 128);
            _generator(m + KEY2);
            assembly ("memory-safe") {
                mcopy(m, add(m, APK1), 128)
                mcopy(add(m, RIGHT), add(m, APK1), 128)
            }
            _call(0x0f, m, 768, m + SCRATCH, 32);
            if (_load(m + SCRATCH) != 0) return false;
            _negate(m + RIGHT);
            _call(0x0f, m, 768, m + SCRATCH, 32);
            return uint256(_load(m + SCRATCH)) == 1;
        }
    }

    // The hash of the sum of the two points to which the words 1, 2 and 3, 4 lead.
    bytes32 private constant KNOWN = 0x3f71fd19bf4dd149a728835c34677e8a664419e8fc672700b50acf18496a40b1;

    function _digest(uint256 point) private pure returns (bytes32 digest) {
        assembly ("memory-safe") {
            digest := keccak256(point, 128)
        }
    }

    /// @dev The generator of G1.
    function _g1(uint256 to) private pure {
        assembly ("memory-safe") {
            mstore(to, 0x17f1d3a73197d7942695638c4fa9ac0f)
            mstore(add(to, 32), 0xc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb)
            mstore(add(to, 64), 0x08b3f481e3aaa0f1a09e30ed741d8ae4)
            mstore(add(to, 96), 0xfcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1)
        }
    }

    /// @dev Minus the generator of G2.
    function _generator(uint256 to) private pure {
        assembly ("memory-safe") {
            mstore(to, 0x024aa2b2f08f0a91260805272dc51051)
            mstore(add(to, 32), 0xc6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8)
            mstore(add(to, 64), 0x13e02b6052719f607dacd3a088274f65)
            mstore(add(to, 96), 0x596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e)
            mstore(add(to, 128), 0x0d1b3cc2c7027888be51d9ef691d77bc)
            mstore(add(to, 160), 0xb679afda66c73f17f9ee3837a55024f78c71363275a75d75d86bab79f74782aa)
            mstore(add(to, 192), 0x13fa4d4a0ad8b1ce186ed5061789213d)
            mstore(add(to, 224), 0x993923066dddaf1040bc3ff59f825c78df74f2d75467e25e0f55f8a00fa030ed)
        }
    }

    /// @notice Checks that the total of a set is a point of the curve whose y is the one that its sign bit names. (SET-3)
    /// The subgroup is checked when the total is used.
    /// @param from Where the 48 signed bytes and then y are in memory.
    function checkTotal(uint256 from) internal view {
        unchecked {
            uint256 m;
            bool agrees;
            assembly ("memory-safe") {
                m := mload(0x40)
                mstore(m, and(shr(128, mload(from)), 0x1fffffffffffffffffffffffffffffff))
                mstore(add(m, 32), mload(add(from, 16)))
                mstore(add(m, 64), shr(128, mload(add(from, 48))))
                mstore(add(m, 96), mload(add(from, 64)))
                calldatacopy(add(m, 128), calldatasize(), 128)
            }
            uint256 isLarge = _isLarge(m + 64);
            assembly ("memory-safe") {
                // Compressed, not infinity, and the sign of y.
                agrees := eq(shr(253, mload(from)), or(4, isLarge))
            }
            if (!agrees || _isZero(m + 64)) revert Rule_SET_3();
            _call(0x0b, m, 256, m, 128);
        }
    }

    /// @dev Number of four little-endian bytes of the calldata.
    function u32(uint256 place) internal pure returns (uint256 n) {
        assembly ("memory-safe") {
            let w := calldataload(place)
            n := or(or(byte(0, w), shl(8, byte(1, w))), or(shl(16, byte(2, w)), shl(24, byte(3, w))))
        }
    }

    /// @dev Number of eight little-endian bytes of the calldata.
    function u64(uint256 place) internal pure returns (uint256 n) {
        assembly ("memory-safe") {
            // Bytes change places, then pairs and fours: what differs is flipped in both.
            n := shr(192, calldataload(place))
            n := xor(n, mul(and(xor(n, shr(8, n)), 0xff00ff00ff00ff), 0x101))
            n := xor(n, mul(and(xor(n, shr(16, n)), 0xffff0000ffff), 0x10001))
            n := or(shr(32, n), shl(32, and(n, 0xffffffff)))
        }
    }

    /// @dev STATELESS-1, STATELESS-2, JUST-2 to JUST-4: apk1 is the total minus the keys of the non-signers.
    function _apk1(uint256 m, uint256 place, uint256 rest, uint256 end) private view {
        unchecked {
            uint256 n = u32(place + SET + 8);
            uint256 bits = (n + 7) / 8;
            if (rest + bits > end) revert Rule_ENC_6();
            (uint256 list, uint256 last, uint256 gap) = _nonSigners(rest, n);
            rest += bits;
            uint256 nodes = rest + 3 * (last - list) / 2;
            if (nodes > end) revert Rule_ENC_6();
            _total(m + APK1, place + SET + 44, place + SET + 92);
            if (last == list) {
                if (rest != end) revert Rule_ENC_6();
                return;
            }
            _negate(m + APK1);
            uint256 levels = _addKeys(m, list, last, gap, rest);
            // Infinity has no sign, and no set whose keys were checked leads to it.
            if (_isZero(m + APK1 + 64)) revert Rule_ENC_2();
            _negate(m + APK1);
            _multiproof(list, last, (n - 1) >> levels, nodes + levels * (last - list) / 2, end, place + SET + 12);
        }
    }

    /// @dev Adds the keys of the non-signers to minus the total, and climbs from each one's leaf as long as no two paths meet
    /// and no node lacks a sibling. Of these levels the multiproof has one sibling for each path, so each is climbed at once.
    /// At `list` a position becomes that of the node that is reached, with its hash. Returns how many levels these are.
    /// No key is infinity: its leaf would be that of (0, 2), which has order three, so no tree has it. (SET-5)
    function _addKeys(uint256 m, uint256 list, uint256 last, uint256 gap, uint256 place) private view returns (uint256 levels) {
        bool ok;
        assembly ("memory-safe") {
            let sum := add(m, APK1)
            // Behind the sum: both are the input of an addition.
            let key := add(m, SCALAR)
            mstore(key, 0)
            mstore(add(key, 64), 0)
            // What is hashed for a node, from 0x1f to 0x5f: a one and two children. The pointer at 0x40 is restored below.
            mstore8(0x1f, 1)
            let stride := shr(1, sub(last, list))
            let nodes := add(place, mul(3, stride))
            let at
            gap := shl(64, gap)
            for { } lt(list, last) { } {
                calldatacopy(add(key, 16), place, 48)
                calldatacopy(add(key, 80), add(place, 48), 48)
                place := add(place, 96)
                if iszero(staticcall(gas(), 0x0b, sum, 256, sum, 128)) { break }
                let isLarge := gt(add(mload(add(key, 64)), gt(mload(add(key, 96)), HALF_LOW)), HALF_HIGH)
                mstore(key, or(mload(key), shl(125, or(4, isLarge))))
                // The leaf: a zero byte of the padding, then the compressed key.
                let hash := keccak256(add(key, 15), 49)
                // The gap, 64 bits above 32 times the position: both are halved at each level.
                let path := or(gap, shl(5, mload(list)))
                at := nodes
                for { } shr(65, path) { } {
                    let side := and(path, 32)
                    mstore(sub(0x40, side), calldataload(at))
                    mstore(add(0x20, side), hash)
                    hash := keccak256(0x1f, 65)
                    at := add(at, stride)
                    path := shr(1, path)
                }
                mstore(list, and(shr(5, path), 0xffffffff))
                mstore(add(list, 32), hash)
                list := add(list, 64)
                nodes := add(nodes, 32)
            }
            ok := and(eq(list, last), eq(returndatasize(), 128))
            levels := div(add(sub(at, nodes), 32), stride)
            mstore(0x40, last)
        }
        if (!ok) revert Rule_ENC(0x0b);
    }

    /// @dev Positions of those who did not sign, from `list` to `last`, each with room for a hash. (JUST-3, JUST-4)
    /// The highest bit of `gap` is that of the lowest level where two of them are below the children of one node, or a sibling
    /// may be missing.
    function _nonSigners(uint256 place, uint256 n) private pure returns (uint256 list, uint256 last, uint256 gap) {
        if (n == 0) revert Rule_JUST_4();
        uint256 most = (n - 1) / 3;
        bool padded;
        assembly ("memory-safe") {
            list := mload(0x40)
            last := list
            most := add(list, shl(6, most))
            gap := not(0)
            let before := gap
            for { let i := 0 } and(lt(i, n), iszero(gt(last, most))) { i := add(i, 256) } {
                let w := not(calldataload(add(place, shr(3, i))))
                let left := sub(n, i)
                if lt(left, 256) {
                    // Bytes behind the bitfield are not looked at; bits behind the set must be zero.
                    let behind := sub(256, left)
                    // By as many bits, as meant: slither takes such a constant for the distance.
                    // slither-disable-next-line incorrect-shift
                    let spare := xor(0xff, shr(and(behind, 7), 0xff))
                    behind := and(behind, 0xf8)
                    w := xor(shr(behind, w), spare)
                    padded := gt(and(w, spare), 0)
                    w := shl(behind, w)
                }
                for { } w { } {
                    // The first byte that is not zero, r bits from the right, and its lowest bit.
                    let r := shl(7, gt(shr(128, w), 0))
                    r := or(r, shl(6, gt(shr(64, shr(r, w)), 0)))
                    r := or(r, shl(5, gt(shr(r, w), 0xffffffff)))
                    r := or(r, shl(4, gt(shr(r, w), 0xffff)))
                    r := or(r, shl(3, gt(shr(r, w), 0xff)))
                    let b := shr(r, w)
                    b := and(b, sub(0, b))
                    w := xor(w, shl(r, b))
                    // The exponents of the powers of two below 256, at their remainders by 11.
                    let at := add(sub(add(i, 248), r), byte(mod(b, 11), shl(168, 0x0000010002040007030605)))
                    before := xor(before, at)
                    if lt(before, gap) { gap := before }
                    before := at
                    mstore(last, at)
                    last := add(last, 64)
                }
            }
            // The last member of the set: where a path meets its path, siblings may be missing from that level on.
            before := or(shl(1, xor(before, sub(n, 1))), 1)
            if lt(before, gap) { gap := before }
            mstore(0x40, last)
        }
        if (padded) revert Rule_JUST_3();
        if (last > most) revert Rule_JUST_4();
    }

    /// @dev SET-2, STATELESS-2. From `list` to `last` are positions, each with the hash of its node, of a level whose last
    /// position is `z`. What is hashed is where `_addKeys` put it.
    function _multiproof(uint256 list, uint256 last, uint256 z, uint256 place, uint256 end, uint256 rootAt) private pure {
        bool holds;
        assembly ("memory-safe") {
            for { } z { z := shr(1, z) } {
                let to := list
                let from := list
                // The last node of a level has no sibling when its position is even.
                let until := sub(last, shl(6, gt(eq(mload(sub(last, 64)), z), and(z, 1))))
                // Behind the last node, what is no position of a right child.
                mstore(last, 0)
                for { } lt(from, until) { } {
                    let node := mload(from)
                    let side := and(shl(5, node), 32)
                    mstore(add(0x20, side), mload(add(from, 32)))
                    from := add(from, 64)
                    switch eq(mload(from), or(node, 1))
                    case 0 {
                        mstore(sub(0x40, side), calldataload(place))
                        place := add(place, 32)
                    }
                    default {
                        mstore(0x40, mload(add(from, 32)))
                        from := add(from, 64)
                    }
                    mstore(to, shr(1, node))
                    mstore(add(to, 32), keccak256(0x1f, 65))
                    to := add(to, 64)
                }
                if lt(from, last) {
                    mstore(to, shr(1, z))
                    mstore(add(to, 32), mload(add(from, 32)))
                    to := add(to, 64)
                }
                last := to
            }
            mstore(0x40, list)
            // `place` beyond the end would have read foreign bytes; then it is not equal either.
            holds := and(eq(place, end), eq(mload(add(list, 32)), calldataload(rootAt)))
        }
        if (!holds) revert Rule_STATELESS_2();
    }

    /// @dev MSG-1, MSG-2: RFC 9380 with SHA-256, 128 bytes, the tag `01`. So many bytes are in the scratch memory: 64 of zero,
    /// the suite and the message.
    function _hash(uint256 m, uint256 length) private view {
        unchecked {
            uint256 s = m + SCRATCH;
            assembly ("memory-safe") {
                mstore(add(s, length), shl(216, 0x0080000101))
            }
            _call(0x02, s, length + 5, s, 32);
            bytes32 zero = _load(s);
            bytes32 one = _block(s, zero, 0x01);
            bytes32 two = _block(s, zero ^ one, 0x02);
            bytes32 three = _block(s, zero ^ two, 0x03);
            _expand(m, one, two, three, _block(s, zero ^ three, 0x04));
        }
    }

    function _block(uint256 s, bytes32 previous, uint256 index) private view returns (bytes32) {
        assembly ("memory-safe") {
            mstore(s, previous)
            mstore(add(s, 32), shl(232, or(shl(16, index), 0x0101)))
        }
        _call(0x02, s, 35, s, 32);
        return _load(s);
    }

    function _expand(uint256 m, bytes32 one, bytes32 two, bytes32 three, bytes32 four) private view {
        unchecked {
            _map(m, one, two, m + MESSAGE);
            _map(m, three, four, m + T_G1);
            _call(0x0b, m + MESSAGE, 256, m + MESSAGE, 128);
        }
    }

    /// @dev MODEXP with exponent one reduces 64 bytes by the modulus.
    function _map(uint256 m, bytes32 high, bytes32 low, uint256 to) private view {
        unchecked {
            uint256 s = m + SCRATCH;
            assembly ("memory-safe") {
                mstore(s, 64)
                mstore(add(s, 32), 1)
                mstore(add(s, 64), 48)
                mstore(add(s, 96), high)
                mstore(add(s, 128), low)
                mstore8(add(s, 160), 1)
                mstore(add(s, 161), shl(128, P_HIGH))
                mstore(add(s, 177), P_LOW)
            }
            _call(0x05, s, 209, s + 16, 48);
            assembly ("memory-safe") {
                mstore(s, shr(128, mload(add(s, 16))))
            }
            _call(0x10, s, 64, to, 128);
        }
    }

    /// @notice JUST-5: the coefficient, of the points in the working memory.
    function coefficient(uint256 m) internal view returns (uint256 t) {
        unchecked {
            uint256 s = m + SCRATCH;
            assembly ("memory-safe") {
                mstore(s, shl(248, 23))
                mstore(add(s, 8), "duet-v1/justification/t")
            }
            _length(s + 31, 48);
            _compress(s + 39, m + MESSAGE, _isLarge(m + MESSAGE + 64));
            _length(s + 87, 48);
            _compress(s + 95, m + APK1, _isLarge(m + APK1 + 64));
            _length(s + 143, 96);
            uint256 y = m + KEY2 + (_isZero(m + KEY2 + 192) ? 128 : 192);
            _compress(s + 151, m + KEY2 + 64, _isLarge(y));
            assembly ("memory-safe") {
                // The second half has no flags.
                mcopy(add(s, 199), add(m, add(KEY2, 16)), 48)
            }
            _length(s + 247, 48);
            _compress(s + 255, m + SIGMA, _isLarge(m + SIGMA + 64));
            _call(0x02, s, 303, s, 32);
            assembly ("memory-safe") {
                // The first 16 bytes, little-endian: bytes change places, then pairs, fours and eights. What differs is flipped in
                // both.
                t := shr(128, mload(s))
                t := xor(t, mul(and(xor(t, shr(8, t)), 0xff00ff00ff00ff00ff00ff00ff00ff), 0x101))
                t := xor(t, mul(and(xor(t, shr(16, t)), 0xffff0000ffff0000ffff0000ffff), 0x10001))
                t := xor(t, mul(and(xor(t, shr(32, t)), 0xffffffff00000000ffffffff), 0x100000001))
                t := or(shr(64, t), shl(64, and(t, 0xffffffffffffffff)))
                if iszero(t) { t := 1 }
            }
        }
    }

    /// @dev A length below 256 in eight little-endian bytes. What comes next overwrites the rest of the word.
    function _length(uint256 to, uint256 length) private pure {
        assembly ("memory-safe") {
            mstore(to, shl(248, length))
        }
    }

    /// @dev ENC-1: 48 bytes.
    function _compress(uint256 to, uint256 point, uint256 isLarge) private pure {
        assembly ("memory-safe") {
            mcopy(to, add(point, 16), 48)
            mstore8(to, or(byte(16, mload(point)), shl(5, or(4, isLarge))))
        }
    }

    /// @dev Two coordinates of 48 bytes from the calldata.
    function _point(uint256 to, uint256 from) private pure {
        assembly ("memory-safe") {
            mstore(to, shr(128, calldataload(from)))
            mstore(add(to, 32), calldataload(add(from, 16)))
            mstore(add(to, 64), shr(128, calldataload(add(from, 48))))
            mstore(add(to, 96), calldataload(add(from, 64)))
        }
    }

    /// @dev x from compressed bytes without their flags, y from elsewhere.
    function _total(uint256 to, uint256 place, uint256 yAt) private pure {
        assembly ("memory-safe") {
            mstore(to, and(shr(128, calldataload(place)), 0x1fffffffffffffffffffffffffffffff))
            mstore(add(to, 32), calldataload(add(place, 16)))
            mstore(add(to, 64), shr(128, calldataload(yAt)))
            mstore(add(to, 96), calldataload(add(yAt, 16)))
        }
    }

    /// @dev y becomes p - y. y is not zero: the curve has no point of order two.
    function _negate(uint256 point) private pure {
        assembly ("memory-safe") {
            let low := mload(add(point, 96))
            mstore(add(point, 64), sub(sub(P_HIGH, mload(add(point, 64))), gt(low, P_LOW)))
            mstore(add(point, 96), sub(P_LOW, low))
        }
    }

    function _isLarge(uint256 y) private pure returns (uint256 large) {
        assembly ("memory-safe") {
            large := gt(add(mload(y), gt(mload(add(y, 32)), HALF_LOW)), HALF_HIGH)
        }
    }

    function _isZero(uint256 y) private pure returns (bool zero) {
        assembly ("memory-safe") {
            zero := iszero(or(mload(y), mload(add(y, 32))))
        }
    }

    function _load(uint256 place) private pure returns (bytes32 word) {
        assembly ("memory-safe") {
            word := mload(place)
        }
    }

    /// @dev A chain without the precompile answers with success and no bytes.
    function _call(uint256 target, uint256 from, uint256 length, uint256 to, uint256 size) private view {
        bool ok;
        assembly ("memory-safe") {
            ok := and(eq(returndatasize(), size), staticcall(gas(), target, from, length, to, size))
        }
        if (!ok) revert Rule_ENC(target);
    }
}
