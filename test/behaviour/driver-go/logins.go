package main

import (
	"context"
	"encoding/json"

	griot "example.com/griot/client"
)

// logins are the operations of the login service by their names in the list.
var logins = map[string]func(ctx context.Context, o griot.Options, args json.RawMessage) (any, error){}
