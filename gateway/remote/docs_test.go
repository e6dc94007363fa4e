package remote

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// The pages contain every setting, every field of the protocol, and every class and code.
func TestDocs(t *testing.T) {
	t.Parallel()
	read := func(path string) string {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	protocol, page := read("../../docs/gateway-protocol.md"), read("../../docs/gateways/remote.md")
	var settingNames, wire []string
	for _, typ := range []reflect.Type{reflect.TypeFor[settings](), reflect.TypeFor[keySetting]()} {
		for f := range typ.Fields() {
			settingNames = append(settingNames, f.Tag.Get("json"))
		}
	}
	for _, typ := range []reflect.Type{
		reflect.TypeFor[Info](), reflect.TypeFor[Pace](), reflect.TypeFor[Message](), reflect.TypeFor[ReplyTo](), reflect.TypeFor[Read](), reflect.TypeFor[Media](), reflect.TypeFor[Accepted](), reflect.TypeFor[Failure](),
		reflect.TypeFor[GroupList](), reflect.TypeFor[Group](), reflect.TypeFor[PairRequest](), reflect.TypeFor[PairProgress](), reflect.TypeFor[Event](), reflect.TypeFor[ReceiptEvent](), reflect.TypeFor[InboundEvent](), reflect.TypeFor[Person](), reflect.TypeFor[ChangeEvent](), reflect.TypeFor[InboundChoice](), reflect.TypeFor[ConnectionEvent](),
	} {
		for f := range typ.Fields() {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); !f.Anonymous {
				wire = append(wire, name)
			}
		}
	}
	for _, name := range wire {
		if !regexp.MustCompile("[`\"]" + name + "[`\"]").MatchString(protocol) {
			t.Errorf("docs/gateway-protocol.md doesn't name %s", name)
		}
	}
	for _, name := range settingNames {
		if name != "" && !strings.Contains(page, "`"+name+"`") {
			t.Errorf("docs/gateways/remote.md doesn't name %s", name)
		}
	}
	codes := 0
	for _, file := range []string{"remote.go", "send.go", "outcome.go", "info.go", "pairing.go", "../internal/httpcall/outcome.go", "../check.go", "../ids.go"} {
		for _, m := range regexp.MustCompile(`(?:Code: |Code = |Code\w* +=|e\.Code, e\.RetryAfter = |gateway\.[A-Z]\w+, )"([a-z_]+)"`).FindAllStringSubmatch(read(file), -1) {
			codes++
			if m[1] != "never_seen" && m[1] != "message_empty" && !strings.Contains(page, "`"+m[1]+"`") {
				t.Errorf("docs/gateways/remote.md doesn't name %s", m[1])
			}
		}
	}
	if codes < 15 || len(wire) < 40 {
		t.Errorf("found only %d codes and %d members", codes, len(wire))
	}
}
