package api

import (
	"net/http"
	"net/url"
	"strings"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/limit"
)

// authenticate returns the client that sends a request: a CONFIDENTIAL one by its secret, in
// the body or as HTTP Basic (RFC 6749 §2.3.1), a PUBLIC one by its id alone, because its code
// is bound to its verifier and no one else has its token (L87 to L89).
func (a *API) authenticate(w http.ResponseWriter, r *http.Request, bodyID, bodySecret string, budget *limit.Limiter) (*tenant.Client, error) {
	clientID, secret, basic, err := credentials(r, bodyID, bodySecret)
	if basic {
		// For a 401; it is deleted below for other statuses.
		w.Header().Set("WWW-Authenticate", `Basic realm="griot", charset="UTF-8"`)
	}
	if err != nil {
		return nil, err
	}
	client, err := a.tenants.Client(r.Context(), clientID)
	hasSecret := false
	if client != nil && secret != "" {
		hasSecret, err = a.tenants.HasSecretNow(r.Context(), client, secret)
	}
	if err != nil {
		return nil, err
	}
	if refusal := checkClient(client, secret, hasSecret); refusal == nil {
		err = a.limits.charge(budget, client, r)
	} else if err = a.limits.countRefused(client, r); err == nil {
		return nil, refusal
	}
	w.Header().Del("WWW-Authenticate")
	return client, err
}

func checkClient(client *tenant.Client, secret string, hasSecret bool) *apierror.Error {
	switch {
	case client == nil:
		return apierror.AuthClientAuthFailed.Err()
	case client.Type == tenant.Confidential && secret == "":
		return apierror.AuthClientSecretMissing.Err()
	case client.Type == tenant.Confidential && !hasSecret, client.Type == tenant.Public && secret != "":
		return apierror.AuthClientAuthFailed.Err()
	case !client.Active:
		return apierror.AuthClientInactiveToken.Err()
	}
	return nil
}

// credentials reads the client's id and secret from the body or from Authorization, never from both.
func credentials(r *http.Request, bodyID, bodySecret string) (clientID, secret string, basic bool, err error) {
	if r.Header.Get("Authorization") == "" {
		if bodyID == "" {
			return "", "", false, missing("client_id")
		}
		return bodyID, bodySecret, false, nil
	}
	user, password, ok := r.BasicAuth()
	clientID, errUser := url.QueryUnescape(user)
	secret, errPassword := url.QueryUnescape(password)
	switch {
	case !ok || errUser != nil || errPassword != nil || strings.ContainsRune(clientID+secret, 0):
		return "", "", true, apierror.AuthClientAuthFailed.Err()
	case bodySecret != "":
		return "", "", false, apierror.AuthMalformedParameter.On("client_secret").Detailf("client_secret was sent in the body and in Authorization.")
	case bodyID != "" && bodyID != clientID:
		return "", "", false, apierror.AuthMalformedParameter.On("client_id").Detailf("client_id doesn't match the one in Authorization.")
	}
	return clientID, secret, true, nil
}
