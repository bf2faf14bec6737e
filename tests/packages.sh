# Debian packages that Cairn needs, and how to get the missing ones. Sourced by quickstart, test and .ci/run.

build_packages="g++ cmake ninja-build pkg-config libssl-dev libargon2-dev libzstd-dev liblz4-dev liblzma-dev \
libdeflate-dev zlib1g-dev nlohmann-json3-dev libfmt-dev libpcre2-dev libyaml-cpp-dev libqrencode-dev"
test_packages="libgtest-dev libacl1-dev python3 acl attr zstd tar e2fsprogs faketime"
# Other people's programs that work with Cairn: the tests of them are skipped where they are missing. Only .ci/run installs them.
neighbour_packages="zsh fish tcsh borgmatic"
clang_packages="clang-19 libclang-rt-19-dev"
format_packages="clang-format-19"

package_is_here() {
  dpkg-query -W -f='${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

# install_packages PACKAGE...   installs those that are missing and says so; does nothing if none is.
install_packages() {
  local package missing=()
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "This is no Debian system: please install what corresponds to: $*" >&2
    return 0
  fi
  for package in "$@"; do
    package_is_here "$package" || missing+=("$package")
  done
  [ "${#missing[@]}" -gt 0 ] || return 0
  local as_root=()
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "Missing packages: ${missing[*]}" >&2
      echo "Neither root nor sudo: please let an administrator run: apt-get install ${missing[*]}" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  echo "Installing ${#missing[@]} Debian packages: ${missing[*]}"
  local log
  log=$(mktemp)
  # A list of packages may be old or absent: fetch it only if the first try fails.
  if "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" >"$log" 2>&1 ||
     { "${as_root[@]}" apt-get update -q >"$log" 2>&1 &&
       "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" >"$log" 2>&1; }; then
    rm -f "$log"
    return 0
  fi
  tail -n 20 "$log" >&2
  rm -f "$log"
  echo "The packages could not be installed." >&2
  return 1
}

# build_preset PRESET [TARGET...]   configures and builds build/PRESET.
build_preset() {
  local preset=$1 launcher=() log
  shift
  if command -v ccache >/dev/null; then
    launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  log=$(mktemp)
  if ! cmake --preset "$preset" "${launcher[@]}" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
  cmake --build "build/$preset" ${1:+--target "$@"}
}
