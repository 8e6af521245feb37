/** How a language counts. */
export interface Counting {
  /** A number as the language writes it. */
  number: (value: number) => string;
  /** A number with the word for one or for others. */
  counted: (value: number, one: string, other: string) => string;
}

/** Returns how a language counts. */
export function counting(language: string): Counting {
  const plural = new Intl.PluralRules(language);
  const format = new Intl.NumberFormat(language);
  const number = (value: number) => format.format(value);
  return {
    number,
    counted: (value, one, other) =>
      `${number(value)} ${plural.select(value) === "one" ? one : other}`,
  };
}
