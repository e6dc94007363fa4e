package counts

import (
	"testing"

	"example.com/griot/gateway"
)

// FuzzEachLine reads any text, and reads the output of appendLine unchanged.
func FuzzEachLine(f *testing.F) {
	f.Add("acc_1\ttotal\t1\t490000\t\tsms\t0\nacc_1\tsent:3\t-1\n", "prj_1", int64(490000), int64(-1))
	f.Add("\t\t\n\t", "", int64(0), int64(0))
	f.Fuzz(func(t *testing.T, text, project string, at, n int64) {
		_ = eachLine(text, func(counter, int64) {})
		for _, r := range project {
			if r < ' ' {
				return
			}
		}
		want := counter{"acc_1", "failed:timeout", group{at, project, gateway.SMS, true}}
		line := want.appendLine(want.appendLine(nil, n, false), n, true)
		lines := 0
		err := eachLine(string(line), func(got counter, of int64) {
			if lines++; got != want || of != n {
				t.Errorf("read %+v, %d; want %+v, %d", got, of, want, n)
			}
		})
		if err != nil || lines != 2 {
			t.Errorf("%d lines, %v; want 2", lines, err)
		}
	})
}
