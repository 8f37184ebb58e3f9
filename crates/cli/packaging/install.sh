#!/bin/sh
# Installs meshwright @VERSION@ into ~/.local/bin, or into the folder that MESHWRIGHT_BIN names.
#   curl -fsSL @ADDRESS@/meshwright-install.sh | sh
# MESHWRIGHT_FROM names a folder or another address with the archives.
set -eu
address=${MESHWRIGHT_FROM:-@ADDRESS@}
folder=${MESHWRIGHT_BIN:-$HOME/.local/bin}
fail() { echo "meshwright: $1" >&2; exit 1; }
case $(uname -m) in
    x86_64 | amd64) machine=x86_64 ;;
    aarch64 | arm64) machine=aarch64 ;;
    *) fail "there is no program for $(uname -m); build it with cargo install meshwright-cli" ;;
esac
case $(uname -s) in
    Linux) targets="$machine-unknown-linux-gnu $machine-unknown-linux-musl" ;;
    Darwin) targets="$machine-apple-darwin" ;;
    *) fail "there is no program for $(uname -s)" ;;
esac
# A system without the C library of GNU needs the other program.
if [ "$(uname -s)" = Linux ] && ! ldd --version 2>&1 | grep -qi 'glibc\|gnu libc'; then
    targets="$machine-unknown-linux-musl"
fi
target='' sum=''
for try in $targets; do
    case $try in
    @SUMS@
    *) continue ;;
    esac
    target=$try
    break
done
[ -n "$target" ] || fail "this release has no program for $targets"
name=meshwright-@VERSION@-$target
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
case $address in
    http*)
        # A server of one's own may lack TLS; the checksum is in this script.
        case $address in https:*) set -- --proto '=https' --tlsv1.2 ;; *) set -- ;; esac
        if command -v curl > /dev/null; then
            curl "$@" -fsSL "$address/$name.tar.gz" -o "$scratch/archive"
        elif command -v wget > /dev/null; then
            wget -q "$address/$name.tar.gz" -O "$scratch/archive"
        else
            fail "curl or wget is needed"
        fi ;;
    *) cp "$address/$name.tar.gz" "$scratch/archive" ;;
esac
if command -v sha256sum > /dev/null; then found=$(sha256sum "$scratch/archive"); else found=$(shasum -a 256 "$scratch/archive"); fi
[ "${found%% *}" = "$sum" ] || fail "the archive has another checksum than the release; nothing was installed"
tar -xzf "$scratch/archive" -C "$scratch"
mkdir -p "$folder"
# The program that runs may be replaced only as a whole.
cp "$scratch/$name/meshwright" "$folder/.meshwright.new"
mv -f "$folder/.meshwright.new" "$folder/meshwright"
"$folder/meshwright" --version
case :$PATH: in
    *:"$folder":*) ;;
    *) echo "add $folder to PATH to run it by its name" ;;
esac
