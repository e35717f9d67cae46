import { defineRequest } from '@gangan/protocol';
import { describe, expect, it } from '@jest/globals';
import type { Backend } from '../backends/backend.js';
import { noObserver } from '../observer.js';
import { defaultTuning } from '../settings.js';
import { Codec } from '../wire/codec.js';
import { QueueServer } from './queue-server.js';

const silent = { ping: () => new Promise(() => undefined) } as unknown as Backend;
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

const newServer = (): QueueServer =>
  new QueueServer(silent, new Codec('q', { of: () => [] }), defaultTuning, quiet, noObserver);

describe('QueueServer', () => {
  it('refuses to listen with a batch handler whose contract has no other handler', () => {
    const contract = defineRequest({
      queue: 'q',
      name: 'q.ask',
      deadlineMs: 1,
      request: Object,
      reply: Object,
    });
    const server = newServer();
    const handler = () => Promise.resolve();
    server.addHandler('q.ask together', handler, false, { contract, together: true });
    const errors: unknown[] = [];
    server.listen((error) => errors.push(error));
    expect(errors).toEqual([new Error('No handler for q.ask')]);
    expect(() => {
      server.addHandler('q.ask together', handler, false, { contract, together: true });
    }).toThrow('The contract q.ask has two handlers');
  });

  it('closes without waiting for a silent broker if no job is in flight', async () => {
    const server = newServer();
    await server.close();
    expect(server.progress().running).toBe(true);
  });
});
