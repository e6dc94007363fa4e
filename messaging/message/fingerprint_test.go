package message_test

import (
	"testing"

	"example.com/griot/messaging/message"
)

func TestSameRequest(t *testing.T) {
	key := []byte("key")
	one := (&message.Request{To: "1"}).Fingerprint(key)
	two := (&message.Request{To: "2"}).Fingerprint(key)
	for name, tt := range map[string]struct {
		stored, asked string
		want          bool
	}{
		"the same":                        {one, one, true},
		"another":                         {one, two, false},
		"the beginning":                   {one[:24], one, true},
		"the beginning of another":        {one[:24], two, false},
		"of a newer version":              {"2." + one, two, true},
		"of a newer version, shortened":   {("2." + one)[:24], two, true},
		"both of a newer version":         {"2." + one, "2." + two, false},
		"the beginning, of a newer one":   {("2." + one)[:24], "2." + one, true},
		"of an older version than asked":  {one, "2." + two, true},
		"of a version that is not a word": {"." + one, two, true},
	} {
		if got := message.SameRequest(tt.stored, tt.asked); got != tt.want {
			t.Errorf("%s: got %v, want %v", name, got, tt.want)
		}
	}
}

// A request with another category is another request.
// Rules: M202.
func TestFingerprint_OfCategories(t *testing.T) {
	key, seen := []byte("key"), map[string]string{}
	for _, category := range []string{"", "marketing", "utility", "authentication"} {
		f := (&message.Request{To: "1", Content: message.Content{Text: "x", Category: category}}).Fingerprint(key)
		if before, ok := seen[f]; ok {
			t.Errorf("%q has the fingerprint of %q", category, before)
		}
		seen[f] = category
	}
}
