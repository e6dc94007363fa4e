package exit_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	griot "example.com/griot/client"
	"example.com/griot/cmd/griot/exit"
)

func TestPrint(t *testing.T) {
	service := &griot.Error{HTTPStatus: 429, Code: "quota_exceeded", Message: "The day's quota is used up.", RequestID: "01J", DocsURL: "https://api.example.com/docs/errors#quota_exceeded", RetryAfter: time.Hour}
	for _, tt := range []struct {
		err        error
		text, want string
	}{
		{errors.New("broken"), "griot: broken\n", `{"success":false,"error":"failed","code":"failed","message":"broken","exitCode":1}`},
		{exit.Usage("--%s is missing", "to"), "griot: --to is missing\n", `{"success":false,"error":"usage","code":"usage","message":"--to is missing","exitCode":2}`},
		{
			fmt.Errorf("line 3: %w", &exit.Error{Code: 3, Err: service}), "griot: line 3: quota_exceeded (HTTP 429): The day's quota is used up. (request 01J) See https://api.example.com/docs/errors#quota_exceeded\n",
			`{"success":false,"error":"quota_exceeded","code":"quota_exceeded","message":"The day's quota is used up.","httpStatus":429,"requestId":"01J","docsUrl":"https://api.example.com/docs/errors#quota_exceeded","retryAfter":3600,"exitCode":3}`,
		},
		{&exit.Error{Code: 1, Name: "no_answer", IdempotencyKey: "k", Err: errors.New("x")}, "griot: x\n", `{"success":false,"error":"no_answer","code":"no_answer","message":"x","idempotencyKey":"k","exitCode":1}`},
		{&exit.Error{Code: 1}, "", ""},
	} {
		var text, object strings.Builder
		exit.Print(&text, tt.err, false)
		exit.Print(&object, tt.err, true)
		if text.String() != tt.text || strings.TrimSpace(object.String()) != tt.want {
			t.Errorf("got %q and %s\nwant %q and %s", text.String(), object.String(), tt.text, tt.want)
		}
		if tt.want != "" && !json.Valid([]byte(object.String())) {
			t.Errorf("%s is no JSON", object.String())
		}
	}
}
