package api

import (
	"net/http"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
)

type statusAnswer struct {
	Success           bool             `json:"success"`
	MessageID         string           `json:"messageId"`
	NotifMessageID    string           `json:"notifMessageId"`
	ProviderMessageID *string          `json:"providerMessageId"`
	Channel           gateway.Channel  `json:"channel"`
	RequestedChannel  gateway.Channel  `json:"requestedChannel"`
	To                string           `json:"to"`
	Status            message.Status   `json:"status"`
	CreatedAt         string           `json:"createdAt"`
	ScheduledAt       *string          `json:"scheduledAt"`
	SentAt            *string          `json:"sentAt"`
	DeliveredAt       *string          `json:"deliveredAt"`
	ReadAt            *string          `json:"readAt"`
	FailedAt          *string          `json:"failedAt"`
	ExpiresAt         string           `json:"expiresAt"`
	Attempts          int              `json:"attempts"`
	SenderID          *string          `json:"senderId"`
	GroupID           *string          `json:"groupId"`
	ProjectID         *string          `json:"projectId"`
	Sandbox           bool             `json:"sandbox"`
	Sensitive         bool             `json:"sensitive"`
	Metadata          message.Metadata `json:"metadata"` // null: none
	Pricing           *statusPricing   `json:"pricing"`  // null: not reported
	Error             *statusError     `json:"error"`
	Events            []statusEvent    `json:"events"`
}

type statusPricing struct {
	Billable bool    `json:"billable"`
	Category *string `json:"category"` // null: not reported
}

func pricing(p message.Price) *statusPricing {
	if p == "" {
		return nil
	}
	return &statusPricing{p.Charged(), textOrNull(p.Category())}
}

type statusError struct {
	Code         string  `json:"code"`
	Message      string  `json:"message"`
	ProviderCode *string `json:"providerCode"`
	Retryable    bool    `json:"retryable"`
}

func failure(f *message.Failure) *statusError {
	if f == nil {
		return nil
	}
	return &statusError{Code: f.Code, Message: f.Text(), ProviderCode: textOrNull(f.ProviderCode), Retryable: f.Retryable()}
}

type statusEvent struct {
	Status   message.Status  `json:"status"`
	At       string          `json:"at"`
	Channel  gateway.Channel `json:"channel"`
	SenderID *string         `json:"senderId"`
	Error    *statusError    `json:"error"`
	Note     *string         `json:"note"` // the reason, in words
}

// status handles GET /api/status/:messageId. It returns the same error for missing messages and those of other accounts.
func (a *API) status(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	m, err := a.o.Messages.Find(r.Context(), c, r.PathValue("messageId"))
	if err != nil {
		return err
	}
	return writeStatus(w, m)
}

func writeStatus(w http.ResponseWriter, m *message.Message) error {
	out, err := statusOf(m)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}

func statusOf(m *message.Message) (*statusAnswer, error) {
	steps, err := m.Timeline.Steps()
	if err != nil {
		return nil, err
	}
	out := &statusAnswer{
		Success: true, MessageID: m.ID, NotifMessageID: m.NotificationID, ProviderMessageID: textOrNull(m.ProviderID), Channel: m.Channel,
		RequestedChannel: m.RequestedChannel, To: m.To, Status: m.Status, CreatedAt: formatTime(m.CreatedAt), ScheduledAt: formatTimeOrNull(m.ScheduledAt), SentAt: formatTimeOrNull(m.SentAt),
		DeliveredAt: formatTimeOrNull(m.DeliveredAt), ReadAt: formatTimeOrNull(m.ReadAt), FailedAt: formatTimeOrNull(m.FailedAt), ExpiresAt: formatTime(m.ExpiresAt), Attempts: m.Calls,
		SenderID: textOrNull(m.SenderID), GroupID: textOrNull(m.Options.GroupID), ProjectID: textOrNull(m.ProjectID), Sandbox: m.Status == message.Sandbox, Sensitive: m.Sensitive, Metadata: m.Metadata, Pricing: pricing(m.Price), Error: failure(m.Failure), Events: make([]statusEvent, 0, len(steps)),
	}
	for _, s := range steps {
		out.Events = append(out.Events, statusEvent{Status: s.Status, At: formatTime(time.UnixMilli(s.At)), Channel: s.Channel, SenderID: textOrNull(s.Sender), Error: failure(s.Failure), Note: textOrNull(s.Sentence())})
	}
	return out, nil
}

// textOrNull returns nil for an empty text.
func textOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
