#!/usr/bin/env python3
"""From a download to a move in a minute, without Rust: the archive, the wheel, and the container.

    crates/cli/packaging/archive
    tests/acceptance/install.py [NAME ...]      (without a name: archive, wheel, container; some two minutes)

GGP_ARCHIVE names the archive (the newest in target/dist), GGP_WHEEL the wheel (the newest in target/wheels), GGP_SCRATCH a
directory that is kept, with the Debian system in it. Runs as root, since it calls chroot and mounts; it opens ports of
127.0.0.1 only.

*archive* makes a chroot of Debian's smallest system with debootstrap, from the mirror of this machine, and unpacks the
archive there. *wheel* installs the wheel in a bare virtual environment. *container* makes the root folder by the
Containerfile in the archive and runs it as a container does: another user, nothing that can be written, no other file. A
browser outside (Chromium, if it is there) clicks on the board; without one, a program asks as the pages do.
"""

import glob
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time

from common import ROOT, SCRATCH, check, run
from web import Browser, ask

MINUTE = 60
PLAIN = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8"}


def newest(variable, pattern):
    found = [os.environ[variable]] if variable in os.environ else glob.glob(os.path.join(ROOT, pattern))
    if not found:
        sys.exit(f"nothing matches {pattern}; {variable} names another file")
    return max(found, key=os.path.getmtime)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def show(title, began):
    """Prints the time since `began`, and the processor time of the programs that have ended since the script began."""
    used = os.times()
    used = used.children_user + used.children_system
    print(f"  {time.monotonic() - began:5.1f} s  {title} ({used:.1f} s of processor time so far)", flush=True)


def call(words, **more):
    """Runs a command; its exit code and what it printed."""
    done = subprocess.run(words, capture_output=True, text=True, env=PLAIN, **more)
    return done.returncode, done.stdout + done.stderr


def unpack(folder):
    subprocess.run(["tar", "-xzf", newest("GGP_ARCHIVE", "target/dist/*.tar.gz"), "-C", folder], check=True)
    [top] = glob.glob(os.path.join(folder, "ggp-*"))
    return top


class Served:
    """A server that a command starts, whose first line of output ends with its address."""

    def __init__(self, words, env=PLAIN, cwd=None):
        self.child = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=env, cwd=cwd)
        self.address = self.child.stdout.readline().split()[-1].rstrip("/").replace("0.0.0.0", "127.0.0.1")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.terminate()
        self.child.wait(timeout=20)


def move(address, began):
    """A person's move on the board, and the engine's answer."""
    body = {"game": "connect_four", "seats": [{"kind": "person"}, {"kind": "engine", "seconds": 1}]}
    session = address + "/api/sessions/" + ask("POST", address + "/api/sessions", body)["id"]
    show("a session is open", began)
    if shutil.which("chromedriver") and shutil.which("chromium"):
        with Browser() as browser:
            browser.post("/url", url=address + "/#s=" + session.rsplit("/", 1)[1])
            browser.wait("document.querySelector('.square.next') !== null")
            show("Chromium shows the board", began)
            browser.click(".square.next")
            browser.wait("document.querySelectorAll('.step').length >= 3")
            how = "a click in Chromium"
    else:
        node = ask("GET", session)["status"]["node"]
        ask("POST", session + "/move", {"node": 0, "role": 0, "move": node["legal"][0][0]["move"]})
        how = "a request as of the page (no Chromium here)"
    while ask("GET", session)["status"]["count"] < 3:
        time.sleep(0.05)
    took = time.monotonic() - began
    show(f"the engine has answered {how}", began)
    check(f"from nothing to a move in {took:.1f} s, under {MINUTE}", took < MINUTE)


