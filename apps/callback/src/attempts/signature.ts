import { Webhook } from 'standardwebhooks';

export interface SignatureInput {
  /** The same on every attempt, so that a consumer recognises duplicates. */
  readonly id: string;
  readonly body: string;
  /** The active `whsec_…` secrets of the organisation: one, or two during a rotation. */
  readonly secrets: readonly string[];
  /** The time of the attempt. */
  readonly at: Date;
}

/** The signature headers of Standard Webhooks. */
export function signatureHeaders({ id, body, secrets, at }: SignatureInput): Record<string, string> {
  if (secrets.length === 0) throw new Error('A callback cannot be signed without a secret');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  };
}
