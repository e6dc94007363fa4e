#!/usr/bin/env bash
# Installs the package, or runs the image's files, in namespaces of their own that test-dist.sh has made: what is here is
# over with them.
set -euo pipefail
what=$1 work=$2

fail() { echo "test-dist: $*" >&2; exit 1; }
want() { [[ $2 == "$3" ]] || fail "$1: got '$2', want '$3'"; }

mount --make-rprivate /
ip link set lo up
mkdir -p "$work/root"

wait_ready() { # on PORT
  for _ in {1..200}; do
    if [[ $(curl -s -o /dev/null -w '%{http_code}' "http://127.0.0.1:$1/readyz") == 200 ]]; then return; fi
    sleep 0.1
  done
  cat "$work/log" >&2
  fail "no answer of /readyz in 20 seconds"
}

# new_root gives a root folder over this machine's, whose changes are forgotten.
new_root() {
  local mem=$work/mem
  if mountpoint -q "$mem"; then umount -l "$mem"; umount -R -l "$work/root"; fi
  mkdir -p "$mem"
  mount -t tmpfs tmpfs "$mem"
  mkdir "$mem/upper" "$mem/work" "$mem/tmp"
  mount -t overlay overlay -o "lowerdir=/,upperdir=$mem/upper,workdir=$mem/work" "$work/root"
  mount --rbind /dev "$work/root/dev"
  mount -t proc proc "$work/root/proc"
  mount --bind "$mem/tmp" "$work/root/tmp"
  mount -t tmpfs tmpfs "$work/root/run"
  rm -rf "$work/root/etc/griot" "$work/root/var/lib/griot"
  cp "$work/griot.deb" "$work/newer.deb" "$work/root/tmp/"
}

