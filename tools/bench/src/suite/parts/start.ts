import { TestSystem } from '@gangan/testing';
import type { Part } from '../scenario.js';

/** `pnpm start` with a data folder of its own. The first start, which creates the database, is the warm-up. */
export const start: Part = {
  title: 'start',
  open: async (resources) => {
    const system = await TestSystem.openEmpty();
    resources.atEnd(() => system.close());
    return {
      measure: async () => {
        const started = performance.now();
        await system.start();
        const seconds = (performance.now() - started) / 1_000;
        await system.stop();
        return { seconds };
      },
    };
  },
  scenarios: [
    {
      name: 'start',
      title: 'warm pnpm start until ready',
      figure: 'seconds',
      unit: 's',
      of: 'pnpm start',
      bar: { atMost: 9 },
      limit: 'seven processes start on the same cores',
    },
  ],
};
