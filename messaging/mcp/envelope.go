package mcp

import (
	"bytes"
	"encoding/json"
	"strings"

	"example.com/griot/internal/strictjson"
)

// Error codes of JSON-RPC and of the protocol.
const (
	codeParse   = -32700
	codeInvalid = -32600
	codeMethod  = -32601
	codeParams  = -32602
	codeHeader  = -32020 // of the modern revision
	codeVersion = -32022
)

// rpcError is JSON-RPC's error object.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// A call is the content of a request's body.
type call struct {
	id     json.RawMessage // nil: a notification, or a response to a request that the server never makes
	method string          // empty: a response
	params json.RawMessage // nil: none
}

// parse parses one JSON-RPC request, notification, or response. With an error, the call contains the ID if it could be parsed.
func parse(body []byte) (call, *rpcError) {
	var whole json.RawMessage // checked completely, so that no part below can be parsed in two ways
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
		return invalid(nil, "a request has an id.") // it must not appear to be accepted
	}
	if c.params != nil && c.params[0] != '{' {
		return invalid(id, "params is an object.")
	}
	return c, nil
}

func invalid(id json.RawMessage, why string) (call, *rpcError) {
	return call{id: id}, &rpcError{Code: codeInvalid, Message: "Invalid Request: " + why}
}

// validID reports whether an ID is a string or an integer, as the protocol requires. Null is not allowed.
func validID(id json.RawMessage) bool {
	switch c := id[0]; {
	case c == '"':
		return true
	case c == '-', c >= '0' && c <= '9':
		return !bytes.ContainsAny(id, ".eE")
	}
	return false
}
