#!/usr/bin/env bash
# Installs the programs of other ecosystems that the lab measures beside Weir. Everything is optional: what is missing is
# named in the lab's tables with the line that installs it.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1

# program, Debian packages
needs=(
  'mono mono-runtime'
  'python3 python3'
  'node nodejs'
  'npm npm'
  'postgres postgresql'
  'wrk wrk'
  'hey hey'
  'chromium chromium'
  'fastapi python3-uvicorn python3-fastapi python3-uvloop python3-httptools'
  'aiohttp python3-aiohttp'
  'ruby ruby'
  'async-http ruby-async ruby-async-http'
)

# A library is there when the interpreter finds it, whatever commands came with it.
has() {
  case $1 in
    fastapi) /usr/bin/python3 -c 'import fastapi, httptools, uvicorn, uvloop' 2>/dev/null ;;
    aiohttp) /usr/bin/python3 -c 'import aiohttp' 2>/dev/null ;;
    postgres) compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null ;;
    async-http) command -v ruby >/dev/null && ruby -e "require 'async/http'" 2>/dev/null ;;
    *) command -v "$1" >/dev/null ;;
  esac
}

missing=()
for need in "${needs[@]}"; do
  read -r program packages <<<"$need"
  # shellcheck disable=SC2206 # several packages may stand there
  has "$program" || missing+=($packages)
done

if ((${#missing[@]})); then
  if ! command -v apt-get >/dev/null; then
    echo "cannot install ${missing[*]}: no apt-get on this machine"
  else
    as_root=()
    ((EUID == 0)) || as_root=(sudo)
    "${as_root[@]}" apt-get update
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"
  fi
fi

# As locked, and nothing of it may run scripts of its own.
if command -v npm >/dev/null; then
  npm ci --prefix peers/node --ignore-scripts --no-audit --no-fund
fi

failed=0
for need in "${needs[@]}"; do
  read -r program packages <<<"$need"
  if ! has "$program"; then
    echo "still missing: $packages"
    failed=1
  fi
done
for package in express fastify graphile-worker graphile-worker-batched pg-boss piscina undici workerpool; do
  if [[ ! -d peers/node/node_modules/$package ]]; then
    echo "still missing: $package"
    failed=1
  fi
done
exit $failed
