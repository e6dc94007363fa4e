package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/strictjson"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
)

// A batchBody is the body of a batch.
type batchBody struct {
	Messages        []json.RawMessage `json:"messages"`
	ContinueOnError bool              `json:"continueOnError"`
	IdempotencyKey  *string           `json:"idempotencyKey"`
	Sandbox         bool              `json:"sandbox"` // for all messages

	// Legacy and ignored.
	Template json.RawMessage `json:"template"`
	Buttons  json.RawMessage `json:"buttons"`
}

type batchAnswer struct {
	Success      bool        `json:"success"` // no message failed
	Total        int         `json:"total"`
	Accepted     int         `json:"accepted"`
	Failed       int         `json:"failed"`
	Skipped      int         `json:"skipped"`
	Results      []batchItem `json:"results"`
	MessagesUsed int64       `json:"messagesUsed"`
	Limit        *int64      `json:"limit"`
	Warnings     []warning   `json:"warnings,omitempty"`
}

type batchItem struct {
	Index           int             `json:"index"`
	Success         bool            `json:"success"`
	HTTPStatus      int             `json:"httpStatus"` // the status of /api/send for this item; 424 for a skipped item
	MessageID       string          `json:"messageId,omitempty"`
	NotifMessageID  string          `json:"notifMessageId,omitempty"`
	Status          message.Status  `json:"status,omitempty"`
	Channel         gateway.Channel `json:"channel,omitempty"`
	To              string          `json:"to,omitempty"`
	Deduplicated    bool            `json:"deduplicated,omitempty"`
	PayloadMismatch bool            `json:"payloadMismatch,omitempty"`
	Error           string          `json:"error,omitempty"`
	Code            string          `json:"code,omitempty"`
	Message         string          `json:"message,omitempty"`
	Field           string          `json:"field,omitempty"`
	Warnings        []warning       `json:"warnings,omitempty"`
}

const skipped = "skipped"

// batch handles POST /api/send/batch. The response to a well-formed batch is 200, with a result for each item.
func (a *API) batch(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	var body batchBody
	var warnings []warning
	err := a.http.ReadJSON(w, r, func(raw []byte) (err error) {
		warnings, err = a.decodeBatch(raw, &body)
		return err
	})
	if err != nil {
		return err
	}
	switch n := len(body.Messages); {
	case n == 0:
		return apierror.InvalidRequest.On("messages").Detailf("messages must have at least one message.")
	case n > delivery.MaxBatch:
		return apierror.BatchTooLarge.On("messages")
	}
	if body.Sandbox, err = sandboxed(r, body.Sandbox); err != nil {
		return err
	}
	key, err := idempotencyKey(r, body.IdempotencyKey)
	if err != nil {
		return err
	}
	items, ignored, errs, err := a.batchItems(r, &body, key)
	if err != nil {
		return err
	}
	outcomes, err := a.o.Delivery.SubmitBatch(r.Context(), c, items, errs, body.ContinueOnError)
	if err != nil {
		return err
	}
	used, err := a.o.Directory.UsedToday(r.Context(), c.Account.ID)
	if err != nil {
		return err
	}
	out := batchAnswer{Warnings: warnings, Total: len(outcomes), MessagesUsed: used, Limit: limitOf(c.Account.Plan.DailyLimit)}
	for i, o := range outcomes {
		item := a.batchItem(i, o)
		if item.Success {
			item.Warnings = ignored[i]
		}
		switch {
		case item.Success:
			out.Accepted++
		case item.Error == skipped:
			out.Skipped++
		default:
			out.Failed++
		}
		out.Results = append(out.Results, item)
	}
	out.Success = out.Failed == 0
	return httpx.WriteJSON(w, http.StatusOK, out)
}

// batchItems parses the items. A malformed item fails alone. A key that contradicts the batch's key fails the whole
// batch, even if it is in a malformed item (M60 to M62).
func (a *API) batchItems(r *http.Request, body *batchBody, key string) (items []*message.Request, ignored [][]warning, errs []error, err error) {
	items, ignored, errs = make([]*message.Request, len(body.Messages)), make([][]warning, len(body.Messages)), make([]error, len(body.Messages))
	for i, raw := range body.Messages {
		var b sendBody
		ignored[i], errs[i] = a.decodeSend(raw, &b)
		own := ""
		if errs[i] != nil {
			own = itemKey(raw)
		} else if b.IdempotencyKey != nil {
			own = *b.IdempotencyKey
		}
		if key != "" && own != "" && own != key {
			return nil, nil, nil, apierror.IdempotencyMismatch.Err().Detailf("messages[%d] and the batch have different idempotency keys. Nothing was sent.", i)
		}
		if errs[i] == nil && b.IdempotencyKey != nil {
			errs[i] = message.CheckIdempotencyKey(own)
		}
		if errs[i] != nil {
			continue
		}
		b.Sandbox = b.Sandbox || body.Sandbox
		if key != "" && own == "" {
			own = key + ":" + strconv.Itoa(i)
		}
		if items[i], errs[i] = b.request(r, own); errs[i] != nil {
			continue
		}
		items[i].Source = message.SourceBatch
		if b.DryRun {
			items[i].Wrong = apierror.InvalidRequest.On("dryRun").Detailf("dryRun is only for single sends.")
		}
	}
	return items, ignored, errs, nil
}

// itemKey returns the idempotency key of a malformed item, or "".
func itemKey(raw json.RawMessage) string {
	var item struct {
		Key any `json:"idempotencyKey"`
	}
	if strictjson.Unmarshal(raw, &item) != nil {
		return "" // not an object
	}
	key, _ := item.Key.(string)
	return key
}

// decodeBatch parses a batch and lists its ignored fields. It refuses fields that are allowed only in messages.
func (a *API) decodeBatch(raw []byte, body *batchBody) ([]warning, error) {
	warnings, err := a.decode(raw, body, batchAliases)
	if err != nil || len(warnings) == 0 {
		return nil, err
	}
	return warnings, refuseItemMembers(raw)
}

func (a *API) batchItem(i int, o delivery.Outcome) batchItem {
	if o.Err == nil && o.Result == nil {
		return batchItem{Index: i, HTTPStatus: http.StatusFailedDependency, Error: skipped, Code: skipped, Message: "An item before this one was refused."}
	}
	var answer *sendAnswer
	status, err := 0, o.Err
	if err == nil {
		answer, status, err = answerOf(o.Result)
	}
	if err != nil {
		return a.failedItem(i, err)
	}
	return batchItem{
		Index: i, Success: true, HTTPStatus: status, MessageID: answer.MessageID, NotifMessageID: answer.NotifMessageID, Status: answer.Status,
		Channel: answer.Channel, To: answer.To, Deduplicated: answer.Deduplicated, PayloadMismatch: answer.PayloadMismatch,
	}
}

func (a *API) failedItem(i int, err error) batchItem {
	e, ok := errors.AsType[*apierror.Error](err)
	if !ok {
		a.o.Log.Error("an item of a batch", "err", err)
		e = apierror.Internal.Err()
	}
	item := batchItem{Index: i, HTTPStatus: e.Kind.Status, Error: e.Kind.Code, Code: e.Kind.Code, Message: e.Text(), Field: e.Field}
	if id, ok := e.Extra["messageId"].(string); ok {
		item.MessageID = id
	}
	if s, ok := e.Extra["status"].(message.Status); ok {
		item.Status = s
	}
	return item
}
