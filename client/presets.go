package griot

import "context"

// Preset is a text with variables, for [Message.Preset]. {{name}} stands for a variable, and what is between [[ and ]] is left
// out when a variable in it is missing.
type Preset struct {
	Name     string                `json:"name"`
	Required []string              `json:"required"`
	Optional []string              `json:"optional"`
	Texts    map[string]PresetText `json:"texts"` // by language: fr, en
}

// PresetText is a preset in one language.
type PresetText struct {
	Text    string `json:"text"`
	Subject string `json:"subject"` // for email
}

// PresetPage is all presets.
type PresetPage struct {
	Answer
	Presets []Preset `json:"presets"`
}

// Presets lists the texts that messages can be made of.
func (c *Client) Presets(ctx context.Context) (*PresetPage, error) {
	return get[PresetPage](ctx, c, "/api/presets", nil)
}
