# shellcheck shell=bash
# The environment of the scripts and of make, which both include this file. Each module is built with the versions of its own
# go.mod, like a release, instead of those that go.work selects for all modules.
export GOWORK=off
