import { createHmac, hkdfSync } from 'node:crypto';

/**
 * Tells whether two requests ask for the same thing without keeping what they ask. It is keyed: bodies hold phone
 * numbers and tokens, which a plain hash would give away to whoever tries them all.
 */
export class Fingerprints {
  private readonly keys: readonly Buffer[];

  /** @param secrets base64; while they are changed there are two, and what either made is recognised */
  constructor(secrets: readonly string[]) {
    this.keys = secrets.map((secret) =>
      Buffer.from(hkdfSync('sha256', Buffer.from(secret, 'base64'), '', 'gangan-idempotency', 32)),
    );
  }

  /** The first is the one to keep; another that is equal to one of them means the same request. */
  of(query: string, body: unknown): Buffer[] {
    const text = JSON.stringify([query, body ?? {}], inOrder);
    return this.keys.map((key) => createHmac('sha256', key).update(text).digest());
  }
}

/** White space and the order of fields are no difference: the operation does not see them either. */
function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
