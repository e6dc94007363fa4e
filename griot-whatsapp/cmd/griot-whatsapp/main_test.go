package main

import (
	"context"
	"strings"
	"testing"
)

func TestRun_RefusesWhatIsWrong(t *testing.T) {
	for _, args := range [][]string{
		{"dance"}, {"serve", "now"}, {"pair"}, {"pair", "--number", "0612"}, {"devices"}, {"serve", "--config", "/no/such/file"},
	} {
		var out, errs strings.Builder
		if err := run(context.Background(), args, &out, &errs); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
	var out strings.Builder
	if err := run(context.Background(), []string{"help"}, &out, &out); err != nil || !strings.Contains(out.String(), "pair --number") {
		t.Errorf("help says %q, %v, want the commands", out.String(), err)
	}
}
