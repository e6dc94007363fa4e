#!/usr/bin/env bash
# Installs what tests need and this machine lacks: scripts/setup.sh [test|race|system]
#   test    Go and PostgreSQL, for make test
#   race    and a C compiler, for make test-race
#   system  everything: browsers, proxies, other people's programs, npm packages
# It ends at once when nothing is missing. Where it may not install (not root, no passwordless sudo, no apt-get) it says what to install, and the tests that need
# it fail; only Kannel's and the unit's are skipped where there is no apt-get. In CI this script fails already.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

oldest_postgres=15 # the oldest version that Griot supports
missing=()         # what is still missing at the end, in words

say() { echo "setup: $*" >&2; }

has() { command -v "$1" >/dev/null 2>&1; }

has_compiler() { has "$(go env CC)"; }

# The same places as internal/db/dbtest looks in.
has_postgres() {
  local dir version
  for dir in "$(dirname "$(command -v postgres || echo /none/postgres)")" /usr/lib/postgresql/*/bin /usr/pgsql-*/bin \
    /usr/libexec/postgresql* /opt/homebrew/opt/postgresql*/bin /usr/local/opt/postgresql*/bin; do
    [[ -x $dir/initdb && -x $dir/postgres ]] || continue
    version=$("$dir/postgres" --version | sed -E 's/^.*\(PostgreSQL\) ([0-9]+).*$/\1/')
    if [[ $version =~ ^[0-9]+$ ]] && ((version >= oldest_postgres)); then return 0; fi
  done
  return 1
}

has_chromium() {
  local name
  for name in chromium chromium-browser google-chrome google-chrome-stable chrome headless-shell; do
    if has "$name"; then return 0; fi
  done
  [[ -x "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" ]]
}

# Kannel's programs are for daemons, and may not be in an account's path.
has_kannel() { [[ -x $(PATH=$PATH:/usr/sbin:/usr/local/sbin command -v bearerbox) ]] && [[ -x $(PATH=$PATH:/usr/sbin:/usr/local/sbin command -v smsbox) ]]; }

has_postfix() { [[ -x $(PATH=$PATH:/usr/sbin command -v postfix) ]]; }

as_root() { if ((EUID == 0)); then "$@"; else sudo -n "$@"; fi; }

may_install() { has apt-get && { ((EUID == 0)) || { has sudo && sudo -n true 2>/dev/null; }; }; }

apt() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 \
    -o Dpkg::Use-Pty=0 "$@" </dev/null >>"$apt_log" 2>&1
}

# install WHAT PACKAGE... installs packages; the lists are fetched when there are none, or when they prove stale.
install() {
  local what=$1
  shift
  if ! may_install; then
    say "$what is missing, and this account may not install it: apt-get install --no-install-recommends $*"
    return 1
  fi
  say "installing $what ($*)"
  apt_log=$(mktemp)
  compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null || apt update || true
  if ! apt install --no-install-recommends "$@" && ! { apt update && apt install --no-install-recommends "$@"; }; then
    say "$what could not be installed:"
    tail -n 20 "$apt_log" >&2
    rm -f "$apt_log"
    return 1
  fi
  rm -f "$apt_log"
}

# The tests start servers of their own, so the package is kept from starting one.
install_postgres() {
  local conf=/etc/postgresql-common/createcluster.d/griot-setup.conf status=0
  if may_install; then
    as_root mkdir -p "$(dirname "$conf")"
    echo 'create_main_cluster = false' | as_root tee "$conf" >/dev/null
  fi
  install "PostgreSQL" postgresql || status=$?
  if may_install; then as_root rm -f "$conf"; fi # the next cluster is the owner's business
  return "$status"
}


# The tests start a Kannel of their own. The package starts its boxes, which nobody asked for.
install_kannel() {
  install "Kannel" kannel || return
  if has service; then as_root service kannel stop >/dev/null 2>&1 || true; fi
}

# The tests start a Postfix of their own. The package starts one if it may, which nobody asked for.
install_postfix() {
  install "Postfix" postfix || return
  if has service; then as_root service postfix stop >/dev/null 2>&1 || true; fi
}

# The tests need promtool alone. The package starts a server if it may, which nobody asked for.
install_promtool() {
  install "promtool" prometheus || return
  if has service; then as_root service prometheus stop >/dev/null 2>&1 || true; fi
}

# These may not be in an account's path.
has_proxy() { [[ -x $(PATH=$PATH:/usr/sbin command -v "$1") ]]; }

# The tests start proxies of their own. The package starts one if it may, which nobody asked for.
install_proxy() {
  install "$1" "$1" || return
  if has service; then as_root service "$1" stop >/dev/null 2>&1 || true; fi
}

has_apache() { has_proxy apache2 && [[ -f /usr/lib/apache2/modules/mod_auth_openidc.so ]]; }