def debian():
    """A fresh folder with Debian's smallest system."""
    folder = os.path.join(SCRATCH, "debian")
    if not os.path.exists(os.path.join(folder, "bin/sh")):
        began = time.monotonic()
        release = re.search(r"VERSION_CODENAME=(\w+)", open("/etc/os-release").read()).group(1)
        mirror = next(iter(re.findall(r"https?://\S+", call(["apt-get", "indextargets", "--format", "$(SITE)"])[1])), "")
        words = ["debootstrap", "--variant=minbase", release, folder, *([mirror] if mirror else [])]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            sys.exit("debootstrap: " + done.stdout[-1000:] + done.stderr[-1000:])
        show(f"debootstrap --variant=minbase {release} (not counted)", began)
    # Every installed system has this file, and so has a container; debootstrap leaves it to the installer.
    with open(os.path.join(folder, "etc/hosts"), "w") as hosts:
        hosts.write("127.0.0.1 localhost\n")
    return folder


def archive():
    """The archive alone, in Debian's smallest system."""
    system = debian()
    place = os.path.join(system, "opt/try")
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place)
    shutil.copy(newest("GGP_ARCHIVE", "target/dist/*.tar.gz"), os.path.join(place, "ggp.tar.gz"))
    inside = ["chroot", system, "/bin/sh", "-c"]
    code, told = call([*inside, "command -v rustc cargo cc gcc python3; dpkg-query -f '.' -W | wc -c"])
    check(f"it has {told.strip()} packages, and neither Rust nor a compiler nor Python", told.strip().isdigit())
    began = time.monotonic()
    enter = "cd /opt/try && cd ggp-*/ && "
    code, told = call([*inside, "cd /opt/try && tar -xzf ggp.tar.gz && cd ggp-*/ && sha256sum --quiet -c SHA256SUMS"])
    check("it unpacks, and the checksums are right" + told, code == 0)
    show("unpacked and compared", began)
    code, told = call([*inside, enter + "bin/ggp doctor"])
    check("ggp doctor passes", code == 0 and told.count("passed: ") == 3)
    show("ggp doctor", began)
    with Served([*inside, enter + "exec bin/ggp web --port 0"]) as server:
        show(server.address, began)
        move(server.address, began)
        port = server.address.rsplit(":", 1)[1]
        code, told = call([*inside, enter + f"bin/ggp doctor --reach localhost:{port}"])
        check("a static binary finds a host by its name: " + told.strip(), code == 0)
    code, told = call([*inside, enter + "bin/ggp play games/tic_tac_toe.kif --playclock 0.1"])
    check("ggp play plays a game of the archive", code == 0 and "Over after" in told)
    places = ["share/man/man1/ggp-play.1", "share/bash-completion/completions/ggp", "share/zsh/site-functions/_ggp",
              "share/doc/ggp/LICENCES.txt", "share/doc/ggp/sbom.cdx.json", "Containerfile", "INSTALL.md"]
    top = glob.glob(os.path.join(place, "ggp-*/"))[0]
    check("manual pages, completions, licences and the SBOM are there",
          all(os.path.getsize(os.path.join(top, path)) > 500 for path in places))


def wheel():
    """The wheel alone, in a bare virtual environment."""
    file = newest("GGP_WHEEL", "target/wheels/*.whl")
    place = os.path.join(SCRATCH, "environment")
    shutil.rmtree(place, ignore_errors=True)
    began = time.monotonic()
    subprocess.run([os.environ.get("GGP_PYTHON", sys.executable), "-m", "venv", place], check=True)
    show("python -m venv", began)
    environment = {**os.environ, **PLAIN, "PATH": f"{place}/bin:/usr/bin:/bin"}
    subprocess.run(["pip", "install", "--quiet", "--disable-pip-version-check", file], check=True, env=environment,
                   executable=f"{place}/bin/pip")
    show("pip install, with numpy", began)
    code, told = call([f"{place}/bin/ggp", "doctor"], cwd="/")
    check("ggp doctor passes", code == 0 and told.count("passed: ") == 3)
    show("ggp doctor", began)
    with Served([f"{place}/bin/ggp", "web", "--port", "0"], env={**PLAIN, "PATH": f"{place}/bin:/usr/bin:/bin"},
                cwd="/") as server:
        move(server.address, began)
    code, told = call([f"{place}/bin/python", "-c", "import ggp; print(ggp.__name__)"], cwd="/")
    check("Python imports it", code == 0 and told.strip() == "ggp")


