import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { joinFaults, unassignedFault } from './request-faults.js';

describe('the faults of a request', () => {
  it('are joined, each once', () => {
    expect(joinFaults([])).toBe('');
    expect(joinFaults(['a', 'b', 'a'])).toBe('a; b');
  });

  it('are read only until the column is full', () => {
    let read = 0;
    function* endless(): Generator<string> {
      for (;;) yield `fault ${(read += 1)} ${'x'.repeat(1_000)}`;
    }
    expect(joinFaults(endless())).toHaveLength(500);
    expect(read).toBeLessThan(10);
  });

  it('equal a full join, truncated to the column', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 200 }), { maxLength: 30 }), (faults) => {
        expect(joinFaults(faults)).toBe([...new Set(faults)].join('; ').slice(0, 500));
      }),
    );
  });
});

describe('the fault of a message to an unknown number', () => {
  it('shows a short code, and masks a phone number', () => {
    expect(unassignedFault({ channel: 'sms', to: '22345' })).toMatch(/^the sms number 22345 belongs/);
    expect(unassignedFault({ channel: 'sms', to: '+2348031234567' })).toMatch(/number \+234\*+567 belongs/);
  });

  it('is short for numbers of any length', () => {
    const fault = unassignedFault({ channel: 'whatsapp', to: '1'.repeat(1_000_000) });
    expect(fault.length).toBeLessThan(300);
    expect(fault).not.toContain('1111');
  });
});
