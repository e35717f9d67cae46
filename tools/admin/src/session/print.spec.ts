import { describe, expect, it } from '@jest/globals';
import { asJson, asLines, asTable, Money } from './print.js';

const row = {
  name: 'Acme',
  last_used: undefined,
  created: new Date('2026-11-15T09:30:00.123Z'),
  balance: new Money(123_450n),
  scopes: ['sms:read', 'otp:read'],
  paused: false,
};

describe('printing', () => {
  it('gives scripts JSON without nulls, with amounts as numbers and times as the API writes them', () => {
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

  it('gives people a table', () => {
    expect(asTable([{ name: 'Acme', balance: new Money(5n) }, row]).split('\n')).toEqual([
      'NAME  BALANCE  LAST USED  CREATED                  SCOPES             PAUSED',
      'Acme  0.05',
      'Acme  1234.50             2026-11-15 09:30:00 UTC  sms:read otp:read  no',
    ]);
  });

  it('gives people a line per fact, and lists below', () => {
    expect(asLines({ clean: true, none: [], totals: [{ kind: 'charge', naira: new Money(1n) }] })).toBe(
      'CLEAN  yes\n\nTOTALS\nKIND    NAIRA\ncharge  0.01',
    );
  });
});
