package griot

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// OptOut is a recipient who wants no more messages on a channel.
type OptOut struct {
	ID      string    `json:"id"`
	Channel Channel   `json:"channel"`
	Address string    `json:"address"`
	Source  string    `json:"source"` // said, bounced, complained, or added
	Since   time.Time `json:"since"`
}

// OptOutFilter says which opt-outs to list; a zero member filters nothing.
type OptOutFilter struct {
	Channel Channel
	Address string // this number or address
	Query   string // part of the number or address
	Limit   int
	Cursor  string // NextCursor of the page before
}

// OptOutPage is a page of opt-outs, by channel and address.
type OptOutPage struct {
	Answer
	OptOuts    []OptOut `json:"optOuts"`
	Count      int      `json:"count"`
	NextCursor string   `json:"nextCursor"` // empty: this is the last page
}

// OptOuts lists the account's opt-outs. It takes a live key, as all about opt-outs does. With Address or Query, a page may be
// short or empty and not the last.
func (c *Client) OptOuts(ctx context.Context, f OptOutFilter) (*OptOutPage, error) {
	q := query{}.text("channel", string(f.Channel)).text("address", f.Address).text("q", f.Query).number("limit", f.Limit).text("cursor", f.Cursor)
	return get[OptOutPage](ctx, c, "/api/opt-outs", q)
}

// AllOptOuts iterates over [Client.OptOuts], page after page.
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

// OptOutResult is an opt-out that is there now.
type OptOutResult struct {
	Answer
	OptOut OptOut `json:"optOut"`
}

// AddOptOut has a recipient get no more messages on a channel. One that has opted out already stays as it is.
func (c *Client) AddOptOut(ctx context.Context, channel Channel, address string) (*OptOutResult, error) {
	in := struct {
		Channel Channel `json:"channel"`
		Address string  `json:"address"`
	}{channel, address}
	return fetch[OptOutResult](ctx, c, call{method: http.MethodPost, path: "/api/opt-outs", in: &in})
}

type done struct{ Answer }

// RemoveOptOut lets a recipient get messages again. Do so only when the person has asked for it.
func (c *Client) RemoveOptOut(ctx context.Context, optOutID string) error {
	path, err := at("/api/opt-outs/", "id", optOutID, "")
	if err != nil {
		return err
	}
	return c.do(ctx, call{method: http.MethodDelete, path: path, gone: string(ErrOptOutNotFound)}, &done{})
}
