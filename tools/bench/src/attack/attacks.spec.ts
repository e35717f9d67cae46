import { parsePhone } from '@gangan/contracts';
import { describe, expect, it } from '@jest/globals';
import { attackNames, attackOf, type Flood } from './attacks.js';
import { numberOfAnyCode, numbersOf, zeroNumber } from './requests/hostile-numbers.js';
import type { MakeRequest } from './requests/http-request.js';

const access = { key: 'sk_test_x', webhook: { path: '/in/whatsapp/token', secret: 'secret' } };
const floods = attackNames.flatMap((name): Flood[] => {
  const attack = attackOf(name);
  return attack.kind === 'flood' ? [attack] : [];
});

describe('the hostile requests', () => {
  it('are compared with a plain one of about the same size', () => {
    const sizeOf = (make: MakeRequest): number => make(access, 7).body?.length ?? 0;
    for (const { title, hostile, plain = hostile } of floods) {
      const [size, other] = [sizeOf(hostile), sizeOf(plain)];
      expect({ title, isSimilar: Math.abs(size - other) <= 0.2 * other }).toEqual({ title, isSimilar: true });
    }
  });

  it('differ, so that no cache answers them', () => {
    const isFixed = ['1 MiB of spaces', 'JSON 100,000 deep', 'large documents'];
    for (const { title, hostile } of floods)
      if (!isFixed.includes(title)) expect(hostile(access, 1)).not.toEqual(hostile(access, 2));
  });

  it('have phone numbers that are accepted, of more than 150 calling codes', () => {
    for (const numberAt of [zeroNumber, numberOfAnyCode]) {
      const parsed = [...numbersOf(numberAt, 0), ...numbersOf(numberAt, 9)].map((text) => parsePhone(text));
      expect(parsed).not.toContain(undefined);
      expect(new Set(parsed.map((phone) => phone?.e164)).size).toBe(2_000);
    }
    const codes = numbersOf(numberOfAnyCode, 0).map((text) => parsePhone(text)?.callingCode);
    expect(new Set(codes).size).toBeGreaterThan(150);
  });
});
