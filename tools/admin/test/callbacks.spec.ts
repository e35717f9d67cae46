import {
  createAccount,
  newEndpointSecret,
  openEndpointSecret,
  rotateCallbackSecret,
  sql,
} from '@gangan/database';
import { newId } from '@gangan/protocol';
import { masterSealer, newSealingKey } from '@gangan/sealing';
import { anEndpoint } from '@gangan/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { runAdmin } from '../src/run-admin.js';
import { dataKey } from './support/admin-cli.js';
import { AdminFixture } from './support/admin-fixture.js';

interface Tenant {
  readonly id: string;
  readonly secret: string;
}

const fixture = AdminFixture.use();
const admin = fixture.cli();
let acme: Tenant;
let other: Tenant;

const sealer = masterSealer([dataKey]);
beforeAll(async () => {
  [acme, other] = [await tenant('Acme'), await tenant('Other')];
});

const tenant = async (name: string): Promise<Tenant> => {
  const { organisations } = await createAccount(fixture.database, sealer, { name, sender: name });
  const { id = '', callbackSecret: secret = '' } = organisations.find(({ mode }) => mode === 'live') ?? {};
  return { id, secret };
};

describe('callbacks endpoints', () => {
  it('lists the endpoints of all organisations, or of one', async () => {
    const mine = await anEndpoint(fixture.database, acme.id, { events: ['message.sent'], enabled: false });
    const theirs = await anEndpoint(fixture.database, other.id, { description: 'Shop' });
    const list = (...options: string[]) =>
      admin.json<Record<string, unknown>[]>('callbacks', 'endpoints', ...options);
    expect(await list()).toMatchObject([
      { id: mine, organisation: 'Acme/live', events: 'message.sent', enabled: false, waiting: 0 },
      { id: theirs, organisation: 'Other/live', description: 'Shop', enabled: true },
    ]);
    expect(await list('--organisation', 'other/live')).toMatchObject([{ id: theirs }]);
    await fixture.database.callbackEndpoint.deleteMany();
  });
});

describe('callbacks recover', () => {
  const failed = async (
    { id: organisation }: Tenant,
    hoursAgo: number,
    state = 'failed',
  ): Promise<string> => {
    const id = newId();
    await fixture.database.execute(sql`
      INSERT INTO callback (id, organisation_id, type, resource_id, url, host, body, request_id, state, attempt,
        due_since, next_attempt_at, ended_at)
      VALUES (${id}, ${organisation}, 'airtime.sent', ${id}, 'https://example.com/', 'example.com', '{}', 'r',
        ${state}::callback_state, 10, now() - interval '40 days', NULL, now() - ${hoursAgo}::int * interval '1 hour')`);
    return id;
  };
  const due = async (): Promise<string[]> =>
    (
      await fixture.database.query<{ id: string }>(
        sql`SELECT id FROM callback WHERE state = 'pending' ORDER BY id`,
      )
    ).map(({ id }) => id);

  it('makes failed callbacks due again with all their attempts, spread over the given time', async () => {
    await failed(acme, 7);
    const recent = [await failed(acme, 5), await failed(acme, 1)];
    const foreign = await failed(other, 1);
    await failed(acme, 1, 'gone');
    await failed(acme, 1, 'delivered');

    const recover = ['callbacks', 'recover', '--since', '6h'];
    const asked = await admin.run(...recover);
    expect(asked).toMatchObject({ code: 1, out: '' });
    expect(asked.err).toContain('Send 3 callbacks of all organisations to 2 hosts again, over 10 minutes?');
    expect(await due()).toEqual([]);

    const whose = ['--organisation', 'acme/live', '--over', '1h', '--yes'];
    expect(await admin.json(...recover, ...whose)).toEqual({ recovered: 2 });
    expect(await due()).toEqual(recent);
    const rows = await fixture.database.query(sql`
      SELECT attempt, earlier_attempts AS earlier, ended_at AS ended,
        due_since > now() - interval '1 day' AS anew,
        next_attempt_at BETWEEN now() - interval '1 minute' AND now() + interval '1 hour' AS spread
      FROM callback WHERE state = 'pending'`);
    expect(rows).toEqual(Array(2).fill({ attempt: 10, earlier: 10, ended: null, anew: true, spread: true }));

    expect(await admin.json(...recover, '--yes')).toEqual({ recovered: 1 });
    expect(await due()).toEqual([...recent, foreign]);
    expect(await admin.json(...recover)).toEqual({ recovered: 0 });
  });

  it('recovers any number of callbacks in batches', async () => {
    await fixture.database.execute(sql`
      INSERT INTO callback (id, organisation_id, type, resource_id, url, host, body, request_id, state, next_attempt_at,
        ended_at)
      SELECT gen_random_uuid(), ${other.id}, 'airtime.sent', gen_random_uuid(), 'https://example.org/', 'example.org',
        '{}', 'r', 'failed', NULL, now() FROM generate_series(1, 2500)`);
    const recover = ['callbacks', 'recover', '--since', '1h', '--organisation', 'other/live', '--yes'];
    expect(await admin.json(...recover)).toEqual({ recovered: 2_500 });
  });

  it.each([
    [[]],
    [['--since', 'yesterday']],
    [['--since', '9999-01-01']],
    [['--since', '1h', '--over', 'x']],
  ])('rejects %j', async (options) => {
    expect(await admin.run('callbacks', 'recover', ...options)).toMatchObject({ code: 2, out: '' });
  });
});

