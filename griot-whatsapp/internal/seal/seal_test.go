package seal_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"example.com/griot/griot-whatsapp/internal/seal"
)

func TestBox(t *testing.T) {
	box, err := seal.New(bytes.Repeat([]byte{1}, 32))
	if err != nil {
		t.Fatal(err)
	}
	other, err := seal.New(bytes.Repeat([]byte{2}, 32))
	if err != nil {
		t.Fatal(err)
	}
	for _, plain := range [][]byte{{}, []byte("x"), bytes.Repeat([]byte("secret"), 1000)} {
		sealed := box.Seal(plain)
		if len(sealed) != len(plain)+seal.Overhead || len(plain) > 16 && bytes.Contains(sealed, plain[:16]) {
			t.Errorf("%d bytes were sealed to %d, want %d that do not show them", len(plain), len(sealed), len(plain)+seal.Overhead)
		}
		if !bytes.Equal(sealed, box.Seal(plain)) {
			t.Error("the same value was sealed to other bytes: it could not be looked up")
		}
		if got, err := box.Open(sealed); err != nil || !bytes.Equal(got, plain) {
			t.Errorf("opened %q, %v, want %q", got, err, plain)
		}
		if _, err := other.Open(sealed); !errors.Is(err, seal.ErrSealed) {
			t.Errorf("another key opened it: %v, want %v", err, seal.ErrSealed)
		}
		for i := range sealed[:min(len(sealed), 40)] {
			changed := bytes.Clone(sealed)
			changed[i] ^= 1
			if _, err := box.Open(changed); !errors.Is(err, seal.ErrSealed) {
				t.Errorf("a change of byte %d was not seen: %v, want %v", i, err, seal.ErrSealed)
			}
		}
	}
	if _, err := box.Open(nil); !errors.Is(err, seal.ErrSealed) {
		t.Errorf("nothing was opened: %v, want %v", err, seal.ErrSealed)
	}
}

func TestLoadKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "master.key")
	if _, err := seal.LoadKey(path, false); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a file: %v, want %v", err, os.ErrNotExist)
	}
	made, err := seal.LoadKey(path, true)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := seal.LoadKey(path, true); err != nil || !bytes.Equal(again, made) {
		t.Errorf("the key is %x, %v the second time, want the first one's", again, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, %v, want 0600", info.Mode(), err)
	}
	if text, err := os.ReadFile(path); err != nil || os.WriteFile(path, append([]byte("\ufeff"), text...), 0o600) != nil {
		t.Fatal(err)
	}
	if again, err := seal.LoadKey(path, false); err != nil || !bytes.Equal(again, made) {
		t.Errorf("behind a byte order mark the key is %x, %v, want the first one's", again, err)
	}
	if err := os.WriteFile(path, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := seal.LoadKey(path, true); err == nil {
		t.Error("a file without a key was taken")
	}
	if _, err := seal.New([]byte("short")); err == nil {
		t.Error("a short key was taken")
	}
}
