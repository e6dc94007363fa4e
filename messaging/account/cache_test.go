package account

import (
	"strconv"
	"testing"
	"time"

	"example.com/griot/internal/memtest"
)

// A value that was read before a change must not be cached after the change.
func TestCache_KeepsNothingThatWasReadBeforeAChange(t *testing.T) {
	var c cache[string]
	now := time.Unix(1000, 0)
	_, epoch, ok := c.get("k", now)
	if ok {
		t.Fatal("found in an empty cache")
	}
	c.clear()
	c.put("k", "old", epoch, now.Add(time.Minute))
	if v, _, ok := c.get("k", now); ok {
		t.Errorf("kept %q", v)
	}
	_, epoch, _ = c.get("k", now)
	c.put("k", "new", epoch, now.Add(time.Minute))
	if v, _, ok := c.get("k", now.Add(time.Minute-1)); !ok || v != "new" {
		t.Errorf("%q, %v", v, ok)
	}
	if _, _, ok := c.get("k", now.Add(time.Minute)); ok {
		t.Error("kept too long")
	}
}

// Many keys do not fill the memory, and changed values are removed from both halves.
func TestCache_IsBounded(t *testing.T) {
	var c cache[*[512]byte]
	until := time.Unix(1000, 0)
	memtest.CheckBounded(t, &c, func(n int) { c.put(strconv.Itoa(n), new([512]byte), 0, until.Add(time.Minute)) })
	kept := func(n int) bool {
		_, _, ok := c.get(strconv.Itoa(n), until)
		return ok
	}
	newest, older := memtest.Flood-1, memtest.Flood-cacheSize-1
	if !kept(newest) || !kept(older) || kept(0) {
		t.Errorf("the newest: %v, one of the older half: %v, the oldest: %v; want the oldest forgotten", kept(newest), kept(older), kept(0))
	}
	c.remove(strconv.Itoa(older))
	if kept(older) {
		t.Error("kept what was removed")
	}
	c.removeIf(func(*[512]byte) bool { return true })
	if kept(newest) || kept(older+1) {
		t.Error("kept what all was removed")
	}
}
