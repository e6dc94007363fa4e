package message_test

import (
	"encoding/json"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/messaging/message"
)

// noted are steps with a note of each kind, as they are stored and shown.
var noted = []struct {
	note             message.Note
	stored, sentence string
}{
	{message.Note{}, ``, ""},
	{message.Note{Kind: message.NoteNoNumber}, `,"why":"no_number"`, "no SMS: the recipient's number is unknown"},
	{message.Note{Kind: message.NoteForm, Text: "template order_shipped"}, `,"why":"form","note":"template order_shipped"`, "template order_shipped"},
	{message.Note{Kind: message.NoteRetry}, `,"why":"retry"`, "retry"},
	{message.Note{Kind: message.NoteUnknown}, `,"why":"unknown"`, "outcome unknown"},
	{message.Note{Kind: message.NoteUnseen}, `,"why":"unseen"`, "its gateway has not seen it"},
	{message.Note{Kind: message.NoteLeft, To: gateway.SMS}, `,"why":"left","to":"sms"`, "left for sms"},
	{message.Note{Kind: message.NoteLate, To: gateway.Email}, `,"why":"late","to":"email"`, "not delivered in time; left for email"},
	{message.Note{Kind: message.NoteStays, To: gateway.WhatsApp}, `,"why":"stays","to":"whatsapp"`, "no other way; it stays with whatsapp"},
	{message.Note{Kind: message.NoteMoved}, `,"why":"moved"`, "its sender was removed; moved to another"},
	{
		message.Note{Kind: message.NoteWarmUp, Until: time.Date(2026, 3, 5, 1, 0, 0, 0, time.FixedZone("", 3600)).UnixMilli()},
		`,"why":"warm_up","until":1772668800000`, "its sender warms up, and has sent what it may today; waits until 2026-03-05T00:00:00Z",
	},
	{message.Note{Kind: message.NoteReceipt}, `,"why":"receipt"`, "receipt"},
}

// Stored names must not change, because rows have them, and neither must sentences, because the API shows them.
func TestNote_IsStoredByKindAndShownAsASentence(t *testing.T) {
	t.Parallel()
	for _, tc := range noted {
		s := message.Step{At: 1, Status: message.Sent, Note: tc.note}
		stored := message.FirstStep(s)
		if want := `{"at":1,"status":"SENT"` + tc.stored + `}`; string(stored) != want {
			t.Errorf("stored as %s, want %s", stored, want)
		}
		steps, err := stored.Steps()
		if err != nil || len(steps) != 1 || steps[0] != s || steps[0].Sentence() != tc.sentence {
			t.Errorf("%s is read as %+v, %v, want %q", stored, steps, err, tc.sentence)
		}
		if n := tc.note; n.Known() == (n == message.Note{}) {
			t.Errorf("%+v is known: %v", n, n.Known())
		}
	}
}

// Steps of earlier and newer versions have their sentences or names, and are distinguished from the kinds of this version.
func TestNote_OfAnotherVersion(t *testing.T) {
	t.Parallel()
	for stored, want := range map[string]string{
		`"note":"left for sms"`: "left for sms", // by a version that stored sentences
		`"note":"retry"`:        "retry",
		`"why":"of_tomorrow"`:   "of_tomorrow",
		`"why":"of_tomorrow","to":"sms","number":7,"x":{}`:  "of_tomorrow",
		`"why":"of_tomorrow","note":"another reason, <b>7"`: "another reason, <b>7",
	} {
		steps, err := message.Timeline(`{"at":1,"status":"FAILED",` + stored + `},{"at":2,"status":"SENT"}`).Steps()
		if err != nil || len(steps) != 2 || steps[0].Status != message.Failed || steps[0].Sentence() != want || steps[0].Known() {
			t.Errorf("%s: %+v, %v, want an unknown note with %q", stored, steps, err, want)
		}
	}
}

// A version that stored sentences can read each step. It shows a gateway's form, and no other note.
func TestNote_IsReadByAnEarlierVersion(t *testing.T) {
	t.Parallel()
	for _, tc := range noted {
		var s struct { // of that version
			At      int64            `json:"at"`
			Status  message.Status   `json:"status"`
			Channel gateway.Channel  `json:"channel,omitempty"`
			Sender  string           `json:"sender,omitempty"`
			Failure *message.Failure `json:"failure,omitempty"`
			Note    string           `json:"note,omitempty"`
		}
		err := json.Unmarshal([]byte(message.FirstStep(message.Step{At: 1, Status: message.Sent, Channel: gateway.SMS, Sender: "snd_1", Note: tc.note})), &s)
		want := ""
		if tc.note.Kind == message.NoteForm {
			want = tc.sentence
		}
		if err != nil || s.At != 1 || s.Status != message.Sent || s.Channel != gateway.SMS || s.Sender != "snd_1" || s.Note != want {
			t.Errorf("%+v is read as %+v, %v", tc.note, s, err)
		}
	}
}
