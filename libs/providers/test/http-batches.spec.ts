import type { ServerResponse } from 'node:http';
import { CallbackConsumer } from '@gangan/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { HttpCaller } from '../src/http/http-caller.js';
import { HttpClients } from '../src/http/http-exchange.js';
import type { HttpSettings } from '../src/http/http-settings.js';

interface Item {
  readonly to: string;
  readonly id: string;
}

const to = (recipient: string, text = 'Hello') => ({
  recipient,
  recipient_digits: recipient.slice(1),
  sender: 'Acme',
  text,
  reference: `r${recipient}`,
});
const accepted = ({ to: recipient, id }: Item) => ({ to: recipient, id: `m-${id}`, code: '0' });

describe('batches of an HTTP provider', () => {
  let server: CallbackConsumer;
  let answer: (items: readonly Item[], response: ServerResponse) => unknown;
  const clients = new HttpClients();

  /** The recipients of each request. */
  const sent = (): string[][] =>
    server.seen.map(({ body }) =>
      (JSON.parse(body) as { list: Item[] }).list.map(({ to: recipient }) => recipient),
    );

  beforeAll(async () => {
    server = await CallbackConsumer.start((request, response) => {
      if (request.method === 'GET') answer([], response);
      else answer((JSON.parse(server.seen.at(-1)?.body ?? '') as { list: Item[] }).list, response);
    });
  });
  afterAll(async () => {
    await clients.close();
    await server.stop();
  });
  beforeEach(() => {
    server.seen.length = 0;
    answer = (items, response) => response.end(JSON.stringify({ results: items.map(accepted) }));
  });

  const caller = (changes: Partial<HttpSettings> = {}) => {
    const url = `http://127.0.0.1:${server.port}/`;
    const json = { text: '{text}', list: [{ to: '{recipient}', id: '{reference}' }] };
    const settings: HttpSettings = {
      request: { url, headers: { key: '{secret.key}' }, json, batch: { size: 4, items: '/list' } },
      answer: { items: '/results', recipient: '/to', code: '/code', accepted: ['0'], reference: '/id' },
      outcomes: [{ code: ['9'], outcome: 'failed', reason: 'invalid_number' }],
      allowPrivate: true,
      ...changes,
    };
    return new HttpCaller({ clients, settings, secrets: { key: 'secret-key' }, maxTimeoutMs: 5_000 });
  };
  const outcomesOf = async (messages: ReturnType<typeof to>[], own = caller()) =>
    (await own.callAll(messages, 1)).map(({ outcome, reference, reason }) => reference ?? reason ?? outcome);

  it('have as many messages as allowed, and a result for each', async () => {
    answer = (items, response) =>
      response.end(
        JSON.stringify({
          results: items
            .toReversed()
            .map((item) => (item.to === '+2' ? { to: '2', code: '9' } : accepted(item))),
        }),
      );
    expect(await outcomesOf([to('+1'), to('+2'), to('+3', 'Other'), to('+4'), to('+5'), to('+6')])).toEqual([
      'm-r+1',
      'invalid_number',
      'm-r+3',
      'm-r+4',
      'm-r+5',
      'm-r+6',
    ]);
    expect(sent()).toEqual([['+1', '+2', '+4', '+5'], ['+3'], ['+6']]);
  });

  it('are split if they are refused as a whole, so that one message cannot fail the others', async () => {
    answer = (items, response) =>
      items.some((item) => item.to === '+3')
        ? response.writeHead(400).end('{"error":"bad number"}')
        : response.end(JSON.stringify({ results: items.map(accepted) }));
    expect(await outcomesOf([to('+1'), to('+2'), to('+3'), to('+4')])).toEqual([
      'm-r+1',
      'm-r+2',
      'provider_error',
      'm-r+4',
    ]);
    expect(sent()).toEqual([['+1', '+2', '+3', '+4'], ['+1', '+2'], ['+3', '+4'], ['+3'], ['+4']]);
  });

  it('are not split if all messages have the sender that is refused', async () => {
    answer = (_, response) => response.writeHead(400).end('{"error":"bad sender"}');
    const own = caller({
      outcomes: [{ text: 'bad sender', outcome: 'refused', reason: 'invalid_sender' }],
    });
    expect(await outcomesOf([to('+1'), to('+2'), to('+3')], own)).toEqual(Array(3).fill('invalid_sender'));
    expect(sent()).toEqual([['+1', '+2', '+3']]);
  });

  describe('of a hundred', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => to(`+${100 + index}`));
    const json = { text: '{text}', list: [{ to: '{recipient}', id: '{reference}' }] };
    const large = (changes: Partial<HttpSettings> = {}) =>
      caller({
        request: { url: `http://127.0.0.1:${server.port}/`, json, batch: { size: 100, items: '/list' } },
        ...changes,
      });
    const refuseIf = (isRefused: (item: Item) => boolean): void => {
      answer = (items, response) =>
        items.some(isRefused)
          ? response.writeHead(400).end('{"error":"not allowed"}')
          : response.end(JSON.stringify({ results: items.map(accepted) }));
    };

    it('are refused after a few requests if those that are sent alone are refused for the same reason', async () => {
      refuseIf(() => true);
      expect(await outcomesOf(hundred, large())).toEqual(Array(100).fill('provider_error'));
      expect(server.seen).toHaveLength(6);
    });

    it.each([
      ['one', (item: Item) => item.to === '+150', 1],
      ['every third', (item: Item) => Number(item.to) % 3 === 0, 33],
    ])('are all sent but those that are refused: %s', async (_, isRefused, refused) => {
      refuseIf(isRefused);
      const outcomes = await outcomesOf(hundred, large());
      expect(outcomes).toEqual(
        hundred.map(({ recipient }) =>
          isRefused({ to: recipient, id: '' }) ? 'provider_error' : `m-r${recipient}`,
        ),
      );
      expect(outcomes.filter((outcome) => outcome === 'provider_error')).toHaveLength(refused);
    });

    it('are all sent alone if the reason is about their recipients', async () => {
      refuseIf(() => true);
      const own = large({ outcomes: [{ text: 'not allowed', outcome: 'failed', reason: 'invalid_number' }] });
      expect(await outcomesOf(hundred.slice(0, 12), own)).toEqual(Array(12).fill('invalid_number'));
      expect(server.seen).toHaveLength(23);
    });
  });

  it.each([
    ['a lost answer', (_: unknown, response: ServerResponse) => response.destroy(), 'no_answer'],
    ['garbage', (_: unknown, response: ServerResponse) => response.end('<html>'), 'unreadable_answer'],
    ['throttling', (_: unknown, response: ServerResponse) => response.writeHead(429).end(), 'throttled'],
    [
      'a wrong key',
      (_: unknown, response: ServerResponse) => response.writeHead(401).end(),
      'provider_account',
    ],
  ])('are not sent again after %s', async (_, behaviour, reason) => {
    answer = behaviour;
    expect(await outcomesOf([to('+1'), to('+2')])).toEqual([reason, reason]);
    expect(server.seen).toHaveLength(1);
  });

  it('are queried by our references, with the same headers', async () => {
    const ask = {
      request: { url: '/logs?id={reference}' },
      answer: { items: '/results', code: '/code', accepted: ['0'], reference: '/id' },
    };
    answer = (_, response) => {
      const { path } = server.seen.at(-1) ?? {};
      if (path === '/logs?id=r3') response.destroy();
      else response.end(JSON.stringify({ results: path === '/logs?id=r1' ? [{ code: 0, id: 'm1' }] : [] }));
    };
    expect(await caller({ ask }).ask(['r1', 'r2', 'r3'], 1)).toMatchObject([
      { outcome: 'accepted', reference: 'm1' },
      { outcome: 'not_found' },
      { outcome: 'unknown' },
    ]);
    expect(server.seen.map(({ headers }) => headers['key'])).toEqual([
      'secret-key',
      'secret-key',
      'secret-key',
    ]);
  });
});
