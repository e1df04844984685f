#!/bin/sh
# Compares the recorder's stack traces with libunwind's at every call to malloc of a Swift program
# that goes through Foundation, sort closures, JSON, tasks and threads; debug and release code.
#   unwind_differential.sh PRELOAD-LIBRARY WORKLOAD.swift
set -eu
library=$1
workload=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for optimization in -Onone -O; do
  swiftc -parse-as-library -g "$optimization" "$workload" -o "$folder/workload"
  UNWIND_DIFFERENTIAL=$folder/counts LD_PRELOAD=$library "$folder/workload"
  echo "$optimization: $(sed -n 1p "$folder/counts")"
  rm "$folder/counts"
done
