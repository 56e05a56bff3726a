# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# bash completion for perf: commands, the options that "perf COMMAND -h" lists,
# events from "perf list", files, and the words some options take. It asks the
# perf on the command line, so it is never out of date.

# _perf_words LIST [HEAD]: complete $cur behind HEAD. The parts of it that bash
# keeps itself (up to the last ':' or '=') are cut off.
_perf_words() {
	mapfile -t COMPREPLY < <(compgen -P "${2:-}" -W "$1" -- "${cur#"${2:-}"}")
	COMPREPLY=("${COMPREPLY[@]#"$keep"}")
}

# _perf_list LIST: complete the last of a comma-separated list.
_perf_list() {
	local tail=${cur##*,}

	_perf_words "$1" "${cur%"$tail"}"
}

_perf_files() {
	mapfile -t COMPREPLY < <(compgen "$1" -- "${cur#"$keep"}")
	compopt -o filenames 2>/dev/null
}

# diff takes the options of report, too.
_perf_options() {
	{ "$perf" "$1" -h; [[ $1 == diff ]] && "$perf" report -h; } 2>&1 | grep -oE '^ +(-[a-zA-Z0-9], |-[a-zA-Z0-9] |-[a-zA-Z0-9]$)?(--[a-z0-9-]+)?' |
		grep -oE -- '--?[a-zA-Z0-9][a-zA-Z0-9-]*'
}

# The names in front of each "[kind of event]".
_perf_events() {
	"$perf" list 2>/dev/null | sed -nE 's/^  +([^[]*[^[ ]) *\[.*/\1/p' |
		sed -E 's/ OR /\n/g'
}

# _perf_takes_arg COMMAND OPTION: its value is the next word.
_perf_takes_arg() {
	"$perf" "$1" -h 2>/dev/null | grep -qE -- "^ +(-., )?$2(, --[a-z0-9-]+)? <"
}

_perf() {
	local perf=${COMP_WORDS[0]/#\~/$HOME} cur prev keep word i cmd='' value=''
	local -a words

	# bash breaks words at ':' and '=', which events and options contain.
	cur=${COMP_LINE:0:COMP_POINT}
	read -ra words <<<"$cur"
	[[ $cur == *[[:space:]] || ${#words[@]} -eq 0 ]] && words+=('')
	cur=${words[-1]}
	word=${COMP_WORDS[COMP_CWORD]}
	[[ $word == [:=] ]] && word=''
	keep=${cur%"$word"}
	COMPREPLY=()

	if [[ ${#words[@]} -le 2 ]]; then
		_perf_words "$("$perf" --list-cmds 2>/dev/null) --version --help"
		return
	fi
	cmd=${words[1]}
	prev=${words[-2]}
	if [[ $cur == --*=* ]]; then
		prev=${cur%%=*}
		cur=${cur#*=}
		keep=${keep#"$prev="}
	fi

	# Behind the options of record there is a command of the user's.
	if [[ $cmd == record ]]; then
		for ((i = 2; i < ${#words[@]} - 1; i++)); do
			[[ ${words[i]} == -- ]] && break
			[[ ${words[i]} == -* ]] || break
			[[ ${words[i]} != *=* ]] && _perf_takes_arg record "${words[i]}" && ((i++))
		done
		if ((i < ${#words[@]} - 1)); then
			_perf_files -f
			return
		fi
	fi

	case $cmd$prev in
	report-s | report-F | report--sort | report--fields | diff-s | diff--sort | top-s | top--sort | top--fields)
		_perf_list "$("$perf" report -s help 2>/dev/null)"
		return ;;
	script-F | script--fields)
		_perf_list "$("$perf" script -F help 2>/dev/null | tr -d ,)"
		return ;;
	esac
	case $prev in
	-e | --event)
		_perf_list "$(_perf_events)"
		return ;;
	--call-graph)
		# "--call-graph <mode>  table, bpf, live[,size], ..."
		value=$("$perf" "$cmd" -h 2>/dev/null |
			sed -nE '/^ +--call-graph <mode> +/ { s///; s/\[[^]]*\]//g; s/, / /g; p }')
		[[ $cmd == report ]] && value='graph fractal flat folded caller callee none'
		_perf_words "$value"
		return ;;
	-i | --input | -o | --output | --kallsyms | -k | --vmlinux | -w | --flamegraph)
		_perf_files -f
		return ;;
	--symfs)
		_perf_files -d
		return ;;
	-u | --uid)
		_perf_words "$(compgen -u)"
		return ;;
	-p | --pid | -t | --tid)
		_perf_words "$(cd /proc && echo [0-9]*)"
		return ;;
	esac

	if [[ $cur == -* ]]; then
		_perf_words "$(_perf_options "$cmd")"
	elif [[ $prev == -* ]] && _perf_takes_arg "$cmd" "$prev"; then
		_perf_files -f
	elif [[ $cmd == record ]]; then
		mapfile -t COMPREPLY < <(compgen -c -- "$cur")
	elif [[ $cmd == data && ${#words[@]} -eq 3 ]]; then
		_perf_words convert
	elif [[ $cmd == help ]]; then
		_perf_words "$("$perf" --list-cmds 2>/dev/null)"
	else
		# "Usage: perf sched [<options>] {record|latency|map}"; scripts of perf script
		[[ ${#words[@]} -eq 3 ]] && _perf_words "$(
			"$perf" "$cmd" -h 2>&1 | sed -nE '/^ Usage/s/.*\{(.*)\}.*/\1/; T; s/\|/ /gp'
			[[ $cmd == script ]] && "$perf" script -l 2>/dev/null | sed -n 's/^  \([^ ]*\).*/\1/p'
		)"
		[[ ${COMPREPLY[*]} ]] || _perf_files -f
	fi
}

complete -F _perf perf
