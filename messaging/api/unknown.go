package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/strictjson"
)

// An unknown field of a request is ignored and listed in the response's warnings. A field whose name is similar to a
// known one is refused, because it is probably a typo.

// A warning reports an ignored part of a request, or a doubtful one.
type warning struct {
	Code    string `json:"code"`
	Field   string `json:"field"`
	Message string `json:"message"`
}

const (
	maxWarnings    = 20
	maxWarningName = 64 // maximum characters of a name that is repeated in a response
)

func unknownMember(path string) warning {
	return warning{"unknown_member", path, "This field doesn't exist, so it was ignored."}
}

// decodeSend parses a send and lists its ignored fields.
func (a *API) decodeSend(raw []byte, body *sendBody) ([]warning, error) {
	warnings, err := a.decode(raw, body, sendAliases)
	if err == nil && len(body.Retry) > 0 && body.Retry[0] == '{' && strictjson.UnmarshalKnown(body.Retry, new(retryBody)) != nil {
		warnings, err = findUnknown(raw, body, sendAliases)
	}
	warnings = append(warnings, body.replacedByPreset()...)
	warnings = append(warnings, a.unknownVariables(body)...)
	if body.Channel != string(gateway.Email) {
		warnings = append(warnings, unknownLength(body.To)...)
	}
	return warnings[:min(len(warnings), maxWarnings)], err
}

// unknownLength warns of a recipient's number that has another length than the numbers of its calling code.
func unknownLength(to string) []warning {
	n, ok := phone.Parse(to)
	switch lengths := phone.Lengths(n.Country()); {
	case !ok || n.Possible():
		return nil
	case lengths == "":
		return []warning{{"unknown_length", "to", "The number starts with no country's calling code. It was taken as it is."}}
	default:
		return []warning{{"unknown_length", "to", fmt.Sprintf("After +%s, numbers have %s digits. This number has another length and was taken as it is.", n.Country(), lengths)}}
	}
}

// replacedByPreset lists the texts that are ignored because a preset replaces them.
func (b *sendBody) replacedByPreset() []warning {
	if b.Preset == "" || b.Message == "" {
		return nil
	}
	return []warning{{"ignored_member", "message", "The preset writes the text. message was ignored."}}
}

// unknownVariables lists the variables that are ignored because the preset doesn't have them.
func (a *API) unknownVariables(b *sendBody) (list []warning) {
	if b.Preset == "" || len(b.PresetVariables) == 0 {
		return nil
	}
	for _, p := range a.o.Delivery.Presets() {
		if p.Name != b.Preset {
			continue
		}
		known := slices.Concat(p.Required, p.Optional, []string{"locale"})
		for _, name := range slices.Sorted(maps.Keys(b.PresetVariables)) {
			if !slices.Contains(known, name) {
				list = append(list, warning{"unknown_member", "presetVariables." + cut(name), "The preset doesn't have this variable, so it was ignored."})
			}
		}
	}
	return list
}

// decode parses a body into one of the types below, and lists the fields that the type does not have.
func (a *API) decode(body []byte, in any, aliases func() map[string]string) ([]warning, error) {
	known, err := a.http.DecodeKnown(body, in)
	if known || err != nil {
		return nil, err
	}
	return findUnknown(body, in, aliases)
}

// findUnknown lists the fields of a body that the type of in, into which it was parsed, does not have.
func findUnknown(body []byte, in any, aliases func() map[string]string) ([]warning, error) {
	var all any
	if err := strictjson.Unmarshal(body, &all); err != nil {
		return nil, err // unreachable, because the body was already parsed
	}
	s := &unknownMembers{aliases: aliases()}
	s.compare(all, reflect.TypeOf(in), "")
	return s.list, s.err
}

// unknownMembers collects the fields of a body that its type does not have.
type unknownMembers struct {
	aliases map[string]string // other names of the top-level fields, normalized
	list    []warning
	err     error // the first similar name
}

