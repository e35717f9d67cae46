import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
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

/** The server of the clients: verifies each callback, and sometimes answers 500 or not in time. */
export class CallbackReceiver {
  readonly received: ReceivedCallback[] = [];
  private readonly seen = new Set<string>();
  private readonly secrets = new Map<string, Buffer>();
  private readonly server: Server;

  constructor(private readonly random: Random) {
    this.server = createServer((request, response) => {
      void this.receive(request, response);
    });
  }

  async listen(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  /** The URL for the callbacks of an organisation, which are signed with `secret`. */
  urlFor(organisationId: string, secret: string): string {
    this.secrets.set(organisationId, Buffer.from(secret.replace('whsec_', ''), 'base64'));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/${organisationId}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    const webhookId = String(request.headers['webhook-id']);
    const { type, data } = JSON.parse(body) as { type: string; data: { id: string; delivery_id?: string } };
    this.received.push({
      webhookId,
      type,
      resourceId: data.id,
      deliveryId: data.delivery_id,
      organisationId: organisationOf(request),
      validSignature: this.isSigned(request, body),
      digest: createHash('sha256').update(body).digest('base64'),
    });
    const isNew = !this.seen.has(webhookId);
    this.seen.add(webhookId);
    // A second failure would be repeated only after minutes.
    if (isNew && this.random.chance(0.02)) response.writeHead(500).end();
    else if (isNew && this.random.chance(0.005)) setTimeout(() => response.writeHead(204).end(), hangMs);
    else response.writeHead(204).end();
  }

  private isSigned(request: IncomingMessage, body: string): boolean {
    const { headers } = request;
    const secret = this.secrets.get(organisationOf(request));
    if (!secret) return false;
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
    const expected = Buffer.from(`v1,${createHmac('sha256', secret).update(signed).digest('base64')}`);
    return String(headers['webhook-signature'])
      .split(' ')
      .map((signature) => Buffer.from(signature))
      .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
  }
}

const organisationOf = ({ url = '' }: IncomingMessage): string => url.slice(1);
