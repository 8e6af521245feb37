# Runs the health checks of all containers that have one, for ever.
while sleep 2; do
    for container in $(podman ps --quiet --filter health=starting --filter health=healthy --filter health=unhealthy); do
        podman healthcheck run "$container" >/dev/null 2>&1 || true
    done
done
