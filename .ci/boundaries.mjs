// Proves that the import rules of eslint.config.mjs work: the lint has to reject each of the forbidden imports.
import { ESLint } from 'eslint';

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
  ['libs/runtime/src/index.ts', '@gangan/callbacks'],
  ['libs/runtime/src/index.ts', '@gangan/leases'],
  ['libs/runtime/src/index.ts', '@gangan/contracts'],
  ['libs/leases/src/index.ts', '@gangan/billing'],
  ['libs/leases/src/index.ts', '@gangan/contracts'],
  ['libs/runtime/src/index.ts', '@gangan/sealing'],
  ['libs/sealing/src/index.ts', '@gangan/database'],
  ['libs/sealing/src/index.ts', '@gangan/queue'],
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
  ['libs/queue/src/index.ts', 'bullmq'],
  ['tools/bench/src/main.ts', 'ioredis'],
  ['tools/start/src/main.ts', 'pg'],
  ['apps/gateway/src/contacts/import-uploader.ts', '../http/errors/http.errors.js'],
  ['apps/gateway/src/contacts/import-uploader.ts', './file-parts.js'],
  ['apps/gateway/src/http/request/body-parser.ts', '../routes/access.js'],
  ['apps/messaging/src/submit/delivery-submitter.ts', '../outcome/transition.js'],
  ['apps/messaging/src/outcome/apply-transitions.ts', '../transactions.js'],
];

const importsOf = (target) => [
  `import '${target}';`,
  `export * from '${target}';`,
  `await import('${target}');`,
];
const rules = ['@nx/enforce-module-boundaries', 'no-restricted-syntax'];

const eslint = new ESLint();
/** How many kinds of import the lint rejects. */
const countRejected = async (filePath, target) => {
  const [{ messages }] = await eslint.lintText(`${importsOf(target).join('\n')}\n`, { filePath });
  if (messages.some(({ fatal }) => fatal)) throw new Error(`${filePath} cannot be linted`);
  return new Set(messages.filter(({ ruleId }) => rules.includes(ruleId)).map(({ line }) => line)).size;
};

const wrong = [];
for (const [filePath, target] of forbidden) {
  if ((await countRejected(filePath, target)) < importsOf(target).length)
    wrong.push(`${filePath} may import ${target}`);
}
for (const [filePath, target] of allowed) {
  if ((await countRejected(filePath, target)) > 0) wrong.push(`${filePath} may not import ${target}`);
}

/** Randomness that does not repeat, in tests. */
const unseeded = [`Math.random();`, `import { randomBytes } from 'node:crypto';`, `crypto.randomUUID();`];
for (const code of unseeded) {
  const [{ messages }] = await eslint.lintText(code, { filePath: 'apps/lookup/test/lookup.worker.spec.ts' });
  if (!messages.some(({ ruleId }) => ruleId?.startsWith('no-restricted-')))
    wrong.push(`tests may contain ${code}`);
}
if (wrong.length > 0) {
  console.error(`The import rules are wrong:\n${wrong.join('\n')}`);
  process.exit(1);
}
console.log(`${forbidden.length} forbidden imports are rejected, ${allowed.length} others are accepted`);
