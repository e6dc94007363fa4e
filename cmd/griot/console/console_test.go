package console

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// tableAt formats a table for a terminal with a number of columns; 0: for a pipe.
func tableAt(t *Table, width int) string {
	rows := append([][]string{t.Head}, t.rows...)
	l := t.layout(rows, width)
	var b strings.Builder
	for i, row := range rows {
		l.write(&b, row, i == 0, false)
	}
	return b.String()
}

func TestTable_FitsTheTerminal(t *testing.T) {
	table := &Table{Head: []string{"AT (UTC)", "MESSAGE", "TO", "STATUS", "CHANNEL", "TEXT"}, Shrink: []int{2}}
	table.Add("12:00:00", "msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D", "+22376000001", "DELIVERED", "whatsapp", "Bonjour Awa, votre commande 2041 est en route et arrive demain avant midi.")
	table.Add("12:00:01", "msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2E", "a.very.long.address.of.somebody@shop.example.com", "FAILED", "", "")
	wide := tableAt(table, 0)
	if lines := strings.Split(wide, "\n"); !strings.HasSuffix(lines[1], "avant midi.") || !strings.Contains(lines[2], "somebody@shop.example.com  FAILED     -") {
		t.Errorf("in a pipe: got\n%s", wide)
	}
	for _, width := range []int{200, 120, 80, 72, 40} {
		s := tableAt(table, width)
		for line := range strings.Lines(s) {
			line = strings.TrimRight(line, "\n")
			if n := utf8.RuneCountInString(line); n > max(width, 68) { // the parts that must not be cut need that much
				t.Errorf("%d columns: a line of %d:\n%s", width, n, s)
			}
		}
		if !strings.Contains(s, "msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D") || !strings.Contains(s, "Bonjour Awa") || strings.Count(s, "DELIVERED") != 1 {
			t.Errorf("%d columns: ids, statuses, or texts are missing:\n%s", width, s)
		}
	}
	if s := tableAt(table, 80); !strings.Contains(s, "\n  Bonjour Awa, votre commande") {
		t.Errorf("80 columns: the text is not below its row:\n%s", s)
	}
	empty := &Table{Head: []string{"A"}}
	empty.Add("evil\x1b[2J\nline")
	if s := tableAt(empty, 80); strings.ContainsAny(s, "\x1b") || strings.Count(s, "\n") != 2 {
		t.Errorf("got %q, want one line without control characters", s)
	}
}

func TestClock(t *testing.T) {
	local := time.Local //nolint:gosmopolitan // it is what is tested
	time.Local = time.FixedZone("CET", 3600)
	t.Cleanup(func() { time.Local = local })
	now := time.Date(2026, 3, 1, 23, 30, 0, 0, time.UTC) // the second of March in CET
	for _, tt := range []struct {
		clock Clock
		at    time.Time
		want  string
	}{
		{Clock{Width: 80, Now: now}, now.Add(-10 * time.Minute), "00:20:00"},
		{Clock{Width: 80, Now: now, Precise: true}, now.Add(-10 * time.Minute), "00:20:00.000"},
		{Clock{Width: 80, Now: now}, now.Add(-time.Hour), "03-01 23:30"},
		{Clock{Width: 80, Now: now}, now.AddDate(-1, 0, 0), "2025-03-02"},
		{Clock{Now: now}, now, "2026-03-02T00:30:00.000+01:00"},
		{Clock{Width: 80, Now: now}, time.Time{}, ""},
	} {
		if got := tt.clock.Cell(tt.at); got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.at, got, tt.want)
		}
	}
	if got := (Clock{Width: 80, Now: now}).Head(); got != "AT (CET)" {
		t.Errorf("got %q, want the zone's name", got)
	}
	if got := Time(now); got != "2026-03-02 00:30:00.000 CET" {
		t.Errorf("got %q, want the zone's name behind the time", got)
	}
}

