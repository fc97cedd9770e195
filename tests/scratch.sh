#!/bin/sh
# Prints the folder for what tests write: in memory where there is room and programs may run from it, since tests write
# and sync thousands of small files; else where temporary files always are.
memory=/dev/shm
least=8000000 # kilobytes
room=$(df -k "$memory" 2>/dev/null | awk 'NR == 2 { print $4 }')
if [ "${room:-0}" -ge "$least" ] && tried=$(mktemp -p "$memory" 2>/dev/null); then
    printf '#!/bin/sh\nexit 0\n' > "$tried"
    chmod +x "$tried"
    "$tried" 2>/dev/null && found=$memory
    rm -f "$tried"
fi
echo "${found:-${TMPDIR:-/tmp}}"
