// The page of a sanitized run. Knows nothing of the editor, so that it is tested without one.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import * as path from "node:path";

import { output } from "./interpreter";

/** A record to show: a file, or the last run that the sanitizer kept. */
export type Which = { readonly file: string } | "last";

/** The page as HTML. A saved page is read; for a record, the sanitizer makes it. */
export async function pageOf(which: Which, python: string, cwd?: string): Promise<string> {
  if (which !== "last" && which.file.endsWith(".html")) return readFile(which.file, "utf8");
  const record = which === "last" ? "--last" : which.file;
  const command = ["-P", "-m", "gotcha_sanitizer.cli", "report", record, "--format", "html"];
  return output(python, command, cwd);
}

// Places in the page are plain text: in a panel, a click opens the file there.
const CLICKS = `
const editor = acquireVsCodeApi();
for (const place of document.querySelectorAll("span.mono, td.mono")) {
  const found = /^(.+):(\\d+)$/.exec(place.textContent.trim());
  if (!found) continue;
  const open = () => editor.postMessage({ path: found[1], line: Number(found[2]) });
  place.setAttribute("role", "link");
  place.tabIndex = 0;
  place.style.cssText += "cursor: pointer; text-decoration: underline;";
  place.addEventListener("click", open);
  place.addEventListener("keydown", (event) => event.key === "Enter" && open());
}
`;

/** The page with a script that reports clicks on places; its policy allows that one script more. */
export function withClicks(html: string, nonce: string): string {
  return html
    .replace("script-src ", `script-src 'nonce-${nonce}' `)
    .replace("</body>", `<script nonce="${nonce}">${CLICKS}</script></body>`);
}

/** A place that was clicked, if the message is one: pages of others may send anything. */
export function clicked(message: unknown): { path: string; line: number } | undefined {
  if (typeof message !== "object" || message === null) return undefined;
  const { path: where, line } = message as Record<string, unknown>;
  if (typeof where !== "string" || typeof line !== "number" || !(line >= 1)) return undefined;
  return { path: where, line: Math.floor(line) };
}

/** The file that a place in a page means; long paths are shortened there to `.../a/b/c.py`. */
export function resolved(shown: string, folders: readonly string[]): string | undefined {
  if (path.isAbsolute(shown)) return existsSync(shown) ? shown : undefined;
  const parts = shown.split(/[\\/]/);
  const tails = parts[0] === "..." ? parts.slice(1).map((_, skip) => parts.slice(1 + skip)) : [parts];
  for (const tail of tails) {
    for (const folder of folders) {
      const file = path.join(folder, ...tail);
      if (existsSync(file)) return file;
    }
  }
  return undefined;
}
