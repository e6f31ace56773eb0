#!/usr/bin/env bash
# Builds jobsworth and runs the cases that the WANTED_ variables name; tells the CI system where the report is.
# At a desk: GITHUB_OUTPUT=/dev/stdout WANTED_MATRIX=smoke ci/action/run.sh
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
report=$PWD/${WANTED_REPORT:-jobsworth-report}

arguments=(run --out "$report")
[[ -z ${WANTED_KUBERNETES:-} ]] || arguments+=(--kubernetes "$WANTED_KUBERNETES")
[[ -z ${WANTED_PROVIDER:-} ]] || arguments+=(--provider "$WANTED_PROVIDER")
[[ -z ${WANTED_CONTROLLER:-} ]] || arguments+=(--controller-file "$WANTED_CONTROLLER")
case ${WANTED_MATRIX:-} in
'') ;;
*/* | *.yaml) arguments+=(--plan "$WANTED_MATRIX") ;;
*) arguments+=(--profile "$WANTED_MATRIX") ;;
esac
read -r -a more <<<"${WANTED_ARGS:-}"

cargo build --manifest-path "$root/Cargo.toml" --locked --release --package jobsworth --package jobsworth-controller
code=0
"${CARGO_TARGET_DIR:-$root/target}/release/jobsworth" "${arguments[@]}" "${more[@]}" || code=$?
printf 'report=%s\nexit-code=%s\n' "$report" "$code" >>"${GITHUB_OUTPUT:?where the outputs go}"
exit "$code"
