import { Webhook } from 'standardwebhooks';

export interface Unsigned {
  /** The same on every attempt, so that a consumer knows what it has seen. */
  readonly id: string;
  readonly body: string;
  /** Every living `whsec_…` secret of the organisation: one, or two while one replaces the other. */
  readonly secrets: readonly string[];
  /** When this attempt is made. */
  readonly at: Date;
}

/** The headers by which a consumer knows that a callback is ours, as Standard Webhooks has them. */
export function signatureHeaders({ id, body, secrets, at }: Unsigned): Record<string, string> {
  if (secrets.length === 0) throw new Error('A callback cannot be signed without a secret');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  };
}
