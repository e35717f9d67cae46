import { SendSmsRequest, validate } from '@gangan/contracts';
import { describe, expect, it } from '@jest/globals';
import { InvalidArgumentError } from 'commander';
import { futureTime, sender } from './arguments.js';

const deskTakes = (name: string): boolean => {
  try {
    return sender(name) === name;
  } catch {
    return false;
  }
};

const interfaceTakes = (name: string): boolean =>
  validate(SendSmsRequest, { recipients: '08031234567', content: 'x', sender_id: name }).ok;

describe('a sender', () => {
  const units = (from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_, place) => String.fromCharCode(from + place));
  const latinAndGreek = units(0, 0x400);
  const signs = units(0x2000, 0x2100);

  it('is accepted if the HTTP interface accepts it', () => {
    const names = [...latinAndGreek, ...signs].flatMap((one) => [one, `a${one}`]);
    expect(names.filter((name) => deskTakes(name) !== interfaceTakes(name))).toEqual([]);
    expect(names.filter(deskTakes)).toEqual(expect.arrayContaining(['é', 'Ñ', 'a€', 'Δ', 'a ']));
  });

  it.each(['', ' ', ' Acme', 'x'.repeat(11), 'x'.repeat(12), 'é'.repeat(11), '😀', 'Acme\n', 'A`c', 'Zoë'])(
    'may be %j on the command line exactly if the HTTP interface accepts it',
    (name) => {
      expect(deskTakes(name)).toBe(interfaceTakes(name));
    },
  );
});

describe('a time in the future', () => {
  it.each([
    ['2100-01-31', '2100-01-31T00:00:00.000Z'],
    ['2100-01-31T09:30', '2100-01-31T09:30:00.000Z'],
    ['2100-01-31T09:30:00+01:00', '2100-01-31T08:30:00.000Z'],
  ])('written as %s is %s in any time zone of the operator', (text, at) => {
    expect(futureTime(text).toISOString()).toBe(at);
  });

  it.each([
    '2100-02-30',
    '2100-13-01',
    '2100-01-31 or so',
    '2100-01-31T25:00',
    'tomorrow',
    '2001-01-31',
    '0',
  ])('cannot be %s', (text) => {
    expect(() => futureTime(text)).toThrow(InvalidArgumentError);
  });
});
