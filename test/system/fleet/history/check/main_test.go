package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestCheck(t *testing.T) {
	code := `{"kind":"redeem","begin":1,"end":2,"code":"c","result":"accepted"}` + "\n"
	for name, tt := range map[string]struct {
		history, want string
		code          int
	}{
		"valid":        {code, "", 0},
		"violated":     {code + code, "code: the code c was exchanged twice (lines 1,2)\n", 1},
		"no history":   {"x", "", 2},
		"another file": {"-", "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "history")
			if tt.history != "-" {
				if err := os.WriteFile(path, []byte(tt.history), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var out, errs bytes.Buffer
			if got := check(path, &out, &errs); got != tt.code || out.String() != tt.want || (errs.Len() > 0) != (tt.code == 2) {
				t.Errorf("check ends with %d, %q, %q, want %d, %q", got, out.String(), errs.String(), tt.code, tt.want)
			}
		})
	}
}
