"""Options that nothing reads: flags, fields, attributes, parameters; across files and runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from gotcha_lint import engine
from gotcha_lint.config.settings import Settings
from gotcha_lint.finding import Finding
from gotcha_lint.memo.unit_store import UnitStore
from tests.lint.support import code, found, lint_files, marks, write

UNREAD = {
    "an option of a module that holds arrays": """
        import equinox as eqx
        import jax


        class Scale(eqx.Module):
            weight: jax.Array
            use_bias: bool = True  # ! option-not-read

            def __call__(self, x):
                return x * self.weight


        scale = Scale(weight=jax.numpy.ones(3), use_bias=False)
        """,
    "fields of a class that holds arrays: they are results": """
        from typing import Optional

        import flax
        import jax
        import jax.numpy as jnp


        @flax.struct.dataclass
        class Output:
            action: jax.Array
            entropy: Optional[jax.Array] = None
            source: Optional[str] = None


        def act(x):
            return Output(action=jnp.tanh(x), entropy=x, source="policy").action
        """,
    "fields of a module without methods": """
        import equinox as eqx
        import jax


        class Inputs(eqx.Module):
            target: "State"
            is_on: bool


        def inputs(state):
            return jax.tree.map(jax.numpy.ones_like, Inputs(target=state, is_on=True))
        """,
    "an attribute of a module that is kept first": """
        import jax
        from flax import nnx


        class Net(nnx.Module):
            def __init__(self, rngs, limit=1.0):
                self.limit = limit  # ! option-not-read
                self.out = nnx.Linear(2, 2, rngs=rngs)

            def __call__(self, x):
                return jax.nn.relu(self.out(x))


        net = Net(nnx.Rngs(0), limit=0.5)
        """,
    "a field whose default stands in a call, and one without a value": """
        from dataclasses import dataclass, field

        import jax


        @dataclass
        class Config:
            clip: float = field(default=1.0, metadata={"help": "of gradients"})  # ! option-not-read
            window: int | None = None  # ! option-not-read
            rate: float = field(default=0.1)
            mode: str = "a"


        def update(config: Config, w, g):
            return jax.jit(lambda w, g: w - config.rate * g)(w, g) if config.mode else w


        w = update(Config(clip=2.0, window=128), 1.0, 1.0)
        """,
    "a field of a pydantic model, but for the tag that tells models apart": """
        from typing import Literal

        import jax
        from pydantic import BaseModel


        class Attention(BaseModel):
            type: Literal["attention"] = "attention"
            heads: int = 4
            kernel: Literal["xla", "cudnn"] = "xla"  # ! option-not-read


        def scores(config: Attention, x):
            return jax.nn.softmax(x.reshape(config.heads, -1))


        y = scores(Attention(kernel="cudnn"), jax.numpy.ones(8))
        """,
    "a field of a module": """
        import flax.linen as nn


        class Block(nn.Module):
            width: int = 4
            dropout: float = 0.1  # ! option-not-read

            @nn.compact
            def __call__(self, x):
                return nn.Dense(self.width)(x)


        block = Block(dropout=0.5)
        """,
    "an attribute that is only kept": """
        import jax


        class Trainer:
            def __init__(self, step, max_norm=1.0):
                self.step = jax.jit(step)
                self.max_norm = max_norm  # ! option-not-read

            def train(self, state, batches):
                for batch in batches:
                    state = self.step(state, batch)
                return state


        def main(step, state, batches):
            return Trainer(step, max_norm=0.5).train(state, batches)
        """,
    "an attribute of a class whose base is known": """
        import jax


        class Base:
            def __init__(self, step):
                self.step = jax.jit(step)


        class Trainer(Base):
            def __init__(self, step, *, warmup=100):
                super().__init__(step)
                self.warmup = warmup  # ! option-not-read

            def train(self, state):
                return self.step(state)


        def main(step, state):
            return Trainer(step, warmup=10).train(state)
        """,
    "a flag of the command line": """
        import argparse

        import jax


        def main():
            parser = argparse.ArgumentParser()
            parser.add_argument("--label-smoothing", type=float)  # ! option-not-read
            parser.add_argument("--seed", type=int)
            return jax.random.key(parser.parse_args().seed)
        """,
    "a flag of absl": """
        import jax
        from absl import flags

        FLAGS = flags.FLAGS
        flags.DEFINE_float("weight_decay", 0.1, "not used")  # ! option-not-read
        flags.DEFINE_integer("seed", 0, "used")


        def main(_):
            return jax.random.key(FLAGS.seed)
        """,
    "a key of a configuration": """
        import jax
        import ml_collections


        def get_config():
            return ml_collections.ConfigDict({
                "seed": 0,
                "kl": 0.1,  # ! option-not-read
            })


        def main(config):
            return jax.random.key(config["seed"])
        """,
    "a parameter that is given": """
        import jax


        def sample(logits, key, temperature=1.0, splits=4):  # ! option-not-read
            return jax.random.categorical(key, logits / temperature)


        def main(logits, key):
            return sample(logits, key, splits=2)
        """,
    "a parameter of a constructor": """
        import jax


        class Sampler:
            def __init__(self, model, top_k=0):  # ! option-not-read
                self.model = jax.jit(model)

            def sample(self, x):
                return self.model(x)


        def main(model, x):
            return Sampler(model, top_k=40).sample(x)
        """,
}
UNREAD |= {
    "a parameter that is given by its position": """
        import jax


        def sample(logits, key, rows=3, *, top=1):  # ! option-not-read
            return jax.random.categorical(key, logits)[:top]


        y = sample(jax.numpy.ones(4), jax.random.key(0), 5)
        """,
    "an option that a module has, too": """
        import argparse

        import flax.linen as nn


        class Net(nn.Module):
            activation: str = "tanh"

            @nn.compact
            def __call__(self, x):
                return nn.tanh(x) if self.activation == "tanh" else nn.relu(x)


        def main():
            parser = argparse.ArgumentParser()
            parser.add_argument("--activation")  # ! option-not-read
            parser.parse_args()
            return Net()
        """,
}

READ = {
    "through getattr": """
        import jax


        class Trainer:
            def __init__(self, step, clip=1.0):
                self.step = jax.jit(step)
                self.clip = clip

            def show(self):
                return [getattr(self, name) for name in ("clip", "step")]
        """,
    "by the constructor itself": """
        import jax


        class Trainer:
            def __init__(self, step, clip=1.0):
                self.clip = clip
                self.step = jax.jit(lambda x: step(x).clip(clip))
        """,
    "by a base of another library": """
        import jax
        from somewhere import Base


        class Trainer(Base):
            def __init__(self, step, clip=1.0):
                self.step = jax.jit(step)
                self.clip = clip
        """,
    "fields that hold results": """
        import dataclasses

        import jax


        @dataclasses.dataclass
        class Result:
            loss: jax.Array
            steps: int = 0

            @classmethod
            def of(cls, losses):
                return cls(loss=sum(losses), steps=len(losses))
        """,
    "a parameter that is deleted on purpose": """
        import jax


        def sample(logits, key, splits=4):
            del splits
            for _ in range(3):
                key, sub = jax.random.split(key)
            return jax.random.categorical(sub, logits)


        def main(logits, key):
            return sample(logits, key, splits=2)
        """,
    "two functions of one name": """
        import jax


        class Greedy:
            def sample(self, logits, temperature=1.0):
                return [logits.argmax(-1) for _ in range(3)]


        class Random:
            def sample(self, logits, temperature=1.0):
                return jax.random.categorical(jax.random.key(0), logits / temperature)


        def main(sampler, logits):
            return sampler.sample(logits, temperature=0.5)
        """,
    "a stub": """
        import jax


        def sample(logits, key, splits=4):
            raise NotImplementedError


        def main(logits, key):
            return jax.jit(sample)(logits, key), sample(logits, key, splits=2)
        """,
    "a stub that raises an error of its own": """
        import jax


        class Source:
            def examples(self, ordered, *, cached=True):
                raise RuntimeError(f"not implemented for {self.__class__.__name__}")


        def main(source: Source, step):
            return [jax.jit(step)(x) for x in source.examples(True, cached=False)]
        """,
    "a parameter that a closure reads": """
        import jax


        def sampler(logits, temperature=1.0):
            def sample(key):
                return jax.random.categorical(key, logits / temperature)

            return [sample(key) for key in jax.random.split(jax.random.key(0))]


        def main(logits):
            return sampler(logits, temperature=0.5)
        """,
    "a dict of the flags": """
        import argparse

        import jax


        def main():
            parser = argparse.ArgumentParser()
            parser.add_argument("--seed", type=int)
            config = {key.upper(): value for key, value in vars(parser.parse_args()).items()}
            return jax.random.key(config["SEED"])
        """,
}


@pytest.mark.parametrize("name", UNREAD)
def test_nothing_reads_it(tmp_path: Path, name: str) -> None:
    source = code(UNREAD[name])
    assert found(_lint(tmp_path, {"train.py": source})) == marks(source)


@pytest.mark.parametrize("name", READ)
def test_something_reads_it(tmp_path: Path, name: str) -> None:
    assert not _lint(tmp_path, {"train.py": code(READ[name])})


def _lint(folder: Path, files: dict[str, str]) -> list[Finding]:
    return lint_files(folder, files, select=("option-not-read",))


MODEL = """
    import flax.linen as nn


    class Block(nn.Module):
        width: int = 4
        dropout: float = 0.1

        @nn.compact
        def __call__(self, x):
            return nn.Dense(self.width)(x)
