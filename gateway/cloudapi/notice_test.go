package cloudapi

import (
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
)

// Operators learn that a version of the Graph API ends 90 days before, and that it has ended.
func TestNotices_Versions(t *testing.T) {
	t.Parallel()
	for version, ends := range map[string]string{"": "2027-10-08", "v22.0": "2027-05-20", "v23.0": "2027-10-08", "v24.0": "2028-02-18", "v25.0": "2028-07-29"} {
		s, env := newFakeGraph(t).open(map[string]any{"api_version": version})
		end, err := time.Parse(time.DateOnly, ends)
		if err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			at    time.Time
			words string // of the notice; empty: none
			fails bool
		}{
			{end.Add(-91 * 24 * time.Hour), "", false},
			{end.Add(-90 * 24 * time.Hour), "on " + ends, false},
			{end.Add(-time.Minute), "on " + ends, false},
			{end, "has ended", true},
		} {
			env.Clock.Advance(tt.at.Sub(env.Clock.Now()))
			got := s.Notices()
			if len(got) != map[bool]int{true: 1}[tt.words != ""] || len(got) == 1 && (got[0].Failed != tt.fails || got[0].Hint == "" || !strings.Contains(got[0].Text, tt.words)) {
				t.Errorf("%s at %s: %+v", version, tt.at, got)
			}
		}
	}
	for version, fails := range map[string]bool{"v19.0": true, "v9.0": true, "v3.3": true, "v26.0": false, "v30.0": false} {
		s, _ := newFakeGraph(t).open(map[string]any{"api_version": version})
		if got := s.Notices(); len(got) != map[bool]int{true: 1}[fails] || fails && !got[0].Failed {
			t.Errorf("%s: %+v", version, got)
		}
	}
}

// Operators learn that Meta's Business Agent has conversations, for a week after the last report of it.
func TestNotices_Standby(t *testing.T) {
	t.Parallel()
	s, env := newFakeGraph(t).open(map[string]any{"api_version": "v99.0"})
	if got := s.Notices(); len(got) != 0 {
		t.Errorf("before: %+v", got)
	}
	callWebhook(s, signedCall(strings.Replace(envelope(ourNumberID, `"statuses":[{"id":"w","status":"sent"}]`), `"field":"messages"`, `"field":"standby"`, 1)))
	if got := s.Notices(); len(got) != 1 || got[0].Failed || !strings.Contains(got[0].Text, "Business Agent") || got[0].Hint == "" {
		t.Errorf("after: %+v", got)
	}
	env.Clock.Advance(8 * 24 * time.Hour)
	if got := s.Notices(); len(got) != 0 {
		t.Errorf("a week later: %+v", got)
	}
}

// A number of the WhatsApp Business app is slower, and so is each number after Meta has refused a message because of its throughput.
func TestPace(t *testing.T) {
	t.Parallel()
	g := newFakeGraph(t)
	s, env := g.open(map[string]any{"phone_numbers": []any{map[string]any{"id": ourNumberID, "number": ourNumber}, map[string]any{"id": otherID, "number": other, "coexistence": true}}})
	perSecond := func(want, wantOther time.Duration) {
		t.Helper()
		if s.Info().Pace.Sender != time.Second/80 || s.PaceOf("+"+ourNumber).Sender != time.Second/want || s.PaceOf(other).Sender != time.Second/wantOther {
			t.Errorf("%v, %v, %v", s.Info().Pace, s.PaceOf("+"+ourNumber), s.PaceOf(other))
		}
	}
	perSecond(80, 10)
	g.SetMode("code 130429")
	if _, err := s.Send(t.Context(), messageTo(aissata)); gateway.AsError(err).Class != gateway.RateLimited {
		t.Errorf("%v", err)
	}
	perSecond(10, 10)
	callWebhook(s, signedCall(envelope(otherID, `"statuses":[{"id":"w","status":"failed","errors":[{"code":130429}]}]`)))
	perSecond(10, 5)
	env.Clock.Advance(slowFor)
	perSecond(80, 10)
	g.SetMode("code 131056")
	if _, err := s.Send(t.Context(), messageTo(aissata)); gateway.AsError(err).Class != gateway.RateLimited {
		t.Errorf("%v", err)
	}
	perSecond(80, 10)
	if got := s.PaceOf("22376000009"); got.Sender != time.Second/80 {
		t.Errorf("a number that isn't ours: %v", got)
	}
}
