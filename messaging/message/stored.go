package message

import "encoding/json"

// StoredContent is the content as its column keeps it: a sensitive message's is sealed, or nothing.
func (m *Message) StoredContent() string {
	stored := m.Content
	if m.Sensitive {
		stored = Content{Sealed: m.Sealed}
	}
	return string(appendAny(nil, &stored))
}

// StoredOptions is what was asked for beside the content, as its column keeps it; "" when nothing was.
func (m *Message) StoredOptions() string { return encode(&m.Options, m.Options == Options{}) }

// StoredTried is the routes that were tried before, as their column keeps them; "" for none.
func (m *Message) StoredTried() string { return encode(m.Tried, len(m.Tried) == 0) }

// StoredFailure is the failure as its column keeps it; "" for none.
func (m *Message) StoredFailure() string { return encode(m.Failure, m.Failure == nil) }

// StoredMetadata is the metadata as its column keeps it; "" for none.
func (m *Message) StoredMetadata() string { return encode(m.Metadata, len(m.Metadata) == 0) }

// encode writes v as JSON, and the zero value as "".
func encode(v any, zero bool) string {
	if zero {
		return ""
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "" // not reached: nothing here can fail to be written
	}
	return string(b)
}

// RemoveContent removes what the message says: its text, subject, media, and template values. It returns false where it
// says nothing.
func (m *Message) RemoveContent() bool {
	before := m.StoredContent() + m.StoredOptions()
	m.Content, m.Sealed, m.Options.MediaURL = Content{}, "", ""
	return m.StoredContent()+m.StoredOptions() != before
}
