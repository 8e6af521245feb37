const plural = new Intl.PluralRules("en");

/** Says a count of something. */
export function counted(count: number, one: string, other: string): string {
  return `${count.toLocaleString("en")} ${plural.select(count) === "one" ? one : other}`;
}
