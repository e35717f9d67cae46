import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SharedSystem } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import { metricsUrlOf } from './support/metrics-of.js';
import { withProgram } from './support/with-program.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Logins of operators have names like metrics. */
const isLogin = (name: string): boolean => name.startsWith('gangan_operator_');

describe('the metrics of docs/operate/operations.md and ops/prometheus-rules.yml', () => {
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
    for (const page of ['docs/operate/operations.md', 'ops/prometheus-rules.yml']) {
      const named = namesIn(read(page));
      expect(named.length).toBeGreaterThan(5);
      expect(named.filter((name) => !registered.has(name) && !isLogin(name))).toEqual([]);
    }
  });

  it('have alerts that say what is wrong and what to do, and the documentation names no others', () => {
    const alerts = read('ops/prometheus-rules.yml').split('- alert: ').slice(1);
    const names = alerts.map((alert) => /^\w+/.exec(alert)?.[0]);
    expect(new Set(names).size).toBe(alerts.length);
    for (const alert of alerts)
      expect(alert).toMatch(
        /^ {8}labels: \{ severity: (?:page|ticket) \}\n {8}annotations:\n {10}summary: .+\n {10}description: .+$/m,
      );
    for (const page of readdirSync(join(root, 'docs'), { encoding: 'utf8', recursive: true }).filter((name) =>
      name.endsWith('.md'),
    ))
      for (const name of alertsIn(read(`docs/${page}`)))
        expect([page, name, names.includes(name)]).toEqual([page, name, true]);
  });

  withProgram('promtool')('are in rules that Prometheus accepts, and that fire', () => {
    for (const args of [
      ['check', 'rules', 'ops/prometheus-rules.yml'],
      ['test', 'rules', 'apps/e2e/test/support/prometheus-rules.test.yml'],
    ]) {
      const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: root });
      expect({ status, output: `${String(stdout)}${String(stderr)}` }).toMatchObject({ status: 0 });
    }
  });
});

const alertsIn = (text: string): string[] => text.match(/\bGangan[A-Z]\w+/g) ?? [];
