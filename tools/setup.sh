# shellcheck shell=bash disable=SC2034
# Sourced by tools/gpubench and tools/test, never run: makes build/ hold an up-to-date build.
#
# set_up_packages PACKAGE...  installs what is missing with apt-get (as root or through sudo)
# set_up_build TARGET...      configures build/ where that is needed, and builds
#
# Silent when nothing changed. All of its output goes to standard error, which leaves standard output to the program.
# A set-up that fails exits with 125, a code the program never uses (0 to 5 and 130).

root=$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")
build=$root/build
program_packages=(g++ cmake ninja-build git libcli11-dev nlohmann-json3-dev libfmt-dev libbenchmark-dev libgtest-dev)
test_packages=(python3 python3-jsonschema python3-yaml)
installed_something=no

note() { printf 'set-up: %s\n' "$*" >&2; }
fail() {
  note "$@"
  exit 125
}

# The program that a package is wanted for; another source of it (pip, a toolchain of one's own) is as good.
package_is_there() {
  case $1 in
    g++ | cmake | git | python3) command -v "$1" ;;
    ninja-build) command -v ninja || command -v ninja-build ;;
    *) [[ $installed == *" $1 "* ]] ;;
  esac >/dev/null
}

set_up_packages() {
  local installed=" " missing=() package status
  if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then
    while read -r package status; do
      [[ $status == installed ]] && installed+="$package "
      # dpkg-query reports packages it has never heard of on standard error, and fails: they are missing.
    done < <(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true)
  else
    # Not Debian's family: programs are a must, libraries are fetched by CMake where they are not installed.
    installed=" $* "
  fi
  for package in "$@"; do
    package_is_there "$package" || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  if ! command -v apt-get >/dev/null; then
    fail "this system has no apt-get; install what Debian calls: ${missing[*]} (CMake fetches the libraries), then try again"
  fi

  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      fail "missing packages: ${missing[*]}. Become root, or have sudo, and try again: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  note "installing ${missing[*]}"
  local install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends
    "${missing[@]}") output
  # Package lists may be absent (a fresh container) or out of date; they are fetched only when the first try fails.
  if ! output=$("${install[@]}" 2>&1 </dev/null); then
    output=$("${as_root[@]}" apt-get update -qq 2>&1 </dev/null && "${install[@]}" 2>&1 </dev/null) || {
      printf '%s\n' "$output" >&2
      fail "apt-get could not install ${missing[*]}; its message is above"
    }
  fi
  installed_something=yes
}

# The order of cmake/cuda.cmake: what the user names, PATH, the usual prefixes.
find_nvcc() {
  local candidate
  for candidate in "${CUDACXX:-}" "${CUDA_HOME:+$CUDA_HOME/bin/nvcc}" "${CUDA_PATH:+$CUDA_PATH/bin/nvcc}" \
    "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc /opt/cuda/bin/nvcc; do
    if [[ -f $candidate && -x $candidate ]]; then
      nvcc=$candidate
      return
    fi
  done
  nvcc=""
}

