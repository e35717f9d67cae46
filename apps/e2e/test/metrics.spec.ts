import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SharedSystem } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import { metricsUrlOf } from './support/metrics-of.js';
import { withProgram } from './support/with-program.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

describe('the metrics of docs/operations.md and docs/prometheus-rules.yml', () => {
  const namesIn = (text: string): string[] => [
    ...new Set(
      [...text.matchAll(/\bgangan_[a-z]+_[a-z_]*[a-z]\b/g)].map(([name]) =>
        name.replace(/_(bucket|sum|count)$/, ''),
      ),
    ),
  ];

  it('exist', async () => {
    const system = SharedSystem.find();
    const registered = new Set<string>();
    for (const app of Object.keys(system.apps())) {
      const metrics = await (await fetch(await metricsUrlOf(system, app))).text();
      for (const [, name] of metrics.matchAll(/^# TYPE (\S+) /gm)) registered.add(name ?? '');
    }
    for (const page of ['docs/operations.md', 'docs/prometheus-rules.yml']) {
      const named = namesIn(read(page));
      expect(named.length).toBeGreaterThan(5);
      expect(named.filter((name) => !registered.has(name))).toEqual([]);
    }
  });

  withProgram('promtool')('are in rules that Prometheus accepts', () => {
    const { status, stdout, stderr } = spawnSync(
      'promtool',
      ['check', 'rules', 'docs/prometheus-rules.yml'],
      {
        cwd: root,
      },
    );
    expect({ status, output: `${String(stdout)}${String(stderr)}` }).toMatchObject({ status: 0 });
  });
});
