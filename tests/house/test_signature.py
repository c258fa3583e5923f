#!/usr/bin/env python3
"""A release is signed by a key that a page names, and the commands of docs/install.md accept it, and nothing that was changed.

tier: default
timeout: 60
sanitize: no
"""
import hashlib
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import candortest as ct

SIGN = ct.ROOT / "dist/package/sign"
RELEASE = ct.WORK / "release"
HOMES = {"maintainer": ct.WORK / "maintainer", "user": ct.WORK / "user"}


def as_person(name, *command):
    """A command of somebody with keys of their own."""
    return ct.run(*command, env={**os.environ, "GNUPGHOME": str(HOMES[name])}, cwd=RELEASE)


def new_key():
    made = as_person("maintainer", "gpg", "--batch", "--passphrase", "", "--quick-generate-key", "release@candor.invalid", "ed25519",
                     "sign")
    listed = as_person("maintainer", "gpg", "--with-colons", "--list-keys")
    found = re.search(r"^fpr:+(\w+):", listed.out, re.MULTILINE)
    if not ct.ok(made.status == 0 and found, "a key is made", made):
        ct.done()
    return found[1]


def verify():
    """Follows docs/install.md: status 0 only if every command succeeds."""
    block = re.search(r"```\n(gpg --import.*?)```", (ct.ROOT / "docs/install.md").read_text(), re.DOTALL)[1]
    return as_person("user", "sh", "-euc", block)


def main():
    for folder in (RELEASE, *HOMES.values()):
        folder.mkdir(mode=0o700)
    package = RELEASE / "candor_1_amd64.deb"
    package.write_bytes(b"a package")
    sums = RELEASE / "SHA256SUMS"
    sums.write_text(f"{hashlib.sha256(package.read_bytes()).hexdigest()}  {package.name}\n")
    key = new_key()
    document = ct.WORK / "page.md"
    document.write_text("no key\n")
    refused = as_person("maintainer", SIGN, key, RELEASE, document)
    ct.ok(refused.status == 1 and key in refused.err, "a key that no page names is refused", refused)
    ct.ok(not (RELEASE / "SHA256SUMS.asc").exists(), "then nothing is signed")
    early = as_person("maintainer", SIGN, key, "", document)
    ct.ok(early.status == 1 and key in early.err, "also before the release is made", early)
    document.write_text("The key is " + " ".join(re.findall("....", key)) + ".\n")
    early = as_person("maintainer", SIGN, key, "", document)
    ct.ok(early.status == 0 and not list(RELEASE.glob("*.asc")), "a key that the page names is accepted, and nothing is signed yet", early)
    signed = as_person("maintainer", SIGN, key, RELEASE, document)
    ct.ok(signed.status == 0, "the release is signed", signed)
    good = verify()
    ct.ok(good.status == 0 and key[-16:] in good.err.replace(" ", ""), "the page's commands accept it, and show the key", good)
    package.write_bytes(b"another package")
    bad = verify()
    ct.ok(bad.status != 0, "a changed package is refused", bad)
    sums.write_text(f"{hashlib.sha256(package.read_bytes()).hexdigest()}  {package.name}\n")
    bad = verify()
    ct.ok(bad.status != 0 and "BAD signature" in bad.err, "changed sums are refused", bad)
    unknown = as_person("maintainer", SIGN, "nobody@candor.invalid", RELEASE, document)
    ct.ok(unknown.status == 1 and "nobody@candor.invalid" in unknown.err, "a key that gpg lacks is an error", unknown)
    as_person("maintainer", "gpgconf", "--kill", "gpg-agent")
    as_person("user", "gpgconf", "--kill", "gpg-agent")
    ct.done()


main()
