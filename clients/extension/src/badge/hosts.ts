import type { ScopeRule } from "@scops/api";

const HOST = /^(?:https?:\/\/)?(\*\.)?([^/?]+)/i;

/**
 * Returns the hosts that rules speak of, `*.host` for those below one.
 *
 * Pages of others are in no scope, so that nobody has to be asked about them. Where a host cannot
 * be read off a rule, nothing is known and every page is asked about: `*`.
 */
export function hostsOf(rules: ScopeRule[]): string[] {
  const hosts = rules
    .filter((rule) => !rule.exclude)
    .map(({ kind, pattern = "" }) => {
      const plain = kind === "KIND_REGEX" ? pattern.replace(/\\([.\-/])/g, "$1") : pattern;
      const found = HOST.exec(plain.replace(/^https\?:/, "https:"));
      const host = found?.[2]?.toLowerCase() ?? "";
      const isPlain = /^[a-z0-9.:[\]_-]+$/.test(host);
      return isPlain ? `${found?.[1] ?? ""}${host}` : "*";
    });
  return [...new Set(hosts)].sort();
}

/** Returns whether a host is one of some, which may be patterns as `*.example.org`. */
export function isAmong(host: string, hosts: string[]): boolean {
  return hosts.some(
    (one) => one === "*" || one === host || (one.startsWith("*.") && host.endsWith(one.slice(1))),
  );
}

/** Returns the hosts that were written down, one in a line or with commas. */
export function hostsWritten(text: string): string[] {
  const words = text.split(/[\s,]+/).map((word) => word.trim().toLowerCase());
  return [
    ...new Set(
      words.filter(Boolean).map((word) => word.replace(/^https?:\/\//, "").replace(/\/.*$/, "")),
    ),
  ];
}
