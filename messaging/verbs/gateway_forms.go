package verbs

import (
	"context"
	_ "embed" // the forms
	"encoding/json"
	"maps"
	"slices"
)

// A GatewayKind is a kind of gateway, with the settings in its form. If the form is for a preset, the name is the
// kind, a period, and the preset.
type GatewayKind struct {
	Name     string           `json:"name" col:"KIND"`
	Settings []GatewaySetting `json:"settings"`
}

// A GatewaySetting is a setting in a form.
type GatewaySetting struct {
	Name  string   `json:"name"`  // its path in the settings: "basic.password"; the first element of a list is "keys.0"
	Type  string   `json:"type"`  // number, list (of texts), off or on (a Boolean with this default), secret; empty: text
	OneOf []string `json:"oneOf"` // the possible values, default first; null: any
	Need  string   `json:"need"`  // required, main (most gateways set it); empty: few gateways set it
}

// gatewayForms contains the settings in each form, by the name of the kind. Other settings are entered as text.
//
//go:embed gateway_forms.json
var gatewayForms []byte

func (h *service) listKinds(context.Context, *Nothing) ([]GatewayKind, error) {
	forms, err := allForms()
	all := []GatewayKind{}
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		all = append(all, GatewayKind{name, forms[name]})
	}
	return all, err
}

// allForms returns the settings in each form, by the name of the kind.
func allForms() (forms map[string][]GatewaySetting, err error) {
	err = json.Unmarshal(gatewayForms, &forms)
	return forms, err
}
