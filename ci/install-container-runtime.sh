#!/usr/bin/env bash
# Installs what a kind cluster needs on a machine with Debian's packages: podman, what makes node images, and a folder that
# kind mounts. For machines that CI may change; does nothing where a container runtime works already.
set -euo pipefail

for runtime in docker podman nerdctl; do
    if "$runtime" info >/dev/null 2>&1 && command -v debootstrap >/dev/null; then exit 0; fi
done
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends \
    podman netavark aardvark-dns conmon runc catatonit uidmap iptables nftables iproute2 debootstrap >/dev/null
mkdir -p /lib/modules
podman --version
