package seal_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"example.com/griot/internal/seal"
)

func key(t *testing.T) *seal.Key {
	t.Helper()
	k, err := seal.ParseKey(seal.NewMasterKey())
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestBox_OpensOnlyForItsPurposeAndOwner(t *testing.T) {
	t.Parallel()
	k := key(t)
	sealed := k.Box("signing-key").Seal([]byte("secret"), "row-1")
	if strings.Contains(sealed, "secret") {
		t.Fatal("sealed text shows its content")
	}
	if plain, err := k.Box("signing-key").Open(sealed, "row-1"); err != nil || string(plain) != "secret" {
		t.Fatalf("own box: %q, %v", plain, err)
	}
	for name, open := range map[string]func() ([]byte, error){
		"other purpose": func() ([]byte, error) { return k.Box("credentials").Open(sealed, "row-1") },
		"other owner":   func() ([]byte, error) { return k.Box("signing-key").Open(sealed, "row-2") },
		"other key":     func() ([]byte, error) { return key(t).Box("signing-key").Open(sealed, "row-1") },
		"cut short":     func() ([]byte, error) { return k.Box("signing-key").Open(sealed[:10], "row-1") },
		"not base64":    func() ([]byte, error) { return k.Box("signing-key").Open("%%%", "row-1") },
	} {
		if _, err := open(); !errors.Is(err, seal.ErrSealed) {
			t.Errorf("%s: %v, want ErrSealed", name, err)
		}
	}
}

func TestMAC_BindsThePartsAndTheirBounds(t *testing.T) {
	t.Parallel()
	k := key(t).Derive("x")
	a := seal.MAC(k, "ab", "c")
	if bytes.Equal(a, seal.MAC(k, "a", "bc")) || bytes.Equal(a, seal.MAC(key(t).Derive("x"), "ab", "c")) {
		t.Error("different inputs, same MAC")
	}
	if !bytes.Equal(a, seal.MAC(k, "ab", "c")) {
		t.Error("same inputs, different MAC")
	}
}

func TestParseKey_RefusesOtherLengths(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "c2hvcnQ=", "not base64 at all", seal.NewMasterKey() + "AA"} {
		if _, err := seal.ParseKey(s); err == nil {
			t.Errorf("ParseKey accepted %d characters", len(s))
		}
	}
}
