import { collapsed, type Found, locate, type Wanted } from "./exact.ts";

/** What is marked: what an answer quotes, or what is new since one looked. */
export type Marking = "quote" | "added";

/** What a page shows that one may want to add or ask about. */
export interface Shown {
  selection: string;
  /** Addresses of pages that links lead to, each once. */
  links: string[];
  /** Of these, the ones inside of the selection. */
  selected: string[];
}

const CHARACTERS_MAX = 2_000_000;
const SELECTION_MAX = 2_000;
const LINKS_MAX = 1_000;
const UNREAD = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "TEXTAREA", "SELECT", "OPTION"]);

/** Marks texts that stand on the page, without changing it, and shows the first. */
export function mark(kind: Marking, wanted: Wanted[]): Found["state"][] {
  const { nodes, pieces } = textOf(document.body);
  const page = collapsed(pieces);
  const states: Found["state"][] = [];
  const ranges: Range[] = [];
  for (const one of wanted) {
    const found = locate(page.text, one);
    states.push(found.state);
    if (found.state !== "found") continue;
    const last = found.end - 1;
    const range = document.createRange();
    range.setStart(nodeAt(nodes, page.pieces[found.start]), page.offsets[found.start] ?? 0);
    range.setEnd(nodeAt(nodes, page.pieces[last]), (page.offsets[last] ?? 0) + 1);
    ranges.push(range);
  }
  CSS.highlights.set(`scops-${kind}`, new Highlight(...ranges));
  ranges[0]?.startContainer.parentElement?.scrollIntoView({ block: "center" });
  return states;
}

/** Takes all marks away. */
export function unmark(): void {
  CSS.highlights.delete("scops-quote");
  CSS.highlights.delete("scops-added");
}

/** Returns what is selected, and where links lead. */
export function shown(): Shown {
  const selection = getSelection();
  const text = selection?.toString().trim().slice(0, SELECTION_MAX) ?? "";
  const links = new Set<string>();
  const selected = new Set<string>();
  for (const link of document.querySelectorAll<HTMLAnchorElement>("a[href]")) {
    if (links.size >= LINKS_MAX) break;
    if (link.protocol !== "https:" && link.protocol !== "http:") continue;
    const address = link.href.split("#", 1)[0] ?? "";
    links.add(address);
    if (text && selection?.containsNode(link, true)) selected.add(address);
  }
  return { selection: text, links: [...links], selected: [...selected] };
}

/** Returns the texts that a reader sees, with white space where a line or block begins. */
function textOf(root: Node): { nodes: (Text | undefined)[]; pieces: string[] } {
  const nodes: (Text | undefined)[] = [];
  const pieces: string[] = [];
  const isHidden = remembered(
    (element) => UNREAD.has(element.tagName) || !element.checkVisibility(),
  );
  const blockOf = remembered(nearestBlock);
  let block: Element | undefined;
  let length = 0;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node && length < CHARACTERS_MAX; node = walker.nextNode()) {
    if (node instanceof Element) {
      if (node.tagName === "BR") block = undefined;
      continue;
    }
    const parent = node.parentElement;
    if (!parent || isHidden(parent)) continue;
    const own = blockOf(parent);
    if (own !== block) {
      nodes.push(undefined);
      pieces.push(" ");
    }
    block = own;
    nodes.push(node as Text);
    pieces.push((node as Text).data);
    length += (node as Text).length;
  }
  return { nodes, pieces };
}

function nearestBlock(element: Element): Element {
  let at = element;
  while (at.parentElement && getComputedStyle(at).display.startsWith("inline")) {
    at = at.parentElement;
  }
  return at;
}

function remembered<T>(asked: (element: Element) => T): (element: Element) => T {
  const known = new Map<Element, T>();
  return (element) => {
    const before = known.get(element);
    if (before !== undefined) return before;
    const told = asked(element);
    known.set(element, told);
    return told;
  };
}

function nodeAt(nodes: (Text | undefined)[], piece: number | undefined): Node {
  return nodes[piece ?? 0] ?? document.body;
}
