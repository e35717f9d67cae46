import { join } from 'node:path';
import { CallbackConsumer, type TestRequest, until } from '@gangan/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { debugToken as token } from '../support/environment.js';
import { newCallbackSecret, ownOrganisation } from '../support/new-organisation.js';
import { NewLines } from '../support/new-lines.js';
import type { RunningSystem } from '../support/running.js';

/** Requests at the default log level, some of them with the header of operators. */
export function logsRequestsOfOperators(running: RunningSystem): void {
  const { system, database } = running;
  const { id: organisationId, key } = ownOrganisation(running, 'Debugging');
  let consumer: CallbackConsumer;
  let logs: NewLines;
  beforeAll(async () => {
    consumer = await CallbackConsumer.start((_, response) => response.end());
    await newCallbackSecret(system(), database(), organisationId());
    logs = await NewLines.of(join(system().folder, 'logs'));
  });
  afterAll(() => consumer.stop());

  const callback = () => `http://127.0.0.1:${consumer.port}/`;
  const sms = (): TestRequest => ({
    method: 'POST',
    path: '/sms/send',
    body: { recipients: '08031234567', content: 'Hello', callback: callback() },
  });
  const send = async (request: TestRequest, headers: Record<string, string> = {}): Promise<string> => {
    const answer = await system().request({
      ...request,
      key: key(),
      headers: { ...request.headers, ...headers },
    });
    expect(answer).toMatchObject({ status: 200 });
    return String(answer.headers['x-request-id']);
  };
  /** What the apps have logged for a request, as `app: message`. */
  const linesOf = async (requestId: string): Promise<string[]> => {
    const lines = await logs.read();
    return lines
      .filter((line) => line.includes(`"${requestId}"`))
      .map((line) => JSON.parse(line) as { app: string; msg: string; contract?: string; state?: string })
      .map(({ app, msg, contract, state }) => [`${app}:`, msg, contract ?? state ?? ''].join(' ').trim());
  };
  const reported = (requestId: string) =>
    until('the callback has arrived', () =>
      consumer.seen.some(({ headers }) => headers['x-request-id'] === requestId),
    );

  it('logs a message in every app that worked on it, up to its callback', async () => {
    const id = await send(sms(), { 'x-debug': token, 'x-request-id': 'my-message' });
    expect(id).toBe('debug-my-message');
    const expected = [
      'gateway: reply sms.send',
      'gateway: request',
      'messaging: handled sms.send',
      'messaging: delivery changed sent',
      'messaging: delivery changed delivered',
      'callback: callback delivered',
    ];
    await until('every app has logged the request', async () => {
      const lines = await linesOf(id);
      return expected.every((line) => lines.includes(line));
    });
  });

  it('logs purchases, OTPs, lookups and imports in their workers', async () => {
    const requests: [app: string, line: string, TestRequest][] = [
      [
        'airtime',
        'purchase ended',
        {
          method: 'POST',
          path: '/airtime/buy',
          body: { network: 'MTN', amount: 100, recipient: '08031234567', callback: callback() },
        },
      ],
      [
        'messaging',
        'delivery changed delivered',
        {
          method: 'POST',
          path: '/otp/request_token',
          body: { recipient: '08034000099', length: 6, expires_in: 5 },
        },
      ],
      ['lookup', 'handled lookup.phone', { path: '/lookup/phone?phone=08031234567' }],
      [
        'contacts',
        'handled contacts.import',
        {
          method: 'POST',
          path: '/lists/contact/imports',
          headers: { 'content-type': 'text/csv' },
          text: 'name\nAda\n',
        },
      ],
    ];
    for (const [app, line, request] of requests) {
      const id = await send(request, { 'x-debug': token });
      let lines: string[] = [];
      await until(`${app} has logged ${request.path}`, async () => {
        lines = await linesOf(id);
        return lines.some((one) => one.startsWith(`${app}: ${line}`));
      }).catch((error: unknown) => {
        throw new Error(`${String(error)}\n${lines.join('\n')}`);
      });
    }
  });

  it('logs only the line of the gateway without the header, or with another value', async () => {
    const ids = [
      await send(sms()),
      await send(sms(), { 'x-debug': 'wrong' }),
      await send(sms(), { 'x-debug': `${token}x`, 'x-request-id': 'debug-guessed' }),
    ];
    expect(ids).not.toContain('debug-guessed');
    for (const id of ids) {
      await reported(id);
      await until('the request is logged', async () => (await linesOf(id)).length > 0);
      expect(await linesOf(id)).toEqual(['gateway: request']);
    }
  });
}
