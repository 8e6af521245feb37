import { type Api, connect } from "@scops/api";
import { kept } from "./storage.ts";

/** The server that this browser is paired with. */
export interface Server {
  /** Its origin. */
  url: string;
  /** Empty where the server takes everybody of this machine. */
  key: string;
  /** `keys/{key}`; empty where the key was not made by pairing. */
  keyName: string;
  principal: string;
}

// By it the gateway knows an extension from a page: docs/security.md.
const EXTENSION = "x-scops-extension";
const LOOPBACK = new Set(["127.0.0.1", "localhost"]);

/** Connects to a server as this extension. */
export function connectTo({ url, key }: Pick<Server, "url" | "key">): Api {
  const api = connect(key, url);
  api.use({
    onRequest({ request }) {
      request.headers.set(EXTENSION, "1");
      return request;
    },
  });
  return api;
}

/** Returns the origin of what was typed; nothing where a key could be read on its way there. */
export function serverOf(typed: string): string | undefined {
  const text = typed.trim();
  const whole = /^https?:\/\//i.test(text) ? text : `https://${text}`;
  if (!text || !URL.canParse(whole)) return undefined;
  const { protocol, hostname, origin, username } = new URL(whole);
  if (username) return undefined;
  if (protocol === "https:") return origin;
  return LOOPBACK.has(hostname) ? origin : undefined;
}

/** Returns the pattern that lets an extension reach an origin; patterns have no ports. */
export function hostPattern(url: string): string {
  const { protocol, hostname } = new URL(url);
  return `${protocol}//${hostname}/*`;
}

export const pairedServer = kept<Server | undefined>("server", undefined);
