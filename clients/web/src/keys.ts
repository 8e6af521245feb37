const OFF = "scops.letters";
const FIELDS = 'input:not([type="range"]), textarea, select, [contenteditable]';

/**
 * Returns whether a key is not for the page: it goes into a field, or to the browser, or is off.
 *
 * A slider takes arrows and no letters.
 */
export function isTyping(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || !areLettersKeys()) return true;
  const target = event.target;
  return target instanceof Element && target.matches(FIELDS);
}

/** Returns whether single letters do something. */
export function areLettersKeys(): boolean {
  return localStorage.getItem(OFF) !== "off";
}

/** Has single letters do something, or nothing. */
export function setLettersKeys(areKeys: boolean): void {
  if (areKeys) localStorage.removeItem(OFF);
  else localStorage.setItem(OFF, "off");
}
