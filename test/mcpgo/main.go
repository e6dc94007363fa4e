// Mcpgo calls Griot's assistant endpoint with the Go SDK of the protocol, as any
// application would: mcpgo URL KEY. It prints what it got as JSON.
//
// It is a module of its own so that Griot does not depend on the SDK.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// report is what the tests look at; the other clients print the same.
type report struct {
	Version string   `json:"version"`
	Server  string   `json:"server"`
	Tools   []string `json:"tools"`
	Text    string   `json:"text"`    // of list_conversations
	Refused string   `json:"refused"` // the text of a call that cannot be done
	Unknown int      `json:"unknown"` // the error code of a tool that there is not
}

// keyed sends the key with every request.
type keyed struct{ key string }

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+k.key)
	return http.DefaultTransport.RoundTrip(r)
}

func run() error {
	if len(os.Args) != 3 {
		return errors.New("usage: mcpgo URL KEY")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "griot-test", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: os.Args[1], HTTPClient: &http.Client{Transport: keyed{os.Args[2]}}, MaxRetries: -1}, nil)
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	out := report{Version: session.InitializeResult().ProtocolVersion, Server: session.InitializeResult().ServerInfo.Name}
	if err := session.Ping(ctx, nil); err != nil {
		return err
	}
	tools, err := session.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	for _, t := range tools.Tools {
		out.Tools = append(out.Tools, t.Name)
	}
	if out.Text, _, err = call(ctx, session, "list_conversations", map[string]any{"limit": 2}); err != nil {
		return err
	}
	refused, isError, err := call(ctx, session, "read_conversation", map[string]any{"conversationId": "none"})
	if err != nil || !isError {
		return fmt.Errorf("an unknown conversation: isError %v, %w", isError, err)
	}
	out.Refused = refused
	_, _, err = call(ctx, session, "nonsense", nil)
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		out.Unknown = int(e.Code)
	}
	return json.NewEncoder(os.Stdout).Encode(out)
}

func call(ctx context.Context, s *mcp.ClientSession, tool string, args map[string]any) (text string, isError bool, err error) {
	res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return "", false, err
	}
	if len(res.Content) == 1 {
		if t, ok := res.Content[0].(*mcp.TextContent); ok {
			text = t.Text
		}
	}
	return text, res.IsError, nil
}
