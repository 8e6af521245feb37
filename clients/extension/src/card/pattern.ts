import type { ScopeRule } from "@scops/api";

/** An address in pieces, each of which a pattern may end at. */
export function piecesOf(url: string): string[] {
  const { host, pathname } = new URL(url);
  const segments = pathname.split("/").filter(Boolean);
  return [host, ...segments.map((segment) => `/${segment}`)];
}

/** Returns the rule of the first pieces of an address: these, and every path below. */
export function ruleOf(pieces: string[], length: number): ScopeRule {
  return { kind: "KIND_PREFIX", pattern: pieces.slice(0, length).join("") };
}

/** Returns how many pieces the folder of a page has. */
export function folderOf(pieces: string[], url: string): number {
  const isFolder = new URL(url).pathname.endsWith("/");
  return Math.max(1, isFolder ? pieces.length : pieces.length - 1);
}

/** Returns the links that begin as a pattern says, by whole segments of their paths. */
export function linksWithin(links: string[], pieces: string[], length: number): string[] {
  const wanted = pieces.slice(0, length);
  return links.filter((link) => {
    const own = piecesOf(link);
    return wanted.every((piece, at) => own[at] === piece);
  });
}
