import type { Boundary } from "@scops/api";

const NAME = /^[a-z][a-z0-9-]{0,62}$/;
const NAME_MAX = 63;

/** Reads what somebody pasted as the address of a page; nothing where it is none. */
export function addressOf(pasted: string): URL | undefined {
  const given = pasted.trim();
  if (!given || given.includes(" ")) return undefined;
  const whole = given.includes("://") ? given : `https://${given}`;
  if (!URL.canParse(whole)) return undefined;
  const url = new URL(whole);
  const isPage = url.protocol === "https:" || url.protocol === "http:";
  const isHost = url.hostname.includes(".") || url.hostname === "localhost" || url.port !== "";
  return isPage && isHost ? url : undefined;
}

/** Suggests a name for the scope of an address: the part of its host that tells most. */
export function nameFor(url: URL): string {
  const labels = url.hostname.split(".").filter((label) => label !== "www");
  const isAddress = labels.every((label) => /^\d+$/.test(label)) || url.hostname.includes(":");
  const label = isAddress ? "site" : labels.length > 2 ? labels.slice(0, -1).join("-") : labels[0];
  const name = (label ?? "site").toLowerCase().replace(/[^a-z0-9-]/g, "-");
  return (/^[a-z]/.test(name) ? name : `site-${name}`).slice(0, NAME_MAX);
}

export function isName(name: string): boolean {
  return NAME.test(name);
}

/** Returns the prefix that a boundary writes for an address; nothing where the gateway knows it. */
export function prefixOf(url: URL, boundary: Boundary): string | undefined {
  if (boundary === "BOUNDARY_HOST") return url.host;
  if (boundary !== "BOUNDARY_SUBPAGES") return undefined;
  return url.host + url.pathname.slice(0, url.pathname.lastIndexOf("/"));
}
