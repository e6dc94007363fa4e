package stripetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	sdk "github.com/stripe/stripe-go/v82"
)

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	line := r.Method + " " + r.URL.Path
	status, body := s.answer(line, r)
	s.mu.Lock()
	before := s.before
	s.mu.Unlock()
	if before != nil {
		before(line)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Request-Id", "req_test")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}

// answer returns the response to a request, once for each idempotency key.
func (s *Server) answer(line string, r *http.Request) (status int, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := r.Header.Get("Idempotency-Key")
	s.requests = append(s.requests, Request{Line: line, Form: r.Form, IdempotencyKey: key})
	switch {
	case s.down:
		return failure(http.StatusInternalServerError, "api_error", "", "")
	case r.Header.Get("Authorization") != "Bearer "+Key:
		return failure(http.StatusUnauthorized, "invalid_request_error", "", "")
	case r.Header.Get("Stripe-Version") != sdk.APIVersion:
		return failure(http.StatusBadRequest, "invalid_request_error", "", "")
	}
	if old, ok := s.replies[key]; ok && key != "" {
		if old.form != line+form(r.Form) {
			return failure(http.StatusBadRequest, "idempotency_error", "", "")
		}
		return old.status, old.body
	}
	status, body = s.route(line, r)
	if key != "" {
		s.replies[key] = reply{line + form(r.Form), body, status}
	}
	return status, body
}

func (s *Server) route(line string, r *http.Request) (int, string) {
	customer := r.Form.Get("customer")
	if strings.HasPrefix(line, "POST /v1/") && customer != "" && s.customers[customer] == nil {
		return failure(http.StatusBadRequest, "invalid_request_error", "resource_missing", "customer")
	}
	switch {
	case strings.HasPrefix(line, "GET /v1/prices/"):
		if p := s.prices[strings.TrimPrefix(line, "GET /v1/prices/")]; p != nil {
			return object(p)
		}
		return failure(http.StatusNotFound, "invalid_request_error", "resource_missing", "price")
	case line == "POST /v1/customers":
		s.made++
		c := &sdk.Customer{ID: fmt.Sprintf("cus_%04d", s.made), Object: "customer", Email: r.Form.Get("email"), Name: r.Form.Get("name")}
		s.customers[c.ID] = c
		return object(c)
	case line == "GET /v1/subscriptions":
		return list(s.subscriptions, func(x *sdk.Subscription) bool {
			return x.Customer.ID == customer && x.Status != sdk.SubscriptionStatusCanceled
		})
	case line == "GET /v1/invoices":
		return list(s.invoices, func(x *sdk.Invoice) bool { return x.Customer.ID == customer })
	case line == "GET /v1/checkout/sessions":
		return list(s.sessions, func(x *sdk.CheckoutSession) bool {
			return x.Customer.ID == customer && string(x.Status) == r.Form.Get("status")
		})
	case line == "POST /v1/checkout/sessions":
		return s.openCheckout(r)
	case strings.HasPrefix(line, "POST /v1/checkout/sessions/"):
		id := strings.TrimSuffix(strings.TrimPrefix(line, "POST /v1/checkout/sessions/"), "/expire")
		for _, x := range s.sessions {
			if x.ID == id && x.Status == sdk.CheckoutSessionStatusOpen {
				x.Status = sdk.CheckoutSessionStatusExpired
				return object(x)
			}
		}
	case line == "POST /v1/billing_portal/sessions":
		s.made++
		return object(&sdk.BillingPortalSession{ID: fmt.Sprintf("bps_%04d", s.made), Object: "billing_portal.session", URL: fmt.Sprintf("https://billing.stripe.com/p/session/%04d", s.made)})
	}
	return failure(http.StatusNotFound, "invalid_request_error", "", "")
}

func (s *Server) openCheckout(r *http.Request) (int, string) {
	if price := r.Form.Get("line_items[0][price]"); s.prices[price] == nil {
		return failure(http.StatusBadRequest, "invalid_request_error", "resource_missing", "line_items[0][price]")
	}
	s.made++
	c := &sdk.CheckoutSession{
		ID: fmt.Sprintf("cs_test_%04d", s.made), Object: "checkout.session", Status: sdk.CheckoutSessionStatusOpen, Mode: sdk.CheckoutSessionModeSubscription,
		Customer: &sdk.Customer{ID: r.Form.Get("customer"), Object: "customer"}, Metadata: map[string]string{"price": r.Form.Get("metadata[price]")},
		URL: fmt.Sprintf("https://checkout.stripe.com/c/pay/cs_test_%04d", s.made),
	}
	s.sessions = append(s.sessions, c)
	return object(c)
}

func object(v any) (int, string) {
	b, err := json.Marshal(v)
	if err != nil {
		return http.StatusInternalServerError, err.Error()
	}
	return http.StatusOK, string(b)
}

func list[V any](all []V, fits func(V) bool) (int, string) {
	out := []V{}
	for _, v := range all {
		if fits(v) {
			out = append(out, v)
		}
	}
	return object(map[string]any{"object": "list", "data": out, "has_more": false, "url": "/"})
}

// failure returns an error in Stripe's form, with a text that contains a secret, as real texts might.
func failure(status int, kind, code, param string) (int, string) {
	e := map[string]string{"type": kind, "message": "Invalid: " + Key}
	if code != "" {
		e["code"] = code
	}
	if param != "" {
		e["param"] = param
	}
	b, err := json.Marshal(map[string]any{"error": e})
	if err != nil {
		return http.StatusInternalServerError, err.Error()
	}
	return status, string(b)
}
