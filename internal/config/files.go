package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// NamedFile is a file that a setting names.
type NamedFile struct{ Setting, Path string }

// Files returns the files that griot serve reads at its start, without the configuration itself.
func (c *Config) Files() []NamedFile {
	all := []NamedFile{{"master_key_file", c.MasterKeyFile}, {"master_key_previous_file", c.KeyBeforeFile}, {"tls.cert", c.TLS.Cert}, {"tls.key", c.TLS.Key}}
	for _, p := range c.parts() {
		all = append(all, NamedFile{p.setting, p.file})
	}
	for i, g := range c.Gateways {
		for _, name := range slices.Sorted(maps.Keys(g.Settings)) {
			if path, text := g.Settings[name].(string); text && strings.HasSuffix(name, "_file") {
				all = append(all, NamedFile{fmt.Sprintf("gateways[%d].settings.%s", i, name), path})
			}
		}
	}
	return slices.DeleteFunc(all, func(f NamedFile) bool { return f.Path == "" })
}
