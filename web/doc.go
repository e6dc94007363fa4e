// Package web has the pages that people see: templates, styles, scripts, and
// pictures, all embedded. Nothing is built, nothing is fetched from elsewhere, and
// nothing runs inline, so that [CSP] can forbid it.
//
// [New] lists every page, which is parsed once in each language when it is first asked for; [Pages.Serve] answers a request with
// one, and with the data that its type in data.go describes; [Pages.Static] serves the files
// that pages refer to. Both are sent compressed. The sentences are not here but in internal/i18n.
//
// # How a page of a dashboard is made
//
// A page is a file of templates/app that defines "title" and "main" (and "head", if it has
// styles or scripts of its own; {{template "script" "js/x.js"}} loads a script with all that it
// imports). Its file's name is the page's name, declared as a constant beside the type of its data.
// The handler gathers the data from the domain packages and ends with
//
//	return pages.ServeApp(w, r, http.StatusOK, web.PageLogs, shell, data)
//
// where shell is a [Shell], made once for each request: the navigation with the current item,
// the accounts to change to (each by a POST), LIVE or TEST, who is signed in, and the server's time. Everything
// around the page comes from it: templates/app/shell.html. Pages without a dashboard around them
// (sign-in, errors, conditions) are files of templates and are served by [Pages.Serve]. Errors need
// nothing: a handler returns them, and who came with a browser gets PageError.
//
// In "main" stand one <h1>, in a <header class="page-header">, and components. Those that take data
// are templates with a type in components.go, chart.go, or times.go:
//
//	{{template "field" .To}}            Field: label, input, hint or what was wrong
//	{{template "select" .Channel}}      Select
//	{{template "badge" .Status}}        Badge, with a Tone
//	{{template "alert" .Quota}}         Alert
//	{{template "tabs" .Tabs}}           Tabs: links, so that each has an address
//	{{template "pagination" .Pages}}    Pagination
//	{{template "empty" .Empty}}         Empty: what to do where there is nothing yet
//	{{template "code" .Curl}}           Code, with a button that copies
//	{{template "stat" .Sent}}           Stat, within <dl class="grid">
//	{{template "chart" .Volume}}        Chart: SVG and the same numbers as a table
//	{{template "timeline" .Steps}}      a list of Step
//	{{time .At}}                        a time in UTC, which a script writes as "5 minutes ago"
//	{{icon "send"}}                     a picture beside words; icons.go has them
//
// The others are classes: button (primary, danger, quiet, small), card, table, tag, menu (a <details>),
// dialog, toast, row, grid. The page /dev/components of `griot dev` shows all of them, and
// templates/app/component_page.html is their markup; a wide table stands in a <div class="table" tabindex="0" role="group">.
//
// Rules that tests hold: every sentence is {{t "page.key"}} and is in both languages; no style, script,
// or handler inline; every form has one submit button, posts to its own origin, and is answered by a 303; inputs say
// their autocomplete; axe-core finds nothing in either theme; nothing is wider than 320 pixels; what a
// script adds is not missed without it. A dialog is opened by <a href="#id" data-dialog>, which shows
// it without scripts too. The parameters lang and theme of any address choose for the person
// and are taken off it (preferences.go); do not use them for filters.
package web
