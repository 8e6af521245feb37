import { browser } from "@wxt-dev/browser";
import { defineBackground } from "wxt/utils/define-background";
import { badgeChoice, signOf } from "../badge/badge.ts";
import { BadgeLookup, type Lookups } from "../badge/lookup.ts";
import { seenPages } from "../card/seen.ts";
import { say } from "../messages/index.ts";
import { pageOf } from "../page/address.ts";
import { iconPressed } from "../page/tab.ts";
import { connectTo, pairedServer } from "../server/server.ts";
import { closeStorage, kept } from "../server/storage.ts";

const PANEL = "/sidepanel.html";
const NOTHING: Lookups = { pages: {} };
const lookups = kept<Lookups>("lookups", NOTHING, "session");

/**
 * Opens the panel, answers the address bar, and draws badges where they are wanted.
 *
 * It listens to no message of anybody: panel and badges share what the browser keeps for them.
 */
export default defineBackground(() => {
  void closeStorage();
  browser.action.onClicked.addListener((tab) => {
    // Within the press itself, which browsers ask for.
    if (browser.sidePanel) void browser.sidePanel.open({ windowId: tab.windowId });
    else void sidebar()?.open();
    void iconPressed.set(Date.now());
  });
  answerAddressBar();
  drawBadges();
});

/** Firefox's name of the panel. */
function sidebar(): { open: () => Promise<void> } | undefined {
  return (browser as unknown as { sidebarAction?: { open: () => Promise<void> } }).sidebarAction;
}

function answerAddressBar(): void {
  browser.omnibox.setDefaultSuggestion({ description: say.omnibox });
  browser.omnibox.onInputEntered.addListener((text, disposition) => {
    const url = `${browser.runtime.getURL(PANEL)}?q=${encodeURIComponent(text)}`;
    if (disposition === "currentTab") void browser.tabs.update({ url });
    else void browser.tabs.create({ url, active: disposition === "newForegroundTab" });
  });
}

function drawBadges(): void {
  browser.tabs.onActivated.addListener(({ tabId }) => void draw(tabId));
  browser.tabs.onUpdated.addListener((tabId, change) => {
    if (change.url || change.status === "complete") void draw(tabId);
  });
  const again = async () => {
    for (const { id } of await browser.tabs.query({ active: true })) {
      if (id !== undefined) await draw(id);
    }
  };
  badgeChoice.watch(() => void again());
  seenPages.watch(() => void again());
  pairedServer.watch(() => void lookups.set(NOTHING).then(again));
}

async function draw(tabId: number): Promise<void> {
  const { text, colour, title } = await signFor(tabId);
  try {
    await browser.action.setBadgeText({ tabId, text });
    await browser.action.setTitle({ tabId, title });
    if (text) await browser.action.setBadgeBackgroundColor({ tabId, color: colour });
  } catch {
    // The tab was closed meanwhile.
  }
}

async function signFor(tabId: number): Promise<{ text: string; colour: string; title: string }> {
  const none = { text: "", colour: "", title: "" };
  const { isOn, excluded } = await badgeChoice.get();
  if (!isOn) return none;
  const server = await pairedServer.get();
  try {
    const url = pageOf((await browser.tabs.get(tabId)).url ?? "");
    if (!url || !server) return none;
    const lookup = new BadgeLookup(connectTo(server), lookups, Date.now);
    const badge = await lookup.of(url, excluded, await seenPages.get());
    if (!badge) return none;
    const { standing, changes } = badge;
    const title = changes > 0 ? say.badge.changed(changes) : say.badge.standing[standing];
    return { ...signOf(badge), title };
  } catch {
    // A server that does not answer is told by the panel; a badge that says nothing is no badge.
    return none;
  }
}
