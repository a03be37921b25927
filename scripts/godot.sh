#!/usr/bin/env bash
# Prints the path of a Godot 4.6 binary: the only line on standard output. Progress goes to standard error.
#
# Taken in this order: GODOT_BIN (must run), `godot` on PATH when it is 4.6.x, the copy in the cache folder, and at
# last Debian's package, fetched with all its libraries into that cache folder. Nothing is added to the host: the
# program is bound to the libraries beside it, so it neither needs root nor sees the host's older ones.
#
# Safe to run twice at once (a lock) and to interrupt (everything is staged, the last step is one rename).
set -euo pipefail

readonly WANT='4\.6\.'
readonly CACHE="${XDG_CACHE_HOME:-$HOME/.cache}/drawbridge"
readonly PREFIX="$CACHE/godot"
readonly SUITE="${GODOT_SUITE:-forky}"
# The debug template is for exports; the GL libraries are for editors drawn without a graphics card.
readonly PACKAGES=(godot godot-template-debug patchelf libgl1 libglx-mesa0 libgl1-mesa-dri libegl1 libegl-mesa0)
readonly TRIES=3

say() { printf 'godot.sh: %s\n' "$*" >&2; }

# Rewrites one line on a terminal; elsewhere prints a line of its own.
progress() {
	if [ -t 2 ]; then printf '\rgodot.sh: %-60s' "$*" >&2; else say "$*"; fi
}

progress_end() { if [ -t 2 ]; then printf '\n' >&2; fi; }

die() {
	say "$*"
	exit 1
}

# Prints the version of a binary that runs, nothing for one that does not. A hanging one is not waited for.
version_of() {
	local limit=()
	if command -v timeout >/dev/null; then limit=(timeout 60); fi
	${limit[@]+"${limit[@]}"} "$1" --headless --version 2>/dev/null </dev/null | tail -n 1 || true
}

is_wanted() { [[ "$(version_of "$1")" =~ ^$WANT ]]; }

explain() {
	say "$1"
	say 'Get Godot 4.6 (standard build, not .NET) from its download page or your package manager, then either'
	say 'put it on PATH as "godot" or set GODOT_BIN to the program.'
	exit 1
}

# --- what is there already

from_environment() {
	[ -n "${GODOT_BIN:-}" ] || return 1
	local version
	version=$(version_of "$GODOT_BIN")
	[ -n "$version" ] || die "GODOT_BIN is set to $GODOT_BIN, which does not run"
	[[ "$version" =~ ^$WANT ]] || say "GODOT_BIN is Godot $version; the tests are made for 4.6"
	printf '%s\n' "$GODOT_BIN"
}

from_path() {
	local found
	found=$(command -v godot) || return 1
	is_wanted "$found" || return 1
	printf '%s\n' "$found"
}

from_cache() {
	[ -x "$PREFIX/usr/bin/godot" ] && is_wanted "$PREFIX/usr/bin/godot" || return 1
	printf '%s\n' "$PREFIX/usr/bin/godot"
}

# --- Debian's package

check_system() {
	[ "$(uname -s)" = Linux ] || explain "this system ($(uname -s)) has no packages that could be used here"
	local tool
	for tool in apt-get apt-config dpkg-deb tar flock; do
		command -v "$tool" >/dev/null || explain "this Linux has no $tool; Debian's packages cannot be used"
	done
	grep -qsE '^ID=("?)debian\1$' /etc/os-release || explain 'this is not Debian; its packages cannot be used'
}

# The machine's own Debian mirror: deb822 sources first, then one-line ones.
mirror() {
	{
		sed -n 's/^URIs:[[:space:]]*//p' /etc/apt/sources.list.d/*.sources 2>/dev/null || true
		sed -nE 's/^deb[[:space:]]+(\[[^]]*\][[:space:]]*)?([^[:space:]]+).*/\2/p' \
			/etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null || true
	} | tr ' ' '\n' | grep -E '/debian/?$' | head -n 1
}

# Apt with a state of its own and an empty list of installed packages: it picks every library, the C library too.
write_apt_config() {
	local stage=$1 from
	from=${GODOT_MIRROR:-$(mirror)} || true
	[ -n "$from" ] || explain 'no Debian mirror in the apt sources of this machine (GODOT_MIRROR can name one)'
	mkdir -p "$stage"/apt/{state/lists/partial,cache/archives/partial,etc/apt.conf.d,etc/preferences.d}
	: >"$stage/apt/state/status"
	printf 'deb [signed-by=%s] %s %s main\n' \
		/usr/share/keyrings/debian-archive-keyring.gpg "$from" "$SUITE" >"$stage/apt/etc/sources.list"
	{
		# The machine's proxy and TLS settings, but none of its hooks.
		apt-config dump | grep -E '^Acquire::https?::' || true
		printf '%s "%s";\n' \
			Dir::State "$stage/apt/state" Dir::State::status "$stage/apt/state/status" \
			Dir::Cache "$stage/apt/cache" Dir::Etc "$stage/apt/etc" \
			Dir::Etc::sourcelist "$stage/apt/etc/sources.list" Dir::Etc::sourceparts "-" \
			Dir::Etc::parts "$stage/apt/etc/apt.conf.d" \
			APT::Install-Recommends false APT::Sandbox::User "$(id -un)" \
			Acquire::Languages none Acquire::Retries 3 \
			Acquire::http::Timeout 30 Acquire::https::Timeout 30 \
			Acquire::Check-Valid-Until false # a mirror that lags is still signed
	} >"$stage/apt/apt.conf"
}

