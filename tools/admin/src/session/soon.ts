/** Shorter than the hour that somebody asked for a moment ago. */
const hourMs = 59 * 60_000;

/** Too early for those who depend on something that ends then to do anything about it: worth a question. */
export const isSoon = (at: Date): boolean => at.getTime() - Date.now() < hourMs;
