import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PayloadAssembler, splitPayload } from './postgres-reply-channel.js';

describe('splitPayload', () => {
  it('makes chunks that fit a notification and can be joined again, in any mix of messages', () => {
    const payloads = fc.array(fc.nat(30_000), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(payloads, fc.infiniteStream(fc.nat()), (lengths, choices) => {
        const whole = lengths.map((length, n) => String(n).repeat(length));
        const queues = whole.map((payload, n) => splitPayload(`m${n}`, payload));
        for (const chunk of queues.flat()) expect(Buffer.byteLength(chunk)).toBeLessThan(8_000);
        const assembler = new PayloadAssembler();
        const out: string[] = [];
        while (queues.some((queue) => queue.length > 0)) {
          const open = queues.filter((queue) => queue.length > 0);
          const next = open[Number(choices.next().value) % open.length]?.shift() ?? '';
          const payload = assembler.add(next);
          if (payload !== undefined) out.push(payload);
        }
        expect(out.sort()).toEqual(whole.sort());
      }),
    );
  });

  it('allows the separator in a payload', () => {
    expect(new PayloadAssembler().add(splitPayload('m', 'a/b//c')[0] ?? '')).toBe('a/b//c');
  });
});
