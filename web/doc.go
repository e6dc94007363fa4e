// Package web has the pages for people: templates, styles, scripts, and pictures, all embedded. There is no build step,
// no file from another site, and no inline script or style, so [CSP] can forbid them.
//
// [New] lists every page, which is parsed on its first use, once for each language. [Pages.Serve] responds with a page
// and its data, whose type is in data.go. [Pages.Static] serves the files of pages. Both compress their responses. The
// sentences are in internal/i18n.
//
// # Add a page to a dashboard
//
// A page is a file of templates/app that defines "title" and "main" (and "head", if it has styles or scripts of its
// own; {{template "script" "js/x.js"}} loads a script with all that it imports). The file's name is the page's name. It
// is declared as a constant next to the type of its data. The handler gathers the data from the domain packages and
// ends with
//
//	return pages.ServeApp(w, r, http.StatusOK, web.PageLogs, shell, data)
//
// where shell is a [Shell], created once for each request: the navigation with the current item, the accounts that the
// person can switch to (each by a POST), LIVE or TEST, the signed-in person, and the server's time. It provides the
// frame around the page: templates/app/shell.html. Pages outside of a dashboard (sign-in, errors, conditions) are files
// of templates and are served by [Pages.Serve]. Errors need no page: a handler returns them, and browsers get
// PageError.
//
// "main" contains one <h1>, in a <header class="page-header">, and components. Components that take data are templates
// with a type in components.go, chart.go, or times.go:
//
//	{{template "field" .To}}            Field: label, input, hint, or error
//	{{template "select" .Channel}}      Select
//	{{template "badge" .Status}}        Badge, with a Tone
//	{{template "alert" .Quota}}         Alert
//	{{template "tabs" .Tabs}}           Tabs: links, so that each has an address
//	{{template "pagination" .Pages}}    Pagination
//	{{template "empty" .Empty}}         Empty: the next step on an empty page
//	{{template "code" .Curl}}           Code, with a button that copies
//	{{template "stat" .Sent}}           Stat, within <dl class="grid">
//	{{template "chart" .Volume}}        Chart: SVG and the same numbers as a table
//	{{template "timeline" .Steps}}      a list of Step
//	{{time .At}}                        a time in UTC, which a script writes as "5 minutes ago"
//	{{icon "send"}}                     a picture next to words; icons.go has them
//
// The other components are classes: button (primary, danger, quiet, small), card, table, tag, menu (a <details>),
// dialog, toast, row, grid. The page /dev/components of `griot dev` shows all of them, and
// templates/app/component_page.html is their markup. A wide table is in a <div class="table" tabindex="0"
// role="group">.
//
// Tests enforce these rules: Every sentence is {{t "page.key"}} and is in both languages. No style, script, or handler
// is inline. Every form has one submit button, posts to its own origin, and gets a 303. Inputs set autocomplete.
// axe-core reports no problem in either theme. Nothing is wider than 320 pixels. Pages work without scripts. A dialog
// is opened by <a href="#id" data-dialog>, which also works without scripts. The parameters lang and theme of any URL
// set the person's preferences and are removed from the URL (preferences.go), so don't use them for filters.
package web
