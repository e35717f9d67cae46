import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { readCompose } from './compose/compose-file.js';
import { hardeningFaults } from './compose/hardening-faults.js';
import { withProgram } from './support/with-program.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
describe('ops/systemd', () => {
  const units = readdirSync(join(root, 'ops/systemd'));

  it('starts every app', () => {
    const target = read('ops/systemd/gangan.target');
    const apps = [...target.matchAll(/gangan@(\w+)\.service/g)].map(([, app]) => app);
    const bundled = readdirSync(join(root, 'apps')).filter((app) => app !== 'e2e');
    expect(apps.toSorted()).toEqual(bundled.toSorted());
  });

  it('does not restart an app with an invalid configuration', () => {
    expect(read('ops/systemd/gangan@.service')).toMatch(/^RestartPreventExitStatus=78$/m);
  });

  withProgram('systemd-analyze')('has units that systemd accepts', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gangan-units-'));
    // Node may be elsewhere here. An instance stands for the template.
    const files = units.map((unit) => join(folder, unit.replace('@.', '@gateway.')));
    for (const [index, unit] of units.entries())
      await writeFile(
        files[index] ?? '',
        read(`ops/systemd/${unit}`).replaceAll('/usr/bin/node', process.execPath),
      );
    const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...files]);
    await rm(folder, { recursive: true });
    expect(
      String(stderr)
        .split('\n')
        .filter((line) => line.includes('gangan')),
    ).toEqual([]);
  });
});

describe('the examples of docs/use/callbacks.md', () => {
  const vectors = JSON.parse(read('docs/use/callbacks/signature-vectors.json')) as {
    readonly valid: boolean;
  }[];
  const exampleIn = (language: string): string =>
    new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(read('docs/use/callbacks.md'))?.[1] ?? '';
  /** The program reads the test vectors and prints which of them the example verifies. */
  const verifiedBy = (program: string, args: readonly string[]): unknown => {
    const { stdout, stderr } = spawnSync(program, args, { input: JSON.stringify(vectors), encoding: 'utf8' });
    expect(stderr).toBe('');
    return JSON.parse(stdout);
  };
  const expected = vectors.map(({ valid }) => valid);

  withProgram('python3')('verify signatures in Python', () => {
    const check = `
import json, sys
headers = lambda v: {"webhook-id": v["id"], "webhook-timestamp": str(v["timestamp"]), "webhook-signature": v["signature"]}
print(json.dumps([verify(v["secret"], headers(v), v["body"].encode(), v["timestamp"]) for v in json.load(sys.stdin)]))`;
    expect(verifiedBy('python3', ['-c', exampleIn('python') + check])).toEqual(expected);
  });

  withProgram('php')('verify signatures in PHP', () => {
    const check = `
$results = [];
foreach (json_decode(stream_get_contents(STDIN), true) as $v) {
    $headers = ['webhook-id' => $v['id'], 'webhook-timestamp' => (string) $v['timestamp'], 'webhook-signature' => $v['signature']];
    $results[] = verify($v['secret'], $headers, $v['body'], $v['timestamp']);
}
echo json_encode($results);`;
    expect(verifiedBy('php', ['-r', exampleIn('php') + check])).toEqual(expected);
  });
});

describe('docker-compose.tls.yml', () => {
  const { services } = readCompose('docker-compose.tls.yml');

  it('lets the gateway trust the address of the proxy alone', () => {
    expect(services['proxy']?.networks?.['public']).toEqual({
      ipv4_address: services['gateway']?.environment?.['TRUSTED_PROXIES'],
    });
    expect(read('docker-compose.tls.yml')).toContain('ports: !reset []');
  });

  it('gives the proxy no more rights than it needs', () => {
    expect(hardeningFaults('proxy', services['proxy'] ?? {})).toEqual([]);
  });
});
