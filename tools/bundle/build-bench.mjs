// Bundles the bench and the processes that it starts: each starts in a third of the time.
import { rm } from 'node:fs/promises';
import { URL } from 'node:url';
import { bundle } from './bundle.mjs';

const scripts = [
  'main',
  'attack/attacker-process',
  'attack/bare-server',
  'callbacks/consumers-process',
  'callbacks/raw-posts',
  'carrier/carrier-process',
  'load/load-process',
  'otp/direct-server',
  'sms/servers/direct-server',
  'sms/servers/one-job-server',
];
await rm(new URL('../bench/dist', import.meta.url), { recursive: true, force: true });
const entryPoints = scripts.map((script) => [`tools/bench/dist/${script}`, `tools/bench/src/${script}.ts`]);
await bundle(Object.fromEntries(entryPoints), 'tools/bench/dist');
