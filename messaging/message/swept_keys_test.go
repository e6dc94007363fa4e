package message_test

import (
	"testing"

	"example.com/griot/internal/seal"
	"example.com/griot/messaging/message"
)

// The hash of a key cannot be created without the master key, differs between accounts, and survives a rotation.
func TestSweptKeys(t *testing.T) {
	t.Parallel()
	key := func(master string) *seal.Key {
		t.Helper()
		k, err := seal.ParseKey(master)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	first := seal.NewMasterKey()
	hash := message.NewSweptKeys(key(first)).Hash("acc_1", "order-22376000001")
	if len(hash) != 24 || hash[:2] != "1." {
		t.Errorf("got %q, want its version and 16 bytes", hash)
	}
	if again := message.NewSweptKeys(key(first)).Hash("acc_1", "order-22376000001"); again != hash {
		t.Errorf("the same again is %q, want %q", again, hash)
	}
	later := key(seal.NewMasterKey())
	for name, other := range map[string]string{
		"of another account":    message.NewSweptKeys(key(first)).Hash("acc_2", "order-22376000001"),
		"of another key":        message.NewSweptKeys(key(first)).Hash("acc_1", "order-22376000002"),
		"by another master key": message.NewSweptKeys(later).Hash("acc_1", "order-22376000001"),
	} {
		if other == hash {
			t.Errorf("that %s is the same", name)
		}
	}
	later.Keep(message.SweptKeysPurpose, key(first).Kept(message.SweptKeysPurpose)) // like a rotation
	if rotated := message.NewSweptKeys(later).Hash("acc_1", "order-22376000001"); rotated != hash {
		t.Errorf("after a rotation it is %q, want %q", rotated, hash)
	}
}
