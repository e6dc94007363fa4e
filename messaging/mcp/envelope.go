package mcp

import (
	"bytes"
	"encoding/json"
	"strings"

	"example.com/griot/internal/strictjson"
)

// JSON-RPC's error codes, and the protocol's one for versions.
const (
	codeParse   = -32700
	codeInvalid = -32600
	codeMethod  = -32601
	codeParams  = -32602
	codeVersion = -32022
)

// rpcError is JSON-RPC's error object.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// call is what a body asks for.
type call struct {
	id     json.RawMessage // nil: a notification, or an answer to a question that we never ask
	method string          // empty: an answer
	params json.RawMessage // nil: none
}

// parse reads one JSON-RPC request, notification, or answer. With an error, the call
// has the id as far as it could be read.
func parse(body []byte) (call, *rpcError) {
	var whole json.RawMessage // checked to its depths, so that nothing below can be read in two ways
	if strictjson.Unmarshal(body, &whole) != nil {
		return call{}, &rpcError{Code: codeParse, Message: "Parse error: the body is not one JSON value in UTF-8, whose objects have each name once."}
	}
	switch bytes.TrimLeft(body, " \t\r\n")[0] {
	case '{':
	case '[':
		return invalid(nil, "batches are not supported; send one request.")
	default:
		return invalid(nil, "the body is one JSON object.")
	}
	var m map[string]json.RawMessage
	if err := strictjson.Unmarshal(body, &m); err != nil {
		return invalid(nil, "the body is one JSON object.")
	}
	id, hasID := m["id"]
	if hasID && !validID(id) {
		return invalid(nil, "id is a string or an integer.")
	}
	if string(m["jsonrpc"]) != `"2.0"` {
		return invalid(id, `jsonrpc is "2.0".`)
	}
	name, hasMethod := m["method"]
	if !hasMethod && hasID && (m["result"] != nil) != (m["error"] != nil) {
		return call{}, nil
	}
	c := call{id: id, params: m["params"]}
	if strictjson.Unmarshal(name, &c.method) != nil || c.method == "" {
		return invalid(id, "method is a string.")
	}
	if !hasID && !strings.HasPrefix(c.method, "notifications/") {
		return invalid(nil, "a request has an id.") // it must not look accepted
	}
	if c.params != nil && c.params[0] != '{' {
		return invalid(id, "params is an object.")
	}
	return c, nil
}

func invalid(id json.RawMessage, why string) (call, *rpcError) {
	return call{id: id}, &rpcError{Code: codeInvalid, Message: "Invalid Request: " + why}
}

// validID: the protocol has strings and integers, and no null.
func validID(id json.RawMessage) bool {
	switch c := id[0]; {
	case c == '"':
		return true
	case c == '-', c >= '0' && c <= '9':
		return !bytes.ContainsAny(id, ".eE")
	}
	return false
}
