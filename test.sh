#!/usr/bin/env bash
# Builds Weir and runs every test. Needs the .NET SDK; installs the Debian packages that some suites need where it may.
# The last line is always 'N passed, N failed', and ', N skipped' where something was skipped. A step that fails (a
# package restore, the build, the format check, a test project that crashes, hangs or runs nothing) counts as one failure.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1

usage() {
  cat <<'USAGE'
usage: ./test.sh [options]
  --long           also the long soaks: tests with [Trait("Kind", "Long")]
  --project NAME   only this test project, e.g. Weir.Tests; may be repeated
  --filter TEXT    only tests whose full name contains TEXT
  --no-install     install no Debian packages
  --no-format      skip the format check
Output: artifacts/tests/<project>.log and .xml
WEIR_SCREENS: with any value, pictures of the dashboard's page in artifacts/screens; --long sets it.
WEIR_TEST_TIMEOUT: how long one test project may take, as 'timeout' reads it; 40m, and 60m with --long.
USAGE
}

long=false install=true format=true filter='' projects=()
while (($#)); do
  case $1 in
    --long) long=true ;;
    --project) projects+=("${2:?--project needs the name of a test project}"); shift ;;
    --filter) filter=${2:?--filter needs a part of a test name}; shift ;;
    --no-install) install=false ;;
    --no-format) format=false ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done

export DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_CLI_UI_LANGUAGE=en
# No build node outlives this script: one would hold its output open, and CI would wait for it.
export MSBUILDDISABLENODEREUSE=1 DOTNET_CLI_USE_MSBUILD_SERVER=0
# The compiler, the tests and what they start run for seconds: code that is compiled again by a profile does not repay that
# (generator tests 67 s, without 39 s; build 148 s, without 115 s).
export DOTNET_TieredPGO=0
# The SDK and NuGet need a home; a bare container may have none.
[[ -n ${HOME:-} && -w ${HOME:-/nonexistent} ]] || export HOME=$PWD/artifacts/home

output=artifacts/tests
passed=0 failed=0 skipped=0 child= beside=()
mkdir -p "$output" "$HOME"

say() { printf '[%4d s] %s\n' "$SECONDS" "$*"; }
indent() { sed 's/^/         /'; }

finish() {
  say "finished in $((SECONDS / 60)) min $((SECONDS % 60)) s"
  local line="$passed passed, $failed failed"
  ((skipped == 0)) || line+=", $skipped skipped"
  echo "$line"
  exit $((failed > 0))
}