def instructions(path):
    """The instructions of a Containerfile, each as its name and its words."""
    text = re.sub(r"\\\n", " ", open(path).read())
    return [(line.split()[0], line.split(maxsplit=1)[1]) for line in text.splitlines() if line and line[0] != "#"]


def words_of(text):
    return json.loads(text[text.index("["):])


def files(folder):
    """All files and folders below a folder, with their times."""
    return {path: os.lstat(path).st_mtime_ns for top, folders, names in os.walk(folder)
            for path in [top, *(os.path.join(top, name) for name in folders + names)]}


def container():
    """The root folder of the container, as user 65532, without a file that can be written."""
    began = time.monotonic()
    context = os.path.join(SCRATCH, "context")
    root = os.path.join(SCRATCH, "root")
    for folder in (context, root):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
    context = unpack(context)
    user, environment, entry, first, health = None, {}, None, None, None
    for name, rest in instructions(os.path.join(context, "Containerfile")):
        if name == "COPY":
            source, target = rest.split()
            source, target = os.path.join(context, source), os.path.join(root, target.lstrip("/"))
            os.makedirs(os.path.dirname(target), exist_ok=True)
            (shutil.copytree if os.path.isdir(source) else shutil.copy2)(source, target)
        elif name == "ENV":
            environment.update(pair.split("=", 1) for pair in rest.split())
        elif name == "USER":
            user = rest
        elif name == "ENTRYPOINT":
            entry = words_of(rest)
        elif name == "CMD":
            first = words_of(rest)
        elif name == "HEALTHCHECK":
            health = words_of(rest)
    show("the root folder, from the archive", began)
    before = files(root)
    port = str(free_port())
    # The tests may not use port 8080 of this machine.
    first = [port if word == "8080" else word for word in first]
    health = [word.replace("8080", port) for word in health]
    # The programs of this machine have whole paths, because the environment is that of the container.
    mount, chroot, unshare = map(shutil.which, ("mount", "chroot", "unshare"))
    enter = f'{mount} --bind "{root}" "{root}" && {mount} -o remount,bind,ro "{root}" && ' \
            f'exec {chroot} --userspec={user} "{root}" "$@"'
    inside = [unshare, "--mount", "/bin/sh", "-c", enter, "sh"]

    def command(*words):
        done = subprocess.run([*inside, *words], capture_output=True, text=True, env=environment)
        return done.returncode, done.stdout + done.stderr

    check(f"it runs as another user: {user}", user and not user.startswith("0") and user != "root")
    code, told = command(*entry, "doctor")
    check("ggp doctor passes, without /proc, /dev and /tmp", code == 0 and told.count("passed: ") == 3)
    show("ggp doctor", began)
    code, told = command(*health)
    check(f"the health check fails before the server is there: {told.strip()}", code == 1)
    with Served([*inside, *entry, *first], env=environment) as server:
        move(server.address, began)
        code, told = command(*health)
        check(f"the health check passes: {told.strip()}", code == 0)
        status = open(f"/proc/{server.child.pid}/status").read()
        check("the server has no rights of root", re.search(r"Uid:\s+65532\s+65532", status) is not None)
    served = [*inside, *entry, "serve", "--bind", "0.0.0.0", "--port", port, "mcts"]
    with Served(served, env=environment):
        code, told = command(*health)
        check(f"the health check passes for a player: {told.strip()}", code == 0)
        words = [os.path.join(context, "bin/ggp"), "host", os.path.join(context, "games/tic_tac_toe.kif"),
                 "--player", f"x=http://127.0.0.1:{port}", "--player", "o=random", "--startclock", "2", "--playclock", "1"]
        code, told = call(words)
        check("the player plays a match", code == 0 and "Over after" in told)
    check("nothing was written", files(root) == before)


if __name__ == "__main__":
    run((archive, wheel, container))
