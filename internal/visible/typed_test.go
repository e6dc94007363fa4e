package visible_test

import (
	"strings"
	"testing"
	"unicode"

	"example.com/griot/internal/visible"
)

func TestDigit(t *testing.T) {
	t.Parallel()
	for r, want := range map[rune]int{'0': 0, '9': 9, '٣': 3, '۴': 4, '５': 5, '६': 6, '߇': 7, '𞥘': 8, '𝟗': 9, '𝟘': 0} {
		if got, ok := visible.Digit(r); !ok || got != want {
			t.Errorf("%q: got %d %v, want %d", r, got, ok, want)
		}
	}
	for _, r := range "a+½²Ⅷ一①\u20e3" {
		if got, ok := visible.Digit(r); ok {
			t.Errorf("%q is the digit %d", r, got)
		}
	}
	for r := range rune(unicode.MaxRune + 1) {
		if _, ok := visible.Digit(r); ok != unicode.IsDigit(r) {
			t.Errorf("%q is a digit: %v", r, ok)
		}
	}
	// The value of a digit is its place after the zero of its script, so scripts have ten digits each.
	for _, in := range unicode.Nd.R16 {
		if in.Stride != 1 || (in.Hi-in.Lo+1)%10 != 0 {
			t.Errorf("%x to %x are not the digits of scripts", in.Lo, in.Hi)
		}
	}
	for _, in := range unicode.Nd.R32 {
		if in.Stride != 1 || (in.Hi-in.Lo+1)%10 != 0 {
			t.Errorf("%x to %x are not the digits of scripts", in.Lo, in.Hi)
		}
	}
}

func TestSeparator(t *testing.T) {
	t.Parallel()
	for _, r := range " \t\r\n\u00a0\u202f\u2007\u3000\u2028-\u2010\u2011\u2012\u2013\u2014\u2212\uff0d\u200b\u200e\u200f\u202a\u202c\u2066\u2069\ufeff\u00ad\ufe0f" {
		if !visible.Separator(r) {
			t.Errorf("%+q does not separate", r)
		}
	}
	for _, r := range "0a+.,()/_~\x00\x1b\x7f\u0085é" {
		if visible.Separator(r) != (r == '\u0085') { // a line end
			t.Errorf("%+q separates: %v", r, visible.Separator(r))
		}
	}
}

func TestCode(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"123456": "123456", " 123 456\n": "123456", "123-456": "123456", "123\u2011456": "123456", "\u202a123456\u202c": "123456", "12\u200b34\ufeff56": "123456",
		"١٢٣٤٥٦": "123456", "۱۲۳ ۴۵۶": "123456", "１２３４５６": "123456", "१२३४५६": "123456",
		"": "", " - ": "", "12a456": "12a456", "1234.56": "1234.56", "123456\x00": "123456\x00", "½23456": "½23456", "－１": "1",
	} {
		if got := visible.Code(typed); got != want {
			t.Errorf("Code(%+q) = %+q, want %+q", typed, got, want)
		}
	}
}

func FuzzCode(f *testing.F) {
	f.Add("\u202a١٢٣-４５６\u202c\xff")
	f.Fuzz(func(t *testing.T, s string) {
		once := visible.Code(s)
		if again := visible.Code(once); again != once {
			t.Errorf("%+q is read as %+q, and that as %+q", s, once, again)
		}
		if got := visible.Code(strings.Join(strings.Split(s, ""), "\u2011 ")); got != once {
			t.Errorf("%+q is read as %+q, divided as %+q", s, once, got)
		}
	})
}
