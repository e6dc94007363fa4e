#!/usr/bin/env bash
# Gives Griot the path under which it is published: scripts/publish-path.sh HOST/OWNER/griot [CONTACT]
# The module path changes everywhere, and SECURITY.md gets the contact: an email address, or an https address. Without one it asks.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

fail() { echo "publish-path: $*" >&2; exit 2; }

new=${1:-} contact=${2:-}
old=$(go list -m)

if [[ ! $new =~ ^[a-z0-9-]+(\.[a-z0-9-]+)+(/[A-Za-z0-9][A-Za-z0-9._-]*)+$ ]]; then
  fail "give the path as MODULE=host/owner/griot, without https://"
fi
[[ $new != "$old" ]] || fail "this is the path already"
[[ -z $(git status --porcelain) ]] || fail "commit or stash your changes first: then git diff shows what this changed"

if [[ -z $contact && -t 0 ]]; then
  read -r -p "Where are vulnerabilities reported (an email address, or an https address)? " contact
fi
if [[ ! $contact =~ ^[^[:space:]\|\&\\@]+@[^[:space:]\|\&\\@]+\.[a-z]+$ && ! $contact =~ ^https://[^[:space:]\|\&\\]+$ ]]; then
  fail "give the security contact as CONTACT=security@… or CONTACT=https://…"
fi

unpublished='^> Not published yet\..*$'
if ! grep -q "$unpublished" SECURITY.md; then
  # It was published before, under another path.
  unpublished='^> Report to: .*$'
  grep -q "$unpublished" SECURITY.md || fail "SECURITY.md has no line for the contact"
fi
sed -i.orig "s|$unpublished|> Report to: $contact|" SECURITY.md

# What ends like the path may be another's: registry.example.com/griot is the name of an image.
git grep -Ilz -F "$old" | OLD=$old NEW=$new xargs -0 perl -pi -e 's{(?<![\w.-])\Q$ENV{OLD}\E(?![\w-])}{$ENV{NEW}}g'
rm -f SECURITY.md.orig

scripts/tools.sh gofumpt
scripts/gofiles.sh | xargs -0 .tools/gofumpt -w # imports are sorted by their paths
echo "publish-path: $old is $new now; look at it with git diff, and run make check" >&2
