package httpmail

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpgate"
	"example.com/griot/gateway/internal/mailtext"
	"example.com/griot/internal/visible"
)

// sender sends email through one HTTP provider.
type sender struct {
	*httpgate.Gateway
	settings *settings
}

type settings struct {
	httpgate.Settings
	mailtext.Unsubscribe
}

// maxCall is the size limit of a webhook body, which can contain many events; in bytes.
const maxCall = 1 << 20

func kind() httpgate.Kind {
	return httpgate.Kind{
		Channel:      gateway.Email,
		Placeholders: []string{"from", "from_name", "from_full", "to", "subject", "text", "html", "ref_uuid", "message_id", "unsubscribe", "unsubscribe_post"},
		Required:     [][]string{{"text"}, {"html"}, {"to"}, {"from", "from_full"}},
		UserText:     []string{"subject", "text", "html", "from_name", "from_full"},
		MaxBody:      maxCall,
	}
}

//go:embed presets/*.json
var presetFiles embed.FS

// Open implements [gateway.Driver]. It makes no request; docs/gateways/httpmail.md lists the settings.
func Open(raw json.RawMessage, deps gateway.Deps) (gateway.Sender, error) {
	set, err := httpgate.Merge(raw, presetFiles, func(s *settings) *httpgate.Settings { return &s.Settings })
	if err != nil {
		return nil, err
	}
	if err := set.Unsubscribe.Check(); err != nil {
		return nil, err
	}
	s := &sender{settings: set}
	if s.Gateway, err = httpgate.New(&set.Settings, kind(), deps); err != nil {
		return nil, err
	}
	return s.WithProbe(s), nil
}

// Send implements [gateway.Sender].
func (s *sender) Send(ctx context.Context, out *gateway.Outbound) (gateway.Ack, error) {
	if failure := s.Check(out); failure != nil {
		return gateway.Ack{}, failure
	}
	from, to, failure := mailtext.Addresses(out)
	if failure != nil {
		return gateway.Ack{}, failure
	}
	values := s.Values(out)
	values["from"], values["from_name"], values["from_full"] = from, visible.Line(out.DisplayName), mailtext.FormatAddress(out.DisplayName, from)
	values["to"], values["subject"], values["text"], values["html"] = to, visible.Line(out.Subject), out.Text, out.HTML
	values["ref_uuid"], values["message_id"] = uuidOf(out.Ref), "<"+mailtext.MessageID(out.Ref, from)+">"
	values["unsubscribe"], values["unsubscribe_post"] = s.settings.Unsubscribe.Headers(out.Ref, out.Sensitive)
	return s.Deliver(ctx, values)
}

// uuidOf returns a UUID derived from a reference, of version 8 for custom UUIDs (RFC 9562 §5.8).
func uuidOf(ref string) string {
	sum := sha256.Sum256([]byte("griot " + ref))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	text := hex.EncodeToString(sum[:16])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}
