#!/bin/sh
# The man page and the completions for bash, zsh and fish come from prof's help; here man and the shells read them.
. "$(dirname "$0")/../lib.sh"
root=$(dirname "$TESTS")

# They leave out nothing of what help says.
"$root/ci/manual" "$PROF" 9.8 >prof.1
for c in $("$PROF" help | sed -nE 's/^  prof ([a-z][a-z0-9]*) .*/\1/p'); do
	echo "prof $c "
	"$PROF" help "$c" | sed -nE 's/^ +(-.*)/\1/p' | grep -oE '^(-.|--[a-z0-9-]+)(, --[a-z0-9-]+)?'
done >told
if command -v groff >/dev/null; then
	groff -man -ww -z prof.1 >err 2>&1
	check manual-warnings ! -s err
	groff -man -Tascii -P-c -P-b -P-u -rLL=120n prof.1 | sed 's/^ *//' >text
	while IFS= read -r line; do grep -qF -- "$line" text || echo "$line"; done <told >left
	show=left check manual-has-all ! -s left
	has manual-formats text '^-f speedscope \(.json .speedscope\)'
	has manual-version text 'prof 9\.8'
elif [ "${CI:-}" = true ]; then
	not_ok manual "no groff"
else
	skip manual "no groff: apt-get install groff-base"
fi

# tried SHELL: the lines of "wanted" that a shell does not complete; LINE|WORD, WORD being one of what it offers.
cat >wanted <<'END'
prof rep|report
prof help ann|annotate
prof --fr|--freq
prof report --foc|--focus
prof -f |speedscope
prof report --format sv|svg
prof -e cycles,page-fau|page-faults
prof -e cyc|cycles
prof report --by mod|module
prof --engine pt|ptrace
prof -o x -F 99 slee|sleep
prof -F 99 sleep inn|inner
prof record --sysroot inn|inner
END
tried() {
	while IFS='|' read -r line word; do
		"$1" "$line" | grep -qE "(^|[ ,=])$word/?=?([ 	]|$)" || echo "$line"
	done <wanted >left 2>err
	show="left err" check "$1-completes" ! -s left
}
mkdir inner
PATH=$(dirname "$PROF"):$PATH
complete=$root/share
bash() {
	command bash -c '. "$1" || exit
		COMP_LINE=$2 COMP_POINT=${#2}
		read -r -a COMP_WORDS <<<"$2"
		[[ $2 != *" " ]] || COMP_WORDS+=("")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_prof prof && printf "%s\n" "${COMPREPLY[@]}"' - "$complete/bash-completion/completions/prof" "$1"
}
fish() { HOME=$PWD command fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$complete/fish/vendor_completions.d/prof.fish" "$1"; }
# In a terminal of its own, which has what it lists, and at the end the line as it then is.
zsh() {
	command zsh -f -c 'zmodload zsh/zpty
		zpty z zsh -f -i
		zpty -w z "PS1=; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; bindkey -e; setopt nobeep; tell() { print -r -- \"{\$BUFFER}\" }; zle -N tell; bindkey ^P tell; stty cols 200 rows 300; echo rea\dy"
		while zpty -r z line && [[ $line != *ready* ]] do :; done
		zpty -w -n z "$2"$'\''\t\t\x10'\''
		for i in {1..100}; do
			while zpty -r -t z line; do print -r -- "$line"; [[ $line != *"{"*"}"* ]] || break 2; done
			sleep 0.1
		done
		zpty -d z' - "$complete/zsh/site-functions" "$1" | sed 's/\x1b\[[0-9;?]*[A-Za-z]/ /g; s/[\r{}]/ /g; s/.\x08//g'
}
for shell in bash zsh fish; do
	if env $shell -c : 2>/dev/null; then
		status $shell-syntax 0 env $shell -n "$complete"/$shell*/*/*prof*
		tried $shell
	elif [ "${CI:-}" = true ]; then
		not_ok $shell "no $shell"
	else
		skip $shell "no $shell: apt-get install $shell"
	fi
done
exit $failed
