// Proves that the import rules work: the lint has to reject each of the forbidden imports, in a copy of the repository
// that contains only the configuration of the lint and files with such imports.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

const forbidden = [
  ['apps/lookup/src/main.ts', 'bullmq'],
  ['apps/gateway/src/main.ts', 'ioredis'],
  ['apps/lookup/src/main.ts', '@prisma/client'],
  ['apps/lookup/src/main.ts', 'pg'],
  ['apps/lookup/src/main.ts', '@gangan/testing'],
  ['apps/lookup/src/main.ts', '../../otp/src/otp.module.js'],
  ['libs/runtime/src/index.ts', 'bullmq'],
  ['libs/queue/src/index.ts', '@gangan/database'],
  ['libs/queue/src/index.ts', '@prisma/client'],
  ['libs/contracts/src/index.ts', '@gangan/queue'],
  ['libs/protocol/src/index.ts', '@gangan/contracts'],
  ['libs/queue/src/index.ts', '../../../apps/lookup/src/lookup.module.js'],
  ['libs/runtime/src/index.ts', '@gangan/lookup'],
  ['apps/lookup/src/main.ts', '@gangan/start'],
  ['apps/lookup/src/main.ts', '@gangan/otp'],
  ['apps/lookup/src/main.ts', '@gangan/queue/src/server/queue-server.js'],
  ['apps/lookup/src/main.ts', 'bullmq/dist/esm/index.js'],
  ['apps/lookup/src/main.ts', 'ioredis/built/index.js'],
  ['apps/lookup/src/main.ts', 'pg/lib/client.js'],
  ['apps/lookup/src/main.ts', 'pg-pool'],
  ['apps/lookup/src/main.ts', '.prisma/client'],
  ['apps/lookup/src/main.ts', '@prisma/client/runtime/client'],
  ['apps/lookup/src/main.ts', '../../../node_modules/pg/lib/client.js'],
  ['apps/lookup/test/lookup.worker.spec.ts', 'pg'],
  ['tools/start/src/main.ts', 'bullmq'],
  ['libs/testing/src/index.ts', 'ioredis'],
  ['libs/billing/src/index.ts', '@gangan/queue'],
  ['libs/database/src/index.ts', '@gangan/billing'],
  ['libs/database/src/index.ts', '@gangan/storage'],
  ['libs/storage/src/index.ts', '@gangan/billing'],
  ['libs/runtime/src/index.ts', '@gangan/storage'],
  ['apps/lookup/src/main.ts', '@gangan/management'],
  ['tools/start/src/main.ts', '@gangan/management'],
  ['libs/management/src/index.ts', '@gangan/runtime'],
  ['libs/management/src/index.ts', 'pg'],
  ['apps/lookup/src/main.ts', '@gangan/storage'],
  ['libs/runtime/src/index.ts', '@gangan/callbacks'],
  ['libs/runtime/src/index.ts', '@gangan/leases'],
  ['libs/runtime/src/index.ts', '@gangan/contracts'],
  ['libs/leases/src/index.ts', '@gangan/billing'],
  ['libs/leases/src/index.ts', '@gangan/contracts'],
  ['libs/http-client/src/index.ts', '@gangan/database'],
  ['libs/database/src/index.ts', '@gangan/providers'],
  ['libs/sealing/src/index.ts', '@gangan/database'],
  ['libs/sealing/src/index.ts', '@gangan/queue'],
  ['apps/lookup/src/main.ts', '@gangan/sdk'],
  ['libs/sdk/src/index.ts', '@gangan/protocol'],
  ['libs/sdk/src/index.ts', 'node:crypto'],
  ['apps/gateway/src/http/errors/http.errors.ts', '../../auth/auth.errors.js'],
  ['apps/gateway/src/http/errors/http.errors.ts', '../routes/paths.js'],
  ['apps/gateway/src/http/request/body-parser.ts', '../log/access-log.js'],
  ['apps/gateway/src/http/request/body-parser.ts', '../server-options.js'],
  ['apps/gateway/src/contacts/import-uploader.ts', '../sms/sms.controller.js'],
  ['apps/gateway/src/auth/auth.errors.ts', 'ioredis'],
  ['apps/messaging/src/outcome/transition.ts', '../reports/reports.service.js'],
  ['apps/messaging/src/providers/simulator.ts', '../outcome/reasons.js'],
  ['apps/messaging/src/submit/routing.ts', '../schedule/sweeper.js'],
  ['apps/messaging/src/audience/audience.service.ts', '../messages/prepare-message.js'],
  ['apps/messaging/src/text/measure-message.ts', '../messages/prepare-message.js'],
];

