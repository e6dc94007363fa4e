package setting

import (
	"bytes"
	"cmp"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
)

// Parse reads one JSON object into s. An unknown member is an error.
func Parse(raw json.RawMessage, s any) error {
	if trimmed := bytes.TrimSpace(raw); len(trimmed) == 0 || trimmed[0] != '{' {
		return errors.New("settings: must be an object")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(s); err != nil {
		return fmt.Errorf("settings: %w", tactful(err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("settings: something follows the object")
	}
	return nil
}

// tactful keeps values out of the decoder's errors: of a number that doesn't fit, it quotes it.
func tactful(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s has the wrong type", wrong.Field)
	}
	return err
}

// Secret returns a secret that is given by value or in a file, whose line end doesn't count.
// It is "" when neither is given, which required makes an error.
func Secret(name, value, file string, required bool) (string, error) {
	switch {
	case value != "" && file != "":
		return "", fmt.Errorf("settings: %s and %s_file exclude each other", name, name)
	case value == "" && file == "" && required:
		return "", fmt.Errorf("settings: %s or %s_file is needed", name, name)
	case file == "":
		return value, visible(name, value)
	}
	value, err := FromFile(name+"_file", file)
	if err != nil {
		return "", err
	}
	return value, visible(name+"_file", value)
}

// FromFile reads what a file holds, of which the line end doesn't count; it must hold something.
func FromFile(name, file string) (string, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("settings: %s: %w", name, err)
	}
	value := strings.TrimRight(string(content), "\r\n")
	if value == "" {
		return "", fmt.Errorf("settings: %s is empty", name)
	}
	return value, nil
}

// visible returns an error if a secret couldn't stand in a header.
func visible(name, value string) error {
	if !IsWord(value) {
		return fmt.Errorf("settings: %s must be one word in ASCII", name)
	}
	return nil
}

// IsWord reports whether s is ASCII without spaces and control characters; "" is.
func IsWord(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// BaseURL checks the address of an API: https, or http to this machine or where plaintext is allowed; no
// credentials, query or fragment. A slash at its end is taken off.
func BaseURL(name, value string, plaintext bool) (string, error) {
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.ForceQuery || u.Opaque != "" {
		return "", fmt.Errorf("settings: %s must be an address like https://api.example.com", name)
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !plaintext && !IsLoopback(u.Hostname())) {
		return "", fmt.Errorf("settings: %s must be https", name)
	}
	return strings.TrimRight(u.String(), "/"), nil
}

// IsLoopback reports whether a host is this machine.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// Between returns an error unless low ≤ value ≤ high.
func Between(name string, value, low, high int) error {
	if value < low || value > high {
		return fmt.Errorf("settings: %s must be from %d to %d", name, low, high)
	}
	return nil
}

// Number gives *value its default where it is 0, and returns an error unless it is between low and high.
func Number(name string, value *int, otherwise, low, high int) error {
	*value = cmp.Or(*value, otherwise)
	return Between(name, *value, low, high)
}

// Authorities reads the certificates of a PEM file; nil, the system's, without one.
func Authorities(name, file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("settings: %s: %w", name, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("settings: %s holds no certificate in PEM", name)
	}
	return pool, nil
}
