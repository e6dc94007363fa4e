package phone

import (
	"fmt"
	"strings"
	"unicode"

	"example.com/griot/internal/visible"
)

// A Problem is the reason why a typed number isn't read.
type Problem int

// The problems.
const (
	_                Problem = iota
	ProblemCharacter         // letters or other characters that no number has, or no digits
	ProblemTwo               // more than one number
	ProblemAddition          // something behind the number: .0, -2, (2)
	ProblemNoCountry         // neither a plus nor a country
	ProblemPrefix            // a prefix of international calls without a country
	ProblemCode              // no country has the calling code
	ProblemLength            // no number of the calling code has this length
	ProblemNational          // no number of the region has this length
	ProblemAmbiguous         // several numbers of the region are written like this
)

// Key returns the name of the problem in identifiers of translations.
func (p Problem) Key() string {
	switch p {
	case ProblemCharacter:
		return "character"
	case ProblemTwo:
		return "two"
	case ProblemAddition:
		return "addition"
	case ProblemNoCountry:
		return "no_country"
	case ProblemPrefix:
		return "prefix"
	case ProblemCode:
		return "code"
	case ProblemLength:
		return "length"
	case ProblemNational:
		return "national"
	case ProblemAmbiguous:
		return "ambiguous"
	}
	return ""
}

// ReadError is the error of a typed number that isn't read. It doesn't contain the number.
type ReadError struct {
	Problem Problem
	Code    string // the calling code of ProblemLength and ProblemNational
	Lengths string // the possible numbers of digits after it, such as "9, 10"
}

// Error returns what is wrong and how to write it, as the end of a sentence about the value: "has letters …".
func (e *ReadError) Error() string {
	switch e.Problem {
	case ProblemTwo:
		return "has more than one phone number: write only one"
	case ProblemAddition:
		return "ends with something that isn't part of it, such as .0, -2, or (2): write only the number"
	case ProblemNoCountry:
		return "has no +: start it with + and the country code, such as +22370112233"
	case ProblemPrefix:
		return "starts with the prefix of international calls: write + instead of 00"
	case ProblemCode:
		return "starts with digits that are no country's code: start it with + and the country code, such as +22370112233"
	case ProblemLength:
		return fmt.Sprintf("has too many or too few digits: after +%s, there must be %s", e.Code, e.Lengths)
	case ProblemNational:
		return fmt.Sprintf("isn't a number of the country: after +%s, there must be %s digits. Start a number of another country with +", e.Code, e.Lengths)
	case ProblemAmbiguous:
		return "can mean more than one number: start it with + and the country code"
	case ProblemCharacter:
	}
	return "has characters that aren't part of a phone number, or no digits: write + and digits, such as +22370112233"
}

// Read reads a number as a person writes it, with a plus: +44 (0)7911 123456 is 447911123456. It never returns another
// number: what it can't read for certain is an error, which is a [*ReadError]. The rule:
//
//   - Digits of any script are read. Spaces, dashes, dots, brackets, and a slash are left out between them, and
//     invisible characters anywhere. Any other character, or a second plus, is refused.
//   - The number must have a length that fixed-line or mobile numbers of its calling code have.
//   - The prefix 0 of national calls is left out after the calling code of a country that has this prefix.
//   - An addition behind the number is refused: a last group of one digit behind a dot, a dash, a bracket, or a slash,
//     and a last group of one digit behind a space, of two digits, of zeros behind a dot, or in brackets, if the digits
//     before it are a possible number without it. Only groups of one digit each are read, and -45-67 is, where the group
//     before looks the same.
//   - A slash, a tab, or a line break behind digits that are a possible number starts a second number.
func Read(s string) (Number, error) { return Region{}.Read(s) }

// Lookup reads a number that a person types to find what is stored about it, or an own one: as [Read] does, or else 8 to
// 15 digits. With a plus, they can have any length, because stored numbers come from programs, too. Without one, they must
// have a possible length. An error is a [*ReadError].
func Lookup(s string) (Number, error) {
	n, err := Read(s)
	if err == nil {
		return n, nil
	}
	t, problem := scan(s, isCallingCode)
	if problem == 0 {
		problem = t.addition(isWhole)
	}
	if problem != 0 {
		return "", &ReadError{Problem: problem}
	}
	if n, ok := Parse(t.digits); ok && (t.plus || n.Possible()) {
		return n, nil
	}
	return "", err
}

