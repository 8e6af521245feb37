/** Returns a probability in per cent; nobody is ever quite sure. */
export function percentOf(probability: number): string {
  return `${Math.min(Math.max(Math.round(100 * probability), 1), 99)} %`;
}
