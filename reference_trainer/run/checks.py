"""What can be checked before anything is compiled: devices, packages, vocabularies."""

from __future__ import annotations

import importlib.util

from reference_trainer import parallel
from reference_trainer.config import Config, ConfigError, DataError
from reference_trainer.data.batch import Corpus


def check(config: Config, corpus: Corpus) -> None:
    """ConfigError or DataError: the devices do not fit the batch, the model does not fit the data,
    or a package is missing. A token beyond the table would read its last row, a negative one wrap.
    """
    parallel.check(config)
    if config.data.loader == "grain" and importlib.util.find_spec("grain") is None:
        raise DataError("data.loader=grain: pip install grain; or data.loader=simple")
    for name, sizes in (("inputs", config.model.features), ("targets", config.model.heads)):
        for document in (*corpus.train, *corpus.held_out):
            tokens = getattr(document, name)
            least, largest = tokens.min(axis=0), tokens.max(axis=0)
            if len(largest) != len(sizes) or (largest >= sizes).any() or (least < 0).any():
                raise ConfigError(
                    f"the data have {name} from {least.tolist()} to {largest.tolist()}, the model "
                    f"has vocabularies of {list(sizes)}: set model.features and model.heads"
                )
