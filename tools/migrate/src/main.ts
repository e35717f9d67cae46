import process from 'node:process';
import { migrateCommand } from './migrate-command.js';

const flags = process.argv.slice(2).filter((flag) => flag !== '--');
process.exitCode = await migrateCommand(flags, process.env, {
  print: (line) => process.stdout.write(`${line}\n`),
  printError: (line) => process.stderr.write(`${line}\n`),
});
