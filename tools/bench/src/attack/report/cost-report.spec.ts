import { describe, expect, it } from '@jest/globals';
import type { AttackName } from '../attacks.js';
import { costReport, type CostRound, costsOf } from './cost-report.js';

type Times = Readonly<Record<string, number>>;

const round = (plain: Times, hostile: Times, attack: AttackName = 'field-names'): CostRound => ({
  attack,
  plain: { byProcess: plain, answers: {} },
  hostile: { byProcess: hostile, answers: {} },
});

describe('the report of processor time', () => {
  it('compares each process within each round', () => {
    const rounds = [
      round({ gateway: 1_000, messaging: 2_000 }, { gateway: 2_000, messaging: 2_000 }),
      round({ gateway: 2_000, messaging: 2_000 }, { gateway: 2_000, messaging: 8_000 }),
    ];
    expect(costsOf(rounds)).toEqual([
      { name: 'gateway', isUsed: true, plain: 1_500, hostile: 2_000, ratio: 1.5 },
      { name: 'messaging', isUsed: true, plain: 2_000, hostile: 5_000, ratio: 2.5 },
    ]);
  });

  it('names an attack that costs more than five times as much as a plain request', () => {
    expect(costReport([round({ gateway: 1_000 }, { gateway: 5_000 })]).faults).toEqual([]);
    expect(costReport([round({ gateway: 1_000 }, { gateway: 5_100 })]).faults).toEqual([
      '1,400 unknown fields: a request takes 5.1 times the processor time of gateway, at most 5 times is allowed',
    ]);
  });

  it('allows three times as much as a 401 without a key', () => {
    expect(costReport([round({ gateway: 500 }, { gateway: 1_500 }, 'unknown-paths')]).faults).toEqual([]);
    expect(costReport([round({ gateway: 500 }, { gateway: 1_600 }, 'unknown-paths')]).faults).toHaveLength(1);
  });

  it('ignores little work of a process that a plain request does not use, and names much', () => {
    const plain = { gateway: 1_000, callback: 0 };
    expect(costReport([round(plain, { gateway: 1_000, callback: 400 })]).faults).toEqual([]);
    expect(costReport([round(plain, { gateway: 1_000, callback: 600 })]).faults).toHaveLength(1);
    expect(costReport([round(plain, { gateway: 5_000, callback: 550 })]).faults).toEqual([]);
  });

  it('shows the gateway and the worker with the highest ratio', () => {
    const { lines } = costReport([
      round(
        { gateway: 1_000, lookup: 1_000, messaging: 1_000 },
        { gateway: 1_500, lookup: 1_000, messaging: 20_000 },
      ),
      round({ gateway: 1_000, lookup: 50 }, { gateway: 1_000, lookup: 0 }, 'unknown-paths'),
    ]);
    const rows = lines.slice(2).map((line) => line.split('|').slice(1, -1));
    expect(rows.map((cells) => cells.map((cell) => cell.trim()))).toEqual([
      ['1,400 unknown fields', 'gateway', '1.00 ms', '1.50 ms', '1.50 ×', '5 ×'],
      ['1,400 unknown fields', 'messaging', '1.00 ms', '20.00 ms', '20.00 ×', '5 ×'],
      ['unknown paths', 'gateway', '1.00 ms', '1.00 ms', '1.00 ×', '3 ×'],
    ]);
  });
});
