import { createHash } from 'node:crypto';

/**
 * The id of a message's delivery to a number. It follows from both, so that a number which is there twice meets its own
 * row; and it starts with the message's time, so that all of them lie together.
 */
export function deliveryIdFor(messageId: string, recipient: string): string {
  const hash = createHash('sha256').update(`${messageId.toLowerCase()} ${recipient}`).digest();
  const middle = (0x8000 | (hash.readUInt16BE(0) & 0x3fff)).toString(16);
  return `${startOf(messageId)}-${middle}-${hash.toString('hex', 2, 8)}`;
}

/** Between these lie all deliveries of a message. */
export const deliveryIdRange = (messageId: string): { readonly first: string; readonly last: string } => ({
  first: `${startOf(messageId)}-8000-000000000000`,
  last: `${startOf(messageId)}-bfff-ffffffffffff`,
});

const startOf = (messageId: string): string => messageId.toLowerCase().slice(0, 18);
