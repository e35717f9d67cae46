import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { CallbackSignatureError, unwrapCallback } from './index.js';

interface Vector {
  readonly name: string;
  readonly valid: boolean;
  readonly secret: string;
  readonly id: string;
  readonly timestamp: number;
  readonly body: string;
  readonly signature: string;
}

const file = new URL('../../../docs/use/callbacks/signature-vectors.json', import.meta.url);
const vectors = JSON.parse(readFileSync(file, 'utf8')) as readonly Vector[];
const secret = 'whsec_ZGVtby1zZWNyZXQtZm9yLWxvY2FsLXVzZS1vbmx5ISE=';

afterEach(() => {
  jest.restoreAllMocks();
});

describe('unwrapCallback', () => {
  it.each(vectors)('agrees with the signature vector: $name', async (vector) => {
    jest.spyOn(Date, 'now').mockReturnValue(vector.timestamp * 1_000);
    const headers = {
      'webhook-id': vector.id,
      'webhook-timestamp': String(vector.timestamp),
      'webhook-signature': vector.signature,
    };
    const bytes = Buffer.from(vector.body);
    for (const [body, given] of [
      [vector.body, headers],
      [bytes, new Headers(headers)],
    ] as const) {
      const unwrapped = unwrapCallback(body, given, vector.secret);
      if (!vector.valid) await expect(unwrapped).rejects.toThrow(CallbackSignatureError);
      else expect(await unwrapped).toEqual({ ...(JSON.parse(vector.body) as object), id: vector.id });
    }
  });

  const body = '{"type":"endpoint.test","timestamp":"2026-11-15T09:30:00.123000+00:00","data":{}}';
  const signed = (at: Date) => ({
    'Webhook-Id': 'callback-1',
    'Webhook-Timestamp': String(Math.floor(at.getTime() / 1_000)),
    'Webhook-Signature': new Webhook(secret).sign('callback-1', at, body),
  });

  it('accepts what the library of Standard Webhooks signs', async () => {
    const callback = await unwrapCallback(body, signed(new Date()), secret);
    expect(callback).toMatchObject({ id: 'callback-1', type: 'endpoint.test' });
  });

  it.each([-301_000, 301_000])('rejects a callback whose time differs by %d ms', async (ms) => {
    const at = new Date(Date.now() + ms);
    await expect(unwrapCallback(body, signed(at), secret)).rejects.toThrow('five minutes');
  });

  it.each(['Webhook-Id', 'Webhook-Timestamp', 'Webhook-Signature'])('needs the header %s', async (name) => {
    const headers = { ...signed(new Date()), [name]: undefined };
    await expect(unwrapCallback(body, headers, secret)).rejects.toThrow(CallbackSignatureError);
  });

  it('rejects a secret that is not base64', async () => {
    await expect(unwrapCallback(body, signed(new Date()), 'whsec_%')).rejects.toThrow(TypeError);
  });
});