"""
USER = """
    from model import Block


    def show(block: Block):
        return block.dropout
"""
GIVES = """
    from model import Block


    def build(args):
        return Block(width=args.width, dropout=args.dropout)
"""


def test_another_file_may_read_it(tmp_path: Path) -> None:
    assert not _lint(tmp_path, {"model.py": code(MODEL), "use.py": code(USER)})


def test_to_hand_an_option_of_that_name_over_is_not_to_read_it(tmp_path: Path) -> None:
    [one] = _lint(tmp_path, {"model.py": code(MODEL), "build.py": code(GIVES)})
    assert "`dropout` of `Block`" in one.message


def test_a_test_does_not_count(tmp_path: Path) -> None:
    files = {"model.py": code(MODEL), "build.py": code(GIVES), "test_model.py": code(USER)}
    assert _lint(tmp_path, files)


def test_what_nobody_sets_is_shown_with_all_alone(tmp_path: Path) -> None:
    files = {"model.py": code(MODEL)}
    assert not _lint(tmp_path, files)
    [one] = lint_files(tmp_path, files, select=("option-not-read",), all=True)
    assert one.severity == "info"


def test_the_answer_is_asked_again_when_another_file_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write("pyproject.toml", "")
    write("model.py", code(MODEL))
    settings = Settings(select=("option-not-read",))

    def put(file: Path, text: bytes) -> None:
        file.write_bytes(text)

    def counted(*files: str) -> int:
        store = UnitStore(lambda root: tmp_path / "units.json", put)
        kept = store.units(files)
        report = engine.lint(list(files), lambda path: settings, kept=engine.Kept(kept))
        assert report.failures == []
        store.write(kept)
        return len(report.findings)

    for text, count in ((GIVES, 1), (GIVES, 1), (USER, 0), (USER, 0), (GIVES, 1)):
        write("use.py", code(text))
        assert counted("model.py", "use.py") == counted("model.py") == count


def test_what_reads_all_options_leaves_a_doubt(tmp_path: Path) -> None:
    source = """
        import argparse

        import jax


        def run(seed=0, **rest):
            return jax.random.key(seed)


        def main():
            parser = argparse.ArgumentParser()
            parser.add_argument("--warmup", type=int)
            parser.add_argument("--seed", type=int)
            args = parser.parse_args()
            return run(**vars(args)), args.seed
    """
    files = {"train.py": code(source)}
    assert not _lint(tmp_path, files)
    [one] = lint_files(tmp_path, files, select=("option-not-read",), all=True)
    assert one.severity == "info"


@pytest.mark.parametrize(
    ("source", "doubts"),
    [
        ("dict(**asdict(arguments))", True),
        ("[getattr(arguments, name) for name in names]", True),
        ("[getattr(model.layer, name) for name in names]", False),
        ("dict(**names)", False),
        ("print(vars(arguments), 2**3)", False),
        ("print(vars(arguments), **names)", True),
        ("0\ndef show(x, at=(1, 2), **rest):\n    print(vars(x), at, **rest)", False),
        ("0\nstyle = dict(size=3)\nprint(vars(arguments), **style)", False),
        ("0\nstyle = dict(vars(arguments))\nprint(**style)", True),
    ],
)
def test_an_object_is_read_by_unknown_names_only_through_itself(
    tmp_path: Path, source: str, doubts: bool
) -> None:
    files = {"a.py": code(FILLED.format("parse(Arguments)")), "b.py": f"import a\nx = {source}\n"}
    found = lint_files(tmp_path, files, select=("option-not-read",), all=True)
    assert [one.severity for one in found] == ["info" if doubts else "warning"]


def test_a_file_without_jax_offers_options_to_one_that_imports_it(tmp_path: Path) -> None:
    options = """
        import argparse


        def parse():
            parser = argparse.ArgumentParser()
            parser.add_argument("--rate")
            parser.add_argument("--warmup")  # ! option-not-read
            return parser.parse_args()


        def rows(name, part=":1"):  # ! option-not-read
            return open(name)
    """
    train = """
        import jax

        from settings import parse, rows

        key = jax.random.key(parse().rate)
        data = rows("a", ":2")
    """
    text = code(options)
    files = {"settings.py": text, "train.py": code(train)}
    assert found(_lint(tmp_path, files)) == marks(text)
    alone = lint_files(tmp_path / "alone", {"settings.py": text}, select=("option-not-read",))
    assert alone == []  # no program of JAX


def test_a_parameter_has_its_own_place(tmp_path: Path) -> None:
    source = """
        import jax


        def sample(
            logits,
            key,
            *,
            top: int = 1,
            rows: int = 3,
        ):
            return jax.random.categorical(key, logits)[:top]


        y = sample(jax.numpy.ones(4), jax.random.key(0), rows=5)
    """
    text = code(source)
    [one] = _lint(tmp_path, {"a.py": text})
    assert text.split("\n")[one.line - 1].strip() == "rows: int = 3,"
    assert (one.column, one.end_column) == (5, 9)


def test_a_method_may_have_the_parameters_of_the_one_that_it_overrides(tmp_path: Path) -> None:
    text = """
        import jax
        from ase.calculators.calculator import Calculator


        class Energies(Calculator):
            def calculate(self, atoms=None, properties=None):
                self.results = jax.numpy.sum(atoms)


        class Own:
            def calculate_own(self, atoms=None, properties=None):  # ! option-not-read
                self.results = jax.numpy.sum(atoms)


        def main(atoms):
            Energies().calculate(atoms, ["energy"])
            Own().calculate_own(atoms, ["energy"])
    """
    assert found(_lint(tmp_path, {"a.py": code(text)})) == marks(code(text))


@pytest.mark.parametrize("source", ["Loader(path, rows)", "Loader(path)"])
def test_a_parameter_that_no_call_gives_may_be_given(tmp_path: Path, source: str) -> None:
    text = f"""
        import jax


        class Loader:
            def __init__(self, path, rows{"" if "rows" in source else "=3"}):
                self.path = path

            def __call__(self, epoch=0):  # a common interface
                return jax.numpy.load(self.path)


        def main(path, rows):
            return {source}()
    """
    assert _lint(tmp_path, {"a.py": code(text)}) == []
    [one] = lint_files(tmp_path, {"a.py": code(text)}, select=("option-not-read",), all=True)
    assert one.severity == "info" and "`rows`" in one.message


def test_fields_without_a_default_beside_others_may_be_options(tmp_path: Path) -> None:
    source = """
        from dataclasses import dataclass

        import jax


        @dataclass
        class Arguments:
            run_name: str
            names: list[str]
            rate: float = 0.1


        def main(arguments: Arguments):
            return jax.random.key(0), arguments.rate
    """
    assert _lint(tmp_path, {"a.py": code(source)}) == []
    [one] = lint_files(tmp_path, {"a.py": code(source)}, select=("option-not-read",), all=True)
    assert "`run_name`" in one.message


FILLED = """
    from dataclasses import dataclass

    import jax
    from project import parse


    @dataclass
    class Arguments:
        rate: float = 0.1
        warmup: int = 10


    arguments = {}
    key = jax.random.key(arguments.rate)
"""


@pytest.mark.parametrize("source", ["parse(Arguments)", "Parser((Arguments, Other)).parse()"])
def test_whoever_starts_the_program_may_fill_a_class_that_is_parsed(
    tmp_path: Path, source: str
) -> None:
    [one] = _lint(tmp_path, {"a.py": code(FILLED.format(source))})
    assert "`warmup`" in one.message


def test_a_default_that_nothing_reads_is_dead_whoever_fills_the_class(tmp_path: Path) -> None:
    [one] = _lint(tmp_path, {"a.py": code(FILLED.format("Arguments()"))})
    assert (one.severity, "`warmup`" in one.message) == ("info", True)
