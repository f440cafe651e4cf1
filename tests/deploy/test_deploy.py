"""What is shipped for a service holds what it promises, as far as it can be seen without an engine for containers."""

import plistlib
import re
import shutil
import subprocess
import sys

import pytest

from cued.surfaces.cli.root import cued_command
from cued.surfaces.http.asking import MAX_BODY
from tests.docs.pages import ROOT

DEPLOY = ROOT / "deploy"


def text(name):
    return (DEPLOY / name).read_text("utf-8")


def options(command):
    return {option for param in cued_command.get_command(None, command).params for option in param.opts}


def test_the_image_runs_as_its_own_user_keeps_everything_in_a_volume_and_is_looked_after():
    dockerfile = text("Dockerfile")
    last = dockerfile.rpartition("\nFROM ")[2]
    (user,) = re.findall(r"^USER (\d+)$", last, re.MULTILINE)
    assert f"--uid {user} " in last
    assert last.index("USER") < last.index("ENTRYPOINT")
    assert "VOLUME /data" in last
    assert "CUED_DB=/data/" in last
    assert "/healthz" in re.search(r"HEALTHCHECK.*\n.*", last)[0]
    assert "pip install" not in last
    assert set(re.findall(r'"(--[a-z-]+)"', last)) <= options("serve")


@pytest.mark.parametrize("file", ["compose.yaml", "postgres/compose.yaml"])
def test_what_a_container_is_told_is_what_its_image_takes(file):
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    service = yaml.safe_load(text(file))["services"]["cued"]
    context = (DEPLOY / file).parent / service["build"]["context"]
    assert (context / service["build"]["dockerfile"]).resolve() == DEPLOY / "Dockerfile"
    # the image's entry point is `cued` itself
    assert service["command"][0] == "serve"
    assert {word for word in service["command"] if word.startswith("--")} <= options("serve")
    for line in re.findall(r"run --rm cued (\S+) (\S+)", text(file)):
        assert line in {("token", "create"), ("db", "init")}
    extras = re.search(r"\[([a-z0-9,]+)\]", text("Dockerfile"))[1].split(",")
    assert {"server", "postgres"} <= set(extras)


def test_an_address_that_is_not_known_before_the_tables_are_made_is_not_asked_for():
    assert ":?" not in re.search(r"CUED_DB: (.*)", text("postgres/compose.yaml"))[1]


@pytest.mark.parametrize("file", ["compose.yaml", "postgres/compose.yaml"])
def test_the_containers_root_is_read_only_and_it_may_do_nothing_special(file):
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    compose = yaml.safe_load(text(file))
    service = compose["services"]["cued"]
    assert (service["read_only"], service["cap_drop"], service["security_opt"]) == (True, ["ALL"], ["no-new-privileges:true"])
    assert {each.partition(":")[0] for each in service.get("volumes", ())} <= set(compose["volumes"])
    assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))


def test_the_unit_is_one_that_systemd_takes_and_is_shut_in(tmp_path):
    unit = text("cued.service")
    for line in ("NoNewPrivileges=yes", "ProtectSystem=strict", "ProtectHome=yes", "User=cued", "StateDirectory=cued"):
        assert line in unit.splitlines()
    # a dynamic user's folder is root's alone outside of the service, so that nobody could make a token for it
    assert "DynamicUser=yes" not in unit
    started = re.search(r"^ExecStart=\S+ (.*)$", unit, re.MULTILINE)[1].split()
    assert {word for word in started if word.startswith("--")} <= options(started[0])
    analyse = shutil.which("systemd-analyze")
    if analyse is None:
        pytest.skip("systemd-analyze is not installed: the unit was read, not verified")
    (tmp_path / "cued.service").write_text(unit.replace("/opt/cued/bin/cued", sys.executable), "utf-8")
    done = subprocess.run([analyse, "verify", "--man=no", tmp_path / "cued.service"], check=False, capture_output=True, text=True)
    assert (done.returncode, [line for line in done.stderr.splitlines() if "cued.service" in line]) == (0, [])


def test_the_agent_of_launchd_is_a_property_list_that_starts_the_server():
    told = plistlib.loads((DEPLOY / "cued.plist").read_bytes())
    assert told["ProgramArguments"][1] == "serve"
    assert {word for word in told["ProgramArguments"] if word.startswith("--")} <= options("serve")
    assert told["Umask"] == 0o077


def test_a_proxy_hands_on_the_name_and_lets_through_what_the_server_does():
    nginx = text("nginx.conf")
    assert "proxy_set_header Host $host;" in nginx
    assert int(re.search(r"client_max_body_size (\d+)m;", nginx)[1]) * 1_000_000 >= MAX_BODY
    assert int(re.search(r"proxy_read_timeout (\d+)s;", nginx)[1]) > 600
    assert "reverse_proxy 127.0.0.1:7333" in text("Caddyfile")
