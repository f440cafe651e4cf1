"""The wheel's build hook: puts both encoders, their vocabulary and revisions into `src/cued_minilm/data/`."""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ModelBuildHook(BuildHookInterface[Any]):
    """Builds the model files before hatchling collects the package."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 (hatchling's signature)
        """Leave the finished data folder in the source tree, for a wheel and for an editable install alike."""
        root = Path(self.root)
        # The export code and the tokenizer it checks with live beside this file, in no installed package.
        sys.path[:0] = [str(root), str(root / "src")]
        from minilm_export.build import build  # noqa: PLC0415 (importable only now)

        build(root / "src" / "cued_minilm" / "data", root / "adapter" / "encoder.safetensors")
