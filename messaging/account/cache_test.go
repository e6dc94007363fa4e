package account

import (
	"testing"
	"time"
)

// Who read before a change must not keep it beyond the change.
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
