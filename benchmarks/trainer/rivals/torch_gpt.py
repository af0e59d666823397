"""GPT-2's shape and a training step in PyTorch, as fast as a short program gets it.

bfloat16 by autocast over float32 parameters, flash attention, the fused AdamW, and `torch.compile`
where asked for. Functions over tensors, as in the rest of this code.

Axes: B rows, T steps, H heads, K head width, D width, F hidden, V vocabulary.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from reference_trainer.config import Config

torch: Any = importlib.import_module("torch")  # optional: checked without it
functional: Any = torch.nn.functional
Params = dict[str, Any]


def init(config: Config, device: str) -> Params:
    """Float32; the embedding is also the head."""
    model, width = config.model, config.model.width
    shapes: dict[str, tuple[int, ...]] = {
        "tokens": (model.features[0], width),
        "places": (config.data.length, width),
        "norm": (width,),
    }
    for i in range(model.depth):
        shapes |= {
            f"{i}.norm": (width,),
            f"{i}.qkv": (3 * width, width),
            f"{i}.out": (width, width),
            f"{i}.mlp_norm": (width,),
            f"{i}.up": (model.mlp * width, width),
            f"{i}.down": (width, model.mlp * width),
        }
    torch.manual_seed(config.run.seed)
    return {
        name: (torch.ones(shape) if len(shape) == 1 else 0.02 * torch.randn(shape))
        .to(device)
        .requires_grad_()
        for name, shape in shapes.items()
    }


def loss(params: Params, tokens_BT: Any, targets_BT: Any, config: Config) -> Any:
    """The mean over all targets."""
    width = config.model.width
    x_BTD = params["tokens"][tokens_BT] + params["places"]
    for i in range(config.model.depth):
        x_BTD = x_BTD + _attention(params, f"{i}.", x_BTD, config)
        y_BTD = functional.layer_norm(x_BTD, (width,), params[f"{i}.mlp_norm"])
        y_BTF = functional.gelu(functional.linear(y_BTD, params[f"{i}.up"]), approximate="tanh")
        x_BTD = x_BTD + functional.linear(y_BTF, params[f"{i}.down"])
    x_BTD = functional.layer_norm(x_BTD, (width,), params["norm"])
    logits_BTV = functional.linear(x_BTD, params["tokens"])
    return functional.cross_entropy(logits_BTV.flatten(0, 1), targets_BT.flatten())


def _attention(params: Params, layer: str, x_BTD: Any, config: Config) -> Any:
    rows, steps, width = x_BTD.shape
    y_BTD = functional.layer_norm(x_BTD, (width,), params[layer + "norm"])
    qkv = functional.linear(y_BTD, params[layer + "qkv"])
    parts = qkv.view(rows, steps, 3, -1, config.model.head_width).permute(2, 0, 3, 1, 4)
    out_BHTK = functional.scaled_dot_product_attention(*parts, is_causal=True)
    return functional.linear(out_BHTK.transpose(1, 2).flatten(2), params[layer + "out"])


class Training:
    """Parameters, an optimizer and a batch; each call trains and waits for the device.

    `losses` holds the first loss and the last: what does not learn is no rival.
    """

    def __init__(self, config: Config, steps: int, compiled: bool):
        self.config, self.steps = config, steps
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.params = init(config, self.device)
        self.losses: list[Any] = []
        made = torch.compile(loss) if compiled else loss
        self.loss: Callable[..., Any] = made
        settings = config.optimizer
        self.optimizer = torch.optim.AdamW(
            self.params.values(),
            lr=settings.learning_rate,
            betas=(settings.b1, settings.b2),
            weight_decay=settings.weight_decay,
            fused=True,
        )
        shape = (config.data.batch, config.data.length)
        self.tokens, self.targets = (
            torch.randint(config.model.features[0], shape, device=self.device) for _ in range(2)
        )

    def __call__(self) -> None:
        for _ in range(self.steps):
            with torch.autocast(self.device, dtype=torch.bfloat16):
                found = self.loss(self.params, self.tokens, self.targets, self.config)
            found.backward()
            torch.nn.utils.clip_grad_norm_(self.params.values(), self.config.optimizer.clip)
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)
            self.losses[1:] = [found.detach()]
        if self.device == "cuda":
            torch.cuda.synchronize()
