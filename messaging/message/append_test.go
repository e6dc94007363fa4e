package message

import (
	"encoding/json"
	"reflect"
	"testing"
	"unicode/utf8"

	"example.com/griot/gateway"
)

func FuzzAppend(f *testing.F) {
	for _, text := range []string{"", "Votre commande", "été <b>&\"\\", "\u2028\x00\x7f\xff", "😀"} {
		f.Add(int64(1), "SENT", "sms", "snd_1", "left", "email", int64(0), text)
		f.Add(int64(-1), "QUEUED", "", "", text, text, int64(1772668800000), "")
	}
	f.Fuzz(func(t *testing.T, at int64, status, channel, sender, why, to string, until int64, text string) {
		for _, failure := range []*Failure{nil, {Code: text, Class: gateway.Permanent}} {
			s := Step{At: at, Status: Status(status), Channel: gateway.Channel(channel), Sender: sender, Failure: failure, Note: Note{NoteKind(why), gateway.Channel(to), until, text}}
			same(t, string(FirstStep(s)), s)
			same(t, AppendedStep(s)[1:], s)
			steps, err := (FirstStep(s) + Timeline(AppendedStep(s))).Steps()
			if err != nil || len(steps) != 2 || steps[0].Sentence() != steps[1].Sentence() {
				t.Fatalf("read as %+v, %v", steps, err)
			}
			if utf8.ValidString(status+channel+sender+why+to+text) && !reflect.DeepEqual(steps, []Step{s, s}) { // other bytes are replaced
				t.Errorf("read as %+v, want %+v", steps, s)
			}
		}
	})
}

func same(t *testing.T, got string, v any) {
	t.Helper()
	want, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got %s, want %s", got, want)
	}
}
