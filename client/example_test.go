package griot_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	griot "example.com/griot/client"
)

// demo simulates a service. With `griot dev`, its address is http://127.0.0.1:8080.
func demo(status int, answer string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
}

func ExampleClient_Send() {
	service := demo(200, `{"success":true,"messageId":"msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D","channel":"whatsapp","to":"+22376000001","status":"SENT","messagesUsed":12,"limit":500}`)
	defer service.Close()

	c, err := griot.New(service.URL, "svc_live_...", griot.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := c.Send(context.Background(), &griot.Message{
		To: "+22376000001", Channel: griot.WhatsApp, Text: "Your order 2041 has left.",
		IdempotencyKey: "order-2041-shipped", // the message is sent once, even if this program is started again
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.MessageID, res.Status)
	// Output: msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D SENT
}

func ExampleError() {
	service := demo(429, `{"success":false,"error":"quota_exceeded","code":"quota_exceeded","message":"The day's quota is used up.","requestId":"01J9ZK3V8Q5W6X7Y8Z9A0B1C2D","messagesUsed":10,"limit":10,"upgradeUrl":"https://api.example.com/dashboard/billing"}`)
	defer service.Close()

	c, err := griot.New(service.URL, "svc_live_...", griot.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = c.Send(context.Background(), &griot.Message{To: "+22376000001", Channel: griot.SMS, Text: "Bonjour"})
	var e *griot.Error
	if errors.Is(err, griot.ErrQuotaExceeded) && errors.As(err, &e) {
		fmt.Println(e.MessagesUsed, "of", e.Limit, "used; more at", e.UpgradeURL)
	}
	// Output: 10 of 10 used; more at https://api.example.com/dashboard/billing
}

func ExampleClient_AllLogs() {
	service := demo(200, `{"success":true,"logs":[{"messageId":"msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D","channel":"sms","to":"+22376000001","status":"DELIVERED"}],"count":1,"nextCursor":null}`)
	defer service.Close()

	c, err := griot.New(service.URL, "svc_live_...", griot.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for message, err := range c.AllLogs(context.Background(), griot.LogFilter{Channel: griot.SMS}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(message.MessageID, message.To, message.Status)
	}
	// Output: msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D +22376000001 DELIVERED
}

func ExampleClient_VerifyCode() {
	service := demo(400, `{"success":false,"error":"invalid_code","code":"invalid_code","message":"This is not the code.","requestId":"01J9ZK3V8Q5W6X7Y8Z9A0B1C2D","valid":false}`)
	defer service.Close()

	c, err := griot.New(service.URL, "svc_live_...", griot.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = c.VerifyCode(context.Background(), &griot.Guess{ChallengeID: "otp_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D", Code: "123456"})
	switch {
	case err == nil:
		fmt.Println("the number is theirs")
	case errors.Is(err, griot.ErrInvalidCode):
		fmt.Println("try again")
	case errors.Is(err, griot.ErrExpired), errors.Is(err, griot.ErrTooManyAttempts), errors.Is(err, griot.ErrNotFound):
		fmt.Println("ask for another code")
	default:
		fmt.Println(err)
	}
	// Output: try again
}

func ExampleUnansweredError() {
	service := demo(200, "")
	service.Close() // the service does not respond

	c, err := griot.New(service.URL, "svc_live_...", griot.Options{Tries: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = c.Send(context.Background(), &griot.Message{To: "+22376000001", Channel: griot.SMS, Text: "Bonjour", IdempotencyKey: "order-2041"})
	var lost *griot.UnansweredError
	if errors.As(err, &lost) {
		fmt.Println("nobody knows: later, send it again under", lost.IdempotencyKey)
	}
	// Output: nobody knows: later, send it again under order-2041
}
