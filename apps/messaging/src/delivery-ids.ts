import { createHash } from 'node:crypto';

/** Ids of deliveries are derived from the message, so that a second run finds its own rows. They start with its time. */
const startOf = (messageId: string): string => messageId.toLowerCase().slice(0, 18);

/** The ids of a message's deliveries, in the order of its recipients. */
export function deliveryIdsOf(messageId: string, count: number): string[] {
  const ending = createHash('sha256').update(messageId.toLowerCase()).digest('hex').slice(0, 12);
  return Array.from({ length: count }, (_, index) => {
    const middle = (0x8000 | index).toString(16);
    return `${startOf(messageId)}-${middle}-${ending}`;
  });
}

/** The id of a message's delivery to a number of a smartlist: a number that occurs twice has one row. */
export function deliveryIdFor(messageId: string, recipient: string): string {
  const hash = createHash('sha256').update(`${messageId.toLowerCase()} ${recipient}`).digest();
  const middle = (0x8000 | (hash.readUInt16BE(0) & 0x3fff)).toString(16);
  return `${startOf(messageId)}-${middle}-${hash.toString('hex', 2, 8)}`;
}

export const deliveryIdRange = (messageId: string): { readonly first: string; readonly last: string } => ({
  first: `${startOf(messageId)}-8000-000000000000`,
  last: `${startOf(messageId)}-bfff-ffffffffffff`,
});
