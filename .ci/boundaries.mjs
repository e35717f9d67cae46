// A fence that forbids nothing is not a fence: each of these imports has to fail the lint.
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
];

const eslint = new ESLint();
const passed = [];
for (const [filePath, target] of forbidden) {
  const [result] = await eslint.lintText(`import '${target}';\n`, { filePath });
  const fenced = result.messages.some(({ ruleId }) => ruleId === '@nx/enforce-module-boundaries');
  if (!fenced) passed.push(`${filePath} may import ${target}`);
}
if (passed.length > 0) {
  console.error(`The fence has holes:\n${passed.join('\n')}`);
  process.exit(1);
}
console.log(`${forbidden.length} forbidden imports are refused`);
