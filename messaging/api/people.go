package api

import (
	"net/http"

	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/erasure"
)

type personBody struct {
	Address string `json:"address"`
}

// exportPerson handles POST /api/people/export.
func (a *API) exportPerson(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	var in personBody
	if err := a.http.DecodeJSON(w, r, &in); err != nil {
		return err
	}
	write, err := a.o.Erasure.ExportFor(r.Context(), c, in.Address)
	if err != nil {
		return err
	}
	a.http.WriteExport(w, "griot-person.json", write)
	return nil
}

type erasureAnswer struct {
	Success bool        `json:"success"`
	Erasure erasureItem `json:"erasure"`
}

type erasureItem struct {
	ID         string  `json:"id"`
	Pseudonym  string  `json:"pseudonym"`
	Status     string  `json:"status"`
	Messages   int64   `json:"messages"`
	Canceled   int64   `json:"canceled"`
	Received   int64   `json:"received"`
	Events     int64   `json:"events"`
	CreatedAt  string  `json:"createdAt"`
	FinishedAt *string `json:"finishedAt"`
}

func erasureOf(e *erasure.Erasure) erasureItem {
	status := "running"
	if e.Done() {
		status = "done"
	}
	return erasureItem{e.ID, e.Pseudonym, status, e.Messages, e.Canceled, e.Received, e.Events, formatTime(e.CreatedAt), formatTimeOrNull(e.FinishedAt)}
}

// erasePerson handles POST /api/people/erase.
func (a *API) erasePerson(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	var in personBody
	if err := a.http.DecodeJSON(w, r, &in); err != nil {
		return err
	}
	e, err := a.o.Erasure.EraseFor(r.Context(), c, in.Address)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if !e.Done() {
		status = http.StatusAccepted
	}
	return httpx.WriteJSON(w, status, erasureAnswer{true, erasureOf(e)})
}
