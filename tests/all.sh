#!/usr/bin/env bash
# Sets up and runs every test: native, the web-sys edge in Chromium, the shim in Node, end to end in Chromium.
set -euo pipefail
cd "$(dirname "$0")/.."
. ./build.sh
setup_build
setup_tests

say "native: the pure half over parsed pages"
cargo test --no-default-features

say "documentation: no warnings"
RUSTDOCFLAGS=-Dwarnings cargo doc --quiet --no-deps --no-default-features

say "build and sizes"
build
build_nowasm
size

say "the edge in Chromium: wasm-pack test"
# The runner's default of 20 s is short on a busy machine.
export WASM_BINDGEN_TEST_TIMEOUT=180
wasm wasm-pack test --headless --chrome --chromedriver "$(command -v chromedriver)"

say "the shim in Node"
node --test tests/js/

say "end to end in Chromium, native WebMCP and polyfill"
node --test --test-concurrency=1 tests/e2e/

say "the companion: native, then with the official MCP client"
cargo test -p toolmark-companion --profile companion
cargo build -p toolmark-companion --profile companion
if [ ! companion/node_modules/.package-lock.json -nt companion/package-lock.json ]; then
  quietly "$CACHE/log/npm-ci-companion" npm ci --prefix companion --no-audit --no-fund || die "npm ci failed in companion/. Is the npm registry reachable?"
  touch companion/node_modules/.package-lock.json
fi
node --test companion/tests/
