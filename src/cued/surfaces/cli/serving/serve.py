"""`cued serve`: the memories over HTTP."""

from pathlib import Path

import click

from cued.errors import InputError
from cued.handles.memories import IN_MEMORY, Memories, open_memories
from cued.model import LogRules, Quotas
from cued.policy.presets import DEFAULT
from cued.surfaces.cli.commands import Command, Settings, settings
from cued.surfaces.cli.opening import make_folder, noting_warnings
from cued.surfaces.cli.output import say
from cued.surfaces.resident import answers
from cued.text.durations import parse_duration

DEMO_TENANT = "ines"
_JOBS = ("sweep", "consolidate", "preview", "reembed")


@click.command(name="serve", cls=Command, globals_shown=("db", "tenant", "embedder", "policy", "keep"))
@click.option("--host", default="127.0.0.1", help="Where to listen. Default: 127.0.0.1, which only this machine reaches.")
@click.option("--port", type=click.IntRange(0, 65535), default=7333, help="The port; 0 takes a free one. Default: 7333.")
@click.option("--allow-host", "names", metavar="NAME", multiple=True, help="A name that clients call this server by; may be repeated.")
@click.option("--behind-proxy", is_flag=True, help="A proxy before it has TLS: say nothing of plain HTTP.")
@click.option("--tls-cert", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Serve HTTPS with it.")
@click.option("--tls-key", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="The certificate's key.")
@click.option("--rate", type=click.FloatRange(1), default=100.0, help="Requests a second with one token. Default: 100.")
@click.option("--max-body", type=click.IntRange(1000), default=8_000_000, help="Bytes that one request may have. Default: 8000000.")
@click.option("--threads", type=click.IntRange(2), default=4, help="How many verbs run at the same time in a process. Default: 4.")
@click.option(
    "--processes",
    type=click.IntRange(1, 256),
    default=1,
    help="How many processes serve, at most one a core; rates and quotas are theirs together. Default: 1.",
)
@click.option("--quota-memories", type=click.IntRange(1), help="At most so many memories a tenant. Default: no bound.")
@click.option("--quota-bytes", type=click.IntRange(1), help="At most so many bytes of memories a tenant. Default: no bound.")
@click.option("--quota-recalls", type=click.IntRange(1), help="At most so many recalls a minute and tenant. Default: no bound.")
@click.option("--upkeep", "jobs", type=click.Choice(_JOBS), multiple=True, help="Do this for every tenant, now and then; may be repeated.")
@click.option("--demo", is_flag=True, help="Serve a made-up year of memories out of this process alone, to look around in.")
@click.option("--resident", metavar="TIME", help="Answer your own commands alone, at no port, and end when none has come for so long.")
@click.option("--upkeep-every", "every", metavar="TIME", default="6h", help="How often. Default: 6h.")
@click.option("--mem0", "as_mem0", is_flag=True, help="Also answer mem0's REST interface, at /mem0.")
@click.option("--shadow", metavar="NAME|FILE", help="A second policy that decides beside the first; `cued insight --compare` tells.")
@click.option("--share", type=click.FloatRange(0, 1), default=0.0, help="Show it to this share of the conversations. Default: 0.")
def serve_command(  # noqa: PLR0913 - one parameter an option
    host: str,
    port: int,
    *,
    names: tuple[str, ...],
    behind_proxy: bool,
    tls_cert: Path | None,
    tls_key: Path | None,
    rate: float,
    max_body: int,
    threads: int,
    processes: int,
    quota_memories: int | None,
    quota_bytes: int | None,
    quota_recalls: int | None,
    jobs: tuple[str, ...],
    demo: bool,
    resident: str | None,
    every: str,
    as_mem0: bool,
    shadow: str | None,
    share: float,
) -> None:
    """Serve the memories over HTTP until it is stopped; what each token may do, `cued token` says."""
    try:
        from cued.surfaces.http.agents import agents  # noqa: PLC0415 - the server's packages are an extra
        from cued.surfaces.http.app import Chores, Limits  # noqa: PLC0415
        from cued.surfaces.http.mem0_paths import mem0  # noqa: PLC0415
        from cued.surfaces.http.offering import Started  # noqa: PLC0415
        from cued.surfaces.http.serving import ListenAddress, serve, stay  # noqa: PLC0415
    except ImportError as error:
        raise InputError("serve", str(error), "the server's packages: pip install 'cued[server]'") from error
    chosen = settings()
    started = Started(db=chosen.db, embedder=chosen.embedder, policy=chosen.policy)
    place = ListenAddress(host=host, port=port, names=names, behind_proxy=behind_proxy, certificate=tls_cert, key=tls_key)
    limits = Limits(body_bytes=max_body, threads=threads)
    chores = Chores(jobs=tuple(dict.fromkeys(jobs)), every_s=parse_duration(every, field="--upkeep-every").total_seconds())
    quotas = Quotas(memories=quota_memories, bytes=quota_bytes, recalls_a_minute=quota_recalls)
    if processes > 1 and (demo or resident is not None or str(chosen.db) == IN_MEMORY):
        raise InputError("--processes", processes, "1 with --demo, with --resident and in memory: these are one process")
    if resident is not None:
        idle_s = parse_duration(resident, field="--resident").total_seconds()
        if demo:
            raise InputError("--resident", resident, "nothing beside --demo, whose memories no command asks for")
        if not answers(chosen.db):
            with _opened(chosen, quotas, shadow=shadow, share=share) as memories:
                stay(memories, started, tenant=chosen.tenant, idle_s=idle_s, limits=limits, chores=chores)
        return
    with noting_warnings():
        memories = _made_up(chosen) if demo else _opened(chosen, quotas, shadow=shadow, share=share)
    with memories:
        serve(
            memories,
            place,
            tenant=DEMO_TENANT if demo else chosen.tenant,
            say=lambda text: say(f"{text}\n"),
            rate=rate,
            limits=limits,
            chores=chores,
            mounted=(*agents(memories), *(mem0(memories, most_bytes=max_body) if as_mem0 else ())),
            started=None if demo else started,
            processes=processes,
        )


def _opened(chosen: Settings, quotas: Quotas, *, shadow: str | None, share: float) -> Memories:
    make_folder(chosen)
    log = None if chosen.keep is None else LogRules(content=chosen.keep)  # type: ignore[arg-type]  # checked by the rules
    parts = {"embedder": chosen.embedder, "policy": chosen.policy or DEFAULT, "shadow": shadow, "share": share}
    return open_memories(chosen.db, log=log, quotas=quotas, journal=chosen.journal, **parts)  # type: ignore[arg-type]


def _made_up(chosen: Settings) -> Memories:
    from cued.surfaces.inspector.demonstration import demonstration  # noqa: PLC0415 - the server's packages are an extra

    return demonstration(embedder=chosen.embedder)
