import type { ContactColumnType } from '@gangan/contracts';
import { work } from '@gangan/protocol';
import { describe, expect, it } from '@jest/globals';
import { checkCell } from './check-cell.js';

const options = ['gold', 'silver', 'rose gold'];
const check = (type: ContactColumnType, text: string) => checkCell({ type, options }, text);

describe('a cell', () => {
  it.each<[ContactColumnType, string, string?]>([
    ['TEXT', 'Ada'],
    ['TEXT', '  kept as it is ', 'kept as it is'],
    ['TEXT', '%_\\\'"<script>'],
    ['NUMBER', '12'],
    ['NUMBER', '-007.50', '-7.5'],
    ['NUMBER', '+3', '3'],
    ['NUMBER', '-0.00', '0'],
    ['NUMBER', '0'],
    ['NUMBER', '000', '0'],
    ['DATE', '2026-11-15', '2026-11-15T00:00:00.000Z'],
    ['DATE', '2026-11-15T09:30:00+01:00', '2026-11-15T08:30:00.000Z'],
    ['PHONE NUMBER', '+2348031234567'],
    ['PHONE NUMBER', '0803 123 4567', '+2348031234567'],
    ['EMAIL', 'Ada@Example.com'],
    ['URL', 'https://example.com/a?b=%20'],
    ['URL', 'http://localhost:3000'],
    ['SELECT', 'rose gold'],
    ['MULTI SELECT', 'silver, gold', 'gold,silver'],
    ['MULTI SELECT', 'gold'],
    ['MULTI SELECT', 'gold,gold', 'gold'],
  ])('of type %s accepts "%s"', (type, written, compared = written) => {
    expect(check(type, written)).toEqual({ ok: true, cell: { written, compared } });
  });

  it('with a phone number reads it once', () => {
    const before = work.phonesRead;
    for (const text of ['0803 123 4567', '+10125550123', '112']) check('PHONE NUMBER', text);
    expect(work.phonesRead - before).toBe(3);
  });

  it.each<[ContactColumnType, string, string]>([
    ['NUMBER', 'twelve', 'value_error'],
    ['NUMBER', '1,000', 'value_error'],
    ['NUMBER', '1e5', 'value_error'],
    ['NUMBER', '.', 'value_error'],
    ['NUMBER', 'NaN', 'value_error'],
    ['NUMBER', '1'.repeat(31), 'value_error'],
    ['DATE', '15.11.2026', 'date'],
    ['DATE', '2026-02-30', 'date'],
    ['PHONE NUMBER', '112', 'phone'],
    ['PHONE NUMBER', 'call me', 'phone'],
    ['EMAIL', 'ada', 'email'],
    ['EMAIL', 'ada@', 'email'],
    ['URL', 'example.com', 'url'],
    ['URL', 'ftp://example.com', 'url'],
    ['URL', 'javascript:alert(1)', 'url'],
    ['SELECT', 'Gold', 'enum'],
    ['SELECT', 'gold,silver', 'enum'],
    ['MULTI SELECT', 'gold, brass', 'enum'],
    ['MULTI SELECT', ',', 'enum'],
    ['TEXT', 'x'.repeat(5_001), 'string_too_long'],
    ['TEXT', 'a\0b', 'value_error'],
    ['TEXT', '\ud800', 'value_error'],
  ])('of type %s rejects "%s"', (type, text, errorType) => {
    expect(check(type, text)).toMatchObject({ ok: false, fault: { type: errorType } });
  });

  it('is trimmed unless it is TEXT, and emptied by blank text', () => {
    expect(check('EMAIL', ' ada@example.com ')).toMatchObject({ cell: { written: 'ada@example.com' } });
    for (const type of ['TEXT', 'NUMBER', 'DATE', 'SELECT'] as const)
      for (const blank of ['', '   ', '\t\n'])
        expect(check(type, blank)).toMatchObject({ cell: { written: '' } });
  });
});
