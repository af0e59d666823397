import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { test } from "node:test";

import { clicked, pageOf, resolved, withClicks } from "../src/runPage";

const PYTHON = process.env["GOTCHA_PYTHON"] ?? "python3";

test("the page of a record is made by the sanitizer, and its policy allows our script", async () => {
  const record = process.env["GOTCHA_RECORD"];
  assert.ok(record, "GOTCHA_RECORD names a record of a run");
  const html = await pageOf({ file: record }, PYTHON, path.dirname(record));
  assert.match(html, /under gotcha/);
  const shown = withClicks(html, "abc");
  assert.match(shown, /script-src 'nonce-abc' 'sha256-/);
  assert.match(shown, /<script nonce="abc">/);
  assert.equal(shown.match(/<\/body>/g)?.length, 1);
});

test("what is no record is refused with the sanitizer's sentence", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "gotcha-vscode-"));
  const file = path.join(folder, "run.jsonl");
  writeFileSync(file, "no record\n");
  await assert.rejects(pageOf({ file }, PYTHON), /gotcha-sanitize: .*run\.jsonl/);
});

test("only places count as clicks", () => {
  assert.deepEqual(clicked({ path: "train.py", line: 3 }), { path: "train.py", line: 3 });
  for (const other of [undefined, null, "train.py:3", { path: "a" }, { path: 1, line: 1 }, { path: "a", line: 0 }]) {
    assert.equal(clicked(other), undefined);
  }
});

test("a place is looked for in the workspace, also where the page has shortened it", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "gotcha-vscode-"));
  mkdirSync(path.join(folder, "model"));
  const file = path.join(folder, "model", "net.py");
  writeFileSync(file, "");
  assert.equal(resolved("model/net.py", [folder]), file);
  assert.equal(resolved(".../src/model/net.py", ["/nowhere", folder]), file);
  assert.equal(resolved(file, []), file);
  assert.equal(resolved("other.py", [folder]), undefined);
  assert.equal(resolved("/nowhere/net.py", [folder]), undefined);
});
