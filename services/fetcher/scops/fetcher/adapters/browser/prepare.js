// Runs before a page's own scripts: closed shadow trees are remembered, so that what they show can
// be read, and nothing waits for somebody who is not there.
(() => {
  const shadows = new WeakMap();
  Object.defineProperty(window, "__scopsShadows", { value: shadows });
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (options) {
    const root = attach.call(this, options);
    shadows.set(this, root);
    return root;
  };
  window.open = () => null;
  window.print = () => undefined;
})();
