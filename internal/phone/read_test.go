package phone_test

import (
	"bufio"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"example.com/griot/internal/phone"
)

// outcome returns a number with its plus, or the key of the problem.
func outcome(t *testing.T, n phone.Number, err error) string {
	t.Helper()
	if err == nil {
		return n.E164()
	}
	wrong, ok := errors.AsType[*phone.ReadError](err)
	if !ok || n != "" || strings.TrimSpace(wrong.Error()) == "" {
		t.Fatalf("%q with the error %v", n, err)
	}
	return wrong.Problem.Key()
}

func TestRead(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		// how people write numbers
		"+22376000001": "+22376000001", " +223 76-00 (00).01\u00a0": "+22376000001", "+223 76000001.": "+22376000001", "+223 7 6 0 0 0 0 0 1": "+22376000001", "+223-7-6-0-0-0-0-0-1": "+22376000001",
		"+1 (415) 555-2671": "+14155552671", "+1-415-555-2671": "+14155552671", "+1.415.555.2671": "+14155552671", "+33.6.12.34.56.78": "+33612345678", "+33 6.12.34.56.00": "+33612345600",
		"+49 (0171) 1234567": "+491711234567", "+49 171/1234567": "+491711234567", "+49 30 123456": "+4930123456", "+49 30-1234-567": "+49301234567", "+62 812-3456-7890": "+6281234567890", "+55 11 91234-5678": "+5511912345678",
		"+381 64/123-45-67": "+381641234567", "+52 1 55 1234 5678": "+5215512345678", "(+223) 76 00 00 01": "+22376000001", "+223 (76000001)": "+22376000001", "[+223] 76000001": "+22376000001",
		"\u202a+223 76 00 00 01\u202c": "+22376000001", "\u2066\u200e+223\u200b76\u00ad000001\u2069\ufeff": "+22376000001", "+223\u201176\u201000\u201200\u201301\u2014": "+22376000001",
		"+223\u221276\uff0d00\ufe6300\u30a001": "+22376000001", "＋２２３　７６００（００）．０１": "+22376000001", "﹢223 76000001": "+22376000001", "+٢٢٣٧٦٠٠٠٠٠١": "+22376000001", "+𝟐𝟐𝟑76000001": "+22376000001",
		"+22300000001": "+22300000001", "+22300000099": "+22300000099",
		// the prefix of national calls
		"+33 06 12 34 56 78": "+33612345678", "+44 07911 123456": "+447911123456", "+49 0171 1234567": "+491711234567", "+39 06 1234 5678": "+390612345678", "+7 8912 345 67 89": "length", "+1 1415 555 267": "length",
		// additions
		"+22376000001.0": "addition", "+22376000001.00": "addition", "+22376000001-2": "addition", "+223 76 00 00 01 (2)": "addition", "+22376000001 2": "addition", "+223 76000001/2": "two", "+2237600000.1": "addition",
		"+491711234567.0": "addition", "+491711234567.00": "addition", "+491711234567.000": "addition", "+491711234567-2": "addition", "+49 171 1234567 (2)": "addition", "+49 171 1234567 (123)": "addition", "+49 171 1234567-12": "addition", "+49 171 1234567 2": "addition",
		"+6281234567-8": "addition", "+22376000001 x2": "character", "+22376000001 ext. 2": "character", "+22376000001,0": "character", "+22376000001 Awa": "character", "+22376000001;2": "character", "+22376000001#2": "character",
		// several numbers
		"+22376000001 +22376000002": "two", "+22376000001/+22376000002": "two", "+49 30 12345/67890": "two", "+49 30 12345\n67890": "two", "+49 30 12345\t67890": "two", "+22376000001 / 02": "two",
		"+22376000001 76000002": "length", "++22376000001": "character",
		// other lengths
		"+223760000010": "length", "+2237600000": "length", "+225 07070707": "length", "+229 97123456": "length", "+1 5552671": "length", "+33 6 12 34 56": "length", "+99912345678": "code", "+0022376000001": "code", "+2222376000001": "length",
		// no plus
		"22376000001": "no_country", "76000001": "no_country", "0022376000001": "prefix", "": "character", "+": "character", "-": "character", "awa": "character", "２２３７６０００００１": "no_country",
		"+223\x0076000001": "character", "+22376²": "character", "7.6000001E7": "character",
	} {
		n, err := phone.Read(typed)
		if got := outcome(t, n, err); got != want {
			t.Errorf("%+q: %s, want %s", typed, got, want)
		}
	}
}

