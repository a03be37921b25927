#!/usr/bin/env bash
# Prints the path of Xvfb, the display for drawn editors without a screen: the only line on standard output.
# Missing, it is added by apt when this is root; else the command is printed. Only the drawn lane of the tests needs it.
set -euo pipefail

readonly COMMAND='apt-get install -y --no-install-recommends xvfb'
readonly TRIES=3

say() { printf 'xvfb.sh: %s\n' "$*" >&2; }

# apt's own lock makes two runs wait for each other.
try_install() {
	apt-get update -q >&2 </dev/null &&
		DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 \
			install -y -q --no-install-recommends xvfb >&2 </dev/null
}

if ! command -v Xvfb >/dev/null; then
	if ! command -v apt-get >/dev/null; then
		say 'Xvfb is missing; install it with the package manager of this system'
		exit 1
	fi
	if [ "$(id -u)" -ne 0 ]; then
		say "Xvfb is missing; run as root: $COMMAND"
		exit 1
	fi
	say "installing Xvfb: $COMMAND"
	for ((attempt = 1; attempt <= TRIES; attempt++)); do
		if try_install; then break; fi
		say "that failed (try $attempt of $TRIES)"
		sleep $((attempt * 2))
	done
fi
command -v Xvfb || {
	say 'Xvfb could not be installed'
	exit 1
}
