#!/usr/bin/env bash
# Checks that GDScript loads without an error or a warning under the repository's own project.godot, where every
# warning is an error. Usage: check.sh [FOLDER...]; without folders: the addon, the helpers and the fixtures' scripts.
#
# It works on a copy in a temporary project, so no editor state appears in the repository; the addon is there in its
# installed layout, where other scripts preload it from.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly ROOT
# The one script that is broken on purpose.
readonly BROKEN=scenes_fixture/scripts/broken.gd

say() { printf 'check.sh: %s\n' "$*" >&2; }

folders=("$@")
[ $# -gt 0 ] || folders=("$ROOT/addon" "$ROOT/contract/gd" "$ROOT/scenes_fixture/scripts")
godot=$(bash "$ROOT/scripts/godot.sh")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/home" "$work/game"
cp "$ROOT/project.godot" "$ROOT/scripts/check.gd" "$work/game/"
for folder in "${folders[@]}"; do
	folder=$(cd "$folder" && pwd)
	case ${folder#"$ROOT/"} in
	addon) target=$work/game/addons/drawbridge ;;
	contract/gd) target=$work/game/gd ;;
	*) target=$work/game/${folder#"$ROOT/"} ;;
	esac
	mkdir -p "$target"
	cp -R "$folder/." "$target"
done
rm -f "$work/game/$BROKEN"

limit=()
if command -v timeout >/dev/null; then limit=(timeout 120); fi
status=0
HOME=$work/home XDG_CONFIG_HOME=$work/home XDG_DATA_HOME=$work/home XDG_CACHE_HOME=$work/home \
	${limit[@]+"${limit[@]}"} "$godot" --headless --path "$work/game" -s res://check.gd \
	>"$work/log" 2>&1 </dev/null || status=$?

expected=$(find "$work/game" -name '*.gd' | wc -l | tr -d ' ')
if [ "$status" -ne 0 ] || grep -qE 'ERROR|WARNING' "$work/log" ||
	! grep -qx "checked $expected scripts" "$work/log"; then
	grep -E -A 1 'ERROR|WARNING|^checked' "$work/log" >&2 || cat "$work/log" >&2
	say "GDScript errors, or not all of $expected scripts were checked (exit $status)"
	exit 1
fi
say "$expected scripts load without a warning"
