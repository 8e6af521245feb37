import { type Browser, browser } from "@wxt-dev/browser";
import { hostPattern } from "../server/server.ts";
import { kept } from "../server/storage.ts";
import { pageOf } from "./address.ts";
import type { PageCopy } from "./capturing.ts";
import type { Found, Wanted } from "./exact.ts";
import type { Marking, Shown } from "./marking.ts";

/** The page that one is on; without an address where the browser does not tell it. */
export interface CurrentTab {
  id: number;
  url: string;
  title: string;
  /** It may be read and marked; else access to its host is to be asked for first. */
  isReadable: boolean;
}

// Colours of their own, so that they are read on any page.
const MARKS = `
::highlight(scops-quote) { background-color: #dfebf5; color: #161b19;
  text-decoration: underline 2px #17507f }
::highlight(scops-added) { background-color: #d6efdf; color: #161b19;
  text-decoration: underline 2px #17653f }`;

/**
 * When the icon was pressed last: from then on its page may be seen, which no event of a tab tells.
 *
 * A panel that was open already looks again.
 */
export const iconPressed = kept("pressed", 0, "session");

/** Returns the tab that one looks at; that of the panel itself counts for none. */
export async function currentTab(): Promise<CurrentTab | undefined> {
  const tabs = await browser.tabs.query({ lastFocusedWindow: true });
  const own = browser.runtime.getURL("");
  const self = await browser.tabs.getCurrent();
  const [tab] = tabs
    .filter((one) => one.id !== self?.id && !one.url?.startsWith(own))
    .sort((one, other) => rank(other) - rank(one));
  if (tab?.id === undefined) return undefined;
  const url = pageOf(tab.url ?? "");
  return { id: tab.id, url, title: tab.title ?? "", isReadable: await isReadable(url) };
}

/** A browser that tells no other tabs tells the address of one that it lets the extension read. */
async function isReadable(url: string): Promise<boolean> {
  if (!url) return false;
  const tellsAll = await browser.permissions.contains({ permissions: ["tabs"] });
  return !tellsAll || browser.permissions.contains({ origins: [hostPattern(url)] });
}

function rank(tab: Browser.tabs.Tab): number {
  return tab.active ? Number.POSITIVE_INFINITY : (tab.lastAccessed ?? 0);
}

/** Tells whenever one looks at another page; returns what ends that. */
export function watchTabs(told: () => void): () => void {
  const updated = (_: number, change: { status?: string; url?: string; title?: string }) => {
    if (change.status === "complete" || change.url || change.title) told();
  };
  browser.tabs.onActivated.addListener(told);
  browser.tabs.onUpdated.addListener(updated);
  browser.permissions.onAdded.addListener(told);
  const endPresses = iconPressed.watch(told);
  return () => {
    endPresses();
    browser.tabs.onActivated.removeListener(told);
    browser.tabs.onUpdated.removeListener(updated);
    browser.permissions.onAdded.removeListener(told);
  };
}

/** Asks for access to a page, if there is none yet; to be called by a press of a button. */
export async function mayRead(tab: CurrentTab): Promise<boolean> {
  return tab.isReadable || browser.permissions.request({ origins: [hostPattern(tab.url)] });
}

/** Returns what a page shows, where the extension may read it. */
export async function readPage(tab: CurrentTab): Promise<Shown | undefined> {
  return run<Shown>(tab.id, "shown", []);
}

/** Returns a page as one sees it, where the extension may read it. */
export async function copyPage(tab: CurrentTab): Promise<PageCopy | undefined> {
  return run<PageCopy>(tab.id, "copied", []);
}

/** Marks texts on a page; nothing where the extension may not read it. */
export async function markPage(
  tab: CurrentTab,
  kind: Marking,
  wanted: Wanted[],
): Promise<Found["state"][] | undefined> {
  const states = await run<Found["state"][]>(tab.id, "mark", [kind, wanted]);
  if (states) await browser.scripting.insertCSS({ target: { tabId: tab.id }, css: MARKS });
  return states;
}

/** Takes all marks of a page away. */
export async function unmarkPage(tab: CurrentTab): Promise<void> {
  await run(tab.id, "unmark", []);
}

async function run<T>(tabId: number, name: string, given: unknown[]): Promise<T | undefined> {
  try {
    await browser.scripting.executeScript({ target: { tabId }, files: ["/page.js"] });
    const [told] = await browser.scripting.executeScript({
      target: { tabId },
      func: (called: string, args: unknown[]) => {
        const page = (globalThis as unknown as { scopsPage: Record<string, CallableFunction> })
          .scopsPage;
        return page[called]?.(...args);
      },
      args: [name, given],
    });
    return told?.result as T | undefined;
  } catch {
    // The browser says so by an error where it lets no extension in.
    return undefined;
  }
}
