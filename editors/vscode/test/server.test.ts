// The server as the extension starts it, spoken to with the protocol library of the extension.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import {
  CodeActionKind,
  CodeActionRequest,
  createProtocolConnection,
  DidOpenTextDocumentNotification,
  ExitNotification,
  InitializedNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  type PublishDiagnosticsParams,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver-protocol/node";

import { SERVE } from "../src/interpreter";

const PYTHON = process.env["GOTCHA_PYTHON"] ?? "python3";
const TEXT = "import jax.numpy as jnp\n\nx = jnp.zeros(3)\nx.at[0].set(1.0)\n";

test("a finding, its fix, and the end", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "gotcha-vscode-"));
  const file = path.join(folder, "train.py");
  writeFileSync(file, TEXT);
  const uri = pathToFileURL(file).href;
  const server = spawn(PYTHON, SERVE, { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<number | null>((resolve) => server.once("exit", resolve));
  const connection = createProtocolConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  const published = new Promise<PublishDiagnosticsParams>((resolve) => {
    connection.onNotification(PublishDiagnosticsNotification.type, resolve);
  });
  connection.listen();
  const { capabilities } = await connection.sendRequest(InitializeRequest.type, {
    processId: process.pid,
    rootUri: pathToFileURL(folder).href,
    capabilities: {},
    initializationOptions: { codeLens: true, inlayHints: false, workspaceDiagnostics: false },
  });
  assert.ok(capabilities.codeActionProvider);
  await connection.sendNotification(InitializedNotification.type, {});
  await connection.sendNotification(DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: "python", version: 1, text: TEXT },
  });
  const { diagnostics } = await published;
  assert.deepEqual(diagnostics.map((each) => each.code), ["discarded-update"]);
  const actions = await connection.sendRequest(CodeActionRequest.type, {
    textDocument: { uri },
    range: diagnostics[0]!.range,
    context: { diagnostics, only: [CodeActionKind.QuickFix] },
  });
  assert.ok(actions?.length);
  await connection.sendRequest(ShutdownRequest.type);
  await connection.sendNotification(ExitNotification.type);
  assert.equal(await ended, 0);
  connection.dispose();
});