// What Griot prints as a time is read as the same time, and what people type is the time of their clock.
func TestParseTime(t *testing.T) {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	local := time.Local //nolint:gosmopolitan // it is what is tested
	time.Local = zone
	t.Cleanup(func() { time.Local = local })
	now := time.Date(2027, 1, 2, 14, 30, 0, 0, time.UTC) // 09:30 in New York
	for _, at := range []time.Time{now, now.Add(-time.Hour), now.Add(-24 * time.Hour), now.AddDate(0, -7, 0), time.Date(2026, 11, 1, 6, 30, 0, 0, time.UTC)} {
		for _, text := range []string{Time(at), Clock{Now: now}.Cell(at), at.Format(time.RFC3339), at.Local().Format(time.RFC3339Nano)} {
			if got, err := ParseTime(text, now, true); err != nil || !got.Equal(at) {
				t.Errorf("%s: %v, %v, want %v", text, got, err, at)
			}
		}
	}
	for text, want := range map[string][2]string{ // of the future, and with past
		"2027-06-16T10:00": {"2027-06-16T14:00:00Z"}, "2027-06-16 10:00": {"2027-06-16T14:00:00Z"}, " 2027-06-16  10:00 EDT ": {"2027-06-16T14:00:00Z"}, "2027-06-16 10:00 UTC": {"2027-06-16T10:00:00Z"}, "2027-06-16 10:00 +02": {"2027-06-16T08:00:00Z"},
		"2027-06-16": {"2027-06-16T04:00:00Z"}, "2026-11-01 01:30 EDT": {"2026-11-01T05:30:00Z"}, "2026-11-01 01:30 EST": {"2026-11-01T06:30:00Z"},
		"09:00:00": {"2027-01-02T14:00:00Z", "2027-01-02T14:00:00Z"}, "10:00": {"2027-01-02T15:00:00Z", "2027-01-01T15:00:00Z"}, "09:00:00.123": {"2027-01-02T14:00:00.123Z", "2027-01-02T14:00:00.123Z"}, "10:00 UTC": {"2027-01-02T10:00:00Z", "2027-01-02T10:00:00Z"}, "15:00 UTC": {"2027-01-02T15:00:00Z", "2027-01-01T15:00:00Z"},
		"01-02 08:00": {"2027-01-02T13:00:00Z", "2027-01-02T13:00:00Z"}, "12-31 23:50": {"2028-01-01T04:50:00Z", "2027-01-01T04:50:00Z"},
	} {
		for i, past := range []bool{false, true} {
			if want[i] == "" {
				continue
			}
			if got, err := ParseTime(text, now, past); err != nil || got.UTC().Format(time.RFC3339Nano) != want[i] {
				t.Errorf("%q (past: %v): %v, %v, want %s", text, past, got, err, want[i])
			}
		}
	}
	for _, text := range []string{"", " ", "tomorrow", "2027-06-16 10:00 CET", "2027-06-16 10:00 EST", "2027-06-16 10:00 EDT x", "2027-03-14 02:30", "2026-11-01 01:30", "25:00", "02-30 10:00", "10:00 +", "2027-06-16T10:00:00ZZ", "01-02"} {
		if got, err := ParseTime(text, now, false); err == nil {
			t.Errorf("%q: %v, want an error", text, got)
		}
	}
}

func TestProgressLine(t *testing.T) {
	for _, tt := range []struct {
		done, total int
		took        time.Duration
		note, want  string
	}{
		{0, 100, 0, "", "[....................] 0 of 100"},
		{50, 100, 10 * time.Second, "3 failed", "[##########..........] 50 of 100, 5 per second, 10s to go, 3 failed"},
		{100, 100, 20 * time.Second, "", "[####################] 100 of 100, 5 per second"},
		{0, 0, 0, "", "[####################] 0 of 0"},
	} {
		if got := progressLine(tt.done, tt.total, tt.took, tt.note); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
	var b strings.Builder
	NewProgress(&b, 10, time.Now).Show(5, "")
	if b.Len() > 0 {
		t.Errorf("elsewhere than on a terminal: got %q", b.String())
	}
}

func TestSecret_FromAPipe(t *testing.T) {
	for in, want := range map[string]string{"svc_live_x\n": "svc_live_x", " svc_live_x \r\nmore\n": "svc_live_x", "svc_live_x": "svc_live_x", "": ""} {
		var asked strings.Builder
		got, err := Secret(context.Background(), strings.NewReader(in), &asked, "Key: ", 20)
		if got != want || err != nil || asked.Len() > 0 {
			t.Errorf("%q: got %q %v and the question %q, want %q and none", in, got, err, asked.String(), want)
		}
	}
	if _, err := Secret(context.Background(), strings.NewReader(strings.Repeat("x", 21)), &strings.Builder{}, "", 20); err == nil || strings.Contains(err.Error(), "xx") {
		t.Errorf("got %v, want an error without what was read", err)
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if AsksPeople(null) || Colors(&strings.Builder{}) || Width(&strings.Builder{}) != 0 {
		t.Error("a pipe is taken for a terminal")
	}
}

// Characters that people can't see are not printed, because they could change the visible ones.
func TestPlain(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a\nb\tc": "a b c", "\x1b[31mred": "�[31mred", "a\u202eb": "a�b", "a\u3164b\u2800": "a�b�", "a\U000e0041": "a�", "👩\u200d💻 é": "👩\u200d💻 é", "a\xffb": "a\ufffdb",
	} {
		if got := Plain(text); got != want {
			t.Errorf("%q is printed as %q, want %q", text, got, want)
		}
	}
}
