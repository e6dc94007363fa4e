package optout

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"example.com/griot/gateway"
)

// A Keyword is the request in a message that consists of nothing else.
type Keyword int

// The keywords.
const (
	NoKeyword Keyword = iota
	Stop
	Start
	Agree // Start, but only from a person who has opted out: otherwise, it answers a question
)

// keywords are the keywords of every channel, without accents.
var keywords = map[string]Keyword{
	"STOP": Stop, "STOPALL": Stop, "STOP ALL": Stop, "UNSUBSCRIBE": Stop, "ARRET": Stop, "DESABONNER": Stop, "DESABONNEMENT": Stop,
	"START": Start, "UNSTOP": Start, "REPRENDRE": Start,
}

// smsKeywords are also keywords of SMS. Carriers and 47 CFR 64.1200(a)(10) require the first, and providers remove an
// opt-out by YES. In a chat, they answer questions.
var smsKeywords = map[string]Keyword{
	"END": Stop, "CANCEL": Stop, "QUIT": Stop, "REVOKE": Stop, "OPTOUT": Stop, "OPT OUT": Stop,
	"YES": Agree,
}

// maxKeyword is the maximum length of a message with a keyword, in bytes.
const maxKeyword = 64

// ParseKeyword returns the keyword that a message on a channel consists of, ignoring case, accents, punctuation, and
// surrounding blanks. Digits are ignored only around the keywords of every channel: "CANCEL 4711" is about an order.
func ParseKeyword(channel gateway.Channel, text string) Keyword {
	if len(text) > maxKeyword {
		return NoKeyword
	}
	hasDigit := false
	letters := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r):
			return unicode.ToUpper(r)
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsDigit(r):
			hasDigit = true
		}
		return -1 // also accents, which the decomposition has separated
	}, norm.NFKD.String(text))
	word := strings.Join(strings.Fields(letters), " ")
	if k := keywords[word]; k != NoKeyword || channel != gateway.SMS || hasDigit {
		return k
	}
	return smsKeywords[word]
}
