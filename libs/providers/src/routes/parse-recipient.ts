import { type ParsedPhone, parsePhone } from '@gangan/contracts';
import { boundedCache } from '@gangan/protocol';

/** The last recipients, more than a worker submits at a time: each is routed several times in a row, and has a cost. */
const parsed = boundedCache<{ readonly phone: ParsedPhone | undefined }>(10_000);

/** `8031234567`, without the `0` that is dialled before it. All digits, if the number cannot be read. */
export const nationalNumberOf = (recipient: string): string =>
  parseRecipient(recipient)?.nationalNumber ?? recipient.slice(1);

/** As `parsePhone` of a number in E.164. */
export function parseRecipient(recipient: string): ParsedPhone | undefined {
  const known = parsed.get(recipient);
  if (known) return known.phone;
  const phone = parsePhone(recipient);
  parsed.set(recipient, { phone });
  return phone;
}
