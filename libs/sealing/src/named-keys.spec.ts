import { describe, expect, it } from '@jest/globals';
import { DerivedKeys, NamedKeys } from './named-keys.js';
import { newSealingKey } from './sealing-keys.js';

const [one, other] = [newSealingKey(), newSealingKey()];
const ofQueue = { variable: 'QUEUE_MASTER_KEY', use: 'gangan-queue-key' } as const;
const ofData = { variable: 'DATA_MASTER_KEY', use: 'gangan-data-key' } as const;

describe('DerivedKeys', () => {
  it('derives another key for each master, use and name', () => {
    const derived = [one, other].flatMap((master) =>
      [ofQueue, ofData].flatMap((derivation) =>
        ['otp/tokens', 'otp/deliveries'].flatMap((name) => new DerivedKeys([master], derivation).of(name)),
      ),
    );
    expect(new Set(derived).size).toBe(8);
    expect(derived).not.toContain(one);
    expect(new DerivedKeys([one], ofQueue).of('otp/tokens')).toEqual([derived[0]]);
  });

  it('derives two keys while the master is replaced, in the same order', () => {
    const keys = new DerivedKeys([one, other], ofData).of('otp/tokens');
    expect(keys).toEqual(
      [one, other].flatMap((master) => new DerivedKeys([master], ofData).of('otp/tokens')),
    );
  });

  it.each([[[]], [['c2hvcnQ=']], [[one, other, one]], [[one, '']]])('refuses %j', (masters) => {
    expect(() => new DerivedKeys(masters, ofData)).toThrow('DATA_MASTER_KEY must be one key, or two');
  });
});

describe('NamedKeys', () => {
  const derived = new DerivedKeys([one, other], ofData);
  const printed = derived.print(['otp/tokens', 'otp/deliveries']);

  it('reads what was printed, also over several lines', () => {
    for (const text of [printed, `${printed.replaceAll(',', ',\n')}\n`]) {
      const keys = NamedKeys.parse(text);
      expect(keys?.names).toEqual(['otp/tokens', 'otp/deliveries']);
      expect(keys?.of('otp/tokens')).toEqual(derived.of('otp/tokens'));
      expect(keys?.of('callback/secrets')).toEqual([]);
    }
  });

  it('is compared with the keys that are needed, and shows none as JSON', () => {
    const keys = NamedKeys.parse(printed);
    expect(keys?.compareWith(['otp/tokens', 'callback/secrets'])).toEqual({
      missing: ['callback/secrets'],
      unneeded: ['otp/deliveries'],
    });
    expect(JSON.stringify(keys)).toBe('["otp/tokens","otp/deliveries"]');
  });

  it('contains nothing that a shell, Compose or systemd would change', () => {
    expect(printed).toMatch(/^[\w/:,+=-]+$/);
  });

  const key = newSealingKey();
  it.each([
    '',
    key,
    `gateway:${key}`,
    'gateway/otp',
    `gateway/otp:${key.slice(4)}`,
    `gateway/otp:${key}:${key}:${key}`,
    `gateway/otp:${key},gateway/otp:${key}`,
    `Gateway/otp:${key}`,
  ])('cannot be read from %j', (text) => {
    expect(NamedKeys.parse(text)).toBeUndefined();
  });
});
