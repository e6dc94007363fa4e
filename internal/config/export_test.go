package config

import (
	"maps"
	"reflect"
	"slices"
)

// ParseFile parses a file's text over the defaults.
func ParseFile(text []byte) CheckError {
	c := Default()
	c.source = source{file: DefaultFile, lines: map[string]int{}}
	var p CheckError
	c.parse(text, &p)
	return p
}

// VariableNames returns the names of all variables.
func VariableNames() []string {
	r := &variables{given: map[string]string{}, known: map[string]bool{}}
	r.read(reflect.ValueOf(Default()).Elem(), Prefix, "")
	return slices.Sorted(maps.Keys(r.known))
}

// SettingNames returns the settings of a file, with only the list's name for settings of lists.
func SettingNames() []string { return settingNames(reflect.TypeFor[Config](), "") }

func settingNames(t reflect.Type, at string) (all []string) {
	for _, f := range fields(t) {
		name, of := at+f.name, t.FieldByIndex(f.index).Type
		if of.Kind() == reflect.Struct && !reflect.PointerTo(of).Implements(unmarshalerType) {
			all = append(all, settingNames(of, name+".")...)
			continue
		}
		all = append(all, name)
	}
	return all
}
