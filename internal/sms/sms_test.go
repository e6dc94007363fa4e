package sms_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/griot/internal/sms"
)

// The basic table as TS 23.038 prints it, row by row, without the escape.
const basic = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ" + "ÆæßÉ" + ` !"#¤%&'()*+,-./0123456789:;<=>?` + "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"

func TestAlphabet(t *testing.T) {
	t.Parallel()
	want := byte(0)
	for _, r := range basic {
		if want == 0x1b {
			want++
		}
		if got := sms.AppendGSM(nil, string(r)); len(got) != 1 || got[0] != want {
			t.Errorf("%q is % x, want %02x", r, got, want)
		}
		if got := sms.GSM([]byte{want}); got != string(r) {
			t.Errorf("%02x reads as %q, want %q", want, got, r)
		}
		want++
	}
	if want != 0x80 {
		t.Fatalf("the table ends at %02x", want)
	}
	for r, want := range map[rune]byte{'\f': 0x0a, '^': 0x14, '{': 0x28, '}': 0x29, '\\': 0x2f, '[': 0x3c, '~': 0x3d, ']': 0x3e, '|': 0x40, '€': 0x65} {
		if got := sms.AppendGSM(nil, string(r)); string(got) != string([]byte{0x1b, want}) {
			t.Errorf("%q is % x, want 1b %02x", r, got, want)
		}
		if got := sms.GSM([]byte{0x1b, want}); got != string(r) {
			t.Errorf("1b %02x reads as %q, want %q", want, got, r)
		}
	}
	for in, want := range map[string]string{"\x1b\x41": "A", "\x1b\x1b": " ", "a\x1b": "a", "\xff": "\ufffd"} {
		if got := sms.GSM([]byte(in)); got != want {
			t.Errorf("% x reads as %q, want %q", in, got, want)
		}
	}
	if got := sms.AppendGSM(nil, "aç\uffff☀"); string(got) != "a???" {
		t.Errorf("outside the alphabet: %q", got)
	}
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		encoding   sms.Encoding
		segments   int
		units      int
	}{
		{"nothing", "", sms.GSM7, 1, 0},
		{"one full", strings.Repeat("a", 160), sms.GSM7, 1, 160},
		{"one more", strings.Repeat("a", 161), sms.GSM7, 2, 161},
		{"two full", strings.Repeat("é", 306), sms.GSM7, 2, 306},
		{"three", strings.Repeat("é", 307), sms.GSM7, 3, 307},
		{"escapes fill one", strings.Repeat("€", 80), sms.GSM7, 1, 160},
		{"escapes don't fill two", strings.Repeat("€", 153), sms.GSM7, 3, 306}, // 76 to a segment: one septet stays empty
		{"UCS-2 full", strings.Repeat("ê", 70), sms.UCS2, 1, 70},
		{"UCS-2 one more", strings.Repeat("ê", 71), sms.UCS2, 2, 71},
		{"UCS-2 two full", strings.Repeat("ê", 134), sms.UCS2, 2, 134},
		{"UCS-2 three", strings.Repeat("ê", 135), sms.UCS2, 3, 135},
		{"surrogates", strings.Repeat("🌞", 35), sms.UCS2, 1, 70},
		{"surrogates don't fill two", strings.Repeat("🌞", 67), sms.UCS2, 3, 134}, // 33 to a segment
		{"one letter decides", strings.Repeat("a", 159) + "ç", sms.UCS2, 3, 160},
		{"not text", "\xff", sms.UCS2, 1, 1},
		{"the escape's place holder", "\uffff", sms.UCS2, 1, 1},
	} {
		encoding, segments, units := sms.Measure(tt.text)
		if encoding != tt.encoding || segments != tt.segments || units != tt.units {
			t.Errorf("%s: %s, %d segments, %d units; want %s, %d, %d", tt.name, encoding, segments, units, tt.encoding, tt.segments, tt.units)
		}
	}
}

func TestSplit_LongerHeader(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text   string
		header int
		first  int // characters
	}{
		{strings.Repeat("a", 200), sms.Header8, 153},
		{strings.Repeat("a", 200), sms.Header16, 152},
		{strings.Repeat("ê", 100), sms.Header8, 67},
		{strings.Repeat("ê", 100), sms.Header16, 66},
		{strings.Repeat("a", 160), sms.Header16, 160},
	} {
		_, pieces := sms.Split(tt.text, tt.header)
		if got := utf8.RuneCountInString(pieces[0]); got != tt.first {
			t.Errorf("%d characters beside %d octets, want %d", got, tt.header, tt.first)
		}
	}
}

