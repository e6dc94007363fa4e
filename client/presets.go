package griot

import "context"

// A Preset is a text with variables, for [Message.Preset]. {{name}} is a variable. The part between [[ and ]] is left
// out if one of its variables is missing.
type Preset struct {
	Name     string                `json:"name"`
	Required []string              `json:"required"`
	Optional []string              `json:"optional"`
	Texts    map[string]PresetText `json:"texts"` // by language: fr, en
}

// A PresetText is a preset in one language.
type PresetText struct {
	Text    string `json:"text"`
	Subject string `json:"subject"` // for email
}

// A PresetPage lists all presets.
type PresetPage struct {
	Answer
	Presets []Preset `json:"presets"`
}

// Presets lists the presets for messages.
func (c *Client) Presets(ctx context.Context) (*PresetPage, error) {
	return get[PresetPage](ctx, c, "/api/presets", nil)
}
