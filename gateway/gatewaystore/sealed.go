package gatewaystore

import "example.com/griot/internal/masterkey"

const boxPurpose = "gateway-settings"

// Sealed lists the columns with what only the master key opens.
func Sealed() []masterkey.Place {
	return []masterkey.Place{{Table: "gateways", Column: "settings", Purpose: boxPurpose, Key: "name"}}
}
