package seal_test

import (
	"bytes"
	"testing"
)

// Two keys open, the named one seals, and objects that were created from the key follow.
func TestRing(t *testing.T) {
	first, second := key(t), key(t)
	sealed := first.Box("p").Seal([]byte("old"), "a")
	both := second.WithPrevious(first)
	box, secret, lasting := both.Box("p"), both.Secret("s"), both.Lasting("l")
	if both.Sealing() != first.Name() || both.Name() != second.Name() {
		t.Error("the new key seals before anybody said so")
	}
	if got := first.Box("p"); box.Seal([]byte("x"), "a") == "" || got == nil {
		t.Fatal("no box")
	}
	if _, err := first.Box("p").Open(box.Seal([]byte("x"), "a"), "a"); err != nil {
		t.Error("what is sealed before the switch does not open with the first key alone")
	}
	before, kept := secret.MAC("v"), lasting.MAC("v")
	if mark, _ := secret.Marked(); mark != "" {
		t.Errorf("the first key's mark is %q", mark)
	}
	both.Keep("l", both.Kept("l"))
	both.SetFirst(first.Name())
	if both.SealWith("unknown") || !both.SealWith(second.Name()) {
		t.Fatal("the wrong keys are known")
	}
	fresh, err := box.Reseal(sealed, "a")
	if err != nil || fresh == sealed {
		t.Fatalf("not sealed anew: %v", err)
	}
	if again, err := box.Reseal(fresh, "a"); err != nil || again != fresh {
		t.Errorf("sealed anew twice: %v", err)
	}
	if plain, err := second.Box("p").Open(fresh, "a"); err != nil || string(plain) != "old" {
		t.Errorf("%s %v, want that the second key alone opens it", plain, err)
	}
	if _, err := first.Box("p").Open(fresh, "a"); err == nil {
		t.Error("the first key still opens it")
	}
	if plain, err := box.Open(sealed, "a"); err != nil || string(plain) != "old" {
		t.Errorf("%s %v: the old text opens no more", plain, err)
	}
	write := func(mac []byte) string { return string(mac) }
	if bytes.Equal(secret.MAC("v"), before) || !secret.Made(string(before), write, "v") || secret.Made(string(before), write, "w") {
		t.Error("values from before the switch are not recognized")
	}
	if !bytes.Equal(lasting.MAC("v"), kept) {
		t.Error("a lasting secret has changed")
	}
	if mark, _ := secret.Marked(); mark != "k"+second.Name()+"." {
		t.Errorf("the second key's mark is %q", mark)
	}
	if _, err := box.Reseal("AAAA", "a"); err == nil {
		t.Error("something was made of nonsense")
	}
}