const allowed = [
  ['apps/lookup/src/main.ts', '@gangan/runtime'],
  ['apps/lookup/src/main.ts', '@gangan/leases'],
  ['apps/lookup/test/lookup.worker.spec.ts', '@gangan/testing'],
  ['libs/queue/test/redis.spec.ts', '@gangan/queue'],
  ['libs/runtime/src/index.ts', '@gangan/sealing'],
  ['apps/lookup/test/lookup.worker.spec.ts', '@gangan/storage'],
  ['libs/storage/src/index.ts', 'pg'],
  ['tools/start/src/main.ts', '@gangan/storage'],
  ['tools/admin/src/main.ts', '@gangan/management'],
  ['libs/management/src/index.ts', '@gangan/storage'],
  ['libs/queue/src/index.ts', 'bullmq'],
  ['tools/bench/src/main.ts', 'ioredis'],
  ['libs/sdk/src/index.ts', './errors.js'],
  ['tools/start/src/main.ts', 'pg'],
  ['apps/gateway/src/contacts/import-uploader.ts', '../http/errors/http.errors.js'],
  ['apps/gateway/src/contacts/import-uploader.ts', './file-parts.js'],
  ['apps/gateway/src/http/request/body-parser.ts', '../routes/access.js'],
  ['apps/messaging/src/submit/delivery-submitter.ts', '../outcome/transition.js'],
  ['apps/messaging/src/outcome/apply-transitions.ts', '../transactions.js'],
];

/** Randomness that does not repeat, in tests. */
const unseeded = [`Math.random();`, `import { randomBytes } from 'node:crypto';`, `crypto.randomUUID();`];

/** What commands of operators leave to libs/management. */
const inCommands = [
  `import { sql, statement } from '@gangan/database';`,
  `import type { Models } from '@gangan/database';`,
  `import { change } from '@gangan/management';`,
  `await database.account.findMany();`,
  `await (await session.database()).account.count();`,
  `await database.$transaction(work);`,
];

const importsOf = (target) => [
  `import '${target}';`,
  `export * from '${target}';`,
  `await import('${target}');`,
];

const files = [
  ...forbidden.map(([path, target]) => ({ path, lines: importsOf(target), rejected: true })),
  ...allowed.map(([path, target]) => ({ path, lines: importsOf(target), rejected: false })),
  ...unseeded.map((line) => ({ path: 'apps/lookup/test/x.spec.ts', lines: [line], rejected: true })),
  ...inCommands.map((line) => ({ path: 'tools/admin/src/main.ts', lines: [line], rejected: true })),
].map((file, index) => {
  const extension = file.path.endsWith('.spec.ts') ? '.spec.ts' : '.ts';
  return { ...file, name: join(dirname(file.path), `file-${index}${extension}`) };
});
const rules = /^(gangan\((imports|commands)\)|eslint\(no-restricted-(imports|properties)\))$/;

/** The rules that need types are not tested here, and none of the imports exists. */
function copyConfiguration(folder) {
  const { options, ...config } = JSON.parse(readFileSync(join(root, '.oxlintrc.json'), 'utf8'));
  const untyped = { ...config, options: { ...options, typeAware: false, typeCheck: false } };
  writeFileSync(join(folder, '.oxlintrc.json'), JSON.stringify(untyped));
  cpSync(join(root, 'tools/lint'), join(folder, 'tools/lint'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const parent of ['apps', 'libs', 'tools'])
    for (const project of readdirSync(join(root, parent))) {
      const file = join(parent, project, 'package.json');
      if (existsSync(join(root, file))) cpSync(join(root, file), join(folder, file));
    }
}

/** The lines that the rules reject, by file. */
function lint(folder) {
  const oxlint = join(root, 'node_modules/.bin/oxlint');
  const { stdout, stderr } = spawnSync(oxlint, ['--format', 'json', 'apps', 'libs', 'tools'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const rejected = new Map(files.map(({ name }) => [name, new Set()]));
  if (!stdout.startsWith('{')) throw new Error(`oxlint failed:\n${stdout}${stderr}`);
  for (const { code, filename, labels } of JSON.parse(stdout).diagnostics)
    if (rules.test(code)) rejected.get(filename).add(labels[0].span.line);
  return rejected;
}

const folder = mkdtempSync(join(tmpdir(), 'gangan-boundaries-'));
try {
  copyConfiguration(folder);
  for (const { name, lines } of files) {
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
  }
  const found = lint(folder);
  const wrong = files.filter(
    ({ name, lines, rejected }) => found.get(name).size !== (rejected ? lines.length : 0),
  );
  for (const { path, lines, rejected } of wrong)
    console.error(`${path} ${rejected ? 'may' : 'may not'} contain ${lines[0]}`);
  if (wrong.length > 0) process.exitCode = 1;
  else
    console.log(`${forbidden.length} forbidden imports are rejected, ${allowed.length} others are accepted`);
} finally {
  rmSync(folder, { recursive: true });
}
