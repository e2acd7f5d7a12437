package conformance

// reached is how far a scenario came, and the rule that ended it.
type reached struct {
	outcomes []string
	trusted  *trusted
	err      error
}

func (r reached) answer() map[string]any {
	shown := outputs{"valid": r.err == nil, "outcomes": r.outcomes, "trusted": nil}
	if r.err != nil {
		shown["rule"] = r.err.Error()
	}
	if t := r.trusted; t != nil {
		state := outputs{"block_number": t.number, "block_hash": t.hash, "signing": t.signing.commitment.ID, "next": nil}
		if t.next != nil {
			state["next"] = t.next.commitment.ID
		}
		shown["trusted"] = state
	}
	return shown
}

func start(in input) (*trusted, error) {
	from, keepsKeys := in.at("start"), in.text("mode") == "full"
	if from.has("checkpoint") {
		return fromCheckpoint(from.bytes("checkpoint"), keepsKeys)
	}
	genesisHash := from.bytes("genesis_hash")
	if from.has("start_hash") {
		return fromStart(genesisHash, from.bytes("start_hash"), from.bytes("start_proof"), keepsKeys)
	}
	return fromStart(genesisHash, genesisHash, from.bytes("genesis_proof"), keepsKeys)
}

// take does one step: its outcome, and the state after it.
func take(t *trusted, step input) (string, *trusted, error) {
	if step.text("form") == "keys" {
		keys, err := step.keys("bytes")
		if err != nil {
			return "", nil, err
		}
		after, err := t.withKeys(U64(step.u64("set")), keys)
		return "keys", after, err
	}
	u, err := readUpdate(step.text("form"), step.bytes("bytes"))
	if err != nil {
		return "", nil, err
	}
	after, err := t.verify(u)
	if err == nil && after == nil {
		return "known", t, nil
	}
	return "new", after, err
}

func follow(in input) reached {
	r := reached{outcomes: []string{}}
	if r.trusted, r.err = start(in); r.err != nil {
		return r
	}
	for _, step := range in.steps("steps") {
		outcome, after, err := take(r.trusted, step)
		if err != nil {
			r.err = err
			return r
		}
		r.outcomes, r.trusted = append(r.outcomes, outcome), after
	}
	return r
}

func followTogether(in input) reached {
	r := reached{outcomes: []string{}, trusted: follow(in).trusted}
	var updates []update
	for _, step := range in.steps("together") {
		u, err := readUpdate(step.text("form"), step.bytes("bytes"))
		if err != nil {
			panic(err)
		}
		updates = append(updates, u)
	}
	states := r.trusted.verifyTogether(updates)
	for _, state := range states {
		r.outcomes, r.trusted = append(r.outcomes, "new"), state
	}
	if len(states) < len(updates) {
		_, r.err = r.trusted.verify(updates[len(states)])
	}
	return r
}

// scenarios are the operations whose answer tells what was reached.
var scenarios = map[string]func(input) reached{"follow": follow, "follow_together": followTogether}

// read is STATE-1 to STATE-4.
func read(in input) (any, error) {
	under := follow(in).trusted.newest()
	if in.has("older") {
		older := in.at("older")
		var err error
		under, err = under.checkOlder(older.bytes("leaf"), older.u64("leaf_index"), older.u64("leaf_count"), older.byteList("hashes"))
		if err != nil {
			return nil, err
		}
	}
	shown := outputs{"block_number": under.number, "block_hash": under.hash}
	if !in.has("header") {
		return shown, nil
	}
	head, err := under.checkHeader(in.bytes("header"))
	if err != nil {
		return nil, err
	}
	shown["parent_hash"], shown["state_root"], shown["extrinsics_root"] = head.parentHash, head.stateRoot, head.extrinsicsRoot
	if under.number == 0 {
		shown["parent_hash"] = nil
	}
	if in.has("extrinsics") {
		extrinsics := in.byteList("extrinsics")
		if err := checkExtrinsics(head.extrinsicsRoot, extrinsics); err != nil {
			return nil, err
		}
		if in.has("transaction") {
			shown["index"] = positionOf(in.bytes("transaction"), extrinsics)
		}
	}
	if !in.has("keys") {
		return shown, nil
	}
	values, err := readState(in.byteList("nodes"), head.stateRoot, in.byteList("keys"), "STATE-2")
	if err != nil {
		return nil, err
	}
	texts := make([]any, len(values))
	for i, value := range values {
		if value != nil {
			texts[i] = value
		}
	}
	shown["values"] = texts
	return shown, nil
}
