package griot

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// An OptOut is a recipient who has opted out of messages on a channel.
type OptOut struct {
	ID      string    `json:"id"`
	Channel Channel   `json:"channel"`
	Scope   string    `json:"scope,omitempty"` // marketing: only of marketing messages on WhatsApp; empty: of all
	Address string    `json:"address"`
	Source  string    `json:"source"` // said, provider, bounced, complained, or added
	Since   time.Time `json:"since"`
}

// An OptOutFilter selects opt-outs. A zero field does not filter.
type OptOutFilter struct {
	Channel Channel // WhatsApp includes opt-outs of marketing messages
	Address string  // an exact number or address
	Query   string  // part of the number or address
	Limit   int
	Cursor  string // NextCursor of the previous page
}

// An OptOutPage is a page of opt-outs, sorted by channel and address.
type OptOutPage struct {
	Answer
	OptOuts    []OptOut `json:"optOuts"`
	Count      int      `json:"count"`
	NextCursor string   `json:"nextCursor"` // empty: last page
}

// OptOuts lists the account's opt-outs. Like all opt-out methods, it requires a live key. With Address or Query, a
// page can be short or empty although more pages follow.
func (c *Client) OptOuts(ctx context.Context, f OptOutFilter) (*OptOutPage, error) {
	q := query{}.text("channel", string(f.Channel)).text("address", f.Address).text("q", f.Query).number("limit", f.Limit).text("cursor", f.Cursor)
	return get[OptOutPage](ctx, c, "/api/opt-outs", q)
}

// AllOptOuts iterates over the opt-outs on all pages of [Client.OptOuts].
func (c *Client) AllOptOuts(ctx context.Context, f OptOutFilter) iter.Seq2[OptOut, error] {
	return pages(f.Cursor, func(cursor string) ([]OptOut, string, error) {
		f.Cursor = cursor
		page, err := c.OptOuts(ctx, f)
		if err != nil {
			return nil, "", err
		}
		return page.OptOuts, page.NextCursor, nil
	})
}

// An OptOutResult is an opt-out that is in effect.
type OptOutResult struct {
	Answer
	OptOut OptOut `json:"optOut"`
}

// AddOptOut blocks messages to a recipient on a channel. It does not change an existing opt-out.
func (c *Client) AddOptOut(ctx context.Context, channel Channel, address string) (*OptOutResult, error) {
	in := struct {
		Channel Channel `json:"channel"`
		Address string  `json:"address"`
	}{channel, address}
	return fetch[OptOutResult](ctx, c, call{method: http.MethodPost, path: "/api/opt-outs", in: &in})
}

type done struct{ Answer }

// RemoveOptOut allows messages to a recipient again. Call it only if the person has asked for it.
func (c *Client) RemoveOptOut(ctx context.Context, optOutID string) error {
	path, err := at("/api/opt-outs/", "id", optOutID, "")
	if err != nil {
		return err
	}
	return c.do(ctx, call{method: http.MethodDelete, path: path, gone: string(ErrOptOutNotFound)}, &done{})
}
