// Mcpgo calls Griot's assistant endpoint with a Go library of the protocol, as any application would: mcpgo LIBRARY URL
// KEY. LIBRARY is go-sdk, the protocol's own, or mcp-go. It prints what it got as JSON.
//
// It is a separate module so that Griot doesn't depend on the libraries.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	mcpgotypes "github.com/mark3labs/mcp-go/mcp"
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
	Server  string   `json:"server"`
	Tools   []string `json:"tools"`
	Text    string   `json:"text"`    // of list_conversations
	Refused string   `json:"refused"` // the text of a call that can't be done
	Found   string   `json:"found"`   // of search_messages; empty: the key doesn't have it
}

// A client is a connection that one of the libraries has made.
type client interface {
	server() string
	tools(ctx context.Context) ([]string, error)
	call(ctx context.Context, tool string, args map[string]any) (text string, isError bool, err error)
}

// keyed sends the key with every request.
type keyed struct{ key string }

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+k.key)
	return http.DefaultTransport.RoundTrip(r)
}

func run() error {
	if len(os.Args) != 4 {
		return errors.New("usage: mcpgo LIBRARY URL KEY")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	connect := map[string]func(ctx context.Context, url string, with *http.Client) (client, error){"go-sdk": connectSDK, "mcp-go": connectMCPGo}[os.Args[1]]
	if connect == nil {
		return errors.New("no such library")
	}
	c, err := connect(ctx, os.Args[2], &http.Client{Transport: keyed{os.Args[3]}})
	if err != nil {
		return err
	}
	out := report{Server: c.server()}
	if out.Tools, err = c.tools(ctx); err != nil {
		return err
	}
	isError := false
	if out.Text, isError, err = c.call(ctx, "list_conversations", map[string]any{"limit": 2}); err != nil || isError {
		return fmt.Errorf("list_conversations: isError %v, %w", isError, err)
	}
	if out.Refused, isError, err = c.call(ctx, "read_conversation", map[string]any{"conversationId": "none"}); err != nil || !isError {
		return fmt.Errorf("an unknown conversation: isError %v, %w", isError, err)
	}
	if slices.Contains(out.Tools, "search_messages") {
		if out.Found, isError, err = c.call(ctx, "search_messages", map[string]any{"q": "commande"}); err != nil || isError {
			return fmt.Errorf("search_messages: isError %v, %w", isError, err)
		}
	}
	return json.NewEncoder(os.Stdout).Encode(out)
}

// sdk is a session of the protocol's own SDK.
type sdk struct{ *mcp.ClientSession }

func connectSDK(ctx context.Context, url string, with *http.Client) (client, error) {
	session, err := mcp.NewClient(&mcp.Implementation{Name: "griot-test", Version: "1"}, nil).
		Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: with, MaxRetries: -1}, nil)
	return sdk{session}, err
}

func (s sdk) server() string { return s.InitializeResult().ServerInfo.Name }

func (s sdk) tools(ctx context.Context) (names []string, err error) {
	list, err := s.ListTools(ctx, nil)
	if err != nil {
		return nil, err
	}
	for _, t := range list.Tools {
		names = append(names, t.Name)
	}
	return names, nil
}

func (s sdk) call(ctx context.Context, tool string, args map[string]any) (text string, isError bool, err error) {
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

// other is a connection of mcp-go.
type other struct {
	*mcpgo.Client
	info *mcpgotypes.InitializeResult
}

func connectMCPGo(ctx context.Context, url string, with *http.Client) (client, error) {
	c, err := mcpgo.NewStreamableHttpClient(url, transport.WithHTTPBasicClient(with))
	if err != nil {
		return nil, err
	}
	if err := c.Start(ctx); err != nil {
		return nil, err
	}
	request := mcpgotypes.InitializeRequest{}
	request.Params.ClientInfo = mcpgotypes.Implementation{Name: "griot-test", Version: "1"}
	info, err := c.Initialize(ctx, request)
	return other{c, info}, err
}

func (o other) server() string { return o.info.ServerInfo.Name }

func (o other) tools(ctx context.Context) (names []string, err error) {
	list, err := o.ListTools(ctx, mcpgotypes.ListToolsRequest{})
	if err != nil {
		return nil, err
	}
	for _, t := range list.Tools {
		names = append(names, t.Name)
	}
	return names, nil
}

func (o other) call(ctx context.Context, tool string, args map[string]any) (text string, isError bool, err error) {
	request := mcpgotypes.CallToolRequest{}
	request.Params.Name, request.Params.Arguments = tool, args
	res, err := o.CallTool(ctx, request)
	if err != nil {
		return "", false, err
	}
	if len(res.Content) == 1 {
		if t, ok := res.Content[0].(mcpgotypes.TextContent); ok {
			text = t.Text
		}
	}
	return text, res.IsError, nil
}