describe('callbacks failing', () => {
  it('lists failing hosts from their first failure on, with the time and the reason', async () => {
    const id = newId();
    await fixture.database.execute(sql`
      INSERT INTO callback_host (organisation_id, host, pace_ms, failures, failing_since)
      VALUES (${acme.id}, 'down.example', 5, 9, now() - interval '2 days'),
             (${acme.id}, 'shaky.example', 5, 1, now() - interval '1 minute'),
             (${acme.id}, 'fine.example', 5, 0, NULL)`);
    await fixture.database.execute(sql`
      INSERT INTO callback (id, organisation_id, type, resource_id, url, host, body, request_id, attempt)
      VALUES (${id}, ${acme.id}, 'airtime.sent', ${id}, 'https://down.example/', 'down.example', '{}', 'r', 2)`);
    await fixture.database.execute(sql`
      INSERT INTO callback_attempt (callback_id, attempt, status, error, started_at)
      VALUES (${id}, 1, 503, NULL, now() - interval '1 hour'), (${id}, 2, NULL, 'timeout', now())`);
    const facts = {
      organisation: 'Acme/live',
      failing_since: expect.any(String),
      last_tried: expect.any(String),
    };
    const down = { ...facts, host: 'down.example', waiting: 1, last_result: 'timeout' };
    expect(await admin.json('callbacks', 'failing', '--for', '1h')).toEqual([down]);
    expect(await admin.json('callbacks', 'failing')).toEqual([
      down,
      { ...facts, host: 'shaky.example', waiting: 0 },
    ]);
    expect((await admin.run('callbacks', 'failing', '--for', '3d')).out).toMatch(/^No host is failing/);
  });
});

