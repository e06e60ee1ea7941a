#!/usr/bin/env bash
# Sets up what is missing, builds dist/, prints what it weighs.
#
#   bash build.sh            set up, build, size table
#   bash build.sh build      the same without toolmark.nowasm.js, which takes a minute and few pages load
#   bash build.sh setup      only set up, the browser for tests included
#   bash build.sh size       the size table of what was built last; fails over budget
#   bash build.sh start …    what `npm start` does: see README.md
#   bash build.sh measure …  what agents get from a folder of saved pages: see tests/measure/
#   bash build.sh bench …    what the tag costs a page in Chromium: see docs/performance.md
#
# Each step says one line, does nothing when its work is done already, and names what is missing when it cannot work.
# Kept between runs: ${TOOLMARK_CACHE:-~/.cache/toolmark} (wasm target, wasm-bindgen, wasm-pack).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

CACHE=${TOOLMARK_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/toolmark}
TARGET=wasm32-unknown-unknown
WASM_PACK_VERSION=0.15.1

# Progress goes to stderr: `npm start -- --json` promises a clean stdout.
say() { printf 'toolmark: %s\n' "$*" >&2; }
die() { printf 'toolmark: cannot go on: %s\n' "$*" >&2; exit 1; }
quietly() { # quietly LOG COMMAND…: the output is shown only if the command fails
  local log=$1; shift
  mkdir -p "$(dirname "$log")"
  "$@" >"$log" 2>&1 || { tail -n 40 "$log" >&2; return 1; }
}

# ---------------------------------------------------------------- Debian's packages

