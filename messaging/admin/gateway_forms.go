package admin

import (
	"context"
	_ "embed" // the forms
	"encoding/json"
	"maps"
	"slices"
)

// GatewayKind is a kind of gateway, with the settings that a form asks for. The name has the preset after a point, if the form is of one.
type GatewayKind struct {
	Name     string           `json:"name" col:"KIND"`
	Settings []GatewaySetting `json:"settings"`
}

// GatewaySetting is a setting that a form asks for.
type GatewaySetting struct {
	Name  string   `json:"name"`  // its path in the settings: "basic.password"; the first of a list is "keys.0"
	Type  string   `json:"type"`  // number, list (of texts), off or on (true or false, by default this), secret; empty: text
	OneOf []string `json:"oneOf"` // its values, the default first; null: any
	Need  string   `json:"need"`  // required, main (most gateways have it); empty: few do
}

// gatewayForms has the settings by the name of the kind. Those that it leaves out are written as text.
//
//go:embed gateway_forms.json
var gatewayForms []byte

func (h *service) listKinds(context.Context, *Nothing) ([]GatewayKind, error) {
	var forms map[string][]GatewaySetting
	err := json.Unmarshal(gatewayForms, &forms)
	all := []GatewayKind{}
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		all = append(all, GatewayKind{name, forms[name]})
	}
	return all, err
}
