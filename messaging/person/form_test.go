package person_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/idn"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/person"
)

// Rules: M174.
func TestForm_SpellingsOfOneAddress(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{"Binta@Example.com", "binta@EXAMPLE.COM", "binta@example.com"},
		{"awa@bücher.example", "awa@xn--bcher-kva.example", "Awa@BÜCHER.Example", "awa@bu\u0308cher.example", "awa@XN--BCHER-KVA.example"},
		{"ÉLODIE@example.com", "e\u0301lodie@example.com"},
		{"\u0130dil@example.com", "I\u0307dil@example.com", "i\u0307dil@example.com", "i\u0307DIL@example.com"},
		{"awa@\u04c0.example", "awa@\u04cf.example", "awa@xn--s5a.example"},
		{"awa@bücher\x01", "awa@bu\u0308cher\x01", "awa@BÜCHER\x01"}, // no domain
		{"5511987654321", "551187654321", "+551187654321"},
		{"5215512345678", "525512345678"},
		{"5491112345678", "541112345678"},
		{"22376000001", "+22376000001"},
	} {
		for _, address := range same {
			if got, want := person.Form(address), person.Form(same[0]); got != want {
				t.Errorf("%q: %q, want %q as of %q", address, got, want, same[0])
			}
		}
	}
}

func TestKindOf(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]person.Kind{
		"+22376000001": person.Number, "22376000001": person.Number, "awa@example.com": person.Email, "123@lid.example": person.Email, "12a@lid": person.Email, "123@g.us": person.Email,
		"ML.9001": person.ID, "US.ENT.1": person.ID, "123@lid": person.ID, "ml.9001": person.Other, "": person.Other, "72345": person.Other, "erased-Zg": person.Other,
	} {
		if got := person.KindOf(address); got != want {
			t.Errorf("%q: %v, want %v", address, got, want)
		}
	}
}

// Rules: M193.
func TestForm_OfDifferentPeople(t *testing.T) {
	t.Parallel()
	all := []string{
		"551132654321", "5511932654321", // a landline of São Paulo, and a mobile number
		"22376000001", "22376000002", "5511987654321", "5511987654322", "awa@example.com", "awa@example.org", "awa+1@example.com", "idil@example.com", "\u0130dil@example.com", "\u0131dil@example.com", "erased-Zg", "", "72345",
		"Boutique", "boutique", // senders' names
		"ML.9001", "ML.9002", "ML.abc", "ML.ABC", "ML.ENT.9001", "BR.551187654321", "BR.5511987654321", "AR.541112345678", "AR.5491112345678", "123@lid", "1234@lid", "551187654321@lid", "5511987654321@lid",
	}
	for i, address := range all {
		for _, other := range all[:i] {
			if person.Form(address) == person.Form(other) {
				t.Errorf("%q and %q have the form %q", address, other, person.Form(other))
			}
		}
	}
}

// The form of a form is the form itself. Each spelling of an email address or number has the same form.
func FuzzForm(f *testing.F) {
	for _, address := range []string{"Binta@Example.com", "awa@bücher.example", "5511987654321", "525512345678", "erased-x", "a@b@c", "İ@ß.example", "e\u0301i\u0307@bu\u0308cher.example", "ML.9001", "AR.541112345678", "551187654321@lid"} {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		form := person.Form(address)
		if kind := person.KindOf(address); kind == person.ID && form != address || person.KindOf(form) != kind {
			t.Errorf("%+q, of the kind %v: %+q, of the kind %v", address, kind, form, person.KindOf(form))
		}
		spellings := []string{form}
		if at := strings.LastIndexByte(address, '@'); at >= 0 && utf8.ValidString(address) && person.KindOf(address) == person.Email {
			spellings = append(spellings, asciiUpper(address), norm.NFC.String(address), norm.NFD.String(address), norm.NFD.String(asciiUpper(address)))
			if domain, ok := idn.ASCII(address[at+1:]); ok {
				spellings = append(spellings, address[:at+1]+domain, address[:at+1]+strings.ToUpper(domain))
			}
		}
		if n, ok := phone.Parse(address); ok {
			spellings = append(spellings, n.E164(), string(n))
		}
		for _, same := range spellings {
			if got := person.Form(same); got != form {
				t.Errorf("%+q: %+q, but spelled %+q it is %+q", address, form, same, got)
			}
		}
	})
}

// asciiUpper returns a text with its ASCII letters in upper case.
func asciiUpper(s string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, s)
}

// learn stores that a provider knows an address under an ID.
func learn(t *testing.T, d *db.DB, account, address, id string) (fresh bool) {
	t.Helper()
	if err := d.Write(t.Context(), func(tx *db.Tx) (err error) {
		fresh, err = person.Learn(tx, account, address, id)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return fresh
}

// Rules: M174.
func TestLearn(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const dialed, id, older, newest = "2250707000001", "22507000001", "22547000001", "2250707000009"
		if !learn(t, d, "a", dialed, id) || learn(t, d, "a", dialed, id) {
			t.Fatal("an alias is new once")
		}
		learn(t, d, "a", older, id)
		if learn(t, d, "a", id, dialed) {
			t.Error("an alias was stored of a person that it leads to")
		}
		expect := func(account, address, want string) {
			t.Helper()
			if got, err := person.Find(d.Read(t.Context()), account, address); err != nil || got != want {
				t.Errorf("%s in %s: %s, %v, want %s", address, account, got, err, want)
			}
		}
		for _, address := range []string{dialed, "+" + dialed, older, id} {
			expect("a", address, id)
		}
		expect("b", dialed, dialed)
		learn(t, d, "a", id, newest) // the person has another id now
		for _, address := range []string{dialed, older, id, newest} {
			expect("a", address, newest)
		}
		got, err := person.Addresses(d.Read(t.Context()), "a", older)
		slices.Sort(got)
		if want := []string{newest, id, older, dialed}; err != nil || !slices.Equal(got, slices.Sorted(slices.Values(want))) {
			t.Errorf("addresses: %q, %v, want %q", got, err, want)
		}
	})
}

func TestAddresses_AreEachSpelling(t *testing.T) {
	t.Parallel()
	q := dbtest.SQLite(t).Read(t.Context())
	for address, want := range map[string][]string{
		"551187654321": {"551187654321", "5511987654321"}, "5215512345678": {"5215512345678", "525512345678"}, "541112345678": {"541112345678", "5491112345678"}, "22376000001": {"22376000001"}, "AR.9112345678": {"AR.9112345678"}, "551187654@lid": {"551187654@lid"},
	} {
		got, err := person.Addresses(q, "a", address)
		slices.Sort(got)
		slices.Sort(want)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", address, got, err, want)
		}
	}
}
