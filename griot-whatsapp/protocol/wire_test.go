package protocol_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"example.com/griot/griot-whatsapp/protocol"
)

// Each field of this program's messages is also one of Griot's.
func TestWire_IsGriots(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../../gateway/remote/wire.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	theirs, embedded := map[string]map[string]bool{}, map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		fields, ok := spec.Type.(*ast.StructType)
		if !ok {
			return true
		}
		theirs[spec.Name.Name] = map[string]bool{}
		for _, f := range fields.Fields.List {
			if len(f.Names) == 0 {
				embedded[spec.Name.Name] = f.Type.(*ast.Ident).Name
				continue
			}
			name, _, _ := strings.Cut(reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json"), ",")
			theirs[spec.Name.Name][name] = true
		}
		return true
	})
	compared := 0
	for name, typ := range map[string]reflect.Type{
		"Info": reflect.TypeFor[protocol.Info](), "Pace": reflect.TypeFor[protocol.Pace](), "Message": reflect.TypeFor[protocol.Message](), "ReplyTo": reflect.TypeFor[protocol.ReplyTo](), "Read": reflect.TypeFor[protocol.Read](),
		"Media": reflect.TypeFor[protocol.Media](), "Accepted": reflect.TypeFor[protocol.Accepted](), "Refusal": reflect.TypeFor[protocol.Refusal](), "Failure": reflect.TypeFor[protocol.Failure](), "GroupList": reflect.TypeFor[protocol.GroupList](),
		"Group": reflect.TypeFor[protocol.Group](), "PairRequest": reflect.TypeFor[protocol.PairRequest](), "PairProgress": reflect.TypeFor[protocol.PairProgress](), "Event": reflect.TypeFor[protocol.Event](), "ReceiptEvent": reflect.TypeFor[protocol.Receipt](),
		"InboundEvent": reflect.TypeFor[protocol.Inbound](), "ChangeEvent": reflect.TypeFor[protocol.Change](), "InboundMedia": reflect.TypeFor[protocol.InboundMedia](), "ConnectionEvent": reflect.TypeFor[protocol.Connection](),
	} {
		for f := range typ.Fields() {
			member, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if compared++; !theirs[name][member] && !theirs[embedded[name]][member] {
				t.Errorf("Griot's %s has no %s", name, member)
			}
		}
	}
	if compared < 60 {
		t.Errorf("only %d fields were compared", compared)
	}
}

func TestHasFeature(t *testing.T) {
	for value, want := range map[string]bool{"": false, "ids": true, "a, ids ,b": true, "id": false, "idsx": false, "IDS": false} {
		if got := protocol.HasFeature(http.Header{protocol.HeaderFeatures: {value}}, protocol.FeatureIDs); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
	if !protocol.HasFeature(http.Header{protocol.HeaderFeatures: {"a", "ids"}}, protocol.FeatureIDs) || protocol.HasFeature(nil, protocol.FeatureIDs) {
		t.Error("the feature isn't found in two headers, or it is in none")
	}
}

func TestIsLID(t *testing.T) {
	for id, want := range map[string]bool{"1@lid": true, "123456789012345@lid": true, "98765432109876543210@lid": true, "987654321098765432101@lid": false, "": false, "@lid": false, "0123@lid": false, "1:4@lid": false, "1@LID": false, "1@lid\n": false, "22370000001": false, "ML.9001": false} {
		if got := protocol.IsLID(id); got != want {
			t.Errorf("%q: %v, want %v", id, got, want)
		}
	}
}
