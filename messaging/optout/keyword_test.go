package optout_test

import (
	"testing"

	"golang.org/x/text/unicode/norm"

	"example.com/griot/gateway"
	"example.com/griot/messaging/optout"
)

// Rules: M174.
func TestRead(t *testing.T) {
	t.Parallel()
	everywhere := map[string]optout.Keyword{
		"STOP": optout.Stop, "stop": optout.Stop, " Stop. ": optout.Stop, "«stop!»": optout.Stop, "ARRET": optout.Stop, "arrêt": optout.Stop, "STOP 36180": optout.Stop, "ＳＴＯＰ": optout.Stop,
		"STOPALL": optout.Stop, "stop all": optout.Stop, "Stop-All!": optout.Stop, " STOP \u00a0\n all. ": optout.Stop, "unsubscribe": optout.Stop, "\u200bUnsubscribe\u200b": optout.Stop,
		"DÉSABONNER": optout.Stop, "désabonner": optout.Stop, "desabonner": optout.Stop, "Désabonnement.": optout.Stop, "(désabonnement)": optout.Stop,
		"START": optout.Start, "Reprendre": optout.Start, "start!!": optout.Start, "unstop": optout.Start, "Unstop.": optout.Start,
	}
	onSMS := map[string]optout.Keyword{
		"END": optout.Stop, "end.": optout.Stop, "Cancel": optout.Stop, "QUIT!": optout.Stop, "revoke": optout.Stop, "OPTOUT": optout.Stop, "opt out": optout.Stop, "Opt-Out": optout.Stop,
		"YES": optout.Agree, "yes!": optout.Agree,
	}
	never := []string{
		"", "…", "stop it", "non stop", "ne t'arrête pas", "restart", "s t o p", "STOPPER", "reprendre demain", "please stop all", "stop all of it", "unsubscribe me", "me désabonner", "désabonné",
		"the end", "end of the day?", "cancel my order", "Cancel 4711", "END 2", "yes please", "yes 2", "quit it", "oui", "no", "NON", "HELP", "INFO", "opt in", "abonner",
	}
	reads := func(channel gateway.Channel, text string, want optout.Keyword) {
		t.Helper()
		for _, form := range []string{text, norm.NFC.String(text), norm.NFD.String(text)} {
			if got := optout.ParseKeyword(channel, form); got != want {
				t.Errorf("%s, %q: %v, want %v", channel, form, got, want)
			}
		}
	}
	for _, channel := range []gateway.Channel{gateway.WhatsApp, gateway.SMS, gateway.Email} {
		for text, want := range everywhere {
			reads(channel, text, want)
		}
		for text, want := range onSMS {
			if channel != gateway.SMS {
				want = optout.NoKeyword
			}
			reads(channel, text, want)
		}
		for _, text := range never {
			reads(channel, text, optout.NoKeyword)
		}
	}
}

func FuzzParseKeyword(f *testing.F) {
	for _, text := range []string{"STOP", "stop all", "DÉSABONNER", "De\u0301sabonner", "OPT-OUT", "YES", "\xff", "Cancel 4711"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		everywhere, onSMS := optout.ParseKeyword(gateway.WhatsApp, text), optout.ParseKeyword(gateway.SMS, text)
		if everywhere != optout.NoKeyword && onSMS != everywhere || everywhere == optout.Agree {
			t.Errorf("%q: %v in a chat, %v on SMS", text, everywhere, onSMS)
		}
		if onSMS != optout.NoKeyword && optout.ParseKeyword(gateway.SMS, "and "+text) != optout.NoKeyword {
			t.Errorf("%q is a keyword in a sentence", text)
		}
	})
}
