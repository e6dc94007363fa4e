package profile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/cmd/griot/profile"
)

func TestStore(t *testing.T) {
	s := profile.Store{Dir: filepath.Join(t.TempDir(), "griot", "profiles")}
	if names, err := s.Names(); err != nil || len(names) != 0 {
		t.Errorf("without a folder: got %v %v, want no names", names, err)
	}
	if _, err := s.Load("shop"); !errors.Is(err, profile.ErrNone) {
		t.Errorf("got %v, want ErrNone", err)
	}
	want := profile.Profile{URL: "https://api.example.com", Key: "svc_live_x"}
	path, err := s.Save("shop", profile.Profile{URL: "https://old.example.com", Key: "svc_live_old"})
	if err == nil {
		path, err = s.Save("shop", want)
	}
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v, %v; want 0600", info.Mode(), err)
	}
	if dir, err := os.Stat(s.Dir); err != nil || dir.Mode().Perm() != 0o700 {
		t.Errorf("got mode %v of the folder, %v; want 0700", dir.Mode(), err)
	}
	if got, err := s.Load("shop"); err != nil || got != want {
		t.Errorf("got %v %v, want %v", got, err, want)
	}
	if names, err := s.Names(); err != nil || strings.Join(names, " ") != "shop" {
		t.Errorf("got %v %v, want shop alone", names, err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load("shop"); err == nil || !strings.Contains(err.Error(), "chmod 600") || strings.Contains(err.Error(), want.Key) {
		t.Errorf("others may read it: got %v, want an error that says chmod 600", err)
	}
	if err := os.WriteFile(path, []byte(`{"url":"u","key":"svc_live_torn`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load("shop"); err == nil || strings.Contains(err.Error(), "torn") {
		t.Errorf("it is no JSON: got %v, want an error without its content", err)
	}
	if err := s.Remove("shop"); err != nil {
		t.Error(err)
	}
	if err := s.Remove("shop"); !errors.Is(err, profile.ErrNone) {
		t.Errorf("got %v, want ErrNone", err)
	}
	for _, name := range []string{"", "../x", "a/b", ".hidden", "é", strings.Repeat("x", 65)} {
		if _, err := s.Save(name, want); err == nil {
			t.Errorf("%q is taken for a name", name)
		}
	}
}
