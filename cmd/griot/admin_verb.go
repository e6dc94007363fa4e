package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/griot/cmd/griot/console"
	"example.com/griot/cmd/griot/exit"
	"example.com/griot/internal/verb"
)

// verbCommand is the command of a verb.
type verbCommand struct {
	*cobra.Command
	o     *adminOptions
	verb  verb.Verb
	given []func() error // read the given flags into the input

	country countryFlag // of its numbers, if it has any
	in      map[string]any
	after   func(c *cobra.Command, raw []byte) error // nil: only the result is printed
}

func newVerbCommand(o *adminOptions, v verb.Verb) *verbCommand {
	name := v.Command[strings.LastIndex(v.Command, " ")+1:]
	m := &verbCommand{o: o, verb: v, in: map[string]any{}, Command: &cobra.Command{Use: name, Short: v.Help, Long: v.Long, Args: cobra.NoArgs}}
	together, required := map[string][]string{}, ""
	for i := range v.In {
		f := &v.In[i]
		if f.Arg != "" {
			m.Use += " " + f.Arg
			m.Args = exactlyOne(strings.TrimSuffix(f.Arg+": "+f.Help, ": "))
		}
		if f.Phone && m.Flags().Lookup("country") == nil {
			m.country.add(m.Command)
		}
		if f.Flag == "" {
			continue
		}
		m.flag(f)
		if f.Together != "" {
			together[f.Together] = append(together[f.Together], f.Flag)
		}
		if f.Required {
			required += " --" + f.Flag + " " + strings.ToUpper(f.Flag)
			_ = m.MarkFlagRequired(f.Flag)
		}
	}
	m.Use += required
	for _, flags := range together {
		m.MarkFlagsRequiredTogether(flags...)
	}
	m.RunE = func(c *cobra.Command, args []string) error {
		raw, err := m.run(c, args)
		if err != nil {
			return err
		}
		if err := showResult(c, o, v.Out, raw); err != nil || m.after == nil {
			return err
		}
		return m.after(c, raw)
	}
	if v.Danger == verb.Deletes {
		of, _, _ := strings.Cut(v.Command, " ")
		deleting(m.Command, func(args []string) string { return "Deleting the " + strings.TrimSuffix(of, "s") + " " + args[0] })
	}
	return m
}

// run calls the verb with the command's input, and repeats the call while the result is not final.
func (m *verbCommand) run(c *cobra.Command, args []string) (json.RawMessage, error) {
	for _, read := range m.given {
		if err := read(); err != nil {
			return nil, err
		}
	}
	for i := range m.verb.In {
		if f := &m.verb.In[i]; f.Arg != "" {
			f.Put(m.in, args[0])
		}
	}
	for {
		_, raw, err := callVerb[json.RawMessage](c.Context(), m.o, m.verb.Name, m.in)
		if err != nil {
			return raw, err
		}
		result := map[string]any{}
		_ = json.Unmarshal(raw, &result) // a list is always final
		if !m.verb.GoesOn(m.in, result) {
			return raw, nil
		}
	}
}

// flag adds the flag of a field. A given value, or the default, is stored in the input.
func (m *verbCommand) flag(f *verb.Field) {
	set := func(read func() (any, error)) {
		m.given = append(m.given, func() error {
			if !m.Flags().Changed(f.Flag) && f.Default == "" {
				return nil
			}
			value, err := read()
			if err == nil {
				f.Put(m.in, value)
			}
			return err
		})
	}
	flags := m.Flags()
	switch f.Kind {
	case verb.Text:
		p := flags.String(f.Flag, f.Default, f.Help)
		set(func() (any, error) {
			if f.Phone {
				return m.country.complete("--"+f.Flag, *p, f.ShortCode)
			}
			return *p, nil
		})
	case verb.Number:
		p := flags.Int64(f.Flag, defaultOf[int64](f), f.Help)
		set(func() (any, error) { return *p, nil })
	case verb.Bool:
		p := flags.Bool(f.Flag, defaultOf[bool](f), f.Help)
		set(func() (any, error) { return *p, nil })
	case verb.Duration:
		d, _ := time.ParseDuration(cmp.Or(f.Default, "0s"))
		p := flags.Duration(f.Flag, d, f.Help)
		set(func() (any, error) { return int64(*p / time.Second), nil })
	case verb.List:
		p := flags.StringArray(f.Flag, nil, f.Help)
		set(func() (any, error) { return *p, nil })
	case verb.Settings:
		p := flags.String(f.Flag, "", f.Help)
		set(func() (any, error) { return readSettings(m.Command, *p) })
	case verb.Time:
		if f.Absent {
			p := flags.String(f.Flag, "", f.Help)
			set(func() (any, error) { return parseTime(f.Flag, *p) })
			return
		}
		p := &timeFlag{}
		flags.Var(p, f.Flag, f.Help)
		set(func() (any, error) { return p.Time, nil })
	case verb.Object: // has no flag
	}
}

// defaultOf returns a field's default, or the zero value if it has none.
func defaultOf[V any](f *verb.Field) (v V) {
	_ = json.Unmarshal([]byte(f.Default), &v)
	return v
}

// parseTime parses a time, or a date, which means its start in this machine's time zone. The value none is the zero time.
func parseTime(flag, value string) (any, error) {
	if value == "none" {
		return time.Time{}, nil
	}
	t, err := console.ParseTime(value, time.Now(), false)
	if err != nil {
		return nil, exit.Usage("--%s must be a date (2026-12-31), a time (2026-12-31T18:00:00Z), or none", flag)
	}
	return t, nil
}

// timeFlag is a flag for a time that has passed.
type timeFlag struct{ time.Time }

// Set implements pflag.Value.
func (f *timeFlag) Set(text string) (err error) {
	f.Time, err = console.ParseTime(text, time.Now(), true)
	return err
}

// Type implements pflag.Value.
func (*timeFlag) Type() string { return "time" }

// String implements pflag.Value. A flag that isn't set has no text.
func (f *timeFlag) String() string {
	if f.IsZero() {
		return ""
	}
	return f.Format(time.RFC3339)
}

const maxSettings = 256 << 10 // bytes

// readSettings reads the settings of a kind, which must be a mapping. Its errors don't contain them.
func readSettings(c *cobra.Command, file string) (json.RawMessage, error) {
	from := c.InOrStdin()
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		from = f
	}
	b, err := io.ReadAll(io.LimitReader(from, maxSettings+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxSettings {
		return nil, errors.New("the settings are larger than 256 KiB")
	}
	return verb.ParseSettings(b)
}
