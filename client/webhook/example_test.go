package webhook_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"example.com/griot/client/webhook"
)

func ExampleVerifier_Handler() {
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	verifier, err := webhook.New(webhook.Options{}, secret)
	if err != nil {
		fmt.Println(err)
		return
	}
	endpoint := verifier.Handler(func(_ context.Context, e *webhook.Event) error {
		if what, ok := e.Data.(*webhook.MessageStatus); ok {
			fmt.Println(what.MessageID, "is", what.Status)
		}
		return nil
	})

	// Griot posts an event.
	const body = `{"event":"message.status","eventId":"evt_1","messageId":"msg_1","status":"delivered","sequence":3,"timestamp":"2026-03-01T12:00:00.480Z"}`
	r := httptest.NewRequest(http.MethodPost, "/hooks/griot", strings.NewReader(body))
	if err := webhook.Sign(r.Header, secret, "evt_1", time.Now(), []byte(body)); err != nil {
		fmt.Println(err)
		return
	}
	w := httptest.NewRecorder()
	endpoint.ServeHTTP(w, r)
	fmt.Println(w.Code)
	// Output:
	// msg_1 is DELIVERED
	// 204
}

func ExampleVerifier_Event() {
	// Use both secrets while one is being replaced.
	verifier, err := webhook.New(webhook.Options{}, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = verifier.Event(http.Header{}, []byte("{}"))
	fmt.Println(err)
	// Output: webhook: header_missing
}