apt_install() {
  command -v apt-get >/dev/null || return 1
  local root=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || return 1
    root=(sudo -n)
  fi
  quietly "$CACHE/log/apt-update" "${root[@]}" apt-get update &&
    quietly "$CACHE/log/apt-install" "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

# ---------------------------------------------------------------- node modules

setup_node() {
  command -v npm >/dev/null || die "npm is missing. Install Node.js 20 or newer."
  if [ node_modules/.package-lock.json -nt package-lock.json ]; then return; fi
  say "node modules: installing (npm ci)"
  quietly "$CACHE/log/npm-ci" npm ci --no-audit --no-fund || die "npm ci failed. Is the npm registry reachable?"
  touch node_modules/.package-lock.json
}

# ---------------------------------------------------------------- the wasm target

# Cargo for wasm. Set by setup_wasm_target; native work keeps the user's own toolchain.
WASM_BIN=
wasm() { if [ -n "$WASM_BIN" ]; then env -u RUSTC -u RUSTUP_TOOLCHAIN PATH="$WASM_BIN:$PATH" "$@"; else "$@"; fi; }

has_wasm_std() { # The folder alone proves nothing: the standard library must lie in it.
  local lib
  lib=$("$1" --print target-libdir --target $TARGET 2>/dev/null) && compgen -G "$lib/libstd-*.rlib" >/dev/null
}

setup_wasm_target() {
  if command -v rustc >/dev/null && has_wasm_std rustc; then say "wasm target: $(rustc --version), has it"; return; fi
  if debian_sysroot_ready; then say "wasm target: $(wasm rustc --version), private sysroot"; return; fi
  if command -v rustup >/dev/null; then
    say "wasm target: rustup target add $TARGET"
    if RUSTUP_MAX_RETRIES=0 timeout 120 rustup target add $TARGET >"$CACHE/log/rustup" 2>&1 && has_wasm_std rustc; then return; fi
    say "wasm target: rustup could not fetch it; taking Debian's compiler"
  fi
  build_debian_sysroot
}

# A sysroot of our own beside Debian's compiler: nothing is written to /usr, and an upgrade of the compiler makes a new one.
debian_sysroot_ready() {
  [ -x /usr/bin/rustc ] || return 1
  SYSROOT=$CACHE/sysroot-$( (/usr/bin/rustc -vV; echo 1) | sha256sum | cut -c1-16)
  [ -x "$SYSROOT/bin/rustc" ] && has_wasm_std "$SYSROOT/bin/rustc" && WASM_BIN=$SYSROOT/bin
}

build_debian_sysroot() {
  say "wasm target: installing Debian's rustc-web, cargo-web and sources"
  # lld-22: rust-lld is only a link to it; without it everything compiles and linking fails.
  apt_install rustc-web cargo-web rust-web-src rust-web-llvm lld-22 gcc libc6-dev ||
    die "no way to the standard library for $TARGET. Either 'rustup target add $TARGET' must reach the internet, or apt-get must be able to install rustc-web cargo-web rust-web-src rust-web-llvm lld-22 (as root)."
  if debian_sysroot_ready; then return; fi
  say "wasm target: compiling the standard library (about a minute)"
  local work
  work=$(mktemp -d)
  mkdir "$work/src"
  printf '[package]\nname="empty"\nversion="0.0.0"\nedition="2021"\n[profile.release]\ncodegen-units=1\n' >"$work/Cargo.toml"
  echo '#![no_std]' >"$work/src/lib.rs"
  # RUSTC_BOOTSTRAP is for this one command; the project itself builds as stable. Bitcode is what lets lto="fat" reach std.
  (cd "$work" && env -u RUSTUP_TOOLCHAIN PATH="/usr/bin:$PATH" RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Cembed-bitcode=yes \
    CARGO_TARGET_DIR="$work/target" bash -c '"$@"' _ cargo build --release --target $TARGET -Zbuild-std=std,panic_abort,proc_macro,test) \
    >"$CACHE/log/sysroot" 2>&1 || { tail -n 20 "$CACHE/log/sysroot" >&2; die "the standard library for $TARGET did not compile."; }
  local new
  new=$(mktemp -d "$CACHE/sysroot.XXXXXX")
  mkdir -p "$new/lib/rustlib/$TARGET/lib" "$new/bin"
  cp "$work/target/$TARGET/release/deps/"lib*.rlib "$new/lib/rustlib/$TARGET/lib/"
  ln -s "/usr/lib/rustlib/$(/usr/bin/rustc -vV | sed -n 's/^host: //p')" "$new/lib/rustlib/"
  local tool
  for tool in rustc rustdoc; do
    printf '#!/bin/sh\nexec /usr/bin/%s --sysroot "${0%%%%/bin/*}" "$@"\n' $tool >"$new/bin/$tool"
    chmod +x "$new/bin/$tool"
  done
  ln -s /usr/bin/cargo "$new/bin/cargo"
  chmod 755 "$new"
  # Two runs at once are safe: the loser's folder is thrown away.
  mv -T "$new" "$SYSROOT" 2>/dev/null || rm -rf "$new"
  rm -rf "$work"
  debian_sysroot_ready || die "the private sysroot in $SYSROOT is not usable; remove it and try again."
}

# ---------------------------------------------------------------- tools from crates

locked_version() { sed -n "/^name = \"$1\"$/{n;s/^version = \"\(.*\)\"/\1/p}" Cargo.lock; }

# cargo_tool NAME VERSION [install flags…]: in PATH with that very version, or built once into the cache.
cargo_tool() {
  local name=$1 version=$2 crate=$3; shift 3
  if "$name" --version 2>/dev/null | grep -qF "$version"; then return; fi
  say "$name $version: installing from crates (a few minutes, once)"
  # Unoptimised: it compiles in half the time, and what the tool does here takes seconds.
  local install=(env CARGO_PROFILE_DEV_DEBUG=0 CARGO_TARGET_DIR="$CACHE/tools-target" cargo install "$crate" --version "$version" --debug --root "$CACHE/tools" "$@")
  # As its lock file says; a registry may lack one of those versions, and then with those that fit.
  wasm "${install[@]}" --locked >"$CACHE/log/$name" 2>&1 || quietly "$CACHE/log/$name" wasm "${install[@]}" ||
    die "'cargo install $crate --version $version' failed."
  rm -rf "$CACHE/tools-target"
}

setup_build() {
  mkdir -p "$CACHE/log"
  export PATH="$CACHE/tools/bin:$PWD/node_modules/.bin:$PATH"
  setup_node
  setup_wasm_target
  # No cargo, or rustup's stand-in for one that was never installed: the compiler that serves wasm serves all.
  if ! cargo --version >/dev/null 2>&1; then
    [ -n "$WASM_BIN" ] || die "cargo is missing. Install Rust 1.88 or newer."
    export PATH="$WASM_BIN:$PATH"
  fi
  # Without its TLS features: its test runner only talks to this machine.
  cargo_tool wasm-bindgen "$(locked_version wasm-bindgen)" wasm-bindgen-cli --no-default-features
  command -v wasm-opt >/dev/null || die "wasm-opt is missing although npm installed binaryen."
}

setup_tests() {
  cargo_tool wasm-pack $WASM_PACK_VERSION wasm-pack
  setup_browser
  command -v chromedriver >/dev/null || apt_install chromium-driver || die "ChromeDriver is missing. Install it (Debian: chromium-driver)."
}

setup_browser() {
  CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
  if [ -z "$CHROMIUM" ]; then
    say "Chromium: installing Debian's"
    apt_install chromium chromium-driver || die "Chromium is missing. Install it (Debian: chromium) or set CHROMIUM to its path."
    CHROMIUM=$(command -v chromium)
  fi
  export CHROMIUM
}

# ---------------------------------------------------------------- build

# Panics name the source file they come from: without this, the folders of whoever builds would be in what is shipped,
# and two people would not get the same bytes.
neutral_paths() { # as cargo takes flags that may hold spaces
  local sysroot sources separator=$'\x1f'
  sysroot=$(wasm rustc --print sysroot)
  printf '%s' "--remap-path-prefix=$PWD=.$separator--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo"
  for sources in "$sysroot/lib/rustlib/src/rust" /usr/lib/rustlib/src/rust; do
    printf '%s' "$separator--remap-path-prefix=$sources=rust"
  done
}

build() {
  local bindgen=target/bindgen wasm=target/toolmark.wasm stamp
  say "compiling"
  # One crate type: beside an rlib, cargo leaves out whole-program optimisation, whatever the profile says.
  # Without what copies code or adds variables for speed that a page's few kilobytes of markup do not need: strength reduction of
  # loops (WebAssembly has no addressing that would pay for it), loads done early on other paths, or kept over a loop.
  wasm env CARGO_ENCODED_RUSTFLAGS="$(neutral_paths)"$'\x1f'-Cllvm-args="-disable-lsr -enable-load-pre=false -disable-licm-promotion" \
    cargo rustc --quiet --release --lib --crate-type cdylib --target $TARGET --no-default-features --features lean >&2
  node js/panics.mjs target/$TARGET/release/toolmark.wasm $wasm
  stamp=$(cat "$wasm" js/*.js js/*/*.{js,mjs,rs} js/*.mjs js/*.ts package.json build.sh | sha256sum)
  if [ "$stamp" = "$(cat dist/.stamp 2>/dev/null)" ]; then say "dist/ is up to date"; return; fi
  rm -rf $bindgen
  wasm-bindgen --target web --remove-name-section --remove-producers-section --omit-default-module-path --encode-into always \
    --out-dir $bindgen --out-name toolmark "$wasm" >&2
  say "optimising"
  # Few passes on purpose: what -Oz saves in the file, it costs on the wire, because brotli finds less that is alike (docs/size.md).
  wasm-opt --duplicate-function-elimination --remove-unused-module-elements --dealign --reorder-locals \
    --strip-debug --strip-producers --strip-target-features $bindgen/toolmark_bg.wasm -o $bindgen/toolmark_bg.opt.wasm
  # What the script unpacks that with. Its calls are shallow: a page of memory is enough.
  wasm rustc --edition 2024 --target $TARGET --crate-type cdylib -Copt-level=z -Cpanic=abort -Clto=fat -Cstrip=debuginfo \
    -Clink-arg=-zstack-size=16384 js/packing/unpack.rs -o $bindgen/unpack.wasm
  wasm-opt -Oz --strip-debug --strip-producers --strip-target-features $bindgen/unpack.wasm -o $bindgen/unpack.opt.wasm
  node js/build.mjs $bindgen/toolmark.js $bindgen/toolmark_bg.opt.wasm dist $bindgen/unpack.opt.wasm >&2
  printf '%s' "$stamp" >dist/.stamp
}

# What wasm-bindgen would make for a browser without reference types, as JavaScript: from the same code, lowered.
build_nowasm() {
  local from=target/toolmark.wasm to=target/nowasm stamp
  local features=(--enable-bulk-memory --enable-sign-ext --enable-nontrapping-float-to-int --enable-mutable-globals)
  stamp=$(cat "$from" js/nowasm.js js/snapshot.js js/features.mjs js/build.mjs package.json build.sh | sha256sum)
  if [ "$stamp" = "$(cat dist/.stamp-nowasm 2>/dev/null)" ]; then say "dist/toolmark.nowasm.js is up to date"; return; fi
  say "translating to JavaScript (a minute)"
  rm -rf $to
  mkdir -p $to
  node js/features.mjs "$from" $to/from.wasm
  wasm-bindgen --target web --remove-name-section --remove-producers-section --omit-default-module-path --encode-into always \
    --out-dir $to --out-name toolmark $to/from.wasm >&2
  wasm-opt "${features[@]}" --llvm-memory-copy-fill-lowering --signext-lowering --llvm-nontrapping-fptoint-lowering \
    --strip-target-features $to/toolmark_bg.wasm -o $to/lowered.wasm
  # -O1: a fifth longer than -Oz makes it, but shorter on the wire.
  wasm2js -O1 $to/lowered.wasm -o $to/translated.js
  node js/build.mjs $to/toolmark.js $to/translated.js dist >&2
  printf '%s' "$stamp" >dist/.stamp-nowasm
}

# Budgets in bytes, brotli 11. Each is a ceiling at what is shipped today, by either of two compilers (rustup's and Debian's), and
# only ever goes down.
#   toolmark.js        what every page pays: all of JavaScript that finds out whether somebody asks, looks at the page, registers
#   toolmark.wasm.js   what a page pays besides when somebody asks for its tools
#   toolmark.calls.js  and when a call acts, or asks a site
#   toolmark.all.js    these three in one file. The aim is 40,000 (60,000 was the first budget): not reached, docs/size.md says
#                      where the bytes are and what takes them out
#   toolmark.mjs, toolmark_bg.wasm   the same in two files, for bundlers, who load both: their sum is what only falls (222,600 before
#                      the script learned to read in slices and only what changed)
#   toolmark.inspect.js   the inspector, fetched when somebody opens it
#   toolmark.relay.js  data-relay: fetched by pages that have it
#   toolmark.nowasm.js toolmark_bg.wasm as JavaScript, loaded by pages that forbid WebAssembly
BUDGETS='{ "toolmark.js": 20500, "toolmark.wasm.js": 150300, "toolmark.calls.js": 12150, "toolmark.all.js": 179600, "toolmark.mjs": 27750, "toolmark_bg.wasm": 167850, "toolmark.inspect.js": 7900, "toolmark.relay.js": 1800, "toolmark.nowasm.js": 226900 }'

size() {
  node --input-type=module -e '
    import crypto from "node:crypto"; import fs from "node:fs"; import zlib from "node:zlib";
    const budgets = JSON.parse(process.argv[1]);
    const shipped = fs.readdirSync("dist").filter((f) => /\.(js|mjs|wasm)$/.test(f)).sort();
    const n = (x) => x.toLocaleString("en").padStart(9);
    console.error(`${"".padEnd(26)}${"raw".padStart(9)} ${"gzip 9".padStart(9)} ${"brotli 11".padStart(9)}`);
    let over = 0;
    for (const f of shipped) {
      const b = fs.readFileSync(`dist/${f}`);
      const brotli = zlib.brotliCompressSync(b, { params: { [zlib.constants.BROTLI_PARAM_SIZE_HINT]: b.length } }).length;
      const budget = budgets[f];
      const verdict = budget === undefined ? "" : brotli <= budget ? `  budget ${budget.toLocaleString("en")}` : `  OVER the budget of ${budget.toLocaleString("en")}`;
      over += budget !== undefined && brotli > budget;
      console.error(`${f.padEnd(26)}${n(b.length)} ${n(zlib.gzipSync(b, { level: 9 }).length)} ${n(brotli)}${verdict}`);
    }
    // For the tag of a site that takes the file from elsewhere (docs/platforms/plain.md).
    const script = fs.readFileSync("dist/toolmark.js");
    console.error(`toolmark.js integrity="sha384-${crypto.createHash("sha384").update(script).digest("base64")}"`);
    process.exit(over ? 1 : 0);
  ' "$BUDGETS"
}

main() {
  case "${1:-all}" in
    all) setup_build; build; build_nowasm; size ;;
    setup) setup_build; setup_tests ;;
    build) setup_build; build; size ;;
    size) size ;;
    start) shift; setup_build; build; setup_browser; exec node www/start.mjs "$@" ;;
    measure) shift; setup_build; exec cargo run --quiet --profile measure --no-default-features --features measure --example measure -- "$@" ;;
    measure-page) shift; setup_build; exec cargo run --quiet --profile measure --no-default-features --features measure --example page-tools -- "$@" ;;
    bench) shift; setup_build; build; setup_browser; exec node tests/bench/bench.mjs "$@" ;;
    *) die "unknown command '$1' (all, setup, build, size, start, measure, measure-page, bench)" ;;
  esac
}

# Sourced (tests/all.sh) it only defines.
if [ "${BASH_SOURCE[0]}" = "$0" ]; then main "$@"; fi
