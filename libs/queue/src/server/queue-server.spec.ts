import { newSealingKey, QueueSealer } from '@gangan/sealing';
import { describe, expect, it } from '@jest/globals';
import type { Backend } from '../backends/backend.js';
import { noObserver } from '../observer.js';
import { defaultTuning } from '../settings.js';
import { Codec } from '../wire/codec.js';
import { QueueServer } from './queue-server.js';

const silent = { ping: () => new Promise(() => undefined) } as unknown as Backend;
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe('QueueServer', () => {
  it('closes without waiting for a silent broker if no job is in flight', async () => {
    const codec = new Codec(new QueueSealer([newSealingKey()]));
    const server = new QueueServer(silent, codec, defaultTuning, quiet, noObserver);
    await server.close();
    expect(server.progress().running).toBe(true);
  });
});