as_root=(chroot "$work/root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive DEBCONF_NOWARNINGS=yes)
as_user=("${as_root[@]}" setpriv --reuid griot --regid griot --clear-groups)
in_root() { "${as_root[@]}" "$@"; }
as_griot() { "${as_user[@]}" "$@"; }
answer() { printf 'griot griot/%s string %s\n' "$1" "$2" | in_root debconf-set-selections; }
mode() { in_root stat -c '%a %U' "$1"; }
is_there() { [[ -e $work/root$1 || -L $work/root$1 ]]; } # a link's target is another outside of the root
absent() { for path in "$@"; do if is_there "$path"; then fail "$path is there"; fi; done; }
present() { for path in "$@"; do is_there "$path" || fail "$path is not there"; done; }

package() {
  local pid
  new_root
  answer auth-url https://login.example.com
  answer api-url https://api.example.com
  in_root dpkg -i /tmp/griot.deb >"$work/log" 2>&1 || { cat "$work/log"; fail "dpkg -i"; }
  want "the configuration" "$(mode /etc/griot/griot.yaml)" "600 griot"
  want "the key" "$(mode /etc/griot/master.key)" "600 griot"
  want "the folder of the configuration" "$(mode /etc/griot)" "750 griot"
  want "the folder of the database" "$(mode /var/lib/griot)" "700 griot"
  want "the user's shell" "$(in_root getent passwd griot | cut -d: -f7)" /usr/sbin/nologin
  present /etc/griot/nginx.conf /etc/systemd/system/multi-user.target.wants/griot.service
  absent /etc/griot/griot.service
  as_griot griot config check --config /etc/griot/griot.yaml | grep -q 'No errors' || fail "the configuration has errors"

  "${as_user[@]}" griot serve --config /etc/griot/griot.yaml >"$work/log" 2>&1 &
  pid=$!
  wait_ready 8082
  as_griot griot admin --config /etc/griot/griot.yaml accounts create --name Boutique --email awa@example.com >"$work/account"
  kill -TERM "$pid"
  wait "$pid" || { cat "$work/log"; fail "griot serve ended with $?"; }

  echo "# mine" >>"$work/root/etc/griot/griot.yaml"
  sum=$(sha256sum "$work/root/etc/griot/griot.yaml" "$work/root/etc/griot/master.key")
  in_root dpkg -i /tmp/newer.deb >"$work/log" 2>&1 || { cat "$work/log"; fail "the upgrade"; }
  want "the version after the upgrade" "$(in_root dpkg-query -W -f '${Version}' griot | sed -E 's/.*\+//')" newer
  want "the configuration after the upgrade" "$(sha256sum "$work/root/etc/griot/griot.yaml" "$work/root/etc/griot/master.key")" "$sum"
  "${as_user[@]}" griot serve --config /etc/griot/griot.yaml >"$work/log" 2>&1 &
  pid=$!
  wait_ready 8082
  as_griot griot admin --config /etc/griot/griot.yaml accounts list | grep -q Boutique || fail "the account is not there after the upgrade"
  kill -TERM "$pid"
  wait "$pid"

  in_root dpkg -r griot >"$work/log" 2>&1 || { cat "$work/log"; fail "removing"; }
  absent /usr/bin/griot /usr/lib/systemd/system/griot.service
  present /etc/griot/griot.yaml /etc/griot/master.key /var/lib/griot/griot.db
  in_root dpkg -P griot >"$work/log" 2>&1 || { cat "$work/log"; fail "purging"; }
  absent /etc/griot/griot.yaml /etc/griot/nginx.conf /etc/systemd/system/multi-user.target.wants/griot.service
  present /etc/griot/master.key /var/lib/griot/griot.db
  grep -q 'rm -r /var/lib/griot' "$work/log" || fail "purging does not say what stays: $(cat "$work/log")"
  [[ -z $(in_root debconf-show griot) ]] || fail "debconf still has the answers"

  # Without answers there is no configuration, and `griot init` makes it.
  new_root
  in_root dpkg -i /tmp/griot.deb >"$work/log" 2>&1 || { cat "$work/log"; fail "dpkg -i without answers"; }
  grep -q 'griot init /etc/griot asks for it' "$work/log" || fail "no hint: $(cat "$work/log")"
  absent /etc/griot/griot.yaml
  in_root griot init /etc/griot --auth-url https://login.example.com --api-url https://api.example.com >"$work/log"
  grep -q 'systemctl enable --now griot' "$work/log" || fail "init: $(cat "$work/log")"
  want "the configuration by init" "$(mode /etc/griot/griot.yaml)" "600 griot"
  absent /etc/griot/griot.service
  in_root dpkg -P griot >"$work/log" 2>&1 || { cat "$work/log"; fail "purging before the first start"; }
  absent /var/lib/griot /etc/griot/griot.yaml

  # Answers that Griot refuses do not break the package manager.
  new_root
  answer auth-url https://login.example.com
  answer api-url https://login.example.com
  in_root dpkg -i /tmp/griot.deb >"$work/log" 2>&1 || { cat "$work/log"; fail "dpkg -i with wrong answers"; }
  absent /etc/griot/griot.yaml
  want "the package's state" "$(in_root dpkg-query -W -f '${db:Status-Abbrev}' griot)" "ii "
}

# image runs the image's program as its user, with nothing else below it.
image() {
  local root=$work/image pid run_in
  run_in=$(command -v chroot) # the image's PATH does not have it
  openssl rand -base64 32 >"$root/etc/griot/master.key"
  chown 65532:65532 "$root/etc/griot/master.key"
  chmod 600 "$root/etc/griot/master.key"
  mkdir -p "$root/dev"
  mount --rbind /dev "$root/dev"
  read -r -a env <"$work/image.env"
  chroot --userspec=65532:65532 "$root" /usr/bin/griot version
  (cd / && exec env -i "${env[@]}" GRIOT_AUTH_URL=https://login.example.com GRIOT_API_URL=https://api.example.com GRIOT_MASTER_KEY_FILE=/etc/griot/master.key \
    "$run_in" --userspec=65532:65532 "$root" /usr/bin/griot serve) >"$work/log" 2>&1 &
  pid=$!
  wait_ready 9090
  want "the database's owner" "$(stat -c %u "$root/var/lib/griot/griot.db")" 65532
  kill -TERM "$pid"
  wait "$pid" || { cat "$work/log"; fail "griot serve ended with $?"; }
}

"$what"
