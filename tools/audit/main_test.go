package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAudit(t *testing.T) {
	if err := audit(t.Context(), "../.."); err != nil {
		t.Fatal(err)
	}
}

func TestCheck(t *testing.T) {
	c, err := newClassifier()
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	apache, gpl := read("LICENSE"), read("griot-whatsapp/LICENSE")
	for name, tt := range map[string]struct {
		files map[string][]byte
		also  []string
		want  string // of the problem; "" is none
	}{
		"a permissive license":                     {files: map[string][]byte{"LICENSE": apache}},
		"under any usual name":                     {files: map[string][]byte{"LICENCE-2.0.txt": apache}},
		"the GPL in the program under Apache-2.0":  {files: map[string][]byte{"COPYING": gpl}, want: "GPL-3.0 is not among"},
		"the GPL in the program that may link it":  {files: map[string][]byte{"COPYING": gpl}, also: []string{"GPL-3.0"}},
		"one of two licenses is not among them":    {files: map[string][]byte{"LICENSE": apache, "LICENSE-3RD-PARTY.md": gpl}, want: "GPL-3.0 is not among"},
		"none":                                     {files: map[string][]byte{"README.md": apache}, want: "no license was recognized"},
		"a license that is not known":              {files: map[string][]byte{"LICENSE": []byte("All rights reserved.")}, want: "no license was recognized"},
		"source whose name is that of a license":   {files: map[string][]byte{"license.go": apache}, want: "no license was recognized"},
		"a folder whose name is that of a license": {files: map[string][]byte{"licenses/LICENSE": apache}, want: "no license was recognized"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range tt.files {
				path := filepath.Join(dir, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			err := c.check(dir, append(tt.also, permissive...))
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