// compare compares a value with the type that it was parsed into.
func (s *unknownMembers) compare(v any, t reflect.Type, path string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch v := v.(type) {
	case []any:
		if t.Kind() != reflect.Slice {
			return
		}
		for i, item := range v {
			s.compare(item, t.Elem(), fmt.Sprintf("%s[%d]", path, i))
		}
	case map[string]any:
		if t == reflect.TypeFor[json.RawMessage]() && path == "retry" {
			t = reflect.TypeFor[retryBody]()
		}
		if t.Kind() != reflect.Struct {
			return
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			s.compareMember(name, v[name], t, path)
		}
	}
}

func (s *unknownMembers) compareMember(name string, v any, t reflect.Type, path string) {
	if path != "" {
		path += "."
	}
	meant := ""
	if path == "" {
		meant = s.aliases[normalize(name)]
	}
	for _, f := range reflect.VisibleFields(t) {
		own := f.Tag.Get("json")
		if own, _, _ = strings.Cut(own, ","); own == name {
			s.compare(v, f.Type, path+name)
			return
		}
		if own != "" && normalize(own) == normalize(name) {
			meant = own
		}
	}
	switch {
	case meant != "" && s.err == nil:
		s.err = apierror.InvalidRequest.On(path+meant).Detailf("A field's name is misspelled. Use %s.", meant)
	case meant == "" && len(s.list) < maxWarnings:
		s.list = append(s.list, unknownMember(path+cut(name)))
	}
}

// normalize returns the same text for names that differ only in case, underscores, or hyphens.
func normalize(name string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r == '_' || r == '-' {
			return -1
		}
		return r
	}, name))
}

// cut returns the beginning of a name.
func cut(name string) string {
	runes := []rune(name)
	return string(runes[:min(len(runes), maxWarningName)])
}

// sendAliases returns other interfaces' names for the fields of a send, normalized.
func sendAliases() map[string]string {
	return map[string]string{
		"recipient": "to", "phone": "to", "phonenumber": "to", "text": "message", "body": "message", "content": "message",
		"schedule": "scheduledAt", "scheduled": "scheduledAt", "scheduleat": "scheduledAt", "scheduledfor": "scheduledAt", "sendat": "scheduledAt", "deliverat": "scheduledAt",
		"expires": "expiresAt", "expireat": "expiresAt", "expiry": "expiresAt", "validuntil": "expiresAt",
		"sender": "senderId", "from": "senderId", "media": "mediaUrl", "attachment": "mediaUrl", "attachmenturl": "mediaUrl", "group": "groupId",
		"variables": "presetVariables", "retries": "retry", "fallback": "fallbackAfter", "test": "sandbox", "testmode": "sandbox", "meta": "metadata",
	}
}

// batchAliases returns those for a batch.
func batchAliases() map[string]string { return map[string]string{"items": "messages"} }

// replyAliases returns those for a reply.
func replyAliases() map[string]string {
	return map[string]string{"message": "text", "body": "text", "content": "text"}
}

// refuseItemMembers returns the error for a batch with a field that is allowed only in its messages.
func refuseItemMembers(body []byte) error {
	var all map[string]any
	if err := strictjson.Unmarshal(body, &all); err != nil {
		return nil //nolint:nilerr // unreachable, because the body was already parsed
	}
	aliases := sendAliases()
	batch := names(reflect.TypeFor[batchBody]())
	own := names(reflect.TypeFor[sendBody]())
	for _, name := range slices.Sorted(maps.Keys(all)) {
		meant, ok := own[normalize(name)]
		if !ok {
			meant, ok = aliases[normalize(name)]
		}
		if _, both := batch[normalize(name)]; ok && !both && meant != "template" && meant != "buttons" {
			return apierror.InvalidRequest.On(meant).Detailf("Set %s for each message, not for the batch.", meant)
		}
	}
	return nil
}

// names lists a type's fields by their normalized names.
func names(t reflect.Type) map[string]string {
	out := map[string]string{}
	for _, f := range reflect.VisibleFields(t) {
		own, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		out[normalize(own)] = own
	}
	return out
}