# Runs a command in the background, so that a signal ends the script at once, and shows progress meanwhile.
# $1: what prints the progress text, run each second; the rest: the command.
watch() {
	local show=$1 pid
	shift
	# A process group of its own, so that clean_up ends the helpers of the command too.
	set -m
	"$@" </dev/null >"$STAGE/log" 2>&1 9>&- &
	set +m
	pid=$!
	CHILD=$pid
	while kill -0 "$pid" 2>/dev/null; do
		sleep 1
		progress "$("$show")"
	done
	progress_end
	CHILD=''
	wait "$pid"
}

# A download that fails is tried again; what arrived is kept and not fetched twice.
retry() {
	local attempt
	for ((attempt = 1; ; attempt++)); do
		if watch "$@"; then return 0; fi
		tail -n 5 "$STAGE/log" >&2
		[ "$attempt" -lt "$TRIES" ] || die "gave up after $TRIES tries"
		say "that failed; trying again ($attempt of $((TRIES - 1)) retries)"
		sleep $((attempt * 2))
	done
}

show_lists() { printf 'reading the package lists'; }

show_download() {
	local have
	have=$(find "$STAGE/apt/cache/archives" -name '*.deb' -printf '%s\n' 2>/dev/null |
		awk '{n++; b+=$1} END {printf "%d MB, %d", b/1e6, n}')
	printf 'downloading: %s of %s packages' "$have" "$TOTAL"
}

show_unpack() { printf 'unpacking: %s of %s packages' "$(wc -l <"$STAGE/unpacked")" "$TOTAL"; }

show_binding() { printf 'binding the program to its libraries'; }

# Documentation, translations and character sets are never needed here. Each step is checked by hand: a function
# that is run for its success does not stop at errors by itself.
unpack() {
	local deb
	for deb in "$STAGE"/apt/cache/archives/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$STAGE/root" \
			--exclude='./usr/share/doc*' --exclude='./usr/share/man*' --exclude='./usr/share/locale*' \
			--exclude='./usr/lib/*/gconv*' || return 1
		printf '%s\n' "$deb" >>"$STAGE/unpacked"
		rm -f "$deb"
	done
}

# DT_RPATH, not RUNPATH and not LD_LIBRARY_PATH: every library inherits it, and no child process of Godot does.
# A library with a RUNPATH of its own would ignore it, so those are dropped.
bind() {
	local libc lib loader file final
	local -a run
	libc=$(find "$STAGE/root/usr/lib" -name libc.so.6 | head -n 1)
	lib=$(dirname "$libc")
	loader=$(find "$lib" -maxdepth 1 -name 'ld-linux*.so.*' | head -n 1)
	run=("$loader" --library-path "$lib" "$STAGE/root/usr/bin/patchelf")
	final="$PREFIX/${lib#"$STAGE/root/"}"
	for file in godot godot-template-debug; do
		"${run[@]}" --set-interpreter "$final/${loader##*/}" --force-rpath \
			--set-rpath "$final:$final/pulseaudio" "$STAGE/root/usr/bin/$file" || return 1
	done
	for file in "$lib"/libpulse.so.0.* "$lib"/libpulse-simple.so.0.* "$lib"/libLLVM.so.*; do
		if [ -L "$file" ] || [ ! -f "$file" ]; then continue; fi
		"${run[@]}" --remove-rpath "$file" || return 1
	done
}

clean_up() {
	[ -z "${CHILD:-}" ] || kill -- "-$CHILD" 2>/dev/null || true
	[ -z "${STAGE:-}" ] || rm -rf "$STAGE"
}

install_godot() {
	# What an interrupted run left; the lock is ours, so nobody uses it.
	rm -rf "$CACHE"/.godot-stage.*
	STAGE=$(mktemp -d "$CACHE/.godot-stage.XXXXXX")
	write_apt_config "$STAGE"
	export APT_CONFIG="$STAGE/apt/apt.conf"
	say "getting Godot from Debian $SUITE into $PREFIX (180 MB to download, 600 MB on disk)"
	retry show_lists apt-get update --error-on=any -q
	TOTAL=$(apt-get install --print-uris -qq "${PACKAGES[@]}" | grep -c "^'")
	retry show_download apt-get install -y -q --download-only "${PACKAGES[@]}"
	mkdir -p "$STAGE/root"
	: >"$STAGE/unpacked"
	watch show_unpack unpack || die "unpacking failed: $(tail -n 3 "$STAGE/log")"
	watch show_binding bind || die "binding failed: $(tail -n 3 "$STAGE/log")"
	if [ -e "$PREFIX" ]; then mv "$PREFIX" "$STAGE/replaced"; fi
	mv "$STAGE/root" "$PREFIX"
	from_cache >/dev/null || die "the package gives Godot '$(version_of "$PREFIX/usr/bin/godot")', but 4.6 is needed"
	say 'done'
}

main() {
	[ $# -eq 0 ] || die 'takes no arguments; see the comment at its top'
	# A GODOT_BIN that does not run is an error of the caller, not a reason to look elsewhere.
	if [ -n "${GODOT_BIN:-}" ]; then
		from_environment
		return
	fi
	from_path && return
	from_cache && return
	check_system
	mkdir -p "$CACHE"
	exec 9>"$CACHE/godot.lock"
	if ! flock -n 9; then
		say 'another run is getting Godot; waiting for it'
		flock 9
	fi
	trap clean_up EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	from_cache && return
	install_godot
	from_cache
}

main "$@"
