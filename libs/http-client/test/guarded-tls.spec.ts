import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { GuardedClient } from '../src/guarded-client.js';
import { type Certificate, CallbackConsumer, makeCertificate } from '@gangan/testing';
import { FakeInternet } from './support/fake-internet.js';

const authority = makeCertificate({ name: 'an authority' });
const internet = new FakeInternet();
let client: GuardedClient;

beforeAll(() => {
  internet.open();
});

afterAll(() => {
  internet.close();
});

beforeEach(() => {
  client = new GuardedClient({
    allowPrivate: false,
    resolve: () => Promise.resolve(['93.184.215.14']),
    authorities: authority.cert,
  });
});

afterEach(() => client.close());

async function call(host: string, certificate: Certificate) {
  const consumer = await CallbackConsumer.start((_request, response) => response.end('ok'), certificate);
  const outcome = await client.send({ url: `https://${host}:${consumer.port}/`, headers: {}, body: '' });
  await consumer.stop();
  return { outcome, seen: consumer.seen, port: consumer.port };
}

describe('a certificate', () => {
  it('of the name is trusted, and the server name is sent although the address is fixed', async () => {
    const { outcome, seen, port } = await call(
      'hooks.example',
      makeCertificate({ name: 'hooks.example', by: authority }),
    );
    expect(outcome).toMatchObject({ outcome: 'answered', status: 200 });
    expect(seen).toMatchObject([{ serverName: 'hooks.example', host: `hooks.example:${port}` }]);
  });

  it('must match the name without its trailing dot', async () => {
    const { outcome, seen } = await call(
      'hooks.example.',
      makeCertificate({ name: 'hooks.example', by: authority }),
    );
    expect(outcome).toMatchObject({ status: 200 });
    expect(seen).toMatchObject([{ serverName: 'hooks.example' }]);
  });

  it.each([
    ['that signs itself', makeCertificate({ name: 'hooks.example' })],
    ['of another name', makeCertificate({ name: 'other.example', by: authority })],
    [
      'that has expired',
      makeCertificate({ name: 'hooks.example', by: authority, until: new Date('2001-01-01') }),
    ],
    [
      'of an unknown authority',
      makeCertificate({ name: 'hooks.example', by: makeCertificate({ name: 'nobody' }) }),
    ],
  ])('%s is rejected before anything is sent', async (_what, certificate) => {
    const { outcome, seen } = await call('hooks.example', certificate);
    expect(outcome).toMatchObject({ outcome: 'failed', reason: 'tls' });
    expect(seen).toEqual([]);
  });

  it('is missing on a plain HTTP server', async () => {
    const consumer = await CallbackConsumer.start((_request, response) => response.end());
    const outcome = await client.send({
      url: `https://hooks.example:${consumer.port}/`,
      headers: {},
      body: '',
    });
    await consumer.stop();
    expect(outcome).toMatchObject({ reason: 'tls' });
  });
});
