import { type Api, type Citation, read } from "@scops/api";
import type { AskedTurn } from "./conversation.ts";

export const FORMATS = ["markdown", "json", "bibtex", "csl", "ris"] as const;
export type ExportFormat = (typeof FORMATS)[number];
/** Citations that the gateway takes at once. */
const CITATIONS_AT_ONCE = 50;

interface Exported {
  text: string;
  kind: string;
  ending: string;
}

/** Returns a chat as a file: all that was said with its quotes, or the pages that were cited. */
export function exported(title: string, turns: AskedTurn[], format: ExportFormat): Exported {
  switch (format) {
    case "markdown":
      return { text: markdown(title, turns), kind: "text/markdown", ending: "md" };
    case "json":
      return { text: json(title, turns), kind: "application/json", ending: "json" };
    case "bibtex":
      return { text: bibtex(turns), kind: "application/x-bibtex", ending: "bib" };
    case "csl":
      return { text: csl(turns), kind: "application/vnd.citationstyles.csl+json", ending: "json" };
    case "ris":
      return { text: ris(turns), kind: "application/x-research-info-systems", ending: "ris" };
  }
}

/**
 * Returns the versions that were cited as they came, as a WARC file.
 *
 * Throws a `Problem` where one of them may not be read any more, or is not kept.
 */
export async function warcOf(api: Api, turns: AskedTurn[]): Promise<Blob> {
  const citations = cited(turns);
  const parts: Blob[] = [];
  for (let at = 0; at < citations.length; at += CITATIONS_AT_ONCE) {
    const body = { citations: citations.slice(at, at + CITATIONS_AT_ONCE) };
    parts.push(await read(api.POST("/v1/citations.warc", { body, parseAs: "blob" })));
  }
  // Each record is packed by itself, so files one after the other are a file.
  return new Blob(parts, { type: "application/warc" });
}

/** Hands a file to the browser. */
export function download({ text, kind, ending }: Exported, name: string): void {
  save(new Blob([text], { type: `${kind};charset=utf-8` }), `${fileName(name)}.${ending}`);
}

/** Hands the file of `warcOf` to the browser. */
export function downloadWarc(file: Blob, name: string): void {
  saveFile(file, name, "warc.gz");
}

/** Hands any file to the browser. */
export function saveFile(file: Blob, name: string, ending: string): void {
  save(file, `${fileName(name)}.${ending}`);
}

function save(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

function markdown(title: string, turns: AskedTurn[]): string {
  const parts = turns.map((turn) => {
    const answer = turn.answer;
    const statements = (answer?.statements ?? []).map(
      (one) => `${escaped(one.text)} ${(one.citationNumbers ?? []).map((n) => `[${n}]`).join("")}`,
    );
    const quotes = (answer?.citations ?? []).map(
      (one) =>
        `${one.number}. “${escaped(one.quote)}” — ${escaped(one.title)}, <${one.uri}>, ` +
        `version ${one.version}`,
    );
    const said = statements.length > 0 ? statements : [escaped(answer?.shortfallReason)];
    return [`## ${escaped(turn.query)}`, `${turn.askedAt} ${turn.scopes.join(" ")}`, ...said]
      .concat(quotes.length > 0 ? [quotes.join("\n")] : [])
      .join("\n\n");
  });
  return `${[`# ${escaped(title)}`, ...parts].join("\n\n")}\n`;
}

function json(title: string, turns: AskedTurn[]): string {
  const told = turns.map(({ name, query, scopes, asOf, askedAt, answer }) => ({
    name,
    query,
    scopes,
    asOf: asOf || undefined,
    askedAt,
    answer,
  }));
  return `${JSON.stringify({ title, turns: told }, null, 2)}\n`;
}

function bibtex(turns: AskedTurn[]): string {
  return cited(turns)
    .map((one, place) => {
      const fields = [
        ["title", one.title ?? ""],
        ["url", one.uri ?? ""],
        ["urldate", dayOf(one)],
        ["note", `version ${one.version}`],
      ];
      const lines = fields.map(([name, value]) => `  ${name} = {${bare(value ?? "")}},`);
      return `@misc{scops${place + 1},\n${lines.join("\n")}\n}\n`;
    })
    .join("\n");
}

function csl(turns: AskedTurn[]): string {
  const items = cited(turns).map((one, place) => ({
    id: `scops${place + 1}`,
    type: "webpage",
    title: one.title ?? "",
    URL: one.uri ?? "",
    accessed: { "date-parts": [dayOf(one).split("-").map(Number)] },
    version: one.version ?? "",
  }));
  return `${JSON.stringify(items, null, 2)}\n`;
}

function ris(turns: AskedTurn[]): string {
  const records = cited(turns).map((one) => {
    const lines = [
      ["TY", "ELEC"],
      ["TI", one.title ?? ""],
      ["UR", one.uri ?? ""],
      ["Y2", dayOf(one).replaceAll("-", "/")],
      ["N1", `version ${one.version}`],
      ["ER", ""],
    ];
    return lines.map(([tag, value]) => `${tag}  - ${oneLine(value ?? "")}`).join("\r\n");
  });
  return records.map((record) => `${record}\r\n`).join("");
}

/** Returns the cited versions, each once, in the order in which they were cited. */
function cited(turns: AskedTurn[]): Citation[] {
  const pages = new Map<string, Citation>();
  for (const citation of turns.flatMap((turn) => turn.answer?.citations ?? [])) {
    const key = `${citation.page} ${citation.version}`;
    if (!pages.has(key)) pages.set(key, citation);
  }
  return [...pages.values()];
}

function dayOf(citation: Citation): string {
  return (citation.clocks?.verifiedTime ?? citation.clocks?.observedTime ?? "").slice(0, 10);
}

/** Text of pages means nothing in Markdown. */
function escaped(text: string | undefined): string {
  return (text ?? "").replace(/[\\`*_[\]<>#|~!]/g, "\\$&").replaceAll("\n", " ");
}

/** Text of pages means nothing in BibTeX. */
function bare(text: string): string {
  return oneLine(text.replace(/[\\{}]/g, ""));
}

/** A line of its own would be a field of its own. */
function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, " ");
}

function fileName(title: string): string {
  const words = title.normalize("NFKD").replace(/[^\p{Letter}\p{Number}]+/gu, "-");
  return words.slice(0, 60).replace(/^-+|-+$/g, "") || "chat";
}
