package optout_test

import (
	"testing"

	"example.com/griot/messaging/optout"
)

func TestRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]optout.Keyword{
		"STOP": optout.Stop, "stop": optout.Stop, " Stop. ": optout.Stop, "«stop!»": optout.Stop, "ARRET": optout.Stop, "arrêt": optout.Stop, "Arre\u0302t": optout.Stop,
		"START": optout.Start, "Reprendre": optout.Start, "reprendre demain": optout.NoKeyword, "start!!": optout.Start,
		"": optout.NoKeyword, "stop it": optout.NoKeyword, "non stop": optout.NoKeyword, "ne t'arrête pas": optout.NoKeyword, "restart": optout.NoKeyword, "s t o p": optout.NoKeyword, "STOPPER": optout.NoKeyword,
	} {
		if got := optout.ParseKeyword(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
