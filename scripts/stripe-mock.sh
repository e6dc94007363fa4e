#!/usr/bin/env bash
# Prints the path of stripe-mock, Stripe's own server for tests, and installs the pinned version when it isn't there yet.
set -euo pipefail

version=v0.203.0
dir=${XDG_CACHE_HOME:-$HOME/.cache}/griot/stripe-mock-$version

if [[ ! -x $dir/stripe-mock ]]; then
  mkdir -p "$dir"
  fresh=$(mktemp -d "$dir/install.XXXXXX")
  trap 'rm -rf "$fresh"' EXIT
  echo "stripe-mock: installing $version" >&2
  GOBIN=$fresh GOFLAGS='' go install "github.com/stripe/stripe-mock@$version" >&2
  mv -f "$fresh/stripe-mock" "$dir/stripe-mock"
fi
echo "$dir/stripe-mock"
