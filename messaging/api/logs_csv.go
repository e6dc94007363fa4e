package api

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
)

const maxExport = 10_000 // in lines

// NextCursorHeader is the header with the cursor for the next part of an export that has more lines.
const NextCursorHeader = "X-Next-Cursor"

// exportLogs handles GET /api/svc-logs.csv. The export contains no content of messages.
func (a *API) exportLogs(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	q, err := query(r)
	if err != nil {
		return err
	}
	most := maxExport
	if s := q.Get("limit"); s != "" {
		if most, err = strconv.Atoi(s); err != nil || most < 1 || most > maxExport {
			return apierror.InvalidRequest.On("limit").Detailf("limit must be 1 to %d.", maxExport)
		}
		q.Del("limit")
	}
	f, err := logFilter(q)
	if err != nil {
		return err
	}
	if err := a.o.Directory.CheckProject(r.Context(), c, f.ProjectID); err != nil {
		return err
	}
	body := bytes.NewBufferString("\ufeff") // otherwise, spreadsheets do not recognize UTF-8
	lines := csv.NewWriter(body)
	if err := lines.Write([]string{"messageId", "createdAt", "channel", "requestedChannel", "to", "status", "source", "projectId", "senderId", "errorCode", "attempts", "sentAt", "deliveredAt", "metadata"}); err != nil {
		return err
	}
	next, err := a.o.Messages.Export(r.Context(), c, f, most, func(m *message.Message) error {
		line, err := csvLine(m)
		if err == nil {
			err = lines.Write(line)
		}
		return err
	})
	lines.Flush()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="griot-logs.csv"`)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if next.ID != "" {
		w.Header().Set(NextCursorHeader, next.Encode())
	}
	_, err = w.Write(body.Bytes())
	return err
}

func csvLine(m *message.Message) ([]string, error) {
	l := logOf(m)
	to := cell(m.Address)
	if number, ok := phone.Parse(m.Address); ok && m.Channel != gateway.Email && l.GroupID == nil && !m.Erased() {
		to = numberCell(number)
	}
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return cell(*s)
	}
	metadata := ""
	if len(m.Metadata) > 0 {
		b, err := json.Marshal(m.Metadata)
		if err != nil {
			return nil, err
		}
		metadata = string(b)
	}
	return []string{
		m.ID, l.CreatedAt, string(l.Channel), string(l.RequestedChannel), to, string(l.Status), string(l.Source), text(l.ProjectID), text(l.SenderID), text(l.ErrorCode),
		strconv.Itoa(l.Attempts), text(l.SentAt), text(l.DeliveredAt), cell(metadata),
	}, nil
}

// cell prevents a spreadsheet from interpreting a text as a formula.
func cell(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

// numberCell returns a number in a form that spreadsheets keep as text: (+223) 76000001. They take digits for a quantity
// and show it rounded, drop a plus before digits, or calculate with it. An apostrophe would be a part of the cell for
// other programs, while those that read phone numbers drop spaces and brackets.
func numberCell(n phone.Number) string {
	code := n.Country()
	return "(+" + code + ") " + strings.TrimPrefix(string(n), code)
}
