package device

import (
	"encoding/json"

	"go.mau.fi/whatsmeow"
)

// MaxAttachment is the largest attachment from a person that is fetched, in bytes: Griot keeps none that is larger.
const MaxAttachment = 16 << 20

// Attachment says where WhatsApp has a person's attachment, and how it is opened. Its key is a secret.
type Attachment struct {
	Kind    string `json:"kind"` // WhatsApp's name of the keys' use
	Path    string `json:"path"`
	Key     []byte `json:"key"`
	Hash    []byte `json:"hash"`    // of what was attached, SHA-256
	EncHash []byte `json:"encHash"` // of what WhatsApp has
}

// Why there is nothing to fetch though the person sent something (docs/gateway-protocol.md §8).
const (
	TooLarge    = "too_large"
	Unavailable = "unavailable"
)

// attached is what the messages with an attachment have in common.
type attached interface {
	whatsmeow.DownloadableMessage
	GetMimetype() string
	GetFileLength() uint64
}

// setAttachment sets what a message says of its attachment.
func (in *Inbound) setAttachment(kind string, m attached) {
	in.Kind, in.MIMEType = kind, m.GetMimetype()
	a := Attachment{Kind: string(whatsmeow.GetMediaType(m)), Path: m.GetDirectPath(), Key: m.GetMediaKey(), Hash: m.GetFileSHA256(), EncHash: m.GetFileEncSHA256()}
	switch {
	case m.GetFileLength() > MaxAttachment:
		in.Missing = TooLarge
	case !a.valid():
		in.Missing = Unavailable // such as what may be seen once: WhatsApp does not give it to linked devices
	default:
		in.Attachment = &a
	}
}

// valid reports whether an attachment can be fetched and checked.
func (a *Attachment) valid() bool {
	return a.Path != "" && a.Path[0] == '/' && len(a.Key) == 32 && len(a.Hash) == 32 && len(a.EncHash) == 32 && mmsTypes[a.Kind] != ""
}

// Bytes returns the attachment as it is stored.
func (a *Attachment) Bytes() ([]byte, error) { return json.Marshal(a) }

// ReadAttachment reads what Bytes has returned.
func ReadAttachment(stored []byte) (*Attachment, error) {
	var a Attachment
	err := json.Unmarshal(stored, &a)
	return &a, err
}
