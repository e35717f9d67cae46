import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkSendLimits, type SendCounts, type SendLimits } from './send-limits.js';

const newOtp = (id: string, wish: { recipient?: string }, limits: Partial<SendLimits>) => ({
  id,
  organisationId: 'acme',
  recipient: '+2348031230000',
  limits: { sendsPerRecipient: 0, sendsPerPrefix: 0, ...limits },
  ...wish,
});

const nothing: SendCounts = {
  stored: false,
  toRecipient: 0,
  recipientWait: null,
  toPrefix: 0,
  verifiedOfPrefix: 0,
  prefixWait: null,
};

describe('the send limits', () => {
  it('admit the requests of a batch in order until a limit is reached', () => {
    const batch = fc.array(fc.record({ recipient: fc.nat(3), stored: fc.boolean() }));
    const limits = fc.record({
      sendsPerRecipient: fc.nat(4),
      sendsPerPrefix: fc.nat(8),
    });
    const earlier = fc.record({ toRecipient: fc.nat(3), toPrefix: fc.nat(6) });
    fc.assert(
      fc.property(batch, limits, earlier, (members, cap, before) => {
        const otps = members.map(({ recipient }, place) =>
          newOtp(String(place), { recipient: `+234803123000${recipient}` }, cap),
        );
        const sightings = members.map(({ stored }) => ({ ...nothing, ...before, stored }));
        const refusals = checkSendLimits(otps, sightings);
        const counts = new Map<number, number>();
        let sent = before.toPrefix;
        for (const [place, { recipient, stored }] of members.entries()) {
          const toRecipient = before.toRecipient + (counts.get(recipient) ?? 0);
          const fits =
            (cap.sendsPerRecipient === 0 || toRecipient < cap.sendsPerRecipient) &&
            (cap.sendsPerPrefix === 0 || sent < cap.sendsPerPrefix);
          expect([place, refusals[place] === undefined]).toEqual([place, stored || fits]);
          if (stored || !fits) continue;
          counts.set(recipient, (counts.get(recipient) ?? 0) + 1);
          sent += 1;
        }
      }),
      { numRuns: 500 },
    );
  });

  it('do not apply to a prefix with a fifth of its OTPs verified; other prefixes get a retry time', () => {
    const otp = newOtp('one', {}, { sendsPerPrefix: 50 });
    const sighting = { ...nothing, toPrefix: 100, prefixWait: 42 };
    expect(checkSendLimits([otp], [{ ...sighting, verifiedOfPrefix: 20 }])).toEqual([undefined]);
    expect(checkSendLimits([otp], [{ ...sighting, verifiedOfPrefix: 19 }])).toMatchObject([
      { status: 429, code: 'too_many_attempts', retryAfter: 42, fields: [{ field: 'recipient' }] },
    ]);
  });
});
