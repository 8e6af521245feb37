/** A text to find on a page, with what stands around it. */
export interface Wanted {
  text: string;
  before: string;
  after: string;
}

export type Found =
  | { state: "found"; start: number; end: number }
  | { state: "absent" }
  | { state: "ambiguous" };

/** Where each character of a collapsed text is from. */
export interface Collapsed {
  text: string;
  /** For each character the number of its piece. */
  pieces: Int32Array;
  /** For each character its index in that piece. */
  offsets: Int32Array;
}

const SPACE = /\s/u;

/** Joins pieces of text, with each run of white space as one space. */
export function collapsed(pieces: string[]): Collapsed {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const from = new Int32Array(length);
  const at = new Int32Array(length);
  const characters: string[] = [];
  let isAfterSpace = true;
  for (const [number, piece] of pieces.entries()) {
    for (let offset = 0; offset < piece.length; offset++) {
      const character = piece.charAt(offset);
      const isSpace = SPACE.test(character);
      if (isSpace && isAfterSpace) continue;
      from[characters.length] = number;
      at[characters.length] = offset;
      characters.push(isSpace ? " " : character);
      isAfterSpace = isSpace;
    }
  }
  return { text: characters.join(""), pieces: from, offsets: at };
}

/** Writes a text as `collapsed` does. */
export function oneLine(text: string): string {
  return collapsed([text]).text.trimEnd();
}

/**
 * Finds a text word for word.
 *
 * Of several places the one counts that stands in the surroundings given: nothing is marked where
 * it could be another one, and nothing that only looks alike.
 *
 * @param text as `collapsed` writes it.
 */
export function locate(text: string, wanted: Wanted): Found {
  const [searched, before, after] = [wanted.text, wanted.before, wanted.after].map(oneLine);
  if (!searched) return { state: "absent" };
  const places = occurrences(text, searched);
  if (places.length === 0) return { state: "absent" };
  const ends = (place: number) =>
    text
      .slice(0, place)
      .trimEnd()
      .endsWith(before ?? "");
  const begins = (place: number) =>
    text
      .slice(place + searched.length)
      .trimStart()
      .startsWith(after ?? "");
  for (const isIt of [
    (place: number) => ends(place) && begins(place),
    (place: number) => Boolean(before) && ends(place),
    (place: number) => Boolean(after) && begins(place),
    () => true,
  ]) {
    const left = places.filter(isIt);
    const [start] = left;
    if (left.length === 1 && start !== undefined) {
      return { state: "found", start, end: start + searched.length };
    }
    if (left.length > 1) return { state: "ambiguous" };
  }
  return { state: "ambiguous" };
}

/** Places looked at; a text that stands oftener is named by no place. */
const OCCURRENCES_MAX = 1000;

function occurrences(text: string, searched: string): number[] {
  const places: number[] = [];
  let at = text.indexOf(searched);
  while (at >= 0 && places.length < OCCURRENCES_MAX) {
    if (isWhole(text, at, at + searched.length)) places.push(at);
    at = text.indexOf(searched, at + 1);
  }
  return places;
}

const WORD = /[\p{L}\p{N}]/u;

/** A text stands where no word is cut: 17 does not stand in 1700. */
function isWhole(text: string, start: number, end: number): boolean {
  return !(joins(text, start) || joins(text, end));
}

function joins(text: string, at: number): boolean {
  return at > 0 && at < text.length && WORD.test(text.charAt(at - 1)) && WORD.test(text.charAt(at));
}
