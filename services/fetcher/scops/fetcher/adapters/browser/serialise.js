// What a page shows, as one string of HTML, or null where it is longer than `bytesMax`.
// Shadow trees stand where the browser draws them, slots hold what fills them.
(bytesMax) => {
  const VOID = new Set(["AREA", "BASE", "BR", "COL", "EMBED", "HR", "IMG", "INPUT", "LINK", "META", "SOURCE", "TRACK", "WBR"]);
  const LEFT_OUT = new Set(["SCRIPT", "NOSCRIPT", "STYLE", "TEMPLATE", "IFRAME", "OBJECT"]);
  const IN_HEAD = new Set(["HEAD", "TITLE", "META", "LINK", "BASE"]);
  const DATA = /^application\/ld\+json/i;
  const parts = [];
  let size = 0;
  const put = (text) => { size += text.length; parts.push(text); };
  const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const quoted = (text) => escaped(text).replace(/"/g, "&quot;");
  const isShown = (element) => {
    if (IN_HEAD.has(element.tagName)) return true;
    const style = getComputedStyle(element);
    return style.display !== "none" && (style.visibility !== "hidden" || style.display === "contents");
  };
  const childrenOf = (node) => {
    if (node.tagName === "SLOT" && node.assignedNodes().length) return node.assignedNodes();
    const shadow = node.shadowRoot || (window.__scopsShadows && window.__scopsShadows.get(node));
    return (shadow || node).childNodes;
  };
  const write = (node) => {
    if (size > bytesMax) return;
    if (node.nodeType === Node.TEXT_NODE) { put(escaped(node.data)); return; }
    if (node.nodeType !== Node.ELEMENT_NODE) return;
    const name = node.tagName;
    if (name === "SCRIPT" && DATA.test(node.type)) { put(`<script type="application/ld+json">${node.textContent.replace(/<\//g, "<\\/")}</script>`); return; }
    if (LEFT_OUT.has(name)) return;
    const tag = name.toLowerCase().replace(/[^a-z0-9-]/g, "");
    const shown = isShown(node);
    put(`<${tag}`);
    for (const { name: key, value } of node.attributes) {
      if (/^[a-z_:][-a-z0-9_:.]*$/i.test(key) && !/^on/i.test(key) && !(shown && key === "hidden")) put(` ${key}="${quoted(value)}"`);
    }
    put(shown || node.hasAttribute("hidden") ? ">" : " hidden>");
    if (VOID.has(name)) return;
    for (const child of childrenOf(node)) write(child);
    put(`</${tag}>`);
  };
  write(document.documentElement);
  return size > bytesMax ? null : "<!DOCTYPE html>" + parts.join("");
}
