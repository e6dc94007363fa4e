// Package webtest requests pages without a browser. [Send] requests a page as a browser does, [Page] checks what the page
// must show, and [Weigh] counts what a page costs a visitor who opens it for the first time.
package webtest
