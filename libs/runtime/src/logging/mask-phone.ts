/** Enough of a number to recognise one's own, not enough to call it: `+234*******567`. */
export function maskPhone(phone: string): string {
  const text = phone.trim();
  const shown = text.startsWith('+') ? 4 : 3;
  if (text.length < shown + 3 + 4) return '*'.repeat(text.length);
  return text.slice(0, shown) + '*'.repeat(text.length - shown - 3) + text.slice(-3);
}

/**
 * In free text a number is nine to fifteen digits, alone or grouped as people do. What looks like one is not when it
 * is part of a word, of a decimal number or of a UUID, or counts the milliseconds since 1970: no number of thirteen
 * digits starts with 1.
 */
const uuid = /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/;
const international = /\+[1-9](?:[ ().-]{0,2}\d){8,14}(?!\d)/;
const grouped = /(?<![\w.])0\d{2,3}[ -]\d{3}[ -]\d{3,4}(?!\w)/;
const digits = /(?<!\w|\d\.)\d{9,15}(?!\w|\.\d)/;
const candidates = new RegExp(
  [uuid, international, grouped, digits].map(({ source }) => source).join('|'),
  'gi',
);
const harmless = new RegExp(`^(?:${uuid.source}|1\\d{12})$`, 'i');

/** Masks every phone number in a sentence. */
export const maskPhonesIn = (text: string): string =>
  text.replace(candidates, (found) => (harmless.test(found) ? found : maskPhone(found)));
