package message

import "encoding/json"

// StoredContent returns the content in the format of its column. For a sensitive message, it is encrypted or empty.
func (m *Message) StoredContent() string {
	stored := m.Content
	if m.Sensitive {
		stored = Content{Sealed: m.Sealed}
	}
	return string(appendAny(nil, &stored))
}

// StoredOptions returns the options in the format of their column, or "" if there are none.
func (m *Message) StoredOptions() string { return encode(&m.Options, m.Options == Options{}) }

// StoredTried returns the previously tried routes in the format of their column, or "" if there are none.
func (m *Message) StoredTried() string { return encode(m.Tried, len(m.Tried) == 0) }

// StoredFailure returns the failure in the format of its column, or "" if there is none.
func (m *Message) StoredFailure() string { return encode(m.Failure, m.Failure == nil) }

// StoredMetadata returns the metadata in the format of its column, or "" if there is none.
func (m *Message) StoredMetadata() string { return encode(m.Metadata, len(m.Metadata) == 0) }

// encode encodes v as JSON, and the zero value as "".
func encode(v any, zero bool) string {
	if zero {
		return ""
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "" // unreachable, because encoding cannot fail
	}
	return string(b)
}

// RemoveContent removes the content of the message: its text, subject, media, and template values. It returns false if there is none.
func (m *Message) RemoveContent() bool {
	before := m.StoredContent() + m.StoredOptions()
	m.Content, m.Sealed, m.Options.MediaURL = Content{}, "", ""
	return m.StoredContent()+m.StoredOptions() != before
}
