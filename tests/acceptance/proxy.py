#!/usr/bin/env python3
"""The pages behind real proxies, as the guide configures them: nginx and Caddy with TLS in front of `ggp web`.

    cargo build --release -p ggp-cli
    tests/acceptance/proxy.py [nginx|caddy]      (some 20 seconds on a machine at rest)

The configurations are the blocks of the guide's page on proxies, with other ports and a certificate of this run. Needs
python3 and openssl. A proxy that is missing is skipped; NGINX and CADDY name their programs. GGP names another binary.
The exit code is 1 when a check fails.
"""

import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import time

from common import GGP, ROOT, check, run

NAME, BASE = "games.example", "/ggp"
PAGE = os.path.join(ROOT, "crates/ggp/book/src/proxy.md")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def block(language):
    with open(PAGE) as file:
        return re.search(rf"```{language}\n(.*?)```", file.read(), re.S).group(1)


def configure_nginx(folder, server, port):
    files = "".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    text = block("nginx").replace("listen 443", f"listen 127.0.0.1:{port}").replace("127.0.0.1:8080", server)
    keys = f"ssl_certificate {folder}/cert.pem; ssl_certificate_key {folder}/key.pem;"
    text = text.replace("# ssl_certificate, ssl_certificate_key", keys)
    with open(f"{folder}/nginx.conf", "w") as file:
        file.write(f"daemon off; pid {folder}/pid; error_log {folder}/log;\nevents {{}}\n")
        file.write(f"http {{ access_log off; {files}\n{text}}}\n")
    subject = ["-subj", f"/CN={NAME}", "-keyout", f"{folder}/key.pem", "-out", f"{folder}/cert.pem"]
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *subject]
    subprocess.run(made, check=True, capture_output=True)
    return ["-c", f"{folder}/nginx.conf", "-p", folder]


def configure_caddy(folder, server, port):
    local = f"{{\n auto_https disable_redirects\n http_port {free_port()}\n https_port {port}\n local_certs\n"
    local += " skip_install_trust\n admin off\n}\n"
    with open(f"{folder}/Caddyfile", "w") as file:
        file.write(local + block("caddy").replace("127.0.0.1:8080", server))
    return ["run", "--config", f"{folder}/Caddyfile", "--adapter", "caddyfile"]


def request(port, method, path, body=None, origin=None, first=False):
    """The status and the body of an answer; with `first`, only what comes first of a stream."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    host = f"{NAME}:{port}"
    head = f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin or 'https://' + host}\r\n"
    text = b"" if body is None else json.dumps(body).encode()
    head += f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\nConnection: close\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=20) as plain:
        with context.wrap_socket(plain, server_hostname=NAME) as stream:
            stream.sendall(head.encode() + text)
            answer = b""
            while part := stream.recv(1 << 16):
                answer += part
                if first and b"event: status" in answer:
                    break
    return int(answer.split(b" ")[1]), answer.decode(errors="replace")


def wait(port, process):
    end = time.monotonic() + 30
    while time.monotonic() < end and process.poll() is None:
        try:
            return request(port, "GET", f"{BASE}/")
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the proxy does not answer")


def through(name, configure):
    program = os.environ.get(name.upper(), name)
    if not shutil.which(program):
        print(f"  SKIPPED: there is no {program}")
        return
    command = [GGP, "web", "--port", "0", "--host", NAME, "--base-path", BASE]
    web = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    server = web.stdout.readline().split("//")[1].split("/")[0]
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        arguments = configure(folder, server, port)
        proxy = subprocess.Popen([program, *arguments], env={**os.environ, "HOME": folder}, stderr=subprocess.DEVNULL)
        try:
            status, page = wait(port, proxy)
            assets = re.findall(r'(?:href|src)="(assets/[^"]+)"', page)
            found = [request(port, "GET", f"{BASE}/{asset}")[0] for asset in assets]
            check(f"the page and its {len(assets)} files: {status}, {set(found)}", (status, set(found)) == (200, {200}))
            seats = [{"kind": "person"}, {"kind": "engine", "iterations": 20}]
            status, opened = request(port, "POST", f"{BASE}/api/sessions", {"game": "nim", "seats": seats})
            session = f"{BASE}/api/sessions/" + re.search('"id":"([0-9a-f]+)"', opened).group(1)
            forged = request(port, "POST", f"{session}/hurry", {}, origin="https://evil.example")[0]
            own = request(port, "POST", f"{session}/hurry", {})[0]
            told = (status, forged, own)
            check(f"a session, then a request of a foreign page and of its own: {told}", told == (200, 403, 200))
            began = time.monotonic()
            _, events = request(port, "GET", f"{session}/events", first=True)
            seconds = round(time.monotonic() - began, 2)
            check(f"the first event after {seconds} s", "event: status" in events and seconds < 5)
        finally:
            for process in (proxy, web):
                process.terminate()
                process.wait()


def nginx():
    """The configuration for nginx."""
    through("nginx", configure_nginx)


def caddy():
    """The configuration for Caddy."""
    through("caddy", configure_caddy)


run([nginx, caddy])
