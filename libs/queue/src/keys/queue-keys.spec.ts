import { newSealingKey } from '@gangan/sealing';
import { describe, expect, it } from '@jest/globals';
import { AppKeys, MasterKeys } from './queue-keys.js';

const [one, other] = [newSealingKey(), newSealingKey()];
const senders = [
  { sender: 'gateway', lane: 'otp' },
  { sender: 'messaging', lane: 'otp-events' },
];

describe('MasterKeys', () => {
  it('derives another key for each master, sender and lane', () => {
    const derived = [one, other].flatMap((master) =>
      ['gateway', 'otp'].flatMap((sender) =>
        ['otp', 'otp-events'].flatMap((lane) => new MasterKeys([master]).of(sender, lane)),
      ),
    );
    expect(new Set(derived).size).toBe(8);
    expect(derived).not.toContain(one);
    expect(new MasterKeys([one]).of('gateway', 'otp')).toEqual([derived[0]]);
  });

  it('derives two keys while the master is replaced, in the same order', () => {
    const keys = new MasterKeys([one, other]).of('gateway', 'otp');
    expect(keys).toEqual([one, other].flatMap((master) => new MasterKeys([master]).of('gateway', 'otp')));
  });

  it.each([[[]], [['c2hvcnQ=']], [[one, other, one]], [[one, '']]])('refuses %j', (masters) => {
    expect(() => new MasterKeys(masters)).toThrow('QUEUE_MASTER_KEY must be one key, or two');
  });
});

describe('AppKeys', () => {
  const printed = new MasterKeys([one, other]).print(senders);

  it('reads what was printed, also over several lines', () => {
    for (const text of [printed, `${printed.replaceAll(',', ',\n')}\n`]) {
      const keys = AppKeys.parse(text);
      expect(keys?.names).toEqual(['gateway/otp', 'messaging/otp-events']);
      expect(keys?.of('gateway', 'otp')).toEqual(new MasterKeys([one, other]).of('gateway', 'otp'));
    }
  });

  it('has no key of another sender or lane, and shows none as JSON', () => {
    const keys = AppKeys.parse(printed);
    expect(keys?.of('messaging', 'otp')).toEqual([]);
    expect(keys?.of('gateway', 'otp-events')).toEqual([]);
    expect(JSON.stringify(keys)).toBe('["gateway/otp","messaging/otp-events"]');
  });

  it('cannot be read from the key of version 0.2', () => {
    expect(AppKeys.parse(one)).toBeUndefined();
  });
});
