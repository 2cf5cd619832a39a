# What fish completes for prof: commands, options, formats, events and other words, as the program itself explains them in
# `prof help`.

function __prof_commands
    prof help 2>/dev/null | string replace -rf '^  prof ([a-z][a-z0-9]*) .*?  +(.*)' '$1\t$2'
end

# The options of a command, one on a line: "-f, --format NAME<tab>what help says".
function __prof_options
    prof help $argv[1] 2>/dev/null | string replace -rf '^ +(-.*?)  +(.*)' '$1\t$2'
end

function __prof_events
    prof help record 2>/dev/null | sed -n '/^events/,$s/^  //p' | string split -n ' '
    for file in /sys/bus/event_source/devices/*/events/*
        string replace -rf '.*/devices/(.*)/events/([^.]*)$' '$1/$2/' $file
    end
    cat /sys/kernel/tracing/available_events /sys/kernel/debug/tracing/available_events 2>/dev/null
end

# The command that is meant, and the word before the cursor's.
function __prof_command
    set -l words (commandline -opc)
    if set -q words[2]; and __prof_commands | string match -qr -- "^"(string escape --style=regex -- $words[2])"\t"
        echo $words[2]
    else
        echo record
    end
end

# The line of an option of a command that takes a value; false where there is none.
function __prof_option
    __prof_options $argv[1] | string match -r -- '^(?:.*, )?'(string escape --style=regex -- $argv[2])'(?:,.*)? [A-Z\'].*'
end

# The values of option $argv[2] of command $argv[1], $argv[3] being what is there of one; false where that is no option that takes one.
function __prof_values
    set -l option (__prof_option $argv[1] $argv[2]); or return 1
    set -l left (string split \t -- $option[1])
    set -l current $argv[3]
    switch $left[1]
        case '*--event*'
            set -l head (string match -r '^.*,' -- $current)
            for event in (__prof_events)
                echo "$head$event"
            end
        case '*--format*'
            prof help record 2>/dev/null | string replace -rf '^  \..* -f ([a-z]+) +(.*)' '$1\t$2'
        case '*PID*'
            __fish_complete_pids
        case '*DIR'
            __fish_complete_directories $current
        case '*HOW' '*WHAT'
            string replace -r '^.*: ' '' -- $left[2] | string replace -r ' *\(.*' '' | string replace -a ' or ' ', ' |
                string split ', ' | string match -r '^[a-z:]+'
        case '*'
            __fish_complete_path $current
    end
    return 0
end

function __prof_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l command (__prof_command)
    if set -q words[2]; and __prof_values $command $words[-1] $current
        return
    end
    set -l parts (string match -r '^(--[a-z-]+=)(.*)' -- $current)
    if test -n "$parts"
        string replace -r '^' -- $parts[2] (__prof_values $command (string trim -c = -- $parts[2]) "$parts[3]")
        return
    end
    if string match -q -- '-*' $current
        for line in (__prof_options $command)
            set -l part (string split \t -- $line)
            for option in (string match -ra -- '(?:^|(?<= ))--?[a-zA-Z0-9-]+' $part[1])
                printf '%s\t%s\n' $option $part[2]
            end
        end
        return
    end
    if not set -q words[2]
        __prof_commands
        test -z "$current"; or __fish_complete_command
    else if test $command = help
        __prof_commands
    else if test $command = record
        # Behind the options stands a command with words of its own.
        set -e words[1]
        test "$words[1]" = record; and set -e words[1]
        while string match -q -- '-*' $words[1]
            set -l word $words[1]
            set -e words[1]
            test "$word" = --; and break
            __prof_option record $word >/dev/null; and set -e words[1]
        end
        if set -q words[1]
            complete -C "$words $current"
        else
            __fish_complete_command
        end
    else
        __fish_complete_path $current
    end
end

complete -c prof -f -a '(__prof_complete)'
