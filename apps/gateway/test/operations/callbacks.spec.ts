import {
  type CallbackDetails,
  type CallbackPage,
  findCallback,
  listCallbacks,
  type ListCallbacksRequest,
  type RecordId,
  resendCallback,
} from '@gangan/contracts';
import { newId, notFound, type RequestContext } from '@gangan/protocol';
import { ErrorPassthroughFilter, Handles, MasterKeys, newQueueKey, Queues } from '@gangan/queue';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, type INestMicroservice, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { expectError } from '../support/error-shape.js';
import type { Answer } from '../support/http.js';
import type { RunningGateway } from '../support/running-gateway.js';
import { type IssuedKey, GatewayFixture } from '../support/gateway-fixture.js';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const at = '2026-11-15T09:30:00.123000+00:00';

const known = {
  id: newId(),
  type: 'airtime.success',
  resource_id: newId(),
  url: 'https://example.com/hook',
  status: 'delivered',
  attempt_count: 1,
  created_datetime: at,
  ended_datetime: at,
  request_id: 'checkout-4711',
  body: '{}',
  attempts: [{ attempt: 1, status: 200, started_datetime: at, ended_datetime: at }],
} satisfies CallbackDetails;

/** The requests that the worker received, with their organisations. */
const heard: unknown[] = [];

/** Replaces the callback worker; knows one callback. */
@Controller()
class CallbackDouble {
  @Handles(listCallbacks)
  list(request: ListCallbacksRequest, { organisationId }: RequestContext): CallbackPage {
    heard.push(['list', request, organisationId]);
    const meta = { method: 'GET', resource: '/callbacks', pagination: { limit: 50 } };
    return { callbacks: [], meta };
  }

  @Handles(findCallback)
  find(request: RecordId, { organisationId }: RequestContext): CallbackDetails {
    heard.push(['find', request, organisationId]);
    if (request.id !== known.id) throw notFound('The callback');
    return known;
  }

  @Handles(resendCallback)
  resend(request: RecordId, { organisationId }: RequestContext): CallbackDetails {
    heard.push(['resend', request, organisationId]);
    if (request.id !== known.id) throw notFound('The callback');
    return { ...known, status: 'pending' };
  }
}

@Module({ controllers: [CallbackDouble] })
class DoubleModule {}

describe('callbacks over HTTP', () => {
  const queueKey = newQueueKey();
  let fixture: GatewayFixture;
  let gateway: RunningGateway;
  let queues: Queues;
  let worker: INestMicroservice;
  let reader: IssuedKey;
  let writer: IssuedKey;
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    gateway = await fixture.gateway({ queueKey });
    const connection = { kind: 'postgres', url: fixture.postgres.url, poolSize: 3 } as const;
    const keys = new MasterKeys([queueKey]);
    queues = await Queues.open({ connection, app: 'callback', keys }, 'worker', quiet);
    worker = await NestFactory.createMicroservice(DoubleModule, { strategy: queues.server, logger: false });
    worker.useGlobalFilters(new ErrorPassthroughFilter());
    await worker.listen();
    reader = await fixture.issueKey({ scopes: ['callbacks:read'] });
    writer = await fixture.issueKey({ scopes: ['callbacks:write'] });
  });
  afterAll(async () => {
    await worker.close();
    await queues.client.close();
    await queues.close();
    await fixture.stop();
  });

  const ask = ({ key }: IssuedKey, path: string, method = 'GET'): Promise<Answer> =>
    gateway.call({ method, path, headers: [['authorization', key]] });

  it('are listed by the query, for the organisation of the key', async () => {
    expect(await ask(reader, '/callbacks')).toMatchObject({ status: 200, json: { callbacks: [] } });
    const { id } = known;
    const query = `limit=7&before=${id}&status=failed&type=message.clicked&resource_id=${id}&colour=red`;
    expect((await ask(reader, `/callbacks?${query}`)).status).toBe(200);
    const request = { limit: 7, before: id, status: 'failed', type: 'message.clicked', resource_id: id };
    expect(heard.slice(-2)).toEqual([
      ['list', {}, reader.organisationId],
      ['list', request, reader.organisationId],
    ]);
  });

  it.each([
    ['limit=0', ['limit greater_than_equal']],
    ['limit=101', ['limit less_than_equal']],
    ['before=newest', ['before value_error']],
    ['status=sent', ['status enum']],
    ['type=airtime.pending', ['type enum']],
    ['type=airtime.sent&type=airtime.error', ['type enum']],
    ['resource_id=order-17', ['resource_id value_error']],
    ['limit=x&status=', ['limit integer_type', 'status enum']],
  ])('cannot be listed with ?%s', async (query, errors) => {
    expect(expectError(await ask(reader, `/callbacks?${query}`), 400)).toEqual(errors);
  });

  it('are read by id', async () => {
    expect(await ask(reader, `/callbacks/${known.id}`)).toMatchObject({ status: 200, json: known });
    expect(heard.at(-1)).toEqual(['find', { id: known.id }, reader.organisationId]);
  });

  it('are resent with no body, an empty one, or one that is ignored', async () => {
    const path = `/callbacks/${known.id}/resend`;
    expect(await ask(writer, path, 'POST')).toMatchObject({ status: 200, json: { status: 'pending' } });
    for (const body of ['{}', '{"id":"another"}']) {
      const headers = [
        ['authorization', writer.key],
        ['content-type', 'application/json'],
      ] as const;
      expect(await gateway.call({ method: 'POST', path, headers, body })).toMatchObject({ status: 200 });
    }
    const asked = ['resend', { id: known.id }, writer.organisationId];
    expect(heard.slice(-3)).toEqual([asked, asked, asked]);
  });

  it('are resent once for one Idempotency-Key', async () => {
    const before = heard.length;
    const again = () =>
      gateway.call({
        method: 'POST',
        path: `/callbacks/${known.id}/resend`,
        headers: [
          ['authorization', writer.key],
          ['idempotency-key', 'again-1'],
        ],
      });
    const [first, second] = [await again(), await again()];
    expect(second).toMatchObject({ status: 200, text: first.text });
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(heard.length - before).toBe(1);
  });

  it('that are unknown and invalid ids get the same response', async () => {
    const answers = [newId(), 'what', '%00', '..%2f'].map(async (id) => [
      await ask(reader, `/callbacks/${id}`),
      await ask(writer, `/callbacks/${id}/resend`, 'POST'),
    ]);
    const all = (await Promise.all(answers)).flat();
    for (const answer of all) expectError(answer, 404);
    expect(new Set(all.map(({ text }) => text)).size).toBe(1);
  });

  it('require the scope of the operation', async () => {
    expectError(await ask(writer, '/callbacks'), 403);
    expectError(await ask(writer, `/callbacks/${known.id}`), 403);
    expectError(await ask(reader, `/callbacks/${known.id}/resend`, 'POST'), 403);
    expectError(await gateway.call({ path: '/callbacks' }), 401);
    expectError(await ask(writer, `/callbacks/${known.id}/resend`), 405);
  });
});