// Contact converts a typed phone number or email address to look up: a number like [Lookup], with its plus if it has
// one, and anything else without surrounding spaces.
func Contact(s string) string {
	n, err := Lookup(s)
	switch {
	case err != nil:
		return strings.TrimSpace(s)
	case strings.ContainsAny(s, pluses):
		return n.E164()
	}
	return string(n)
}

// Part returns the digits of a typed number or a part of one; ok is false for anything else.
func Part(s string) (digits string, ok bool) {
	digits = strings.TrimPrefix(Unformatted(s), "+")
	return digits, isDigits(digits)
}

// Unformatted returns a number that a program has formatted, such as a provider's, without spaces, dots, dashes,
// brackets, and invisible characters, for [Parse]. What a person types is for [Read].
func Unformatted(s string) string {
	return withoutSeparators.Replace(withoutTrunkZero(canonical(s), isCallingCode))
}

const (
	pluses    = "+＋﹢"
	minusSign = '\u2212'
)

var withoutSeparators = strings.NewReplacer("(", "", ")", "", " ", "", "\n", "", "-", "", ".", "")

// canonical converts digits of any script, and each kind of separator to one character: a line break or tab to \n. It
// omits invisible characters.
func canonical(s string) string {
	return strings.Map(func(r rune) rune {
		digit, isDigit := visible.Digit(r)
		switch {
		case isDigit:
			return '0' + rune(digit)
		case strings.ContainsRune(pluses, r):
			return '+'
		case strings.ContainsRune("([（［﹙", r):
			return '('
		case strings.ContainsRune(")]）］﹚", r):
			return ')'
		case r == '.' || r == '．':
			return '.'
		case r == '/' || r == '／':
			return '/'
		case strings.ContainsRune("\t\n\v\f\r\u0085\u2028\u2029", r):
			return '\n'
		case r == minusSign, unicode.Is(unicode.Pd, r):
			return '-'
		case unicode.IsSpace(r):
			return ' '
		case visible.Separator(r):
			return -1
		}
		return r
	}, s)
}

// zeroFirst are the calling codes of countries whose international numbers start with a zero: Italy, Ivory Coast,
// Benin, Congo, and San Marino. A zero in brackets belongs to the number there: +39 (0)6 123 45678 is +390612345678.
const zeroFirst = " 39 225 229 242 378 "

// withoutTrunkZero removes a zero at the start of a bracket after a calling code. A zero alone, (0), is always removed.
// The zero of an area code, (0171), is removed if the country's numbers have the prefix 0 only in national calls.
// isCode reports which calling codes are recognized without a plus.
func withoutTrunkZero(s string, isCode func(string) bool) string {
	before, after, found := strings.Cut(s, "(")
	for found && strings.Trim(withoutSeparators.Replace(before), "+") == "" { // (+44) (0)7911
		next, rest, again := strings.Cut(after, "(")
		before, after, found = before+"("+next, rest, again
	}
	after, isZero := strings.CutPrefix(strings.TrimLeft(after, " \n"), "0")
	if !found || !isZero || after == "" {
		return s
	}
	code, hasPlus := strings.CutPrefix(withoutSeparators.Replace(before), "+")
	if !isCallingCode(code) || !hasPlus && !isCode(code) {
		return s
	}
	switch next := strings.TrimLeft(after, " \n"); {
	case next == "":
	case next[0] == ')' && !strings.Contains(zeroFirst, " "+code+" "):
		return before + " " + next[1:]
	case next[0] >= '1' && next[0] <= '9' && trunkOf(code) == "0":
		return before + "(" + next
	}
	return s
}

// isCallingCode reports whether s is the calling code of a country or of a group of countries.
func isCallingCode(s string) bool {
	if !isDigits(s) || len(s) > 3 || s[0] == '0' {
		return false
	}
	all, _ := lengthsOf(s)
	return all != 0
}

