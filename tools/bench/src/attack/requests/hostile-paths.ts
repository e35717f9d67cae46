/** As long as a path may be to be compared with those that exist, in every version. */
const length = 99;
const letters = 'abcdefghijklmnopqrstuvwxyz';

export const unknownPath = (index: number): string => `/nowhere/${index}/`.padEnd(length, 'lists/contact/');

const existing = [
  ...['/sms/estimate', '/lookup/phone', '/lookup/batch', '/otp/get-by-recipient', '/airtime/products'],
  ...['/lists/contact/rows/query', '/lists/contact/smartlists', '/balance/threshold', '/callback-endpoints'],
];

/** A path that exists, with a letter too many in its first segment: the others may be parameters. */
export function misspeltPath(index: number): string {
  const path = existing[index % existing.length] ?? '';
  const [, segment = ''] = path.split('/');
  const at = 1 + (Math.floor(index / existing.length) % segment.length);
  return path.slice(0, at) + letters.charAt(index % letters.length) + path.slice(at);
}