func TestTransliterate(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Ça va ? Été à Ségou": "Ça va ? Été à Ségou", // all of it GSM
		"fête — l’été… «\u00a0Ségou\u00a0», cœur, façade, À bientôt, 12\u202f500\u00a0F": `fete - l'été... " Ségou ", coeur, facade, A bientot, 12 500 F`,
		"fête à Ségou ☀": "fête à Ségou ☀", // no benefit
		"Yɛlɛma":         "Yɛlɛma",         // not a letter with a replacement
	} {
		if got := sms.Transliterate(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func TestCompose(t *testing.T) {
	t.Parallel()
	decomposed := "L'e\u0301te\u0301 a\u0300 Se\u0301gou"
	if e, segments, units := sms.Measure(decomposed); e != sms.GSM7 || segments != 1 || units != 13 {
		t.Errorf("%s, %d segments, %d units", e, segments, units)
	}
	if got := sms.Transliterate(decomposed + " fe\u0302te"); got != "L'été à Ségou fete" {
		t.Errorf("%q", got)
	}
	for in, want := range map[string]string{
		"fe\u0302te — l’été… «\u00a0cœur\u00a0»": "fête - l'été... « coeur »", "Ça coûte 5 €": "Ça coûte 5 €", "Yɛlɛma": "Yɛlɛma",
	} {
		if got := sms.TransliterateLatin1(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
	for _, tt := range []struct {
		text     string
		encoding sms.Encoding
		segments int
	}{
		{strings.Repeat("é", 160), sms.GSM7, 1},
		{strings.Repeat("ê", 140), sms.Latin1, 1},
		{strings.Repeat("ê", 141), sms.Latin1, 2},
		{strings.Repeat("e\u0302", 140), sms.Latin1, 1},
		{strings.Repeat("ê", 70) + "€", sms.UCS2, 2},
	} {
		if e, segments, _ := sms.MeasureLatin1(tt.text); e != tt.encoding || segments != tt.segments {
			t.Errorf("%.8q: %s, %d segments; want %s, %d", tt.text, e, segments, tt.encoding, tt.segments)
		}
	}
}

func FuzzSplit(f *testing.F) {
	for _, s := range []string{"", strings.Repeat("€", 100), strings.Repeat("🌞ê", 60), "a\xff\x1b\uffff", strings.Repeat("x", 400)} {
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, text string, short bool) {
		text = sms.Compose(text)
		header := sms.Header16
		if short {
			header = sms.Header8
		}
		encoding, pieces := sms.Split(text, header)
		measured, segments, units := sms.Measure(text)
		if strings.Join(pieces, "") != text || measured != encoding || short && segments != len(pieces) {
			t.Fatalf("%q: %d pieces of %s, measured %d of %s", text, len(pieces), encoding, segments, measured)
		}
		room, total := 140, 0
		if len(pieces) > 1 {
			room -= header
		}
		for _, p := range pieces {
			var payload []byte
			back := ""
			size := 0
			if encoding == sms.GSM7 {
				payload = sms.AppendGSM(nil, p)
				back, size = sms.GSM(payload), (len(payload)*7+7)/8
				total += len(payload)
			} else {
				payload = sms.AppendUTF16(nil, p)
				back, size = sms.UTF16(payload), len(payload)
				total += len(payload) / 2
			}
			if size > room || back != strings.ToValidUTF8(p, "\ufffd") && utf8.ValidString(p) {
				t.Fatalf("%q: %d octets in %d, reads back as %q", p, size, room, back)
			}
		}
		if total != units {
			t.Fatalf("%d units travel, measured %d", total, units)
		}
		if again := sms.Transliterate(sms.Transliterate(text)); again != sms.Transliterate(text) {
			t.Fatalf("transliterated twice: %q", again)
		}
	})
}

// Any input is decoded without a panic.
func FuzzRead(f *testing.F) {
	f.Add([]byte("\x1b\x65\x1b"))
	f.Add([]byte{0xd8, 0x3c, 0xdf, 0x1e, 0xd8})
	f.Fuzz(func(t *testing.T, b []byte) {
		texts := []string{sms.GSM(b), sms.UTF16(b)}
		if len(b) > 1 {
			texts = append(texts, sms.Tables{Locking: b[0], Single: b[1]}.Decode(b[2:]))
		}
		for _, text := range texts {
			if !utf8.ValidString(text) {
				t.Fatalf("% x reads as %q", b, text)
			}
		}
	})
}
