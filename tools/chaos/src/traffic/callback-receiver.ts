import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { CallbackConsumer, type SeenCallback } from '@gangan/testing';
import type { Random } from '../plan/random.js';

export interface ReceivedCallback {
  readonly webhookId: string;
  /** Whose URL it was sent to. */
  readonly organisationId: string;
  readonly type: string;
  /** The message or purchase. */
  readonly resourceId: string;
  /** Of a message: the delivery. */
  readonly deliveryId: string | undefined;
  readonly validSignature: boolean;
  /** Equal bodies have equal digests. */
  readonly digest: string;
}

/** Longer than the timeout of a callback attempt. */
const hangMs = 5_000;

/** The server of the clients: sometimes it answers 500 or not in time. */
export class CallbackReceiver {
  private readonly secrets = new Map<string, Buffer>();

  private constructor(private readonly consumer: CallbackConsumer) {}

  static async start(random: Random): Promise<CallbackReceiver> {
    return new CallbackReceiver(await CallbackConsumer.start(answerWith(random)));
  }

  /** The URL for the callbacks of an organisation, which are signed with `secret`. */
  urlFor(organisationId: string, secret: string): string {
    this.secrets.set(organisationId, Buffer.from(secret.replace('whsec_', ''), 'base64'));
    return `http://127.0.0.1:${this.consumer.port}/${organisationId}`;
  }

  received(): ReceivedCallback[] {
    return this.consumer.seen.map((callback) => {
      const { path = '', headers, body } = callback;
      const { type, data } = JSON.parse(body) as { type: string; data: { id: string; delivery_id?: string } };
      return {
        webhookId: String(headers['webhook-id']),
        type,
        resourceId: data.id,
        deliveryId: data.delivery_id,
        organisationId: path.slice(1),
        validSignature: isSigned(callback, this.secrets.get(path.slice(1))),
        digest: createHash('sha256').update(body).digest('base64'),
      };
    });
  }

  close(): Promise<void> {
    return this.consumer.stop();
  }
}

function answerWith(random: Random): RequestListener {
  const known = new Set<unknown>();
  return ({ headers }, response) => {
    const isNew = !known.has(headers['webhook-id']);
    known.add(headers['webhook-id']);
    // A second failure would be repeated only after minutes.
    if (isNew && random.chance(0.02)) response.writeHead(500).end();
    else if (isNew && random.chance(0.005)) setTimeout(() => response.writeHead(204).end(), hangMs);
    else response.writeHead(204).end();
  };
}

function isSigned({ headers, body }: SeenCallback, secret: Buffer | undefined): boolean {
  if (!secret) return false;
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const expected = Buffer.from(`v1,${createHmac('sha256', secret).update(signed).digest('base64')}`);
  return String(headers['webhook-signature'])
    .split(' ')
    .map((signature) => Buffer.from(signature))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
}
