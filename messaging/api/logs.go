package api

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/person"
)

// Limits for a page of logs.
const (
	defaultLogs = 50 // M116
	maxLogs     = 200
)

type logsAnswer struct {
	Success    bool      `json:"success"`
	Logs       []logItem `json:"logs"`
	Count      int       `json:"count"`
	NextCursor *string   `json:"nextCursor"`
}

type logItem struct {
	MessageID        string           `json:"messageId"`
	NotifMessageID   string           `json:"notifMessageId"`
	Channel          gateway.Channel  `json:"channel"`
	RequestedChannel gateway.Channel  `json:"requestedChannel"`
	To               string           `json:"to"`
	Status           message.Status   `json:"status"`
	Type             string           `json:"type"`
	Preview          *string          `json:"preview"` // null for sensitive messages
	Subject          *string          `json:"subject"`
	Source           message.Source   `json:"source"`
	Sandbox          bool             `json:"sandbox"`
	ProjectID        *string          `json:"projectId"`
	SenderID         *string          `json:"senderId"`
	GroupID          *string          `json:"groupId"`
	ErrorCode        *string          `json:"errorCode"`
	Attempts         int              `json:"attempts"`
	Metadata         message.Metadata `json:"metadata"` // null: none
	CreatedAt        string           `json:"createdAt"`
	SentAt           *string          `json:"sentAt"`
	DeliveredAt      *string          `json:"deliveredAt"`
}

// logs handles GET /api/svc-logs, newest first.
func (a *API) logs(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	q, err := query(r)
	if err != nil {
		return err
	}
	f, err := logFilter(q)
	if err != nil {
		return err
	}
	if err := a.o.Directory.CheckProject(r.Context(), c, f.ProjectID); err != nil {
		return err
	}
	messages, next, err := a.o.Messages.List(r.Context(), c, f)
	if err != nil {
		return err
	}
	out := logsAnswer{Success: true, Logs: []logItem{}}
	out.NextCursor = textOrNull(next.Encode())
	for _, m := range messages {
		out.Logs = append(out.Logs, logFor(c, m))
	}
	out.Count = len(out.Logs)
	return httpx.WriteJSON(w, http.StatusOK, out)
}

// logFor is like logOf, without the texts of conversations unless the caller is allowed to read them.
func logFor(c *account.Caller, m *message.Message) logItem {
	l := logOf(m)
	if !message.ShowsText(c, m) {
		l.Preview, l.Subject = nil, nil
	}
	return l
}

func logOf(m *message.Message) logItem {
	l := logItem{
		MessageID: m.ID, NotifMessageID: m.NotificationID, Channel: m.Channel, RequestedChannel: m.RequestedChannel, To: m.To, Status: m.Status, Type: "text",
		Source: m.Source, Sandbox: m.Status == message.Sandbox, ProjectID: textOrNull(m.ProjectID), SenderID: textOrNull(m.SenderID), GroupID: textOrNull(m.Options.GroupID), Attempts: m.Calls, Metadata: m.Metadata,
		CreatedAt: formatTime(m.CreatedAt), SentAt: formatTimeOrNull(m.SentAt), DeliveredAt: formatTimeOrNull(m.DeliveredAt),
	}
	if m.Options.MediaURL != "" {
		l.Type = "media"
	}
	if m.Failure != nil {
		l.ErrorCode = textOrNull(m.Failure.Code)
	}
	if !m.Sensitive {
		l.Preview, l.Subject = textOrNull(message.Preview(m.Content.Text)), textOrNull(m.Content.Subject)
	}
	return l
}

// logFilter parses the query.
func logFilter(q url.Values) (f *message.Filter, err error) {
	f = &message.Filter{ProjectID: q.Get("projectId"), Limit: defaultLogs}
	if s := q.Get("limit"); s != "" {
		if f.Limit, err = strconv.Atoi(s); err != nil || f.Limit < 1 || f.Limit > maxLogs {
			return nil, apierror.InvalidRequest.On("limit").Detailf("limit must be 1 to %d.", maxLogs)
		}
	}
	if s := q.Get("cursor"); s != "" {
		var ok bool
		if f.After, ok = message.DecodeCursor(s); !ok {
			return nil, apierror.InvalidCursor.On("cursor")
		}
	}
	if f.Status = message.Status(q.Get("status")); f.Status != "" && f.Status.Rank() < 0 {
		return nil, apierror.InvalidRequest.On("status").Detailf("status isn't a status of messages.")
	}
	if f.Channel = gateway.Channel(q.Get("channel")); f.Channel != "" && f.Channel != gateway.WhatsApp && f.Channel != gateway.SMS && f.Channel != gateway.Email {
		return nil, apierror.InvalidChannel.On("channel")
	}
	f.To = person.Digits(strings.TrimSpace(q.Get("to")))
	if f.Search = strings.TrimSpace(q.Get("q")); utf8.RuneCountInString(f.Search) > message.MaxSearch {
		return nil, apierror.InvalidRequest.On("q").Detailf("q can have at most %d characters.", message.MaxSearch)
	}
	if f.Source = message.Source(q.Get("source")); f.Source != "" && !slices.Contains(message.Sources(), f.Source) {
		return nil, apierror.InvalidRequest.On("source").Detailf("source isn't a source of messages.")
	}
	f.SenderID = q.Get("senderId")
	if f.Code = q.Get("errorCode"); f.Code != "" && !gateway.IsRef(f.Code, message.MaxCode) {
		return nil, apierror.InvalidRequest.On("errorCode").Detailf("errorCode isn't an error code of messages.")
	}
	if f.Metadata, err = metadataFilter(q); err != nil {
		return nil, err
	}
	if f.Since, err = timeFilter(q, "since", parseTime); err != nil {
		return nil, err
	}
	f.Until, err = timeFilter(q, "until", parseEnd)
	return f, err
}

// timeFilter parses an optional time. There is no data before 1970.
func timeFilter(q url.Values, name string, parse func(field string, s *string) (time.Time, error)) (time.Time, error) {
	t, err := parse(name, textOrNull(q.Get(name)))
	if q.Get(name) != "" && t.Before(time.UnixMilli(0)) {
		t = time.UnixMilli(0)
	}
	return t, err
}

// metadataFilter parses the metadata parameters, such as metadata[order]=42.
func metadataFilter(q url.Values) (message.Metadata, error) {
	var m message.Metadata
	for parameter, texts := range q {
		name, rest, _ := strings.Cut(parameter, "[")
		if name != "metadata" {
			continue
		}
		name, closed := strings.CutSuffix(rest, "]")
		if !closed || len(texts) != 1 {
			return nil, apierror.InvalidRequest.On("metadata").Detailf("Filter metadata with metadata[name]=text, with each name once.")
		}
		if m == nil {
			m = message.Metadata{}
		}
		m[name] = texts[0]
	}
	return m, m.CheckSearch()
}
