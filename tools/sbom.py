"""What an environment is made of, as a bill of materials in CycloneDX 1.6: `python -I tools/sbom.py FILE`, run by that environment.

Each package comes with its licence and with what it needs; a package whose licence is not known to be free, or is not stated, is an error.
"""

import json
import re
import sys
import uuid
from importlib.metadata import Distribution, distribution, distributions
from pathlib import Path
from typing import Any

LEFT_OUT = frozenset({"pip", "setuptools", "wheel"})
"""What an environment is made with."""
FREE = re.compile(r"Apache|\bMIT|BSD|ISC\b|MPL|Mozilla|PSF|Python Software Foundation|Unlicense|Zlib|0BSD|Public Domain|OSI", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def bill(name: str) -> dict[str, Any]:
    """The bill of an environment, with the package of this name at its head."""
    known = {_normal(each.name): each for each in distributions() if _normal(each.name) not in LEFT_OUT}
    components = {key: _component(each) for key, each in sorted(known.items())}
    head = components.pop(_normal(name))
    edges = [{"ref": _ref(each), "dependsOn": sorted(_ref(known[key]) for key in _needs(each) if key in known)} for each in known.values()]
    listed = list(components.values())
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([head, listed]))}",
        "version": 1,
        "metadata": {"component": head},
        "components": listed,
        "dependencies": sorted(edges, key=lambda edge: str(edge["ref"])),
    }


def licence(package: Distribution) -> str:
    """The licence that a package states: as an expression, in a line, or by its classifiers; "" where it states none."""
    classified = [each.rpartition(" :: ")[2] for each in package.metadata.get_all("Classifier") or () if each.startswith("License ::")]
    line = _said(package, "License").strip().partition("\n")[0]
    return next((each for each in (_said(package, "License-Expression"), ", ".join(classified), line) if each), "")


def _said(package: Distribution, key: str) -> str:
    return str((package.metadata.get_all(key) or [""])[0])


def _component(package: Distribution) -> dict[str, Any]:
    stated = _said(package, "License-Expression")
    licences = [{"expression": stated}] if stated else [{"license": {"name": licence(package) or "not stated"}}]
    told = {"type": "library", "bom-ref": _ref(package), "name": package.name, "version": package.version}
    return {**told, "purl": _ref(package), "licenses": licences}


def _needs(package: Distribution) -> set[str]:
    """What a package needs, its extras included: of these only what is installed becomes an edge."""
    return {_normal(match[0]) for each in package.requires or () if (match := _NAME.match(each))}


def _ref(package: Distribution) -> str:
    return f"pkg:pypi/{_normal(package.name)}@{package.version}"


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def main(path: str) -> None:
    """Write the bill; tell each package whose licence would not do."""
    told = bill("cued")
    doubtful = [each for each in distributions() if _normal(each.name) not in LEFT_OUT and not FREE.search(licence(each))]
    if doubtful:
        raise SystemExit("licences to look at: " + ", ".join(f"{each.name} ({licence(each) or 'not stated'})" for each in doubtful))
    Path(path).write_text(json.dumps(told, indent=2, ensure_ascii=False) + "\n", "utf-8")
    print(f"{len(told['components'])} packages beside {distribution('cued').name}, each under a free licence: {path}")


if __name__ == "__main__":
    main(sys.argv[1])
