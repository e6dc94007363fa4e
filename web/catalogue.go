package web

import "griot/internal/fault"

// ErrorCatalogue is the data of [PageErrors]: the errors of both services, those of own first.
func ErrorCatalogue(own fault.Service) Catalogue {
	login := section("Login by message", fault.AuthKinds())
	messaging := section("Messaging", fault.MessagingKinds())
	if own == fault.Messaging {
		return Catalogue{Sections: []Section{messaging, login}}
	}
	return Catalogue{Sections: []Section{login, messaging}}
}

func section(title string, kinds []*fault.Kind) Section {
	s := Section{Title: title}
	for _, k := range kinds {
		s.Kinds = append(s.Kinds, Kind{Status: k.Status, Code: k.Code, OAuth: k.OAuth, Text: k.Text, Fix: k.Fix})
	}
	return s
}
