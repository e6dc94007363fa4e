package httpcall_test

import (
	"encoding/json"
	"testing"
	"time"

	"example.com/griot/gateway/internal/httpcall"
)

func TestMoment(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	at := time.Date(2026, 11, 20, 9, 30, 15, 0, time.UTC)
	const layout = "2006-01-02 15:04:05"
	for raw, want := range map[string]time.Time{
		`"1795167015"`: at, `1795167015`: at, `" 1795167015 "`: at, `1795167015000`: at, `"1795167015000000"`: at, `1795167015000000000`: at,
		`"1795167015.75"`: at, `1.795167015e9`: at, `1.795167015e12`: at,
		`"2026-11-20T09:30:15Z"`: at, `"2026-11-20T10:30:15+01:00"`: at, `"2026-11-20 09:30:15"`: at,
		`1795167015123`: at.Add(123 * time.Millisecond), `"2026-11-21T11:59:59Z"`: now.Add(24*time.Hour - time.Second), `"2000-01-01T00:00:00Z"`: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC),
		`null`: {}, `""`: {}, `" "`: {}, `0`: {}, `"0"`: {}, `-1`: {}, `"yesterday"`: {}, `"1795167015x"`: {}, `"1795167015.x"`: {}, `true`: {}, `{}`: {}, `[1795167015]`: {},
		`946684799`: {}, `"1999-12-31T23:59:59Z"`: {}, `"0001-01-01T00:00:00Z"`: {}, `"2026-11-21T12:00:01Z"`: {}, `"2038-01-19T03:14:07Z"`: {}, `9223372036854775807`: {}, `1e400`: {},
		`99999999999999999999`: {}, `1e30`: {}, `"NaN"`: {}, `"Inf"`: {}, `"-Inf"`: {},
	} {
		var m httpcall.Moment
		if err := json.Unmarshal([]byte(raw), &m); err != nil {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		ok := !want.IsZero()
		if !ok {
			want = now
		}
		if got, known := m.Read(now, layout); !got.Equal(want) || got.Location() != time.UTC || known != ok {
			t.Errorf("%s: %s, %t; want %s, %t", raw, got, known, want, ok)
		}
	}
}

func FuzzMoment(f *testing.F) {
	f.Add("1795167015.5")
	f.Add("2026-11-20T09:30:15Z")
	f.Fuzz(func(t *testing.T, text string) {
		now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
		if at, ok := httpcall.Moment(text).Read(now, time.ANSIC); at.Year() < 2000 || at.After(now.Add(24*time.Hour)) || !ok && !at.Equal(now) {
			t.Errorf("%q is %s", text, at)
		}
	})
}