interrupted() {
  # 'timeout' hands the signal on to everything it started; nothing else is touched.
  [[ -z $child ]] || kill -TERM "$child" 2>/dev/null
  ((${#beside[@]} == 0)) || kill -TERM "${beside[@]}" 2>/dev/null
  wait
  say 'interrupted'
  failed=$((failed + 1))
  finish
}
trap interrupted INT TERM HUP

# bounded LIMIT LOG COMMAND…: runs a command in a process group of its own, without input, and for LIMIT at most.
bounded() {
  local limit=$1 log=$2
  shift 2
  timeout --kill-after=30s "$limit" "$@" </dev/null >"$log" 2>&1 &
  child=$!
  wait "$child"
  local code=$?
  child=
  return "$code"
}

# step LIMIT NAME COMMAND…: a step whose failure is one failure of the run.
step() {
  local limit=$1 name=$2 log=$output/$2.log code
  shift 2
  bounded "$limit" "$log" "$@" && return
  code=$?
  say "$name FAILED$( ((code == 124 || code == 137)) && echo ": not done after $limit"); the end of $log:"
  grep -v '^ *$' "$log" | awk '!seen[$0]++' | tail -n 40 | indent
  failed=$((failed + 1))
  return 1
}

# ---- 1. What the machine lacks.

# program, Debian packages, what is skipped without it
needs=(
  'chromium|chromium|the tests of the page in a browser'
  'curl|curl|the sessions of the README'
  'python3|python3|the workers in Python'
  'node|nodejs|the workers in Node'
  'npm|npm|the types in TypeScript that are made from an OpenAPI document'
  'strace|strace|the tests in which system calls of the host fail'
  'clang|clang zlib1g-dev|the application that is compiled natively'
  'mono|mono-runtime libmono-system-core4.0-cil|the workers for .NET Framework'
  '/usr/share/postgresql-common/pg_wrapper|postgresql|the store of jobs in PostgreSQL'
  'pgbouncer|pgbouncer|the store of jobs behind PgBouncer'
  '/usr/lib/rabbitmq/bin/rabbitmq-server|rabbitmq-server|the intake of jobs from RabbitMQ'
)

install_packages() {
  local need program package suite packages missing=() as_root=()
  for need in "${needs[@]}"; do
    IFS='|' read -r program package suite <<<"$need"
    read -ra packages <<<"$package"
    [[ -x $program ]] || command -v "$program" >/dev/null || missing+=("${packages[@]}")
  done
  ((${#missing[@]})) || return 0

  if ! $install; then
    say "not installing ${missing[*]} (--no-install)"
  elif ! command -v apt-get >/dev/null; then
    say "cannot install ${missing[*]}: no apt-get on this machine"
  elif ((EUID != 0)) && ! sudo -n true 2>/dev/null; then
    say "cannot install ${missing[*]}: neither root nor sudo without a password"
  else
    ((EUID == 0)) || as_root=(sudo -n)
    say "installing Debian packages: ${missing[*]}"
    local options=(-o Acquire::http::Timeout=20 -o Acquire::Retries=1 -o DPkg::Lock::Timeout=120)
    bounded 5m "$output/apt-update.log" "${as_root[@]}" apt-get "${options[@]}" update
    bounded 10m "$output/apt-install.log" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get "${options[@]}" install -y --no-install-recommends "${missing[@]}" ||
      say "the installation failed, see $output/apt-install.log"
  fi
  for need in "${needs[@]}"; do
    IFS='|' read -r program package suite <<<"$need"
    [[ -x $program ]] || command -v "$program" >/dev/null || say "without $package skipped: $suite"
  done
}

if ! command -v dotnet >/dev/null; then
  say 'no dotnet on the PATH: install the .NET SDK named in global.json, https://dot.net/download'
  failed=1
  finish
fi
install_packages

# ---- 2. Restore, build, format.

say "restoring packages as locked (SDK $(dotnet --version 2>/dev/null || echo 'of global.json not found'))"
# As Release: only there does the restore bring the compiler that Precompile.targets needs.
step 15m restore dotnet restore Weir.slnx --locked-mode -p:Configuration=Release || finish

say 'building Release; warnings are errors'
# One compiler for all projects, which need not start and warm up again for each: of 229 s, 133 are left. It is this run's own, and ends with the build.
compiler=weir-test-$$
step 20m build dotnet build Weir.slnx -c Release --no-restore -warnaserror -v quiet -nologo \
  -p:UseSharedCompilation=true -p:SharedCompilationId="$compiler"
built=$?
pkill -f -- "-pipename:$compiler\$"
((built == 0)) || finish

if $format; then
  say 'checking the format'
  # The build checks the rules of style, and a test the order of usings. Spaces need no project to be loaded.
  step 10m format dotnet format whitespace . --folder --verify-no-changes --exclude '**/obj' '**/bin' artifacts
fi

# ---- 3. Every test project is an executable; one after the other, because some measure time. Those that wait for a server or a browser run beside the ones that do not.

# attribute FILE NAME: sums an attribute of the <assembly> elements of an xunit result.
attribute() {
  grep -o '<assembly [^>]*>' "$1" | grep -o " $2=\"[0-9]*\"" | tr -dc '0-9\n' | awk '{ sum += $1 } END { print sum + 0 }'
}

run_project() {
  local name=$1 dll=tests/$1/bin/Release/net10.0/$1.dll log=$output/$1.log xml=$output/$1.xml code start=$SECONDS
  local limit=40m arguments=(-xml "$xml" -noLogo -noColor -longRunning 60)
  if $long; then limit=60m; export WEIR_SCREENS=${WEIR_SCREENS:-1}; else arguments+=(-trait- Kind=Long); fi
  limit=${WEIR_TEST_TIMEOUT:-$limit}
  [[ -z $filter ]] || arguments+=(-method "*$filter*")
  rm -f "$xml"
  bounded "$limit" "$log" dotnet "$dll" "${arguments[@]}"
  code=$?

  local good=0 bad=0 left=0 note=
  if [[ -s $xml ]] && grep -q '</assemblies>' "$xml"; then
    good=$(attribute "$xml" passed)
    bad=$(($(attribute "$xml" failed) + $(attribute "$xml" errors)))
    left=$(attribute "$xml" skipped)
  fi
  if ((code == 124 || code == 137)); then
    bad=$((bad + 1)) note=" (stopped after $limit)"
  elif ((code != 0 && bad == 0)); then
    bad=1 note=" (ended with code $code)"
  elif ((good + bad + left == 0)) && [[ -z $filter ]]; then
    bad=1 note=' (ran no test)'
  fi
  passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + left))

  local line="$name: $good passed, $bad failed"
  ((left == 0)) || line+=", $left skipped"
  say "$line in $((SECONDS - start)) s$note"
  if ((bad > 0)); then
    tail -n 200 "$log" | indent
  elif ((left > 0)); then
    grep -F '[SKIP]' -A 1 "$log" | grep -v '^--$' | indent
  fi
}

if ((${#projects[@]} == 0)); then
  # Other projects under tests/ are programs that tests run.
  mapfile -t projects < <(grep -l 'PackageReference Include="xunit.v3"' tests/*/*.csproj 2>/dev/null | xargs -rn1 basename -s .csproj)
fi
if ((${#projects[@]} == 0)); then
  say 'no test project found under tests/'
  failed=$((failed + 1))
fi

# Of the test projects that wait for a server or a browser: their output and counts go to files until the others need the machine for themselves.
waits() { [[ $1 == *.PostgreSql.Tests || $1 == *.RabbitMq.Tests || $1 == *.Dashboard.Tests ]]; }
turn_of() { case $1 in *.IntegrationTests) echo last ;; *) echo first ;; esac; }

run_beside() {
  local names=() name
  for name in "${projects[@]}"; do
    if waits "$name"; then names+=("$name"); fi
  done
  ((${#names[@]} > 0)) || return 0
  say "running ${names[*]} beside the next ones"
  (
    trap '[[ -z $child ]] || kill -TERM "$child" 2>/dev/null; wait; exit 1' INT TERM HUP
    passed=0 failed=0 skipped=0
    for name in "${names[@]}"; do run_project "$name"; done
    echo "$passed $failed $skipped" >"$output/beside.counts"
  ) >"$output/beside.log" 2>&1 &
  beside=("$!")
}

end_beside() {
  ((${#beside[@]} > 0)) || return 0
  local counts
  wait "${beside[@]}"
  beside=()
  cat "$output/beside.log"
  if read -ra counts <"$output/beside.counts"; then
    passed=$((passed + counts[0])) failed=$((failed + counts[1])) skipped=$((skipped + counts[2]))
  else
    failed=$((failed + 1))
  fi
}

rm -f "$output/beside.counts"
run_beside
for turn in first last; do
  for project in "${projects[@]}"; do
    if waits "$project" || [[ $(turn_of "$project") != "$turn" ]]; then continue; fi
    say "running $project"
    run_project "$project"
  done
  end_beside
done
if [[ -n $filter ]] && ((passed + failed + skipped == 0)); then
  say "no test's name contains '$filter'"
  failed=1
fi
finish
