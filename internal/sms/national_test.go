package sms_test

import (
	_ "embed"
	"strconv"
	"strings"
	"testing"

	"example.com/griot/internal/sms"
)

//go:embed testdata/national.txt
var nationalTables string

// Each code of each national table is the character that TS 23.038 prints.
func TestTables(t *testing.T) {
	t.Parallel()
	seen := 0
	for line := range strings.Lines(nationalTables) {
		fields := strings.Fields(line)
		language, err := strconv.Atoi(fields[0])
		if err != nil {
			continue // the comment
		}
		seen++
		for code, hex := range fields[2:] {
			want, err := strconv.ParseInt(hex, 16, 32)
			if err != nil {
				continue // a code without a character
			}
			tables, in := sms.Tables{Locking: byte(language)}, []byte{byte(code)}
			if fields[1] == "single" {
				tables, in = sms.Tables{Single: byte(language)}, []byte{0x1b, byte(code)}
			}
			if got := tables.Decode(in); got != string(rune(want)) {
				t.Errorf("language %d, %s %02x: %q, want %q", language, fields[1], code, got, rune(want))
			}
		}
	}
	if seen != 25 { // Spanish has no locking table
		t.Errorf("%d tables", seen)
	}
}

func TestTables_Texts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		tables sms.Tables
		in     string
		want   string
	}{
		{sms.Tables{Locking: 3}, "n\x7bo, obrigado", "não, obrigado"},
		{sms.Tables{Single: 2}, "Buenos d\x1bias", "Buenos días"},
		{sms.Tables{Single: 1}, "da\x1bg \x1bs", "dağ ş"},
		{sms.Tables{Locking: 1, Single: 1}, "\x0c\x1be", "ğ€"},
		{sms.Tables{Locking: 3}, "\x1b\x65 \x1b\x05 \x1b", "€ é "}, // the extension table, and a code that it lacks
		{sms.Tables{Single: 3}, "\x1b\x7b\x1b\x0a", "ã\f"},
		{sms.Tables{Locking: 14, Single: 255}, "\x00\x1b\x65\x0c", "@€ø"}, // languages without tables
		{sms.Tables{Locking: 6}, "\x0c\x80", "\u090d\ufffd"},
		{sms.Tables{Locking: 11}, "\x4e\x1b\x4e", "\ufffd\ufffd"}, // codes without a character
	} {
		if got := tt.tables.Decode([]byte(tt.in)); got != tt.want {
			t.Errorf("%+v: % x reads as %q, want %q", tt.tables, tt.in, got, tt.want)
		}
	}
}
