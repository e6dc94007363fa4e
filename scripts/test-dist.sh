#!/usr/bin/env bash
# Builds a release, and looks at what came out: a second build in another folder gives the same bytes, the package is
# installed, upgraded, and purged in a throw-away root, the image runs. It needs root, Debian's dpkg, and systemd-analyze.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh
root=$PWD

step() { echo "test-dist: $*" >&2; }
fail() { echo "test-dist: $*" >&2; exit 1; }

((EUID == 0)) || fail "run it as root: it mounts a throw-away root"
[[ -z $(git status --porcelain) ]] || fail "commit first: the second build is of a clone"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

step "every target"
make --no-print-directory dist
(cd dist && sha256sum --quiet --check SHA256SUMS)
(cd dist/griot-whatsapp && sha256sum --quiet --check SHA256SUMS)

step "once more: a clone in another folder, without a cache"
git clone --quiet "$root" "$work/elsewhere/clone"
(cd "$work/elsewhere/clone/tools/dist" && GOCACHE="$work/cache" go run . -targets linux/amd64,linux/arm64)
rm -rf "$work/cache"
while IFS= read -r -d '' file; do
  cmp "$file" "dist/${file#"$work/elsewhere/clone/dist/"}"
done < <(find "$work/elsewhere/clone/dist" -type f ! -name SHA256SUMS -print0)

step "static programs, with their version"
version=$(git describe --tags --always --dirty --match='v[0-9]*')
version=${version#v}
for archive in dist/griot-"$version"-linux-amd64.tar.gz dist/griot-whatsapp/griot-whatsapp-"$version"-linux-amd64.tar.gz; do
  tar -xzf "$archive" -C "$work"
  name=$(basename "$archive" -"$version"-linux-amd64.tar.gz)
  program=$work/$name-$version-linux-amd64/$name
  if ldd "$program" >/dev/null 2>&1; then fail "$program is linked to libraries"; fi
  "$program" version | grep -qF "$name $version" || fail "$program version: $("$program" version), want $version"
done

step "the unit"
deb=$(echo dist/griot_*_amd64.deb)
dpkg-deb -x "$deb" "$work/unpacked"
unit=$work/unpacked/usr/lib/systemd/system/griot.service
level=$(systemd-analyze security --offline=true --no-pager "$unit" | sed -nE 's/.*Overall exposure level for griot.service: ([0-9.]+).*/\1/p')
step "exposure level $level"
awk -v level="$level" 'BEGIN { exit !(level != "" && level < 2.5) }' || fail "exposure level $level, want less than 2.5"

step "install, upgrade, and purge"
dpkg-deb -R "$deb" "$work/newer"
sed -i -E 's/^(Version: .*)$/\1+newer/' "$work/newer/DEBIAN/control"
dpkg-deb --root-owner-group -Znone --build "$work/newer" "$work/newer.deb" >/dev/null
cp "$deb" "$work/griot.deb"
unshare --mount --net --pid --fork scripts/test-dist-root.sh package "$work"

step "the image"
mkdir -p "$work/oci" "$work/image"
tar -xf dist/griot-"$version"-oci.tar -C "$work/oci"
# Read by what the specification says, and not by the library that wrote it.
python3 - "$work" "$(go env GOARCH)" <<'END'
import gzip, hashlib, io, json, sys, tarfile
work, arch = sys.argv[1:]
def blob(descriptor):
    content = open(f"{work}/oci/blobs/" + descriptor["digest"].replace(":", "/"), "rb").read()
    assert "sha256:" + hashlib.sha256(content).hexdigest() == descriptor["digest"] and len(content) == descriptor["size"], descriptor
    return content
index = json.loads(blob(json.load(open(f"{work}/oci/index.json"))["manifests"][0]))
for one in index["manifests"]:
    manifest = json.loads(blob(one))
    config, layers = json.loads(blob(manifest["config"])), [gzip.decompress(blob(layer)) for layer in manifest["layers"]]
    assert ["sha256:" + hashlib.sha256(layer).hexdigest() for layer in layers] == config["rootfs"]["diff_ids"]
    assert config["architecture"] == one["platform"]["architecture"]
    if config["architecture"] == arch:
        for layer in layers:
            tarfile.open(fileobj=io.BytesIO(layer)).extractall(f"{work}/image", numeric_owner=True)
        open(f"{work}/image.env", "w").write(" ".join(config["config"]["Env"]) + "\n")
        assert config["config"]["User"] == "65532:65532" and config["config"]["Entrypoint"] == ["/usr/bin/griot"], config
END
unshare --mount --net --pid --fork scripts/test-dist-root.sh image "$work"
step "all good"
