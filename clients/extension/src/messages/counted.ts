/** Returns how a language counts: a number as it writes it, with the word for one or for others. */
export function counting(language: string) {
  const plural = new Intl.PluralRules(language);
  return (count: number, one: string, other: string): string =>
    `${count.toLocaleString(language)} ${plural.select(count) === "one" ? one : other}`;
}
