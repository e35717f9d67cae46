import { SmsRun } from '../../sms/sms-run.js';
import type { Part } from '../scenario.js';

/** How many gateways and messaging workers each system has. */
const copies = { 'one of each': 1, 'two of each': 2, 'four of each': 4 } as const;

const cpu = { figure: 'cpu', unit: 'µs', beside: 'one of each' };

export const severalOfEach: Part = {
  title: 'several of each',
  needs: ['redis', 'proc'],
  long: true,
  open: async (resources) => {
    const systems = new Map<string, SmsRun>();
    for (const [point, count] of Object.entries(copies))
      systems.set(point, await SmsRun.start('redis', resources, count));
    return {
      measure: async (point, { seconds }) =>
        (await systems.get(point)?.measure({ server: 'delivering', connections: 64 }, seconds)) ?? {},
      verify: async () => {
        for (const run of systems.values()) await run.audit();
      },
    };
  },
  scenarios: [
    {
      ...cpu,
      name: 'two-of-each',
      title: 'processor time per message (all processes), two gateways and two messaging workers',
      of: 'two of each',
      bar: { atMost: 1.2 },
      limit: 'batches are smaller, and each process has work of its own when it is idle',
    },
    {
      ...cpu,
      name: 'four-of-each',
      title: 'the same, four of each',
      of: 'four of each',
      bar: { atMost: 1.4 },
      limit: 'the same',
    },
  ],
};
