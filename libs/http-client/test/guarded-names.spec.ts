import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GuardedClient } from '../src/guarded-client.js';
import { resolveByNameServers, resolveBySystem, type ResolveName } from '../src/resolve-name.js';
import { NameServer } from './support/name-server.js';

const loopback6 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];

let names: NameServer;
let resolve: ResolveName;

beforeAll(async () => {
  names = await NameServer.start({
    'both.example': {
      A: [
        [93, 184, 215, 14],
        [1, 1, 1, 1],
      ],
      AAAA: [loopback6],
    },
    'four.example': { A: [[93, 184, 215, 14]] },
    'six.example': { AAAA: [loopback6] },
    'none.example': {},
    'silent.example': 'silent',
  });
  resolve = resolveByNameServers([names.address]);
});

afterAll(() => {
  names.stop();
});

describe('names', () => {
  it('are resolved to all addresses of both families', async () => {
    expect(await resolve('both.example')).toEqual(['93.184.215.14', '1.1.1.1', '::1']);
    expect(await resolve('four.example')).toEqual(['93.184.215.14']);
    expect(await resolve('six.example')).toEqual(['::1']);
  });

  it.each(['none.example', 'unknown.example', `${'x'.repeat(64)}.example`, `${'x.'.repeat(130)}example`])(
    'without an address are reported: %s',
    async (name) => {
      expect(await resolve(name)).toEqual([]);
    },
  );

  it('include local names if the system resolves them', async () => {
    expect(await resolveBySystem('localhost')).toEqual(
      expect.arrayContaining([expect.stringMatching(/^(127\.|::1)/)]),
    );
  });

  it.each([
    ['http://both.example', 'refused_address'],
    ['http://six.example', 'refused_address'],
    ['http://none.example', 'dns'],
    ['https://unknown.example', 'dns'],
    ['https://silent.example', 'timeout'],
  ])('decide the result: %s ends with %s', async (url, reason) => {
    const client = new GuardedClient({ allowPrivate: false, resolve, timeoutMs: 500 });
    expect(await client.send({ url, headers: {}, body: '' })).toMatchObject({ outcome: 'failed', reason });
    await client.close();
  });
});
