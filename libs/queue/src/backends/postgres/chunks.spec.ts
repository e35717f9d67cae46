import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Assembler, cut } from './chunks.js';

describe('chunks of an answer', () => {
  it('fit a notification and make the payload again, however the messages mix', () => {
    const payloads = fc.array(fc.nat(30_000), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(payloads, fc.infiniteStream(fc.nat()), (lengths, choices) => {
        const whole = lengths.map((length, n) => String(n).repeat(length));
        const queues = whole.map((payload, n) => cut(`m${n}`, payload));
        for (const chunk of queues.flat()) expect(Buffer.byteLength(chunk)).toBeLessThan(8_000);
        const assembler = new Assembler();
        const out: string[] = [];
        while (queues.some((queue) => queue.length > 0)) {
          const open = queues.filter((queue) => queue.length > 0);
          const next = open[Number(choices.next().value) % open.length]?.shift() ?? '';
          const payload = assembler.take(next);
          if (payload !== undefined) out.push(payload);
        }
        expect(out.sort()).toEqual(whole.sort());
      }),
    );
  });

  it('may contain the separator', () => {
    expect(new Assembler().take(cut('m', 'a/b//c')[0] ?? '')).toBe('a/b//c');
  });
});
