import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { QueueSealer } from './queue-sealer.js';
import { newSealingKey } from './sealing-keys.js';

describe('QueueSealer', () => {
  const key = newSealingKey();

  it('returns any text to another process with the key', () => {
    const [here, there] = [new QueueSealer([key], 'jobs'), new QueueSealer([key], 'jobs')];
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, bound) => {
        expect(there.open(here.seal(text, bound), bound)).toBe(text);
      }),
    );
  });

  it('never seals the same text to the same bytes, and shows nothing of it', () => {
    const sealer = new QueueSealer([key], 'jobs');
    const sealed = Array.from({ length: 100 }, () => sealer.seal('the same secret', 'x'));
    expect(new Set(sealed).size).toBe(100);
    expect(Buffer.from(sealed[0] ?? '', 'base64').toString('latin1')).not.toContain('secret');
  });

  it('rejects a text that was altered, cut or sealed for another place', () => {
    const sealer = new QueueSealer([key], 'jobs');
    const sealed = sealer.seal('pay 100', 'request 1');
    expect(() => sealer.open(sealed, 'request 2')).toThrow();
    expect(() => sealer.open(sealed.slice(0, 20), 'request 1')).toThrow('too short');
    const bytes = Buffer.from(sealed, 'base64');
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const altered = Buffer.from(bytes);
        altered.writeUInt8(altered.readUInt8(at) ^ flip, at);
        expect(() => sealer.open(altered.toString('base64'), 'request 1')).toThrow();
      }),
    );
  });

  it('opens with either key while one is being replaced, and names QUEUE_KEYS when it has neither', () => {
    const next = newSealingKey();
    const old = new QueueSealer([key], 'jobs').seal('old', '');
    expect(new QueueSealer([next, key], 'jobs').open(old, '')).toBe('old');
    expect(() => new QueueSealer([next], 'jobs').open(old, '')).toThrow('QUEUE_KEYS');
  });

  it('does not open a job as a reply', () => {
    const sealed = new QueueSealer([key], 'jobs').seal('text', '');
    expect(() => new QueueSealer([key], 'replies').open(sealed, '')).toThrow();
  });

  it('accepts only keys of 32 bytes', () => {
    expect(() => new QueueSealer(['c2hvcnQ='], 'jobs')).toThrow('32 bytes');
    expect(() => new QueueSealer([], 'jobs')).toThrow('QUEUE_KEYS is missing');
  });
});
