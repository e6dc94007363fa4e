package api

import (
	"net/http"

	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
)

type presetsAnswer struct {
	Success bool         `json:"success"`
	Presets []presetItem `json:"presets"`
}

type presetItem struct {
	Name     string                `json:"name"`
	Required []string              `json:"required"`
	Optional []string              `json:"optional"`
	Texts    map[string]presetText `json:"texts"` // by language
}

type presetText struct {
	Text    string `json:"text"`
	Subject string `json:"subject"`
}

// presets handles GET /api/presets.
func (a *API) presets(w http.ResponseWriter, _ *http.Request, _ *account.Caller) error {
	out := presetsAnswer{Success: true, Presets: []presetItem{}}
	for _, p := range a.o.Delivery.Presets() {
		out.Presets = append(out.Presets, presetOf(&p))
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}

func presetOf(p *message.PresetInfo) presetItem {
	item := presetItem{Name: p.Name, Required: append([]string{}, p.Required...), Optional: append([]string{}, p.Optional...), Texts: map[string]presetText{}}
	for lang, t := range p.Texts {
		item.Texts[lang] = presetText(t)
	}
	return item
}
