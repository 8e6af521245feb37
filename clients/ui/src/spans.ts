export interface Cut {
  before: string;
  quote: string;
  after: string;
}

/**
 * Cuts a text around a span.
 *
 * @param start in code points, as the API counts; JavaScript counts UTF-16 units.
 * @returns nothing where the text does not hold the span whole.
 */
export function cut(text: string, start: number, end: number): Cut | undefined {
  const from = unitsOf(text, start);
  const to = unitsOf(text, end);
  if (from === undefined || to === undefined || from >= to) return undefined;
  return { before: text.slice(0, from), quote: text.slice(from, to), after: text.slice(to) };
}

/** Returns the index in UTF-16 units of a place in code points. */
function unitsOf(text: string, points: number): number | undefined {
  if (points < 0) return undefined;
  let index = 0;
  for (let seen = 0; seen < points; seen++) {
    const point = text.codePointAt(index);
    if (point === undefined) return undefined;
    index += point > 0xffff ? 2 : 1;
  }
  return index;
}
