package config

// ParseFile reads a file's text over the defaults.
func ParseFile(text []byte) CheckError {
	c := Default()
	c.source = source{file: DefaultFile, lines: map[string]int{}}
	var p CheckError
	c.parse(text, &p)
	return p
}
