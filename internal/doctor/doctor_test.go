package doctor_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/griot/internal/doctor"
)

func one(f doctor.Finding) func(context.Context) []doctor.Finding {
	return func(context.Context) []doctor.Finding { return []doctor.Finding{f} }
}

// A check that hangs or panics is unknown, and the others report their findings, in the order of the list.
func TestRun_ACheckThatHangsOrPanicsHidesNoOther(t *testing.T) {
	t.Parallel()
	var report doctor.Report
	synctest.Test(t, func(t *testing.T) {
		never := make(chan struct{})
		defer close(never)
		report = doctor.Run(t.Context(), []doctor.Check{
			{Name: "hangs", Run: func(context.Context) []doctor.Finding { <-never; return nil }},
			{Name: "panics", Run: func(context.Context) []doctor.Finding { panic("a bug") }},
			{Name: "ends with its time", Run: func(ctx context.Context) []doctor.Finding {
				<-ctx.Done()
				return []doctor.Finding{doctor.Bad(doctor.Failed, "start it", "no answer").About("far")}
			}},
			{Name: "good", Run: one(doctor.Good("all is\nwell"))},
			{Name: "nothing to look at", Run: func(context.Context) []doctor.Finding { return nil }},
		}, 10*time.Second)
	})
	var got []string
	for _, f := range report.Findings {
		got = append(got, f.Check+" "+f.Subject+" "+string(f.Status)+" "+f.Text)
	}
	want := "hangs  unknown the check didn't end within 10s|panics  unknown the check itself failed: a bug|ends with its time far failed no answer|good  ok all is well"
	if strings.Join(got, "|") != want || report.OK {
		t.Errorf("got %q, ok %v; want %q", got, report.OK, want)
	}
	var b strings.Builder
	if err := report.Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"FAILED   ends with its time far: no answer\n         -> start it\n", "\n1 failed, 2 unknown, 1 ok\n"} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("the report lacks %q:\n%s", line, b.String())
		}
	}
}

func TestRun_WarningsAreNoFailure(t *testing.T) {
	t.Parallel()
	report := doctor.Run(t.Context(), []doctor.Check{{Name: "a", Run: one(doctor.Bad(doctor.Warning, "", "soon"))}, {Name: "b", Run: one(doctor.Bad(doctor.Unknown, "", "?"))}}, time.Second)
	if !report.OK || len(report.Findings) != 2 {
		t.Errorf("got %+v, want that nothing failed", report)
	}
}
