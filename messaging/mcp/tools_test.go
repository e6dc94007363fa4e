package mcp

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"example.com/griot/messaging/account"
)

//go:embed testdata/tools_legacy.json
var legacyTools string

//go:embed testdata/tools_modern.json
var modernTools string

// The list of a key without additional tools stays as it is, byte for byte, because clients ask their user again if the
// entry of a tool changes.
// Rules: M204.
func TestToolset_TheUsualList(t *testing.T) { // not parallel, because it counts allocations
	s := New(Options{Version: "V"})
	for range 2 { // not changed by other lists
		set := s.toolsOf(&account.Caller{})
		if got := string(set.legacyList); got != legacyTools {
			t.Errorf("legacy\n%s\nwant\n%s", got, legacyTools)
		}
		if got := string(set.list); got != modernTools {
			t.Errorf("modern\n%s\nwant\n%s", got, modernTools)
		}
		s.toolsOf(&account.Caller{Tools: 31})
	}
	if n := testing.AllocsPerRun(100, func() { s.toolsOf(&account.Caller{}) }); n != 0 {
		t.Errorf("%v allocations for a key without additional tools, want none", n)
	}
}

// Every set of groups starts with the four tools in their order, and has exactly the tools of its groups.
// Rules: M204.
func TestToolset_EverySetOfGroups(t *testing.T) {
	t.Parallel()
	s := New(Options{})
	more := map[account.Tools][]string{
		account.ToolSearch: {"search_messages"}, account.ToolUnread: {"mark_unread"}, account.ToolAttachments: {"read_attachment"},
		account.ToolStatus: {"read_message_status", "read_quota"}, account.ToolSend: {"send_message"},
	}
	for groups := range account.Tools(32) {
		want := []string{"list_conversations", "read_conversation", "reply", "mark_read"}
		for i := range 5 {
			if g := account.Tools(1) << i; groups.Has(g) {
				want = append(want, more[g]...)
			}
		}
		var list struct {
			Tools []struct {
				Name, Title, Description string
				InputSchema              struct {
					Properties           map[string]any
					AdditionalProperties *bool
				}
				OutputSchema any
				Annotations  map[string]bool
			}
		}
		if err := json.Unmarshal(s.toolsOf(&account.Caller{Tools: groups}).legacyList, &list); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, tool := range list.Tools {
			got = append(got, tool.Name)
			if len(tool.Annotations) != 4 || tool.Title == "" || tool.Description == "" || tool.OutputSchema != nil || tool.InputSchema.Properties == nil || tool.InputSchema.AdditionalProperties == nil || *tool.InputSchema.AdditionalProperties {
				t.Errorf("%+v", tool)
			}
			if _, has := tool.InputSchema.Properties["unread"]; has != (tool.Name == "list_conversations" && groups.Has(account.ToolUnread)) {
				t.Errorf("%s of %q: the argument unread is there: %v", tool.Name, groups, has)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q: %q, want %q", groups, got, want)
		}
	}
}

// The annotations say what each additional tool changes.
func TestToolset_Annotations(t *testing.T) {
	t.Parallel()
	reads, sends := hints{ReadOnly: true, Idempotent: true}, hints{Destructive: true, OpenWorld: true}
	want := map[string]hints{
		"search_messages": reads, "mark_unread": {Idempotent: true}, "read_attachment": reads, "read_message_status": reads, "read_quota": reads, "send_message": sends,
	}
	for _, tool := range New(Options{}).moreTools() {
		if tool.Annotations != want[tool.Name] || tool.of == 0 {
			t.Errorf("%s: %+v, group %d", tool.Name, tool.Annotations, tool.of)
		}
	}
}

func picture(width, height int) string {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))) // into memory
	return b.String()
}

