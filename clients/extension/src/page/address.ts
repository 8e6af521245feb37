/**
 * Returns the address of a page, with its route where an app has one behind the `#` and without any
 * other fragment; empty for what is no page of the web.
 */
export function pageOf(url: string): string {
  if (!/^https?:\/\//.test(url)) return "";
  const [page = "", fragment = ""] = url.split("#", 2);
  const route = fragment.split(":~:", 1)[0] ?? "";
  return /^(?:\/|!)[!/]*[^!/]/.test(route) ? `${page}#${route}` : page;
}