// The zero of national calls is removed from international numbers, unless it is part of the number.
func TestRead_ZeroInBrackets(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"+44 (0)7911 123456": "+447911123456", "+44(0)7911123456": "+447911123456", "+44 ( 0 ) 7911-123456": "+447911123456", "(+44) (0)7911 123456": "+447911123456",
		"+44 （０）7911 123456": "+447911123456", "+٤٤ (٠)7911 123456": "+447911123456", "+44 [0] 7911 123456": "+447911123456", "+44 (\u200e0\u200e)7911 123456": "+447911123456",
		"+33 (0)6 12 34 56 78": "+33612345678", "+223 (0)76000001": "+22376000001", "+1 (0)202 555 0123": "+12025550123", "+49 (0171) 1234567": "+491711234567", "+44 (020) 7946 0958": "+442079460958",
		"+7 (0495) 1234567": "length", "+1 (020) 5550123": "+10205550123",
		// a part of the number
		"+39 (0)6 1234 5678": "+390612345678", "+39 (06) 12345678": "+390612345678", "+225 (0)7 01 02 03 04": "+2250701020304", "+229 (01) 97 00 00 00": "+2290197000000",
		"+242 (0)6 612 34 56": "+242066123456", "+378 (0)549 123456": "+3780549123456",
		// no calling code before it
		"(0)7911 123456": "no_country", "+442 (0)79461234": "+442079461234", "+44 7911 (0)12345": "+447911012345", "+44 (0": "addition", "+44 (00)7911": "length",
	} {
		n, err := phone.Read(typed)
		if got := outcome(t, n, err); got != want {
			t.Errorf("%+q: %s, want %s", typed, got, want)
		}
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"+223 76 00 00 01": "22376000001", "22376000001": "22376000001", "+223760000010": "223760000010", "+12345678": "12345678", "2025550123": "2025550123", "44 (0)7911 123456": "447911123456",
		"+22376000001.0": "", "+22376000001-2": "", "22376000001 (2)": "", "+49 171 1234567-2": "", "0022376000001": "", "223 760 000 010": "", "70112233": "", "4155552671": "", "1234567": "", "awa": "", "": "",
	} {
		if got, err := phone.Lookup(typed); string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q %v, want %q", typed, got, err, want)
		}
	}
}

func TestContact(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"+223 76 00 00 01": "+22376000001", "223 76 00 00 01": "22376000001", " awa@example.com ": "awa@example.com", " ML.9001": "ML.9001", "+22376000001.0": "+22376000001.0", "+22376000001-2 ": "+22376000001-2",
	} {
		if got := phone.Contact(typed); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}

func TestUnformatted(t *testing.T) {
	t.Parallel()
	for formatted, want := range map[string]string{
		" +223 76-00 (00).01\u00a0": "+22376000001", "22376000001": "22376000001", "a-b c": "abc", "": "", "+223\u200b76\u00ad000001": "+22376000001", "+٢٢٣٧٦٠٠٠٠٠١": "+22376000001",
		"+44 (0)7911 123456": "+447911123456", "44 (0)7911 123456": "447911123456", "+39 (0)6 1234 5678": "+390612345678", "(0171) 1234567": "01711234567", "+223/76000001": "+223/76000001", "++223": "++223",
	} {
		if got := phone.Unformatted(formatted); got != want {
			t.Errorf("%+q: %+q, want %+q", formatted, got, want)
		}
	}
}

func TestPart(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{"+223 76 00": "2237600", "7": "7", "٧٦\u2011٠٠": "7600", "(01)": "01", "": "", "+": "", "-": "", "awa": "", "76a": "", "7+6": ""} {
		got, ok := phone.Part(typed)
		if ok != (want != "") || ok && got != want {
			t.Errorf("Part(%+q) = %q, %v; want %q", typed, got, ok, want)
		}
	}
}

func TestReadError_SaysHowToWriteIt(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"+223760000010": "after +223, there must be 8", "+229 97123456": "after +229, there must be 10", "+49 1": "after +49, there must be 5-15", "+599 1": "must be 7, 8",
		"+40 1": "must be 6, 9", "76000001": "start it with + and the country code", "+22376000001.0": "write only the number", "+22376000001 +22376000002": "write only one", "0022376000001": "write + instead of 00",
	} {
		if _, err := phone.Read(typed); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "76000001") {
			t.Errorf("%q: %v, want a part %q", typed, err, want)
		}
	}
}

