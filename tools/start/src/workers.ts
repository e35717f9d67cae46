import { runWorkers } from '@gangan/runtime';
import { workers } from './apps/apps.js';

// All workers in one process. Each is loaded as the executable that otherwise runs alone.
await runWorkers('workers', async () => {
  for (const app of workers) await import(new URL(`../../../apps/${app}/dist/main.js`, import.meta.url).href);
});
