package gatewaystore

import "example.com/griot/internal/masterkey"

const boxPurpose = "gateway-settings"

// Sealed lists the columns that are encrypted with the master key.
func Sealed() []masterkey.Place {
	return []masterkey.Place{{Table: "gateways", Column: "settings", Purpose: boxPurpose, Key: "name"}}
}
