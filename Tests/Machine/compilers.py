#!/usr/bin/env python3
"""Compiles for the emulated machine, which hands its compilers' jobs over (see `compiler`). Runs until it is killed.

usage: compilers.py FOLDER    with FOLDER/view, FOLDER/amd64/root and FOLDER/share of machine.sh
"""
import os, pathlib, subprocess, sys, time

folder = pathlib.Path(sys.argv[1])
jobs = folder / "share/.compilers"
TARGET = "aarch64-unknown-linux-gnu"


def words(file):
    text = file.read_bytes()
    file.unlink()
    return [os.fsdecode(word) for word in text.split(b"\0")[:-1]]


def for_machine(program, arguments):
    """The file system to run it in, and its arguments. A compiler without a target is the machine's."""
    if program == "swift-build":
        sdk = ["--swift-sdks-path", "/share/sdks", "--swift-sdk", "aarch64", "--disable-sandbox"]
        return "amd64/root", [*sdk, *arguments]
    if program == "ninja":
        return "amd64/root", arguments
    if not any(argument.startswith(("-target", "--target")) for argument in arguments):
        if program.startswith("clang") or program == "swiftc" or "-print-target-info" in arguments:
            arguments = [*arguments, "-target", TARGET]
    return "view", arguments


def start(job):
    directory, program, *arguments = words(job)
    base = job.with_suffix("")
    environment = dict(variable.split("=", 1) for variable in words(base.with_suffix(".environment")))
    environment.pop("LD_PRELOAD", None)
    root, arguments = for_machine(os.path.basename(program), arguments)
    if root == "view":
        environment["LD_LIBRARY_PATH"] = "/mnt"

    def enter():
        os.chroot(folder / root)
        os.chdir(directory)

    with open(f"{base}.output", "wb") as output, open(f"{base}.errors", "wb") as errors:
        return base, subprocess.Popen(
            [program, *arguments], env=environment, preexec_fn=enter,
            stdin=subprocess.DEVNULL, stdout=output, stderr=errors)


def finish(base, process):
    status = process.returncode if process.returncode >= 0 else 128 - process.returncode
    draft = pathlib.Path(f"{base}.draft")
    draft.write_text(f"{status}\n")
    draft.rename(f"{base}.status")


running = []
while True:
    running += [start(job) for job in jobs.glob("*.job")]
    ended = [(base, process) for base, process in running if process.poll() is not None]
    for base, process in ended:
        finish(base, process)
    running = [(base, process) for base, process in running if process.returncode is None]
    time.sleep(0.02)
