"""Named configurations; `--preset NAME`, then `section.name=value` to change what you like."""

from __future__ import annotations

from reference_trainer.config import Compute, Config, Data, Model, Optimizer, Run

GPT2_VOCABULARY = 50304  # 50257, rounded up to a multiple of 64

PRESETS: dict[str, Config] = {
    # Half a minute on two cores: below the order-2 n-gram.
    "cpu_smoke": Config(
        model=Model(width=96, depth=2, pattern=("ssm", "attention"), state=16),
        data=Data(limit=3000, length=128, batch=16),
        optimizer=Optimizer(learning_rate=4e-3, warmup=10),
        run=Run(steps=150, eval_every=75, eval_batches=8, save_every=75),
    ),
    # Minutes on two cores: below the order-5 n-gram, gzip and bz2.
    "cpu": Config(
        model=Model(width=128, depth=4, pattern=("ssm", "attention")),
        data=Data(length=256, batch=16),
        run=Run(steps=1100, eval_every=275, eval_batches=32, save_every=275),
    ),
    # Bach: the soprano is seen, three voices are to be played.
    "chorales": Config(
        model=Model(
            # Soprano now and whether it is struck, four voices one frame ago, place in the bar.
            features=(48, 2, 48, 48, 48, 48, 32),
            heads=(48, 48, 48),
            tied=False,
            width=96,
            depth=3,
        ),
        # The longest has 772 frames: none is cut, and a state is carried through all of it.
        data=Data(source="chorales", length=776, batch=4),
        run=Run(steps=250, eval_every=125, save_every=125),
    ),
    # GPT-2's shapes, for token ids; for text, which is bytes, `for_bytes` takes a table of 256.
    "h200_124m": Config(
        model=Model(
            features=(GPT2_VOCABULARY,),
            heads=(GPT2_VOCABULARY,),
            width=768,
            depth=12,
            head_width=64,
        ),
        compute=Compute(dtype="bfloat16", attention="cudnn", loss_chunk=128),
        data=Data(length=1024, batch=64, batching="bucket", held_out=0.01),
        optimizer=Optimizer(learning_rate=6e-4, warmup=700),
        run=Run(steps=20_000, eval_every=1000, eval_batches=64, save_every=1000),
    ),
    "h200_1b": Config(
        model=Model(
            features=(GPT2_VOCABULARY,),
            heads=(GPT2_VOCABULARY,),
            width=2048,
            depth=20,
            head_width=128,
        ),
        compute=Compute(dtype="bfloat16", attention="cudnn", loss_chunk=128, remat="dots"),
        data=Data(length=2048, batch=16, batching="bucket", held_out=0.01),
        optimizer=Optimizer(learning_rate=3e-4, warmup=1000),
        run=Run(steps=50_000, eval_every=1000, eval_batches=64, save_every=1000, parallel="fsdp"),
    ),
}


def for_bytes(config: Config) -> Config:
    """With text as data: a table of 256 in the place of GPT-2's, of which bytes use 256 rows."""
    if config.model.features != (GPT2_VOCABULARY,):
        return config
    return config.replace(model={"features": (256,), "heads": (256,)})
