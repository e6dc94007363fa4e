package device

import (
	"encoding/json"

	"go.mau.fi/whatsmeow"
)

// MaxAttachment is the maximum size of an incoming attachment, in bytes. Griot does not store larger ones.
const MaxAttachment = 16 << 20

// Attachment contains the location of an incoming attachment at WhatsApp, and the key that decrypts it. The key is a secret.
type Attachment struct {
	Kind    string `json:"kind"` // WhatsApp's name for the purpose of the keys
	Path    string `json:"path"`
	Key     []byte `json:"key"`
	Hash    []byte `json:"hash"`    // SHA-256 of the decrypted attachment
	EncHash []byte `json:"encHash"` // SHA-256 of the encrypted attachment
}

// Reasons why an attachment cannot be fetched (docs/gateway-protocol.md §8).
const (
	TooLarge    = "too_large"
	Unavailable = "unavailable"
)

// attached is the common interface of messages with an attachment.
type attached interface {
	whatsmeow.DownloadableMessage
	GetMimetype() string
	GetFileLength() uint64
}

// setAttachment sets the fields that describe the attachment of a message.
func (in *Inbound) setAttachment(kind string, m attached) {
	in.Kind, in.MIMEType = kind, m.GetMimetype()
	a := Attachment{Kind: string(whatsmeow.GetMediaType(m)), Path: m.GetDirectPath(), Key: m.GetMediaKey(), Hash: m.GetFileSHA256(), EncHash: m.GetFileEncSHA256()}
	switch {
	case m.GetFileLength() > MaxAttachment:
		in.Missing = TooLarge
	case !a.valid():
		in.Missing = Unavailable // for example a view-once message, which WhatsApp does not send to linked devices
	default:
		in.Attachment = &a
	}
}

// valid reports whether the attachment can be fetched and verified.
func (a *Attachment) valid() bool {
	return a.Path != "" && a.Path[0] == '/' && len(a.Key) == 32 && len(a.Hash) == 32 && len(a.EncHash) == 32 && mmsTypes[a.Kind] != ""
}

// Bytes encodes the attachment for the store.
func (a *Attachment) Bytes() ([]byte, error) { return json.Marshal(a) }

// ReadAttachment decodes the result of Bytes.
func ReadAttachment(stored []byte) (*Attachment, error) {
	var a Attachment
	err := json.Unmarshal(stored, &a)
	return &a, err
}
