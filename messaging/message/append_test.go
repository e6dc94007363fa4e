package message

import (
	"encoding/json"
	"testing"

	"example.com/griot/gateway"
)

func FuzzAppend(f *testing.F) {
	for _, text := range []string{"", "Votre commande", "été <b>&\"\\", "\u2028\x00\x7f\xff", "😀"} {
		f.Add(int64(1), "SENT", "sms", "snd_1", text)
	}
	f.Fuzz(func(t *testing.T, at int64, status, channel, sender, note string) {
		for _, failure := range []*Failure{nil, {Code: note, Class: gateway.Permanent}} {
			s := Step{At: at, Status: Status(status), Channel: gateway.Channel(channel), Sender: sender, Failure: failure, Note: note}
			same(t, string(FirstStep(s)), s)
			same(t, AppendedStep(s)[1:], s)
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