describe('callbacks listen', () => {
  /** The command, running in this process until it ends by itself. */
  const listen = async (...given: string[]) => {
    let [out, err] = ['', ''];
    let heard: (url: string) => void = () => undefined;
    const listening = new Promise<string>((resolve) => (heard = resolve));
    const ended = runAdmin(
      ['callbacks', 'listen', ...given, '--port', '0'],
      { DATABASE_URL: fixture.url, DATA_MASTER_KEY: dataKey },
      {
        out: { write: (text) => (out += text) },
        err: {
          write: (text) => {
            err += text;
            const [url] = /http:\S+/.exec(text) ?? [];
            if (url !== undefined) heard(url);
          },
        },
        isTerminal: false,
      },
    );
    const url = await Promise.race([listening, ended.then((code) => `ended with ${code}: ${err}`)]);
    return { url, ended, printed: () => ({ out, err }) };
  };

  const body = JSON.stringify({ type: 'airtime.success', data: { recipient: 'größer' } });
  const post = async (url: string, secret: string, at = new Date(), altered = body): Promise<number> => {
    const headers = {
      'webhook-id': 'callback-1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign('callback-1', at, body),
    };
    return (await fetch(url, { method: 'POST', headers, body: altered })).status;
  };

  it('accepts callbacks of any organisation, signed with either secret of a rotation, and refuses others', async () => {
    const { url, ended, printed } = await listen('--count', '4', '--json');
    const later = new Date(Date.now() + 3_600_000);
    const rotated = await fixture.database.transaction((transaction) =>
      rotateCallbackSecret(transaction, sealer, other.id, later),
    );
    expect(await post(url, `whsec_${Buffer.alloc(32).toString('base64')}`)).toBe(401);
    expect(await post(url, acme.secret, new Date(Date.now() - 3_600_000))).toBe(401);
    expect(await post(url, acme.secret, new Date(), body.replace('success', 'failed'))).toBe(401);
    expect((await fetch(url, { method: 'POST' })).status).toBe(401);
    expect((await fetch(url)).status).toBe(405);
    const endpoint = newEndpointSecret(sealer, newId(), acme.id);
    const endpointId = await anEndpoint(fixture.database, acme.id);
    await fixture.database.callbackEndpointSecret.create({ data: { ...endpoint, endpointId } });
    const ofEndpoint = openEndpointSecret(sealer, endpoint);
    for (const secret of [acme.secret, other.secret, rotated, ofEndpoint])
      expect(await post(url, secret)).toBe(204);
    expect(await ended).toBe(0);
    const { out, err } = printed();
    const heard = JSON.parse(`[${out.replaceAll('}\n{', '},{')}]`) as unknown;
    const shown = { id: 'callback-1', body };
    expect(heard).toEqual([
      { ...shown, organisation: 'Acme/live' },
      { ...shown, organisation: 'Other/live' },
      { ...shown, organisation: 'Other/live' },
      { ...shown, organisation: 'Acme/live' },
    ]);
    expect(err.match(/Refused/g)).toHaveLength(4);
    expect(out + err).not.toContain('whsec_');
  });

  it('can be limited to one organisation or one secret', async () => {
    const one = await listen('acme/live', '--count', '1');
    expect(await post(one.url, other.secret)).toBe(401);
    expect(await post(one.url, acme.secret)).toBe(204);
    expect(await one.ended).toBe(0);
    expect(one.printed().out).toContain('"recipient": "größer"');
    const [first, second] = [acme.secret, `whsec_${Buffer.alloc(24, 7).toString('base64')}`];
    const given = await listen('--secret', first, '--secret', second, '--count', '2');
    expect(await post(given.url, other.secret)).toBe(401);
    expect(await post(given.url, first)).toBe(204);
    expect(await post(given.url, second)).toBe(204);
    expect(await given.ended).toBe(0);
  });

  it('warns once about a secret that cannot be opened, and verifies with the others', async () => {
    const lost = masterSealer([newSealingKey()]);
    await createAccount(fixture.database, lost, { name: 'Lost', sender: 'Lost' });
    const { url, ended, printed } = await listen('--count', '2');
    for (const secret of [acme.secret, other.secret]) expect(await post(url, secret)).toBe(204);
    expect(await ended).toBe(0);
    expect(
      printed().err.match(/Warning: a secret of Lost\/live cannot be opened.*DATA_MASTER_KEY/g),
    ).toHaveLength(1);
  });

  it('refuses a body that is too large, also without a Content-Length', async () => {
    const { url, ended } = await listen();
    const chunks = function* () {
      for (let index = 0; index < 17; index += 1) yield Buffer.alloc(65_536, 'x');
    };
    // A response before the end of a body may also be seen as a broken connection.
    const send = (sent: string | ReadableStream) =>
      fetch(url, { method: 'POST', body: sent, duplex: 'half' }).then(
        ({ status }) => status,
        () => 413,
      );
    expect(await send('x'.repeat(17 * 65_536))).toBe(413);
    expect(await send(ReadableStream.from(chunks()))).toBe(413);
    process.emit('SIGINT');
    expect(await ended).toBe(0);
  });

  it('ends when it is interrupted', async () => {
    const { ended } = await listen();
    process.emit('SIGINT');
    expect(await ended).toBe(0);
  });

  it('reports a port in use and an unknown organisation', async () => {
    const { url, ended } = await listen('--count', '1');
    const { port } = new URL(url);
    expect(await admin.run('callbacks', 'listen', '--port', port)).toMatchObject({
      code: 1,
      err: `Port ${port} is not available: choose another with --port.\n`,
    });
    expect((await admin.run('callbacks', 'listen', 'unknown/live')).err).toMatch(/^There is no organisation/);
    expect((await admin.run('callbacks', 'listen', '--port', '99999')).code).toBe(2);
    await post(url, acme.secret);
    await ended;
  });
});
