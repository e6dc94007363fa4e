package optout_test

import (
	"testing"

	"griot/messaging/optout"
)

func TestRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]optout.Keyword{
		"STOP": optout.Stop, "stop": optout.Stop, " Stop. ": optout.Stop, "«stop!»": optout.Stop, "ARRET": optout.Stop, "arrêt": optout.Stop, "Arre\u0302t": optout.Stop,
		"START": optout.Start, "start!!": optout.Start,
		"": optout.Nothing, "stop it": optout.Nothing, "non stop": optout.Nothing, "ne t'arrête pas": optout.Nothing, "restart": optout.Nothing, "s t o p": optout.Nothing, "STOPPER": optout.Nothing,
	} {
		if got := optout.Read(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
