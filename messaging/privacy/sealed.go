package privacy

import "example.com/griot/internal/masterkey"

const boxPurpose = "erased-person"

// Sealed lists the columns with what only the master key opens: who is being erased.
func Sealed() []masterkey.Place {
	return []masterkey.Place{{Table: "person_erasures", Column: "person", Purpose: boxPurpose, Key: "id"}}
}