// The examples of each country, typed in several ways, are read as themselves or refused.
func TestRead_ExamplesOfEachCountry(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/examples.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	read, all, people := map[string]int{}, 0, map[string]bool{}
	for lines := bufio.NewScanner(file); lines.Scan(); all++ {
		part := strings.Split(lines.Text(), "\t")
		id, e164, abroad, national := part[0], part[1], part[2], part[3]
		check := func(way, typed string, n phone.Number, err error) {
			if err == nil && n.E164() != e164 {
				t.Errorf("%s %s typed %q (%s) is %s", id, e164, typed, way, n.E164())
			}
			if err == nil {
				read[way]++
			}
		}
		if n, ok := phone.Parse(e164); ok && !n.Possible() {
			t.Errorf("%s %s has an unknown length", id, e164)
		}
		n, err := phone.Read(e164)
		check("E.164", e164, n, err)
		forPeople := err == nil
		_, isNumber := phone.Parse(e164) // the numbers of Tristan da Cunha and Tokelau are too short
		people[id] = people[id] || forPeople || !isNumber
		n, err = phone.Read(abroad)
		check("international", abroad, n, err)
		if id == "001" {
			continue
		}
		regions := []string{id, phone.Number(e164[1:]).Country()}
		for _, name := range regions {
			region, ok := phone.ParseRegion(name)
			if !ok {
				t.Fatal(name)
			}
			for way, typed := range map[string]string{
				"E.164 in its country": e164, "international in its country": abroad, "00": "00" + e164[1:], "00, spaced": "00 " + abroad[1:], "without its plus": e164[1:],
				"national": national, "national digits": phone.Unformatted(national),
			} {
				if way == "without its plus" && !forPeople { // only its digits could tell it from a national number
					continue
				}
				n, err := region.Read(typed)
				check(way, typed, n, err)
			}
		}
		for way, prefix := range map[string]string{"US": "011", "RU": "810", "JP": "010", "BR": "0015", "AU": "0011", "FR": "00"} {
			region, _ := phone.ParseRegion(way)
			n, err := region.Read(prefix + e164[1:])
			check("from "+way, prefix+e164[1:], n, err)
		}
	}
	for id, one := range people {
		if !one {
			t.Errorf("no example of %s is read", id)
		}
	}
	t.Logf("%d examples; read: %v", all, read)
	for way, n := range read {
		if n < all/2 {
			t.Errorf("%s: only %d of %d examples are read", way, n, all)
		}
	}
}

// A number that is read has the digits of the text, without a prefix, or after the region's calling code.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"+44 (0)7911 123456", "\u202a+٢٢٣\u2011٧٦٠٠٠٠٠١", "＋39（０）6 12345678", "(0)(0)", "+49 (0171) 1", "\xff(0", "+22376000001.0", "+22376000001-2", "011 223 76000001", "06 12 34 56 78", "+49 30 12345/67890", "+44 44(0)79",
	} {
		f.Add("FR", s)
		f.Add("US", s)
		f.Add("RU", s)
		f.Add("", s)
	}
	f.Add("33", "0612345678")
	f.Add("GB", "44 (0)7911 123456")
	f.Fuzz(func(t *testing.T, name, s string) {
		region, ok := phone.ParseRegion(name)
		n, err := region.Read(s)
		if again, wrong := phone.Lookup(s); wrong == nil && err == nil && !ok && again != n {
			t.Errorf("%+q is read as %q, and looked up as %q", s, n, again)
		}
		if err != nil {
			return
		}
		digits := strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return r
			}
			return -1
		}, strings.Map(func(r rune) rune {
			for _, c := range phone.Unformatted(string(r)) {
				return c
			}
			return -1
		}, s))
		code := n.Country()
		suffix := string(n)[len(code):]
		head, found := strings.CutSuffix(digits, suffix)
		made := found && slices.Contains([]string{"", "0", "1", "8", "06"}, head) // the prefixes of national calls
		for _, zeros := range []string{"", "0", "00"} {                           // in brackets, and without
			before, hasZeros := strings.CutSuffix(head, zeros)
			before, hasCode := strings.CutSuffix(before, code)
			made = made || found && hasZeros && hasCode && len(before) <= 8
		}
		if !made {
			t.Errorf("%q %+q: %q is not made of the digits %q", name, s, n, digits)
		}
		if parsed, ok := phone.Parse(string(n)); !ok || parsed != n {
			t.Errorf("%+q is %q, which is no number", s, n)
		}
		if again, err := region.Read(n.E164()); err != nil || again != n {
			t.Errorf("%+q is %q, which is read as %q %v", s, n, again, err)
		}
		if again, err := region.Read(strings.Join(strings.Split(n.E164(), ""), "\u00a0\u2011\u200e")); err != nil || again != n {
			t.Errorf("%q with separators is %q %v", n, again, err)
		}
	})
}
