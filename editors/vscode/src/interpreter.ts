// Which Python runs the server. Knows nothing of the editor, so that it is tested without one.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import * as path from "node:path";

/** A Python to try, and where its name comes from. */
export interface Candidate {
  readonly python: string;
  readonly from: string;
  /** The user named it: no other one is tried when it does not work. */
  readonly chosen: boolean;
}

/** What is known about the interpreters of a workspace. */
export interface Sources {
  readonly setting: string;
  readonly selected: string | undefined;
  readonly folders: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
}

export interface Found {
  readonly python: string;
  readonly from: string;
  readonly version: string;
}

export interface Failed {
  readonly candidate: Candidate;
  readonly why: string;
}

/** The first Python that can run the server, or why each candidate cannot. */
export type Outcome = { readonly found: Found } | { readonly failed: readonly Failed[] };

const ENVIRONMENTS = [".venv", "venv", ".env", "env"];
const PROBE = [
  "import gotcha_lint",
  "from importlib.util import find_spec",
  "assert find_spec('pygls'), 'no pygls'",
  "print(gotcha_lint.__version__)",
].join("\n");
const LONGEST = 30_000; // milliseconds: a cold start from a network disk is slow

/** The interpreters to try, the most explicit first, each once. */
export function candidates(sources: Sources): Candidate[] {
  const first = sources.folders[0] ?? "";
  const home = sources.env["HOME"] ?? sources.env["USERPROFILE"] ?? "";
  const found: Candidate[] = [];
  const add = (python: string | undefined, from: string, chosen = false): void => {
    if (python && !found.some((each) => each.python === python)) {
      found.push({ python, from, chosen });
    }
  };
  const setting = sources.setting
    .replaceAll("${workspaceFolder}", first)
    .replace(/^~(?=[\\/])/, home);
  if (setting) {
    // A bare name is looked up in the path; anything else is relative to the workspace.
    const relative = /[\\/]/.test(setting) && !path.isAbsolute(setting);
    add(relative ? path.join(first, setting) : setting, "the setting gotcha.interpreter", true);
    return found;
  }
  add(sources.selected, "the Python extension");
  const inside = sources.platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"];
  for (const folder of sources.folders) {
    for (const name of ENVIRONMENTS) {
      const python = path.join(folder, name, ...inside);
      if (existsSync(python)) add(python, `${name} in the workspace`);
    }
  }
  for (const variable of ["VIRTUAL_ENV", "CONDA_PREFIX"]) {
    const prefix = sources.env[variable];
    if (prefix) add(path.join(prefix, ...inside), variable);
  }
  for (const name of sources.platform === "win32" ? ["py", "python"] : ["python3", "python"]) {
    add(name, "the path");
  }
  return found;
}

/** Tries them in order. */
export async function find(all: readonly Candidate[], cwd?: string): Promise<Outcome> {
  const failed: Failed[] = [];
  for (const candidate of all) {
    const { python, from } = candidate;
    try {
      // -P: a folder of the user's named like a module of ours must not come first.
      const version = await output(python, ["-P", "-c", PROBE], cwd);
      return { found: { python, from, version: version.trim() } };
    } catch (error) {
      failed.push({ candidate, why: reason(error) });
    }
  }
  return { failed };
}

/** The arguments with which a Python serves an editor. */
export const SERVE: readonly string[] = ["-P", "-m", "gotcha_lint", "--server"];

/** What a program prints. Rejects with what it wrote to its standard error. */
export function output(program: string, args: readonly string[], cwd?: string): Promise<string> {
  const options = { maxBuffer: 256 << 20, timeout: LONGEST, ...(cwd ? { cwd } : {}) };
  return new Promise((resolve, reject) => {
    execFile(program, [...args], options, (error, stdout, stderr) => {
      if (error) reject(new Error(stderr.trim() || error.message));
      else resolve(stdout);
    });
  });
}

function reason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (text.includes("No module named 'gotcha_lint'")) return "gotcha-lint is not installed there";
  if (text.includes("no pygls")) return "the extra `server` of gotcha-lint is not installed there";
  if (text.includes("Unknown option: -P")) return "it is older than Python 3.11";
  if (text.includes("ENOENT")) return "there is no such program";
  return text.split("\n").at(-1) ?? text;
}

/** One sentence for a message box, and the rest for the output. */
export function explained(failed: readonly Failed[]): { message: string; details: string } {
  const details = failed
    .map(({ candidate, why }) => `${candidate.python} (${candidate.from}): ${why}`)
    .join("\n");
  const [only] = failed;
  const message =
    failed.length === 1 && only?.candidate.chosen
      ? `gotcha: the server cannot run with ${only.candidate.python}: ${only.why}.`
      : "gotcha: no Python interpreter with gotcha-lint and its extra `server` was found.";
  return { message, details };
}
