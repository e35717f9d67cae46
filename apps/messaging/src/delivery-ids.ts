import { createHash } from 'node:crypto';

/**
 * The ids of a message's deliveries. They follow from the message's own, so that a second run of the same request
 * meets its rows; start with its time, so that they lie together; and are in the order of the recipients.
 */
export function deliveryIdsOf(messageId: string, count: number): string[] {
  const hex = messageId.toLowerCase();
  const ending = createHash('sha256').update(hex).digest('hex').slice(0, 12);
  return Array.from({ length: count }, (_, place) => {
    const middle = (0x8000 | place).toString(16);
    return `${hex.slice(0, 18)}-${middle}-${ending}`;
  });
}
