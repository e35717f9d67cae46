import process from 'node:process';
import { driftOfMigrations } from './drift.js';

const drift = await driftOfMigrations();
if (drift === '') {
  process.stdout.write('The models and the migrations agree\n');
} else {
  process.stderr.write(
    `The models differ from the migrations. Write a migration with \`pnpm db:diff <name>\`:\n\n${drift}\n`,
  );
  process.exitCode = 1;
}
