// The editor's side: starts the server with the workspace's Python, and shows the page of a run.

import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import * as path from "node:path";

import * as vscode from "vscode";
import { LanguageClient, State } from "vscode-languageclient/node";

import { candidates, explained, find, type Found, SERVE } from "./interpreter";
import { clicked, pageOf, resolved, type Which, withClicks } from "./runPage";

const OPTIONS = ["codeLens", "inlayHints", "workspaceDiagnostics"] as const;

/** The part of the Python extension's interface that is used here. */
interface PythonExtension {
  readonly environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(
      environment: { readonly path: string },
    ): Promise<{ readonly executable: { readonly uri?: vscode.Uri } } | undefined>;
    readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

let client: LanguageClient | undefined;
let python: Found | undefined;
let starting: Promise<void> = Promise.resolve();

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("gotcha", { log: true });
  const restart = (): Promise<void> => (starting = starting.then(() => start(log)));
  context.subscriptions.push(
    log,
    vscode.commands.registerCommand("gotcha.restart", restart),
    vscode.commands.registerCommand("gotcha.showOutput", () => log.show()),
    vscode.commands.registerCommand("gotcha.showRun", (uri?: vscode.Uri) => showRun(uri)),
    vscode.commands.registerCommand("gotcha.runFile", (uri?: vscode.Uri) => runFile(context, uri)),
    vscode.workspace.onDidChangeConfiguration((event) => {
      const ours = ["interpreter", ...OPTIONS].some((key) =>
        event.affectsConfiguration(`gotcha.${key}`),
      );
      if (ours) void restart();
    }),
  );
  const other = await pythonExtension();
  if (other) {
    context.subscriptions.push(
      other.environments.onDidChangeActiveEnvironmentPath(() => void restart()),
    );
  }
  await restart();
}

export function deactivate(): Promise<void> | undefined {
  return client?.stop();
}

function folders(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
}

async function pythonExtension(): Promise<PythonExtension | undefined> {
  const extension = vscode.extensions.getExtension<PythonExtension>("ms-python.python");
  try {
    return await extension?.activate();
  } catch {
    return undefined; // its own fault, and its own message
  }
}

async function selected(): Promise<string | undefined> {
  const environments = (await pythonExtension())?.environments;
  if (!environments) return undefined;
  const resource = vscode.workspace.workspaceFolders?.[0]?.uri;
  const environment = await environments.resolveEnvironment(
    environments.getActiveEnvironmentPath(resource),
  );
  return environment?.executable.uri?.fsPath;
}

async function start(log: vscode.LogOutputChannel): Promise<void> {
  await client?.stop().catch(() => undefined);
  client = python = undefined;
  const settings = vscode.workspace.getConfiguration("gotcha");
  const all = candidates({
    setting: settings.get("interpreter", ""),
    selected: await selected(),
    folders: folders(),
    env: process.env,
    platform: process.platform,
  });
  const cwd = folders()[0];
  const outcome = await find(all, cwd);
  if ("failed" in outcome) {
    void offer(log, outcome.failed);
    return;
  }
  python = outcome.found;
  log.info(`gotcha-lint ${python.version} with ${python.python} (${python.from})`);
  const run = { command: python.python, args: [...SERVE], options: cwd ? { cwd } : {} };
  client = new LanguageClient(
    "gotcha",
    "gotcha",
    { run, debug: run },
    {
      documentSelector: [
        { language: "python", scheme: "file" },
        { language: "python", scheme: "untitled" },
        { language: "python", scheme: "vscode-notebook-cell", notebook: "jupyter-notebook" },
      ],
      outputChannel: log,
      initializationOptions: Object.fromEntries(
        OPTIONS.map((key) => [key, settings.get<boolean>(key)]),
      ),
    },
  );
  client.onDidChangeState(({ newState }) => {
    if (newState === State.Running) log.info("the server runs");
  });
  try {
    await client.start();
  } catch (error) {
    log.error(String(error));
  }
}

async function offer(
  log: vscode.LogOutputChannel,
  failed: Parameters<typeof explained>[0],
): Promise<void> {
  const { message, details } = explained(failed);
  log.error(`${message}\n${details}`);
  const setting = "Choose an interpreter";
  const output = "Show what was tried";
  const answer = await vscode.window.showErrorMessage(message, setting, output);
  if (answer === output) log.show();
  if (answer === setting) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "gotcha.interpreter");
  }
}

async function showRun(uri?: vscode.Uri): Promise<void> {
  const which: Which | undefined = uri ? { file: uri.fsPath } : await ask();
  if (which) await show(which);
}

async function ask(): Promise<Which | undefined> {
  const last = "The last run that was recorded";
  const record = "Choose a record or a page...";
  const answer = await vscode.window.showQuickPick([last, record], {
    title: "gotcha: show the page of a run",
  });
  if (answer === last) return "last";
  if (answer !== record) return undefined;
  const files = await vscode.window.showOpenDialog({
    filters: { "Runs of gotcha": ["jsonl", "html"] },
  });
  return files?.[0] && { file: files[0].fsPath };
}

async function show(which: Which): Promise<void> {
  await starting;
  let html: string;
  try {
    html = await pageOf(which, python?.python ?? "python3", folders()[0]);
  } catch (error) {
    void vscode.window.showErrorMessage(
      `gotcha: the page cannot be made: ${error instanceof Error ? error.message : String(error)}`,
    );
    return;
  }
  const title = which === "last" ? "The last run" : path.basename(which.file);
  const panel = vscode.window.createWebviewPanel("gotcha.run", title, vscode.ViewColumn.Beside, {
    enableScripts: true,
    enableFindWidget: true,
    localResourceRoots: [], // the page holds all it needs
  });
  panel.webview.onDidReceiveMessage((message: unknown) => void open(message));
  panel.webview.html = withClicks(html, randomBytes(16).toString("hex"));
}

async function open(message: unknown): Promise<void> {
  const place = clicked(message);
  if (!place) return;
  const file = resolved(place.path, folders());
  if (!file) {
    void vscode.window.showInformationMessage(`gotcha: ${place.path} is not in this workspace.`);
    return;
  }
  const start = new vscode.Position(place.line - 1, 0);
  await vscode.window.showTextDocument(vscode.Uri.file(file), {
    selection: new vscode.Range(start, start),
    viewColumn: vscode.ViewColumn.One,
  });
}

async function runFile(context: vscode.ExtensionContext, uri?: vscode.Uri): Promise<void> {
  await starting;
  const file = (uri ?? vscode.window.activeTextEditor?.document.uri)?.fsPath;
  if (!file || !python) return;
  await vscode.workspace.saveAll(false);
  const folder = (context.storageUri ?? context.globalStorageUri).fsPath;
  await mkdir(folder, { recursive: true });
  const record = path.join(folder, "run.jsonl");
  const command = ["-m", "gotcha_sanitizer.cli", "run", "--log-path", record, file];
  const task = new vscode.Task(
    { type: "process" },
    vscode.TaskScope.Workspace,
    `${path.basename(file)} with the sanitizer`,
    "gotcha",
    new vscode.ProcessExecution(python.python, command, {
      cwd: folders()[0] ?? path.dirname(file),
    }),
  );
  const execution = await vscode.tasks.executeTask(task);
  const ended = vscode.tasks.onDidEndTaskProcess((event) => {
    if (event.execution !== execution) return;
    ended.dispose();
    void show({ file: record });
  });
  context.subscriptions.push(ended);
}
