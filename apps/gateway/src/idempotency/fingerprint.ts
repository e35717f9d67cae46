import { createHmac, hkdfSync } from 'node:crypto';

/** Compares requests without storing them. Keyed: phone numbers and tokens could be guessed from a plain hash. */
export class Fingerprints {
  private readonly keys: readonly Buffer[];

  /** @param secrets base64; two during a key rotation, when fingerprints of both are recognised */
  constructor(secrets: readonly string[]) {
    this.keys = secrets.map((secret) =>
      Buffer.from(hkdfSync('sha256', Buffer.from(secret, 'base64'), '', 'gangan-idempotency', 32)),
    );
  }

  /** The first fingerprint is the one to store; a stored one that equals any of them is of the same request. */
  of(query: string, body: unknown): Buffer[] {
    const text = JSON.stringify([query, body ?? {}], sortFields);
    return this.keys.map((key) => createHmac('sha256', key).update(text).digest());
  }
}

/** White space and the order of fields make no difference. */
function sortFields(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
