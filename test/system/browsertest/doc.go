// Package browsertest drives pages in a real browser. [NewBrowser] gives a test its own browser in the Chromium of the test
// binary, which [Main] ends. [Open] shows an address in a [Tab], which fails the test when the page breaks its policy or a
// script throws. [Tab.Axe] and [Tab.Fits] check what every page must keep: no finding of axe-core, and nothing wider than
// the window.
package browsertest
