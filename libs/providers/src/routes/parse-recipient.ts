import { type ParsedPhone, parsePhone } from '@gangan/contracts';

/** More than the deliveries that a worker submits at a time. */
const maxKept = 10_000;

/** The last recipients: each is routed several times in a row, and has a cost. */
const kept = new Map<string, ParsedPhone | undefined>();

/** As `parsePhone` of a number in E.164. */
export function parseRecipient(recipient: string): ParsedPhone | undefined {
  if (kept.has(recipient)) return kept.get(recipient);
  const phone = parsePhone(recipient);
  const [oldest] = kept.keys();
  if (kept.size >= maxKept && oldest !== undefined) kept.delete(oldest);
  kept.set(recipient, phone);
  return phone;
}
