package virtual

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
)

// The options' names, in the store and in the HTTP API.
const (
	optionDeduplicate = "deduplicate" // a reference is delivered at most once
	optionReceipts    = "receipts"    // delivered messages have receipts
)

// options apply to all phones. They are stored with the messages.
type options struct {
	changing              sync.Mutex
	deduplicate, receipts atomic.Bool
}

func (o *options) named(name string) *atomic.Bool {
	if name == optionReceipts {
		return &o.receipts
	}
	return &o.deduplicate
}

// load reads the options. By default, they are enabled.
func (o *options) load(ctx context.Context, s store) error {
	for _, name := range []string{optionDeduplicate, optionReceipts} {
		on, err := s.option(ctx, name, true)
		if err != nil {
			return err
		}
		o.named(name).Store(on)
	}
	return nil
}

func (g *Gateway) getOptions(*http.Request) (any, error) {
	return map[string]bool{optionDeduplicate: g.options.deduplicate.Load(), optionReceipts: g.options.receipts.Load()}, nil
}

func (g *Gateway) setOptions(r *http.Request, body []byte) (int, any, error) {
	var deduplicate, receipts *bool
	if err := decode(body, map[string]any{optionDeduplicate: &deduplicate, optionReceipts: &receipts}); err != nil {
		return 0, nil, err
	}
	if deduplicate == nil && receipts == nil {
		return 0, nil, badRequest("invalid_options", "deduplicate or receipts has to be there, and to be true or false.")
	}
	g.options.changing.Lock()
	defer g.options.changing.Unlock()
	for name, value := range map[string]*bool{optionDeduplicate: deduplicate, optionReceipts: receipts} {
		if value == nil {
			continue
		}
		if err := g.store.setOption(r.Context(), name, *value); err != nil {
			return 0, nil, err
		}
		g.options.named(name).Store(*value)
	}
	answer, err := g.getOptions(r)
	return http.StatusOK, answer, err
}
