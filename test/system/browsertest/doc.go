// Package browsertest drives pages in a real browser. [NewBrowser] gives a test its own browser in the Chromium of the
// test binary, which [Main] ends. [Open] shows an address in a [Tab], which fails the test when the page breaks its
// policy or a script throws. [Tab.Axe] and [Tab.Fits] check the rules for every page: no violation in axe-core, and no
// content wider than the window.
package browsertest
