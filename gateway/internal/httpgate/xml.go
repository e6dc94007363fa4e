package httpgate

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

// escapeXML escapes a text for character data and for attributes.
func escapeXML(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // a bytes.Buffer returns no errors
	return b.String()
}

// checkXML checks that no text can change the document's structure. It compares the structure with a harmless text
// and with a text that contains markup.
func checkXML(t template) error {
	shapes := make([]string, 2)
	for i, text := range []string{"1", `]]></a><!-- " ' & ?> --><b c="d">`} {
		s := Values{}
		for _, p := range t.parts {
			if p.name != "" {
				s[p.name] = text
			}
		}
		var err error
		if shapes[i], err = shapeOf(t.expand(s, escapeXML)); err != nil {
			return errors.New("settings: xml is not a well-formed document, or has placeholders where only markup can be")
		}
	}
	if shapes[0] != shapes[1] {
		return errors.New("settings: xml has placeholders in a comment or in an instruction")
	}
	return nil
}

// shapeOf returns the structure of an XML document: its elements, the names of their attributes, comments, and instructions.
func shapeOf(document string) (string, error) {
	d := xml.NewDecoder(strings.NewReader(document))
	var shape strings.Builder
	elements := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			if elements == 0 {
				return "", errors.New("no element")
			}
			return shape.String(), nil
		}
		if err != nil {
			return "", err
		}
		switch t := token.(type) {
		case xml.StartElement:
			elements++
			shape.WriteString("<" + t.Name.Local)
			for _, a := range t.Attr {
				shape.WriteString(" " + a.Name.Local)
			}
		case xml.EndElement:
			shape.WriteString("</" + t.Name.Local)
		case xml.Comment:
			shape.WriteString("!" + string(t))
		case xml.ProcInst:
			shape.WriteString("?" + t.Target + string(t.Inst))
		case xml.Directive:
			shape.WriteString("D" + string(t))
		}
	}
}
