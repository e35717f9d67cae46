import type { Contract } from '@gangan/protocol';
import { compareKeys } from '@gangan/queue';
import type { ConfigFault, Configs } from './define-config.js';
import { RuntimeConfig } from './runtime-config.js';

/** What is wrong with the queue keys of an app that sends and serves these contracts: a new version may need further keys. */
export function checkQueueKeys(app: string, contracts: readonly Contract[], configs: Configs): ConfigFault[] {
  const { missing } = compareKeys(configs.of(RuntimeConfig).QUEUE_KEYS, app, contracts);
  if (missing.length === 0) return [];
  const { desc: meaning = '', example } = RuntimeConfig.variables['QUEUE_KEYS'] ?? {};
  const problem = `has no key for ${missing.join(', ')}: derive the keys of this app again, with this version`;
  return [{ name: 'QUEUE_KEYS', problem, meaning, example }];
}
