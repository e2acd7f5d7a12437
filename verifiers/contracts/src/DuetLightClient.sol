// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ClientState} from "./ClientState.sol";
import {FinalityProof} from "./FinalityProof.sol";
import {RareCalls} from "./RareCalls.sol";

/// @title A light client of a chain that Duet finalizes.
/// @notice Anybody may bring proofs. Nobody can change, stop or upgrade it. Two valid proofs that contradict each other
/// freeze it for good. So does sleep: once no newer block came for longer than the trusting period, it takes no proof any more
/// (LIGHT-9). It crosses no reset (LIGHT-8). It shares `RareCalls` with other clients: whoever checks its code checks that of
/// the library at the address in it, too.
/// @dev Sets and blocks are kept as hashes: of a set 92 signed bytes and y of its total, of a block its number, hash and MMR
/// root. Whoever needs them brings them; the events have them.
contract DuetLightClient {
    /// A newer block is final.
    event BlockVerified(uint32 indexed number, bytes32 blockHash, bytes32 mmrRoot, uint64 indexed set);
    /// A set named its successor: 92 signed bytes and y of its total.
    event SetAnnounced(uint64 indexed id, bytes set);
    /// A set signs for the first time.
    event SetChanged(uint64 indexed id);
    /// Two proofs contradict each other. This client accepts nothing any more.
    event Frozen(bytes32 first, bytes32 second);

    /// The block is older than the newest one.
    error Rule_LIGHT_4(uint32 best, uint32 got);
    /// The set has been replaced.
    error Rule_LIGHT_5_OldSet(uint64 signing, uint64 got);
    /// What is named as the next set cannot be it.
    error Rule_LIGHT_5_Successor();
    /// The set is beyond the trusted ones: handoffs are missing.
    error Rule_LIGHT_6(uint64 latest, uint64 got);
    /// The set that came along is not the trusted one of this id.
    error Rule_LIGHT_3();
    /// The newest block came too long ago: its signers may have their stake back. Another client has to be deployed, at a
    /// younger checkpoint.
    error Rule_LIGHT_9(uint256 newest, uint256 trustingPeriod);
    /// The client is frozen.
    error IsFrozen();
    /// The equation does not hold for the proof at this place; those before it are valid. (JUST-5)
    error Rule_JUST_5_At(uint256 place);
    /// The two proofs do not contradict each other.
    error NoContradiction();
    /// The chain lacks the precompiles of EIP-2537.
    error NoPrecompiles();
    /// There is no code at this address, with which the client is linked as a library.
    error NoLibrary(address linked);
    /// The checkpoint cannot be one. (SET-1, LIGHT-5)
    error BadCheckpoint();
    /// Nothing would ever be trusted, or for longer than a time can be written. (LIGHT-9)
    error BadTrustingPeriod();

    /// @notice How many blocks are remembered.
    uint256 public constant KEPT = ClientState.KEPT;

    /// @notice How many sets before the signing one are remembered, so that their contradictions are evidence.
    uint256 public constant KEPT_SETS = ClientState.KEPT_SETS;

    /// @notice Which chain.
    bytes32 public immutable genesisHash;
    /// @notice For how many seconds after its newest block the client goes on: less than the chain's validators wait for
    /// their stake. (LIGHT-9)
    uint256 public immutable trustingPeriod;

    /// @dev `RareCalls` and `RecoveryCalls` find it in the first slots, so nothing may come before it.
    ClientState.Store internal store;

    struct Checkpoint {
        bytes32 genesisHash;
        uint32 blockNumber;
        bytes32 blockHash;
        /// 92 bytes of the set's commitment, then 48 bytes y of its total.
        bytes current;
        /// The same of its successor; empty when none is named.
        bytes next;
    }

    /// @notice Begins at a checkpoint, which is trusted without proof: whoever uses the client has to check it.
    /// @param checkpoint The newest block that is trusted, and the sets from there on. It has to be young: the trusting period
    /// begins with the deployment.
    /// @param period The trusting period, in seconds.
    constructor(Checkpoint memory checkpoint, uint256 period) {
        if (period == 0 || period > type(uint64).max) revert BadTrustingPeriod();
        genesisHash = checkpoint.genesisHash;
        trustingPeriod = period;
        _demandCode(address(RareCalls));
        RareCalls.begin(checkpoint);
    }

    /// @notice What the client knows.
    /// @return number The newest final block.
    /// @return signing The set that signs.
    /// @return hasNext Whether its successor is known.
    /// @return isFrozen Whether two proofs contradicted each other, so that it takes none any more.
    /// @return trustedUntil Until when it takes proofs if no newer block comes, in seconds. (LIGHT-9)
    function status()
        external
        view
        returns (uint32 number, uint64 signing, bool hasNext, bool isFrozen, uint256 trustedUntil)
    {
        ClientState.State memory s = store.state;
        return (s.number, s.signing, s.hasNext, s.isFrozen, s.taken + trustingPeriod);
    }

    /// @notice The sets that are trusted, as hashes: Keccak-256 of 92 signed bytes and y of the total.
    /// @return signing The set that signs.
    /// @return next Its successor; zero while none is known.
    function sets() external view returns (bytes32 signing, bytes32 next) {
        return (store.signingSet, store.state.hasNext ? store.nextSet : bytes32(0));
    }

    /// @notice Whether a block with this MMR root was proven and is one of the last `KEPT`.
    /// A frozen client says no, because it cannot tell which of the blocks before are on the chain that lasts.
    /// @param number The block's number.
    /// @param blockHash Its hash.
    /// @param mmrRoot The root of the range that ends at its parent.
    /// @return Whether the client vouches for it.
    function isVerified(uint32 number, bytes32 blockHash, bytes32 mmrRoot) public view returns (bool) {
        ClientState.State memory s = store.state;
        return !s.isFrozen && ClientState.isKept(store, s, ClientState.hashOfBlock(number, blockHash, mmrRoot));
    }

    /// @notice Takes a proof of a newer block, or of the newest one, when it says the same or contradicts. What says all that is
    /// known of the newest block, or names an older one of the last `KEPT`, is not verified, because nothing changes: whoever
    /// comes second pays little. So success shows nothing; `isVerified` does.
    /// Rules: LIGHT-9, LIGHT-4, LIGHT-5, LIGHT-6, JUST-2 to JUST-5, STATELESS-1, -2, LIGHT-5, SET-3, contradictions. (JUST-1 is the
    /// choice of the set.)
    /// @param proof See `FinalityProof`.
    function submit(bytes calldata proof) external {
        uint256 place = ClientState.offset(proof);
        unchecked {
            if (place != 68 || msg.data.length != 68 + ((proof.length + 31) & ~uint256(31))) revert FinalityProof.Rule_ENC_6();
        }
        ClientState.State memory s = store.state;
        ClientState.checkAwake(s, trustingPeriod);
        uint32 number = uint32(FinalityProof.u32(place));
        if (number <= s.number) return _forward(address(RareCalls), RareCalls.judge.selector);
        (uint64 id, uint64 next) = ClientState.ids(s, proof);
        bytes32 set = store.signingSet;
        if (id != s.signing) {
            if (id < s.signing) revert Rule_LIGHT_5_OldSet(s.signing, id);
            ClientState.keep(store, s.signing, set);
            set = store.nextSet;
            store.signingSet = set;
            s.signing = id;
            s.hasNext = false;
            emit SetChanged(id);
        } else if (s.hasNext && (next == id || keccak256(ClientState.successor(proof)) != store.nextSet)) {
            return _forward(address(RareCalls), RareCalls.judge.selector);
        }
        bytes32 known = store.pair;
        bytes32 shown = ClientState.check(proof, id, next, set, genesisHash, known);
        if (shown != known) store.pair = shown;
        if (next != id && !s.hasNext) {
            store.nextSet = ClientState.announce(proof);
            s.hasNext = true;
        }
        s.number = number;
        ClientState.take(store, s, place);
    }

    /// @notice Takes consecutive handoffs, for a client that is behind: each proof names the set that signs the next one. All are
    /// taken or none, and only the block of the last one is remembered. Each of many costs two thirds of what `submit` costs, and
    /// a third when the same validators have signed them. A proof that contradicts what is known is refused: it is for `submit`.
    /// Rules: those of `submit`, with JUST-10. An error that names no place is found by leaving out the last proofs.
    /// @param proofs See `FinalityProof`.
    function submitMany(bytes[] calldata proofs) external {
        (proofs);
        _forward(address(RareCalls), RareCalls.submitMany.selector);
    }

    /// @notice Freezes the client when both proofs hold, by sets that it trusts, and contradict each other. They may be of
    /// older blocks, and of the last `KEPT_SETS` sets before the signing one that were replaced within the trusting period.
    /// @param first A proof; see `FinalityProof`.
    /// @param second Another one.
    function reportMisbehaviour(bytes calldata first, bytes calldata second) external {
        (first, second);
        _forward(address(RareCalls), RareCalls.reportMisbehaviour.selector);
    }

    /// @dev Lets a function of a library answer this call, on this client's storage. It takes the same arguments, under a name of
    /// its own where these have a struct. A constructor has called `_demandCode`, and code does not vanish (EIP-6780).
    function _forward(address code, bytes4 selector) internal {
        assembly ("memory-safe") {
            let m := mload(0x40)
            calldatacopy(m, 0, calldatasize())
            mstore(m, or(selector, shr(32, shl(32, mload(m)))))
            if iszero(delegatecall(gas(), code, m, calldatasize(), 0, 0)) {
                returndatacopy(m, 0, returndatasize())
                revert(m, returndatasize())
            }
        }
    }

    /// @dev For constructors, and not stored. Without code at a library's address `_forward` would do nothing, and succeed.
    function _demandCode(address linked) internal view {
        if (linked.code.length == 0) revert NoLibrary(linked);
    }
}
