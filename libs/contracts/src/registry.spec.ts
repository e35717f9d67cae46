import { describe, expect, it } from '@jest/globals';
import * as contracts from './index.js';

const isContract = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'queue' in value && 'name' in value;

describe('the registry', () => {
  it('lists every contract that is exported', () => {
    expect(new Set(contracts.allContracts)).toEqual(new Set(Object.values(contracts).filter(isContract)));
  });

  it('contains each name once', () => {
    const names = contracts.allContracts.map(({ queue, name }) => `${queue} ${name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it('returns the contracts that an app serves', () => {
    const { lookupPhone, lookupPhoneLive, lookupBatchDue } = contracts;
    const { createLookupBatch, findLookupBatch, listLookupBatches, readLookupBatchPart } = contracts;
    expect(new Set(contracts.contractsServedBy('lookup'))).toEqual(
      new Set<unknown>([
        ...[lookupPhone, lookupPhoneLive, createLookupBatch, findLookupBatch],
        ...[listLookupBatches, readLookupBatchPart, lookupBatchDue],
      ]),
    );
    expect(contracts.contractsServedBy('gateway')).toEqual([]);
  });

  it('returns the contracts that an app sends', () => {
    const { lookupBatchDue, openSmartlist, readSmartlist, otpDeliveryDue } = contracts;
    expect(new Set(contracts.contractsSentBy('lookup'))).toEqual(
      new Set<unknown>([lookupBatchDue, openSmartlist, readSmartlist]),
    );
    expect(contracts.contractsSentBy('otp')).toEqual([otpDeliveryDue]);
    expect(contracts.contractsSentBy('callback')).toEqual([]);
  });
});
