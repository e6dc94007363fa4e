package history_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"example.com/griot/test/system/fleet/history"
)

func TestParse_Refuses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no JSON":          `x`,
		"an empty line":    "\n",
		"two values":       `{"kind":"stall","begin":0,"end":1} {}`,
		"an unknown field": `{"kind":"stall","begin":0,"end":1,"color":"red"}`,
		"an unknown kind":  `{"kind":"party","begin":0,"end":1}`,
		"a missing field":  `{"kind":"usage","begin":0,"end":1}`,
		"no message":       `{"kind":"send","begin":0,"end":1,"account":"a","gateway":"g","sender":"s","to":"1","key":"k","result":"accepted"}`,
		"no content":       `{"kind":"written","begin":0,"end":1,"sender":"s","to":"1","result":"accepted"}`,
		"no person":        `{"kind":"stop","begin":0,"end":1,"account":"a","result":"accepted"}`,
		"no account":       `{"kind":"suspend","begin":0,"end":1,"result":"accepted"}`,
		"a negative place": `{"kind":"stored","begin":0,"end":1,"sender":"s","to":"1","message":"m","content":"c","place":-1}`,
		"a strange result": `{"kind":"use","begin":0,"end":1,"token":"t","result":"perhaps"}`,
		"a strange class":  `{"kind":"gateway","begin":0,"end":1,"gateway":"g","class":"best"}`,
		"a negative time":  `{"kind":"stall","begin":-1,"end":1}`,
		"an early end":     `{"kind":"stall","begin":2,"end":1}`,
		"a huge rate":      `{"kind":"gateway","begin":0,"end":1,"gateway":"g","class":"asked","rate":1e300}`,
		"a negative limit": `{"kind":"account","begin":0,"end":1,"account":"a","limit":-1}`,
	} {
		h, err := history.Parse(strings.NewReader(`{"kind":"stall","begin":0,"end":1}` + "\n" + text + "\n"))
		if err == nil || !strings.HasPrefix(err.Error(), "line 2: ") {
			t.Errorf("%s: parsed as %v, error %v; want an error of line 2", name, h, err)
		}
	}
}

// FuzzParse checks that accepted input is the same after writing and parsing it again, and can be checked.
func FuzzParse(f *testing.F) {
	f.Add([]byte(world))
	f.Add([]byte(strings.TrimSpace(world) + "\n" + sent(1, "a", "asked", "1", "m") + calls(3, 1) + used("limited", 3) + webhook("e", "m", "SENT", "x")))
	f.Add([]byte(`{"kind":"poll","begin":1,"end":2,"login":"l","status":"VERIFIED"}` + "\n" + `{"kind":"revoke","begin":1,"end":2,"token":"t","result":"accepted","within":5}`))
	f.Add([]byte(written(1, "x", "accepted") + stored("x", 1) + received("e", "x")))
	f.Add([]byte(sent(1, "b", "dedup", "1", "m") + halted("stop", 2, 3, "accepted") + halted("suspend", 2, 3, "accepted") + waits(4, "m") + halted("resume", 22, 23, "unknown") + batched(1, 2, 1, "n") + canceled(3, 4, "n", "accepted")))
	f.Fuzz(func(t *testing.T, text []byte) {
		h, err := history.Parse(bytes.NewReader(text))
		if err != nil {
			return
		}
		history.Check(h)
		var out bytes.Buffer
		if err := h.Write(&out); err != nil {
			t.Fatal(err)
		}
		again, err := history.Parse(&out)
		if err != nil || !reflect.DeepEqual(again, h) {
			t.Errorf("written and parsed again: %v, %v; was %v", again, err, h)
		}
	})
}
