import process from 'node:process';
import { driftOfMigrations } from './drift.js';

const drift = await driftOfMigrations();
if (drift === '') {
  process.stdout.write('Schema and migrations agree\n');
} else {
  process.stderr.write(
    `The schema says more than the migrations do. Write a migration with \`pnpm db:diff <name>\`:\n\n${drift}\n`,
  );
  process.exitCode = 1;
}
