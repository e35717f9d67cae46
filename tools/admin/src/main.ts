import process from 'node:process';
import { Logger } from '@nestjs/common';
import { runAdmin } from './run-admin.js';

// What the libraries log would stand between the lines that a script reads; what matters to people is thrown.
Logger.overrideLogger(false);

// `pnpm admin … | head` has seen enough: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const given = process.argv.slice(2);
process.exitCode = await runAdmin(given[0] === '--' ? given.slice(1) : given, process.env, {
  out: process.stdout,
  err: process.stderr,
  isTerminal: process.stdin.isTTY && process.stderr.isTTY,
});
