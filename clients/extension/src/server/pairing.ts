import { type Api, Problem, read, type WhoAmI } from "@scops/api";
import { browser } from "@wxt-dev/browser";
import { connectTo, hostPattern, type Server } from "./server.ts";

/** Where a server's page makes a key for a browser; it writes it where only this tab is read. */
const PLACE = "/pair";
const KEY = "[data-pairing-key]";
const LOOKS_EVERY_MS = 500;
const PATIENCE_MS = 10 * 60_000;

/** Asks for access to a server; to be called by a press of a button. */
export async function mayReach(url: string): Promise<boolean> {
  return browser.permissions.request({ origins: [hostPattern(url)] });
}

/** Returns who one is at a server; nobody where it wants to know that. */
export async function callerAt(url: string, key: string): Promise<WhoAmI> {
  return read(connectTo({ url, key }).GET("/v1/me"));
}

/** Returns a server as it is kept, by who one is there; nothing where one is nobody yet. */
export function pairedWith(
  url: string,
  key: string,
  keyName: string,
  caller: WhoAmI,
): Server | undefined {
  if (caller.credential === "CREDENTIAL_KIND_NONE") return undefined;
  return { url, key, keyName, principal: caller.principal ?? "" };
}

/** Opens the page on which the server makes a key; returns its tab. */
export async function openPairing(url: string): Promise<number | undefined> {
  const tab = await browser.tabs.create({ url: `${url}${PLACE}` });
  return tab.id;
}

/**
 * Waits until a key was made on the page of a tab, and takes it from there.
 *
 * The extension reads it from the tab that it opened itself, and from the server's own pages
 * alone: no page has to be able to speak to it.
 */
export async function keyMadeIn(
  tabId: number,
  url: string,
  signal: AbortSignal,
): Promise<{ key: string; keyName: string } | undefined> {
  const until = Date.now() + PATIENCE_MS;
  while (!signal.aborted && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, LOOKS_EVERY_MS));
    let made: { key: string; keyName: string; origin: string } | undefined;
    try {
      made = await readKey(tabId);
    } catch {
      // It shows another server, which the extension may not read, or was closed.
      if (!(await isOpen(tabId))) return undefined;
    }
    if (made?.key && made.origin === url) return made;
  }
  return undefined;
}

/** Closes the page on which a key was made, and its text with it. */
export async function closeTab(tabId: number): Promise<void> {
  if (await isOpen(tabId)) await browser.tabs.remove(tabId);
}

async function readKey(tabId: number) {
  const [told] = await browser.scripting.executeScript({
    target: { tabId },
    func: (selector: string) => {
      const shown = document.querySelector<HTMLElement>(selector);
      return {
        key: shown?.textContent ?? "",
        keyName: shown?.dataset.pairingKey ?? "",
        origin: location.origin,
      };
    },
    args: [KEY],
  });
  return told?.result;
}

async function isOpen(tabId: number): Promise<boolean> {
  return browser.tabs.get(tabId).then(
    () => true,
    () => false,
  );
}

/** Ends the key that pairing made; one that was given by hand is its owner's. */
export async function endKey(api: Api, server: Server): Promise<void> {
  if (!server.keyName) return;
  const key = server.keyName.split("/").pop() ?? "";
  try {
    await read(api.POST("/v1/keys/{key}:revoke", { params: { path: { key } }, body: {} }));
  } catch (error) {
    // What has ended already, or cannot be reached, is forgotten here all the same.
    if (!(error instanceof Problem)) throw error;
  }
}
