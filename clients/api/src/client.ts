import createClient, { type Client } from "openapi-fetch";
import { Problem, problemOf, UNREACHABLE } from "./problem.ts";
import type { paths } from "./schema.ts";

/** The readable routes of a gateway, typed as its OpenAPI document says. */
export type Api = Client<paths>;

/** How long a caller waits for an answer; the gateway's own limit is as long. */
const PATIENCE_MS = "60000";

/**
 * Connects to a gateway.
 *
 * @param key an API key or a token; empty where none is needed.
 * @param baseUrl where it is served; empty for the page's own origin.
 */
export function connect(key = "", baseUrl = ""): Api {
  const headers: Record<string, string> = { "connect-timeout-ms": PATIENCE_MS };
  if (key) headers.authorization = `Bearer ${key}`;
  return createClient<paths>({ baseUrl, headers, fetch: reach });
}

/** Returns what a call brought. Throws a `Problem` with what is wrong where it brought nothing. */
export async function read<T>(call: Promise<{ data?: T; error?: unknown }>): Promise<T> {
  const { data, error } = await call;
  if (data === undefined) throw problemOf(error);
  return data;
}

async function reach(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Problem("The server does not answer.", UNREACHABLE);
  }
}
