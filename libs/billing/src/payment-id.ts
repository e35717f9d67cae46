import { createHash } from 'node:crypto';

/** The subject of a payment that outsiders know by a reference: the same reference is the same payment. */
export function paymentIdOf(organisationId: string, reference: string): string {
  const hash = createHash('sha256').update(`${organisationId}\n${reference}`).digest();
  // The version and variant of a UUID whose meaning is its maker's own.
  hash[6] = 0x80 | ((hash[6] ?? 0) & 0x0f);
  hash[8] = 0x80 | ((hash[8] ?? 0) & 0x3f);
  const hex = hash.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
