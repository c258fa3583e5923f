"""Makes what an emulated machine boots: a kernel with the modules for its disks, and a disk with a JVM. All of it is made of Debian's
packages, without root, and kept in the cache (~/.cache/candor/machines) until the list of packages changes.

The packages are unpacked, not installed: the machine's init is ours (init.sh), its shell and its tools are busybox.
"""
import fcntl
import gzip
import hashlib
import lzma
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "candor" / "machines"
LIBRARIES = ("libc6", "libgcc-s1", "libstdc++6", "zlib1g", "busybox-static", "libcurl4+")  # the last one: to send recordings
# In the order in which they need each other. A kernel that has one of them built in has no such file.
MODULES = ("virtio", "virtio_ring", "virtio_pci_modern_dev", "virtio_pci_legacy_dev", "virtio_pci", "virtio_blk", "failover",
           "net_failover", "virtio_net")
IMAGE_SPARE = 32  # MiB


def run(*command, **keywords):
    subprocess.run([str(word) for word in command], check=True, **keywords)


def unpack(suite, architecture, directory, *packages):
    """Unpacks packages of a suite. NAME* is what a metapackage of that name depends on first; NAME+ is a package with all its
    dependencies."""
    apt = CACHE / "apt" / architecture
    if packages[-1][-1] in "*+":
        run(ROOT / "script" / "private-apt", apt, suite, architecture, directory, "base-files")
    wanted = [one for name in packages for one in named(apt / suite, name)]
    run(ROOT / "script" / "private-apt", apt, suite, architecture, directory, *wanted)


def named(folder, name):
    """The packages that this name stands for. folder: where apt knows the suite."""
    def ask(*command):
        return subprocess.run(command, env=dict(os.environ, APT_CONFIG=str(folder / "apt.conf")), stdout=subprocess.PIPE, text=True,
                              check=True).stdout
    if name.endswith("*"):
        return [re.search(r"Depends: (\S+)", ask("apt-cache", "depends", name[:-1]))[1]]
    if name.endswith("+"):
        return re.findall(r"^Inst (\S+)", ask("apt-get", "-s", "--no-install-recommends", "install", name[:-1]), re.MULTILINE)
    return [name]


def cached(kind, recipe, make):
    """The folder or file of this kind that was made by this recipe, a text; make(path) makes it, completely or not at all."""
    final = CACHE / f"{kind}-{hashlib.sha256(recipe.encode()).hexdigest()[:12]}"
    if final.exists():
        return final
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not final.exists():
            with tempfile.TemporaryDirectory(dir=CACHE, prefix=".make-") as work:
                made = pathlib.Path(work) / "made"
                print(f"machines: making {final.name}", flush=True)
                make(made)
                made.rename(final)
    return final


def kernel(suite, architecture):
    """A folder with the kernel, and with initrd, whose init mounts the first disk."""
    def make(made):
        tree = made.with_name("tree")
        unpack(suite, architecture, tree, "busybox-static", f"linux-image-cloud-{architecture}*")
        made.mkdir()
        shutil.move(next(tree.glob("boot/vmlinuz-*")), made / "kernel")
        initrd(tree, made / "initrd")
    return cached(f"kernel-{suite}-{architecture}", (HERE / "initrd.sh").read_text() + " ".join(MODULES), make)


def initrd(tree, path):
    files = path.with_name("files")
    for folder in ("bin", "proc", "sys", "dev", "root", "modules"):
        (files / folder).mkdir(parents=True)
    busybox = next(file for file in tree.glob("**/busybox") if file.is_file() and os.access(file, os.X_OK))
    shutil.copy(busybox, files / "bin" / "busybox")
    for number, name in enumerate(MODULES):
        module = next(tree.glob(f"**/{name}.ko*"), None)
        if module:
            content = module.read_bytes()
            (files / "modules" / f"{number:02}-{name}.ko").write_bytes(lzma.decompress(content) if module.suffix == ".xz" else content)
    shutil.copy(HERE / "initrd.sh", files / "init")
    (files / "init").chmod(0o755)
    names = "\n".join(str(file.relative_to(files)) for file in sorted(files.rglob("*")))
    archive = subprocess.run(["cpio", "-o", "-H", "newc", "-R", "0:0", "--quiet"], cwd=files, input=names.encode(), stdout=subprocess.PIPE,
                             check=True).stdout
    path.write_bytes(gzip.compress(archive, 1))
    shutil.rmtree(files)


def root(suite, architecture, *jdks):
    """A folder with this suite's C library and its JDKs of these versions, to be the root directory of a container."""
    packages = [f"openjdk-{version}-jre-headless" for version in jdks]

    def make(made):
        unpack(suite, architecture, made, *packages)
        unpack(suite, architecture, made, *LIBRARIES)
        link_into_usr(made)
        for name in ("dev", "proc", "tmp"):  # the container mounts its own
            (made / name).rmdir()
    return cached(f"root-{suite}-{architecture}", f"{packages} {LIBRARIES}", make)


def disk(suite, architecture, jdks):
    """An image of a file system with this suite's C library and these JDKs: {version: suite}."""
    packages = {other: [f"openjdk-{version}-jre-headless" for version in sorted(jdks) if jdks[version] == other]
                for other in sorted(set(jdks.values()))}

    def make(made):
        tree = made.with_name("tree")
        for other, names in packages.items():
            unpack(other, architecture, tree, *names)
        unpack(suite, architecture, tree, *LIBRARIES)
        finish_tree(tree)
        size = int(subprocess.run(["du", "-sm", tree], stdout=subprocess.PIPE, check=True).stdout.split()[0])
        # The oldest kernel has to read it.
        run("/sbin/mke2fs", "-q", "-t", "ext4", "-O", "^has_journal,^metadata_csum,^orphan_file", "-m", "0", "-E", "root_owner=0:0",
            "-d", tree, made, f"{size + size // 8 + IMAGE_SPARE}M", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return cached(f"disk-{suite}-{architecture}", f"{packages} {LIBRARIES} {(HERE / 'init.sh').read_text()}", make)


def link_into_usr(tree):
    """For suites whose packages have everything in usr."""
    for name in ("bin", "lib", "lib64"):
        if not (tree / name).exists() and (tree / "usr" / name).exists():
            (tree / name).symlink_to(f"usr/{name}")


def finish_tree(tree):
    for folder in ("proc", "sys", "dev", "tmp", "run", "root", "guest", "var/tmp", "etc"):
        (tree / folder).mkdir(parents=True, exist_ok=True)
    link_into_usr(tree)
    shutil.rmtree(tree / "usr" / "share" / "doc", ignore_errors=True)
    (tree / "etc" / "passwd").write_text("root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000::/guest/home:/bin/sh\n")
    (tree / "etc" / "group").write_text("root:x:0:\nuser:x:1000:\n")
    shutil.copy(HERE / "init.sh", tree / "init")
    (tree / "init").chmod(0o755)
