#!/bin/sh
# Runs workerd in this process. Miniflare opens descriptor 3. If it closes, miniflare has ended, perhaps by a kill. Then a
# second process ends workerd. It is a child of workerd, unless that has ended and its number may belong to another program.
sh -c 'read -r _; [ "$(ps -o ppid= -p $$)" -eq $PPID ] && kill -9 $PPID' <&3 3<&- >/dev/null 2>&1 &
exec "$EVENTS_WORKERD" "$@"
