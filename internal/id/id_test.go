package id_test

import (
	"regexp"
	"sort"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/id"
)

var pattern = regexp.MustCompile(`^[0-9A-HJKMNP-TV-Z]{26}$`)

// Rules: L1.
func TestNew_IsAnOrderedID26(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var ids []string
	for i := range 200 {
		v := id.New(at.Add(time.Duration(i) * time.Millisecond))
		if !pattern.MatchString(v) || !id.Valid(v) {
			t.Fatalf("%q is no ID26", v)
		}
		ids = append(ids, v)
	}
	if !sort.StringsAreSorted(ids) {
		t.Fatal("ids of later times sort before earlier ones")
	}
}

func TestSequence_OrdersTheSameMillisecond(t *testing.T) {
	t.Parallel()
	var s id.Sequence
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	last := ""
	for range 1000 {
		v := s.New(at)
		if !pattern.MatchString(v) || v <= last {
			t.Fatalf("%q is not an ID26 after %q", v, last)
		}
		last = v
	}
	if v := s.New(at.Add(-time.Millisecond)); v >= last || v < id.First(at.Add(-time.Millisecond)) {
		t.Errorf("%q is not the ID of an earlier time", v)
	}
}

func TestRandom_UsesTheWholeAlphabetAndDoesNotRepeat(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	var all strings.Builder
	for range 1000 {
		v := id.Random()
		if !pattern.MatchString(v) || seen[v] {
			t.Fatalf("%q is no fresh ID26", v)
		}
		seen[v] = true
		all.WriteString(v)
	}
	for _, c := range "0123456789ABCDEFGHJKMNPQRSTVWXYZ" {
		if !strings.ContainsRune(all.String(), c) {
			t.Errorf("%q never occurs in 26,000 characters", c)
		}
	}
}

// Rules: L1.
func FuzzValid(f *testing.F) {
	f.Add("01ARZ3NDEKTSV4RRFFQ69G5FAV")
	f.Add("01ARZ3NDEKTSV4RRFFQ69G5FAU")
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := id.Valid(s), pattern.MatchString(s) && !strings.HasSuffix(s, "\n"); got != want {
			t.Fatalf("Valid(%q) = %v, the document's pattern says %v", s, got, want)
		}
	})
}

func TestCode_IsUniform(t *testing.T) {
	t.Parallel()
	const codes, length = 60_000, 6
	var seen [length][10]float64
	for range codes {
		code := id.Code(length)
		if len(code) != length {
			t.Fatalf("%d digits", len(code))
		}
		for i := range length {
			seen[i][code[i]-'0']++
		}
	}
	const expected = codes / 10.0
	for i, counts := range seen {
		chi := 0.0
		for _, n := range counts {
			chi += (n - expected) * (n - expected) / expected
		}
		if chi > 80 { // 9 degrees of freedom: by chance once in 10^13
			t.Errorf("place %d: chi-square %.1f, counts %v", i, chi, counts)
		}
	}
}

// All zeros is the code of simulated messages, so no other code can be that.
func TestCode_IsNeverAllZeros(t *testing.T) {
	t.Parallel()
	for range 200_000 { // with this many codes of four digits, one is 0000, except once in 10^8 runs
		if code := id.Code(4); code == "0000" {
			t.Fatal("got 0000")
		}
	}
	for length := 1; length <= 8; length++ {
		for range 1000 {
			code := id.Code(length)
			if len(code) != length || strings.Trim(code, "0") == "" || strings.Trim(code, "0123456789") != "" {
				t.Fatalf("of %d digits: %q", length, code)
			}
		}
	}
}