# What build/CMakeCache.txt says, in the associative array `cache`.
read_cache() {
  cache=()
  local line key
  [[ -f $build/CMakeCache.txt ]] || return 0
  while IFS= read -r line; do
    key=${line%%:*}
    cache[$key]=${line#*=}
  done < <(grep -E '^(CMAKE_(MAKE_PROGRAM|GENERATOR|HOME_DIRECTORY)|GPUBENCH_(NVCC|CUDA|ARCH)):' "$build/CMakeCache.txt")
}

# Why build/ has to be configured anew, in `reason`; empty when it can stay. `fresh` says whether its cache is of no use.
judge_configuration() {
  local cached=${cache[GPUBENCH_NVCC]:-}
  reason=""
  fresh=no
  if [[ ! -f $build/CMakeCache.txt ]]; then
    reason="configuring build/"
    return
  fi
  fresh=yes
  if [[ ! ${cache[CMAKE_HOME_DIRECTORY]:-} -ef $root ]]; then
    reason="build/ was configured for ${cache[CMAKE_HOME_DIRECTORY]:-another folder}; configuring it anew"
  elif [[ ${cache[CMAKE_GENERATOR]:-} != Ninja ]]; then
    reason="build/ was configured for ${cache[CMAKE_GENERATOR]:-another tool}; configuring it for Ninja"
  elif [[ ! -x ${cache[CMAKE_MAKE_PROGRAM]:-} ]]; then
    reason="Ninja is not at ${cache[CMAKE_MAKE_PROGRAM]:-its place}; configuring build/ anew"
  elif [[ ${cache[GPUBENCH_CUDA]:-AUTO} != OFF && -n $cached && $cached != *-NOTFOUND && ! -x $cached ]]; then
    reason="$cached is no longer there; configuring build/ anew"
  elif [[ ${cache[GPUBENCH_CUDA]:-AUTO} != OFF && $cached == *-NOTFOUND && -n $nvcc ]]; then
    reason="found $nvcc; configuring build/ for CUDA"
  elif [[ ${cache[GPUBENCH_CUDA]:-AUTO} != OFF && -n $cached && -x ${CUDA_HOME:-}/bin/nvcc &&
    -z ${CUDACXX:-} && ! $CUDA_HOME/bin/nvcc -ef $cached ]]; then
    reason="CUDA_HOME now names $CUDA_HOME; configuring build/ anew"
  elif [[ ! -f $build/build.ninja || $installed_something == yes ]]; then
    reason="configuring build/"
    fresh=no
  fi
}

configure() {
  local arguments=(--preset release) line
  if [[ $fresh == yes ]]; then
    arguments+=(--fresh)
    # Choices of the user outlive the cache.
    [[ -z ${cache[GPUBENCH_ARCH]:-} ]] || arguments+=("-DGPUBENCH_ARCH=${cache[GPUBENCH_ARCH]}")
    [[ -z ${cache[GPUBENCH_CUDA]:-} ]] || arguments+=("-DGPUBENCH_CUDA=${cache[GPUBENCH_CUDA]}")
  fi
  note "$reason"
  if ! (cd -- "$root" && cmake "${arguments[@]}") >"$build/setup.log" 2>&1 </dev/null; then
    cat "$build/setup.log" >&2
    fail "CMake could not configure build/; its message is above (without CUDA: cmake --preset release -DGPUBENCH_CUDA=OFF)"
  fi
  # CMake's one line on how to get a toolkit, where it found none that it can use.
  line=$(grep -m1 'building for the host only' "$build/setup.log") && note "${line#-- }"
  read_cache
}

# Ninja's lines: all into the log, progress to the screen once something is really compiled or linked.
show_progress() {
  local line started=no begun=$SECONDS columns=${COLUMNS:-80}
  while IFS= read -r line; do
    printf '%s\n' "$line" >&3
    [[ $line =~ ^\[[0-9]+/([0-9]+)\]\ (Building|Linking) ]] || continue
    if [[ $started == no ]]; then
      started=yes
      note "building in build/ with $jobs jobs, ${BASH_REMATCH[1]} steps (a full build takes up to ten minutes on two cores)"
    fi
    if [[ -t 2 ]]; then printf '\r\033[K%s' "${line:0:columns-1}" >&2; fi
  done
  [[ $started == yes ]] || return 0
  if [[ -t 2 ]]; then printf '\r\033[K' >&2; fi
  note "built in $((SECONDS - begun)) s"
}

# One job a core, but no more than memory allows: a CUDA file compiled for all architectures takes up to 2 GiB.
count_jobs() {
  local key kib rest
  jobs=$(nproc)
  while read -r key kib rest; do
    [[ $key == MemAvailable: ]] || continue
    ((jobs > kib / 2097152)) && jobs=$((kib / 2097152))
    break
  done </proc/meminfo
  ((jobs >= 1)) || jobs=1
}

build_targets() {
  local ninja=${cache[CMAKE_MAKE_PROGRAM]} log=$build/setup.log
  if ! NINJA_STATUS='[%f/%t] ' "$ninja" -C "$build" -j "$jobs" "$@" 2>&1 </dev/null | show_progress 3>"$log"; then
    # The command that failed and what the compiler said of it; all of it where Ninja did not get that far.
    if grep -q '^FAILED: ' "$log"; then sed -n '/^FAILED: /,$p' "$log" >&2; else cat "$log" >&2; fi
    fail "the build failed; the message is above, and all of it in build/setup.log"
  fi
}

set_up_build() {
  local -A cache
  local nvcc reason fresh jobs lock
  mkdir -p "$build" 2>/dev/null || true
  [[ -w $build ]] || fail "cannot write to $build; use a checkout of your own, or run build/gpubench itself"
  exec {lock}>"$build/.lock"
  if ! flock -n "$lock"; then
    note "another set-up is at work in build/; waiting for it"
    flock "$lock"
  fi
  find_nvcc
  read_cache
  judge_configuration
  local wanted="${program_packages[*]}"
  if [[ -n $reason || ! -f $build/.packages || $(<"$build/.packages") != "$wanted" ]]; then
    set_up_packages "${program_packages[@]}"
  fi
  [[ -z $reason ]] || configure
  printf '%s\n' "$wanted" >"$build/.packages"
  count_jobs
  build_targets "$@"
  exec {lock}>&-
}
