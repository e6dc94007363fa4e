package erasure

import "example.com/griot/internal/masterkey"

const boxPurpose = "erased-person"

// Sealed lists the columns that are encrypted with the master key: the addresses of the people who are being erased.
func Sealed() []masterkey.Place {
	return []masterkey.Place{{Table: "person_erasures", Column: "person", Purpose: boxPurpose, Key: "id"}}
}
