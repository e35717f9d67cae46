import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { FastifyRequest } from 'fastify';
import { claimScopeOf, idempotencyKeyOf } from './idempotency-key.js';

const keyOf = (given?: string | string[]) =>
  idempotencyKeyOf(given === undefined ? {} : { 'idempotency-key': given });

describe('an Idempotency-Key', () => {
  it('may be absent', () => {
    expect(keyOf()).toBeUndefined();
  });

  it('is 1 to 255 visible ASCII characters', () => {
    const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
    const keys = fc.array(visible, { minLength: 1, maxLength: 255 }).map((characters) => characters.join(''));
    fc.assert(
      fc.property(keys, (key) => {
        expect(keyOf(key)).toBe(key);
      }),
    );
  });

  it.each([[''], [' '], ['a b'], ['x'.repeat(256)], ['é'], ['a\tb'], ['a, b'], [['a', 'b']]])(
    'cannot be %j',
    (given) => {
      expect(() => keyOf(given)).toThrow(
        expect.objectContaining({
          status: 400,
          fields: [expect.objectContaining({ field: 'Idempotency-Key', type: 'value_error' })],
        }),
      );
    },
  );
});

describe('the scope of an Idempotency-Key', () => {
  const pathOf = (url: string, params: Readonly<Record<string, string>> = {}) =>
    claimScopeOf({ method: 'POST', routeOptions: { url }, params } as unknown as FastifyRequest, 'o', 'k')
      .path;

  it('has the path of the route, with its decoded parameters', () => {
    expect(pathOf('/sms/send')).toBe('/sms/send');
    expect(pathOf('/sms/send/')).toBe('/sms/send');
    expect(pathOf('/otp/:id/resend', { id: 'a/b c' })).toBe('/otp/a%2Fb%20c/resend');
  });

  it('has ids in lower case, and leaves other parameters as they are', () => {
    const id = '0190A000-0000-7000-8000-00000000000F';
    expect(pathOf('/sms/:id/pause', { id })).toBe(`/sms/${id.toLowerCase()}/pause`);
    expect(pathOf('/sms/:id/pause', { id: 'ABC' })).toBe('/sms/ABC/pause');
  });

  it('differs for different parameters', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        expect(pathOf('/x/:id/y', { id: one }) === pathOf('/x/:id/y', { id: other })).toBe(one === other);
      }),
    );
  });
});