# The tests start an Apache of their own. The package starts one if it may, which nobody asked for.
install_apache() {
  install "Apache with mod_auth_openidc" apache2 libapache2-mod-auth-openidc || return
  if has service; then as_root service apache2 stop >/dev/null 2>&1 || true; fi
}

has_roundcube() { [[ -f /var/lib/roundcube/public_html/index.php && -x /usr/sbin/dovecot ]] && php -m | grep -qx pdo_sqlite; }

# The tests start a Roundcube and a Dovecot of their own. The package starts a Dovecot if it may, which nobody asked for.
install_roundcube() {
  install "Roundcube with Dovecot" roundcube-core roundcube-sqlite3 dovecot-imapd php-cli || return
  if has service; then as_root service dovecot stop >/dev/null 2>&1 || true; fi
}

# The packages are those of the system's Python, which need not be the first one in the path.
has_flask() { /usr/bin/python3 -c 'import authlib, flask, requests' 2>/dev/null; }

# The packages are those of the system's Ruby, which need not be the first one in the path.
has_omniauth() { /usr/bin/ruby -e "require 'sinatra/base'; require 'omniauth_openid_connect'; require 'puma'" 2>/dev/null; }

# Programs written by others that the tests talk to, and what builds the TypeScript client; each folder's package-lock.json pins them.
install_npm_peers() {
  local dir log status=0
  for dir in test/npm test/npm-mcp test/npm-openapi test/npm-relying-parties sdk/typescript examples/authjs examples/express; do
    if cmp -s "$dir/package-lock.json" "$dir/node_modules/.griot-installed"; then continue; fi
    if ! has npm; then
      say "Node.js is missing: https://nodejs.org/en/download"
      return 1
    fi
    say "installing the npm programs that the tests talk to ($dir)"
    log=$(mktemp)
    if (cd "$dir" && npm ci --ignore-scripts </dev/null >"$log" 2>&1); then
      cp "$dir/package-lock.json" "$dir/node_modules/.griot-installed"
    else
      say "npm ci failed in $dir:"
      tail -n 20 "$log" >&2
      status=1
    fi
    rm -f "$log"
  done
  return "$status"
}

# install_system installs the programs that the tests below test/system start.
install_system() {
  local proxy program
  has_chromium || { install "Chromium" chromium fonts-dejavu-core && has_chromium; } || missing+=("Chromium")
  has_kannel || { install_kannel && has_kannel; } || missing+=("Kannel, bearerbox and smsbox")
  has_postfix || { install_postfix && has_postfix; } || missing+=("Postfix")
  has promtool || { install_promtool && has promtool; } || missing+=("promtool, of Prometheus")
  for proxy in nginx caddy haproxy; do
    has_proxy "$proxy" || { install_proxy "$proxy" && has_proxy "$proxy"; } || missing+=("$proxy")
  done
  has_apache || { install_apache && has_apache; } || missing+=("Apache with mod_auth_openidc")
  has dpkg-deb || { install "dpkg-deb" dpkg && has dpkg-deb; } || missing+=("dpkg-deb")
  has python3 || { install "Python" python3 && has python3; } || missing+=("Python 3")
  has_flask || { install "Flask with Authlib" python3-flask python3-authlib python3-requests && has_flask; } || missing+=("Flask, Authlib, and requests, of Python")
  has_omniauth || { install "Sinatra with OmniAuth" ruby-sinatra ruby-omniauth-openid-connect puma && has_omniauth; } || missing+=("Sinatra, OmniAuth's openid_connect, and Puma, of Ruby")
  for program in curl dash jq openssl shellcheck; do
    has "$program" || { install "$program" "$program" ca-certificates && has "$program"; } || missing+=("$program")
  done
  has php || { install "PHP" php-cli && has php; } || missing+=("PHP")
  has_roundcube || { install_roundcube && has_roundcube; } || missing+=("Roundcube with Dovecot")
  # systemd-analyze verifies the unit. Installing it doesn't make systemd the machine's init.
  if has apt-get; then
    has systemd-analyze || { install "systemd-analyze" systemd && has systemd-analyze; } || missing+=("systemd-analyze")
  fi
  scripts/stripe-mock.sh >/dev/null || missing+=("stripe-mock")
  install_npm_peers || missing+=("the npm packages of test/npm*, sdk/typescript, and examples")
}

has go || { say "Go is missing: https://go.dev/doc/install"; exit 1; }
ring=${1:-system}
[[ $ring == test || $ring == race || $ring == system ]] || { say "name test, race, or system"; exit 2; }
[[ -n ${TEST_POSTGRES:-} ]] || has_postgres || { install_postgres && has_postgres; } || missing+=("PostgreSQL $oldest_postgres or newer")
if [[ $ring != test ]]; then
  has_compiler || install "a C compiler, for the race detector" gcc libc6-dev || missing+=("a C compiler")
fi
if [[ $ring == system ]]; then install_system; fi

if ((${#missing[@]} > 0)); then
  for what in "${missing[@]}"; do say "still missing: $what"; done
  [[ -z ${CI:-} ]] || exit 1
fi
