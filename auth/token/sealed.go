package token

import "example.com/griot/internal/masterkey"

const boxPurpose = "signing-key"

// Sealed lists the columns with values that are sealed under the master key.
func Sealed() []masterkey.Place {
	return []masterkey.Place{{Table: "signing_keys", Column: "sealed_private", Purpose: boxPurpose, Key: "kid"}}
}