// A typed number is the digits of a text and their groups.
type typed struct {
	plus   bool
	digits string
	groups []group
}

type group struct {
	start int  // its first digit
	by    byte // the separator before it: one of the characters of canonical, the most telling one of several
}

// separators are the kinds of separators, the most telling one last.
const separators = " -.)(\n/"

// scan finds the groups of a text. isCode is that of withoutTrunkZero.
func scan(s string, isCode func(string) bool) (*typed, Problem) {
	t, by := &typed{}, byte(0)
	for _, r := range strings.Trim(withoutTrunkZero(strings.Trim(canonical(s), " \n"), isCode), " \n") {
		switch {
		case r >= '0' && r <= '9':
			if len(t.groups) == 0 || by != 0 {
				t.groups = append(t.groups, group{len(t.digits), by})
			}
			t.digits, by = t.digits+string(r), 0
		case r == '+' && t.digits != "":
			return nil, ProblemTwo
		case r == '+' && !t.plus:
			t.plus = true
		case strings.ContainsRune(separators, r):
			if by == 0 || strings.IndexByte(separators, byte(r)) > strings.IndexByte(separators, by) {
				by = byte(r)
			}
		default:
			return nil, ProblemCharacter
		}
	}
	if t.digits == "" {
		return nil, ProblemCharacter
	}
	return t, 0
}

// size returns the number of digits of a group.
func (t *typed) size(i int) int {
	if i+1 < len(t.groups) {
		return t.groups[i+1].start - t.groups[i].start
	}
	return len(t.digits) - t.groups[i].start
}

// addition reports whether there is more than a number. isWhole reports whether digits are a possible number alone.
func (t *typed) addition(isWhole func(digits string) bool) Problem {
	n := len(t.groups) - 1
	if n < 1 {
		return 0
	}
	for _, g := range t.groups[1:] {
		if (g.by == '/' || g.by == '\n') && isWhole(t.digits[:g.start]) {
			return ProblemTwo
		}
	}
	last, size := t.groups[n], t.size(n)
	whole := isWhole(t.digits[:last.start])
	switch {
	case size == 1 && t.singles():
		return 0
	case size == 1 && (last.by != ' ' || whole),
		size == 2 && last.by != ' ' && whole && (t.groups[n-1].by != last.by || t.size(n-1) != size),
		last.by == '(' && whole,
		last.by == '.' && whole && strings.Trim(t.digits[last.start:], "0") == "":
		return ProblemAddition
	}
	return 0
}

// singles reports whether all groups but the first are single digits, of which there are at least four.
func (t *typed) singles() bool {
	return len(t.groups) > 4 && len(t.digits)-t.groups[1].start == len(t.groups)-1
}

// read returns the number of digits after a plus.
func (t *typed) read() (Number, error) {
	if problem := t.addition(isWhole); problem != 0 {
		return "", &ReadError{Problem: problem}
	}
	n, _, people := international(t.digits)
	if people {
		return n, nil
	}
	code := Number(t.digits).Country()
	if _, known := lengthsOf(code); known != 0 && isCallingCode(code) {
		return "", &ReadError{Problem: ProblemLength, Code: code, Lengths: known.String()}
	}
	return "", &ReadError{Problem: ProblemCode}
}

func isWhole(digits string) bool {
	_, _, people := international(digits)
	return people
}

func isPeoples(n Number) bool { return isWhole(string(n)) }

// international returns the number of digits that start with a calling code. It reports whether the number has a length
// of numbers of any type, and of those that people have.
func international(digits string) (n Number, all, people bool) {
	code := Number(digits).Country()
	if !isCallingCode(code) {
		return "", false, false
	}
	rest, trunk := digits[len(code):], trunkOf(code)
	if trunk == "0" {
		rest = strings.TrimPrefix(rest, trunk)
	}
	n, ok := Parse(code + rest)
	if !ok || startsWithTrunk(trunk, rest) {
		return "", false, false
	}
	ofAll, ofPeople := lengthsOf(code)
	return n, ofAll.has(len(rest)), ofPeople.has(len(rest))
}
