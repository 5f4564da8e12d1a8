#!/bin/sh
set -eu

KEEP=7
TARGET=/var/backups/orders

note() {
    printf '%s %s\n' "$(date +%F)" "$1"
}

dump() {
    note "dump $1"
    pg_dump "$1" | gzip > "$TARGET/$1.sql.gz"
}

prune() {
    find "$TARGET" -name '*.gz' -mtime "+$KEEP" -print |
    while read -r old; do
        note "remove $old"
        rm -- "$old"
    done
}

dump orders
prune
