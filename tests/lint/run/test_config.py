"""The configuration: what is read, what wins, and how mistakes are reported."""

from __future__ import annotations

import json
import pickle
import re
from dataclasses import fields
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gotcha_lint.config.check import CHECKS, FACT_KEYS
from gotcha_lint.config.settings import (
    ConfigError,
    Overrides,
    Settings,
    SettingsFinder,
    as_table,
    settings_for,
)

KNOWN = frozenset({"all", "words", "bad-word", "new-word"})
SCHEMA = json.loads((resources.files("gotcha_lint") / "schemas/config.json").read_text("utf-8"))

GOOD = """
select = ["words"]
ignore = "new-word"
extend-select = []
exclude = ["gen"]
extend-exclude = ["*_pb2.py"]
all = true
fail-on = "error"
target-jax = "0.10"
target-flax = "0.10.4"
target-optax = "0.2.4"
respect-gitignore = false
force-exclude = true
baseline = "known.json"

[per-file-ignores]
"tests/**" = ["bad-word"]

[facts]
"mylib.fast_jit" = { like = "jax.jit" }
"mylib.load" = { returns = "array", pickles = 0 }
"""


def finder(**given: Any) -> SettingsFinder:
    return SettingsFinder(known=lambda: KNOWN, **given)


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def problems(tmp_path: Path, text: str) -> tuple[str, ...]:
    write(tmp_path / "gotcha.toml", text)
    with pytest.raises(ConfigError) as caught:
        finder()(str(tmp_path / "a.py"))
    return caught.value.problems


def test_every_key_is_read(tmp_path: Path) -> None:
    write(tmp_path / "gotcha.toml", GOOD)
    settings = finder()(str(tmp_path / "a.py"))
    assert settings == Settings(
        select=("words",),
        ignore=("new-word",),
        extend_select=(),
        per_file_ignores=(("tests/**", ("bad-word",)),),
        exclude=("gen",),
        extend_exclude=("*_pb2.py",),
        all=True,
        fail_on="error",
        target_jax="0.10",
        target_flax="0.10.4",
        target_optax="0.2.4",
        facts={
            "mylib.fast_jit": {"like": "jax.jit"},
            "mylib.load": {"returns": "array", "pickles": 0},
        },
        respect_gitignore=False,
        force_exclude=True,
        baseline=str(tmp_path / "known.json"),
        root=str(tmp_path),
        source=str(tmp_path / "gotcha.toml"),
    )
    assert pickle.loads(pickle.dumps(settings)) == settings
    assert hash(settings)


def test_pyproject_table(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[project]\nname = 'x'\n[tool.gotcha]\nall = true\n")
    assert finder()(str(tmp_path / "a.py")).all


def test_the_nearest_file_wins_alone(tmp_path: Path) -> None:
    write(tmp_path / "gotcha.toml", "all = true\nignore = ['words']\n")
    write(tmp_path / "inner/pyproject.toml", "[tool.gotcha]\nfail-on = 'never'\n")
    write(tmp_path / "inner/deep/pyproject.toml", "[project]\nname = 'no gotcha table'\n")
    find = finder()
    inner = find(str(tmp_path / "inner/deep/a.py"))
    assert (inner.fail_on, inner.all, inner.ignore) == ("never", False, ())
    assert find(str(tmp_path / "other/a.py")).all
    assert find(str(tmp_path / "inner/b.py")) is inner


def test_gotcha_toml_beats_pyproject(tmp_path: Path) -> None:
    write(tmp_path / "gotcha.toml", "all = true\n")
    write(tmp_path / "pyproject.toml", "[tool.gotcha]\nall = false\n")
    assert finder()(str(tmp_path / "a.py")).all


def test_defaults_without_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert settings_for("a.py") == Settings(root=str(tmp_path))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("selct = []", 'unknown key "selct"; did you mean "select"?'),
        ("fail_on = 'error'", 'unknown key "fail_on"; did you mean "fail-on"?'),
        ("zzz = 1", 'unknown key "zzz"'),
        ("preview = true", 'unknown key "preview"'),
        ("select = ['bad-wrod']", 'unknown rule or family "bad-wrod"; did you mean "bad-word"?'),
        ("ignore = 3", "ignore: must be a list of strings, not an integer"),
        ("ignore = [3]", "ignore: 3 is not a non-empty string"),
        ("exclude = ''", "exclude: must be a list of strings, not an empty string"),
        ("all = 'yes'", "all: must be true or false, not a string"),
        ("baseline = 3", "baseline: must be the path of a file, not an integer"),
        ("baseline = ''", "baseline: must be the path of a file, not an empty string"),
        ("fail-on = 'warn'", 'fail-on: "warn" is not one of error, warning, never'),
        ("target-jax = 0.10", 'target-jax: must be a string such as "0.10", not a number'),
        ("target-jax = 'new'", 'target-jax: "new" is not a release such as "0.10"'),
        ("per-file-ignores = ['a']", "per-file-ignores: must be a table of glob = [names]"),
        ("[per-file-ignores]\n'a' = ['wrods']", 'per-file-ignores."a": unknown rule or family'),
        ("facts = 1", "facts: must be a table"),
        ("[facts]\n'a.b' = 'jax.jit'", 'facts."a.b": must be a table such as { like = "jax.jit" }'),
        ("[facts]\n'a.b' = {}", 'facts."a.b": is empty'),
        ("[facts]\n'a.b' = {lik = 'x'}", 'unknown key "lik"; did you mean "like"?'),
        ("[facts]\na.b = {like = 'x'}", "quote a name with dots"),
        ("[facts]\n'a.b' = {like = true}", 'must be a string, such as "jax.jit", not True'),
        ("[facts]\n'a b' = {like = 'x'}", '"a b" is not a qualified name'),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, expected: str) -> None:
    (problem,) = problems(tmp_path, text)
    assert expected in problem
    assert "gotcha.toml: " in problem