// Only the bytes of a file decide whether and as what a client gets it.
// Rules: M205.
func TestAttachment_Shows(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ data, wantType, wantKind, wantOmitted string }{
		"a picture":                     {picture(2, 2), "image", "image/png", ""},
		"a huge picture":                {picture(1, 8001), "", "", unsupportedType},
		"a broken picture":              {"\x89PNG\r\n\x1a\n and pixels", "", "", unsupportedType},
		"a voice message":               {"OggS" + strings.Repeat("\x00", 24) + "OpusHead", "audio", "audio/ogg", ""},
		"a wave":                        {"RIFF\x10\x00\x00\x00WAVEfmt ", "audio", "audio/wav", ""},
		"a video":                       {"\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomisom", "", "", unsupportedType},
		"a PDF":                         {"%PDF-1.7 ...", "resource", "application/pdf", ""},
		"a text":                        {"Bonjour", "", "text/plain", ""},
		"a long text":                   {strings.Repeat("a", maxText+1), "", "text/plain", tooLarge},
		"a text that isn't UTF-8":       {"re\xe7u", "", "text/plain", unsupportedType},
		"a web page":                    {"<!DOCTYPE html><script>", "", "", unsupportedType},
		"a program":                     {"MZ\x90\x00\x03\x00\x00\x00", "", "", unsupportedType},
		"an archive":                    {"PK\x03\x04", "", "", unsupportedType},
		"an archive, said to be a PNG":  {"PK\x03\x04" + strings.Repeat("\x00", 26) + "mimetypeimage/png", "", "", unsupportedType},
		"an archive, said to be a PDF":  {"PK\x03\x04" + strings.Repeat("\x00", 26) + "mimetypeapplication/pdf", "", "", unsupportedType},
		"an archive, said to be a text": {"PK\x03\x04" + strings.Repeat("\x00", 26) + "mimetypetext/plain", "", "", unsupportedType},
		"nothing":                       {"", "", "text/plain", ""},
	} {
		a := &attached{attachmentBody: attachmentBody{MIMEType: "stored/type", MediaURL: "https://api.example/api/media/med_1"}}
		a.show([]byte(tt.data))
		omitted := ""
		if a.Omitted != nil {
			omitted = *a.Omitted
		}
		if omitted != tt.wantOmitted || len(a.blocks) > 1 || (len(a.blocks) == 1) != (tt.wantType != "") || omitted != "" && a.Text != nil {
			t.Fatalf("%s: %q, %d blocks, want %q", name, omitted, len(a.blocks), tt.wantOmitted)
		}
		if tt.wantKind != "" && a.MIMEType != tt.wantKind || tt.wantKind == "" && a.MIMEType != "stored/type" {
			t.Errorf("%s: type %q, want %q", name, a.MIMEType, tt.wantKind)
		}
		if tt.wantType == "" {
			continue
		}
		b := a.blocks[0]
		kind, data := b.MIMEType, b.Data
		if b.Resource != nil {
			kind, data = b.Resource.MIMEType, b.Resource.Blob
		}
		if b.Type != tt.wantType || kind != tt.wantKind || string(data) != tt.data || b.Text != "" {
			t.Errorf("%s: %+v", name, b)
		}
	}
}

func FuzzAttachment(f *testing.F) {
	f.Add([]byte(picture(1, 1)))
	f.Add([]byte("PK\x03\x04" + strings.Repeat("\x00", 26) + "mimetypeimage/png"))
	f.Add([]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		a := &attached{}
		a.show(data)
		if (a.Omitted != nil) == (a.Text != nil || len(a.blocks) == 1) {
			t.Fatalf("%q: %+v", data, a)
		}
	})
}

func TestArguments_Flag(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]struct{ value, fails bool }{
		`{}`: {}, `{"x":null}`: {}, `{"x":""}`: {}, `{"x":false}`: {}, `{"x":"false"}`: {}, `{"x":true}`: {value: true}, `{"x":"true"}`: {value: true},
		`{"x":1}`: {fails: true}, `{"x":"yes"}`: {fails: true}, `{"x":[true]}`: {fails: true}, `{"x":{}}`: {fails: true}, `{"x":"TRUE"}`: {fails: true},
	} {
		a, ok := readArguments(json.RawMessage(in))
		if got := a.flag("x"); !ok || got != want.value || (a.check() != nil) != want.fails {
			t.Errorf("%s: %v, %v", in, got, a.check())
		}
	}
}
