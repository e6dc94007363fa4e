package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"time"

	"example.com/griot/griot-whatsapp/device"
	"example.com/griot/griot-whatsapp/protocol"
	"example.com/griot/griot-whatsapp/store"
)

type bodyKey struct{}

func withBody(ctx context.Context, body []byte) context.Context {
	return context.WithValue(ctx, bodyKey{}, body)
}

var referenceForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,200}$`)

// sendTimeout is shorter than the 30 seconds that Griot waits for a response.
const sendTimeout = 25 * time.Second

func (g *Gateway) send(w http.ResponseWriter, r *http.Request) {
	body, _ := r.Context().Value(bodyKey{}).([]byte)
	var m protocol.Message
	if json.Unmarshal(body, &m) != nil {
		refuse(w, &device.Failure{Class: device.Permanent, Code: "message_invalid"})
		return
	}
	// The submission continues even if Griot stops waiting, because its outcome is stored.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), sendTimeout)
	defer cancel()
	accepted, failure := g.handOver(ctx, m)
	if failure != nil {
		g.metrics.sends.WithLabelValues(failure.Class).Inc()
		refuse(w, failure)
		return
	}
	g.metrics.sends.WithLabelValues("taken").Inc()
	answer(w, http.StatusOK, accepted)
}

// problem returns the reason why no number can send a message, or nil.
func problem(m protocol.Message) *device.Failure {
	code := ""
	switch {
	case !referenceForm.MatchString(m.Reference):
		code = "reference_invalid"
	case m.Channel != "whatsapp":
		code = "channel_unsupported"
	case m.GroupID == "" && m.To == "" && m.ToID != "" && !protocol.IsLID(m.ToID):
		code = "id_unsupported"
	case m.GroupID == "" && m.ToID == "" && !protocol.IsNumber(m.To), m.GroupID == "" && m.To != "" && !protocol.IsNumber(m.To), m.Text == "" && m.Media == nil && m.Interactive == nil:
		code = "message_invalid"
	case m.ReplyTo != nil && m.ReplyTo.Reference == "" && m.ReplyTo.ID == "":
		code = "message_invalid"
	case m.Media != nil && (len(m.Media.Data) == 0 || m.Media.MIMEType == ""):
		code = "media_unsupported"
	case m.ExpiresAt != nil && m.ExpiresAt.Before(time.Now()):
		code = "expired"
	default:
		return nil
	}
	return &device.Failure{Class: device.Permanent, Code: code}
}

// begin marks a reference as being submitted. It returns false if another request is submitting it.
func (g *Gateway) begin(reference string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.busy[reference] {
		return false
	}
	g.busy[reference] = true
	return true
}

func (g *Gateway) end(reference string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.busy, reference)
}

// handOver submits a message to WhatsApp and returns WhatsApp's ID and recipient.
func (g *Gateway) handOver(ctx context.Context, m protocol.Message) (protocol.Accepted, *device.Failure) {
	accepted := protocol.Accepted{Reference: m.Reference, ProviderID: device.MessageID(m.From, m.Reference)}
	if !g.begin(m.Reference) {
		return accepted, &device.Failure{Class: device.Unknown, Code: "under_way"}
	}
	defer g.end(m.Reference)
	known, err := g.config.Store.Reference(ctx, m.Reference)
	switch {
	case err != nil:
		return accepted, &device.Failure{Class: device.Temporary, Code: "store_failed"}
	case known != nil && known.Status == store.Taken:
		accepted.ProviderID, accepted.Recipient = known.MessageID, known.Recipient
		return accepted, nil // before all checks, because a message that was already sent must not be refused
	case known != nil && !g.config.Deduplicates:
		return accepted, &device.Failure{Class: device.Unknown, Code: "outcome_unknown"}
	}
	f := problem(m)
	if f == nil {
		var n *number
		if n, f = g.held(m.From); f == nil {
			accepted.Recipient, f = n.handOver(ctx, m, known != nil)
		}
	}
	if f != nil && known != nil { // an earlier attempt might have submitted it
		return accepted, &device.Failure{Class: device.Unknown, Code: f.Code, ProviderCode: f.ProviderCode}
	}
	return accepted, f
}

// hasWritten reports whether a person has written, by the number or by the ID. whatsmeow's map tells the half that is not given.
func (n *number) hasWritten(ctx context.Context, p device.Person) (bool, error) {
	var err error
	if p.ID == "" {
		p.ID, err = n.device.ID(ctx, p.Number)
	} else if p.Number == "" {
		p.Number, err = n.device.Number(ctx, p.ID)
	}
	for _, person := range []string{p.Number, p.ID} {
		if err != nil || person == "" {
			continue
		}
		var has bool
		if has, err = n.g.config.Store.HasWritten(ctx, n.name, person); has {
			return true, nil
		}
	}
	return false, err
}

// stranger reports whether a person has never written to the number. Incoming messages have the number that WhatsApp
// knows, which can be spelled differently. stranger asks WhatsApp for it only if it could be the number of a known
// writer, because lookups of many strangers can get the account banned.
func (n *number) stranger(ctx context.Context, person device.Person) (bool, *device.Failure) {
	failed := &device.Failure{Class: device.Temporary, Code: "store_failed"}
	has, err := n.hasWritten(ctx, person)
	if err != nil {
		return true, failed
	}
	if has || person.ID != "" {
		return !has, nil
	}
	writers, err := n.g.config.Store.Writers(ctx, n.name, person.Number)
	if err != nil {
		return true, failed
	}
	if len(writers) == 0 {
		return true, nil
	}
	known, f := n.device.Find(ctx, person.Number)
	if f != nil {
		return true, f
	}
	if has, err = n.hasWritten(ctx, known); err != nil {
		return true, failed
	}
	return !has, nil
}

// recipient returns the recipient of a message: the number, or the ID if there is none.
func recipient(m protocol.Message) device.Person {
	if m.To != "" {
		return device.Person{Number: m.To}
	}
	return device.Person{ID: m.ToID}
}

// handOver stores the reference and submits the message. again means that the reference was stored before. It returns
// the recipient's number at WhatsApp if it differs from the given one.
func (n *number) handOver(ctx context.Context, m protocol.Message, again bool) (string, *device.Failure) {
	s := n.g.config.Store
	if f := n.device.Down(); f != nil {
		return "", f
	}
	stranger := false
	if m.GroupID == "" {
		var f *device.Failure
		if stranger, f = n.stranger(ctx, recipient(m)); f != nil {
			return "", f
		}
		if stranger && !n.g.config.FirstContact {
			return "", &device.Failure{Class: device.Unreachable, Code: "first_contact"}
		}
	}
	text, options := compose(m.Text, m.Interactive)
	message := device.Message{ID: device.MessageID(n.name, m.Reference), To: recipient(m), GroupID: m.GroupID, Text: text, Stranger: stranger}
	if m.Media != nil {
		message.Media = &device.Media{Data: m.Media.Data, MIMEType: m.Media.MIMEType, FileName: m.Media.FileName}
	}
	if m.ReplyTo != nil {
		message.ReplyTo = &device.Quoted{ID: m.ReplyTo.ID, Text: m.ReplyTo.Text}
		if m.ReplyTo.Reference != "" {
			message.ReplyTo.ID, message.ReplyTo.Ours = device.MessageID(n.name, m.ReplyTo.Reference), true
		}
	}
	prepared, f := n.device.Prepare(ctx, message)
	if f != nil {
		return "", f
	}
	if !again {
		known, err := s.Begin(ctx, n.lease, m.Reference, message.ID, prepared.Recipient)
		switch {
		case errors.Is(err, store.ErrLease):
			return "", &device.Failure{Class: device.Temporary, Code: "number_held_elsewhere"}
		case err != nil:
			return "", &device.Failure{Class: device.Temporary, Code: "store_failed"}
		case known != nil: // another process has it
			return "", &device.Failure{Class: device.Unknown, Code: "outcome_unknown"}
		}
	}
	if len(options) > 0 && m.GroupID == "" {
		f = n.ask(ctx, cmp.Or(prepared.RecipientID, prepared.Recipient, m.To), message.ID, options)
	}
	if f == nil && !n.holds() {
		f = &device.Failure{Class: device.Temporary, Code: "number_held_elsewhere"}
	}
	if f == nil {
		f = n.device.Deliver(ctx, prepared)
	}
	n.finish(m.Reference, f, again)
	return prepared.Recipient, f
}

// ask stores the choices of a message before the person can reply, under the ID that the reply will have, or the number if the ID is unknown.
func (n *number) ask(ctx context.Context, person, id string, options []protocol.Choice) *device.Failure {
	stored, err := json.Marshal(options)
	if err == nil {
		err = n.g.config.Store.SaveQuestion(ctx, n.name, person, id, stored)
	}
	if err != nil {
		return &device.Failure{Class: device.Temporary, Code: "store_failed"}
	}
	return nil
}

// finish stores the outcome. If that fails, the reference stays in its earlier state, and the outcome is unknown
// until a receipt arrives.
func (n *number) finish(reference string, f *device.Failure, again bool) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	var err error
	switch {
	case f == nil:
		err = n.g.config.Store.Finish(ctx, reference, store.Taken)
	case f.Class == device.Unknown || again:
		err = n.g.config.Store.Finish(ctx, reference, store.Unknown)
	default:
		err = n.g.config.Store.Forget(ctx, reference)
	}
	if err != nil {
		n.g.config.Log.Error("the outcome of a message was not stored", "reference", reference, "error", err)
	}
}
