package api

import (
	"net/http"
	"time"

	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/privacy"
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
	return a.ExportPerson(w, r, c, in.Address)
}

// exportWait is the time limit for reading and sending each piece of an export.
const exportWait = 30 * time.Second

// ExportPerson responds with an account's data about a person. It aborts a response that cannot be completed, so that
// no one mistakes it for a complete one.
func (a *API) ExportPerson(w http.ResponseWriter, r *http.Request, c *account.Caller, address string) error {
	p, err := a.o.People.Person(r.Context(), c.Account.ID, address)
	if err != nil {
		return err
	}
	if err := a.o.People.RecordExport(r.Context(), p); err != nil {
		return err
	}
	w.Header().Set("Content-Type", httpx.TypeJSON)
	w.Header().Set("Content-Disposition", `attachment; filename="griot-person.json"`)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if err := a.o.People.Export(r.Context(), p, w, func() error { return httpx.FlushWithin(w, exportWait) }); err != nil {
		a.o.Log.Warn("an export was not finished", "accountId", c.Account.ID, "err", err)
		panic(http.ErrAbortHandler)
	}
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

func erasureOf(e *privacy.Erasure) erasureItem {
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
	e, err := a.ErasePerson(r, c, in.Address)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if !e.Done() {
		status = http.StatusAccepted
	}
	return httpx.WriteJSON(w, status, erasureAnswer{true, erasureOf(e)})
}

// ErasePerson starts to erase an account's data about a person.
func (a *API) ErasePerson(r *http.Request, c *account.Caller, address string) (*privacy.Erasure, error) {
	p, err := a.o.People.Person(r.Context(), c.Account.ID, address)
	if err != nil {
		return nil, err
	}
	e, err := a.o.People.Erase(r.Context(), p)
	a.o.Directory.Forget(c.Account.ID) // its opt-outs might have changed
	return e, err
}
