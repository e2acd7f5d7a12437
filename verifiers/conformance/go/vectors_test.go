package conformance

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

const folder = "../vectors"

type vectorFile struct {
	Format int               `json:"format"`
	Name   string            `json:"name"`
	Data   map[string]string `json:"data"`
	Cases  []vector          `json:"cases"`
}

type vector struct {
	ID        string         `json:"id"`
	Operation string         `json:"operation"`
	Input     map[string]any `json:"input"`
	Expected  map[string]any `json:"expected"`
}

func published(t *testing.T) []vectorFile {
	paths, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no vectors in %s: %v", folder, err)
	}
	var files []vectorFile
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var file vectorFile
		if err := json.Unmarshal(text, &file); err != nil || file.Format != 1 {
			t.Fatalf("%s: format %d, %v", path, file.Format, err)
		}
		files = append(files, file)
	}
	return files
}

// plain is a value as it comes out of JSON.
func plain(t *testing.T, value any) map[string]any {
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

// run gives the answer of a case, and whether this verifier does its operation.
func run(t *testing.T, one vector, data map[string]string) (map[string]any, bool) {
	in := input{one.Input, data}
	if scenario, found := scenarios[one.Operation]; found {
		return plain(t, scenario(in).answer()), true
	}
	operation, found := operations[one.Operation]
	if !found {
		operation, found = operationsOfRounds[one.Operation]
	}
	if !found {
		operation, found = operationsOfRecovery[one.Operation]
	}
	if !found {
		return nil, false
	}
	result, err := operation(in)
	if err != nil {
		return map[string]any{"valid": false, "rule": err.Error()}, true
	}
	answer := plain(t, result)
	answer["valid"] = true
	return answer, true
}

func wanted(expected map[string]any) map[string]any {
	// What says more about a refusal than its rule; a verifier need not say it. (verifiers/conformance/README.md)
	remarks := map[string]bool{"cause": true, "blame": true, "next_step": true}
	fields := map[string]any{}
	for name, value := range expected {
		if !remarks[name] {
			fields[name] = value
		}
	}
	return fields
}

func TestEveryCaseHasItsAnswer(t *testing.T) {
	equal, different, skipped := 0, 0, 0
	for _, file := range published(t) {
		for _, one := range file.Cases {
			got, done := run(t, one, file.Data)
			switch want := wanted(one.Expected); {
			case !done:
				skipped++
				t.Errorf("skipped: %s: no operation %s", one.ID, one.Operation)
			case !reflect.DeepEqual(got, want):
				different++
				t.Errorf("different: %s: wanted %v, got %v", one.ID, want, got)
			default:
				equal++
			}
		}
	}
	t.Logf("%d equal, %d different, %d skipped", equal, different, skipped)
}

func TestAnotherAnswerIsDifferent(t *testing.T) {
	for _, file := range published(t) {
		if file.Name != "justifications" {
			continue
		}
		one := file.Cases[0]
		got, _ := run(t, one, file.Data)
		for _, name := range []string{"valid", "t"} {
			changed := wanted(one.Expected)
			changed[name] = "another"
			if reflect.DeepEqual(got, changed) {
				t.Errorf("another %s is not noticed", name)
			}
		}
	}
}