def test_all_mistakes_are_reported_at_once(tmp_path: Path) -> None:
    assert len(problems(tmp_path, "a = 1\nb = 2\nall = 3\nselect = ['x', 'y']\n")) == 5


def test_not_toml(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, "select = [\n")
    assert "not valid TOML" in problem
    assert "line" in problem or "end of" in problem


def test_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "gotcha.toml").write_bytes(b"a = '\xff'\n")
    with pytest.raises(ConfigError, match="not UTF-8"):
        finder()(str(tmp_path / "a.py"))


def test_a_broken_pyproject_of_others_is_no_error(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "this is [ not toml")
    assert finder()(str(tmp_path / "a.py")).source is None
    write(tmp_path / "sub/pyproject.toml", "[tool.gotcha\n")
    with pytest.raises(ConfigError):
        finder()(str(tmp_path / "sub/a.py"))


def test_config_option_holds_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    config = write(tmp_path / "etc/my.toml", "all = true\n")
    write(tmp_path / "src/gotcha.toml", "nonsense = 1\n")
    settings = finder(config=str(config))(str(tmp_path / "src/a.py"))
    assert (settings.all, settings.root) == (True, str(tmp_path))


@pytest.mark.parametrize(("name", "text"), [("none.toml", None), ("pyproject.toml", "a = 1\n")])
def test_config_option_that_cannot_be_used(tmp_path: Path, name: str, text: str | None) -> None:
    if text is not None:
        write(tmp_path / name, text)
    with pytest.raises(ConfigError, match=re.escape(name)):
        finder(config=str(tmp_path / name))("a.py")


def test_the_command_line_overrides(tmp_path: Path) -> None:
    write(tmp_path / "gotcha.toml", GOOD.replace("extend-select = []", "extend-select = 'words'"))
    overrides = Overrides(select=("new-word",), ignore=("bad-word",), all=False)
    settings = finder(overrides=overrides)(str(tmp_path / "a.py"))
    assert settings.select == ("new-word",)
    assert settings.extend_select == ()
    assert settings.ignore == ("bad-word",)  # who selects new-word wants it, whatever the file says
    assert (settings.all, settings.fail_on) == (False, "error")


def test_settings_as_a_table_can_be_read_again(tmp_path: Path) -> None:
    write(tmp_path / "gotcha.toml", GOOD)
    settings = finder()(str(tmp_path / "a.py"))
    table = json.loads(json.dumps(as_table(settings)))
    jsonschema.validate(table, SCHEMA)
    assert set(table) == set(CHECKS)


def test_the_schema_knows_the_same_keys() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert set(SCHEMA["properties"]) == set(CHECKS)
    own = {slot.name.replace("_", "-") for slot in fields(Settings)} - {"root", "source"}
    assert own == set(CHECKS)
    facts = SCHEMA["properties"]["facts"]["additionalProperties"]["properties"]
    assert set(facts) == set(FACT_KEYS)


@pytest.mark.parametrize(
    "table",
    [
        {"selct": []},
        {"select": [1]},
        {"all": "yes"},
        {"fail-on": "warn"},
        {"target-jax": "new"},
        {"facts": {"a b": {"like": "x"}}},
        {"facts": {"a.b": {"like": True}}},
        {"facts": {"a.b": {}}},
    ],
)
def test_the_schema_refuses_what_the_code_refuses(table: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(table, SCHEMA)


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        ('{ consumes-key = "key" }', "consumes-key: must be a position, from 0, not 'key'"),
        ("{ pickles = -1 }", "pickles: must be a position, from 0, not -1"),
        ("{ pickles = true }", "pickles: must be a position, from 0, not True"),
        ("{ host-read = 1 }", "host-read: must be true, not 1"),
        ("{ like = 3 }", 'like: must be a string, such as "jax.jit", not 3'),
    ],
)
def test_facts_of_the_wrong_type_say_the_right_one(tmp_path: Path, row: str, wanted: str) -> None:
    (problem,) = problems(tmp_path, f'[facts]\n"mylib.noise" = {row}\n')
    assert wanted in problem
