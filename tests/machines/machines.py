"""The machines, and how one of them runs a script: the emulator is QEMU without hardware support, so any machine can run on any other.

    machine = machines.find("arm64-5.10")
    machine.boot(folder, out, limit=600)     folder/run.sh runs in it; what it leaves in /guest/out comes back in out

A machine has two processors and 2 GiB. Its clock is the host's, so on a busy host its programs are slow: counts are right there, times
are not. Times out of an emulated processor say nothing about a real one in any case.
"""
import dataclasses
import pathlib
import shutil
import subprocess
import tarfile

import images

ROOM_FOR_ANSWERS = 512 << 20  # bytes
EMULATORS = {
    "arm64": ("qemu-system-aarch64", "-M", "virt", "-cpu", "max,pauth-impdef=on"),
    "amd64": ("qemu-system-x86_64", "-M", "q35", "-cpu", "max"),
}
# A kernel for x86-64 that misses timer interrupts while it boots on a busy host gives up, unless it is told not to look.
KERNEL_ARGUMENTS = {"arm64": "console=ttyAMA0", "amd64": "console=ttyS0 no_timer_check"}
HOST = "10.0.2.2"  # this machine, for the emulated one, if it has a network
NETWORK = ("-netdev", "user,id=n", "-device", "virtio-net-pci,netdev=n,romfile=")


@dataclasses.dataclass(frozen=True)
class Machine:
    architecture: str
    version: str  # of the kernel
    kernel: str  # the suite that has it
    suite: str  # of the C library
    jdks: tuple  # of (version, suite)

    @property
    def name(self):
        return f"{self.architecture}-{self.version}"

    def boot(self, folder, out, limit, kernel_arguments=(), network=False):
        """Runs folder/run.sh in the machine. Returns whether it came to its end; out/console has what the kernel said. limit: seconds."""
        out = pathlib.Path(out)
        out.mkdir(parents=True, exist_ok=True)
        kernel = images.kernel(self.kernel, self.architecture)
        disk = images.disk(self.suite, self.architecture, dict(self.jdks))
        given, answers = out / ".in.tar", out / ".out.tar"
        with tarfile.open(given, "w") as archive:
            archive.add(folder, ".")
        with open(answers, "wb") as file:
            file.truncate(ROOM_FOR_ANSWERS)
        command = [*EMULATORS[self.architecture], "-accel", "tcg,thread=multi", "-smp", "2", "-m", "2G", "-display", "none",
                   "-monitor", "none", "-no-reboot", "-serial", f"file:{out / 'console'}", "-kernel", kernel / "kernel",
                   "-initrd", kernel / "initrd", *drive(0, disk, "read-only=on"), *drive(1, given, "read-only=on"),
                   *drive(2, answers, "cache=unsafe"), *(NETWORK if network else ("-nic", "none")), "-append",
                   " ".join((KERNEL_ARGUMENTS[self.architecture], "panic=-1 loglevel=4", *kernel_arguments))]
        try:
            subprocess.run([str(word) for word in command], timeout=limit, check=False, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return False
        else:
            return unpack_answers(answers, out)
        finally:
            given.unlink()
            answers.unlink()


def drive(number, path, options):
    return ("-drive", f"file={path},format=raw,if=none,id=d{number},{options}", "-device", f"virtio-blk-pci,drive=d{number}")


def unpack_answers(archive, out):
    try:
        with tarfile.open(archive) as answers:
            answers.extractall(out, filter="data")
    except tarfile.TarError:
        return False
    log = out / "log"  # a kernel that crashes leaves none
    return log.exists() and "run.sh ended with 0" in log.read_text(errors="replace")


def missing():
    """The programs that are not installed and without which no machine can run."""
    wanted = [emulator[0] for emulator in EMULATORS.values()] + ["cpio", "/sbin/mke2fs"]
    return [name for name in wanted if not shutil.which(name)]


OLD, MIDDLE, NEW = ((11, "bullseye"), (17, "bookworm")), ((17, "bookworm"),), ((21, "trixie"), (25, "trixie"))
MACHINES = [Machine(architecture, version, kernel, suite, jdks) for architecture in ("arm64", "amd64")
            for version, kernel, suite, jdks in (("5.10", "bullseye", "bookworm", OLD), ("6.1", "bookworm", "bookworm", MIDDLE),
                                                 ("6.12", "trixie", "trixie", NEW))]


def find(name):
    return next(machine for machine in MACHINES if machine.name == name)
