import { type ContactExport, allContracts, exportContacts } from '@gangan/contracts';
import { sql } from '@gangan/database';
import { AppKeys, deriveQueueKeys, Handles } from '@gangan/queue';
import { QueueSealer } from '@gangan/sealing';
import { until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller } from '@nestjs/common';
import { GatewayFixture, type IssuedKey } from './support/gateway-fixture.js';
import type { RunningGateway } from './support/running-gateway.js';

const genuine: ContactExport = {
  id: '01a1dd98-ffc6-7f4b-beeb-767704693149',
  state: 'done',
  rows: 1,
  bytes: 1,
  created_datetime: '2026-11-19T00:00:00Z',
};

/** The worker replies when the test calls it. */
let reply: () => void = () => undefined;
const replying = new Promise<ContactExport>((resolve) => {
  reply = () => {
    resolve(genuine);
  };
});

@Controller()
class ContactsDouble {
  @Handles(exportContacts)
  export(): Promise<ContactExport> {
    return replying;
  }
}

describe('a reply that another worker forged', () => {
  let fixture: GatewayFixture;
  let gateway: RunningGateway;
  let issued: IssuedKey;
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    gateway = await fixture.gateway();
    issued = await fixture.issueKey({ scopes: ['contacts:read'] });
    await fixture.answer(ContactsDouble);
  });
  afterAll(() => fixture.stop());

  /** The job as every app sees it in the broker. */
  const jobInFlight = (): Promise<{ replyTo: string; requests: { id: string }[] }> =>
    until('the request is in flight', async () => {
      const [job] = await fixture.database.query<{ data: Awaited<ReturnType<typeof jobInFlight>> }>(
        sql`SELECT data FROM bullmq.job WHERE queue = 'gangan-contacts-alone' AND name = 'requests'`,
      );
      return job?.data;
    });

  /** As a worker of `lane` with `key` would reply. */
  const publish = async (replyTo: string, lane: string, key: string, id: string): Promise<void> => {
    const altered = JSON.stringify([[id, { ok: true, data: { id: 'forged' } }]]);
    const bound = JSON.stringify(['replies', 'gateway', lane, replyTo]);
    const payload = `${lane} ${new QueueSealer([key], 'replies').seal(altered, bound)}`;
    await fixture.database.query(
      sql`SELECT pg_notify(${`${replyTo}_gangan`.slice(0, 63)}, ${`forger/0/1/${payload}`})::text`,
    );
  };
  const logged = (message: string): number =>
    gateway.log.lines.filter((line) => JSON.stringify(line).includes(message)).length;

  it('is dropped, and the client gets the reply of the worker that was asked', async () => {
    const response = gateway.call({
      method: 'POST',
      path: '/lists/contact/exports',
      headers: [
        ['authorization', issued.key],
        ['content-type', 'application/json'],
      ],
      body: '{}',
    });
    const { replyTo, requests } = await jobInFlight();
    const [{ id } = { id: '' }] = requests;
    const keys = AppKeys.parse(deriveQueueKeys([fixture.queueKey], 'lookup', allContracts));
    const [key = ''] = keys?.of('gateway', 'lookup') ?? [];
    await publish(replyTo, 'lookup', key, id);
    await publish(replyTo, 'contacts-alone', key, id);
    await until(
      'the gateway has dropped both',
      () =>
        logged('replies dropped: their requests went to another lane') === 1 &&
        logged('replies could not be opened') === 1,
    );
    reply();
    expect(await response).toMatchObject({ status: 200, json: genuine });
  });
});
