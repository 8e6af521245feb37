/** A page as its reader sees it: HTML without scripts, styles, hidden parts and what was typed. */
export interface PageCopy {
  html: string;
  /** Of the HTML as UTF-8. */
  bytes: number;
  /** What was left out, counted in elements. */
  scripts: number;
  hidden: number;
}

// What an extractor reads; the rest may hold tokens, handlers or what a person typed.
const KEPT = new Set(
  "alt class cite colspan content datetime dir href id itemprop itemtype lang name property rel role rowspan scope title type".split(
    " ",
  ),
);
const SCRIPTS = new Set(["SCRIPT", "NOSCRIPT", "TEMPLATE", "IFRAME", "OBJECT", "EMBED"]);
const UNREAD = new Set(["STYLE", "LINK", "BASE", "CANVAS", "VIDEO", "AUDIO"]);
// `name` and `content` of others may be tokens of the session.
const META =
  /^(?:(?:og|article|dc|dcterms)[:.].*|description|author|date|keywords|language|robots)$/i;
const FIELDS = new Set(["INPUT", "TEXTAREA", "SELECT"]);
const DEPTH_MAX = 500;

/** Returns a copy of the page as it stands now; nothing of the page is changed. */
export function copied(): PageCopy {
  const inert = document.implementation.createHTMLDocument("");
  const counts = { scripts: 0, hidden: 0 };

  function copy(node: Node, depth: number): Node | undefined {
    if (node instanceof Text) return inert.createTextNode(node.data);
    if (!(node instanceof Element) || depth > DEPTH_MAX) return undefined;
    const name = node.tagName.toUpperCase();
    if (SCRIPTS.has(name)) counts.scripts += 1;
    if (SCRIPTS.has(name) || UNREAD.has(name)) return undefined;
    if (isHidden(node)) {
      counts.hidden += 1;
      return undefined;
    }
    const made = shell(node, inert);
    // What was typed stands in fields.
    if (made && !FIELDS.has(name)) {
      for (const child of childrenOf(node)) {
        const inner = copy(child, depth + 1);
        if (inner) made.append(inner);
      }
    }
    return made;
  }

  const root = copy(document.documentElement, 0) as Element | undefined;
  const html = `<!doctype html>\n${root?.outerHTML ?? ""}`;
  return { html, bytes: new TextEncoder().encode(html).length, ...counts };
}

/** Nobody sees the head of a page; an element of no box of its own shows what is inside of it. */
function isHidden(element: Element): boolean {
  if (element === document.documentElement || element.closest("head")) return false;
  if (element.checkVisibility({ visibilityProperty: true })) return false;
  return getComputedStyle(element).display !== "contents";
}

/** Returns an element without its children, and with what is read of its attributes. */
function shell(element: Element, inert: Document): Element | undefined {
  const name = element.localName;
  const said = element.getAttribute("name") ?? element.getAttribute("property") ?? "";
  if (name === "meta" && !META.test(said)) return undefined;
  const made = inert.createElement(/^[a-z][a-z0-9]*$/.test(name) ? name : "div");
  for (const { name: attribute, value } of element.attributes) {
    if (attribute === "href" || !KEPT.has(attribute)) continue;
    if (FIELDS.has(element.tagName) && attribute !== "type") continue;
    made.setAttribute(attribute, value);
  }
  // Whole, since the copy has no address of its own; what runs scripts is no address.
  if (element instanceof HTMLAnchorElement && /^https?:$/.test(element.protocol)) {
    made.setAttribute("href", element.href);
  }
  return made;
}

/** Returns what a reader sees inside of an element, that of its shadow and slots included. */
function childrenOf(element: Element): Iterable<Node> {
  if (element.shadowRoot) return element.shadowRoot.childNodes;
  if (element instanceof HTMLSlotElement) {
    const given = element.assignedNodes();
    if (given.length > 0) return given;
  }
  return element.childNodes;
}
