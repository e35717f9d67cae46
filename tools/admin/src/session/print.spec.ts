import { describe, expect, it } from '@jest/globals';
import { asJson, asLines, asTable, Money, withoutControls } from './print.js';

const row = {
  name: 'Acme',
  last_used: undefined,
  created: new Date('2026-11-15T09:30:00.123Z'),
  balance: new Money(123_450n),
  scopes: ['sms:read', 'otp:read'],
  paused: false,
};

describe('printing', () => {
  it('writes JSON for scripts without nulls, with amounts as numbers and times as in the API', () => {
    expect(JSON.parse(asJson([row]))).toEqual([
      {
        name: 'Acme',
        created: '2026-11-15T09:30:00.123000+00:00',
        balance: 1234.5,
        scopes: ['sms:read', 'otp:read'],
        paused: false,
      },
    ]);
  });

  it('writes a table for people', () => {
    expect(asTable([{ name: 'Acme', balance: new Money(5n) }, row]).split('\n')).toEqual([
      'NAME  BALANCE  LAST USED  CREATED                  SCOPES             PAUSED',
      'Acme  0.05',
      'Acme  1234.50             2026-11-15 09:30:00 UTC  sms:read otp:read  no',
    ]);
  });

  it('writes a line per value for people, with lists below', () => {
    expect(asLines({ clean: true, none: [], totals: [{ kind: 'charge', naira: new Money(1n) }] })).toBe(
      'CLEAN  yes\n\nTOTALS\nKIND    NAIRA\ncharge  0.01',
    );
  });

  it('shows control characters, which could hide what an operator approves', () => {
    expect(withoutControls('add 500\u001b[2K\radd 5\u202e\n\tß')).toBe(
      String.raw`add 500\u{1b}[2K\u{d}add 5\u{202e}` + '\n\tß',
    );
  });
});
