/** Shows enough of a number to recognise it, and too little to call it: `+234*******567`. */
export function maskPhone(phone: string): string {
  const text = phone.trim();
  const shown = text.startsWith('+') ? 4 : 3;
  if (text.length < shown + 3 + 4) return '*'.repeat(text.length);
  return text.slice(0, shown) + '*'.repeat(text.length - shown - 3) + text.slice(-3);
}

/**
 * In free text a phone number is nine to fifteen digits, with or without separators. Not a phone number: part of a word, a
 * decimal number or a UUID, and a time in milliseconds since 1970 (no phone number of thirteen digits starts with 1).
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

/** Masks every phone number in a text. */
export const maskPhonesIn = (text: string): string =>
  text.replace(candidates, (found) => (harmless.test(found) ? found : maskPhone(found)));
