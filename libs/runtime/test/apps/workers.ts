import { runWorkers } from '@gangan/runtime';

/** Several of the other apps in one process: those that HOSTED names. */
await runWorkers('workers', async () => {
  for (const app of process.env['HOSTED']?.split(',') ?? [])
    await import(new URL(`./${app}.js`, import.meta.url).href);
});
