#!/usr/bin/env python3
"""An emulated aarch64 machine to run commands in. WORK (default: .) has what scripts/aarch64 made.

  machine.py start [--kernel arm64|arm64-16k] [--cpu max] [--smp 2] [--memory 6144] [--name NAME]
  machine.py run [--name NAME] [--timeout SECONDS] -- COMMAND [ARGUMENT...]     exits with its status
  machine.py stop [--name NAME]

The directory WORK/share is /share in there. Changes to everything else are gone when it stops.
"""
import argparse, os, pathlib, select, shlex, socket, subprocess, sys, time

WORK = pathlib.Path(os.environ.get("WORK", ".")).resolve()


def control(name, wait=60.0):
    end = time.monotonic() + wait
    while True:
        channel = socket.socket(socket.AF_UNIX)
        try:
            channel.connect(str(WORK / f"{name}.control"))
            return channel
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def line(channel, timeout, meanwhile=lambda: None):
    """The next line. Calls `meanwhile` now and then until it comes."""
    end = time.monotonic() + timeout
    received = b""
    while not received.endswith(b"\n"):
        if not select.select([channel], [], [], 0.5)[0]:
            meanwhile()
            if time.monotonic() > end:
                sys.exit(f"machine.py: no answer within {timeout:.0f} s")
            continue
        byte = channel.recv(1)
        if not byte:
            sys.exit("machine.py: the machine has ended")
        received += byte
    return received.decode().split()


def start(o):
    for place in ("control", "pid"):
        (WORK / f"{o.name}.{place}").unlink(missing_ok=True)
    (WORK / "share/.jobs").mkdir(parents=True, exist_ok=True)
    (WORK / "share/.agent").write_bytes((pathlib.Path(__file__).parent / "agent").read_bytes())
    qemu = os.environ.get("QEMU", "qemu-system-aarch64")
    # The processor's own algorithm for pointer authentication takes most of the emulator's time.
    model, *properties = o.cpu.split(",")
    cpu = ",".join([model, *["pauth-impdef=on"] * (model == "max"), *properties])
    began = time.monotonic()
    with open(WORK / f"{o.name}.console", "wb") as console:
        machine = subprocess.Popen(
            [qemu, "-M", o.machine, "-cpu", cpu, "-smp", str(o.smp), "-m", str(o.memory),
             "-accel", "tcg,thread=multi,tb-size=512", "-nographic", "-no-reboot", "-nodefaults",
             "-serial", "stdio", "-kernel", str(next((WORK / "kernel" / o.kernel).rglob("vmlinuz*"))),
             "-initrd", str(WORK / f"initrd-{o.kernel}.gz"),
             "-append", "console=ttyAMA0 quiet panic=-1 mitigations=off " + o.append,
             "-drive", f"file={WORK}/rootfs.ext4,format=raw,if=none,id=root,readonly=on",
             "-device", "virtio-blk-pci,drive=root", "-device", "virtio-rng-pci",
             "-fsdev", f"local,id=share,path={WORK}/share,security_model=none,multidevs=remap",
             "-device", "virtio-9p-pci,fsdev=share,mount_tag=share",
             "-fsdev", f"local,id=control,path={WORK}/share,security_model=none,multidevs=remap",
             "-device", "virtio-9p-pci,fsdev=control,mount_tag=control",
             "-device", "virtio-serial-pci",
             "-chardev", f"socket,id=control,path={WORK}/{o.name}.control,server=on,wait=on",
             "-device", "virtserialport,chardev=control,name=control"],
            stdin=subprocess.DEVNULL, stdout=console, stderr=console, start_new_session=True)
    (WORK / f"{o.name}.pid").write_text(str(machine.pid))
    channel = control(o.name)
    ready = line(channel, 300)
    print("booted in %.1f s (%s)" % (time.monotonic() - began, " ".join(ready)))


def run(o):
    number = f"{o.name}-{time.time_ns()}"
    job, output = WORK / "share/.jobs" / number, WORK / "share/.jobs" / f"{number}.out"
    job.write_text("cd /share\n" + " ".join(map(shlex.quote, o.command)) + "\n" if o.command
                   else "cd /share\n" + sys.stdin.read())
    output.touch()
    channel = control(o.name)
    channel.sendall(f"{number}\n".encode())
    with open(output, "rb") as written:
        def show():
            sys.stdout.buffer.write(written.read())
            sys.stdout.flush()

        answer = line(channel, o.timeout, show)
        while answer[0] != number:
            answer = line(channel, o.timeout, show)
        show()
    job.unlink(), output.unlink()
    sys.exit(int(answer[1]))


def stop(o):
    """Waits for the end: qemu removes its socket then, and would remove that of the next machine."""
    control(o.name).sendall(b"off\n")
    end = time.monotonic() + 60
    while (WORK / f"{o.name}.control").exists() and time.monotonic() < end:
        time.sleep(0.1)


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("verb", choices=["start", "run", "stop"])
parser.add_argument("--kernel", default="arm64")
parser.add_argument("--machine", default="virt")
parser.add_argument("--cpu", default="max")
parser.add_argument("--smp", type=int, default=2)
parser.add_argument("--memory", type=int, default=6144)
parser.add_argument("--append", default="")
parser.add_argument("--name", default="vm")
parser.add_argument("--timeout", type=float, default=3600)
split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
options = parser.parse_args(sys.argv[1:split])
options.command = sys.argv[split + 1:]
{"start": start, "run": run, "stop": stop}[options.verb](options)
