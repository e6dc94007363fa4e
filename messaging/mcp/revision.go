package mcp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/griot/internal/strictjson"
)

// The revisions of the protocol. modern has no handshake: each request names the revision in its _meta, and three
// headers repeat parts of the body for proxies. The legacy revisions start with initialize, and only a header names them.
const modern = "2026-07-28"

// legacy returns the legacy revisions, newest first.
func legacy() []string { return []string{"2025-11-25", "2025-06-18"} }

// revisions returns all revisions, newest first.
func revisions() []string { return append([]string{modern}, legacy()...) }

// The headers of a request.
const (
	versionHeader = "Mcp-Protocol-Version"
	methodHeader  = "Mcp-Method" // of the modern revision
	nameHeader    = "Mcp-Name"   // of the modern revision: the called tool
)

// The names in _meta of the modern revision.
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaServer       = "io.modelcontextprotocol/serverInfo"
)

// The methods of the protocol that this server has.
const (
	methodInitialize = "initialize" // legacy
	methodPing       = "ping"       // legacy
	methodDiscover   = "server/discover"
	methodListTools  = "tools/list"
	methodCallTool   = "tools/call"
)

// revisionOf decides whether a message is one of the modern revision. An error has the status of its response. A request
// that doesn't name the modern revision in its body or header is legacy, and its response has nothing of the modern
// revision: a client takes a modern error code as the sign of a modern server.
func revisionOf(h http.Header, c *call) (isModern bool, status int, wrong *rpcError) {
	named, header := h.Values(versionHeader), h.Get(versionHeader)
	unknown := header != "" && !slices.Contains(revisions(), header)
	switch {
	case c.id == nil && unknown:
		return false, http.StatusBadRequest, unsupported(header)
	case c.method == "" && header == modern:
		return false, http.StatusBadRequest, &rpcError{Code: codeInvalid, Message: "Invalid Request: this server sends no requests that a client could respond to."}
	case c.id == nil:
		return false, 0, nil
	}
	meta := metaOf(c.params)
	claim, claims := meta[metaVersion]
	var version string
	isText := len(claim) > 0 && claim[0] == '"' && strictjson.Unmarshal(claim, &version) == nil
	if claims && isText && slices.Contains(legacy(), version) && !slices.Contains(named, modern) {
		claims = false // the metadata of a legacy request has no meaning
	}
	switch {
	case !claims && (c.method == methodInitialize || !unknown && header != modern):
		return false, 0, nil
	case !claims && header == modern:
		return true, http.StatusBadRequest, &rpcError{Code: codeParams, Message: "Invalid params: _meta must have " + metaVersion + "."}
	case !claims:
		return false, http.StatusBadRequest, unsupported(header)
	case !isText:
		return true, http.StatusBadRequest, &rpcError{Code: codeParams, Message: "Invalid params: " + metaVersion + " is a string."}
	case len(named) > 1 || len(named) == 1 && header != version:
		return true, http.StatusBadRequest, mismatch(versionHeader)
	case version != modern:
		return true, http.StatusBadRequest, unsupported(version)
	}
	capabilities := meta[metaCapabilities]
	switch {
	case len(capabilities) == 0 || capabilities[0] != '{':
		return true, http.StatusBadRequest, &rpcError{Code: codeParams, Message: "Invalid params: " + metaCapabilities + " is an object."}
	case len(named) == 0:
		return true, http.StatusBadRequest, mismatch(versionHeader)
	case !slices.Equal(h.Values(methodHeader), []string{c.method}):
		return true, http.StatusBadRequest, mismatch(methodHeader)
	case !slices.Contains([]string{methodDiscover, methodListTools, methodCallTool}, c.method):
		return true, http.StatusNotFound, noMethod()
	}
	if name, ok := toolName(c); ok && !namesTool(h.Values(nameHeader), name) {
		return true, http.StatusBadRequest, mismatch(nameHeader)
	}
	return true, 0, nil
}

// toolName returns the name of the tool that a request calls.
func toolName(c *call) (name string, ok bool) {
	var params struct {
		Name *string `json:"name"`
	}
	if c.method != methodCallTool || strictjson.Unmarshal(c.params, &params) != nil || params.Name == nil {
		return "", false
	}
	return *params.Name, true
}

// metaOf returns the _meta of a request. It has no members if it is missing or isn't an object.
func metaOf(params json.RawMessage) (meta map[string]json.RawMessage) {
	if !bytes.Contains(params, []byte("protocolVersion")) && bytes.IndexByte(params, '\\') < 0 {
		return nil // no revision is named, not even with escaped characters, so it isn't needed
	}
	var p struct {
		Meta json.RawMessage `json:"_meta"`
	}
	if strictjson.Unmarshal(params, &p) == nil && p.Meta != nil {
		_ = strictjson.Unmarshal(p.Meta, &meta)
	}
	return meta
}

// namesTool reports whether the header with a tool's name is sent once, with the name in the body. It can be encoded:
// =?base64?w6k=?=
func namesTool(values []string, want string) bool {
	if len(values) != 1 {
		return false
	}
	got := values[0]
	if encoded, ok := strings.CutPrefix(got, "=?base64?"); ok {
		encoded, ok = strings.CutSuffix(encoded, "?=")
		text, err := base64.StdEncoding.DecodeString(encoded)
		if !ok || err != nil || !utf8.Valid(text) {
			return false
		}
		got = string(text)
	}
	return got == want
}

// mismatch is the error of a header that is missing, sent twice, or different from the body.
func mismatch(header string) *rpcError {
	return &rpcError{Code: codeHeader, Message: "Header mismatch: " + header + " must be sent once, with the value of the body."}
}

// unsupported is the error of an unknown revision.
func unsupported(version string) *rpcError {
	const longest = 32 // the error repeats nothing longer than a version
	version = version[:min(len(version), longest)]
	return &rpcError{Code: codeVersion, Message: "Unsupported protocol version", Data: map[string]any{"supported": revisions(), "requested": version}}
}

func noMethod() *rpcError { return &rpcError{Code: codeMethod, Message: "Method not found"} }
