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

// demo stands for a service; with `griot dev` its address is http://127.0.0.1:8080.
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
		IdempotencyKey: "order-2041-shipped", // the message is sent once, even when this program is started again
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
	if errors.As(err, &e) && e.Code == "quota_exceeded" {
		fmt.Println(e.MessagesUsed, "of", e.Limit, "used; more at", e.UpgradeURL)
	}
	// Output: 10 of 10 used; more at https://api.example.com/dashboard/billing
}

func ExampleClient_Logs() {
	service := demo(200, `{"success":true,"logs":[{"messageId":"msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D","channel":"sms","to":"+22376000001","status":"DELIVERED"}],"count":1,"nextCursor":null}`)
	defer service.Close()

	c, err := griot.New(service.URL, "svc_live_...", griot.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	filter := griot.LogFilter{Channel: griot.SMS}
	for {
		page, err := c.Logs(context.Background(), filter)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, l := range page.Logs {
			fmt.Println(l.MessageID, l.To, l.Status)
		}
		if filter.Cursor = page.NextCursor; filter.Cursor == "" {
			break
		}
	}
	// Output: msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D +22376000001 DELIVERED
}
