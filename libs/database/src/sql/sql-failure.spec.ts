import { newContext, notFound, runInContext } from '@gangan/protocol';
import { describe, expect, it } from '@jest/globals';
import { sqlFailure, sqlState, unavailableWhenAway, unknownWhenLost } from './sql-failure.js';

const ofPg = (code: string) => Object.assign(new Error('…'), { code });
const ofPrisma = (code: string, cause: object) =>
  Object.assign(new Error('…'), {
    code,
    meta: { driverAdapterError: { name: 'DriverAdapterError', cause } },
  });

describe('the SQLSTATE of an error', () => {
  it.each([
    [ofPg('23505'), '23505'],
    [ofPg('P0001'), 'P0001'],
    [ofPrisma('P2010', { originalCode: '22P02', kind: 'InvalidInputValue' }), '22P02'],
    [ofPrisma('P2002', { originalCode: '23505', kind: 'UniqueConstraintViolation' }), '23505'],
    [{ name: 'DriverAdapterError', cause: { originalCode: '40P01' } }, '40P01'],
    [ofPg('P2025'), undefined],
    [ofPg('ECONNREFUSED'), undefined],
    [ofPrisma('P1001', { kind: 'DatabaseNotReachable' }), undefined],
    [new Error('no code'), undefined],
    ['a string', undefined],
    [undefined, undefined],
  ])('is found in error %#', (error, state) => {
    expect(sqlState(error)).toBe(state);
  });
});

describe('the meaning of a failure', () => {
  it.each([
    [ofPg('22003'), 'data'],
    [ofPg('23503'), 'data'],
    [ofPg('40001'), 'conflict'],
    [ofPg('40P01'), 'conflict'],
    [ofPg('08006'), 'lost'],
    [ofPg('57P01'), 'lost'],
    [ofPg('57P03'), 'unreachable'],
    [ofPg('25006'), 'unreachable'],
    [ofPg('08001'), 'unreachable'],
    [ofPg('ECONNREFUSED'), 'unreachable'],
    [ofPg('EPIPE'), 'lost'],
    [new Error('Connection terminated unexpectedly'), 'lost'],
    [ofPrisma('P1001', { kind: 'DatabaseNotReachable' }), 'unreachable'],
    [ofPrisma('P2010', { kind: 'DatabaseNotReachable' }), 'unreachable'],
    [ofPrisma('P2010', { kind: 'ConnectionClosed' }), 'lost'],
    [ofPg('57014'), 'busy'],
    [ofPg('55P03'), 'busy'],
    [ofPg('53300'), 'busy'],
    [new Error('timeout exceeded when trying to connect'), 'busy'],
    [ofPg('P2028'), 'busy'],
    [ofPg('42P01'), 'other'],
    [ofPg('40002'), 'other'],
    [ofPg('P2025'), 'other'],
    [new Error('a bug'), 'other'],
    [null, 'other'],
  ])('is found for error %#', (error, failure) => {
    expect(sqlFailure(error)).toBe(failure);
  });

  it.each(['ECONNREFUSED', 'ECONNRESET', '40P01', '57014'])('is `unavailable` for a read: %s', (code) => {
    const cause = ofPg(code);
    expect(unavailableWhenAway(cause)).toMatchObject({ code: 'unavailable', status: 503, cause });
  });

  it('is an unknown outcome for a write whose reply was lost', () => {
    const cause = ofPg('ECONNRESET');
    const context = newContext();
    expect(runInContext(context, () => unknownWhenLost(cause))).toMatchObject({
      code: 'outcome_unknown',
      fields: [{ message: expect.stringContaining(context.operationId) as unknown }],
      cause,
    });
    expect(runInContext(context, () => unknownWhenLost(ofPg('ECONNREFUSED')))).toMatchObject({
      code: 'unavailable',
    });
  });

  it.each([new Error('a bug'), ofPg('23505'), notFound('The message')])(
    'leaves other errors unchanged (%#)',
    (error) => {
      expect(unavailableWhenAway(error)).toBe(error);
      expect(unknownWhenLost(error)).toBe(error);
    },
  );
});
