package cloudapi

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
	"example.com/griot/internal/phone"
)

// change returns a change with what all of them have in common.
func (r *report) change(kind gateway.ChangeKind, id string, p *person) gateway.Change {
	return gateway.Change{ID: id, Channel: gateway.WhatsApp, Kind: kind, To: r.to, From: p.number, Person: p.in(r.portfolio)}
}

// messageChange passes to the sink that a person has edited or deleted a message.
func (s *sender) messageChange(ctx context.Context, r *report, m *inboundMessage, p *person) error {
	var body struct {
		Original word                       `json:"original_message_id"`
		Message  map[string]json.RawMessage `json:"message"`
	}
	if !read(m.parts[string(m.Type)], &body) || body.Original == "" || m.Type == "edit" && len(body.Message) == 0 {
		s.drop(string(m.Type), gateway.UnhandledUnreadable, 1)
		return nil
	}
	c := r.change(gateway.MessageDeleted, string(m.ID), p)
	c.MessageID, c.At = string(body.Original), m.Timestamp.Or(s.now(), s.log)
	if m.Type == "edit" {
		var kind word
		_ = json.Unmarshal(body.Message["type"], &kind) // never fails
		c.Kind, c.Content = gateway.MessageEdited, &gateway.Inbound{}
		if setContent(c.Content, string(kind), body.Message); c.Content.Type == gateway.InboundOther && c.Content.Text == "" {
			s.drop("edit", gateway.UnhandledUnreadable, 1) // the text before the edit is worth more
			return nil
		}
	}
	return s.sink.Change(ctx, c)
}

// systemMessage is the content of a message about a person.
type systemMessage struct {
	Type      word `json:"type"`
	Number    word `json:"wa_id"`
	NewNumber word `json:"new_wa_id"` // the name before version 12
	OldNumber word `json:"customer"`
	ID        word `json:"user_id"`
	Parent    word `json:"parent_user_id"`
	OldID     word `json:"previous_user_id"`
	OldParent word `json:"previous_parent_user_id"`
}

// system passes a changed number or ID to the sink. The text is for people and changes without notice, so it isn't read.
func (s *sender) system(ctx context.Context, r *report, m *inboundMessage) error {
	var body systemMessage
	if !read(m.parts["system"], &body) {
		s.drop("system", gateway.UnhandledUnreadable, 1)
		return nil
	}
	switch body.Type {
	case "user_changed_number", "customer_changed_number", "user_changed_user_id":
	default: // such as customer_identity_changed
		s.drop(string(body.Type), gateway.UnhandledKind, 1)
		return nil
	}
	if body.ID == "" && body.OldID != "" && m.FromID != body.OldID {
		body.ID = m.FromID
	}
	before := personOf(cmp.Or(m.From, body.OldNumber), cmp.Or(body.OldID, m.FromID), cmp.Or(body.OldParent, m.Parent))
	after := personOf(cmp.Or(body.NewNumber, body.Number), body.ID, body.Parent)
	return s.changed(ctx, r, string(m.ID), before, after, body.Type != "user_changed_user_id", m.Timestamp.Or(s.now(), s.log))
}

// idUpdate passes a changed ID to the sink. Meta has documented this field from March to August 2026 and withdrawn it,
// but providers still do.
func (s *sender) idUpdate(ctx context.Context, r *report, raw json.RawMessage) error {
	var u struct {
		Number    word            `json:"wa_id"`
		ID        renamed         `json:"user_id"`
		Parent    renamed         `json:"parent_user_id"`
		OldID     word            `json:"previous_user_id"`
		OldParent word            `json:"previous_parent_user_id"`
		At        httpcall.Moment `json:"timestamp"`
	}
	if !read(raw, &u) {
		s.drop("user_id_update", gateway.UnhandledUnreadable, 1)
		return nil
	}
	at, _ := u.At.Read(s.now()) // most reports have no time
	before := personOf("", cmp.Or(u.OldID, u.ID.Previous), cmp.Or(u.OldParent, u.Parent.Previous))
	after := personOf(u.Number, u.ID.Current, u.Parent.Current)
	return s.changed(ctx, r, gateway.DeriveID(r.to, string(raw)), before, after, false, at)
}

// renamed is an ID, or an object with its previous and its current value.
type renamed struct{ Previous, Current word }

// UnmarshalJSON implements [json.Unmarshaler].
func (n *renamed) UnmarshalJSON(b []byte) error {
	var both struct {
		Previous word `json:"previous"`
		Current  word `json:"current"`
	}
	if !read(b, &both) {
		_ = json.Unmarshal(b, &both.Current) // never fails
	}
	*n = renamed(both)
	return nil
}

// changed passes a changed number or ID to the sink. It is a changed number if Meta says so, or if both numbers are known.
// Otherwise, a number before the change proves nothing and is left out.
func (s *sender) changed(ctx context.Context, r *report, id string, before, after person, isNumber bool, at time.Time) error {
	if after.ID = cmp.Or(after.ID, after.ParentID); after.ID == before.ID && before.ID != "" {
		before.ID = "" // the message's own fields can name the person after the change
	}
	if after.number == "" && after.ID == "" && before.number == "" && before.ID == "" {
		s.drop("system", gateway.UnhandledNoSender, 1)
		return nil
	}
	c := r.change(gateway.IDChanged, id, &after)
	c.Person.Portfolio = r.portfolio // also that of the old ID
	c.OldID, c.OldParent, c.At = before.ID, before.ParentID, at
	if isNumber || before.number != "" && after.number != "" && before.number != after.number {
		c.Kind, c.OldNumber = gateway.NumberChanged, before.number
	}
	return s.sink.Change(ctx, c)
}

// sameNumber reports whether two numbers are those of one phone.
func sameNumber(a, b string) bool { return phone.Number(a).Long() == phone.Number(b).Long() }

// preference passes to the sink that a person wants no marketing messages, or wants them again.
func (s *sender) preference(ctx context.Context, r *report, raw json.RawMessage) error {
	var p struct {
		Number   word            `json:"wa_id"`
		ID       word            `json:"user_id"`
		Parent   word            `json:"parent_user_id"`
		Category word            `json:"category"`
		Value    word            `json:"value"`
		At       httpcall.Moment `json:"timestamp"`
	}
	if !read(raw, &p) {
		s.drop("user_preferences", gateway.UnhandledUnreadable, 1)
		return nil
	}
	who := r.complete(personOf(p.Number, p.ID, p.Parent), len(r.Preferences) == 1)
	kinds := map[word]gateway.ChangeKind{"stop": gateway.MarketingStopped, "resume": gateway.MarketingResumed}
	switch kind := kinds[p.Value]; {
	case p.Category != "marketing_messages" || kind == "":
		s.drop("user_preferences", gateway.UnhandledKind, 1)
		return nil
	case !who.isKnown():
		s.drop("user_preferences", gateway.UnhandledNoSender, 1)
		return nil
	default:
		c := r.change(kind, gateway.DeriveID(r.to, string(raw)), &who)
		c.At = p.At.Or(s.now(), s.log)
		return s.sink.Change(ctx, c)
	}
}
