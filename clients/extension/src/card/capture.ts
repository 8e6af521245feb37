import { type Api, idOf, read } from "@scops/api";
import type { PageCopy } from "../page/capturing.ts";

/** As the gateway bounds it. */
export const CAPTURE_BYTES_MAX = 3_000_000;
// As many arguments as a call has at once.
const PIECE = 8_192;

/** Has a page taken in as its reader saw it, for one scope and nobody else. */
export async function capturePage(
  api: Api,
  scope: string,
  uri: string,
  copy: PageCopy,
): Promise<void> {
  const params = { path: { scope: idOf(scope) } };
  const body = { uri, content: base64(copy.html), charset: "utf-8" };
  await read(api.POST("/v1/scopes/{scope}:capture", { params, body }));
}

/** Returns a text as base64 of its UTF-8. */
export function base64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  for (let at = 0; at < bytes.length; at += PIECE) {
    binary += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  }
  return btoa(binary);
}

/** Returns a number of bytes as people read it. */
export function sizeOf(bytes: number, locale: string): string {
  const format = new Intl.NumberFormat(locale, { maximumSignificantDigits: 2 });
  return bytes < 1_000_000
    ? `${format.format(bytes / 1_000)} kB`
    : `${format.format(bytes / 1e6)} MB`;
}
