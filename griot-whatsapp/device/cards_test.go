package device

import (
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"go.mau.fi/whatsmeow/proto/waE2E"
	"google.golang.org/protobuf/proto"
)

func contact(name, vcard string) *waE2E.ContactMessage {
	return &waE2E.ContactMessage{DisplayName: proto.String(name), Vcard: proto.String(vcard)}
}

func TestContactsText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, vcard, want string }{
		{"WhatsApp's", "BEGIN:VCARD\nVERSION:3.0\nN:Keita;Moussa;;;\nFN:Moussa Keita\nTEL;type=CELL;type=VOICE;waid=22370000002:+223 70 00 00 02\nEND:VCARD", "Moussa Keita +22370000002"},
		{"with a group", "BEGIN:VCARD\r\nFN:Moussa\r\nitem1.TEL;waid=22370000002:+223 70-00-00-02\r\nitem1.X-ABLabel:Mobile\r\nitem2.TEL:+223 76 00 00 02\r\nEND:VCARD\r\n", "Moussa +22370000002 +22376000002"},
		{"national, of a person on WhatsApp", "FN:Moussa\nTEL;TYPE=CELL;waid=22370000002:70 00 00 02", "Moussa +22370000002"},
		{"national", "FN:Moussa\nTEL:70 00 00 02", "Moussa 70000002"},
		{"the same twice", "FN:Moussa\nTEL;TYPE=CELL:+223 70000002\nTEL;TYPE=HOME:+22370000002", "Moussa +22370000002"},
		{"version 4", "FN:Moussa\nTEL;VALUE=uri;PREF=1;TYPE=\"voice,home\":tel:+223-70-00-00-02;ext=5", "Moussa +22370000002"},
		{"a colon in a parameter", "FN:Moussa\nTEL;X=\"a:b\";waid=22370000002:+223 70000002", "Moussa +22370000002"},
		{"an open quotation mark", "FN:Moussa\nTEL;X=\"a:+22370000002", "Moussa +22370000002"},
		{"small letters", "begin:vcard\nfn:Moussa\ntel;waid=\"22370000002\":70000002", "Moussa +22370000002"},
		{"folded", "FN:Moussa\n  Keita\nTEL;TYPE=CELL;wai\n d=22370000002:+223 7000\n\t0002", "Moussa Keita +22370000002"},
		{"version 2.1", "FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:A=C3=AF=\nssata\nTEL;CELL:+22370000002", "Aïssata +22370000002"},
		{"escaped", `FN:Keita\, Moussa` + "\nTEL:+22370000002", "Keita, Moussa +22370000002"},
		{"version 2.1 in three lines", "FN;ENCODING=QUOTED-PRINTABLE:A=\nwa =\n=C3=89lise\nTEL:+22370000002", "Awa Élise +22370000002"},
		{"the end of a value that goes on", "TEL:+22370000002\nFN;ENCODING=QUOTED-PRINTABLE:Awa=", "Awa +22370000002"},
		{"escaped in parts", `N:Keita\;Kone;Moussa\, Ali` + "\nTEL:+22370000002", "Moussa, Ali Keita;Kone +22370000002"},
		{"without FN", "N:Keita;Moussa;;;\nTEL:+22370000002", "Moussa Keita +22370000002"},
		{"without a name", "ORG:Kora;Bamako\nTEL:+22370000002", "Kora +22370000002"},
		{"without a number", "FN:Moussa", "Moussa"},
		{"as people copy them", "FN:Awa\nTEL:\u202a+223 70\u201100 00 02\u202c\nTEL:＋٢٢٣ ٧٦٠٠٠٠٠٢\nTEL:(+223) 76000003\nTEL:𝟕𝟎000004", "Awa +22370000002 +22376000002 +22376000003 70000004"},
		{"a number alone", "TEL:+22370000002", "+22370000002"},
		{"no number", "FN:Moussa\nTEL:\nTEL:ask Awa\nTEL:" + strings.Repeat("1", 21), "Moussa"},
		{"no card", "PK\x03\x04\xff", ""},
		{"nothing", "", ""},
	} {
		if got := contactsText(contact("", tt.vcard)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := contactsText(contact("Awa", ""), contact("Moussa", "TEL:+22370000002\nTEL:+22370000003"), nil, contact("x", "FN:Binta")); got != "Awa, Moussa +22370000002 +22370000003, Binta" {
		t.Errorf("several: %q", got)
	}
}

func TestContactsText_IsBounded(t *testing.T) {
	t.Parallel()
	var vcard strings.Builder
	vcard.WriteString("FN:" + strings.Repeat("é", 1000))
	for n := range 50 {
		vcard.WriteString("\nTEL:+223" + strings.Repeat("1", n/10+1) + strings.Repeat("2", n%10))
	}
	cards := make([]*waE2E.ContactMessage, 500)
	for i := range cards {
		cards[i] = contact("", vcard.String())
	}
	if got := contactsText(cards...); strings.Count(got, "é") != maxCards*maxCardName || strings.Count(got, "+") != maxCards*maxCardNumbers {
		t.Errorf("%d names and %d numbers", strings.Count(got, "é"), strings.Count(got, "+"))
	}
	if got := contactsText(contact("Moussa", strings.Repeat("X:\n", maxCardSize)+"TEL:+22370000002")); got != "Moussa" {
		t.Errorf("a long card: %q", got)
	}
}

// Parsing a card takes memory in proportion to its size, whatever its lines are.
func TestReadCard_TakesMemoryAsItIsLong(t *testing.T) {
	for name, fill := range map[string]struct{ begin, repeated string }{
		"a value that goes on":  {"NOTE;ENCODING=QUOTED-PRINTABLE:", "aaaaaaa=\n"},
		"names":                 {"", "N:a;b\n"},
		"formatted names":       {"", "FN:\n"},
		"parts of a company":    {"ORG:", ";"},
		"parts of a name":       {"N:", ";"},
		"numbers":               {"", "TEL:1\n"},
		"ids":                   {"TEL", ";WAID="},
		"lines of one line":     {"FN:", "\n "},
		"returns":               {"", "\r"},
		"quotation marks":       {"", "\"\n"},
		"bytes that aren't UTF": {"FN:", "\xff"},
		"backslashes":           {"FN:", `\`},
	} {
		text := fill.begin + strings.Repeat(fill.repeated, maxCardSize/len(fill.repeated))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		readCard(text)
		runtime.ReadMemStats(&after)
		if taken := (after.TotalAlloc - before.TotalAlloc) / maxCardSize; taken > 100 {
			t.Errorf("%s: %d bytes for each one of the card", name, taken)
		}
	}
}

func TestPlaceText(t *testing.T) {
	t.Parallel()
	at := func(latitude, longitude float64, name, address string) string {
		return placeText(&latitude, &longitude, name, address)
	}
	for got, want := range map[string]string{
		at(12.6392, -8.0029, "Marché rose", "Bamako"): "12.6392,-8.0029 Marché rose, Bamako",
		at(12.6392, -8.0029, "Marché rose", ""):       "12.6392,-8.0029 Marché rose",
		at(12.6392, -8.0029, "", "Bamako"):            "12.6392,-8.0029 Bamako",
		at(0, -8.5, "Bamako", "Bamako"):               "0,-8.5 Bamako",
		at(12.6392, -8.0029, "", " "):                 "12.6392,-8.0029",
		placeText(nil, nil, "Marché rose", "Bamako"):  "Marché rose, Bamako",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The name and number of a card are found whatever else it contains, and the result is text of limited length.
func FuzzCard(f *testing.F) {
	f.Add("BEGIN:VCARD\nVERSION:3.0\nN:;;;;\n", "\nEND:VCARD")
	f.Add("NOTE;ENCODING=QUOTED-PRINTABLE:a=", "PHOTO;ENCODING=b:\xff\x00\n TEL")
	f.Fuzz(func(t *testing.T, before, after string) {
		if got := contactsText(contact("Awa", before+after)); !utf8.ValidString(got) || strings.ContainsRune(got, 0) || len(got) > 2000 {
			t.Errorf("%q", got)
		}
		if len(before) > 1000 || strings.Contains(strings.ToUpper(before), "QUOTED-PRINTABLE") { // the line can continue
			return
		}
		c := readCard(before + "\nTEL;TYPE=CELL;waid=22370000002:+223 70 00 00 02\n" + "X:" + after)
		if len(c.numbers) < maxCardNumbers && !strings.Contains(strings.Join(c.numbers, " "), "+22370000002") {
			t.Errorf("%q: numbers %q", before, c.numbers)
		}
	})
}
