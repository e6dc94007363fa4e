package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

var isLicence = regexp.MustCompile(`(?i)^(.*[-_.])?(licen[cs]es?|copying|unlicense)([-_.].*)?$`)

// check reads the licenses in a module's directory.
func (c *classifier) check(dir string, allowed []string) error {
	found, err := c.licences(dir)
	if err != nil {
		return err
	}
	for _, name := range found {
		if !slices.Contains(allowed, name) {
			return fmt.Errorf("%s is not among the licenses that it may link", name)
		}
	}
	if len(found) == 0 {
		return errors.New("no license was recognized")
	}
	return nil
}

// licences returns the names of the licenses in a directory's files.
func (c *classifier) licences(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, f := range entries {
		if !f.Type().IsRegular() || !isLicence.MatchString(f.Name()) || filepath.Ext(f.Name()) == ".go" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, c.match(text)...)
	}
	return all, nil
}
