#!/usr/bin/env bash
# Runs one of the tests that take long: scripts/test-long.sh NAME [SIZE]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

# tests VARIABLE=VALUE... -- PATTERN PACKAGE... runs the tests that match, with the variables.
tests() {
  local variables=()
  while [[ $1 != -- ]]; do
    variables+=("$1")
    shift
  done
  shift
  env "${variables[@]}" go run ./internal/db/dbtest/withpostgres go test -count=1 -v -shuffle=on -timeout=120m -run "$1" "${@:2}"
}

case ${1:-} in
kills) tests GRIOT_TEST_LONG=1 "GRIOT_TEST_KILLS=${2:-200}" -- '^(TestCrash_MixedLoad|TestCLI_BatchKilled)$' ./test/system/crash ./test/system/command ;;
backup) tests GRIOT_TEST_LONG=1 -- '^TestBackup_UnderLoadAndRestored$' ./test/system/operate ;;
fleet) tests "GRIOT_TEST_FLEET=${2:-3m}" -- '^TestFleet_' ./test/system/fleet ;;
devices) cd griot-whatsapp && GRIOT_TEST_DEVICES=${2:-200} go test -count=1 -v -timeout=60m -run '^TestManyDevices$' ./test/system ;;
linked-kills) cd griot-whatsapp && GRIOT_TEST_LINKED_KILLS=${2:-100} go test -count=1 -v -timeout=120m -run '^TestLinkedKills$' ./test/system ;;
linked-load) cd griot-whatsapp && GRIOT_TEST_LINKED_LOAD=${2:-1m} go test -count=1 -v -timeout=60m -run '^TestLinkedLoad$' ./test/system ;;
proxies) tests GRIOT_TEST_LONG=1 -- '^TestInit_ProxiesInFront$' ./test/system/operate ;;
views) tests GRIOT_TEST_VIEWS=1 -- . ./test/system/pages/... ./test/system/browser ;;
screenshots)
  mkdir -p screenshots
  tests "GRIOT_TEST_SCREENSHOTS=$PWD/screenshots" -- '^TestScreenshots$' ./test/system/browser
  ;;
generators) tests GRIOT_TEST_GENERATORS=1 -- '^TestDocuments_LintersAndGeneratorsOfOthers$' ./test/system/clients ;;
conformance) tests GRIOT_TEST_LONG=1 -- '^TestAssistant_' ./test/system/clients ;;
relying-parties) tests GRIOT_TEST_LONG=1 -- '^TestRelyingParties' ./test/system/clients ;;
publish-path) tests GRIOT_TEST_LONG=1 -- '^TestPublishPath$' ./test/system/repository ;;
dist) scripts/test-dist.sh ;;
*)
  cat >&2 <<'TEXT'
Name what to run, and perhaps its size:
  kills [200]         kill the program under mixed load and campaigns whose messages are canceled, stopped,
                      and suspended, and kill a batch of 100,000 rows
  backup              back up under load, and restore; recover PostgreSQL to a point in time
  fleet [3m]          run three nodes under load and faults, and find faults that are planted
  devices [200]       hold linked WhatsApp numbers in one process
  linked-kills [100]  kill griot, griot-whatsapp, and its connections while numbers send, receive, and are linked
  linked-load [1m]    write 10,000 messages a minute from 500 people to one linked number
  proxies             put nginx, Caddy, and HAProxy in front
  views               look at every page in every theme, language, and width
  screenshots         take pictures of every page into screenshots/, and the README's into docs/img
  generators          hold the OpenAPI documents to all linters and client generators
  conformance         run the assistant's inspector and conformance suite
  relying-parties     sign people in to programs that use OpenID Connect
  publish-path        give the whole repository another module path, and build it
  dist                build a release twice, install its package in a throw-away root, and run its image; as root
TEXT
  exit 2
  ;;
esac
