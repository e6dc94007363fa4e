// Package mcp implements the assistant endpoint (M141 to M151, M203 to M206): the Model Context Protocol over its
// Streamable HTTP transport, with four tools for the inbox. The owner of an account can turn on more for a key, and
// [Server.toolsOf] alone decides which tools a key has. One endpoint serves the modern revision, 2026-07-28, and the legacy ones.
//
// It is stateless. A POST contains one JSON-RPC message, and the response contains one. There are no sessions and no
// streams, and tools are the only feature. Checks are made in this order: the origin of the page, the method, the key
// and its plan, the content type, the size, the envelope, the revision of the protocol, and then those of the method. Errors
// before the envelope are HTTP statuses, errors of the envelope are JSON-RPC errors, and errors of a tool are results
// with isError. Their text is the error body of the HTTP interface, because models read results and can react to
// them.
//
// A model that reads texts from other people might follow instructions in them. Therefore, the results of the
// reading tools start with a warning, there is no structured copy of the result without it, and invisible characters
// are escaped ([untrusted]).
package mcp
