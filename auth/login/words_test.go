package login_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"example.com/griot/auth/login"
)

// banned returns the folded words of 4 to 8 letters that are in no list. refused.txt has words that no one
// should have to send: words that are rude or sinister, or about the body, drugs, weapons, faith, politics,
// money, or this service itself. alike.txt has words that sound like another word, because a listener would
// write the other.
func banned(t *testing.T) map[string]bool {
	t.Helper()
	list := map[string]bool{}
	for _, name := range []string{"refused", "alike"} {
		for _, w := range strings.Fields(read(t, "testdata/"+name+".txt")) {
			if list[w] || login.Normalize(w) != w {
				t.Errorf("%s: %q is there twice, or not folded", name, w)
			}
			list[w] = true
		}
	}
	return list
}

func read(t *testing.T, path string) string {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(file)
}

// Rules: L29.
func TestWordLists(t *testing.T) {
	banned := banned(t)
	form := regexp.MustCompile(`^[a-z]{4,8}$`)
	for _, name := range []string{"en", "fr"} {
		words := strings.Split(strings.TrimSuffix(read(t, "words/"+name+".txt"), "\n"), "\n")
		seen := map[string]bool{}
		previous := ""
		for _, word := range words {
			folded := login.Normalize(word)
			switch {
			case !form.MatchString(folded):
				t.Errorf("%s: %q has not 4 to 8 letters", name, word)
			case word != norm.NFC.String(strings.ToLower(word)):
				t.Errorf("%s: %q is not in lower case and composed", name, word)
			case seen[folded]:
				t.Errorf("%s: %q is there twice", name, word)
			case banned[folded]:
				t.Errorf("%s: %q is banned", name, word)
			case folded < previous:
				t.Errorf("%s: %q is not in its place", name, word)
			}
			seen[folded], previous = true, folded
		}
		if len(words) != 2048 || len(seen) != 2048 {
			t.Errorf("%s: %d words, %d different", name, len(words), len(seen))
		}
		for word := range seen {
			for _, other := range slips(word) {
				if seen[other] {
					t.Errorf("%s: %q and %q are one slip apart", name, word, other)
				}
			}
		}
	}
}

// slips returns the results of one wrong, missing, extra, or swapped letter in a word.
func slips(word string) []string {
	var list []string
	for i := range len(word) + 1 {
		for c := 'a'; c <= 'z'; c++ {
			list = append(list, word[:i]+string(c)+word[i:])
			if i < len(word) && rune(word[i]) != c {
				list = append(list, word[:i]+string(c)+word[i+1:])
			}
		}
		if i < len(word) {
			list = append(list, word[:i]+word[i+1:])
		}
		if i+1 < len(word) && word[i] != word[i+1] {
			list = append(list, word[:i]+word[i+1:i+2]+word[i:i+1]+word[i+2:])
		}
	}
	return list
}
