// Program calls both services with the clients that oapi-codegen makes: program API-ADDRESS LOGIN-ADDRESS, with the key in
// GRIOT_KEY. It prints what it got as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"example.com/griot/test/generators/auth"
	"example.com/griot/test/generators/messaging"
)

type report struct {
	MessageID string `json:"messageId"`
	Status    string `json:"status"`
	Accepted  int    `json:"accepted"` // of a batch of two
	Refused   string `json:"refused"`
	Issuer    string `json:"issuer"`
	Keys      int    `json:"keys"`
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var r report
	if err := r.send(ctx, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := r.discover(ctx, os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = json.NewEncoder(os.Stdout).Encode(r)
}

func (r *report) send(ctx context.Context, address string) error {
	api, err := messaging.NewClientWithResponses(address, messaging.WithRequestEditorFn(func(_ context.Context, q *http.Request) error {
		q.Header.Set("Authorization", "Bearer "+os.Getenv("GRIOT_KEY"))
		return nil
	}))
	if err != nil {
		return err
	}
	text, key := "Your order 2041 has left.", "oapi-codegen"
	sms := messaging.SendRequest{To: "+22376000001", Channel: messaging.RequestedChannelSms, Message: &text}
	first := sms
	first.IdempotencyKey = &key
	first.Metadata = &messaging.Metadata{"order": "2041"}
	first.Retry = &messaging.SendRequest_Retry{}
	attempts := 2
	if err := first.Retry.FromRetryPolicy(messaging.RetryPolicy{MaxAttempts: &attempts}); err != nil {
		return err
	}
	sent, err := api.SendMessageWithResponse(ctx, nil, first)
	if err != nil || sent.JSON200 == nil && sent.JSON202 == nil {
		return fmt.Errorf("send: %w %s", err, sent.Body)
	}
	result := sent.JSON202
	if sent.JSON200 != nil {
		was, err := sent.JSON200.AsSendResult()
		if err != nil {
			return err
		}
		result = &was
	}
	status, err := api.GetMessageStatusWithResponse(ctx, result.MessageId)
	if err != nil || status.JSON200 == nil {
		return fmt.Errorf("status: %w %s", err, status.Body)
	}
	r.MessageID, r.Status = status.JSON200.MessageId, string(status.JSON200.Status)
	batch, err := api.SendBatchWithResponse(ctx, nil, messaging.SendBatchJSONRequestBody{Messages: []messaging.SendRequest{sms, sms}})
	if err != nil || batch.JSON200 == nil {
		return fmt.Errorf("batch: %w %s", err, batch.Body)
	}
	r.Accepted = batch.JSON200.Accepted
	refused, err := api.SendMessageWithResponse(ctx, nil, messaging.SendRequest{To: "12", Channel: messaging.RequestedChannelSms, Message: &text})
	if err != nil || refused.JSON400 == nil {
		return fmt.Errorf("a wrong number: %w %s", err, refused.Body)
	}
	r.Refused = string(refused.JSON400.Code)
	return nil
}

func (r *report) discover(ctx context.Context, address string) error {
	login, err := auth.NewClientWithResponses(address)
	if err != nil {
		return err
	}
	metadata, err := login.GetMetadataWithResponse(ctx)
	if err != nil || metadata.JSON200 == nil {
		return fmt.Errorf("metadata: %w %s", err, metadata.Body)
	}
	keys, err := login.GetKeysWithResponse(ctx)
	if err != nil || keys.JSON200 == nil {
		return fmt.Errorf("keys: %w %s", err, keys.Body)
	}
	r.Issuer, r.Keys = metadata.JSON200.Issuer, len(keys.JSON200.Keys)
	return nil
}
