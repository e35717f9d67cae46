import { Resources, runTool } from '@gangan/testing';
import { attack } from './attack/attack.js';
import { suite } from './suite/suite.js';

const [name, ...others] = process.argv.slice(2);
const chosen = name === 'attack' ? attack : suite;

await runTool(
  {
    help: [suite.usage, attack.usage].join('\n'),
    run: async (args, print, interrupted) => {
      const resources = new Resources();
      interrupted.addEventListener('abort', () => {
        print('stopping');
        void resources.close().finally(() => process.exit(130));
      });
      try {
        return await chosen.run(args, { print, resources });
      } finally {
        await resources.close();
      }
    },
  },
  name === 'attack' ? others : process.argv.slice(2),
);
