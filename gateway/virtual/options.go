package virtual

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
)

// The options' names, in the store and in the HTTP API.
const (
	optionDeduplicate   = "deduplicate"  // a reference is delivered at most once
	optionReceipts      = "receipts"     // delivered messages have receipts
	optionAskForNumber  = "askForNumber" // of the login, see [Options.AskForNumber]
	optionConfirmSignIn = "confirmSignIn"
)

// options apply to all phones. They are stored with the messages.
type options struct {
	changing              sync.Mutex
	deduplicate, receipts atomic.Bool
	named                 map[string]*atomic.Bool // those that there are, by name
}

// init sets the options to their defaults.
func (o *options) init(from *Options) {
	o.deduplicate.Store(true)
	o.receipts.Store(true)
	o.named = map[string]*atomic.Bool{optionDeduplicate: &o.deduplicate, optionReceipts: &o.receipts}
	for name, value := range map[string]*atomic.Bool{optionAskForNumber: from.AskForNumber, optionConfirmSignIn: from.ConfirmSignIn} {
		if value != nil {
			o.named[name] = value
		}
	}
}

// load reads the stored options.
func (o *options) load(ctx context.Context, s store) error {
	for name, value := range o.named {
		on, err := s.option(ctx, name, value.Load())
		if err != nil {
			return err
		}
		value.Store(on)
	}
	return nil
}

func (g *Gateway) getOptions(*http.Request) (any, error) {
	answer := map[string]bool{}
	for name, value := range g.options.named {
		answer[name] = value.Load()
	}
	return answer, nil
}

func (g *Gateway) setOptions(r *http.Request, body []byte) (int, any, error) {
	given, into := map[string]**bool{}, map[string]any{}
	for name := range g.options.named {
		given[name] = new(*bool)
		into[name] = given[name]
	}
	if err := decode(body, into); err != nil {
		return 0, nil, err
	}
	g.options.changing.Lock()
	defer g.options.changing.Unlock()
	changed := false
	for name, value := range given {
		if *value == nil {
			continue
		}
		if err := g.store.setOption(r.Context(), name, **value); err != nil {
			return 0, nil, err
		}
		g.options.named[name].Store(**value)
		changed = true
	}
	if !changed {
		return 0, nil, badRequest("invalid_options", "At least one option has to be there, and to be true or false.")
	}
	answer, err := g.getOptions(r)
	return http.StatusOK, answer, err
}
