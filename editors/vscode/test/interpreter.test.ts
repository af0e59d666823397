import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { test } from "node:test";

import { candidates, explained, find, type Sources } from "../src/interpreter";

const PYTHON = process.env["GOTCHA_PYTHON"] ?? "python3";

function sources(given: Partial<Sources> = {}): Sources {
  return { setting: "", selected: undefined, folders: [], env: {}, platform: "linux", ...given };
}

function workspace(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "gotcha-vscode-"));
  mkdirSync(path.join(folder, ".venv", "bin"), { recursive: true });
  symlinkSync("/bin/false", path.join(folder, ".venv", "bin", "python"));
  return folder;
}

test("the setting rules out all others", () => {
  const all = candidates(sources({ setting: "/opt/python", selected: "/other/python" }));
  assert.deepEqual(all.map((each) => each.python), ["/opt/python"]);
  assert.ok(all[0]?.chosen);
});

test("a setting may name the workspace, the home folder, or a program in the path", () => {
  const python = (setting: string): string | undefined =>
    candidates(sources({ setting, folders: ["/w"], env: { HOME: "/h" } }))[0]?.python;
  assert.equal(python("${workspaceFolder}/env/bin/python"), "/w/env/bin/python");
  assert.equal(python("env/bin/python"), "/w/env/bin/python");
  assert.equal(python("~/env/bin/python"), "/h/env/bin/python");
  assert.equal(python("python3.13"), "python3.13");
});

test("the Python extension's choice comes first, then the workspace, then the path", () => {
  const folder = workspace();
  const env = { VIRTUAL_ENV: "/active" };
  const all = candidates(sources({ selected: "/chosen/python", folders: [folder], env }));
  assert.deepEqual(
    all.map((each) => each.python),
    [
      "/chosen/python",
      path.join(folder, ".venv", "bin", "python"),
      "/active/bin/python",
      "python3",
      "python",
    ],
  );
});

test("Windows has other names", () => {
  const all = candidates(sources({ platform: "win32", env: { VIRTUAL_ENV: "C:\\env" } }));
  assert.match(all[0]?.python ?? "", /Scripts[\\/]python\.exe$/);
  assert.equal(all[1]?.python, "py");
});

test("a Python without gotcha-lint is passed over", async () => {
  const bad = { python: "/bin/false", from: "a test", chosen: false };
  const good = { python: PYTHON, from: "a test", chosen: false };
  const outcome = await find([bad, good]);
  assert.ok("found" in outcome, JSON.stringify(outcome));
  assert.equal(outcome.found.python, PYTHON);
  assert.match(outcome.found.version, /^\d+\.\d+/);
});

test("a folder of the user's that is named like ours does not come first", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "gotcha-vscode-"));
  writeFileSync(path.join(folder, "gotcha_lint.py"), "raise SystemExit('not this one')\n");
  const outcome = await find([{ python: PYTHON, from: "a test", chosen: false }], folder);
  assert.ok("found" in outcome, JSON.stringify(outcome));
});

test("what is wrong is said in words", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "gotcha-vscode-"));
  const missing = path.join(folder, "no-python");
  const outcome = await find([{ python: missing, from: "the setting", chosen: true }]);
  assert.ok("failed" in outcome);
  const { message, details } = explained(outcome.failed);
  assert.equal(
    message,
    `gotcha: the server cannot run with ${missing}: there is no such program.`,
  );
  assert.match(details, /no-python \(the setting\): there is no such program/);
});
